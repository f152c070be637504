/* Histograms: counting small integers, and finding the bin of a float. */
#include <math.h>

#include "shared.h"
#include "variant.h"

#define VALUE uint8_t
#define TYPE u8
#include "hist_tmpl.h"

#define VALUE uint16_t
#define TYPE u16
#include "hist_tmpl.h"

#define VALUE uint32_t
#define TYPE u32
#include "hist_tmpl.h"

/* As many samples at a time as there are tables, a constant where that is few. */
static CPU_INLINE int64_t in_tables(const uint8_t *values, int64_t n, int64_t tables, uint32_t *table)
{
    int64_t i = 0;
    for (; i + tables <= n; i += tables) {
        CPU_UNROLL
        for (int64_t k = 0; k < tables; k++) table[k * CPU_U8_TABLE + values[i + k]]++;
    }
    return i;
}

/* Eight samples; are they equal, as in flat areas? They are then counted at once, in `table`. */
static CPU_INLINE bool eight_equal(const uint8_t *values, uint32_t *table, uint64_t *eight)
{
    memcpy(eight, values, sizeof *eight);
    const bool equal = *eight == (*eight >> 8 | *eight << 56);
    if (equal) table[*eight & 0xff] += 8;
    return equal;
}

/* Eight tables of one channel. */
static int64_t one_channel(const uint8_t *values, int64_t n, uint32_t *table)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        if (eight_equal(values + i, table, &eight)) continue;
        CPU_UNROLL
        for (int64_t k = 0; k < 8; k++) table[k * CPU_U8_TABLE + (int64_t)(eight >> 8 * k & 0xff)]++;
    }
    return i;
}

/* Half as many stores. Pairs of near values lie near to each other in the cache. */
static void count_pairs_u8(const uint8_t *values, int64_t n, uint32_t *pairs, uint32_t *table)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        if (eight_equal(values + i, table, &eight)) continue;
        CPU_UNROLL
        for (int64_t k = 0; k < 4; k++) pairs[eight >> 16 * k & 0xffff]++;
    }
    for (; i < n; i++) table[values[i]]++;
}

static int64_t some_channels(const uint8_t *values, int64_t n, int64_t channels, uint32_t *table)
{
    const int64_t tables = cpu_u8_tables(channels);
    switch (tables) {
    case 8: return in_tables(values, n, 8, table);
    case 10: return in_tables(values, n, 10, table);
    case 12: return in_tables(values, n, 12, table);
    case 14: return in_tables(values, n, 14, table);
    default: return in_tables(values, n, tables, table);
    }
}

static void count_table_u8(const uint8_t *values, int64_t pixels, int64_t channels, uint32_t *table)
{
    const int64_t n = pixels * channels;
    int64_t i = channels == 1 ? one_channel(values, n, table) : some_channels(values, n, channels, table);
    for (; i < n; i++, table += CPU_U8_TABLE) table[values[i]]++;
}

/* One channel of pixels of so many, a constant where that is one: a counter that wraps adds 256. */
static CPU_INLINE void count_channel_u16(const uint16_t *values, int64_t pixels, int64_t channels, uint8_t *low,
                                         uint64_t *counter)
{
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        uint16_t v;
        memcpy(&v, values + i, sizeof v);
        if (++low[v] == 0) cpu_add_shared(&counter[v], 256);
    }
}

static void count_wrapped_u16(const uint16_t *values, int64_t pixels, int64_t channels, uint8_t *low,
                              uint64_t *counter)
{
    if (channels == 1)
        count_channel_u16(values, pixels, 1, low, counter);
    else
        count_channel_u16(values, pixels, channels, low, counter);
}

static void add_u16(const uint8_t *low, int64_t n, uint64_t *counter)
{
    for (int64_t i = 0; i < n; i++) counter[i] += low[i];
}

/* Samples that are looked at together. */
#define TOGETHER 32

static CPU_INLINE float float_at(const char *samples, int64_t i)
{
    float v;
    memcpy(&v, samples + i * (int64_t)sizeof v, sizeof v);
    return v;
}

/* halo_bin without branches: the bin is a double until the end. Samples that are beside the range must not
 * reach the conversion as they are. */
static CPU_INLINE void exact_bins(const char *samples, int64_t n, const HaloBins *bins, uint32_t *restrict bin)
{
    const HaloBins b = *bins;
    const double magic = 6755399441055744.0;
    for (int64_t i = 0; i < n; i++) {
        const double v = (double)float_at(samples, i), quotient = (v - b.lo) * b.scale;
        const double near = ((quotient < b.count ? quotient : b.count) + magic) - magic;
        double at = v >= halo_bin_edge(&b, near) ? near : near - 1.0;
        at = at < b.count - 1.0 ? at : b.count - 1.0;
        at = v < b.lo ? b.count : at;
        at = v > b.hi ? b.count + 1.0 : at;
        at = v != v ? b.count + 2.0 : at;
        bin[i] = (uint32_t)(int32_t)at;
    }
}

/* Where f32 shows which bin a sample is in: what (v - lo) * scale comes to is at least `doubt` away from the
 * edge of a bin. Edges are second to last, for below the former and above the latter there is no other bin.
 * Numbers in [least, most] are in the range. */
typedef struct Estimate {
    float least, most, lo, scale, doubt, second, last;
} Estimate;

/* Three roundings, and lo's own, come to less than 2^-22 of the greatest and of lo, scaled; a product by a
 * power of two alone is exact. Beyond WIDE and MOST_BINS most samples would be in doubt. */
#define ROUNDED 0x1p-22
#define WIDE 0x1p100
#define MOST_BINS (1 << 14)

static bool estimates(const HaloHist *hist, Estimate *e)
{
    const double lo = hist->lo, hi = hist->hi, bins = (double)hist->bins, scale = bins / (hi - lo);
    int exponent;
    const bool exact = lo == 0.0 && frexp(scale, &exponent) == 0.5;
    *e = (Estimate){(float)lo, (float)hi, (float)lo, (float)scale, 0.0f, 1.0f, (float)bins - 1.0f};
    if (hist->bins < 2 || hist->bins > MOST_BINS ||
        !(fabs(lo) < WIDE && fabs(hi) < WIDE && hi - lo > 1.0 / WIDE))
        return false;
    if ((double)e->least < lo) e->least = nextafterf(e->least, INFINITY);
    if ((double)e->most > hi) e->most = nextafterf(e->most, -INFINITY);
    if (!exact) e->doubt = (float)((bins + fabs(lo) * scale) * ROUNDED);
    return e->doubt * (4 * TOGETHER) < 1.0f;
}

/* The bins of samples that are looked at together, as if all were in the range; false where one is in doubt. */
static CPU_INLINE bool estimated_bins(const char *samples, const Estimate *e, uint32_t *restrict bin)
{
    const float to_whole = 0x1.8p23f; /* whatever is added to it is rounded to an integer */
    int32_t open = 0;
    for (int64_t i = 0; i < TOGETHER; i++) {
        const float at = (float_at(samples, i) - e->lo) * e->scale;
        float edge = (at + to_whole) - to_whole, inside = at < e->last ? at : e->last;
        edge = edge > e->second ? edge : e->second;
        edge = edge < e->last ? edge : e->last;
        inside = inside > 0.0f ? inside : 0.0f;
        open |= fabsf(at - edge) < e->doubt;
        bin[i] = (uint32_t)(int32_t)inside;
    }
    return open == 0;
}

static CPU_INLINE bool any_beside(const char *samples, const Estimate *e)
{
    int32_t beside = 0;
    for (int64_t i = 0; i < TOGETHER; i++) {
        const float v = float_at(samples, i);
        beside |= !(v >= e->least) | !(v <= e->most);
    }
    return beside != 0;
}

static CPU_INLINE void mark_beside(const char *samples, const Estimate *e, uint32_t bins,
                                   uint32_t *restrict bin)
{
    for (int64_t i = 0; i < TOGETHER; i++) {
        const float v = float_at(samples, i);
        uint32_t at = bin[i];
        at = v < e->least ? bins : at;
        at = v > e->most ? bins + 1 : at;
        bin[i] = v != v ? bins + 2 : at;
    }
}

static void bin_f32(const void *samples, int64_t n, const HaloHist *hist, uint32_t *restrict bin)
{
    Estimate e;
    const bool good = estimates(hist, &e);
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    for (int64_t i = 0; i < n; i += TOGETHER) {
        const char *const from = (const char *)samples + i * (int64_t)sizeof(float);
        if (n - i < TOGETHER)
            exact_bins(from, n - i, &bins, bin + i);
        else if (!good || !estimated_bins(from, &e, bin + i))
            exact_bins(from, TOGETHER, &bins, bin + i);
        else if (any_beside(from, &e))
            mark_beside(from, &e, (uint32_t)hist->bins, bin + i);
    }
}

/* Which of n samples lie in a part; is there one? */
static CPU_INLINE bool in_parts(const char *samples, int64_t n, const HaloHist *hist, const float *lo,
                                const float *hi, int32_t *in)
{
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++) in[i] = 0;
    for (int k = 0; k < hist->parts; k++)
        for (int64_t i = 0; i < n; i++)
            in[i] |= (int32_t)(float_at(samples, i) >= lo[k]) & (int32_t)(float_at(samples, i) <= hi[k]);
    for (int64_t i = 0; i < n; i++) any |= in[i];
    return any != 0;
}

static int64_t part_bin(const HaloHist *hist, const HaloBins *bins, double v)
{
    int k = 0;
    while (!(v >= bins[k].lo && v <= bins[k].hi)) k++;
    return hist->part[k].first + halo_bin(&bins[k], v);
}

static void parts_f32(const void *samples, int64_t pixels, int64_t channels, const HaloHist *hist, int64_t bins,
                      uint64_t *counter)
{
    const int64_t n = pixels * channels;
    float lo[HALO_MAX_PARTS], hi[HALO_MAX_PARTS];
    int32_t in[TOGETHER];
    HaloBins bins_of[HALO_MAX_PARTS];
    for (int k = 0; k < hist->parts; k++) {
        const HaloHistPart *part = &hist->part[k];
        lo[k] = (float)part->lo;
        hi[k] = (float)part->hi;
        bins_of[k] = halo_bins(part->lo, part->hi, part->bins);
    }
    for (int64_t i = 0; i < n; i += TOGETHER) {
        const int64_t some = n - i < TOGETHER ? n - i : TOGETHER;
        const char *const from = (const char *)samples + i * (int64_t)sizeof(float);
        /* of a size that is known: vectors */
        if (some == TOGETHER ? !in_parts(from, TOGETHER, hist, lo, hi, in)
                             : !in_parts(from, some, hist, lo, hi, in))
            continue;
        for (int64_t j = 0; j < some; j++)
            if (in[j])
                counter[(i + j) % channels * bins + part_bin(hist, bins_of, (double)float_at(from, j))]++;
    }
}

const CpuHistKernels CPU_TABLE(hist) = {.count = {count_u8, count_u16, count_u32},
                                        .u8 = count_table_u8,
                                        .u8_pairs = count_pairs_u8,
                                        .u16 = count_wrapped_u16,
                                        .add_u16 = add_u16,
                                        .bin = bin_f32,
                                        .parts = parts_f32};
