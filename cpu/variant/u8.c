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

#if defined(CPU_NEON)
/* An instruction looks up 64 entries, and leaves alone, or makes 0, what is beyond them. */
static int64_t look_quarters(const uint8_t *restrict samples, int64_t n, const uint8_t table[256],
                             uint8_t *restrict out)
{
    uint8x16x4_t quarter[4];
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 4; r++) quarter[k].val[r] = vld1q_u8(table + 64 * k + 16 * r);
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const uint8x16_t v = vld1q_u8(samples + i), quarters = vdupq_n_u8(64);
        const uint8x16_t second = vsubq_u8(v, quarters), third = vsubq_u8(second, quarters);
        uint8x16_t found = vqtbl4q_u8(quarter[0], v);
        found = vqtbx4q_u8(found, quarter[1], second);
        found = vqtbx4q_u8(found, quarter[2], third);
        vst1q_u8(out + i, vqtbx4q_u8(found, quarter[3], vsubq_u8(third, quarters)));
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
#if defined(CPU_NEON)
    i = look_quarters(samples, n, table, out);
#endif
    for (; i < n; i++) out[i] = table[samples[i]];
}

static void step(const uint8_t *restrict samples, int64_t n, uint8_t from, uint8_t below, uint8_t above,
                 uint8_t *restrict out)
{
    for (int64_t i = 0; i < n; i++) out[i] = samples[i] >= from ? above : below;
}

static bool step_past(const uint8_t *restrict samples, int64_t n, uint8_t from, uint8_t below, uint8_t above,
                      uint8_t *restrict out)
{
#if defined(__AVX2__)
    const __m256i limit = _mm256_set1_epi8((char)from), low = _mm256_set1_epi8((char)below),
                  high = _mm256_set1_epi8((char)above);
    if ((uintptr_t)out % 32 != 0 || n % 32 != 0) return false;
    for (int64_t i = 0; i < n; i += 32) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(samples + i));
        const __m256i is_above = _mm256_cmpeq_epi8(_mm256_max_epu8(v, limit), v);
        _mm256_stream_si256((__m256i *)(void *)(out + i), _mm256_blendv_epi8(low, high, is_above));
    }
    return true;
#else
    (void)samples, (void)n, (void)from, (void)below, (void)above, (void)out;
    return false;
#endif
}

static void invert(const uint8_t *restrict samples, int64_t n, uint8_t *restrict out)
{
    for (int64_t i = 0; i < n; i++) out[i] = (uint8_t)(255 - samples[i]);
}

/* ---- colours -------------------------------------------------------------------------------------------- */

#if defined(CPU_NEON)
static CPU_INLINE float32x4_t gray_vector(uint16x4_t r, uint16x4_t g, uint16x4_t b, const float w[3])
{
    float32x4_t gray = vmulq_n_f32(vcvtq_f32_u32(vmovl_u16(r)), w[0]);
    gray = vfmaq_n_f32(gray, vcvtq_f32_u32(vmovl_u16(g)), w[1]);
    return vfmaq_n_f32(gray, vcvtq_f32_u32(vmovl_u16(b)), w[2]);
}
#endif

#if defined(__AVX2__)
typedef struct Gray {
    __m256i at[3]; /* where the bytes of a channel are, in each half of a vector */
    __m256 w[3];
} Gray;

static CPU_INLINE Gray gray_of(const float w[3])
{
    Gray gray = {.at = {_mm256_setr_epi32(-256, -253, -250, -247, -256, -253, -250, -247)}};
    for (int c = 1; c < 3; c++) gray.at[c] = _mm256_add_epi32(gray.at[c - 1], _mm256_set1_epi32(1));
    for (int c = 0; c < 3; c++) gray.w[c] = _mm256_set1_ps(w[c]);
    return gray;
}

/* Of four pixels in the lower bytes of each half. */
static CPU_INLINE __m256 gray_vector(const Gray *gray, __m256i v)
{
    __m256 sum = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, gray->at[0])), gray->w[0]);
    sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, gray->at[1])), gray->w[1], sum);
    return _mm256_fmadd_ps(_mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, gray->at[2])), gray->w[2], sum);
}

/* Vectors of 32 bytes on AVX-512, too: those of 64 take twice as long. */
static void gray_to_bytes(const uint8_t *restrict samples, int64_t pixels, const float w[3],
                          uint8_t *restrict out)
{
    const Gray gray = gray_of(w);
    const __m256i halves = _mm256_setr_epi32(0, 1, 2, 2, 3, 4, 5, 5),
                  last = _mm256_setr_epi32(2, 3, 4, 4, 5, 6, 7, 7), /* of the 24 bytes at the end of a vector */
        order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    int64_t i = 0;
    for (; i + 32 <= pixels; i += 32) {
        __m256i rounded[4];
        CPU_UNROLL for (int k = 0; k < 4; k++)
        {
            const int64_t at = 3 * i + (k < 3 ? 24 * k : 64);
            const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(samples + at));
            const __m256i parted = _mm256_permutevar8x32_epi32(v, k < 3 ? halves : last);
            rounded[k] = _mm256_cvtps_epi32(gray_vector(&gray, parted));
        }
        const __m256i low = _mm256_packs_epi32(rounded[0], rounded[1]),
                      high = _mm256_packs_epi32(rounded[2], rounded[3]);
        const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
        _mm256_storeu_si256((__m256i *)(void *)(out + i), bytes);
    }
    for (; i < pixels; i++) {
        const uint8_t *const from = samples + 3 * i;
        out[i] = (uint8_t)halo_round(halo_gray(from[0], from[1], from[2], w));
    }
}
#else
#define gray_to_bytes NULL
#endif

/* Bytes are parted by shuffles, four pixels in each half of a vector. */
static void gray(const uint8_t *restrict samples, int64_t pixels, const float w[3], float *restrict out)
{
    int64_t i = 0;
#if defined(__AVX2__)
    const Gray gray = gray_of(w);
    for (; i + 10 <= pixels; i += 8) { /* 28 bytes are read */
        const __m128i *const low = (const __m128i *)(const void *)(samples + 3 * i);
        const __m128i *const high = (const __m128i *)(const void *)(samples + 3 * i + 12);
        const __m256i v = _mm256_set_m128i(_mm_loadu_si128(high), _mm_loadu_si128(low));
        _mm256_storeu_ps(out + i, gray_vector(&gray, v));
    }
#elif defined(CPU_NEON)
    for (; i + 8 <= pixels; i += 8) {
        const uint8x8x3_t v = vld3_u8(samples + 3 * i);
        const uint16x8_t r = vmovl_u8(v.val[0]), g = vmovl_u8(v.val[1]), b = vmovl_u8(v.val[2]);
        vst1q_f32(out + i, gray_vector(vget_low_u16(r), vget_low_u16(g), vget_low_u16(b), w));
        vst1q_f32(out + i + 4, gray_vector(vget_high_u16(r), vget_high_u16(g), vget_high_u16(b), w));
    }
#endif
    for (; i < pixels; i++) {
        const uint8_t *const from = samples + 3 * i;
        out[i] = halo_gray(from[0], from[1], from[2], w);
    }
}

const CpuU8Kernels CPU_TABLE(u8) = {.look = look,
                                    .step = step,
                                    .invert = invert,
                                    .step_past = step_past,
                                    .gray = gray,
                                    .gray_bytes = gray_to_bytes};
