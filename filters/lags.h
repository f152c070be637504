/* The correlation of two long sounds at few lags, block by block, so that little of them is kept. */
#ifndef LAGS_H
#define LAGS_H

#include "halo/op.h"

typedef struct Lags {
    int channels;
    int64_t before, behind; /* the lags are -before ... behind */
    int64_t width;          /* frames of the longer sound */
    int64_t size, block;    /* of the transforms, and the frames of the first sound in each */
    const double *turn;
    bool coefficient;
} Lags;

/* The size of the transforms that so many lags need. */
int64_t lags_size(int64_t before, int64_t behind);

/* value[c * (before + behind + 1) + k], which belongs to the plan, is the correlation at lag k - before of
 * channel c. Takes an analysis pass: HALO_OK, or what `build` has to return. */
HaloStatus lags_find(HaloBuilder *builder, HaloReg in, HaloReg other, Lags *how, double **value);

#endif
