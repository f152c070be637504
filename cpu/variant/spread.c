/* Sums along rows that become longer: what a vector of outputs reads for one tap lies within as many elements
 * of the source, from which one permutation brings it into place. And sums down columns that become bytes. */
#include "vector.h"

#if defined(__AVX2__)
#if defined(__AVX512BW__)
typedef __m512i Places;
static CPU_INLINE Places places_load(const int32_t *at) { return _mm512_loadu_si512(at); }
static CPU_INLINE CpuVector permuted(CpuVector v, Places p) { return _mm512_permutexvar_ps(p, v); }
#else
typedef __m256i Places;
static CPU_INLINE Places places_load(const int32_t *at)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}
static CPU_INLINE CpuVector permuted(CpuVector v, Places p) { return _mm256_permutevar8x32_ps(v, p); }
#endif

/* ---- along rows ----------------------------------------------------------------------------------------- */

/* `taps`, if it is more than 0, is a constant where this is called. */
static CPU_INLINE void rows_of(const CpuSpread *s, int64_t from, int64_t to, int64_t taps,
                               const float *const *line, float *const *out)
{
    for (int64_t v = from; v < to; v++) {
        const float *const tap = s->tap + s->kind[v] * taps * CPU_LANES;
        const Places place = places_load(s->place + (int64_t)s->kind[v] * CPU_LANES);
        const int64_t base = s->base[v];
        CpuVector sum[CPU_SPREAD_ROWS];
        CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++) sum[r] = vector_of(0.0f);
        for (int64_t j = 0; j < taps; j++) {
            const CpuVector t = vector_load(tap + j * CPU_LANES);
            CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++) sum[r] =
                vector_fma(t, permuted(vector_load(line[r] + base + j * s->channels), place), sum[r]);
        }
        CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++) vector_store(out[r] + v * CPU_LANES, sum[r]);
    }
}

#if defined(__AVX512BW__)
/* The same where all that a vector of outputs reads lies within two vectors: each is loaded once. */
static CPU_INLINE void rows_of_two(const CpuSpread *s, int64_t from, int64_t to, int64_t taps,
                                   const float *const *line, float *const *out)
{
    const Places next = _mm512_set1_epi32((int)s->channels);
    for (int64_t v = from; v < to; v++) {
        const float *const tap = s->tap + s->kind[v] * taps * CPU_LANES;
        Places place = places_load(s->place + (int64_t)s->kind[v] * CPU_LANES);
        CpuVector sum[CPU_SPREAD_ROWS], low[CPU_SPREAD_ROWS], high[CPU_SPREAD_ROWS];
        CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++)
        {
            sum[r] = vector_of(0.0f);
            low[r] = vector_load(line[r] + s->base[v]);
            high[r] = vector_load(line[r] + s->base[v] + CPU_LANES);
        }
        for (int64_t j = 0; j < taps; j++, place = _mm512_add_epi32(place, next)) {
            const CpuVector t = vector_load(tap + j * CPU_LANES);
            CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++) sum[r] =
                vector_fma(t, _mm512_permutex2var_ps(low[r], place, high[r]), sum[r]);
        }
        CPU_UNROLL for (int r = 0; r < CPU_SPREAD_ROWS; r++) vector_store(out[r] + v * CPU_LANES, sum[r]);
    }
}
#endif

static void rows(const CpuSpread *s, int64_t from, int64_t to, const float *const *line, float *const *out)
{
#if defined(__AVX512BW__)
    if ((s->taps - 1) * s->channels <= CPU_LANES) {
        if (s->taps == 4)
            rows_of_two(s, from, to, 4, line, out);
        else
            rows_of_two(s, from, to, s->taps, line, out);
        return;
    }
#endif
    if (s->taps == 4)
        rows_of(s, from, to, 4, line, out);
    else
        rows_of(s, from, to, s->taps, line, out);
}

/* ---- down columns --------------------------------------------------------------------------------------- */

#define BLOCK (4 * CPU_LANES)

#if defined(__AVX512BW__)
/* Returns how many of them are no bytes. */
static CPU_INLINE unsigned store_block(const CpuVector sum[4], bool past, uint8_t *to)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i last = _mm512_set1_epi16(255);
    const __m512i a = _mm512_packs_epi32(_mm512_cvtps_epi32(sum[0]), _mm512_cvtps_epi32(sum[1])),
                  b = _mm512_packs_epi32(_mm512_cvtps_epi32(sum[2]), _mm512_cvtps_epi32(sum[3]));
    const __m512i bytes = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(a, b));
    if (past)
        _mm512_stream_si512((void *)to, bytes);
    else
        _mm512_storeu_si512(to, bytes);
    return (unsigned)__builtin_popcountll((uint64_t)_mm512_cmpgt_epu16_mask(a, last) << 32 |
                                          _mm512_cmpgt_epu16_mask(b, last));
}
#else
static CPU_INLINE unsigned store_block(const CpuVector sum[4], bool past, uint8_t *to)
{
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), zero = _mm256_setzero_si256();
    const __m256i a = _mm256_packs_epi32(_mm256_cvtps_epi32(sum[0]), _mm256_cvtps_epi32(sum[1])),
                  b = _mm256_packs_epi32(_mm256_cvtps_epi32(sum[2]), _mm256_cvtps_epi32(sum[3]));
    const __m256i kept = _mm256_packs_epi16(_mm256_cmpeq_epi16(_mm256_srli_epi16(a, 8), zero),
                                            _mm256_cmpeq_epi16(_mm256_srli_epi16(b, 8), zero));
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), order);
    if (past)
        _mm256_stream_si256((__m256i *)(void *)to, bytes);
    else
        _mm256_storeu_si256((__m256i *)(void *)to, bytes);
    return 32 - (unsigned)__builtin_popcount((unsigned)_mm256_movemask_epi8(kept));
}
#endif

static CPU_INLINE int64_t columns_of(const float *restrict tap, int64_t taps, const float *const *restrict line,
                                     int64_t from, int64_t n, bool past, uint8_t *restrict to,
                                     uint64_t *clipped)
{
    uint64_t lost = 0;
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        CpuVector sum[4];
        CPU_UNROLL for (int k = 0; k < 4; k++) sum[k] = vector_of(0.0f);
        for (int64_t j = 0; j < taps; j++) {
            const CpuVector t = vector_of(tap[j]);
            CPU_UNROLL for (int k = 0; k < 4; k++) sum[k] =
                vector_fma(t, vector_load(line[j] + from + i + k * CPU_LANES), sum[k]);
        }
        lost += store_block(sum, past, to + i);
    }
    *clipped += lost;
    return i;
}

static int64_t columns(const float *tap, int64_t taps, const float *const *line, int64_t from, int64_t n,
                       bool past, uint8_t *to, uint64_t *clipped)
{
    const bool aligned = past && (uintptr_t)to % sizeof(CpuVector) == 0;
    if (taps != 4) return columns_of(tap, taps, line, from, n, false, to, clipped);
    if (aligned) return columns_of(tap, 4, line, from, n, true, to, clipped);
    return columns_of(tap, 4, line, from, n, false, to, clipped);
}

const CpuSpreadKernels CPU_TABLE(spread) = {.lanes = CPU_LANES, .rows = rows, .columns = columns};
#else
const CpuSpreadKernels CPU_TABLE(spread) = {0};
#endif
