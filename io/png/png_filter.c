/* Applies PNG's filters. No byte depends on a filtered one, so rows vectorise. */
#include "png_filter.h"

#include <stdlib.h>

#include "halo/vector16.h"

static inline uint8_t predict(enum PngFilter filter, int a, int b, int c)
{
    const int bound = 3 * c - a - b, least = a < b ? a : b, most = a < b ? b : a;
    switch (filter) {
    case PNG_SUB: return (uint8_t)a;
    case PNG_UP: return (uint8_t)b;
    case PNG_AVERAGE: return (uint8_t)((a + b) / 2);
    case PNG_PAETH: return (uint8_t)(bound >= most ? least : bound <= least ? most : c);
    default: return 0;
    }
}

static inline uint8_t filter_byte(enum PngFilter filter, size_t pixel, size_t i, const uint8_t *row,
                                  const uint8_t *above)
{
    const bool first = i < pixel;
    return (uint8_t)(row[i] -
                     predict(filter, first ? 0 : row[i - pixel], above[i], first ? 0 : above[i - pixel]));
}

#ifdef HALO_VECTOR16
/* Of eight samples in lanes of 16 bits: see png_unfilter.c. */
static inline HaloS16x8 paeth8(HaloS16x8 a, HaloS16x8 b, HaloS16x8 c)
{
    const HaloS16x8 least = halo_min_s16(a, b), most = halo_max_s16(a, b), bound = (c + (c + c)) - (a + b);
    const HaloS16x8 below = most > bound, beyond = bound > least;
    return (~below & least) | (~beyond & most) | (c & (below & beyond));
}

static inline HaloU8x16 paeth16(HaloU8x16 a, HaloU8x16 b, HaloU8x16 c)
{
    const HaloU8x16 zero = {0};
    return halo_pack_s16(paeth8((HaloS16x8)halo_low_u8(a, zero), (HaloS16x8)halo_low_u8(b, zero),
                                (HaloS16x8)halo_low_u8(c, zero)),
                         paeth8((HaloS16x8)halo_high_u8(a, zero), (HaloS16x8)halo_high_u8(b, zero),
                                (HaloS16x8)halo_high_u8(c, zero)));
}

/* Sixteen bytes, from byte i on: not in the first pixel. */
static inline HaloU8x16 filter16(enum PngFilter filter, size_t pixel, size_t i, const uint8_t *row,
                                 const uint8_t *above)
{
    const HaloU8x16 x = halo_load16(row + i);
    switch (filter) {
    case PNG_SUB: return x - halo_load16(row + i - pixel);
    case PNG_UP: return x - halo_load16(above + i);
    case PNG_AVERAGE: {
        const HaloU8x16 a = halo_load16(row + i - pixel), b = halo_load16(above + i);
        return x - ~halo_mean_up_u8(~a, ~b); /* rounded down: see png_unfilter.c */
    }
    case PNG_PAETH:
        return x -
               paeth16(halo_load16(row + i - pixel), halo_load16(above + i), halo_load16(above + i - pixel));
    default: return x;
    }
}
#endif

static inline void filter_row(enum PngFilter filter, size_t pixel, size_t bytes, const uint8_t *row,
                              const uint8_t *above, uint8_t *to)
{
    size_t i = 0;
    for (; i < bytes && i < pixel; i++) to[i] = filter_byte(filter, pixel, i, row, above);
#ifdef HALO_VECTOR16
    for (; i + 16 <= bytes; i += 16) halo_store16(to + i, filter16(filter, pixel, i, row, above));
#endif
    for (; i < bytes; i++) to[i] = filter_byte(filter, pixel, i, row, above);
}

/* The sum of the magnitudes of bytes [i, end), filtered. */
static inline uint64_t weigh_bytes(enum PngFilter filter, size_t pixel, size_t i, size_t end,
                                   const uint8_t *row, const uint8_t *above)
{
    uint64_t sum = 0;
    for (; i < end; i++) sum += (uint64_t)abs((int8_t)filter_byte(filter, pixel, i, row, above));
    return sum;
}

/* The same of a row, for all filters of a set at once. The set is a constant where this is called. */
static inline void weigh_row(unsigned filters, size_t pixel, size_t bytes, const uint8_t *row,
                             const uint8_t *above, uint64_t sum[PNG_PAETH + 1])
{
    const size_t first = pixel < bytes ? pixel : bytes;
    size_t rest = first;
#ifdef HALO_VECTOR16
    HaloU64x2 sums[PNG_PAETH + 1] = {{0}};
    for (; rest + 16 <= bytes; rest += 16)
#pragma GCC unroll 5
        for (int f = 0; f <= PNG_PAETH; f++) {
            if ((filters >> f & 1) == 0) continue;
            const HaloU8x16 x = filter16((enum PngFilter)f, pixel, rest, row, above);
            sums[f] += halo_sum_u8(halo_min_u8(x, -x));
        }
#endif
#pragma GCC unroll 5
    for (int f = 0; f <= PNG_PAETH; f++) {
        if ((filters >> f & 1) == 0) continue;
        sum[f] = weigh_bytes((enum PngFilter)f, pixel, 0, first, row, above) +
                 weigh_bytes((enum PngFilter)f, pixel, rest, bytes, row, above);
#ifdef HALO_VECTOR16
        sum[f] += sums[f][0] + sums[f][1];
#endif
    }
}

/* A loop for each filter, so that the compiler knows it. */
#define FOR_FILTER(filter, call)                                              \
    switch (filter) {                                                         \
    case PNG_NO_FILTER: call(PNG_NO_FILTER, pixel, bytes, row, above); break; \
    case PNG_SUB: call(PNG_SUB, pixel, bytes, row, above); break;             \
    case PNG_UP: call(PNG_UP, pixel, bytes, row, above); break;               \
    case PNG_AVERAGE: call(PNG_AVERAGE, pixel, bytes, row, above); break;     \
    case PNG_PAETH: call(PNG_PAETH, pixel, bytes, row, above); break;         \
    }

static enum PngFilter choose(unsigned filters, size_t pixel, size_t bytes, const uint8_t *row,
                             const uint8_t *above)
{
    enum PngFilter best = PNG_NO_FILTER;
    uint64_t sum[PNG_PAETH + 1], least = UINT64_MAX;
    for (enum PngFilter filter = PNG_NO_FILTER; filter <= PNG_PAETH; filter++)
        if (filters == 1u << filter) return filter;
    switch (filters) { /* those that levels have: a loop for each */
    case PNG_FEW_FILTERS: weigh_row(PNG_FEW_FILTERS, pixel, bytes, row, above, sum); break;
    default: weigh_row(PNG_EVERY_FILTER, pixel, bytes, row, above, sum);
    }
    for (enum PngFilter filter = PNG_NO_FILTER; filter <= PNG_PAETH; filter++) {
        if ((filters >> filter & 1) == 0 || sum[filter] >= least) continue;
        best = filter;
        least = sum[filter];
    }
    return best;
}

void halo_png_filter(unsigned filters, size_t pixel, size_t bytes, const uint8_t *row, const uint8_t *above,
                     uint8_t *to)
{
    const enum PngFilter filter = choose(filters, pixel, bytes, row, above);
#define APPLY(...) filter_row(__VA_ARGS__, to + 1)
    *to = (uint8_t)filter;
    FOR_FILTER(filter, APPLY)
}
