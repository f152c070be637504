/* Windows that are counted: the counters of columns are added to and taken from those of the window. Counters
 * are sums from the first value on, so that a comparison with all of them finds a rank. */
#include "halo/vector16.h"

#include "variant.h"

/* How many of 16 sums are no greater than the index. Sums have 31 bits. */
static CPU_INLINE int up_to_u32(const uint32_t *sum, int64_t index)
{
#if defined(__AVX2__)
    const __m256i most = _mm256_set1_epi32((int)index);
    const __m256i low = _mm256_cmpgt_epi32(_mm256_loadu_si256((const __m256i *)(const void *)sum), most),
                  high = _mm256_cmpgt_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(sum + 8)), most);
    return 16 - __builtin_popcount((unsigned)_mm256_movemask_epi8(_mm256_packs_epi32(low, high))) / 2;
#else
    uint32_t n = 0;
    for (int k = 0; k < 16; k++) n += sum[k] <= (uint32_t)index;
    return (int)n;
#endif
}

static CPU_INLINE int up_to_u16(const uint16_t *sum, int64_t index)
{
#if defined(__AVX2__)
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)sum);
    const __m256i under = _mm256_cmpeq_epi16(_mm256_min_epu16(v, _mm256_set1_epi16((short)index)), v);
    return __builtin_popcount((unsigned)_mm256_movemask_epi8(under)) / 2;
#elif defined(HALO_VECTOR16)
    const HaloU16x8 most = (HaloU16x8){0} + (uint16_t)index;
    return __builtin_popcount(halo_bits_u8(
        halo_narrow_mask((HaloU16x8)halo_load16(sum) <= most, (HaloU16x8)halo_load16(sum + 8) <= most)));
#else
    int n = 0;
    for (int k = 0; k < 16; k++) n += (int64_t)sum[k] <= index;
    return n;
#endif
}

#define COLUMN uint8_t
#define COUNT uint16_t
#define TYPE u8
#define UP_TO(sum, index) up_to_u16(sum, index)
#include "count_tmpl.h"

#define COLUMN uint16_t
#define COUNT uint32_t
#define TYPE u16
#define UP_TO(sum, index) up_to_u32(sum, index)
#include "count_tmpl.h"

#define COLUMN uint32_t
#define COUNT uint32_t
#define TYPE u32
#define UP_TO(sum, index) up_to_u32(sum, index)
#include "count_tmpl.h"

/* ---- in a bin ------------------------------------------------------------------------------------------- */

/* Which of 32 samples lie in the window at (x, y): those whose distances, which go round below 0, are short. */
static CPU_INLINE uint32_t inside_u8(const CpuBins *b, int64_t i, int64_t x, int64_t y)
{
    const uint8_t *const at_x = (const uint8_t *)b->x + i, *const at_y = (const uint8_t *)b->y + i;
    uint32_t bits = 0;
#if defined(__AVX2__)
    const __m256i from_x = _mm256_loadu_si256((const __m256i *)(const void *)at_x),
                  from_y = _mm256_loadu_si256((const __m256i *)(const void *)at_y);
    const __m256i over_x = _mm256_subs_epu8(_mm256_sub_epi8(from_x, _mm256_set1_epi8((char)x)),
                                            _mm256_set1_epi8((char)(b->width - 1))),
                  over_y = _mm256_subs_epu8(_mm256_sub_epi8(from_y, _mm256_set1_epi8((char)y)),
                                            _mm256_set1_epi8((char)(b->height - 1)));
    const __m256i over = _mm256_or_si256(over_x, over_y);
    bits = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(over, _mm256_setzero_si256()));
#elif defined(HALO_VECTOR16)
    const HaloU8x16 zero = {0}, most_x = zero + (uint8_t)(b->width - 1),
                    most_y = zero + (uint8_t)(b->height - 1);
    for (int k = 0; k < 32; k += 16) {
        const HaloU8x16 dx = halo_load16(at_x + k) - (uint8_t)x, dy = halo_load16(at_y + k) - (uint8_t)y;
        bits |= halo_bits_u8((HaloU8x16)((dx <= most_x) & (dy <= most_y))) << k;
    }
#else
    for (int k = 0; k < 32; k++)
        bits |= (uint32_t)((uint8_t)(at_x[k] - x) < b->width && (uint8_t)(at_y[k] - y) < b->height) << k;
#endif
    return bits;
}

static CPU_INLINE uint32_t inside_u16(const CpuBins *b, int64_t i, int64_t x, int64_t y)
{
    const uint16_t *const at_x = (const uint16_t *)b->x + i, *const at_y = (const uint16_t *)b->y + i;
    uint32_t bits = 0;
#if defined(__AVX2__)
    const __m256i most_x = _mm256_set1_epi16((short)(b->width - 1)),
                  most_y = _mm256_set1_epi16((short)(b->height - 1));
    __m256i over[2];
    for (int half = 0; half < 2; half++) {
        const __m256i from_x = _mm256_loadu_si256((const __m256i *)(const void *)(at_x + 16 * half)),
                      from_y = _mm256_loadu_si256((const __m256i *)(const void *)(at_y + 16 * half));
        over[half] =
            _mm256_or_si256(_mm256_subs_epu16(_mm256_sub_epi16(from_x, _mm256_set1_epi16((short)x)), most_x),
                            _mm256_subs_epu16(_mm256_sub_epi16(from_y, _mm256_set1_epi16((short)y)), most_y));
        over[half] = _mm256_cmpeq_epi16(over[half], _mm256_setzero_si256());
    }
    const __m256i both = _mm256_permute4x64_epi64(_mm256_packs_epi16(over[0], over[1]), 0xd8);
    bits = (uint32_t)_mm256_movemask_epi8(both);
#elif defined(HALO_VECTOR16)
    const HaloU16x8 zero = {0}, most_x = zero + (uint16_t)(b->width - 1),
                    most_y = zero + (uint16_t)(b->height - 1);
    for (int k = 0; k < 32; k += 16) {
        HaloS16x8 in[2];
        CPU_UNROLL for (int half = 0; half < 2; half++)
        {
            const HaloU16x8 dx = (HaloU16x8)halo_load16(at_x + k + 8 * half) - (uint16_t)x,
                            dy = (HaloU16x8)halo_load16(at_y + k + 8 * half) - (uint16_t)y;
            in[half] = (dx <= most_x) & (dy <= most_y);
        }
        bits |= halo_bits_u8(halo_narrow_mask(in[0], in[1])) << k;
    }
#else
    for (int k = 0; k < 32; k++)
        bits |= (uint32_t)((uint16_t)(at_x[k] - x) < b->width && (uint16_t)(at_y[k] - y) < b->height) << k;
#endif
    return bits;
}

static CPU_INLINE uint32_t inside_u32(const CpuBins *b, int64_t i, int64_t x, int64_t y)
{
    const uint32_t *const at_x = (const uint32_t *)b->x + i, *const at_y = (const uint32_t *)b->y + i;
    uint32_t bits = 0;
    for (int k = 0; k < 32; k++)
        bits |= (uint32_t)((uint32_t)(at_x[k] - x) < b->width && (uint32_t)(at_y[k] - y) < b->height) << k;
    return bits;
}

static CPU_INLINE uint32_t count_bits(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_popcount(bits);
#else
    uint32_t n = 0;
    for (; bits != 0; bits &= bits - 1) n++;
    return n;
#endif
}

/* The place of a bit that has `below` others under it. */
static CPU_INLINE int64_t bit_above(uint32_t bits, uint32_t below)
{
#if defined(__BMI2__)
    bits = _pdep_u32((uint32_t)1 << below, bits);
#else
    for (; below > 0; below--) bits &= bits - 1;
#endif
    return (int64_t)count_bits((bits & -bits) - 1);
}

/* Which of 32 samples lie in it, by the type of their places: u8, u16, or u32 for any other. */
static CPU_INLINE uint32_t inside(HaloDtype places, const CpuBins *b, int64_t i, int64_t x, int64_t y)
{
    return places == HALO_U8    ? inside_u8(b, i, x, y)
           : places == HALO_U16 ? inside_u16(b, i, x, y)
                                : inside_u32(b, i, x, y);
}

/* The window at (x, y) holds more than `left` samples of the bin that begins at i. */
static CPU_INLINE int64_t find_in_bin(HaloDtype places, const CpuBins *b, int64_t i, uint32_t left, int64_t x,
                                      int64_t y)
{
    uint32_t bits = inside(places, b, i, x, y), count = count_bits(bits);
    while (count <= left) {
        left -= count;
        i += 32;
        bits = inside(places, b, i, x, y);
        count = count_bits(bits);
    }
    return i + bit_above(bits, left);
}

static CPU_INLINE void find(HaloDtype places, const CpuBins *b, int64_t y, int64_t n, const uint8_t *bin,
                            const uint32_t *rest, uint32_t *key)
{
    for (int64_t x = 0; x < n; x++)
        key[x] = rest[x] == CPU_COUNT_NAN ? HALO_KEY_NAN
                                          : b->key[find_in_bin(places, b, bin[x] * b->size, rest[x], x, y)];
}

static void find_u8(const CpuBins *b, int64_t y, int64_t n, const uint8_t *bin, const uint32_t *rest,
                    uint32_t *key)
{
    find(HALO_U8, b, y, n, bin, rest, key);
}

static void find_u16(const CpuBins *b, int64_t y, int64_t n, const uint8_t *bin, const uint32_t *rest,
                     uint32_t *key)
{
    find(HALO_U16, b, y, n, bin, rest, key);
}

static void find_u32(const CpuBins *b, int64_t y, int64_t n, const uint8_t *bin, const uint32_t *rest,
                     uint32_t *key)
{
    find(HALO_DTYPES, b, y, n, bin, rest, key);
}

const CpuCountKernels CPU_TABLE(count) = {
    .columns = {count_columns_u8, count_columns_u16, count_columns_u32},
    .windows = {count_windows_u8, count_windows_u16, count_windows_u32},
    .find = {find_u8, find_u16, find_u32},
};
