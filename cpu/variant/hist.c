/* Histograms: counting small integers, and finding the bin of a float. */
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
        for (int64_t k = 0; k < tables; k++) table[k * CPU_BYTE_TABLE + values[i + k]]++;
    }
    return i;
}

/* Eight tables of one channel: eight samples that are alike, as in what is flat, are one. */
static int64_t one_channel(const uint8_t *values, int64_t n, uint32_t *table)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, values + i, sizeof eight);
        if (eight == (eight >> 8 | eight << 56)) {
            table[eight & 0xff] += 8;
            continue;
        }
        CPU_UNROLL
        for (int64_t k = 0; k < 8; k++) table[k * CPU_BYTE_TABLE + (int64_t)(eight >> 8 * k & 0xff)]++;
    }
    return i;
}

static int64_t some_channels(const uint8_t *values, int64_t n, int64_t channels, uint32_t *table)
{
    const int64_t tables = cpu_byte_tables(channels);
    switch (tables) {
    case 8: return in_tables(values, n, 8, table);
    case 10: return in_tables(values, n, 10, table);
    case 12: return in_tables(values, n, 12, table);
    case 14: return in_tables(values, n, 14, table);
    default: return in_tables(values, n, tables, table);
    }
}

static void bytes(const uint8_t *values, int64_t pixels, int64_t channels, uint32_t *table)
{
    const int64_t n = pixels * channels;
    int64_t i = channels == 1 ? one_channel(values, n, table) : some_channels(values, n, channels, table);
    for (; i < n; i++, table += CPU_BYTE_TABLE) table[values[i]]++;
}

/* One channel of pixels of so many, a constant where that is one: a byte that begins anew is worth 256. */
static CPU_INLINE void words_of(const uint16_t *values, int64_t pixels, int64_t channels, uint8_t *low,
                                uint64_t *counter)
{
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        uint16_t v;
        memcpy(&v, values + i, sizeof v);
        if (++low[v] == 0) cpu_add_shared(&counter[v], 256);
    }
}

static void words(const uint16_t *values, int64_t pixels, int64_t channels, uint8_t *low, uint64_t *counter)
{
    if (channels == 1)
        words_of(values, pixels, 1, low, counter);
    else
        words_of(values, pixels, channels, low, counter);
}

static void add_words(const uint8_t *low, int64_t n, uint64_t *counter)
{
    for (int64_t i = 0; i < n; i++) counter[i] += low[i];
}

/* halo_bin without branches: the bin is a double until the end. Samples that are beside the range, or whose
 * quotient is no number because the range is so wide, must not reach the conversion as they are. */
static void bin_f32(const void *samples, int64_t n, const HaloHist *hist, uint32_t *restrict bin)
{
    const double lo = hist->lo, hi = hist->hi, bins = (double)hist->bins, range = hi - lo;
    for (int64_t i = 0; i < n; i++) {
        float sample;
        memcpy(&sample, (const char *)samples + i * (int64_t)sizeof sample, sizeof sample);
        const double v = (double)sample;
        double at = (v - lo) * bins / range;
        at = at < bins - 1.0 ? at : bins - 1.0;
        at = v < lo ? bins : at;
        at = v > hi ? bins + 1.0 : at;
        at = v != v ? bins + 2.0 : at;
        bin[i] = (uint32_t)(int32_t)at;
    }
}

/* Samples that are looked at together: few lie in any part. */
#define TOGETHER 32

/* Which of n samples lie in a part; is there one? */
static CPU_INLINE bool in_parts(const float *v, int64_t n, const HaloHist *hist, const float *lo,
                                const float *hi, int32_t *in)
{
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++) in[i] = 0;
    for (int k = 0; k < hist->parts; k++)
        for (int64_t i = 0; i < n; i++) in[i] |= (v[i] >= lo[k]) & (v[i] <= hi[k]);
    for (int64_t i = 0; i < n; i++) any |= in[i];
    return any != 0;
}

static int64_t part_bin(const HaloHist *hist, double v)
{
    int k = 0;
    while (!(v >= hist->part[k].lo && v <= hist->part[k].hi)) k++;
    return hist->part[k].first + halo_bin(v, hist->part[k].lo, hist->part[k].hi, hist->part[k].bins);
}

static void parts_f32(const void *samples, int64_t pixels, int64_t channels, const HaloHist *hist, int64_t bins,
                      uint64_t *counter)
{
    const int64_t n = pixels * channels;
    float lo[HALO_MAX_PARTS], hi[HALO_MAX_PARTS], v[TOGETHER];
    int32_t in[TOGETHER];
    for (int k = 0; k < hist->parts; k++) lo[k] = (float)hist->part[k].lo, hi[k] = (float)hist->part[k].hi;
    for (int64_t i = 0; i < n; i += TOGETHER) {
        const int64_t some = n - i < TOGETHER ? n - i : TOGETHER;
        const char *const from = (const char *)samples + i * (int64_t)sizeof *v;
        if (some == TOGETHER) /* of a size that is known: vectors */
            memcpy(v, from, sizeof v);
        else
            memcpy(v, from, (size_t)some * sizeof *v);
        if (some == TOGETHER ? !in_parts(v, TOGETHER, hist, lo, hi, in) : !in_parts(v, some, hist, lo, hi, in))
            continue;
        for (int64_t j = 0; j < some; j++)
            if (in[j]) counter[(i + j) % channels * bins + part_bin(hist, (double)v[j])]++;
    }
}

const CpuHistKernels CPU_TABLE(hist) = {.count = {count_u8, count_u16, count_u32},
                                        .bytes = bytes,
                                        .words = words,
                                        .add_words = add_words,
                                        .bin = bin_f32,
                                        .parts = parts_f32};
