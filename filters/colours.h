/* What operations on colours have in common. */
#ifndef COLOURS_H
#define COLOURS_H

#include "halo/op.h"

/* HALO_ERR_INPUT unless the value has red, green and blue, beside alpha. */
HaloStatus colours_three(const char *op, const HaloShape *shape);

/* out = weight * in, of three colours; alpha stays. */
HaloStatus colours_mix(HaloBuilder *builder, const double weight[3][3], HaloReg in, HaloReg *out);

#endif
