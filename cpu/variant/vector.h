/* Vectors of floats, for the one loop whose sums have to be in registers from the first tap to the last: with
 * plain arrays GCC 12 moves them to the stack and back for every line (half the speed for a 3x3 mask). */
#ifndef CPU_VECTOR_H
#define CPU_VECTOR_H

#include "variant.h"

/* Keeps a vector in a register: GCC would rather load it again for every sum it goes into. */
#if defined(__GNUC__) && defined(__AVX__)
#define CPU_KEEP(v) __asm__("" : "+v"(v))
#elif defined(__GNUC__) && defined(CPU_NEON)
#define CPU_KEEP(v) __asm__("" : "+w"(v))
#else
#define CPU_KEEP(v) ((void)0)
#endif

/* Of each operation: fnma is c - a * b, rounded once; above_zero leaves what is, and makes +0 of all else, NaN
 * too; where_number leaves v where y is no NaN, and makes +0 where it is; canonical makes the one NaN of all.
 * CPU_REGISTERS: how many vectors can be at hand; 0 where they are arrays. */
#if defined(__AVX512F__)
#include <immintrin.h>
#define CPU_LANES 16
#define CPU_REGISTERS 32
typedef __m512 CpuVector;
static CPU_INLINE CpuVector vector_load(const float *at) { return _mm512_loadu_ps(at); }
static CPU_INLINE void vector_store(float *at, CpuVector v) { _mm512_storeu_ps(at, v); }
static CPU_INLINE void vector_stream(float *at, CpuVector v) { _mm512_stream_ps(at, v); } /* `at` aligned */
static CPU_INLINE CpuVector vector_of(float v) { return _mm512_set1_ps(v); }
static CPU_INLINE CpuVector vector_fma(CpuVector a, CpuVector b, CpuVector c)
{
    return _mm512_fmadd_ps(a, b, c);
}
static CPU_INLINE CpuVector vector_fnma(CpuVector a, CpuVector b, CpuVector c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
static CPU_INLINE CpuVector vector_add(CpuVector a, CpuVector b) { return _mm512_add_ps(a, b); }
static CPU_INLINE CpuVector vector_sub(CpuVector a, CpuVector b) { return _mm512_sub_ps(a, b); }
static CPU_INLINE CpuVector vector_mul(CpuVector a, CpuVector b) { return _mm512_mul_ps(a, b); }
static CPU_INLINE CpuVector vector_div(CpuVector a, CpuVector b) { return _mm512_div_ps(a, b); }
static CPU_INLINE CpuVector vector_above_zero(CpuVector v) { return _mm512_max_ps(v, _mm512_setzero_ps()); }
static CPU_INLINE CpuVector vector_where_number(CpuVector y, CpuVector v)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(y, y, _CMP_ORD_Q), v);
}
static CPU_INLINE CpuVector vector_canonical(CpuVector v)
{
    return _mm512_mask_mov_ps(vector_of(NAN), _mm512_cmp_ps_mask(v, v, _CMP_ORD_Q), v);
}

#elif defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
#define CPU_LANES 8
#define CPU_REGISTERS 16
typedef __m256 CpuVector;
static CPU_INLINE CpuVector vector_load(const float *at) { return _mm256_loadu_ps(at); }
static CPU_INLINE void vector_store(float *at, CpuVector v) { _mm256_storeu_ps(at, v); }
static CPU_INLINE void vector_stream(float *at, CpuVector v) { _mm256_stream_ps(at, v); }
static CPU_INLINE CpuVector vector_of(float v) { return _mm256_set1_ps(v); }
static CPU_INLINE CpuVector vector_fma(CpuVector a, CpuVector b, CpuVector c)
{
    return _mm256_fmadd_ps(a, b, c);
}
static CPU_INLINE CpuVector vector_fnma(CpuVector a, CpuVector b, CpuVector c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
static CPU_INLINE CpuVector vector_add(CpuVector a, CpuVector b) { return _mm256_add_ps(a, b); }
static CPU_INLINE CpuVector vector_sub(CpuVector a, CpuVector b) { return _mm256_sub_ps(a, b); }
static CPU_INLINE CpuVector vector_mul(CpuVector a, CpuVector b) { return _mm256_mul_ps(a, b); }
static CPU_INLINE CpuVector vector_div(CpuVector a, CpuVector b) { return _mm256_div_ps(a, b); }
static CPU_INLINE CpuVector vector_above_zero(CpuVector v) { return _mm256_max_ps(v, _mm256_setzero_ps()); }
static CPU_INLINE CpuVector vector_where_number(CpuVector y, CpuVector v)
{
    return _mm256_and_ps(_mm256_cmp_ps(y, y, _CMP_ORD_Q), v);
}
static CPU_INLINE CpuVector vector_canonical(CpuVector v)
{
    return _mm256_blendv_ps(vector_of(NAN), v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
}

#elif defined(CPU_NEON)
#define CPU_LANES 4
#define CPU_REGISTERS 32
typedef float32x4_t CpuVector;
static CPU_INLINE CpuVector vector_load(const float *at) { return vld1q_f32(at); }
static CPU_INLINE void vector_store(float *at, CpuVector v) { vst1q_f32(at, v); }
static CPU_INLINE void vector_stream(float *at, CpuVector v) { vst1q_f32(at, v); }
static CPU_INLINE CpuVector vector_of(float v) { return vdupq_n_f32(v); }
static CPU_INLINE CpuVector vector_fma(CpuVector a, CpuVector b, CpuVector c) { return vfmaq_f32(c, a, b); }
static CPU_INLINE CpuVector vector_fnma(CpuVector a, CpuVector b, CpuVector c) { return vfmsq_f32(c, a, b); }
static CPU_INLINE CpuVector vector_add(CpuVector a, CpuVector b) { return vaddq_f32(a, b); }
static CPU_INLINE CpuVector vector_sub(CpuVector a, CpuVector b) { return vsubq_f32(a, b); }
static CPU_INLINE CpuVector vector_mul(CpuVector a, CpuVector b) { return vmulq_f32(a, b); }
static CPU_INLINE CpuVector vector_div(CpuVector a, CpuVector b) { return vdivq_f32(a, b); }
static CPU_INLINE CpuVector vector_where(uint32x4_t mask, CpuVector v)
{
    return vreinterpretq_f32_u32(vandq_u32(mask, vreinterpretq_u32_f32(v)));
}
static CPU_INLINE CpuVector vector_above_zero(CpuVector v) { return vector_where(vcgtzq_f32(v), v); }
static CPU_INLINE CpuVector vector_where_number(CpuVector y, CpuVector v)
{
    return vector_where(vceqq_f32(y, y), v);
}
static CPU_INLINE CpuVector vector_canonical(CpuVector v)
{
    return vbslq_f32(vceqq_f32(v, v), v, vector_of(NAN));
}

#else                /* any machine: the compiler's own vectors, if it finds some */
#define CPU_LANES 16 /* a loop as long as this GCC leaves to its vectoriser, a shorter one it takes apart */
#define CPU_REGISTERS 0
typedef struct CpuVector {
    float lane[CPU_LANES];
} CpuVector;
static CPU_INLINE CpuVector vector_load(const float *at)
{
    CpuVector v;
    memcpy(&v, at, sizeof v);
    return v;
}
static CPU_INLINE void vector_store(float *at, CpuVector v) { memcpy(at, &v, sizeof v); }
static CPU_INLINE void vector_stream(float *at, CpuVector v) { memcpy(at, &v, sizeof v); }
static CPU_INLINE CpuVector vector_of(float value)
{
    CpuVector v;
    for (int i = 0; i < CPU_LANES; i++) v.lane[i] = value;
    return v;
}
/* Without an instruction it is long: a file that is slow to compile has it called. */
#ifndef CPU_FMA
#define CPU_FMA CPU_INLINE
#endif
static CPU_FMA CpuVector vector_fma(CpuVector a, CpuVector b, CpuVector c)
{
    for (int i = 0; i < CPU_LANES; i++) c.lane[i] = halo_fma(a.lane[i], b.lane[i], c.lane[i]);
    return c;
}
static CPU_FMA CpuVector vector_fnma(CpuVector a, CpuVector b, CpuVector c)
{
    for (int i = 0; i < CPU_LANES; i++) c.lane[i] = halo_fma(-a.lane[i], b.lane[i], c.lane[i]);
    return c;
}
static CPU_INLINE CpuVector vector_add(CpuVector a, CpuVector b)
{
    for (int i = 0; i < CPU_LANES; i++) a.lane[i] = a.lane[i] + b.lane[i];
    return a;
}
static CPU_INLINE CpuVector vector_sub(CpuVector a, CpuVector b)
{
    for (int i = 0; i < CPU_LANES; i++) a.lane[i] = a.lane[i] - b.lane[i];
    return a;
}
static CPU_INLINE CpuVector vector_mul(CpuVector a, CpuVector b)
{
    for (int i = 0; i < CPU_LANES; i++) a.lane[i] = a.lane[i] * b.lane[i];
    return a;
}
static CPU_INLINE CpuVector vector_div(CpuVector a, CpuVector b)
{
    for (int i = 0; i < CPU_LANES; i++) a.lane[i] = a.lane[i] / b.lane[i];
    return a;
}
static CPU_INLINE CpuVector vector_above_zero(CpuVector v)
{
    for (int i = 0; i < CPU_LANES; i++) v.lane[i] = v.lane[i] > 0.0f ? v.lane[i] : 0.0f;
    return v;
}
static CPU_INLINE CpuVector vector_where_number(CpuVector y, CpuVector v)
{
    for (int i = 0; i < CPU_LANES; i++) v.lane[i] = y.lane[i] == y.lane[i] ? v.lane[i] : 0.0f;
    return v;
}
static CPU_INLINE CpuVector vector_canonical(CpuVector v)
{
    for (int i = 0; i < CPU_LANES; i++) v.lane[i] = halo_canonical(v.lane[i]);
    return v;
}
#endif

/* Results, with the one NaN there is; past the caches where `to` is aligned for it. */
static CPU_INLINE void vectors_put(const CpuVector *v, int vectors, bool past, float *to)
{
    CPU_UNROLL for (int k = 0; k < vectors; k++)
    {
        const CpuVector result = vector_canonical(v[k]);
        if (past)
            vector_stream(to + k * CPU_LANES, result);
        else
            vector_store(to + k * CPU_LANES, result);
    }
}

/* Asks for so many. */
static CPU_INLINE void vectors_fetch(const float *at, int vectors)
{
    CPU_UNROLL for (int i = 0; i < vectors * CPU_LANES; i += 16) CPU_FETCH(at, i); /* floats in a cache line */
}

#if defined(CPU_NEON)
/* Rounded to integers, the lower halves of them. */
static CPU_INLINE uint16x8_t vector_pair_to_words(CpuVector a, CpuVector b)
{
    return vuzp1q_u16(vreinterpretq_u16_s32(vcvtnq_s32_f32(a)), vreinterpretq_u16_s32(vcvtnq_s32_f32(b)));
}
#endif

/* Vectors rounded to bytes, none of which is beyond them; a multiple of four. */
static CPU_INLINE void vectors_to_bytes(const CpuVector *v, int vectors, uint8_t *to)
{
#if defined(__AVX512F__)
    CPU_UNROLL for (int k = 0; k < vectors; k++)
    {
        _mm_storeu_si128((__m128i *)(void *)(to + 16 * k), _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(v[k])));
    }
#elif defined(__AVX2__)
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    CPU_UNROLL for (int k = 0; k < vectors; k += 4)
    {
        const __m256i low = _mm256_packs_epi32(_mm256_cvtps_epi32(v[k]), _mm256_cvtps_epi32(v[k + 1])),
                      high = _mm256_packs_epi32(_mm256_cvtps_epi32(v[k + 2]), _mm256_cvtps_epi32(v[k + 3]));
        _mm256_storeu_si256((__m256i *)(void *)(to + 8 * k),
                            _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
    }
#elif defined(CPU_NEON)
    CPU_UNROLL for (int k = 0; k < vectors; k += 4)
    {
        const uint16x8_t low = vector_pair_to_words(v[k], v[k + 1]),
                         high = vector_pair_to_words(v[k + 2], v[k + 3]);
        vst1q_u8(to + 4 * k, vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high)));
    }
#else
    float sample[CPU_LANES];
    for (int k = 0; k < vectors; k++) {
        vector_store(sample, v[k]);
        for (int i = 0; i < CPU_LANES; i++) to[k * CPU_LANES + i] = (uint8_t)halo_round(sample[i]);
    }
#endif
}

/* The same of an even number of vectors to u16. */
static CPU_INLINE void vectors_to_words(const CpuVector *v, int vectors, uint16_t *to)
{
#if defined(__AVX512F__)
    CPU_UNROLL for (int k = 0; k < vectors; k++)
    {
        _mm256_storeu_si256((__m256i *)(void *)(to + 16 * k),
                            _mm512_cvtusepi32_epi16(_mm512_cvtps_epi32(v[k])));
    }
#elif defined(__AVX2__)
    CPU_UNROLL for (int k = 0; k < vectors; k += 2)
    {
        const __m256i words = _mm256_packus_epi32(_mm256_cvtps_epi32(v[k]), _mm256_cvtps_epi32(v[k + 1]));
        _mm256_storeu_si256((__m256i *)(void *)(to + 8 * k), _mm256_permute4x64_epi64(words, 0xd8));
    }
#elif defined(CPU_NEON)
    CPU_UNROLL for (int k = 0; k < vectors; k += 2) vst1q_u16(to + 4 * k, vector_pair_to_words(v[k], v[k + 1]));
#else
    float sample[CPU_LANES];
    for (int k = 0; k < vectors; k++) {
        vector_store(sample, v[k]);
        for (int i = 0; i < CPU_LANES; i++) to[k * CPU_LANES + i] = (uint16_t)halo_round(sample[i]);
    }
#endif
}

#endif
