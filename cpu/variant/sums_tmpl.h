/* Running sums of small integers: define SAMPLE (the type), TYPE (its suffix) and NARROW (a type that holds
 * WINDOW samples); and EIGHT, which loads eight as i32, where the machine has such vectors.
 *
 * A chain of additions takes a cycle a sample. Instead every sample is first joined with the 15 before it, side
 * by side; then 16 chains, each adding every 16th of these sums, run beside each other. */

/* sum[WINDOW + i] becomes the sum of samples i - 15 .. i; what lies before the first is 0. */
static void CPU_PASTE(windows, TYPE)(const void *samples, int64_t n, int64_t channels, NARROW *restrict sum)
{
    NARROW one[WINDOW + CPU_SUMS], four[WINDOW + CPU_SUMS];
    const char *restrict from = samples;
    for (int64_t i = 0; i < WINDOW; i++) one[i] = four[i] = sum[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, from + i * channels * (int64_t)sizeof v, sizeof v);
        one[WINDOW + i] = v;
    }
    for (int64_t i = WINDOW; i < WINDOW + n; i++)
        four[i] = (NARROW)((NARROW)(one[i] + one[i - 1]) + (NARROW)(one[i - 2] + one[i - 3]));
    for (int64_t i = WINDOW; i < WINDOW + n; i++)
        sum[i] = (NARROW)((NARROW)(four[i] + four[i - 4]) + (NARROW)(four[i - 8] + four[i - 12]));
}

#if defined(EIGHT)
/* Inclusive sums of samples side by side, by prefixes inside of a vector: how many are done. `past`: past the
 * caches, `out` being aligned to vectors. */
static int64_t CPU_PASTE(sums_vectors, TYPE)(const SAMPLE *samples, int64_t n, int64_t *carry,
                                             int64_t *restrict down, bool past, int64_t *restrict out)
{
    const __m256i last = _mm256_set1_epi32(7), start = _mm256_set1_epi64x(*carry);
    __m256i before = _mm256_setzero_si256();
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        __m256i v = EIGHT(samples + i);
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
        v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
        v = _mm256_add_epi32(v, _mm256_shuffle_epi32(_mm256_permute2x128_si256(v, v, 0x08), 0xff));
        const __m256i sum = _mm256_add_epi32(v, before);
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(v, last));
        __m256i half[2] = {_mm256_cvtepu32_epi64(_mm256_castsi256_si128(sum)),
                           _mm256_cvtepu32_epi64(_mm256_extracti128_si256(sum, 1))};
        CPU_UNROLL for (int k = 0; k < 2; k++)
        {
            half[k] = _mm256_add_epi64(half[k], start);
            if (down != NULL) {
                __m256i *const above = (__m256i *)(void *)(down + i + 4 * k);
                half[k] = _mm256_add_epi64(half[k], _mm256_loadu_si256(above));
                _mm256_storeu_si256(above, half[k]);
            }
            __m256i *const to = (__m256i *)(void *)(out + i + 4 * k);
            if (past)
                _mm256_stream_si256(to, half[k]);
            else
                _mm256_storeu_si256(to, half[k]);
        }
    }
    *carry += (uint32_t)_mm256_cvtsi256_si32(before);
    return i;
}

static void CPU_PASTE(sums_inclusive, TYPE)(const SAMPLE *samples, int64_t n, int64_t *carry,
                                            int64_t *restrict down, bool past, int64_t *restrict out)
{
    for (int64_t i = CPU_PASTE(sums_vectors, TYPE)(samples, n, carry, down, past, out); i < n; i++) {
        SAMPLE v;
        memcpy(&v, (const char *)samples + i * (int64_t)sizeof v, sizeof v);
        *carry += v;
        out[i] = *carry + (down != NULL ? down[i] : 0);
        if (down != NULL) down[i] = out[i];
    }
}
#endif

static void CPU_PASTE(sums, TYPE)(const void *samples, int64_t n, int64_t channels, bool exclusive,
                                  int64_t *carry, int64_t *restrict down, bool past, int64_t *restrict out)
{
    NARROW sum[WINDOW + CPU_SUMS];
#if defined(EIGHT)
    if (channels == 1 && !exclusive) {
        CPU_PASTE(sums_inclusive, TYPE)(samples, n, carry, down, past, out);
        return;
    }
#endif
    (void)past;
    CPU_PASTE(windows, TYPE)(samples, n, channels, sum);
    const NARROW *restrict x = sum + WINDOW - (exclusive ? 1 : 0);
    for (int64_t i = 0; i < n; i++) out[i] = x[i];
    for (int64_t i = 0; i < n && i < WINDOW; i++) out[i] += *carry;
    for (int64_t i = WINDOW; i < n; i++) out[i] += out[i - WINDOW];
    SAMPLE last;
    memcpy(&last, (const char *)samples + (n - 1) * channels * (int64_t)sizeof last, sizeof last);
    *carry = out[n - 1] + (exclusive ? last : 0);
    if (down == NULL) return;
    for (int64_t i = 0; i < n; i++) {
        const int64_t above = down[i], below = above + out[i];
        out[i] = exclusive ? above : below;
        down[i] = below;
    }
}

static void CPU_PASTE(columns, TYPE)(const void *samples, int64_t n, int64_t channels, uint32_t *restrict total)
{
    const char *restrict from = samples;
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, from + i * channels * (int64_t)sizeof v, sizeof v);
        total[i] += v;
    }
}
#undef SAMPLE
#undef TYPE
#undef NARROW
#undef EIGHT
