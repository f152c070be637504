/* What `stats` gives beyond one reduction: the third and fourth moments, entropy and percentiles. For integers
 * all of it follows from the counts of each value; floats are read again for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/program.h"
#include "measure.h"
#include "percentile.h"

/* ---- central moments ------------------------------------------------------------------------------------ */

/* n samples, and the sums of the powers of their distance from the mean. */
typedef struct Powers {
    double n, mean, m2, m3, m4;
} Powers;

/* P. Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
 * moments", 2008. */
static Powers joined(const Powers *a, const Powers *b)
{
    if (a->n == 0 || b->n == 0) return a->n == 0 ? *b : *a;
    const double n = a->n + b->n, d = b->mean - a->mean, d2 = d * d, ab = a->n * b->n;
    return (Powers){
        .n = n,
        .mean = a->mean + d * b->n / n,
        .m2 = a->m2 + b->m2 + d2 * ab / n,
        .m3 =
            a->m3 + b->m3 + d * d2 * ab * (a->n - b->n) / (n * n) + 3.0 * d * (a->n * b->m2 - b->n * a->m2) / n,
        .m4 = a->m4 + b->m4 + d2 * d2 * ab * (a->n * a->n - ab + b->n * b->n) / (n * n * n) +
              6.0 * d2 * (a->n * a->n * b->m2 + b->n * b->n * a->m2) / (n * n) +
              4.0 * d * (a->n * b->m3 - b->n * a->m3) / n,
    };
}

/* Skewness and excess kurtosis, of the population; a flat channel has neither. */
static void take_powers(const Powers *p, HaloStats *s)
{
    const double variance = p->m2 / p->n;
    s->skewness = variance > 0 ? p->m3 / p->n / (variance * sqrt(variance)) : NAN;
    s->kurtosis = variance > 0 ? p->m4 / p->n / (variance * variance) - 3.0 : NAN;
}

/* Sums of (v - k)^3 and (v - k)^4, k being the mean of each channel. */
static HaloStatus sum_powers(Device *device, const HaloBuf *src, const double *k, double *third, double *fourth)
{
#define DISTANCE \
    {HALO_CODE_A, 0.0}, {HALO_CODE_K, 0.0}, { HALO_CODE_SUB, 0.0 }
#define TIMES              \
    {                      \
        HALO_CODE_MUL, 0.0 \
    }
    static const HaloProgram sum = {3, {{HALO_CODE_A, 0.0}, {HALO_CODE_B, 0.0}, {HALO_CODE_ADD, 0.0}}};
    static const HaloProgram cube = {11, {DISTANCE, DISTANCE, TIMES, DISTANCE, TIMES}};
    static const HaloProgram square = {15, {DISTANCE, DISTANCE, TIMES, DISTANCE, DISTANCE, TIMES, TIMES}};
    const HaloFold of_cubes = {.map = &cube, .join = &sum, .k = k};
    const HaloFold of_squares = {.map = &square, .join = &sum, .k = k};
    const HaloStatus status = device->backend->fold(device->handle, src, &of_cubes, third);
    return status == HALO_OK ? device->backend->fold(device->handle, src, &of_squares, fourth) : status;
}

static HaloStatus float_powers(Device *device, const HaloBuf *src, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels;
    Powers total = {0};
    double *k = calloc((size_t)channels * 3, sizeof *k), *third = k + channels, *fourth = third + channels;
    if (k == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++) k[c] = result->channel[c].moments.mean;
    HALO_TRY(sum_powers(device, src, k, third, fourth));
    for (int c = 0; c < channels; c++) {
        const HaloMoments *m = &result->channel[c].moments;
        const Powers powers = {(double)(m->count - m->nan), m->mean, m->m2, third[c], fourth[c]};
        take_powers(&powers, &result->channel[c]);
        if (c != src->shape.alpha) total = joined(&total, &powers);
    }
    take_powers(&total, &result->all);
out:
    free(k);
    return status;
}

/* ---- counts --------------------------------------------------------------------------------------------- */

/* In bits, of the samples that were counted. */
static double entropy_of(const uint64_t *count, int64_t bins)
{
    uint64_t all = 0;
    double bits = 0.0;
    for (int64_t b = 0; b < bins; b++) all += count[b];
    for (int64_t b = 0; b < bins; b++) {
        const double share = (double)count[b] / (double)all;
        if (count[b] > 0) bits -= share * log2(share);
    }
    return all > 0 ? bits : NAN;
}

/* Of a channel of integers, from how often each value is there. */
static void take_counts(const uint64_t *count, int64_t values, const HaloDetail *detail, HaloStats *s)
{
    for (int i = 0; i < detail->percents; i++) s->percentile[i] = NAN;
    if (s->count == 0) return;
    Powers powers = {.n = (double)s->count, .mean = s->mean, .m2 = s->sd * s->sd * (double)s->count};
    for (int i = 0; i < detail->percents; i++) {
        const Place place = place_of(detail->percent[i], s->count);
        s->percentile[i] = place_value(&place, (double)count_rank(count, values, place.before),
                                       (double)count_rank(count, values, place.after));
    }
    if (!detail->full) return;
    s->entropy = entropy_of(count, values);
    for (int64_t v = 0; v < values; v++) {
        const double d = (double)v - s->mean, n = (double)count[v];
        powers.m3 += n * (d * d * d);
        powers.m4 += n * (d * d * d * d);
    }
    take_powers(&powers, s);
}

static void copy_detail(const HaloStats *from, HaloStats *to)
{
    memcpy(to->percentile, from->percentile, sizeof to->percentile);
    to->entropy = from->entropy;
    to->skewness = from->skewness;
    to->kurtosis = from->kurtosis;
}

static void add_counts(const HaloHistogram *levels, int alpha, uint64_t *all)
{
    for (int c = 0; c < levels->channels; c++)
        for (int64_t v = 0; c != alpha && v < levels->bins; v++) all[v] += levels->count[c * levels->bins + v];
}

static HaloStatus integer_detail(Device *device, const HaloBuf *src, const HaloDetail *detail,
                                 HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &src->shape;
    const int64_t values = shape->dtype == HALO_U8 ? 256 : 65536;
    const HaloHist every = {.bins = values, .lo = 0.0, .hi = (double)values};
    HaloHistogram levels = {0};
    uint64_t *all = calloc((size_t)values, sizeof *all);
    if (all == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(halo_histogram_alloc(&levels, shape->channels, values, every.lo, every.hi));
    HALO_TRY(device->backend->hist(device->handle, src, &every, &levels));
    for (int c = 0; c < shape->channels; c++)
        take_counts(levels.count + c * values, values, detail, &result->channel[c]);
    if (shape->channels == 1 && shape->alpha != 0) {
        copy_detail(&result->channel[0], &result->all);
    } else {
        add_counts(&levels, shape->alpha, all);
        take_counts(all, values, detail, &result->all);
    }
out:
    halo_histogram_free(&levels);
    free(all);
    return status;
}

/* Of bins over full scale. */
static HaloStatus float_entropy(Device *device, const HaloBuf *src, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &src->shape;
    const HaloHist hist = hist_default(shape);
    HaloHistogram made = {0};
    uint64_t *all = calloc((size_t)hist.bins, sizeof *all);
    if (all == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(halo_histogram_alloc(&made, shape->channels, hist.bins, hist.lo, hist.hi));
    HALO_TRY(device->backend->hist(device->handle, src, &hist, &made));
    for (int c = 0; c < shape->channels; c++)
        result->channel[c].entropy = entropy_of(made.count + c * hist.bins, hist.bins);
    add_counts(&made, shape->alpha, all);
    result->all.entropy = entropy_of(all, hist.bins);
out:
    halo_histogram_free(&made);
    free(all);
    return status;
}

HaloStatus measure_detail(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    result->detail = *detail;
    if (src->shape.dtype != HALO_F32) return integer_detail(device, src, detail, result);
    if (detail->full) HALO_TRY(float_powers(device, src, result));
    if (detail->full) HALO_TRY(float_entropy(device, src, result));
    HALO_TRY(float_percentiles(device, src, detail, result));
out:
    return status;
}
