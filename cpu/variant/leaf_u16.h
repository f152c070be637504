/* Sums of the whole vectors of a leaf of u16. Samples are taken less 2^15, so that one instruction
 * multiplies them and adds pairs of squares: 2^31 at most, as numbers without a sign. */
#include <immintrin.h>

#define WORDS 16
#define MIDDLE 32768

_Static_assert(HALO_LEAF / WORDS <= 32768, "samples are counted in 16 bits, pairs of them summed in 32");

typedef struct WordSums {
    __m256i min, max, other; /* 16 words; the last: how many are not 0 */
    __m256i sum;             /* 8 sums of samples less MIDDLE, */
    __m256i squares[2];      /* 4 sums each of their squares */
} WordSums;

static CPU_INLINE void add_u16(WordSums *s, __m256i v, bool moments)
{
    const __m256i one = _mm256_set1_epi16(1), low = _mm256_set1_epi64x(UINT32_MAX);
    s->min = _mm256_min_epu16(s->min, v);
    s->max = _mm256_max_epu16(s->max, v);
    s->other = _mm256_add_epi16(s->other, _mm256_min_epu16(v, one));
    if (!moments) return;
    const __m256i w = _mm256_xor_si256(v, _mm256_set1_epi16((short)MIDDLE)), pairs = _mm256_madd_epi16(w, w);
    s->sum = _mm256_add_epi32(s->sum, _mm256_madd_epi16(w, one));
    s->squares[0] = _mm256_add_epi64(s->squares[0], _mm256_and_si256(pairs, low));
    s->squares[1] = _mm256_add_epi64(s->squares[1], _mm256_srli_epi64(pairs, 32));
}

static int64_t sum_of_pairs(__m256i v)
{
    int32_t pair[8];
    int64_t sum = 0;
    _mm256_storeu_si256((__m256i *)(void *)pair, v);
    for (int k = 0; k < 8; k++) sum += pair[k];
    return sum;
}

/* As in_vectors_u8. */
static CPU_INLINE int64_t in_vectors_u16(const uint16_t *x, int64_t n, const uint16_t *next, bool moments,
                                         uint16_t *min, uint16_t *max, HaloMoments *leaf)
{
    const int64_t whole = n / WORDS * WORDS;
    const __m256i none = _mm256_setzero_si256();
    WordSums s = {_mm256_set1_epi16(-1), none, none, none, {none, none}};
    uint16_t least[WORDS], most[WORDS];
    for (int64_t i = 0; i < whole; i += WORDS) {
        CPU_FETCH(next, i);
        add_u16(&s, _mm256_loadu_si256((const __m256i *)(const void *)(x + i)), moments);
    }
    leaf->zero = (uint64_t)(whole - sum_of_pairs(_mm256_madd_epi16(s.other, _mm256_set1_epi16(1))));
    _mm256_storeu_si256((__m256i *)(void *)least, s.min);
    _mm256_storeu_si256((__m256i *)(void *)most, s.max);
    for (int k = 0; k < WORDS && whole > 0; k++) {
        *min = least[k] < *min ? least[k] : *min;
        *max = most[k] > *max ? most[k] : *max;
    }
    if (!moments) return whole;
    /* v = w + MIDDLE, v * v = w * w + 2 * MIDDLE * w + MIDDLE * MIDDLE; what is below 0 goes round. */
    const uint64_t sum = (uint64_t)sum_of_pairs(s.sum);
    leaf->isum = sum + (uint64_t)whole * MIDDLE;
    leaf->isq_lo = sum_of_quads(_mm256_add_epi64(s.squares[0], s.squares[1])) + 2 * MIDDLE * sum +
                   (uint64_t)whole * MIDDLE * MIDDLE;
    return whole;
}
