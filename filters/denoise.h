/* Spectral gating: bins of a short-time spectrum that are not far above the noise are reduced, as
 * docs/numerics.md, "Noise", defines it. */
#ifndef DENOISE_H
#define DENOISE_H

#include "halo/sequence.h"

#define DENOISE_HOPS 4   /* a window is as many hops */
#define DENOISE_FRAMES 5 /* over which power is averaged along time */
#define DENOISE_BINS 3   /* and along frequency */
#define DENOISE_GAINS 5  /* bins over which gains are */
#define DENOISE_KNEE 2.0 /* octaves of power from the threshold to where nothing is reduced */

typedef struct Denoise {
    int64_t size, hop; /* frames of a window, a power of two, and from one to the next */
    int channels;
    bool automatic;              /* the noise is a low quantile of each bin; else the mean */
    double reduce;               /* octaves of amplitude */
    double threshold;            /* times the power of the noise */
    const double *window, *turn; /* [size], [size + 2] */
    const double *noise;         /* [channels][size / 2 + 1]: its power in each bin */
} Denoise;

extern const HaloSequenceKind denoise_kind;

/* noise.c: the power of noise in each bin, from frames of a sound. It is found by `noise_take`, in
 * `noise_bytes` bytes, zeros at first; HALO_ERR_INPUT if they were fewer than a window. */
int64_t noise_bytes(const Denoise *how);
void noise_take(const void *how, void *found, const HaloBuf *frames);
HaloStatus noise_power(const Denoise *how, const void *found, double *power);

/* *x, `size` samples under the window, becomes its spectrum, size + 2 numbers. */
void denoise_transform(const Denoise *how, double *x);
/* The power of bin k of it. */
static inline double denoise_power(const double *spectrum, int64_t k)
{
    return spectrum[2 * k] * spectrum[2 * k] + spectrum[2 * k + 1] * spectrum[2 * k + 1];
}

#endif
