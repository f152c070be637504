/* Sums of the whole vectors of a leaf of u8, by instructions that sum bytes, and pairs of their squares, as
 * the compiler does not by itself. */
#include <immintrin.h>

/* Vectors as wide as registers are, and what their operations are called. */
#if defined(__AVX512BW__)
#define BYTES 64
typedef __m512i Bytes;
#define OF(operation) _mm512_##operation
#define OF_ALL(operation) _mm512_##operation##_si512
#else
#define BYTES 32
typedef __m256i Bytes;
#define OF(operation) _mm256_##operation
#define OF_ALL(operation) _mm256_##operation##_si256
#endif

_Static_assert(HALO_LEAF / BYTES <= 255, "samples are counted in bytes");

typedef struct ByteSums {
    Bytes min, max, other; /* of each byte; the last: how many are not 0 */
    Bytes sum;             /* sums of 64 bits */
    Bytes squares[2];      /* of 32 */
} ByteSums;

static CPU_INLINE void add_bytes(ByteSums *s, Bytes v, bool moments)
{
    const Bytes none = OF_ALL(setzero)();
    s->min = OF(min_epu8)(s->min, v);
    s->max = OF(max_epu8)(s->max, v);
    s->other = OF(add_epi8)(s->other, OF(min_epu8)(v, OF(set1_epi8)(1)));
    if (!moments) return;
    const Bytes low = OF(unpacklo_epi8)(v, none), high = OF(unpackhi_epi8)(v, none);
    s->sum = OF(add_epi64)(s->sum, OF(sad_epu8)(v, none));
    s->squares[0] = OF(add_epi32)(s->squares[0], OF(madd_epi16)(low, low));
    s->squares[1] = OF(add_epi32)(s->squares[1], OF(madd_epi16)(high, high));
}

static uint64_t sum_of_bytes(Bytes v)
{
    uint64_t sum = 0, quad[BYTES / 8];
    OF_ALL(storeu)((void *)quad, v);
    for (int i = 0; i < BYTES / 8; i++) sum += quad[i];
    return sum;
}

static uint64_t sum_of_quads(__m256i v)
{
    uint64_t quad[4];
    _mm256_storeu_si256((__m256i *)(void *)quad, v);
    return quad[0] + quad[1] + quad[2] + quad[3];
}

/* Returns how many samples it took, and asks for those at `next`; min and max are then of them. `moments`: sum
 * and squares, too. */
static CPU_INLINE int64_t in_vectors_u8(const uint8_t *x, int64_t n, const uint8_t *next, bool moments,
                                        uint8_t *min, uint8_t *max, HaloMoments *leaf)
{
    const int64_t whole = n / BYTES * BYTES;
    const Bytes none = OF_ALL(setzero)(), low = OF(srli_epi64)(OF(set1_epi8)(-1), 32);
    ByteSums s = {OF(set1_epi8)(-1), none, none, none, {none, none}};
    uint8_t least[BYTES], most[BYTES];
    for (int64_t i = 0; i < whole; i += BYTES) {
        for (int k = 0; k < BYTES; k += 64) CPU_FETCH(next, i + k);
        add_bytes(&s, OF_ALL(loadu)((const void *)(x + i)), moments);
    }
    const Bytes squares = OF(add_epi32)(s.squares[0], s.squares[1]); /* still below 2^32 */
    leaf->zero = (uint64_t)whole - sum_of_bytes(OF(sad_epu8)(s.other, none));
    leaf->isum = sum_of_bytes(s.sum);
    leaf->isq_lo = sum_of_bytes(OF(add_epi64)(OF_ALL(and)(squares, low), OF(srli_epi64)(squares, 32)));
    OF_ALL(storeu)((void *)least, s.min);
    OF_ALL(storeu)((void *)most, s.max);
    for (int k = 0; k < BYTES && whole > 0; k++) {
        *min = least[k] < *min ? least[k] : *min;
        *max = most[k] > *max ? most[k] : *max;
    }
    return whole;
}

#undef BYTES
#undef OF
#undef OF_ALL
