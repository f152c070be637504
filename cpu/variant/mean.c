/* Means of windows: sums along lines and down columns. */
#include <math.h>

#include "variant.h"

#include "halo/means.h"

/* Runs whose sums are made side by side. */
#define CPU_MEAN_RUNS 4

/* ---- whole numbers, whose sums are exact in any order ------------------------------------------------ */

static void whole(const float *restrict line, int64_t n, int32_t *restrict x)
{
    for (int64_t i = 0; i < n; i++) x[i] = (int32_t)line[i];
}

static void numbers(float *restrict line, int64_t n, int32_t *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = line[i] == line[i];
        line[i] = x[i] ? line[i] : 0.0f;
    }
}

/* `channels`, at most this, is a constant where this is called, so that the sums stay in registers. */
#define SLIDE_CHANNELS 4

static CPU_INLINE void slide_channels(const int32_t *restrict x, int64_t pixels, int64_t width, int64_t step,
                                      int64_t channels, int32_t *restrict sum)
{
    const int32_t *const ahead = x + width * step;
    int32_t here[SLIDE_CHANNELS] = {0};
    for (int64_t i = 0; i < width * step; i += step)
        for (int64_t c = 0; c < channels; c++) here[c] += x[i + c];
    for (int64_t c = 0; c < channels; c++) sum[c] = here[c];
    for (int64_t i = 0; i < (pixels - 1) * step; i += step)
        for (int64_t c = 0; c < channels; c++) sum[i + step + c] = here[c] += ahead[i + c] - x[i + c];
}

static void slide(const int32_t *x, int64_t pixels, int64_t width, int64_t channels, int32_t *sum)
{
    switch (channels) {
    case 1: slide_channels(x, pixels, width, 1, 1, sum); break;
    case 2: slide_channels(x, pixels, width, 2, 2, sum); break;
    case 3: slide_channels(x, pixels, width, 3, 3, sum); break;
    case 4: slide_channels(x, pixels, width, 4, 4, sum); break;
    default:
        for (int64_t c = 0; c < channels; c++) slide_channels(x + c, pixels, width, channels, 1, sum + c);
    }
}

static void fall(const int32_t *restrict add, const int32_t *restrict drop, int64_t n, int32_t *restrict sum)
{
    if (drop == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += add[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += add[i] - drop[i];
}

static void count(const int32_t *restrict add, const int32_t *restrict drop, int64_t n, double *restrict sum)
{
    if (drop == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += (double)add[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += (double)(add[i] - drop[i]);
}

/* Where f32 holds the sums, the quotient of two of them is the same rounded once as by way of f64. */
static void divide(const int32_t *restrict sum, int64_t n, int64_t count, bool narrow, float *restrict mean)
{
    const float narrow_count = (float)count;
    const double wide_count = (double)count;
    if (narrow)
        for (int64_t i = 0; i < n; i++) mean[i] = (float)sum[i] / narrow_count;
    else
        for (int64_t i = 0; i < n; i++) mean[i] = (float)((double)sum[i] / wide_count);
}

/* ---- along lines ------------------------------------------------------------------------------------- */

#define SAMPLE float
#define TYPE f32
#include "mean_tmpl.h"

#define SAMPLE double
#define TYPE f64
#include "mean_tmpl.h"

static void join(const double *restrict end, int64_t n, double *restrict sum)
{
    for (int64_t i = 0; i < n; i++) sum[i] = sum[i] + end[i];
}

static void mean_of(const double *restrict sum, int64_t n, double scale, double count,
                    const double *restrict counts, float *restrict mean)
{
    const float none = __builtin_nanf("");
    if (counts == NULL)
        for (int64_t i = 0; i < n; i++) mean[i] = (float)(sum[i] * scale / count);
    else
        for (int64_t i = 0; i < n; i++) mean[i] = counts[i] == 0.0 ? none : (float)(sum[i] * scale / counts[i]);
}

/* ---- how far samples are from the mean --------------------------------------------------------------- */

static void square(const float *restrict line, int64_t n, double *restrict to)
{
    for (int64_t i = 0; i < n; i++) to[i] = (double)line[i] * (double)line[i];
}

static void square_whole(int32_t *restrict x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] *= x[i];
}

static void deviation_whole(const int32_t *restrict sum, const int32_t *restrict squares, int64_t n,
                            double count, bool root, float *restrict made)
{
    for (int64_t i = 0; i < n; i++) {
        const double variance = halo_variance((double)sum[i], (double)squares[i], count);
        made[i] = (float)(root ? sqrt(variance) : variance);
    }
}

static void deviation(const double *restrict sum, const double *restrict squares, int64_t n, double count,
                      const double *restrict counts, bool root, float *restrict made)
{
    const float none = __builtin_nanf("");
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

/* The sum of `count` rows in order, each `step` after the one before. */
static void add_rows(const Rows *rows, int64_t first, int64_t count, int64_t step, double *restrict sum)
{
    memcpy(sum, row_of(rows, first), CPU_MEAN_CHUNK * sizeof *sum);
    for (int64_t k = 1; k < count; k++) {
        const double *const row = row_of(rows, first + k * step);
        for (int i = 0; i < CPU_MEAN_CHUNK; i++) sum[i] = sum[i] + row[i];
    }
}

/* The sums of the window over these rows, of which the first has this position: term by term, since there is
 * one row of totals for so many lines. */
static void window_of(const Rows *rows, int64_t position, int64_t window, double *room, double *restrict sum)
{
    if (window == 1) {
        memcpy(sum, row_of(rows, 0), CPU_MEAN_CHUNK * sizeof *sum);
        return;
    }
    const int64_t run = halo_mean_run(window), end = (position / run + 1) * run - position;
    const int64_t last = (position + window - 1) / run * run - position, between = (last - end) / run;
    const Rows totals = {room, 0, INT64_MAX, CPU_MEAN_CHUNK};
    double middle[CPU_MEAN_CHUNK], ends[CPU_MEAN_CHUNK];
    for (int64_t k = 0; k < between; k++) add_rows(rows, end + k * run, run, 1, room + k * CPU_MEAN_CHUNK);
    add_rows(rows, end - 1, end, -1, sum);
    add_rows(rows, last, window - last, 1, ends);
    if (between > 0) {
        window_of(&totals, position / run + 1, between, room + between * CPU_MEAN_CHUNK, middle);
        for (int i = 0; i < CPU_MEAN_CHUNK; i++) sum[i] = sum[i] + middle[i];
    }
    for (int i = 0; i < CPU_MEAN_CHUNK; i++) sum[i] = sum[i] + ends[i];
}

#define SAMPLE float
#define TYPE f32
#include "mean_down_tmpl.h"

#define SAMPLE double
#define TYPE f64
#include "mean_down_tmpl.h"

const CpuMeanKernels CPU_TABLE(mean) = {
    .whole = whole,
    .numbers = numbers,
    .slide = slide,
    .fall = fall,
    .count = count,
    .divide = divide,
    .ends = {ends_f32, ends_f64},
    .starts = {starts_f32, starts_f64},
    .join = join,
    .mean = mean_of,
    .square_whole = square_whole,
    .deviation_whole = deviation_whole,
    .square = square,
    .deviation = deviation,
    .lay = {lay_f32, lay_f64},
    .down = {down_f32, down_f64},
};
