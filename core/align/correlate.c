/* Correlation by the phases of two spectra, after C. D. Kuglin and D. C. Hines, 1975, where each counts by the
 * root of its magnitude; and its values between pixels, near the maximum, by a Fourier sum: M. Guizar-Sicairos,
 * S. T. Thurman, J. R. Fienup, "Efficient subpixel image registration algorithms", 2008. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"

/* Places between pixels on each axis: 1.5 pixels, the middle one at the maximum of whole pixels. */
enum { PLACES = 30, MIDDLE = 15 };

static const double pi = 3.141592653589793;

typedef struct Work {
    const Planes *planes;
    bool by_phase;
    const double *reference;
    double *other, *correlation;
    double *best;   /* [height] of a row, */
    int64_t *at;    /* and its column */
    double *turn;   /* [PLACES][bins], of columns */
    double *sum;    /* [height][PLACES] complex */
    double *weight; /* [height][2]: of a row's bins, and of their squares */
    int64_t x, y;   /* the maximum of whole pixels, */
    int64_t dx, dy; /* as a shift */
} Work;

/* How many bins of the whole spectrum one stands for: all but the first, and the last of an even number, two.
 */
static double stands_for(const Planes *planes, int64_t bin)
{
    return bin == 0 || 2 * bin == planes->width ? 1.0 : 2.0;
}

/* reference * conj(other), or that by the root of its magnitude. */
static void multiply_row(void *context, int64_t y, int worker)
{
    const Work *work = context;
    const int64_t pitch = 2 * work->planes->bins;
    const double *a = work->reference + y * pitch;
    double *b = work->other + y * pitch;
    double sum = 0.0, squares = 0.0;
    (void)worker;
    for (int64_t k = 0; k < pitch; k += 2) {
        const double re = a[k] * b[k] + a[k + 1] * b[k + 1], im = a[k + 1] * b[k] - a[k] * b[k + 1];
        const double size = sqrt(re * re + im * im), weight = work->by_phase ? sqrt(size) : size;
        const double by = work->by_phase && weight > 0.0 ? 1.0 / weight : 1.0;
        b[k] = re * by;
        b[k + 1] = im * by;
        sum += stands_for(work->planes, k / 2) * weight;
        squares += stands_for(work->planes, k / 2) * weight * weight;
    }
    work->weight[2 * y] = sum;
    work->weight[2 * y + 1] = squares;
    memcpy(work->correlation + y * pitch, b, sizeof *b * (size_t)pitch);
}

static void find_in_row(void *context, int64_t y, int worker)
{
    const Work *work = context;
    const double *row = work->correlation + y * 2 * work->planes->bins;
    double best = -1.0;
    int64_t at = -1;
    (void)worker;
    for (int64_t x = 0; x < work->planes->width; x++) {
        const double size = fabs(row[x]);
        if (!(size > best)) continue;
        best = size;
        at = x;
    }
    work->best[y] = best;
    work->at[y] = at;
}

static int64_t signed_shift(int64_t at, int64_t size) { return at > size / 2 ? at - size : at; }

static bool find_whole(Work *work)
{
    double best = -1.0;
    halo_pool_run(work->planes->pool, work->planes->height, find_in_row, work);
    for (int64_t y = 0; y < work->planes->height; y++) {
        if (!(work->best[y] > best)) continue;
        best = work->best[y];
        work->y = y;
        work->x = work->at[y];
    }
    if (!(best > 0.0) || !isfinite(best)) return false;
    work->dx = signed_shift(work->x, work->planes->width);
    work->dy = signed_shift(work->y, work->planes->height);
    return true;
}

static double place(int64_t shift, int k) { return (double)shift + (double)(k - MIDDLE) / HALO_ALIGN_STEPS; }

/* Sums of a row at the places along it. */
static void sum_row(void *context, int64_t y, int worker)
{
    const Work *work = context;
    const int64_t bins = work->planes->bins;
    const double *row = work->other + y * 2 * bins;
    (void)worker;
    for (int k = 0; k < PLACES; k++) {
        const double *turn = work->turn + (int64_t)k * 2 * bins;
        double re[4] = {0}, im[4] = {0};
        for (int64_t b = 0; b < bins; b++) {
            re[b & 3] += row[2 * b] * turn[2 * b] - row[2 * b + 1] * turn[2 * b + 1];
            im[b & 3] += row[2 * b] * turn[2 * b + 1] + row[2 * b + 1] * turn[2 * b];
        }
        work->sum[2 * (y * PLACES + k)] = (re[0] + re[1]) + (re[2] + re[3]);
        work->sum[2 * (y * PLACES + k) + 1] = (im[0] + im[1]) + (im[2] + im[3]);
    }
}

static void fill_turns(const Work *work)
{
    const int64_t bins = work->planes->bins, width = work->planes->width;
    for (int k = 0; k < PLACES; k++)
        for (int64_t b = 0; b < bins; b++) {
            const double angle = 2.0 * pi * (double)b / (double)width * place(work->dx, k);
            const double weight = stands_for(work->planes, b);
            work->turn[2 * (k * bins + b)] = weight * cos(angle);
            work->turn[2 * (k * bins + b) + 1] = weight * sin(angle);
        }
}

/* The real part of the sum down the columns at one place. */
static double sum_down(const Work *work, int along, int down)
{
    const int64_t height = work->planes->height;
    double total = 0.0;
    for (int64_t y = 0; y < height; y++) {
        const int64_t frequency = 2 * y >= height && y > 0 ? y - height : y;
        const double angle = 2.0 * pi * (double)frequency / (double)height * place(work->dy, down);
        const double *sum = work->sum + 2 * (y * PLACES + along);
        total += sum[0] * cos(angle) - sum[1] * sin(angle);
    }
    return total;
}

static void find_between(const Work *work, HaloShift *shift)
{
    const Planes *planes = work->planes;
    double best = -1.0, sum = 0.0, squares = 0.0;
    int x = MIDDLE, y = MIDDLE;
    fill_turns(work);
    halo_pool_run(planes->pool, planes->height, sum_row, (void *)work);
    for (int down = 0; down < PLACES; down++)
        for (int along = 0; along < PLACES; along++) {
            const double size = fabs(sum_down(work, along, down));
            if (!(size > best)) continue;
            best = size;
            x = along;
            y = down;
        }
    shift->x = planes->width > 1 ? place(work->dx, x) : 0.0;
    shift->y = planes->height > 1 ? place(work->dy, y) : 0.0;
    for (int64_t row = 0; row < planes->height; row++) {
        sum += work->weight[2 * row];
        squares += work->weight[2 * row + 1];
    }
    const double count = sum * sum / squares; /* of bins, if all that count did so alike */
    shift->peak = best / sum;
    shift->chance = sqrt(2.0 * log(count) / count); /* the greatest of so many of variance 1 / count */
}

HaloStatus correlate(const Planes *planes, bool by_phase, const double *reference, double *other, double *space,
                     HaloShift *shift, bool *found)
{
    HaloStatus status = HALO_OK;
    const int64_t height = planes->height, bins = planes->bins;
    Work work = {
        .planes = planes, .by_phase = by_phase, .reference = reference, .other = other, .correlation = space};
    work.weight = malloc(sizeof *work.weight * 2 * (size_t)height);
    work.best = malloc(sizeof *work.best * (size_t)height);
    work.at = malloc(sizeof *work.at * (size_t)height);
    work.turn = malloc(sizeof *work.turn * 2 * PLACES * (size_t)bins);
    work.sum = malloc(sizeof *work.sum * 2 * PLACES * (size_t)height);
    if (work.weight == NULL || work.best == NULL || work.at == NULL || work.turn == NULL || work.sum == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    halo_pool_run(planes->pool, height, multiply_row, &work);
    planes_back(planes, space);
    *found = find_whole(&work);
    if (*found) find_between(&work, shift);
out:
    free(work.weight);
    free(work.best);
    free(work.at);
    free(work.turn);
    free(work.sum);
    return status;
}
