/* Applies PNG's filters. No byte depends on a filtered one, so rows vectorise. */
#include "png_filter.h"

#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__
static inline __m128i load(const uint8_t *at) { return _mm_loadu_si128((const __m128i *)at); }

/* Of eight samples in lanes of 16 bits: see png_unfilter.c. */
static inline __m128i paeth8(__m128i a, __m128i b, __m128i c)
{
    const __m128i least = _mm_min_epi16(a, b), most = _mm_max_epi16(a, b);
    const __m128i bound = _mm_sub_epi16(_mm_add_epi16(c, _mm_add_epi16(c, c)), _mm_add_epi16(a, b));
    const __m128i below = _mm_cmpgt_epi16(most, bound), beyond = _mm_cmpgt_epi16(bound, least);
    const __m128i other = _mm_or_si128(_mm_andnot_si128(below, least), _mm_andnot_si128(beyond, most));
    return _mm_or_si128(other, _mm_and_si128(c, _mm_and_si128(below, beyond)));
}

static inline __m128i paeth16(__m128i a, __m128i b, __m128i c)
{
    const __m128i zero = _mm_setzero_si128();
    return _mm_packus_epi16(
        paeth8(_mm_unpacklo_epi8(a, zero), _mm_unpacklo_epi8(b, zero), _mm_unpacklo_epi8(c, zero)),
        paeth8(_mm_unpackhi_epi8(a, zero), _mm_unpackhi_epi8(b, zero), _mm_unpackhi_epi8(c, zero)));
}

/* Sixteen bytes, from byte i on: not in the first pixel. */
static inline __m128i filter16(enum PngFilter filter, size_t pixel, size_t i, const uint8_t *row,
                               const uint8_t *above)
{
    const __m128i x = load(row + i), one = _mm_set1_epi8(1);
    switch (filter) {
    case PNG_SUB: return _mm_sub_epi8(x, load(row + i - pixel));
    case PNG_UP: return _mm_sub_epi8(x, load(above + i));
    case PNG_AVERAGE: {
        const __m128i a = load(row + i - pixel), b = load(above + i); /* the instruction rounds up */
        return _mm_sub_epi8(x, _mm_sub_epi8(_mm_avg_epu8(a, b), _mm_and_si128(_mm_xor_si128(a, b), one)));
    }
    case PNG_PAETH:
        return _mm_sub_epi8(x, paeth16(load(row + i - pixel), load(above + i), load(above + i - pixel)));
    default: return x;
    }
}
#endif

static inline void filter_row(enum PngFilter filter, size_t pixel, size_t bytes, const uint8_t *row,
                              const uint8_t *above, uint8_t *to)
{
    size_t i = 0;
    for (; i < bytes && i < pixel; i++) to[i] = filter_byte(filter, pixel, i, row, above);
#ifdef __SSE2__
    for (; i + 16 <= bytes; i += 16)
        _mm_storeu_si128((__m128i *)(to + i), filter16(filter, pixel, i, row, above));
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
#ifdef __SSE2__
    const __m128i zero = _mm_setzero_si128();
    __m128i sums[PNG_PAETH + 1] = {zero, zero, zero, zero, zero};
    for (; rest + 16 <= bytes; rest += 16)
#pragma GCC unroll 5
        for (int f = 0; f <= PNG_PAETH; f++) {
            if ((filters >> f & 1) == 0) continue;
            const __m128i x = filter16((enum PngFilter)f, pixel, rest, row, above);
            sums[f] = _mm_add_epi64(sums[f], _mm_sad_epu8(_mm_min_epu8(x, _mm_sub_epi8(zero, x)), zero));
        }
#endif
#pragma GCC unroll 5
    for (int f = 0; f <= PNG_PAETH; f++) {
        if ((filters >> f & 1) == 0) continue;
        sum[f] = weigh_bytes((enum PngFilter)f, pixel, 0, first, row, above) +
                 weigh_bytes((enum PngFilter)f, pixel, rest, bytes, row, above);
#ifdef __SSE2__
        uint64_t lane[2];
        _mm_storeu_si128((__m128i *)lane, sums[f]);
        sum[f] += lane[0] + lane[1];
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
