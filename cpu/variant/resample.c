/* Sums along rows whose taps differ from one output to the next. Lanes of vectors are rows of the source, which
 * are transposed for it: so each output is a chain of its own, in the order of its taps, and no row has to be
 * gathered from. */
#include "vector.h"

/* Elements, or rows, that are transposed together. */
#if defined(CPU_NEON)
#define BLOCK 4
#else
#define BLOCK 8
#endif

_Static_assert(CPU_LANES % BLOCK == 0 && CPU_LANES <= CPU_RESAMPLE_LANES,
               "lanes are transposed by blocks of rows");

/* ---- turning -------------------------------------------------------------------------------------------- */

#if defined(__AVX2__)
typedef __m256 Block;
static CPU_INLINE void block_store(float *at, Block v) { _mm256_storeu_ps(at, v); }
static CPU_INLINE Block block_u8(const void *at)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(at)));
}
static CPU_INLINE Block block_u16(const void *at)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_loadu_si128(at)));
}
static CPU_INLINE Block block_f32(const void *at) { return _mm256_loadu_ps(at); }

/* Row k of v becomes column k. */
static CPU_INLINE void transpose(Block v[BLOCK])
{
    Block a[BLOCK], b[BLOCK];
    CPU_UNROLL for (int k = 0; k < BLOCK; k += 2)
    {
        a[k] = _mm256_unpacklo_ps(v[k], v[k + 1]);
        a[k + 1] = _mm256_unpackhi_ps(v[k], v[k + 1]);
    }
    CPU_UNROLL for (int k = 0; k < BLOCK; k += 4)
    {
        b[k] = _mm256_shuffle_ps(a[k], a[k + 2], 0x44);
        b[k + 1] = _mm256_shuffle_ps(a[k], a[k + 2], 0xee);
        b[k + 2] = _mm256_shuffle_ps(a[k + 1], a[k + 3], 0x44);
        b[k + 3] = _mm256_shuffle_ps(a[k + 1], a[k + 3], 0xee);
    }
    CPU_UNROLL for (int k = 0; k < BLOCK / 2; k++)
    {
        v[k] = _mm256_permute2f128_ps(b[k], b[k + 4], 0x20);
        v[k + 4] = _mm256_permute2f128_ps(b[k], b[k + 4], 0x31);
    }
}
#elif defined(CPU_NEON)
typedef float32x4_t Block;
static CPU_INLINE void block_store(float *at, Block v) { vst1q_f32(at, v); }
static CPU_INLINE Block block_u8(const void *at)
{
    uint32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(bytes)))));
}
static CPU_INLINE Block block_u16(const void *at)
{
    uint16x4_t v;
    memcpy(&v, at, sizeof v);
    return vcvtq_f32_u32(vmovl_u16(v));
}
static CPU_INLINE Block block_f32(const void *at)
{
    Block v;
    memcpy(&v, at, sizeof v);
    return v;
}

static CPU_INLINE void transpose(Block v[BLOCK])
{
    const Block a = vzip1q_f32(v[0], v[2]), b = vzip2q_f32(v[0], v[2]), c = vzip1q_f32(v[1], v[3]),
                d = vzip2q_f32(v[1], v[3]);
    v[0] = vzip1q_f32(a, c);
    v[1] = vzip2q_f32(a, c);
    v[2] = vzip1q_f32(b, d);
    v[3] = vzip2q_f32(b, d);
}
#endif

#define SAMPLE uint8_t
#define TYPE u8
#include "resample_tmpl.h"
#define SAMPLE uint16_t
#define TYPE u16
#include "resample_tmpl.h"
#define SAMPLE float
#define TYPE f32
#include "resample_tmpl.h"

static void transpose_back(const float *transposed, int64_t pitch, int64_t n, float *const *row)
{
    int64_t e = 0;
#if CPU_REGISTERS > 0
    for (; e + BLOCK <= n; e += BLOCK)
        for (int l = 0; l < CPU_LANES; l += BLOCK) {
            Block v[BLOCK];
            CPU_UNROLL for (int k = 0; k < BLOCK; k++) v[k] = block_f32(transposed + (e + k) * pitch + l);
            transpose(v);
            CPU_UNROLL for (int k = 0; k < BLOCK; k++) block_store(row[l + k] + e, v[k]);
        }
#endif
    for (; e < n; e++)
        for (int l = 0; l < CPU_LANES; l++) row[l][e] = transposed[e * pitch + l];
}

/* ---- sums ----------------------------------------------------------------------------------------------- */

/* Sums that are made side by side, since each addition waits for the one before it. */
#if CPU_REGISTERS == 32
#define SUMS_TOGETHER 16
#elif CPU_REGISTERS == 16
#define SUMS_TOGETHER 8
#else
#define SUMS_TOGETHER 4
#endif

/* `outputs` outputs and `channels` of each, from channel 0 of `transposed` on; all constants where this is
 * called.
 */
static CPU_INLINE void some(const HaloResampleTaps *taps, int outputs, int channels, int64_t step,
                            const float *transposed, float *out)
{
    CpuVector sum[SUMS_TOGETHER];
    const float *tap[SUMS_TOGETHER], *at[SUMS_TOGETHER];
    int64_t count = taps[0].count;
    CPU_UNROLL for (int o = 0; o < outputs; o++)
    {
        tap[o] = taps[o].tap;
        at[o] = transposed + taps[o].first * step;
        count = taps[o].count < count ? taps[o].count : count;
        CPU_UNROLL for (int c = 0; c < channels; c++) sum[o * channels + c] = vector_of(0.0f);
    }
    for (int64_t j = 0; j < count; j++) CPU_UNROLL for (int o = 0; o < outputs; o++)
        {
            const CpuVector t = vector_of(tap[o][j]);
            CPU_UNROLL for (int c = 0; c < channels; c++) sum[o * channels + c] =
                vector_fma(t, vector_load(at[o] + j * step + c * CPU_LANES), sum[o * channels + c]);
        }
    CPU_UNROLL for (int o = 0; o < outputs; o++)
    {
        for (int64_t j = count; j < taps[o].count; j++) {
            const CpuVector t = vector_of(tap[o][j]);
            CPU_UNROLL for (int c = 0; c < channels; c++) sum[o * channels + c] =
                vector_fma(t, vector_load(at[o] + j * step + c * CPU_LANES), sum[o * channels + c]);
        }
        CPU_UNROLL for (int c = 0; c < channels; c++)
            vector_store(out + o * step + c * CPU_LANES, sum[o * channels + c]);
    }
}

static CPU_INLINE int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* Taps [from, to) of an output over samples from `first` on. */
static CPU_INLINE void add_taps(const HaloResampleTaps *taps, int channels, int64_t from, int64_t to,
                                int64_t step, const float *transposed, CpuVector *sum)
{
    for (int64_t s = from; s < to; s++) {
        const CpuVector t = vector_of(taps->tap[s - taps->first]);
        CPU_UNROLL for (int c = 0; c < channels; c++) sum[c] =
            vector_fma(t, vector_load(transposed + s * step + c * CPU_LANES), sum[c]);
    }
}

/* The same as `some`, where all outputs take the samples that all of them read from one load each. */
static CPU_INLINE void some_along(const HaloResampleTaps *taps, int outputs, int channels, int64_t step,
                                  const float *transposed, float *out)
{
    CpuVector sum[SUMS_TOGETHER];
    const float *tap[SUMS_TOGETHER];
    const int64_t last = taps[outputs - 1].first, end = taps[0].first + taps[0].count,
                  from = last < end ? last : end;
    CPU_UNROLL for (int o = 0; o < outputs; o++)
    {
        CPU_UNROLL for (int c = 0; c < channels; c++) sum[o * channels + c] = vector_of(0.0f);
        add_taps(&taps[o], channels, taps[o].first, from, step, transposed, sum + o * channels);
        tap[o] = taps[o].tap + (from < end ? from - taps[o].first : 0);
    }
    const float *at = transposed + from * step;
    for (int64_t j = 0; j < end - from; j++, at += step) {
        CpuVector v[SUMS_TOGETHER];
        CPU_UNROLL for (int c = 0; c < channels; c++) v[c] = vector_load(at + c * CPU_LANES);
        CPU_UNROLL for (int o = 0; o < outputs; o++)
        {
            const CpuVector t = vector_of(tap[o][j]);
            CPU_UNROLL for (int c = 0; c < channels; c++) sum[o * channels + c] =
                vector_fma(t, v[c], sum[o * channels + c]);
        }
    }
    CPU_UNROLL for (int o = 0; o < outputs; o++)
    {
        add_taps(&taps[o], channels, larger_of(end, taps[o].first), taps[o].first + taps[o].count, step,
                 transposed, sum + o * channels);
        CPU_UNROLL for (int c = 0; c < channels; c++)
            vector_store(out + o * step + c * CPU_LANES, sum[o * channels + c]);
    }
}

#define ALL_OUTPUTS(some, channels)                                                                           \
    do {                                                                                                      \
        int64_t o = 0;                                                                                        \
        for (; o + SUMS_TOGETHER / (channels) <= outputs; o += SUMS_TOGETHER / (channels))                    \
            some(taps + o, SUMS_TOGETHER / (channels), channels, step, transposed + from,                     \
                 out + from + o * step);                                                                      \
        for (; o < outputs; o++) some(taps + o, 1, channels, step, transposed + from, out + from + o * step); \
    } while (0)

/* Channels by ones, twos, threes and fours. */
#define ALL_CHANNELS(some)                         \
    do {                                           \
        const int64_t step = channels * CPU_LANES; \
        for (int64_t c = 0; c < channels;) {       \
            const int64_t from = c * CPU_LANES;    \
            switch (channels - c) {                \
            case 1:                                \
                ALL_OUTPUTS(some, 1);              \
                c++;                               \
                break;                             \
            case 2:                                \
                ALL_OUTPUTS(some, 2);              \
                c += 2;                            \
                break;                             \
            case 3:                                \
                ALL_OUTPUTS(some, 3);              \
                c += 3;                            \
                break;                             \
            default:                               \
                ALL_OUTPUTS(some, 4);              \
                c += 4;                            \
                break;                             \
            }                                      \
        }                                          \
    } while (0)

static void sums(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                 float *out)
{
    ALL_CHANNELS(some);
}

static void sums_along(const HaloResampleTaps *taps, int64_t outputs, int64_t channels, const float *transposed,
                       float *out)
{
    ALL_CHANNELS(some_along);
}

const CpuResampleKernels CPU_TABLE(resample) = {.lanes = CPU_LANES,
                                                .transpose = {transpose_u8, transpose_u16, transpose_f32},
                                                .transpose_back = transpose_back,
                                                .sums = sums,
                                                .sums_along = sums_along};
