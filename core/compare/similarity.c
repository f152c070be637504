/* SSIM: Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality assessment: from error visibility
 * to structural similarity", 2004. In f64, vertically first, then horizontally. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"

enum { REACH = 5, TAPS = 2 * REACH + 1, ROWS = 32, PLANES = 4, PART = 256 };

typedef struct Work {
    const Pair *pair;
    double tap[TAPS], c1, c2;
    int64_t cols;      /* samples of a row */
    double *scratch;   /* [workers][(2 * (ROWS + 2 * REACH) + PLANES) * cols] */
    int64_t of_worker; /* samples */
    double *row;       /* [height] sums of the rows */
    double *contrast;  /* likewise, of contrast and structure alone; NULL: they are not wanted */
} Work;

/* sum[p][i] += tap * plane[p][i] of all planes, which lie `pitch` apart. */
static void add_taps(double tap, const double *from, int64_t pitch, int64_t n, double sum[PLANES][PART])
{
    for (int p = 0; p < PLANES; p++) {
        const double *restrict at = from + p * pitch;
        double *restrict to = sum[p];
        for (int64_t i = 0; i < n; i++) to[i] += tap * at[i];
    }
}

/* The terms of one row of taps: of a, b, a² + b² and ab. */
static void add_rows(double tap, const double *restrict x, const double *restrict y, int64_t n,
                     double sum[PLANES][PART])
{
    for (int64_t i = 0; i < n; i++) sum[0][i] += tap * x[i];
    for (int64_t i = 0; i < n; i++) sum[1][i] += tap * y[i];
    for (int64_t i = 0; i < n; i++) sum[2][i] += tap * (x[i] * x[i] + y[i] * y[i]);
    for (int64_t i = 0; i < n; i++) sum[3][i] += tap * (x[i] * y[i]);
}

/* Weighted sums down the columns, whose first rows are `a` and `b`. A part of a row stays in the nearest cache,
 * and the loops along it become vectors; each sum is added up in the order of its taps. */
static void down(const Work *work, const double *a, const double *b, double *plane)
{
    const int64_t n = work->cols;
    for (int64_t at = 0; at < n; at += PART) {
        const int64_t count = smaller(PART, n - at);
        double sum[PLANES][PART] = {{0}};
        for (int k = 0; k < TAPS; k++) add_rows(work->tap[k], a + k * n + at, b + k * n + at, count, sum);
        for (int p = 0; p < PLANES; p++) memcpy(plane + p * n + at, sum[p], (size_t)count * sizeof(double));
    }
}

/* The sum over the pixels of a row that are far enough from its ends. */
static double along(const Work *work, const double *plane, double *contrast)
{
    const int64_t n = work->cols, channels = work->pair->a->shape.channels, end = n - REACH * channels;
    double total = 0.0, alone = 0.0;
    for (int64_t at = REACH * channels; at < end; at += PART) {
        const int64_t count = smaller(PART, end - at);
        double sum[PLANES][PART] = {{0}}, value[PART], other[PART];
        for (int k = 0; k < TAPS; k++)
            add_taps(work->tap[k], plane + at + (k - REACH) * channels, n, count, sum);
        for (int64_t i = 0; i < count; i++) {
            const double product = sum[0][i] * sum[1][i],
                         squares = sum[0][i] * sum[0][i] + sum[1][i] * sum[1][i];
            const double upper = 2 * (sum[3][i] - product) + work->c2, lower = sum[2][i] - squares + work->c2;
            value[i] = (2 * product + work->c1) * upper / ((squares + work->c1) * lower);
            other[i] = upper / lower;
        }
        for (int64_t i = 0; i < count; i++) total += value[i];
        for (int64_t i = 0; i < count && contrast != NULL; i++) alone += other[i];
    }
    if (contrast != NULL) *contrast = alone;
    return total;
}

static void make_rows(void *context, int64_t task, int worker)
{
    const Work *work = context;
    const Pair *pair = work->pair;
    const int64_t height = pair->a->shape.height, n = work->cols;
    const int64_t first = REACH + task * ROWS, end = smaller(first + ROWS, height - REACH);
    double *a = work->scratch + worker * work->of_worker, *b = a + (ROWS + 2 * REACH) * n;
    double *plane = b + (ROWS + 2 * REACH) * n;
    for (int64_t y = first - REACH; y < end + REACH; y++) {
        pair_load(pair->a, 0, y, n, 1.0, a + (y - first + REACH) * n);
        pair_load(pair->b, 0, y, n, pair->scale, b + (y - first + REACH) * n);
    }
    for (int64_t y = first; y < end; y++) {
        down(work, a + (y - first) * n, b + (y - first) * n, plane);
        work->row[y] = along(work, plane, work->contrast != NULL ? &work->contrast[y] : NULL);
    }
}

static void make_taps(double tap[TAPS])
{
    double sum = 0.0;
    for (int k = 0; k < TAPS; k++) sum += tap[k] = exp(-0.5 * (k - REACH) * (k - REACH) / (1.5 * 1.5));
    for (int k = 0; k < TAPS; k++) tap[k] /= sum;
}

static double mean_of(const Work *work, const double *row)
{
    const HaloShape *shape = &work->pair->a->shape;
    double total = 0.0;
    for (int64_t y = REACH; y < shape->height - REACH; y++) total += row[y];
    return total / (double)((shape->height - 2 * REACH) * (work->cols - 2 * REACH * shape->channels));
}

HaloStatus structure_means(const Pair *pair, double *ssim, double *contrast)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &pair->a->shape;
    const double white = (double)shape->white;
    Work work = {.pair = pair, .c1 = 0.01 * white * (0.01 * white), .c2 = 0.03 * white * (0.03 * white)};
    int64_t bytes = 0, held = 0;
    make_taps(work.tap);
    work.cols = shape->width * shape->channels;
    work.of_worker = (2 * (ROWS + 2 * REACH) + PLANES) * work.cols;
    bytes = (work.of_worker * pair->jobs + 2 * shape->height) * (int64_t)sizeof(double);
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    held = bytes;
    work.row = malloc((size_t)bytes);
    if (work.row == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (contrast != NULL) work.contrast = work.row + shape->height;
    work.scratch = work.row + 2 * shape->height;
    HALO_TRY(progress_run(pair->device, pair->pool, (shape->height - 2 * REACH + ROWS - 1) / ROWS, make_rows,
                          &work));
    *ssim = mean_of(&work, work.row);
    if (contrast != NULL) *contrast = mean_of(&work, work.contrast);
out:
    free(work.row);
    halo_memory_release(pair->memory, held);
    return status;
}

HaloStatus compare_structure(const Pair *pair, HaloComparison *all)
{
    const HaloShape *shape = &pair->a->shape;
    all->ssim = (double)NAN;
    if (shape->kind != HALO_IMAGE || shape->width < TAPS || shape->height < TAPS) return HALO_OK;
    return structure_means(pair, &all->ssim, NULL);
}
