/* What `stats --full` computes beyond one reduction: third and fourth moments, entropy and percentiles.
 * Integers need only the counts of each value; floats are read again for each statistic. */
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

/* Population skewness and excess kurtosis; undefined for a constant channel. */
static void take_powers(const Powers *p, HaloStats *s)
{
    const double variance = p->m2 / p->n;
    s->skewness = variance > 0 ? p->m3 / p->n / (variance * sqrt(variance)) : NAN;
    s->kurtosis = variance > 0 ? p->m4 / p->n / (variance * variance) - 3.0 : NAN;
}

HaloStatus detail_powers(Device *device, const HaloBuf *src, const double *k, double *third, double *fourth)
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
    if (device->backend->powers != NULL) return device->backend->powers(device->handle, src, k, third, fourth);
    const HaloFold of_cubes = {.map = &cube, .join = &sum, .k = k};
    const HaloFold of_squares = {.map = &square, .join = &sum, .k = k};
    const HaloStatus status = device->backend->fold(device->handle, src, &of_cubes, third);
    return status == HALO_OK ? device->backend->fold(device->handle, src, &of_squares, fourth) : status;
}

void detail_take_powers(const double *third, const double *fourth, HaloResult *result)
{
    Powers total = {0};
    for (int c = 0; c < result->shape.channels; c++) {
        const HaloMoments *m = &result->channel[c].moments;
        const Powers powers = {(double)(m->count - m->nan), m->mean, m->m2, third[c], fourth[c]};
        take_powers(&powers, &result->channel[c]);
        if (c != result->shape.alpha) total = joined(&total, &powers);
    }
    take_powers(&total, &result->all);
}

void detail_take_few_powers(double third, double fourth, HaloStats *s)
{
    const HaloMoments *m = &s->moments;
    take_powers(&(Powers){(double)(m->count - m->nan), m->mean, m->m2, third, fourth}, s);
}

static HaloStatus float_powers(Device *device, const HaloBuf *src, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = src->shape.channels;
    double *k = calloc((size_t)channels * 3, sizeof *k);
    if (k == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    double *const third = k + channels, *const fourth = third + channels;
    for (int c = 0; c < channels; c++) k[c] = result->channel[c].moments.mean;
    HALO_TRY(detail_powers(device, src, k, third, fourth));
    detail_take_powers(third, fourth, result);
out:
    free(k);
    return status;
}

/* ---- counts --------------------------------------------------------------------------------------------- */

double detail_entropy(const uint64_t *count, int64_t bins)
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

static double level_value(const Levels *levels, int64_t at)
{
    return (double)(levels->value != NULL ? levels->value[at] : at);
}

void detail_take_levels(const Levels *levels, const HaloDetail *detail, HaloStats *s)
{
    const int64_t n = levels->levels;
    for (int i = 0; i < detail->percents; i++) s->percentile[i] = NAN;
    if (s->count == 0) return;
    Powers powers = {.n = (double)s->count, .mean = s->mean, .m2 = s->sd * s->sd * (double)s->count};
    for (int i = 0; i < detail->percents; i++) {
        const Place place = place_of(detail->percent[i], s->count);
        s->percentile[i] = place_value(&place, level_value(levels, count_rank(levels->count, n, place.before)),
                                       level_value(levels, count_rank(levels->count, n, place.after)));
    }
    if (!detail->full) return;
    s->entropy = detail_entropy(levels->count, n);
    for (int64_t i = 0; i < n; i++) {
        const double d = level_value(levels, i) - s->mean, times = (double)levels->count[i];
        powers.m3 += times * (d * d * d);
        powers.m4 += times * (d * d * d * d);
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

/* Over all channels but alpha. */
static void add_counts(const HaloHistogram *levels, int alpha, uint64_t *all)
{
    for (int c = 0; c < levels->channels; c++)
        for (int64_t v = 0; c != alpha && v < levels->bins; v++) all[v] += levels->count[c * levels->bins + v];
}

static HaloStatus take_levels(const HaloHistogram *levels, const HaloDetail *detail, HaloResult *result)
{
    const HaloShape *shape = &result->shape;
    const int64_t values = levels->bins;
    for (int c = 0; c < shape->channels; c++)
        detail_take_levels(&(Levels){values, NULL, levels->count + c * values}, detail, &result->channel[c]);
    if (shape->channels == 1 && shape->alpha != 0) {
        copy_detail(&result->channel[0], &result->all);
        return HALO_OK;
    }
    uint64_t *all = calloc((size_t)values, sizeof *all);
    if (all == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    add_counts(levels, shape->alpha, all);
    detail_take_levels(&(Levels){values, NULL, all}, detail, &result->all);
    free(all);
    return HALO_OK;
}

static HaloStatus integer_detail(Device *device, const HaloBuf *src, const HaloDetail *detail,
                                 const HaloHistogram *levels, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloHist every = hist_default(&src->shape);
    HaloHistogram made = {0};
    if (levels->count != NULL) return take_levels(levels, detail, result);
    HALO_TRY(measure_hist(device, src, &every, &made));
    HALO_TRY(take_levels(&made, detail, result));
out:
    halo_histogram_free(&made);
    return status;
}

/* ---- floats --------------------------------------------------------------------------------------------- */

HaloStatus detail_take_entropy(const HaloHistogram *made, int64_t bins, HaloResult *result)
{
    const int alpha = result->shape.alpha;
    const int64_t each = made->bins / bins;
    uint64_t *count = calloc((size_t)bins * 2, sizeof *count);
    if (count == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    uint64_t *const all = count + bins;
    for (int c = 0; c < made->channels; c++) {
        memset(count, 0, (size_t)bins * sizeof *count);
        const uint64_t *fine = made->count + c * made->bins;
        for (int64_t b = 0; b < bins; b++, fine += each)
            for (int64_t i = 0; i < each; i++) count[b] += fine[i];
        result->channel[c].entropy = detail_entropy(count, bins);
        for (int64_t b = 0; c != alpha && b < bins; b++) all[b] += count[b];
    }
    result->all.entropy = detail_entropy(all, bins);
    free(count);
    return HALO_OK;
}

/* Of f64, which are in host memory. Histograms whose range halves and halves would take too many passes. */
static HaloStatus wide_percentiles(const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    Search *search = NULL;
    bool found = detail->percents == 0;
    if (!found) HALO_TRY(search_open(&src->shape, detail, &search));
    while (!found) {
        search_add(search, src);
        HALO_TRY(search_next(search, detail, &found));
    }
    if (search != NULL) search_take(search, detail, result);
out:
    search_close(search);
    return status;
}

static HaloStatus wide_levels(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloHist scale = hist_default(&src->shape);
    HaloHistogram made = {0};
    if (detail->full) {
        HALO_TRY(measure_hist(device, src, &scale, &made));
        HALO_TRY(detail_take_entropy(&made, scale.bins, result));
    }
    HALO_TRY(wide_percentiles(src, detail, result));
out:
    halo_histogram_free(&made);
    return status;
}

/* Entropy and percentiles from one histogram, if the same bins serve both. */
static HaloStatus float_levels(Device *device, const HaloBuf *src, const HaloDetail *detail, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloHist scale = hist_default(&src->shape);
    HaloHist first = {0};
    HaloHistogram made = {0};
    const bool looks = percentile_bins(src, detail, result, &first),
               both = looks && detail->full && percentile_shares(&first, &scale);
    if (detail->full && !both) {
        HALO_TRY(measure_hist(device, src, &scale, &made));
        HALO_TRY(detail_take_entropy(&made, scale.bins, result));
        halo_histogram_free(&made);
    }
    if (both) {
        first.lo = scale.lo;
        first.hi = scale.hi;
    }
    if (looks) HALO_TRY(measure_hist(device, src, &first, &made));
    if (both) HALO_TRY(detail_take_entropy(&made, scale.bins, result));
    HALO_TRY(float_percentiles(device, src, detail, &made, result));
out:
    halo_histogram_free(&made);
    return status;
}

HaloStatus measure_detail(Device *device, const HaloBuf *src, const HaloDetail *detail,
                          const HaloHistogram *levels, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    if (src->shape.dtype <= HALO_U16) return integer_detail(device, src, detail, levels, result);
    if (detail->full) HALO_TRY(float_powers(device, src, result));
    HALO_TRY(src->shape.dtype == HALO_F64 ? wide_levels(device, src, detail, result)
                                          : float_levels(device, src, detail, result));
out:
    return status;
}
