/* Separable convolution by decimated filters (halo/sep_fast.h): the kernels' arguments.
 *
 * Rows of control points hold pixels as the source does; rows of sums have one channel after the other, `plane`
 * apart. A row is a sequence of numbers. */
#ifndef HALO_CUDA_FAST_CUH
#define HALO_CUDA_FAST_CUH

#include "conv/conv.cuh"
#include "halo/sep_fast.h"

static const int fast_threads = 128;
static const int fast_blocks = 5; /* of a multiprocessor */
static const int fast_own = 4;    /* neighbouring numbers of a thread */
static const int fast_steps = 256, fast_crosses = 128,
                 fast_ends = 4 * fast_steps; /* taps that fit the parameters of a launch */

/* Splines, row by row: weights of HALO_SEP_SUPPORT control points, and two of 0. Constant memory is read
 * through uniform registers. */
struct FastSpline {
    float4 at[2 * fast_steps];
};

/* Rows of numbers in workspace. */
struct FastRows {
    float *data;
    int64_t first, rows, stride, plane; /* the first row, counted as its kind is; floats from row to row */
};

__device__ __forceinline__ float *fast_row(const FastRows &rows, int64_t row)
{
    return rows.data + (row - rows.first) * rows.stride;
}

/* From source rows to control points and block sums. */
struct FastDecimate {
    ConvSource src;
    float outside;     /* all samples of a row outside, where the border has a value; */
    float beside;      /* samples outside of other rows */
    int64_t x, lo, hi; /* the first pixel of rows of control points; those that are read */
    int64_t numbers;
    int64_t tiles_x;
    FastSpline taps;
    int step, each; /* control points of a thread */
    FastRows control;
    FastRows sums;   /* of no rows: none */
    int64_t block_x; /* the first block begins at this pixel */
    int64_t blocks;
    int block;
};

/* From block sums to sums of every span of the result, and to the residual of each row. */
struct FastResidual {
    FastRows sums, cross, rest;
    float4 cross_taps[fast_crosses / HALO_SEP_EVERY];
    float taps[2][fast_ends];
    int groups, count[2]; /* of HALO_SEP_EVERY taps */
    int64_t first[2];     /* of the source rows for row 0 of the result */
    int64_t spans, channels, y;
    int parts, part; /* of a row of sums, and how many of them are in each */
};

/* From control points of the result to its rows. */
struct FastInterpolate {
    ConvTarget dst; /* a row of numbers is a row of pixels */
    int channels;
    int64_t x, y; /* the first output */
    int64_t tiles_x;
    FastSpline taps;
    int step, each; /* rows of a thread */
    FastRows smooth;
    FastRows rest;       /* of no rows: there is none */
    int64_t span, first; /* the first span */
};

/* fast.cu: the part of the method that is used (HaloBackend.sep_fast); and whether it is used here. */
bool cuda_sep_decimated(const HaloSep *sep, HaloSepFast *way);
bool fast_takes(const HaloBuf *src, const HaloSep *sep);
HaloStatus cuda_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                         HaloStore store);
/* Kernels: fast_decimate.cu, fast_residual.cu, fast_interpolate.cu. */
HaloStatus fast_decimate(HaloDevice *device, const FastDecimate *args);
HaloStatus fast_sums(HaloDevice *device, const FastDecimate *args);
HaloStatus fast_residual(HaloDevice *device, const FastResidual *args);
HaloStatus fast_interpolate(HaloDevice *device, const FastInterpolate *args);

#endif
