/* Rank filters: samples as keys, the exchanges of a sorting network, and medians that are all in registers. */
#include "variant.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Bytes of a vector of keys, and what the machine calls an operation on such. */
#if defined(__AVX512BW__)
#define KEYS 64
#define ON_KEYS(operation) _mm512_##operation
typedef __m512i KeyBits;
#elif defined(__AVX2__)
#define KEYS 32
#define ON_KEYS(operation) _mm256_##operation
typedef __m256i KeyBits;
#else
#define KEYS 16
#endif

#define KEY uint8_t
#define TYPE u8
#define KEY_OF(v) (uint8_t)(int32_t)(v)
#if defined(ON_KEYS)
#define LESSER(a, b) ON_KEYS(min_epu8)((KeyBits)(a), (KeyBits)(b))
#define GREATER(a, b) ON_KEYS(max_epu8)((KeyBits)(a), (KeyBits)(b))
#elif defined(__SSE2__)
#define LESSER(a, b) _mm_min_epu8((__m128i)(a), (__m128i)(b))
#define GREATER(a, b) _mm_max_epu8((__m128i)(a), (__m128i)(b))
#elif defined(CPU_NEON)
#define LESSER(a, b) vminq_u8((uint8x16_t)(a), (uint8x16_t)(b))
#define GREATER(a, b) vmaxq_u8((uint8x16_t)(a), (uint8x16_t)(b))
#endif
#include "rank_tmpl.h"

#define KEY uint16_t
#define TYPE u16
#define KEY_OF(v) (uint16_t)(int32_t)(v)
#if defined(ON_KEYS)
#define LESSER(a, b) ON_KEYS(min_epu16)((KeyBits)(a), (KeyBits)(b))
#define GREATER(a, b) ON_KEYS(max_epu16)((KeyBits)(a), (KeyBits)(b))
#elif defined(__SSE2__) /* saturating differences, for want of the minimum itself */
#define LESSER(a, b) _mm_sub_epi16((__m128i)(a), _mm_subs_epu16((__m128i)(a), (__m128i)(b)))
#define GREATER(a, b) _mm_add_epi16((__m128i)(b), _mm_subs_epu16((__m128i)(a), (__m128i)(b)))
#elif defined(CPU_NEON)
#define LESSER(a, b) vminq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#define GREATER(a, b) vmaxq_u16((uint16x8_t)(a), (uint16x8_t)(b))
#endif
#include "rank_tmpl.h"

/* halo_key, and back, as masks: GCC 12 makes more of the selects. */
static inline uint32_t key_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits ^ ((0u - (bits >> 31)) | 0x80000000u)) | (v != v ? HALO_KEY_NAN : 0u);
}

static inline float float_of(uint32_t key)
{
    const uint32_t nan = key == HALO_KEY_NAN ? 0x003fffffu : 0u;
    const uint32_t bits = (key ^ (((key >> 31) - 1u) | 0x80000000u)) & ~nan;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#define KEY uint32_t
#define TYPE u32
#define KEY_OF(v) key_of(v)
#define NAN_KEY HALO_KEY_NAN
#if defined(ON_KEYS)
#define LESSER(a, b) ON_KEYS(min_epu32)((KeyBits)(a), (KeyBits)(b))
#define GREATER(a, b) ON_KEYS(max_epu32)((KeyBits)(a), (KeyBits)(b))
#elif defined(CPU_NEON)
#define LESSER(a, b) vminq_u32((uint32x4_t)(a), (uint32x4_t)(b))
#define GREATER(a, b) vmaxq_u32((uint32x4_t)(a), (uint32x4_t)(b))
#endif
#include "rank_tmpl.h"

#define KEY float
#define TYPE f32
#define KEY_OF(v) (v)
#if defined(__AVX512F__)
#define LESSER(a, b) _mm512_min_ps((__m512)(a), (__m512)(b))
#define GREATER(a, b) _mm512_max_ps((__m512)(a), (__m512)(b))
#elif defined(__AVX2__)
#define LESSER(a, b) _mm256_min_ps((__m256)(a), (__m256)(b))
#define GREATER(a, b) _mm256_max_ps((__m256)(a), (__m256)(b))
#elif defined(__SSE2__)
#define LESSER(a, b) _mm_min_ps((__m128)(a), (__m128)(b))
#define GREATER(a, b) _mm_max_ps((__m128)(a), (__m128)(b))
#elif defined(CPU_NEON) /* no NaN, and one zero: are_real */
#define LESSER(a, b) vminq_f32((float32x4_t)(a), (float32x4_t)(b))
#define GREATER(a, b) vmaxq_f32((float32x4_t)(a), (float32x4_t)(b))
#endif
#include "rank_tmpl.h"

static void from_keys(const uint32_t *restrict keys, int64_t n, float *restrict row)
{
    for (int64_t i = 0; i < n; i++) row[i] = float_of(keys[i]);
}

static void to_offset_keys(const float *restrict row, int64_t n, uint32_t offset, uint32_t *restrict keys)
{
    for (int64_t i = 0; i < n; i++) keys[i] = key_of(row[i]) + offset;
}

static void from_offset_keys(const uint32_t *restrict keys, int64_t n, uint32_t offset, float *restrict row)
{
    for (int64_t i = 0; i < n; i++) row[i] = float_of(keys[i] - offset);
}

static bool any_nan(const uint32_t *keys, int64_t n)
{
    uint32_t any = 0;
    for (int64_t i = 0; i < n; i++) any |= keys[i] == HALO_KEY_NAN;
    return any != 0;
}

static bool are_real(const float *row, int64_t n)
{
    uint32_t any = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &row[i], sizeof bits);
        any |= (uint32_t)(bits == 0x80000000u) | (uint32_t)((bits & 0x7fffffffu) > 0x7f800000u);
    }
    return any == 0;
}

const CpuRankKernels CPU_TABLE(rank) = {.to_keys = {to_keys_u8, to_keys_u16, to_keys_u32, to_keys_f32},
                                        .from_keys = from_keys,
                                        .to_offset_keys = to_offset_keys,
                                        .from_offset_keys = from_offset_keys,
                                        .any_nan = any_nan,
                                        .are_real = are_real,
                                        .exchange = {exchange_u8, exchange_u16, exchange_u32, exchange_f32},
                                        .extreme = {{lesser_u8, lesser_u16, lesser_u32, lesser_f32},
                                                    {greater_u8, greater_u16, greater_u32, greater_f32}},
                                        .extreme_of = {{least_of_u8, least_of_u16, least_of_u32, least_of_f32},
                                                       {most_of_u8, most_of_u16, most_of_u32, most_of_f32}},
                                        .median = {{median3_u8, median3_u16, median3_u32, median3_f32},
                                                   {median5_u8, median5_u16, median5_u32, median5_f32}}};
