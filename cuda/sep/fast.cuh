/* Separable convolution by coarse taps (halo/sep_fast.h): what its kernels are given.
 *
 * Rows of nodes hold pixels as the source does; those of sums have one channel after the other, `plane` apart. A row is so
 * many numbers. */
#ifndef HALO_CUDA_FAST_CUH
#define HALO_CUDA_FAST_CUH

#include "conv/conv.cuh"
#include "halo/sep_fast.h"

static const int fast_threads = 128;
static const int fast_blocks = 5; /* of a multiprocessor */
static const int fast_own = 4;    /* neighbouring numbers of a thread */
static const int fast_steps = 256, fast_crosses = 128, fast_ends = 4 * fast_steps; /* taps that fit the parameters of a launch */

/* Splines, row by row: those of HALO_SEP_SUPPORT nodes, and two that are none. Constant memory is read through uniform
 * registers, which costs the other pipes nothing. */
struct FastSpline {
    float4 at[2 * fast_steps];
};

/* Rows of numbers in scratch memory. */
struct FastRows {
    float *data;
    int64_t first, rows, stride, plane; /* the first row, counted as its kind is; floats from row to row */
};

__device__ __forceinline__ float *fast_row(const FastRows &rows, int64_t row)
{
    return rows.data + (row - rows.first) * rows.stride;
}

/* Source rows into nodes, and into sums of blocks. */
struct FastInto {
    ConvSource src;
    float outside;     /* all of a row outside, where the border has a value; */
    float beside;      /* samples outside of other rows */
    int64_t x, lo, hi; /* the pixel that rows of nodes begin with; those that are read */
    int64_t numbers;
    int64_t tiles_x;
    FastSpline taps;
    int step, each; /* nodes of a thread */
    FastRows node;
    FastRows sums;     /* of no rows: none */
    int64_t block_x;   /* the first block begins at this pixel */
    int64_t blocks;
    int block;
};

/* Sums of blocks become those for every span of the result, and then what nodes leave of each row. */
struct FastRest {
    FastRows sums, cross, rest;
    float4 cross_taps[fast_crosses / HALO_SEP_EVERY];
    float taps[2][fast_ends];
    int groups, count[2]; /* of HALO_SEP_EVERY taps */
    int64_t first[2]; /* of the source rows for row 0 of the result */
    int64_t spans, channels, y;
    int parts, part; /* of a row of sums, and how many of them are in each */
};

/* Nodes of the result become its rows. */
struct FastFrom {
    ConvTarget dst; /* a row of numbers is a row of pixels */
    int channels;
    int64_t x, y;      /* the first output */
    int64_t tiles_x;
    FastSpline taps;
    int step, each; /* rows of a thread */
    FastRows smooth;
    FastRows rest;     /* of no rows: there is none */
    int64_t span, first; /* the first span */
};

/* fast.cu: what is done of coarse taps (HaloBackend.coarse); and whether they are asked for, and can be had, here. */
bool cuda_sep_coarse(const HaloSep *sep, HaloSepFast *way);
bool fast_takes(const HaloBuf *src, const HaloSep *sep);
HaloStatus cuda_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep, HaloStore store);
/* Kernels: fast_into.cu, fast_rest.cu, fast_from.cu. */
HaloStatus fast_into(HaloDevice *device, const FastInto *args);
HaloStatus fast_sums(HaloDevice *device, const FastInto *args);
HaloStatus fast_rest(HaloDevice *device, const FastRest *args);
HaloStatus fast_from(HaloDevice *device, const FastFrom *args);

#endif
