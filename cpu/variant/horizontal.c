/* Long smooth masks by decimated filters (halo/sep_fast.h), along rows of one channel: sums under taps of every
 * few samples, splines between nodes, sums of blocks, straight lines; and rows into channels and back.
 *
 * A sum under taps is made in lanes, lane i of tap i modulo their number: 8 of them, or 4 where outputs are 4
 * samples apart. In the end lanes are added by pairs, then pairs of those, and so on. */
#include "halo/sep_fast.h"
#include "vector.h"

#define LANES 8 /* whatever a vector has: sums are the same on all machines */

/* ---- under taps ----------------------------------------------------------------------------------------- */

static CPU_INLINE float pairs(const float *lane, int lanes)
{
    if (lanes == 4) return (lane[0] + lane[1]) + (lane[2] + lane[3]);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

#if defined(__AVX2__)
#define EIGHTS
typedef __m256 Eight; /* lanes, in one register or in two */
static CPU_INLINE Eight eight_load(const float *at) { return _mm256_loadu_ps(at); }
static CPU_INLINE void eight_store(float *at, Eight v) { _mm256_storeu_ps(at, v); }
static CPU_INLINE Eight eight_of(float low, float high)
{
    return _mm256_blend_ps(_mm256_set1_ps(low), _mm256_set1_ps(high), 0xf0);
}
static CPU_INLINE Eight eight_twice(const float *at)
{
    return _mm256_broadcast_ps((const __m128 *)(const void *)at);
}
static CPU_INLINE Eight eight_fma(Eight a, Eight b, Eight c) { return _mm256_fmadd_ps(a, b, c); }

/* The sums of 8 vectors of 8. */
static CPU_INLINE Eight sum_of_eight(const Eight v[8])
{
    const __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3])),
                 b = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

/* Those of the halves of 4 vectors of 8. */
static CPU_INLINE Eight sum_of_four(const Eight v[4])
{
    const __m256 a = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
#elif defined(CPU_NEON)
#define EIGHTS
typedef float32x4x2_t Eight;
static CPU_INLINE Eight eight_load(const float *at) { return (Eight){{vld1q_f32(at), vld1q_f32(at + 4)}}; }
static CPU_INLINE void eight_store(float *at, Eight v)
{
    vst1q_f32(at, v.val[0]);
    vst1q_f32(at + 4, v.val[1]);
}
static CPU_INLINE Eight eight_of(float low, float high)
{
    return (Eight){{vdupq_n_f32(low), vdupq_n_f32(high)}};
}
static CPU_INLINE Eight eight_twice(const float *at) { return (Eight){{vld1q_f32(at), vld1q_f32(at)}}; }
static CPU_INLINE Eight eight_fma(Eight a, Eight b, Eight c)
{
    return (Eight){{vfmaq_f32(c.val[0], a.val[0], b.val[0]), vfmaq_f32(c.val[1], a.val[1], b.val[1])}};
}

/* The sums of the halves of two vectors of 8. */
static CPU_INLINE float32x4_t sums_of_halves(Eight a, Eight b)
{
    return vpaddq_f32(vpaddq_f32(a.val[0], a.val[1]), vpaddq_f32(b.val[0], b.val[1]));
}
static CPU_INLINE Eight sum_of_four(const Eight v[4])
{
    return (Eight){{sums_of_halves(v[0], v[1]), sums_of_halves(v[2], v[3])}};
}
static CPU_INLINE Eight sum_of_eight(const Eight v[8])
{
    const Eight a = sum_of_four(v), b = sum_of_four(v + 4);
    return (Eight){{vpaddq_f32(a.val[0], a.val[1]), vpaddq_f32(b.val[0], b.val[1])}};
}
#endif

#ifdef EIGHTS
static CPU_INLINE void under_eight(const float *row, const float *tap, int64_t taps, int64_t every, float *out)
{
    Eight acc[8];
    CPU_UNROLL for (int k = 0; k < 8; k++) acc[k] = eight_of(0.0f, 0.0f);
    for (int64_t i = 0; i < taps; i += 8) {
        const Eight t = eight_load(tap + i);
        CPU_UNROLL for (int k = 0; k < 8; k++) acc[k] = eight_fma(t, eight_load(row + k * every + i), acc[k]);
    }
    eight_store(out, sum_of_eight(acc));
}

static CPU_INLINE void under_four(const float *row, const float *tap, int64_t taps, float *out)
{
    Eight acc[8];
    CPU_UNROLL for (int k = 0; k < 8; k++) acc[k] = eight_of(0.0f, 0.0f);
    for (int64_t i = 0; i < taps; i += 4) {
        const Eight t = eight_twice(tap + i);
        CPU_UNROLL for (int k = 0; k < 8; k++) acc[k] = eight_fma(t, eight_load(row + 8 * k + i), acc[k]);
    }
    eight_store(out, sum_of_four(acc));
    eight_store(out + 8, sum_of_four(acc + 4));
}

static void under(const float *row, const float *tap, int64_t taps, int64_t every, int64_t n, float *out)
{
    if (every == 4)
        for (int64_t j = 0; j < n; j += 16) under_four(row + 4 * j, tap, taps, out + j);
    else
        for (int64_t j = 0; j < n; j += 8) under_eight(row + j * every, tap, taps, every, out + j);
}
#else
static CPU_INLINE void under_any(const float *row, const float *tap, int64_t taps, int64_t every, int64_t n,
                                 int lanes, float *out)
{
    for (int64_t j = 0; j < n; j++, row += every) {
        float acc[LANES] = {0};
        for (int64_t i = 0; i < taps; i += lanes)
            for (int l = 0; l < lanes; l++) acc[l] = halo_fma(tap[i + l], row[i + l], acc[l]);
        out[j] = pairs(acc, lanes);
    }
}

static void under(const float *row, const float *tap, int64_t taps, int64_t every, int64_t n, float *out)
{
    if (every == 4)
        under_any(row, tap, taps, every, n, 4, out);
    else
        under_any(row, tap, taps, every, n, LANES, out);
}
#endif

/* ---- between nodes -------------------------------------------------------------------------------------- */

#ifdef EIGHTS
/* Nodes 4 apart: a vector is two cells, the second of which is one node further on. */
static void between_four(const float *tap, const float *node, int64_t cells, float *out)
{
    Eight t[HALO_SEP_SUPPORT], in[HALO_SEP_SUPPORT];
    CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++)
    {
        t[k] = eight_twice(tap + (HALO_SEP_SUPPORT - 1 - k) * 4);
        in[k] = eight_of(node[k], node[k + 1]);
    }
    for (int64_t j = 0; j < cells; j += 2, node += 2) {
        Eight acc = eight_of(0.0f, 0.0f);
        CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++) acc = eight_fma(t[k], in[k], acc);
        eight_store(out + 4 * j, acc);
        CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT - 2; k++) in[k] = in[k + 2];
        CPU_UNROLL for (int k = HALO_SEP_SUPPORT - 2; k < HALO_SEP_SUPPORT; k++) in[k] =
            eight_of(node[k + 2], node[k + 3]);
    }
}
#endif

static void between(const float *tap, int64_t step, const float *node, int64_t cells, float *out)
{
#ifdef EIGHTS
    if (step == 4) {
        between_four(tap, node, cells, out);
        return;
    }
    for (int64_t j = 0; j < cells; j++, node++, out += step) {
        for (int64_t n = 0; n < step; n += 8) {
            Eight acc = eight_of(0.0f, 0.0f);
            CPU_UNROLL for (int k = 0; k < HALO_SEP_SUPPORT; k++) acc = eight_fma(
                eight_load(tap + (HALO_SEP_SUPPORT - 1 - k) * step + n), eight_of(node[k], node[k]), acc);
            eight_store(out + n, acc);
        }
    }
#else
    for (int64_t j = 0; j < cells; j++, node++, out += step)
        for (int64_t n = 0; n < step; n++) {
            float acc = 0.0f;
            for (int k = 0; k < HALO_SEP_SUPPORT; k++)
                acc = halo_fma(tap[(HALO_SEP_SUPPORT - 1 - k) * step + n], node[k], acc);
            out[n] = acc;
        }
#endif
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

/* Sums of `size` neighbours, 2, 4 or 8, by pairs. */
static void sums_of(const float *row, int size, int64_t n, float *out)
{
    int64_t i = 0;
#ifdef EIGHTS
    for (; size == 8 && i + 8 <= n; i += 8) {
        Eight v[8];
        CPU_UNROLL for (int k = 0; k < 8; k++) v[k] = eight_load(row + 8 * (i + k));
        eight_store(out + i, sum_of_eight(v));
    }
    for (; size == 4 && i + 8 <= n; i += 8) {
        Eight v[4];
        CPU_UNROLL for (int k = 0; k < 4; k++) v[k] = eight_load(row + 4 * i + 8 * k);
        eight_store(out + i, sum_of_four(v));
    }
#endif
    for (; i < n; i++) out[i] = size == 2 ? row[2 * i] + row[2 * i + 1] : pairs(row + size * i, size);
}

static void sums(const float *row, int64_t block, int64_t blocks, float *const workspace[2], float *out)
{
    for (int k = 0; block > 1; k ^= 1) {
        const int size = block >= 8 ? 8 : (int)block;
        block /= size;
        float *to = block == 1 ? out : workspace[k];
        sums_of(row, size, blocks * block, to);
        row = to;
    }
}

static void spread(const float *cross, int64_t spans, int64_t span, const float *way, float *row)
{
    for (int64_t b = 0; b < spans; b++, row += span) {
        const float rise = cross[b + 1] - cross[b];
#ifdef EIGHTS
        const Eight here = eight_of(cross[b], cross[b]), more = eight_of(rise, rise);
        for (int64_t n = 0; n < span; n += LANES)
            eight_store(row + n, eight_fma(eight_load(way + n), more, here));
#else
        for (int64_t n = 0; n < span; n++) row[n] = halo_fma(way[n], rise, cross[b]);
#endif
    }
}

/* ---- channels ------------------------------------------------------------------------------------------- */

/* `channels` is a constant at most calls. */
static CPU_INLINE void split_any(const float *restrict row, int64_t pixels, int64_t channels,
                                 float *restrict plane, int64_t pitch)
{
    for (int64_t i = 0; i < pixels; i++)
        for (int64_t c = 0; c < channels; c++) plane[c * pitch + i] = row[i * channels + c];
}

static CPU_INLINE void join_any(const float *restrict plane, int64_t pitch, int64_t pixels, int64_t channels,
                                float *restrict row)
{
    for (int64_t i = 0; i < pixels; i++)
        for (int64_t c = 0; c < channels; c++) row[i * channels + c] = plane[c * pitch + i];
}

static void split(const float *row, int64_t pixels, int64_t channels, float *plane, int64_t pitch)
{
    switch (channels) {
    case 2: split_any(row, pixels, 2, plane, pitch); return;
    case 3: split_any(row, pixels, 3, plane, pitch); return;
    case 4: split_any(row, pixels, 4, plane, pitch); return;
    default: split_any(row, pixels, channels, plane, pitch);
    }
}

static void join(const float *plane, int64_t pitch, int64_t pixels, int64_t channels, float *row)
{
    switch (channels) {
    case 2: join_any(plane, pitch, pixels, 2, row); return;
    case 3: join_any(plane, pitch, pixels, 3, row); return;
    case 4: join_any(plane, pitch, pixels, 4, row); return;
    default: join_any(plane, pitch, pixels, channels, row);
    }
}

const CpuHorizontalKernels CPU_TABLE(horizontal) = {
    .under = under, .between = between, .sums = sums, .spread = spread, .split = split, .join = join};
