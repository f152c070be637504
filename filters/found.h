/* What an analysis of all frames found, as frames of a result: spectra, correlations. */
#ifndef FOUND_H
#define FOUND_H

#include "halo/op.h"

typedef struct Found {
    const char *what; /* for --explain */
    int64_t frames;   /* of the result */
    double rate;
    const double *value; /* [channels][frames]; it belongs to the plan */
} Found;

/* *out = what was found, as many channels as `in` has. Of `in` the first frame is read, and ignored. */
HaloStatus found_append(HaloBuilder *builder, HaloReg in, const Found *found, HaloReg *out);

/* Sample of channel c of frame i of `frames`, which are f32 or f64, as an analysis takes them. */
double found_sample(const HaloBuf *frames, int64_t i, int c);

#endif
