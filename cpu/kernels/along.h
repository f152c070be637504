/* Sound and series: recursive filters, spectra, and rows of f64. */
#ifndef CPU_KERNELS_ALONG_H
#define CPU_KERNELS_ALONG_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/buffer.h"
#include "halo/combine.h"
#include "halo/primitive.h"
#include "halo/sections.h"
#include "halo/spectrum.h"

/* ---- recursive filters ---------------------------------------------------------------------------------- */

/* Sections one after the other over n samples, in place; z: [count][2], their states. */
typedef struct CpuSectionKernels {
    int lanes;
    void (*run)(const HaloSection *section, int count, double *z, double *x, int64_t n);
    /* The same of `lanes` lines that do not depend on each other; z: [count][2][lanes], aligned as vectors. */
    void (*side_by_side)(const HaloSection *section, int count, void *z, double *const *line, int64_t n);
} CpuSectionKernels;

#define CPU_MAX_SECTION_LANES 8

/* ---- spectra -------------------------------------------------------------------------------------------- */

#define CPU_FRAMES 8 /* at a time */

typedef struct CpuFourierKernels {
    /* power[k][f] = |X(k)|^2 of frame f, as HaloSpectrum defines it, 0 <= k <= window / 2. Frame f is `window`
     * samples from line + f * apart on, without weights. `work` has space for [window][CPU_FRAMES]; it and
     * `power` are 64-byte aligned. */
    void (*powers)(const double *line, int64_t apart, const HaloSpectrum *how, double *work, double *power);
    /* out[b][f]: sums of these, aligned likewise. */
    void (*bands)(const double *power, const HaloSpectrum *how, double *out);
} CpuFourierKernels;

/* ---- f64 ------------------------------------------------------------------------------------------------ */

/* Rows of f64, in which sound and series are computed that are read in it. */
typedef struct CpuDoubleKernels {
    void (*load[HALO_DTYPES])(const void *samples, int64_t n, double *row);
    void (*store)(const double *row, int64_t n, double *samples); /* every NaN has one pattern */
    void (*affine)(double *row, int64_t n, double scale, double bias);
    void (*points)(double *row, int64_t n, const HaloPoint *point, int points);
    /* Kinds for which one sample of each is enough; NULL: another. The result is left in a. */
    void (*pair[HALO_COMBINES])(double *a, const double *b, int64_t n, const HaloCombine *how);
    void (*mix)(const double *row, int64_t pixels, int channels, const HaloMix *mix, double *out);
    /* As CpuRowKernels::fade. */
    void (*fade)(double *row, int64_t pixels, int channels, const double *gain, int64_t k, int step, int64_t n);
    /* out[i] is the sum over k of tap[k] times line[i + k * step]. */
    void (*conv)(const double *line, const double *tap, int64_t taps, int64_t step, int64_t n, double *out);
    /* The same of lines that are cut up: sample f is at[f % every * apart + f / every], and out[i] is the sum
     * over k of tap[k] times sample from + k + i * every. */
    void (*conv_every)(const double *at, int64_t apart, int64_t every, int64_t from, const double *tap,
                       int64_t taps, int64_t n, double *out);
    /* out[i] is the key of this rank, from 0, of key[i] ... key[i + width - 1]. */
    void (*rank_small)(const uint64_t *key, int64_t width, int64_t rank, int64_t n, uint64_t *out);
    /* The same as `conv` without NaN, and weight[i], the sum of the taps that are left, or, where `count`,
     * their number.
     */
    void (*conv_nan)(const double *line, const double *tap, int64_t taps, int64_t step, int64_t n, bool count,
                     double *out, double *weight);
} CpuDoubleKernels;

#endif
