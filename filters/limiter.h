/* The limiter of `limit` and `loudnorm`. */
#ifndef LIMITER_H
#define LIMITER_H

#include "halo/op.h"

typedef struct LimiterParams {
    double limit;   /* of the true peak, relative to full scale */
    int64_t ahead;  /* frames, 1 .. LIMITER_MOST_AHEAD */
    double release; /* frames in which a reduction in decibels falls to 1 / e */
} LimiterParams;

#define LIMITER_MOST_AHEAD 32766

/* Seconds. */
#define LIMITER_USUAL_AHEAD 0.005
#define LIMITER_USUAL_RELEASE 0.05

HaloStatus limiter_append(HaloBuilder *builder, const LimiterParams *params, HaloReg in, HaloReg *out);

#endif
