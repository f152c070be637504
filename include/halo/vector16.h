/* For halo's own folders: vectors of sixteen bytes. Their operators (+ - & | ^ ~ > <=) are the compiler's own
 * and go lane by lane; the functions here are what these lack. HALO_VECTOR16 is defined where the machine has
 * them all, HALO_SHUFFLE16 where it also has a table of bytes. */
#ifndef HALO_VECTOR16_H
#define HALO_VECTOR16_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && defined(__SSE2__)
#include <immintrin.h>
#define HALO_VECTOR16
#elif defined(__GNUC__) && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <arm_neon.h>
#define HALO_VECTOR16
#endif

#if defined(HALO_VECTOR16)
typedef uint8_t HaloU8x16 __attribute__((vector_size(16)));
typedef uint16_t HaloU16x8 __attribute__((vector_size(16)));
typedef int16_t HaloS16x8 __attribute__((vector_size(16)));
typedef uint32_t HaloU32x4 __attribute__((vector_size(16)));
typedef uint64_t HaloU64x2 __attribute__((vector_size(16)));

static inline HaloU8x16 halo_load16(const void *at)
{
    HaloU8x16 v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline void halo_store16(void *at, HaloU8x16 v) { memcpy(at, &v, sizeof v); }

/* The first or the last halves of a and b, lane by lane in turn: of a, of b, of a, … */
static inline HaloU8x16 halo_low_u8(HaloU8x16 a, HaloU8x16 b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
static inline HaloU8x16 halo_high_u8(HaloU8x16 a, HaloU8x16 b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
static inline HaloU16x8 halo_low_u16(HaloU16x8 a, HaloU16x8 b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}
static inline HaloU16x8 halo_high_u16(HaloU16x8 a, HaloU16x8 b)
{
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
static inline HaloU32x4 halo_low_u32(HaloU32x4 a, HaloU32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
static inline HaloU32x4 halo_high_u32(HaloU32x4 a, HaloU32x4 b)
{
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
static inline HaloU64x2 halo_low_u64(HaloU64x2 a, HaloU64x2 b) { return __builtin_shufflevector(a, b, 0, 2); }
static inline HaloU64x2 halo_high_u64(HaloU64x2 a, HaloU64x2 b) { return __builtin_shufflevector(a, b, 1, 3); }

/* Of each that follows: mean_up is the mean of two bytes, rounded up; pack saturates to bytes, and narrow takes
 * the lower byte of each lane; sum_u8 has the sums of each half; bits has the highest bit of every byte. Low is
 * the first `size` <= 8 bytes, and 0 behind them. */
#if defined(__SSE2__)
static inline HaloU8x16 halo_min_u8(HaloU8x16 a, HaloU8x16 b)
{
    return (HaloU8x16)_mm_min_epu8((__m128i)a, (__m128i)b);
}
static inline HaloS16x8 halo_min_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloS16x8)_mm_min_epi16((__m128i)a, (__m128i)b);
}
static inline HaloS16x8 halo_max_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloS16x8)_mm_max_epi16((__m128i)a, (__m128i)b);
}
static inline HaloU8x16 halo_mean_up_u8(HaloU8x16 a, HaloU8x16 b)
{
    return (HaloU8x16)_mm_avg_epu8((__m128i)a, (__m128i)b);
}
static inline HaloU8x16 halo_pack_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloU8x16)_mm_packus_epi16((__m128i)a, (__m128i)b);
}
static inline HaloU8x16 halo_narrow_mask(HaloS16x8 a, HaloS16x8 b) /* lanes are 0 or -1 */
{
    return (HaloU8x16)_mm_packs_epi16((__m128i)a, (__m128i)b);
}
static inline HaloU64x2 halo_sum_u8(HaloU8x16 v)
{
    return (HaloU64x2)_mm_sad_epu8((__m128i)v, _mm_setzero_si128());
}
static inline uint32_t halo_bits_u8(HaloU8x16 mask) { return (uint32_t)_mm_movemask_epi8((__m128i)mask); }
static inline HaloU8x16 halo_load_low(const uint8_t *at, size_t size)
{
    uint64_t bytes = 0;
    memcpy(&bytes, at, size);
    return (HaloU8x16)(size <= 4 ? _mm_cvtsi32_si128((int)(uint32_t)bytes)
                                 : _mm_loadl_epi64((const __m128i *)(const void *)&bytes));
}
#if defined(__SSSE3__)
#define HALO_SHUFFLE16
static inline HaloU8x16 halo_shuffle16(HaloU8x16 v, HaloU8x16 order)
{
    return (HaloU8x16)_mm_shuffle_epi8((__m128i)v, (__m128i)order);
}
#endif
#else
static inline HaloU8x16 halo_min_u8(HaloU8x16 a, HaloU8x16 b)
{
    return (HaloU8x16)vminq_u8((uint8x16_t)a, (uint8x16_t)b);
}
static inline HaloS16x8 halo_min_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloS16x8)vminq_s16((int16x8_t)a, (int16x8_t)b);
}
static inline HaloS16x8 halo_max_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloS16x8)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}
static inline HaloU8x16 halo_mean_up_u8(HaloU8x16 a, HaloU8x16 b)
{
    return (HaloU8x16)vrhaddq_u8((uint8x16_t)a, (uint8x16_t)b);
}
static inline HaloU8x16 halo_pack_s16(HaloS16x8 a, HaloS16x8 b)
{
    return (HaloU8x16)vqmovun_high_s16(vqmovun_s16((int16x8_t)a), (int16x8_t)b);
}
static inline HaloU8x16 halo_narrow_mask(HaloS16x8 a, HaloS16x8 b) /* lanes are 0 or -1 */
{
    return (HaloU8x16)vuzp1q_u8((uint8x16_t)a, (uint8x16_t)b);
}
static inline HaloU64x2 halo_sum_u8(HaloU8x16 v)
{
    return (HaloU64x2)vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t)v)));
}
static inline uint32_t halo_bits_u8(HaloU8x16 mask)
{
    const HaloU8x16 place = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = (uint8x16_t)((HaloU8x16)vshrq_n_s8((int8x16_t)mask, 7) & place);
    return (uint32_t)vaddv_u8(vget_low_u8(bits)) | (uint32_t)vaddv_u8(vget_high_u8(bits)) << 8;
}
static inline HaloU8x16 halo_load_low(const uint8_t *at, size_t size)
{
    uint64_t bytes = 0;
    memcpy(&bytes, at, size);
    return (HaloU8x16)vcombine_u64(vcreate_u64(bytes), vcreate_u64(0));
}
#define HALO_SHUFFLE16
static inline HaloU8x16 halo_shuffle16(HaloU8x16 v, HaloU8x16 order)
{
    return (HaloU8x16)vqtbl1q_u8((uint8x16_t)v, (uint8x16_t)order);
}
#endif

static inline void halo_store_low(uint8_t *at, HaloU8x16 v, size_t size)
{
    const uint32_t four = ((HaloU32x4)v)[0];
    const uint64_t eight = ((HaloU64x2)v)[0];
    if (size <= 4)
        memcpy(at, &four, size);
    else
        memcpy(at, &eight, size);
}
#endif

#endif
