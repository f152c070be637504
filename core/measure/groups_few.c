/* Groups of few samples: their details and histograms, on the host. Each costs about as much as it has samples,
 * however many values a sample may have. */
#include "groups_few.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/counter.h"
#include "halo/groups.h"
#include "halo/measures.h"
#include "percentile.h"

/* ---- memory ---------------------------------------------------------------------------------------------- */

void few_close(Few *few)
{
    free(few->sample);
    free(few->times);
    free(few->set);
    free(few->count);
    free(few->value);
    *few = (Few){0};
}

HaloStatus few_open(const HaloShape *shape, Few *few)
{
    const size_t values = shape->dtype == HALO_U8 ? 256 : 65536;
    const HaloHist scale = hist_default(shape);
    *few =
        (Few){.shape = *shape, .values = (int64_t)values, .scale = halo_bins(scale.lo, scale.hi, scale.bins)};
    if (shape->dtype > HALO_U16) {
        few->sample = malloc(HALO_GROUP_MOST * sizeof *few->sample);
    } else {
        few->times = calloc(values, sizeof *few->times);
        few->set = calloc(values / 64, sizeof *few->set);
        few->count = malloc(values * sizeof *few->count);
        few->value = malloc(values * sizeof *few->value);
    }
    if (few->sample != NULL ||
        (few->times != NULL && few->set != NULL && few->count != NULL && few->value != NULL))
        return HALO_OK;
    few_close(few);
    return halo_fail(HALO_ERR_LIMIT, "not enough memory");
}

/* ---- integers -------------------------------------------------------------------------------------------- */

static inline int64_t integer_at(const HaloShape *shape, const void *samples, int64_t i)
{
    return shape->dtype == HALO_U8 ? ((const uint8_t *)samples)[i] : ((const uint16_t *)samples)[i];
}

/* The values that occur in a channel; `times` and `set` are zeros again. */
static Levels find_levels(Few *few, const void *samples, int64_t n, int channel)
{
    const int channels = few->shape.channels;
    int64_t first = few->values, last = -1, levels = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = integer_at(&few->shape, samples, i * channels + channel);
        few->times[v]++;
        few->set[v / 64] |= (uint64_t)1 << v % 64;
        first = v < first ? v : first;
        last = v > last ? v : last;
    }
    for (int64_t w = first / 64; w <= last / 64 && n > 0; w++) {
        for (uint64_t left = few->set[w]; left != 0; left &= left - 1, levels++) {
            const int64_t v = w * 64 + __builtin_ctzll(left);
            few->value[levels] = (uint16_t)v;
            few->count[levels] = few->times[v];
            few->times[v] = 0;
        }
        few->set[w] = 0;
    }
    return (Levels){levels, few->value, few->count};
}

void few_product(Few *few, const void *samples, int64_t n, int channel, HaloMoments *m)
{
    const Levels levels = find_levels(few, samples, n, channel);
    double p = levels.levels > 0 && levels.value[0] == 0 ? 0.0 : 1.0;
    int64_t sum = 0, shift;
    for (int64_t i = 0; i < levels.levels && p > 0.0; i++)
        halo_product_add_power(&p, &sum, (double)levels.value[i], levels.count[i]);
    m->product = halo_normalise(p, &shift);
    m->product_exp = sum + shift;
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

static inline double float_at(const HaloShape *shape, const void *samples, int64_t i)
{
    return shape->dtype == HALO_F32 ? (double)((const float *)samples)[i] : ((const double *)samples)[i];
}

/* Those that are not NaN. */
static int64_t take_samples(Few *few, const void *samples, int64_t n, int channel)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const double v = float_at(&few->shape, samples, i * few->shape.channels + channel);
        few->sample[kept] = v;
        kept += v == v;
    }
    return kept;
}

/* The sum of d³ of up to a leaf of samples, and of d⁴: by lanes, which are joined in pairs. */
static void add_leaf(const Few *few, const void *samples, int64_t n, int channel, double mean, double sum[2])
{
    double lane[2][HALO_LANES] = {0};
    for (int64_t i = 0; i < n; i++) {
        const double v = float_at(&few->shape, samples, i * few->shape.channels + channel), d = v - mean;
        if (v != v) continue;
        lane[0][i % HALO_LANES] += d * d * d;
        lane[1][i % HALO_LANES] += (d * d) * (d * d);
    }
    for (int k = 0; k < 2; k++) {
        for (int apart = 1; apart < HALO_LANES; apart *= 2)
            for (int i = 0; i < HALO_LANES; i += 2 * apart) lane[k][i] += lane[k][i + apart];
        sum[k] = lane[k][0];
    }
}

static void join_sums(const void *context, const void *left, void *right)
{
    (void)context;
    for (int k = 0; k < 2; k++) ((double *)right)[k] = ((const double *)left)[k] + ((const double *)right)[k];
}

/* As detail_powers. */
static void take_powers(const Few *few, const void *samples, int64_t n, int channel, HaloStats *s)
{
    const int64_t size = few->shape.channels * (int64_t)halo_dtype_size(few->shape.dtype);
    double node[HALO_COUNTER_NODES][2], total[2] = {0.0, 0.0};
    uint64_t leaves = 0;
    for (int64_t first = 0; first < n; first += HALO_LEAF, leaves++) {
        double leaf[2];
        add_leaf(few, (const char *)samples + first * size, n - first < HALO_LEAF ? n - first : HALO_LEAF,
                 channel, s->moments.mean, leaf);
        halo_counter_add(node, sizeof leaf, sizeof leaf, leaves, leaf, join_sums, NULL);
    }
    halo_counter_total(node, sizeof total, sizeof total, leaves, total, join_sums, NULL);
    detail_take_few_powers(total[0], total[1], s);
}

static double entropy(const Few *few, int64_t n)
{
    uint64_t count[256] = {0};
    const int64_t bins = (int64_t)few->scale.count;
    for (int64_t i = 0; i < n; i++) {
        const int64_t bin = halo_bin(&few->scale, few->sample[i]);
        if (bin >= 0) count[bin]++;
    }
    return detail_entropy(count, bins);
}

/* ---- both ------------------------------------------------------------------------------------------------ */

void few_detail(Few *few, const void *samples, int64_t n, int channel, const HaloDetail *detail, HaloStats *s)
{
    if (few->shape.dtype <= HALO_U16) {
        const Levels levels = find_levels(few, samples, n, channel);
        detail_take_levels(&levels, detail, s);
        return;
    }
    if (detail->full) take_powers(few, samples, n, channel, s);
    const int64_t kept = take_samples(few, samples, n, channel);
    if (detail->full) s->entropy = entropy(few, kept);
    few_percentiles(few->sample, kept, detail, s);
}

void few_counts(Few *few, const void *samples, int64_t n, int channel, const HaloBins *bins, uint64_t *count)
{
    if (few->shape.dtype <= HALO_U16) {
        const Levels levels = find_levels(few, samples, n, channel);
        for (int64_t i = 0; i < levels.levels; i++) {
            const int64_t bin = halo_bin(bins, (double)levels.value[i]);
            if (bin >= 0) count[bin] += levels.count[i];
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t bin = halo_bin(bins, float_at(&few->shape, samples, i * few->shape.channels + channel));
        if (bin >= 0) count[bin]++;
    }
}
