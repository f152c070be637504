/* The rows of every operation, one declaration each. */
#ifndef OPS_H
#define OPS_H

#include "halo/op.h"

#define HALO_OP(id) extern const HaloOp halo_op_##id;
#include "ops.def"
#undef HALO_OP

#endif
