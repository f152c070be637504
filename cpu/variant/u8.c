/* Bytes that become something without being floats first. */
#include "vector.h"

/* ---- tables --------------------------------------------------------------------------------------------- */

#if defined(__AVX2__)
static CPU_INLINE __m256i look_part(const uint8_t *table, int part, __m256i at)
{
    const __m128i entries = _mm_loadu_si128((const __m128i *)(const void *)(table + 16 * part));
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), at);
}

/* A shuffle looks up 16 entries by the lower four bits, or makes 0 where the highest bit is set, which here
 * tells parts of even numbers from odd ones. The upper three bits, each moved to the highest place, choose. */
static CPU_INLINE __m256i look_vector(const uint8_t table[256], __m256i v)
{
    const __m256i low = _mm256_set1_epi8(15), top = _mm256_set1_epi8(-128);
    const __m256i by_64 = _mm256_add_epi8(v, v), by_32 = _mm256_add_epi8(by_64, by_64);
    const __m256i by_16 = _mm256_and_si256(_mm256_add_epi8(by_32, by_32), top);
    const __m256i even = _mm256_or_si256(_mm256_and_si256(v, low), by_16), odd = _mm256_xor_si256(even, top);
    __m256i found[8];
    CPU_UNROLL for (int k = 0; k < 8; k++)
    {
        found[k] = _mm256_or_si256(look_part(table, 2 * k, even), look_part(table, 2 * k + 1, odd));
    }
    CPU_UNROLL for (int k = 0; k < 4; k++) found[k] = _mm256_blendv_epi8(found[2 * k], found[2 * k + 1], by_32);
    CPU_UNROLL for (int k = 0; k < 2; k++) found[k] = _mm256_blendv_epi8(found[2 * k], found[2 * k + 1], by_64);
    return _mm256_blendv_epi8(found[0], found[1], v);
}
#endif

#if defined(__AVX512BW__) && defined(__GNUC__)
/* The table in four registers; two shuffles look up 128 entries each. Not all that runs this variant has them.
 */
__attribute__((target("avx512vbmi"))) static int64_t
look_registers(const uint8_t *restrict samples, int64_t n, const uint8_t table[256], uint8_t *restrict out)
{
    const __m512i a = _mm512_loadu_si512(table), b = _mm512_loadu_si512(table + 64),
                  c = _mm512_loadu_si512(table + 128), d = _mm512_loadu_si512(table + 192);
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i v = _mm512_loadu_si512(samples + i);
        const __m512i low = _mm512_permutex2var_epi8(a, v, b), high = _mm512_permutex2var_epi8(c, v, d);
        _mm512_storeu_si512(out + i, _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), low, high));
    }
    return i;
}
#endif

static void look(const uint8_t *restrict samples, int64_t n, const uint8_t table[256], uint8_t *restrict out)
{
    int64_t i = 0;
#if defined(__AVX512BW__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512vbmi")) i = look_registers(samples, n, table, out);
#endif
#if defined(__AVX2__)
    for (; i + 32 <= n; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(samples + i));
        _mm256_storeu_si256((__m256i *)(void *)(out + i), look_vector(table, v));
    }
#endif
    for (; i < n; i++) out[i] = table[samples[i]];
}

/* ---- colours -------------------------------------------------------------------------------------------- */

/* Bytes are parted by shuffles, four pixels in each half of a vector. */
static void gray(const uint8_t *restrict samples, int64_t pixels, const float w[3], float *restrict out)
{
    int64_t i = 0;
#if defined(__AVX2__)
    const __m256i one = _mm256_set1_epi32(1),
                  at_r = _mm256_setr_epi32(-256, -253, -250, -247, -256, -253, -250, -247),
                  at_g = _mm256_add_epi32(at_r, one), at_b = _mm256_add_epi32(at_g, one);
    const __m256 r = _mm256_set1_ps(w[0]), g = _mm256_set1_ps(w[1]), b = _mm256_set1_ps(w[2]);
    for (; i + 10 <= pixels; i += 8) { /* 28 bytes are read */
        const __m128i *const low = (const __m128i *)(const void *)(samples + 3 * i);
        const __m128i *const high = (const __m128i *)(const void *)(samples + 3 * i + 12);
        const __m256i v = _mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low));
        __m256 gray = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, at_r)), r);
        gray = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, at_g)), g, gray);
        gray = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, at_b)), b, gray);
        _mm256_storeu_ps(out + i, gray);
    }
#endif
    for (; i < pixels; i++) {
        const uint8_t *const from = samples + 3 * i;
        out[i] = halo_gray(from[0], from[1], from[2], w);
    }
}

const CpuU8Kernels CPU_TABLE(u8) = {.look = look, .gray = gray};
