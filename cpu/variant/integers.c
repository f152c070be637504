/* Means of windows of integers, whose sums are exact in any order. */
#include <math.h>

#include "variant.h"

#include "halo/means.h"
#include "quotient.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* ---- samples ------------------------------------------------------------------------------------------- */

static void numbers(float *restrict line, int64_t n, int32_t *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = line[i] == line[i];
        line[i] = x[i] ? line[i] : 0.0f;
    }
}

/* ---- sums ---------------------------------------------------------------------------------------------- */

static void columns_u8(const void *add, const void *drop, int64_t n, int32_t *restrict sum)
{
    const uint8_t *const come = add, *const gone = drop;
    if (gone == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += come[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += come[i] - gone[i];
}

static void columns_u16(const void *add, const void *drop, int64_t n, int32_t *restrict sum)
{
    const uint16_t *const come = add, *const gone = drop;
    if (gone == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += come[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += come[i] - gone[i];
}

static void squares_u8(const void *add, const void *drop, int64_t n, int32_t *restrict sum,
                       int32_t *restrict high)
{
    const uint8_t *const come = add, *const gone = drop;
    (void)high;
    if (gone == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += come[i] * come[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += come[i] * come[i] - gone[i] * gone[i];
}

static void squares_u16(const void *add, const void *drop, int64_t n, int32_t *restrict low,
                        int32_t *restrict high)
{
    const uint16_t *const come = add, *const gone = drop;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t square = (uint32_t)come[i] * come[i];
        low[i] += (int32_t)(square & 0xffff);
        high[i] += (int32_t)(square >> 16);
    }
    for (int64_t i = 0; gone != NULL && i < n; i++) {
        const uint32_t square = (uint32_t)gone[i] * gone[i];
        low[i] -= (int32_t)(square & 0xffff);
        high[i] -= (int32_t)(square >> 16);
    }
}

/* Of one channel: the sum of the first window, then what comes and leaves. */
static void slide_one(const int32_t *restrict x, int64_t pixels, int64_t width, int32_t *restrict sum)
{
    const int32_t *const ahead = x + width;
    int64_t i = 1;
    int32_t here = 0;
    for (int64_t k = 0; k < width; k++) here += x[k];
    sum[0] = here;
#if defined(__AVX2__)
    /* Prefixes inside of a vector; only their last goes on from vector to vector. What is stored is aligned. */
    const __m256i last = _mm256_set1_epi32(7);
    for (; i < 8 && i < pixels; i++) sum[i] = here += ahead[i - 1] - x[i - 1];
    __m256i before = _mm256_set1_epi32(here);
    for (; i + 8 <= pixels; i += 8) {
        __m256i v = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(ahead + i - 1)),
                                     _mm256_loadu_si256((const __m256i *)(const void *)(x + i - 1)));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
        v = _mm256_add_epi32(v, _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, v, 0x08), 0xff));
        _mm256_storeu_si256((__m256i *)(void *)(sum + i), _mm256_add_epi32(v, before));
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(v, last));
    }
    here = sum[i - 1];
#endif
    for (; i < pixels; i++) sum[i] = here += ahead[i - 1] - x[i - 1];
}

typedef uint32_t CpuQuad __attribute__((vector_size(16), aligned(4), may_alias));

/* Two to four channels are a vector, whose last lanes the next pixel overwrites: they may hold anything. Of
 * more channels it is four of them. */
static CPU_INLINE void slide_quads(const int32_t *restrict x, int64_t pixels, int64_t width, int64_t step,
                                   int32_t *restrict sum)
{
    const int32_t *const ahead = x + width * step;
    const int64_t last = (pixels - 1) * step;
    CpuQuad here = {0};
    for (int64_t i = 0; i < width * step; i += step) here += *(const CpuQuad *)(x + i);
    for (int64_t i = 0; i < last; i += step) {
        *(CpuQuad *)(sum + i) = here;
        here += *(const CpuQuad *)(ahead + i) - *(const CpuQuad *)(x + i);
    }
    memcpy(sum + last, &here, (size_t)(step < 4 ? step : 4) * sizeof *sum);
}

static void slide(const int32_t *x, int64_t pixels, int64_t width, int64_t channels, int32_t *sum)
{
    switch (channels) {
    case 1: slide_one(x, pixels, width, sum); break;
    case 2: slide_quads(x, pixels, width, 2, sum); break;
    case 3: slide_quads(x, pixels, width, 3, sum); break;
    case 4: slide_quads(x, pixels, width, 4, sum); break;
    default: /* the last four overlap others */
        for (int64_t c = 0; c < channels; c += 4) {
            const int64_t at = c < channels - 4 ? c : channels - 4;
            slide_quads(x + at, pixels, width, channels, sum + at);
        }
    }
}

static void count(const int32_t *restrict add, const int32_t *restrict drop, int64_t n, double *restrict sum)
{
    if (drop == NULL)
        for (int64_t i = 0; i < n; i++) sum[i] += (double)add[i];
    else
        for (int64_t i = 0; i < n; i++) sum[i] += (double)(add[i] - drop[i]);
}

/* ---- what is made of them ------------------------------------------------------------------------------- */

/* Where f32 holds the sums, the quotient of two of them is the same rounded once as by way of f64. */
static void divide(const int32_t *restrict sum, int64_t n, int64_t count, bool fits_f32, float *restrict mean)
{
    const float float_count = (float)count;
    const double double_count = (double)count;
    if (fits_f32)
        for (int64_t i = 0; i < n; i++) mean[i] = (float)sum[i] / float_count;
    else
        for (int64_t i = 0; i < n; i++) mean[i] = (float)((double)sum[i] / double_count);
}

#if defined(__AVX2__)
/* Eight means, rounded to f32. */
static CPU_INLINE __m256 quotients(const int32_t *sum, __m256 float_count, __m256d count, bool fits_f32)
{
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)sum);
    if (fits_f32) return _mm256_div_ps(_mm256_cvtepi32_ps(v), float_count);
    const __m256d low = _mm256_div_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(v)), count),
                  high = _mm256_div_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(v, 1)), count);
    return _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
}

static CPU_INLINE int64_t divide_vectors(const int32_t *sum, int64_t n, int64_t count, bool fits_f32,
                                         uint8_t *mean)
{
    const __m256 float_count = _mm256_set1_ps((float)count);
    const __m256d double_count = _mm256_set1_pd((double)count);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i v[4];
        CPU_UNROLL for (int k = 0; k < 4; k++) v[k] =
            _mm256_cvtps_epi32(quotients(sum + i + 8 * k, float_count, double_count, fits_f32));
        const __m256i bytes =
            _mm256_packus_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
        _mm256_storeu_si256((__m256i *)(void *)(mean + i), _mm256_permutevar8x32_epi32(bytes, order));
    }
    return i;
}

static CPU_INLINE int64_t compare_vectors(const int32_t *sum, const uint8_t *sample, int64_t n, int64_t count,
                                          bool fits_f32, float least, uint8_t value, uint8_t *out)
{
    const __m256 float_count = _mm256_set1_ps((float)count), limit = _mm256_set1_ps(least);
    const __m256d double_count = _mm256_set1_pd((double)count);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), white = _mm256_set1_epi8((char)value);
    int64_t i = 0;
    for (; i + 32 <= n; i += 32) {
        __m256i v[4];
        CPU_UNROLL for (int k = 0; k < 4; k++)
        {
            const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(sample + i + 8 * k));
            const __m256 above = _mm256_sub_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)),
                                               quotients(sum + i + 8 * k, float_count, double_count, fits_f32));
            v[k] = _mm256_castps_si256(_mm256_cmp_ps(above, limit, _CMP_GE_OQ));
        }
        const __m256i all = _mm256_packs_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
        _mm256_storeu_si256((__m256i *)(void *)(out + i),
                            _mm256_and_si256(_mm256_permutevar8x32_epi32(all, order), white));
    }
    return i;
}
#endif

static CPU_INLINE float mean_of(int32_t sum, int64_t count, bool fits_f32)
{
    return fits_f32 ? (float)sum / (float)count : (float)((double)sum / (double)count);
}

static void divide_bytes(const int32_t *restrict sum, int64_t n, int64_t count, bool fits_f32,
                         uint8_t *restrict mean)
{
    int64_t i = 0;
#if defined(__AVX2__)
    i = fits_f32 ? divide_vectors(sum, n, count, true, mean) : divide_vectors(sum, n, count, false, mean);
#endif
    for (; i < n; i++) mean[i] = (uint8_t)halo_round(mean_of(sum[i], count, fits_f32));
}

static void compare_bytes(const int32_t *restrict sum, const uint8_t *restrict sample, int64_t n, int64_t count,
                          bool fits_f32, float least, uint8_t value, uint8_t *restrict out)
{
    int64_t i = 0;
#if defined(__AVX2__)
    i = fits_f32 ? compare_vectors(sum, sample, n, count, true, least, value, out)
                 : compare_vectors(sum, sample, n, count, false, least, value, out);
#endif
    for (; i < n; i++) out[i] = (float)sample[i] - mean_of(sum[i], count, fits_f32) >= least ? value : 0;
}

/* `halves` and `root` are constants where this is called. What takes the processor a root's time is computed
 * meanwhile: all of it is one loop. */
static CPU_INLINE void deviations(const int32_t *restrict sum, const int32_t *restrict low,
                                  const int32_t *restrict high, int64_t n, double count, bool halves, bool root,
                                  float *restrict made)
{
    const double inverse = 1.0 / count; /* of fewer than 2^16 samples */
    for (int64_t i = 0; i < n; i++) {
        const double squares = halves ? (double)high[i] * 0x1p16 + (double)low[i] : (double)low[i];
        const double variance = variance_of((double)sum[i], squares, count, inverse);
        made[i] = (float)(root ? sqrt(variance) : variance);
    }
}

static void deviation_whole(const int32_t *sum, const int32_t *low, const int32_t *high, int64_t n,
                            double count, bool root, float *made)
{
    if (high == NULL && root)
        deviations(sum, low, low, n, count, false, true, made);
    else if (high == NULL)
        deviations(sum, low, low, n, count, false, false, made);
    else if (root)
        deviations(sum, low, high, n, count, true, true, made);
    else
        deviations(sum, low, high, n, count, true, false, made);
}

const CpuIntegerKernels CPU_TABLE(integers) = {
    .numbers = numbers,
    .columns = {columns_u8, columns_u16},
    .squares = {squares_u8, squares_u16},
    .slide = slide,
    .count = count,
    .divide = divide,
    .divide_bytes = divide_bytes,
    .compare_bytes = compare_bytes,
    .deviation = deviation_whole,
};
