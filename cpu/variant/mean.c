/* Means of windows: sums along lines and down columns. */
#include "variant.h"

#include "halo/means.h"

/* Runs whose sums are made side by side. */
#define CPU_MEAN_RUNS 4

/* ---- whole numbers, whose sums are exact in any order
 * ------------------------------------------------------------ */

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

/* ---- along lines
 * ------------------------------------------------------------------------------------------------- */

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
                    const int32_t *restrict counts, float *restrict mean)
{
    const float none = __builtin_nanf("");
    if (counts == NULL)
        for (int64_t i = 0; i < n; i++) mean[i] = (float)(sum[i] * scale / count);
    else
        for (int64_t i = 0; i < n; i++) mean[i] = counts[i] == 0 ? none : (float)(sum[i] * scale / counts[i]);
}

/* ---- down columns
 * ------------------------------------------------------------------------------------------------ */

static void lay(const float *restrict line, int64_t n, bool first, double *restrict sum)
{
    if (first)
        for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] = sum[i] + (double)line[i];
}

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

/* From each line of the run to its last, for lines from `at` on. */
static void sums_of_starts(const CpuMeanDown *d, int64_t run, int64_t at, int64_t first,
                           double start[HALO_MEAN_RUN][CPU_MEAN_CHUNK])
{
    for (int64_t k = run - 1; k >= at; k--) {
        const float *const line = d->line + (d->position - at + k) % d->ring * d->pitch + first;
        if (k == run - 1)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) start[k][i] = (double)line[i];
        else
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) start[k][i] = start[k + 1][i] + (double)line[i];
    }
}

static void down(const CpuMeanDown *d, int64_t first, float *mean)
{
    const int64_t run = halo_mean_run(d->window), at = d->position % run, begun = d->position / run;
    const Rows totals = {d->total + first, begun + 1, d->total_ring, d->pitch};
    double start[HALO_MEAN_RUN][CPU_MEAN_CHUNK], between[CPU_MEAN_CHUNK];
    double *const sofar = d->sofar + first;
    sums_of_starts(d, run, at, first, start);
    for (int64_t j = 0; j < d->rows; j++) {
        const int64_t last = d->position + j + d->window - 1, ends_in = last / run;
        const bool turns = last % run == 0;
        const float *const line = d->line + last % d->ring * d->pitch + first;
        double *const sum = start[at + j];
        if (turns && ends_in - 1 > begun)
            memcpy(d->total + (ends_in - 1) % d->total_ring * d->pitch + first, sofar, sizeof between);
        if (ends_in - 1 == begun)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) between[i] = HALO_MEAN_NOTHING;
        else if (turns || j == 0)
            window_of(&totals, begun + 1, ends_in - 1 - begun, d->room, between);
        if (turns)
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) sofar[i] = (double)line[i];
        else
            for (int i = 0; i < CPU_MEAN_CHUNK; i++) sofar[i] = sofar[i] + (double)line[i];
        for (int i = 0; i < CPU_MEAN_CHUNK; i++) sum[i] = (sum[i] + between[i]) + sofar[i];
        mean_of(sum, CPU_MEAN_CHUNK, d->scale, d->count,
                d->counts == NULL ? NULL : d->counts + j * d->pitch + first, mean + j * CPU_MEAN_CHUNK);
    }
}

const CpuMeanKernels CPU_TABLE(mean) = {
    .whole = whole,
    .numbers = numbers,
    .slide = slide,
    .fall = fall,
    .divide = divide,
    .ends = {ends_f32, ends_f64},
    .starts = {starts_f32, starts_f64},
    .join = join,
    .mean = mean_of,
    .lay = lay,
    .down = down,
};
