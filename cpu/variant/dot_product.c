/* Integer dot products: two products at a time, of a pair of lines whose samples lie side by side.
 */
#include "vector.h"

#if defined(__AVX512BW__)
#define DOT_BYTES 64
typedef __m512i DotVector;
static CPU_INLINE DotVector dot_load(const void *at) { return _mm512_loadu_si512(at); }
static CPU_INLINE void dot_store(void *at, DotVector v) { _mm512_storeu_si512(at, v); }
static CPU_INLINE DotVector dot_of(int32_t v) { return _mm512_set1_epi32(v); }
static CPU_INLINE DotVector dot_add(DotVector sum, DotVector samples, DotVector taps)
{
    return _mm512_add_epi16(sum, _mm512_maddubs_epi16(samples, taps));
}
#define DOT_VECTORS 6
#elif defined(__AVX2__)
#define DOT_BYTES 32
typedef __m256i DotVector;
static CPU_INLINE DotVector dot_load(const void *at) { return _mm256_loadu_si256(at); }
static CPU_INLINE void dot_store(void *at, DotVector v) { _mm256_storeu_si256(at, v); }
static CPU_INLINE DotVector dot_of(int32_t v) { return _mm256_set1_epi32(v); }
static CPU_INLINE DotVector dot_add(DotVector sum, DotVector samples, DotVector taps)
{
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(samples, taps));
}
#define DOT_VECTORS 2
#endif

#if defined(DOT_BYTES)
_Static_assert(DOT_BYTES <= CPU_DOT_SLACK, "the last vector may reach past the row");

/* ---- groups of lines ------------------------------------------------------------------------------------ */

/* Sample i of one line, sample i of the next, and so on. */
static void group(const void *const *line, int64_t n, void *groups)
{
    const uint8_t *const a = line[0], *const b = line[1];
    __m128i *to = groups;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16, to += 2) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(a + i)),
                      y = _mm_loadu_si128((const __m128i *)(const void *)(b + i));
        _mm_storeu_si128(to, _mm_unpacklo_epi8(x, y));
        _mm_storeu_si128(to + 1, _mm_unpackhi_epi8(x, y));
    }
    for (uint8_t *at = (uint8_t *)to; i < n; i++, at += 2) at[0] = a[i], at[1] = b[i];
}

/* ---- sums ----------------------------------------------------------------------------------------------- */

#define NAME block
#define VECTORS DOT_VECTORS
#include "dot_product_tmpl.h"

#define NAME edge
#define VECTORS 1
#include "dot_product_tmpl.h"

static void sum(const CpuDotMask *dot, const void *const *group, int64_t n, void *out, int64_t pitch)
{
    const int64_t lanes = DOT_BYTES / 2;
    int64_t at = 0;
    for (; at + DOT_VECTORS * lanes <= n; at += DOT_VECTORS * lanes) block(dot, group, at, out, pitch);
    for (; at < n; at += lanes) edge(dot, group, at, out, pitch);
}

/* ---- results -------------------------------------------------------------------------------------------- */

static void widen(const int16_t *restrict sum, int64_t n, int32_t start, bool first, int32_t *restrict wide)
{
    if (first) {
        for (int64_t i = 0; i < n; i++) wide[i] = sum[i] - start;
    } else {
        for (int64_t i = 0; i < n; i++) wide[i] += sum[i] - start;
    }
}

static void to_floats(const int16_t *sum, int64_t n, bool is_signed, float unit, void *to)
{
    const __m256 units = _mm256_set1_ps(unit);
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(sum + i));
        const __m256i wide = is_signed ? _mm256_cvtepi16_epi32(v) : _mm256_cvtepu16_epi32(v);
        const __m256 made = _mm256_mul_ps(_mm256_cvtepi32_ps(wide), units);
        _mm256_storeu_si256((__m256i *)(void *)((char *)to + i * 4), _mm256_castps_si256(made));
    }
    for (; i < n; i++) {
        const float made = (float)(is_signed ? sum[i] : (uint16_t)sum[i]) * unit;
        memcpy((char *)to + i * 4, &made, sizeof made);
    }
}

static void wide_to_floats(const int32_t *sum, int64_t n, float unit, void *to)
{
    for (int64_t i = 0; i < n; i++) {
        const float made = (float)sum[i] * unit;
        memcpy((char *)to + i * 4, &made, sizeof made);
    }
}

/* Sixteen sums over 2^shift, half to even. */
static CPU_INLINE __m256i rounded(const int16_t *sum, bool is_signed, __m128i shift, __m256i half)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)sum);
    const __m256i odd = is_signed ? _mm256_sra_epi16(v, shift) : _mm256_srl_epi16(v, shift);
    const __m256i up = _mm256_add_epi16(_mm256_and_si256(odd, _mm256_set1_epi16(1)), half);
    const __m256i moved = _mm256_add_epi16(v, up);
    return is_signed ? _mm256_sra_epi16(moved, shift) : _mm256_srl_epi16(moved, shift);
}

static CPU_INLINE uint64_t to_bytes_by(const int16_t *sum, int64_t n, bool is_signed, int shift, uint8_t *to)
{
    const __m128i by = _mm_cvtsi32_si128(shift);
    const __m256i zero = _mm256_setzero_si256(), half = _mm256_set1_epi16((int16_t)((1 << shift >> 1) - 1));
    uint64_t kept = 0;
    for (int64_t i = 0; i < n; i += 32) {
        __m256i v[2];
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            const int16_t *const from = sum + i + 16 * k;
            v[k] = shift == 0 ? _mm256_loadu_si256((const __m256i *)(const void *)from)
                              : rounded(from, is_signed, by, half);
            if (!is_signed) v[k] = _mm256_min_epu16(v[k], _mm256_set1_epi16(256)); /* packing takes a sign */
        }
        const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(v[0], v[1]), 0xd8);
        const __m256i fits = _mm256_packs_epi16(_mm256_cmpeq_epi16(_mm256_srli_epi16(v[0], 8), zero),
                                                _mm256_cmpeq_epi16(_mm256_srli_epi16(v[1], 8), zero));
        const unsigned which = (unsigned)_mm256_movemask_epi8(_mm256_permute4x64_epi64(fits, 0xd8));
        if (n - i >= 32) {
            _mm256_storeu_si256((__m256i *)(void *)(to + i), bytes);
            kept += (unsigned)__builtin_popcount(which);
        } else {
            uint8_t last[32];
            _mm256_storeu_si256((__m256i *)(void *)last, bytes);
            memcpy(to + i, last, (size_t)(n - i));
            kept += (unsigned)__builtin_popcount(which & ((1u << (n - i)) - 1));
        }
    }
    return (uint64_t)n - kept;
}

static uint64_t to_bytes(const int16_t *sum, int64_t n, bool is_signed, int shift, uint8_t *to)
{
    if (shift == 0 && is_signed) return to_bytes_by(sum, n, true, 0, to);
    return is_signed ? to_bytes_by(sum, n, true, shift, to) : to_bytes_by(sum, n, false, shift, to);
}

const CpuDotKernels CPU_TABLE(dot_product) = {.group = group,
                                              .sum = sum,
                                              .widen = widen,
                                              .to_floats = to_floats,
                                              .wide_to_floats = wide_to_floats,
                                              .to_bytes = to_bytes};
#else
const CpuDotKernels CPU_TABLE(dot_product) = {0};
#endif
