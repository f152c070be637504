/* Means of windows of floats: sums along lines and down columns. */
#include <math.h>

#include "variant.h"

#include "halo/means.h"
#include "quotient.h"

/* Runs whose sums are made side by side. */
#define CPU_MEAN_RUNS 4

/* ---- along lines ------------------------------------------------------------------------------------- */

/* As many sums as there are lines side by side. */
typedef double CpuFour __attribute__((vector_size(32), aligned(8), may_alias));
typedef float CpuFourFloats __attribute__((vector_size(16), aligned(4), may_alias));
typedef struct CpuSums {
    CpuFour low, high;
} CpuSums;

static CPU_INLINE CpuSums sums_f32(const float *x)
{
    return (CpuSums){__builtin_convertvector(*(const CpuFourFloats *)x, CpuFour),
                     __builtin_convertvector(*(const CpuFourFloats *)(x + 4), CpuFour)};
}

static CPU_INLINE CpuSums sums_f64(const double *x)
{
    return (CpuSums){*(const CpuFour *)x, *(const CpuFour *)(x + 4)};
}

static CPU_INLINE CpuSums sums_of(double v) { return (CpuSums){{v, v, v, v}, {v, v, v, v}}; }

static CPU_INLINE CpuSums sums_add(CpuSums a, CpuSums b) { return (CpuSums){a.low + b.low, a.high + b.high}; }

static CPU_INLINE void sums_store(double *to, CpuSums a)
{
    *(CpuFour *)to = a.low;
    *(CpuFour *)(to + 4) = a.high;
}

#define SAMPLE float
#define TYPE f32
#include "mean_tmpl.h"

#define SAMPLE double
#define TYPE f64
#include "mean_tmpl.h"

/* ---- lines side by side ------------------------------------------------------------------------------ */

typedef float CpuEight __attribute__((vector_size(32), aligned(4), may_alias));

/* Eight rows of eight become columns: pairs, then pairs of pairs, then halves change places. */
static CPU_INLINE void transpose(CpuEight v[CPU_MEAN_LINES])
{
    CpuEight a[CPU_MEAN_LINES], b[CPU_MEAN_LINES];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            b[i + 2 * k] = __builtin_shufflevector(a[i + k], a[i + 2 + k], 0, 1, 8, 9, 4, 5, 12, 13);
            b[i + 2 * k + 1] = __builtin_shufflevector(a[i + k], a[i + 2 + k], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        v[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        v[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

static void interleave(const float *const line[CPU_MEAN_LINES], int64_t n, float *restrict x)
{
    int64_t i = 0;
    for (; i + CPU_MEAN_LINES <= n; i += CPU_MEAN_LINES) {
        CpuEight v[CPU_MEAN_LINES];
        for (int l = 0; l < CPU_MEAN_LINES; l++) v[l] = *(const CpuEight *)(line[l] + i);
        transpose(v);
        for (int k = 0; k < CPU_MEAN_LINES; k++) *(CpuEight *)(x + (i + k) * CPU_MEAN_LINES) = v[k];
    }
    for (; i < n; i++)
        for (int64_t l = 0; l < CPU_MEAN_LINES; l++) x[i * CPU_MEAN_LINES + l] = line[l][i];
}

static CPU_INLINE void rounded(const double *sum, double scale, CpuEight *to)
{
    const CpuSums s = sums_f64(sum);
    const CpuFourFloats low = __builtin_convertvector(s.low * scale, CpuFourFloats),
                        high = __builtin_convertvector(s.high * scale, CpuFourFloats);
    *to = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

static void separate(const double *restrict sum, int64_t n, double scale, float *const line[CPU_MEAN_LINES])
{
    int64_t i = 0;
    for (; i + CPU_MEAN_LINES <= n; i += CPU_MEAN_LINES) {
        CpuEight v[CPU_MEAN_LINES];
        for (int k = 0; k < CPU_MEAN_LINES; k++) rounded(sum + (i + k) * CPU_MEAN_LINES, scale, &v[k]);
        transpose(v);
        for (int l = 0; l < CPU_MEAN_LINES; l++) *(CpuEight *)(line[l] + i) = v[l];
    }
    for (; i < n; i++)
        for (int64_t l = 0; l < CPU_MEAN_LINES; l++) line[l][i] = (float)(sum[i * CPU_MEAN_LINES + l] * scale);
}

static CPU_INLINE void transpose_four(CpuFour v[4])
{
    const CpuFour a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
                  b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const CpuFour c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
                  d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static void separate_doubles(const double *restrict sum, int64_t n, double *const line[CPU_MEAN_LINES])
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int half = 0; half < CPU_MEAN_LINES; half += 4) {
            CpuFour v[4];
            for (int k = 0; k < 4; k++) v[k] = *(const CpuFour *)(sum + (i + k) * CPU_MEAN_LINES + half);
            transpose_four(v);
            for (int l = 0; l < 4; l++) *(CpuFour *)(line[half + l] + i) = v[l];
        }
    for (; i < n; i++)
        for (int64_t l = 0; l < CPU_MEAN_LINES; l++) line[l][i] = sum[i * CPU_MEAN_LINES + l];
}

/* Of so many, below 2^40. */
static CPU_INLINE float mean_of_sum(double sum, double count, double inverse)
{
    const float v = (float)quotient(sum, count, inverse);
    return v == v ? v : __builtin_nanf("");
}

static void mean_of(const double *restrict sum, int64_t n, double scale, double count,
                    const double *restrict counts, float *restrict mean)
{
    const float none = __builtin_nanf("");
    const double inverse = 1.0 / count;
    if (counts != NULL) {
        for (int64_t i = 0; i < n; i++) {
            const float v = (float)(sum[i] * scale / counts[i]);
            mean[i] = counts[i] != 0.0 && v == v ? v : none;
        }
    } else if (count < 0x1p40) {
        for (int64_t i = 0; i < n; i++) mean[i] = mean_of_sum(sum[i] * scale, count, inverse);
    } else {
        for (int64_t i = 0; i < n; i++) {
            const float v = (float)(sum[i] * scale / count);
            mean[i] = v == v ? v : none;
        }
    }
}

/* ---- how far samples are from the mean --------------------------------------------------------------- */

static void square(const float *restrict line, int64_t n, double *restrict to)
{
    for (int64_t i = 0; i < n; i++) to[i] = (double)line[i] * (double)line[i];
}

static void deviation(const double *restrict sum, const double *restrict squares, int64_t n, double count,
                      const double *restrict counts, bool root, float *restrict made)
{
    const float none = __builtin_nanf("");
    const double inverse = 1.0 / count;
    if (counts == NULL && count < 0x1p40) {
        for (int64_t i = 0; i < n; i++) {
            const double variance = variance_of(sum[i], squares[i], count, inverse);
            made[i] = (float)(root ? sqrt(variance) : variance);
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const double variance = halo_variance(sum[i], squares[i], counts == NULL ? count : counts[i]);
        made[i] = (float)(root ? sqrt(variance) : variance);
    }
    for (int64_t i = 0; counts != NULL && i < n; i++) made[i] = counts[i] == 0.0 ? none : made[i];
}

/* ---- down columns ------------------------------------------------------------------------------------ */

/* Rows of chunks in a ring. */
typedef struct Rows {
    const double *at;
    int64_t first, ring, pitch;
} Rows;

static const double *row_of(const Rows *rows, int64_t k)
{
    return rows->at + (rows->first + k) % rows->ring * rows->pitch;
}

/* The sum of `count` rows in order, each `step` after the one before. `chunk` elements of
 * each. */
static CPU_INLINE void add_rows(const Rows *rows, int64_t first, int64_t count, int64_t step, int chunk,
                                double *restrict sum)
{
    memcpy(sum, row_of(rows, first), (size_t)chunk * sizeof *sum);
    for (int64_t k = 1; k < count; k++) {
        const double *const row = row_of(rows, first + k * step);
        for (int i = 0; i < chunk; i++) sum[i] = sum[i] + row[i];
    }
}

/* The sums of the window over these rows, of which the first has this position: term by term, since there is
 * one row of totals for so many lines. */
static void window_of(const Rows *rows, int64_t position, int64_t window, int chunk, double *workspace,
                      double *restrict sum)
{
    if (window == 1) {
        memcpy(sum, row_of(rows, 0), (size_t)chunk * sizeof *sum);
        return;
    }
    const int64_t run = halo_mean_run(window), end = (position / run + 1) * run - position;
    const int64_t last = (position + window - 1) / run * run - position, between = (last - end) / run;
    const Rows totals = {workspace, 0, INT64_MAX, chunk};
    double middle[CPU_MEAN_CHUNK], ends[CPU_MEAN_CHUNK];
    for (int64_t k = 0; k < between; k++) add_rows(rows, end + k * run, run, 1, chunk, workspace + k * chunk);
    add_rows(rows, end - 1, end, -1, chunk, sum);
    add_rows(rows, last, window - last, 1, chunk, ends);
    if (between > 0) {
        window_of(&totals, position / run + 1, between, chunk, workspace + between * chunk, middle);
        for (int i = 0; i < chunk; i++) sum[i] = sum[i] + middle[i];
    }
    for (int i = 0; i < chunk; i++) sum[i] = sum[i] + ends[i];
}

static CPU_INLINE void means(const double *restrict start, const double *restrict between,
                             const double *restrict end, const CpuMeanVertical *d, int chunk,
                             float *restrict to)
{
    const double scale = d->scale, count = d->count, inverse = 1.0 / count;
    for (int i = 0; i < chunk; i++)
        to[i] = mean_of_sum(((start[i] + between[i]) + end[i]) * scale, count, inverse);
}

#define SAMPLE float
#define TYPE f32
#include "mean_vertical_tmpl.h"

#define SAMPLE double
#define TYPE f64
#include "mean_vertical_tmpl.h"

const CpuMeanKernels CPU_TABLE(mean) = {
    .ends = {ends_f32, ends_f64},
    .starts = {starts_f32, starts_f64},
    .interleave = interleave,
    .separate = separate,
    .separate_doubles = separate_doubles,
    .mean = mean_of,
    .square = square,
    .deviation = deviation,
    .lay = {lay_f32, lay_f64},
    .vertical = {vertical_f32, vertical_f64},
};
