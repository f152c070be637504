/* Fourier transforms of real samples of any length. */
#ifndef TRANSFORM_H
#define TRANSFORM_H

#include "halo/op.h"

typedef struct Transform {
    int64_t length;
    int64_t size; /* of the transform that is computed, a power of two; `length`, or for other lengths more */
    const double *turn;   /* of `size` */
    const double *chirp;  /* [length] pairs: exp(-pi i k^2 / length); NULL: the length is a power of two */
    const double *kernel; /* [size] pairs: the transform of what the chirp is convolved with, over `size` */
} Transform;

/* The tables live as long as the plan. */
HaloStatus transform_keep(HaloBuilder *builder, int64_t length, Transform *transform);
/* Numbers that `x` has to have space for. */
static inline int64_t transform_space(const Transform *transform) { return 2 * transform->size + 2; }
/* power[k] = |X(k)|^2, 0 <= k <= length / 2, of the first `length` numbers of x, which changes. */
void transform_power(const Transform *transform, double *x, double *power);

#endif
