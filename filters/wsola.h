/* Changes of tempo that keep the pitch: WSOLA (W. Verhelst, M. Roelands, "An overlap-add technique based on
 * waveform similarity", 1993), as docs/numerics.md, "Tempo", defines it. */
#ifndef WSOLA_H
#define WSOLA_H

#include "halo/op.h"

/* How long the result is, of n frames: the nearest integer to n * up / down; as many as resampling the result
 * by down / up takes to give n again; or all that fit into n * up / down. */
typedef enum WsolaLength { WSOLA_NEAREST, WSOLA_BEFORE_RATE, WSOLA_BEHIND_RATE } WsolaLength;

typedef struct Wsola {
    int64_t up, down; /* `down` frames become `up` */
    WsolaLength length;
    int64_t hop;        /* frames from one segment to the next */
    int64_t overlap;    /* frames that a segment has in common with the next, at most hop */
    int64_t search;     /* how far a segment may be from its place, to each side */
    int64_t decimation; /* frames added up for the first step of the search */
    const double *gain; /* [overlap]: that of the segment that begins */
} Wsola;

/* *how, all but `gain` set, has to live as long as the plan. */
HaloStatus wsola_build(HaloBuilder *builder, HaloReg in, Wsola *how, HaloReg *out);

#endif
