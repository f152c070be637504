/* Rows of samples: conversion to f32 and back, and points. */
#include "halo/fade.h"
#include "halo/mix.h"
#include "vector.h"

/* ---- samples -------------------------------------------------------------------------------------------- */

/* Clipped samples are counted in 32 bits, as wide as the samples' lanes, and added up this often. */
#define COUNT_BLOCK 65536

static void rescale(float *restrict row, int64_t n, HaloStore how)
{
    if (how.num == 1.0f && how.den == 1.0f) return;
    for (int64_t i = 0; i < n; i++) row[i] = halo_rescale(row[i], how);
}

/* halo_quantise by integers. halo_round's sum v + 1.5 * 2^23 holds the rounded v in its lowest bits, and as an
 * integer it grows with v, so that what is too large for the sum to be exact saturates like the rest. */
#define ROUNDED_ZERO 0x4b400000

static inline int32_t rounded(float v)
{
    const float sum = v + 12582912.0f;
    int32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

#if defined(__AVX2__)
/* Vectors of this: a NaN, and what is less than -1, becomes -1, what is more than `past` that. */
static CPU_INLINE __m256i rounded_vector(const float *row, float past)
{
    const __m256 v = _mm256_max_ps(_mm256_loadu_ps(row), _mm256_set1_ps(-1.0f));
    return _mm256_cvtps_epi32(_mm256_min_ps(v, _mm256_set1_ps(past)));
}

/* What is clipped has a bit above the lower eight, or sixteen; the lanes that have none count down. */
static int64_t store_vectors_u8(const float *restrict row, int64_t n, uint8_t *restrict to, unsigned *lost)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), zero = _mm256_setzero_si256();
    __m256i kept = zero;
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i v[2];
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            v[k] = _mm256_packs_epi32(rounded_vector(row + i + 16 * k, 256.0f),
                                      rounded_vector(row + i + 16 * k + 8, 256.0f));
            kept = _mm256_add_epi16(kept, _mm256_cmpeq_epi16(_mm256_srli_epi16(v[k], 8), zero));
        }
        const __m256i bytes = _mm256_packus_epi16(v[0], v[1]);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), _mm256_permutevar8x32_epi32(bytes, order));
    }
    int16_t lane[16];
    _mm256_storeu_si256((__m256i *)(void *)lane, kept);
    *lost += (unsigned)i;
    for (int k = 0; k < 16; k++) *lost += (unsigned)lane[k];
    return i;
}

static int64_t store_vectors_u16(const float *restrict row, int64_t n, uint16_t *restrict to, unsigned *lost)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i kept = zero;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m256i v[2];
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            v[k] = rounded_vector(row + i + 8 * k, 65536.0f);
            kept = _mm256_add_epi32(kept, _mm256_cmpeq_epi32(_mm256_srli_epi32(v[k], 16), zero));
        }
        const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(v[0], v[1]), 0xd8);
        _mm256_storeu_si256((__m256i *)(void *)(to + i), words);
    }
    int32_t lane[8];
    _mm256_storeu_si256((__m256i *)(void *)lane, kept);
    *lost += (unsigned)i;
    for (int k = 0; k < 8; k++) *lost += (unsigned)lane[k];
    return i;
}
#elif defined(CPU_NEON)
/* The same of four. */
static CPU_INLINE int32x4_t rounded_vector(const float *row, float past)
{
    const float32x4_t v = vld1q_f32(row), lowest = vdupq_n_f32(-1.0f);
    return vcvtnq_s32_f32(vminq_f32(vbslq_f32(vcgtq_f32(v, lowest), v, lowest), vdupq_n_f32(past)));
}

static CPU_INLINE int16x8_t rounded_pair(const float *row, float past)
{
    return vqmovn_high_s32(vqmovn_s32(rounded_vector(row, past)), rounded_vector(row + 4, past));
}

static int64_t store_vectors_u8(const float *restrict row, int64_t n, uint8_t *restrict to, unsigned *lost)
{
    uint16x8_t kept = vdupq_n_u16(0);
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        int16x8_t v[2];
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            v[k] = rounded_pair(row + i + 8 * k, 256.0f);
            kept = vsubq_u16(kept, vcltq_u16(vreinterpretq_u16_s16(v[k]), vdupq_n_u16(256)));
        }
        vst1q_u8(to + i, vqmovun_high_s16(vqmovun_s16(v[0]), v[1]));
    }
    *lost += (unsigned)i - vaddlvq_u16(kept);
    return i;
}

static int64_t store_vectors_u16(const float *restrict row, int64_t n, uint16_t *restrict to, unsigned *lost)
{
    uint32x4_t kept = vdupq_n_u32(0);
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        int32x4_t v[2];
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            v[k] = rounded_vector(row + i + 4 * k, 65536.0f);
            kept = vsubq_u32(kept, vcltq_u32(vreinterpretq_u32_s32(v[k]), vdupq_n_u32(65536)));
        }
        vst1q_u16(to + i, vqmovun_high_s32(vqmovun_s32(v[0]), v[1]));
    }
    *lost += (unsigned)i - vaddvq_u32(kept);
    return i;
}
#else
static int64_t store_vectors_u8(const float *row, int64_t n, uint8_t *to, unsigned *lost)
{
    (void)row, (void)n, (void)to, (void)lost;
    return 0;
}

static int64_t store_vectors_u16(const float *row, int64_t n, uint16_t *to, unsigned *lost)
{
    (void)row, (void)n, (void)to, (void)lost;
    return 0;
}
#endif

#if defined(__AVX2__)
static int64_t load_vectors_u8(const void *samples, int64_t n, float *restrict row)
{
    const uint8_t *const from = samples;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i v = _mm_loadl_epi64((const __m128i *)(const void *)(from + i));
        _mm256_storeu_ps(row + i, _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(v)));
    }
    return i;
}
#define LOAD_VECTORS
#endif

#define SAMPLE uint8_t
#define TYPE u8
#define WHITE 255
#include "rows_tmpl.h"

#define SAMPLE uint16_t
#define TYPE u16
#define WHITE 65535
#include "rows_tmpl.h"

#define SAMPLE float
#define TYPE f32
#include "rows_tmpl.h"

#define READ_ONLY
#define SAMPLE int64_t
#define TYPE i64
#include "rows_tmpl.h"

#define SAMPLE double
#define TYPE f64
#include "rows_tmpl.h"

/* ---- past the caches ------------------------------------------------------------------------------------ */

#if defined(__AVX__)
static void stream(const void *from, int64_t bytes, void *to)
{
    const int64_t step = sizeof(CpuVector), odd = (int64_t)((uintptr_t)to % (uintptr_t)step);
    const int64_t head = odd == 0 ? 0 : step - odd;
    int64_t at = head < bytes ? head : bytes;
    memcpy(to, from, (size_t)at);
    for (; at + step <= bytes; at += step)
        vector_stream((float *)(void *)((char *)to + at),
                      vector_load((const float *)(const void *)((const char *)from + at)));
    memcpy((char *)to + at, (const char *)from + at, (size_t)(bytes - at));
}

static void fence(void) { _mm_sfence(); }
#else
static void stream(const void *from, int64_t bytes, void *to) { memcpy(to, from, (size_t)bytes); }

static void fence(void) {}
#endif

static void put(const float *row, int64_t n, bool past, float *to)
{
    const bool aligned = past && (uintptr_t)to % sizeof(CpuVector) == 0;
    int64_t i = 0;
    for (; i + CPU_LANES <= n; i += CPU_LANES) {
        const CpuVector v = vector_load(row + i);
        vectors_put(&v, 1, aligned, to + i);
    }
    for (; i < n; i++) to[i] = halo_canonical(row[i]);
}

/* ---- points --------------------------------------------------------------------------------------------- */

/* The operation is a constant where this is called, so each call becomes a loop of its own. */
static CPU_INLINE void point_loop(HaloPointOp op, float *restrict row, int64_t n, HaloPoint p)
{
    const HaloPoint point = {op, p.a, p.b};
    for (int64_t i = 0; i < n; i++) row[i] = halo_point(row[i], point);
}

static void affine(float *restrict row, int64_t n, float scale, float bias)
{
    for (int64_t i = 0; i < n; i++) row[i] = halo_fma(row[i], scale, bias);
}

static void points(float *row, int64_t n, const HaloPoint *point, int count)
{
    for (int k = 0; k < count; k++) {
        const HaloPoint p = point[k];
        switch (p.op) {
        case HALO_POINT_MUL: point_loop(HALO_POINT_MUL, row, n, p); break;
        case HALO_POINT_ADD: point_loop(HALO_POINT_ADD, row, n, p); break;
        case HALO_POINT_RSUB: point_loop(HALO_POINT_RSUB, row, n, p); break;
        case HALO_POINT_FMA: point_loop(HALO_POINT_FMA, row, n, p); break;
        case HALO_POINT_CLAMP: point_loop(HALO_POINT_CLAMP, row, n, p); break;
        case HALO_POINT_THRESHOLD: point_loop(HALO_POINT_THRESHOLD, row, n, p); break;
        case HALO_POINT_ABS: point_loop(HALO_POINT_ABS, row, n, p); break;
        case HALO_POINT_QUANTISE: point_loop(HALO_POINT_QUANTISE, row, n, p); break;
        case HALO_POINT_POWER: point_loop(HALO_POINT_POWER, row, n, p); break;
        case HALO_POINT_LINEAR: point_loop(HALO_POINT_LINEAR, row, n, p); break;
        case HALO_POINT_SRGB: point_loop(HALO_POINT_SRGB, row, n, p); break;
        }
    }
}

static void premul(float *restrict row, int64_t pixels, int channels, int alpha, float white)
{
    for (int64_t i = 0; i < pixels; i++, row += channels) {
        const float a = row[alpha];
        for (int c = 0; c < channels; c++) {
            if (c != alpha) row[c] = halo_premul(row[c], a, white);
        }
    }
}

static inline void gray_loop(const float *restrict row, int64_t pixels, int channels, const float w[3],
                             float *restrict out, int out_channels)
{
    const float r = w[0], g = w[1], b = w[2];
    for (int64_t i = 0; i < pixels; i++) {
        const float *const from = row + i * channels;
        out[i * out_channels] = halo_gray(from[0], from[1], from[2], (const float[3]){r, g, b});
    }
}

/* Vectors are loaded and parted where the compiler knows how far apart samples lie. */
static void gray(const float *restrict row, int64_t pixels, int channels, const float w[3], float *restrict out,
                 int out_channels)
{
    if (channels == 3 && out_channels == 1)
        gray_loop(row, pixels, 3, w, out, 1);
    else if (channels == 4 && out_channels == 2)
        gray_loop(row, pixels, 4, w, out, 2);
    else
        gray_loop(row, pixels, channels, w, out, out_channels);
}

/* A term at a time, so that each is a plain loop. */
static void mix(const float *restrict row, int64_t pixels, int channels, const HaloMix *mix,
                float *restrict out)
{
    for (int c = 0; c < mix->channels; c++)
        for (int t = mix->begin[c]; t < mix->begin[c + 1]; t++) {
            const HaloMixTerm term = mix->term[t];
            const bool first = t == mix->begin[c];
            for (int64_t i = 0; i < pixels; i++) {
                float *to = &out[i * mix->channels + c];
                *to = halo_mix_add(term, row[i * channels + term.channel], first, first ? 0.0f : *to);
            }
        }
}

static void fade(float *restrict row, int64_t pixels, int channels, const float *gain, int64_t k, int step,
                 int64_t n)
{
    for (int64_t i = 0; i < pixels; i++, k += step, row += channels) {
        const float g = halo_fade_gain(gain, k, n);
        for (int c = 0; c < channels; c++) row[c] *= g;
    }
}

const CpuRowKernels CPU_TABLE(rows) = {
    .load = {load_u8, load_u16, load_f32, load_i64, load_f64},
    .store = {store_u8, store_u16, store_f32},
    .put = put,
    .stream = stream,
    .fence = fence,
    .affine = affine,
    .points = points,
    .premul = premul,
    .gray = gray,
    .mix = mix,
    .fade = fade,
};
