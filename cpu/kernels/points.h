/* Samples and pixels one by one: rows, bytes, places of pixels, pairs, expressions, colours. */
#ifndef CPU_KERNELS_POINTS_H
#define CPU_KERNELS_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/color.h"
#include "halo/combine.h"
#include "halo/expr.h"
#include "halo/primitive.h"

/* `alpha` is a channel or -1. */
typedef struct CpuRowKernels {
    void (*load[HALO_DTYPES])(const void *samples, int64_t n, float *row); /* i64 and f64 are rounded */
    /* Changes `row`; adds to *clipped. */
    void (*store[3])(float *row, int64_t n, HaloStore store, void *samples, uint64_t *clipped);
    /* Stores f32 as they are, every NaN with one pattern; `past`: past the caches, where `to` is aligned. */
    void (*put)(const float *row, int64_t n, bool past, float *to);
    /* Copies past the caches, where the machine can, what is not to be read soon; `fence` before it is. */
    void (*stream)(const void *from, int64_t bytes, void *to);
    void (*fence)(void);
    void (*affine)(float *row, int64_t n, float scale, float bias);
    void (*points)(float *row, int64_t n, const HaloPoint *point, int points);
    void (*premul)(float *row, int64_t pixels, int channels, int alpha, float white);
    /* To one channel, in `out`, whose pixels have `out_channels`. */
    void (*gray)(const float *row, int64_t pixels, int channels, const float w[3], float *out,
                 int out_channels);
    void (*mix)(const float *row, int64_t pixels, int channels, const HaloMix *mix, float *out);
    /* Pixels are multiplied by the gains of places k, k + step, … of n (halo/fade.h). */
    void (*fade)(float *row, int64_t pixels, int channels, const float *gain, int64_t k, int step, int64_t n);
} CpuRowKernels;

typedef struct CpuU8Kernels {
    void (*look)(const uint8_t *samples, int64_t n, const uint8_t table[256], uint8_t *out);
    /* The same of a table of two values, the second from `from` on; and of one that inverts. */
    void (*step)(const uint8_t *samples, int64_t n, uint8_t from, uint8_t below, uint8_t above, uint8_t *out);
    void (*invert)(const uint8_t *samples, int64_t n, uint8_t *out);
    /* `step` past the caches; false, and nothing, where that is not possible. */
    bool (*step_past)(const uint8_t *samples, int64_t n, uint8_t from, uint8_t below, uint8_t above,
                      uint8_t *out);
    /* Three channels, side by side, to one, as floats. */
    void (*gray)(const uint8_t *samples, int64_t pixels, const float w[3], float *out);
    /* The same, rounded to bytes; weights are such that none is clipped. NULL: not faster than by floats. */
    void (*gray_bytes)(const uint8_t *samples, int64_t pixels, const float w[3], uint8_t *out);
} CpuU8Kernels;

/* Rows of a rectangle that are columns of another: row r of the result has in column k the pixel `step` * r
 * bytes behind that at from + k * from_pitch. Up to 16 bytes behind each row of the result change. */
typedef struct CpuTranspose {
    const char *from;
    int64_t from_pitch, step, size; /* bytes; of a pixel */
    char *to;
    int64_t to_pitch, rows, cols;
} CpuTranspose;

typedef struct CpuPixelKernels {
    /* Rows of pixels of `size` bytes, each from its last pixel on. */
    void (*mirror)(const char *from, int64_t from_pitch, int64_t rows, int64_t pixels, int64_t size, char *to,
                   int64_t to_pitch);
    void (*transpose)(const CpuTranspose *how);
} CpuPixelKernels;

/* Pairs of rows (halo/combine.h), which leave their result in a. */
typedef struct CpuPairKernels {
    /* Kinds for which one sample of each is enough; NULL: another. */
    void (*each[HALO_COMBINES])(float *a, const float *b, int64_t n, const HaloCombine *how);
    void (*unpremul)(float *a, const float *b, int64_t pixels, int channels, int alpha, float white);
    /* Pixels of b, `others` channels each, lie on those of a. */
    void (*over)(float *a, int channels, int alpha, const float *b, int others, int other_alpha, int64_t pixels,
                 float white);
    /* Of n gradients the magnitudes m[1] that are maxima across the edge, else 0; m[0] and m[2] are those of
     * the rows above and below. m[k][-1] and m[k][n] are read. */
    void (*suppress)(const float *gx, const float *gy, const float *const m[3], int64_t n, float *out);
} CpuPairKernels;

/* Steps of expressions (halo/expr.h) on n values each; `out` may be one of them. NULL: the code takes none. */
typedef struct CpuExprKernels {
    void (*f32[HALO_EXPR_CODES])(const float *x, const float *y, const float *z, int64_t n, float *out);
    void (*f64[HALO_EXPR_CODES])(const double *x, const double *y, const double *z, int64_t n, double *out);
} CpuExprKernels;

/* Pixels of a row in place: of three colours beside alpha, or, through curves, of any (halo/color.h). */
typedef struct CpuColorKernels {
    void (*run)(float *row, int64_t pixels, int channels, int alpha, const HaloColor *color);
} CpuColorKernels;

#define CPU_COLOR_PIXELS 256 /* of doubles, at a time */

#endif
