/* Sums of the whole vectors of a leaf of u8, by instructions that sum bytes, and pairs of their squares, as
 * the compiler does not by itself. */
#include <immintrin.h>

#define BYTES 32

_Static_assert(HALO_LEAF / BYTES <= 255, "samples are counted in bytes");

typedef struct ByteSums {
    __m256i min, max, other; /* 32 bytes; the last: how many are not 0 */
    __m256i sum;             /* 4 sums */
    __m256i squares[2];      /* 8 sums each */
} ByteSums;

static CPU_INLINE void add_bytes(ByteSums *s, __m256i v, bool moments)
{
    const __m256i none = _mm256_setzero_si256();
    s->min = _mm256_min_epu8(s->min, v);
    s->max = _mm256_max_epu8(s->max, v);
    s->other = _mm256_add_epi8(s->other, _mm256_min_epu8(v, _mm256_set1_epi8(1)));
    if (!moments) return;
    const __m256i low = _mm256_unpacklo_epi8(v, none), high = _mm256_unpackhi_epi8(v, none);
    s->sum = _mm256_add_epi64(s->sum, _mm256_sad_epu8(v, none));
    s->squares[0] = _mm256_add_epi32(s->squares[0], _mm256_madd_epi16(low, low));
    s->squares[1] = _mm256_add_epi32(s->squares[1], _mm256_madd_epi16(high, high));
}

static uint64_t sum_of_quads(__m256i v)
{
    uint64_t quad[4];
    _mm256_storeu_si256((__m256i *)(void *)quad, v);
    return quad[0] + quad[1] + quad[2] + quad[3];
}

/* Returns how many samples it took; min and max are then of them. `moments`: sum and squares, too. */
static CPU_INLINE int64_t in_vectors_u8(const uint8_t *x, int64_t n, bool moments, uint8_t *min, uint8_t *max,
                                        HaloMoments *leaf)
{
    const int64_t whole = n / BYTES * BYTES;
    const __m256i none = _mm256_setzero_si256(), low = _mm256_set1_epi64x(UINT32_MAX);
    ByteSums s = {_mm256_set1_epi8(-1), none, none, none, {none, none}};
    uint8_t least[BYTES], most[BYTES];
    for (int64_t i = 0; i < whole; i += BYTES)
        add_bytes(&s, _mm256_loadu_si256((const __m256i *)(const void *)(x + i)), moments);
    const __m256i squares = _mm256_add_epi32(s.squares[0], s.squares[1]); /* still below 2^32 */
    leaf->zero = (uint64_t)whole - sum_of_quads(_mm256_sad_epu8(s.other, none));
    leaf->isum = sum_of_quads(s.sum);
    leaf->isq_lo =
        sum_of_quads(_mm256_add_epi64(_mm256_and_si256(squares, low), _mm256_srli_epi64(squares, 32)));
    _mm256_storeu_si256((__m256i *)(void *)least, s.min);
    _mm256_storeu_si256((__m256i *)(void *)most, s.max);
    for (int k = 0; k < BYTES && whole > 0; k++) {
        *min = least[k] < *min ? least[k] : *min;
        *max = most[k] > *max ? most[k] : *max;
    }
    return whole;
}
