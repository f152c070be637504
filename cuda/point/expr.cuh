/* Expressions of samples on a GPU. */
#ifndef HALO_CUDA_POINT_EXPR_CUH
#define HALO_CUDA_POINT_EXPR_CUH

#include "common.cuh"
#include "halo/expr.h"

HaloStatus cuda_expr(HaloDevice *device, const HaloBuf *const src[], int sources, HaloBuf *dst,
                     const HaloExpr *expr, HaloStore store);

#endif
