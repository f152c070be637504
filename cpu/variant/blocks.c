/* Means of blocks of integers that lie side by side. */
#include "vector.h"

/* ---- two by two bytes ----------------------------------------------------------------------------------- */

#if defined(__AVX2__)
/* Brings the samples of each channel of two pixels side by side. */
static CPU_INLINE __m128i pairs_of(int channels)
{
    switch (channels) {
    case 1: return _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    case 2: return _mm_setr_epi8(0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
    case 3: return _mm_setr_epi8(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11, -1, -1, -1, -1);
    default: return _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
    }
}

/* Returns the outputs that are made; writes up to two samples past them. */
static CPU_INLINE int64_t two_by_two(const uint8_t *above, const uint8_t *below, int channels, int64_t outputs,
                                     float scale, float *out)
{
    const int together = channels == 3 ? 2 : 8 / channels;
    const __m128i pairs = pairs_of(channels), ones = _mm_set1_epi8(1);
    const __m256 factor = _mm256_set1_ps(scale);
    int64_t o = 0;
    for (; (o + together) * 2 * channels + 4 <= outputs * 2 * channels; o += together) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(above + o * 2 * channels)),
                      b = _mm_loadu_si128((const __m128i *)(const void *)(below + o * 2 * channels));
        const __m128i sum = _mm_add_epi16(_mm_maddubs_epi16(_mm_shuffle_epi8(a, pairs), ones),
                                          _mm_maddubs_epi16(_mm_shuffle_epi8(b, pairs), ones));
        _mm256_storeu_ps(out + o * channels,
                         _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sum)), factor));
    }
    return o;
}

/* As bytes, rounded half to even, four vectors' halves together: of 16 bytes, or of 12 of three channels, which
 * are read and written with the 4 behind them. Returns the outputs that are made. */
static CPU_INLINE int64_t two_by_two_bytes(const uint8_t *above, const uint8_t *below, int channels,
                                           int64_t outputs, uint8_t *out)
{
    const int64_t bytes = outputs * channels, half = channels == 3 ? 12 : 16, past = 16 - half;
    const __m256i pairs = _mm256_broadcastsi128_si256(pairs_of(channels)), ones = _mm256_set1_epi8(1);
    const __m256i together =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
    const __m256i one = _mm256_set1_epi16(1);
    int64_t i = 0;
    for (; i + 2 * half + past <= bytes; i += 2 * half) {
        __m256i mean[2]; /* of halves 0 and 2, and 1 and 3 */
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            const uint8_t *const at[2] = {above + 2 * i + k * half, below + 2 * i + k * half};
            __m256i sum[2];
            CPU_UNROLL for (int r = 0; r < 2; r++)
            {
                const __m256i v = _mm256_loadu2_m128i((const __m128i *)(const void *)(at[r] + 2 * half),
                                                      (const __m128i *)(const void *)at[r]);
                sum[r] = _mm256_maddubs_epi16(channels == 1 ? v : _mm256_shuffle_epi8(v, pairs), ones);
            }
            const __m256i all = _mm256_add_epi16(sum[0], sum[1]);
            const __m256i odd = _mm256_and_si256(_mm256_srli_epi16(all, 2), one);
            mean[k] = _mm256_srli_epi16(_mm256_add_epi16(all, _mm256_add_epi16(odd, one)), 2);
        }
        __m256i made = _mm256_packus_epi16(mean[0], mean[1]);
        if (channels == 3) made = _mm256_shuffle_epi8(made, together);
        _mm256_storeu2_m128i((__m128i *)(void *)(out + i + half), (__m128i *)(void *)(out + i), made);
    }
    return i / channels;
}
#else
static CPU_INLINE int64_t two_by_two_bytes(const uint8_t *above, const uint8_t *below, int channels,
                                           int64_t outputs, uint8_t *out)
{
    (void)above, (void)below, (void)channels, (void)outputs, (void)out;
    return 0;
}

static CPU_INLINE int64_t two_by_two(const uint8_t *above, const uint8_t *below, int channels, int64_t outputs,
                                     float scale, float *out)
{
    (void)above, (void)below, (void)channels, (void)outputs, (void)scale, (void)out;
    return 0;
}
#endif

static int64_t begin_two_by_two(const void *const *row, int64_t channels, int64_t outputs, float scale,
                                float *out)
{
    switch (channels) {
    case 1: return two_by_two(row[0], row[1], 1, outputs, scale, out);
    case 2: return two_by_two(row[0], row[1], 2, outputs, scale, out);
    case 3: return two_by_two(row[0], row[1], 3, outputs, scale, out);
    case 4: return two_by_two(row[0], row[1], 4, outputs, scale, out);
    default: return 0;
    }
}

static int64_t halves(const void *above, const void *below, int64_t channels, int64_t outputs, uint8_t *out)
{
    switch (channels) {
    case 1: return two_by_two_bytes(above, below, 1, outputs, out);
    case 2: return two_by_two_bytes(above, below, 2, outputs, out);
    case 3: return two_by_two_bytes(above, below, 3, outputs, out);
    case 4: return two_by_two_bytes(above, below, 4, outputs, out);
    default: return 0;
    }
}

/* ---- any factors ---------------------------------------------------------------------------------------- */

#define SAMPLE uint8_t
#define SUM uint16_t
#define TYPE u8
#include "blocks_tmpl.h"
#define SAMPLE uint16_t
#define SUM uint32_t
#define TYPE u16
#include "blocks_tmpl.h"

static void blocks_u8(const void *const *row, int64_t down, int64_t across, int64_t channels, int64_t outputs,
                      float scale, void *sums, float *out)
{
    const int64_t made = down == 2 && across == 2 ? begin_two_by_two(row, channels, outputs, scale, out) : 0;
    means_u8(row, down, across, channels, made, outputs, scale, sums, out);
}

static void blocks_u16(const void *const *row, int64_t down, int64_t across, int64_t channels, int64_t outputs,
                       float scale, void *sums, float *out)
{
    means_u16(row, down, across, channels, 0, outputs, scale, sums, out);
}

const CpuBlockKernels CPU_TABLE(blocks) = {.means = {blocks_u8, blocks_u16}, .halves = halves};
