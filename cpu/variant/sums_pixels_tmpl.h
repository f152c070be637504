/* Running sums of small integers in several channels, as they lie: define SAMPLE (the type) and TYPE (its
 * suffix); and FOUR, which loads four as i64, where the machine has such vectors. A vector that is loaded from
 * `down` is one that was stored as such: the processor would wait for parts of several. */
#if defined(FOUR)
static CPU_INLINE void CPU_PASTE(put, TYPE)(__m256i sum, int64_t *down, int64_t *out)
{
    if (down != NULL) {
        sum = _mm256_add_epi64(sum, _mm256_loadu_si256((const __m256i *)(const void *)down));
        _mm256_storeu_si256((__m256i *)(void *)down, sum);
    }
    _mm256_storeu_si256((__m256i *)(void *)out, sum);
}

/* Two channels, two pixels at a time: the earlier goes into the later one, and both come after the last. */
static CPU_INLINE int64_t CPU_PASTE(twos, TYPE)(const SAMPLE *samples, int64_t pixels, int64_t *carry,
                                                int64_t *restrict down, int64_t *restrict out)
{
    __m256i sum = _mm256_set_epi64x(carry[1], carry[0], carry[1], carry[0]);
    int64_t p = 0;
    for (; p + 2 <= pixels; p += 2) {
        const __m256i v = FOUR(samples + 2 * p), earlier = _mm256_permute2x128_si256(v, v, 0x08);
        sum = _mm256_add_epi64(_mm256_permute4x64_epi64(sum, 0xee), _mm256_add_epi64(v, earlier));
        CPU_PASTE(put, TYPE)(sum, down != NULL ? down + 2 * p : NULL, out + 2 * p);
    }
    carry[0] = _mm256_extract_epi64(sum, 2);
    carry[1] = _mm256_extract_epi64(sum, 3);
    return p;
}

/* Three channels: four pixels' sums, of which the last lane means nothing, become three vectors. */
static CPU_INLINE int64_t CPU_PASTE(threes, TYPE)(const SAMPLE *samples, int64_t pixels, int64_t *carry,
                                                  int64_t *restrict down, int64_t *restrict out)
{
    __m256i sum[4];
    int64_t p = 0;
    sum[3] = _mm256_set_epi64x(0, carry[2], carry[1], carry[0]);
    for (; p + 5 <= pixels; p += 4) { /* one sample more is read */
        int64_t *const below = down != NULL ? down + 3 * p : NULL, *const to = out + 3 * p;
        CPU_UNROLL for (int k = 0; k < 4; k++) sum[k] =
            _mm256_add_epi64(sum[(k + 3) % 4], FOUR(samples + 3 * (p + k)));
        const __m256i first = _mm256_blend_epi32(sum[0], _mm256_permute4x64_epi64(sum[1], 0x00), 0xc0),
                      second = _mm256_blend_epi32(_mm256_permute4x64_epi64(sum[1], 0x09),
                                                  _mm256_permute4x64_epi64(sum[2], 0x40), 0xf0),
                      third = _mm256_blend_epi32(_mm256_permute4x64_epi64(sum[2], 0x02),
                                                 _mm256_permute4x64_epi64(sum[3], 0x90), 0xfc);
        CPU_PASTE(put, TYPE)(first, below, to);
        CPU_PASTE(put, TYPE)(second, below != NULL ? below + 4 : NULL, to + 4);
        CPU_PASTE(put, TYPE)(third, below != NULL ? below + 8 : NULL, to + 8);
    }
    carry[0] = _mm256_extract_epi64(sum[3], 0);
    carry[1] = _mm256_extract_epi64(sum[3], 1);
    carry[2] = _mm256_extract_epi64(sum[3], 2);
    return p;
}

/* Four channels of so many. */
static CPU_INLINE void CPU_PASTE(fours, TYPE)(const SAMPLE *samples, int64_t pixels, int64_t channels,
                                              int64_t *carry, int64_t *restrict down, int64_t *restrict out)
{
    __m256i sum = _mm256_loadu_si256((const __m256i *)(const void *)carry);
    for (int64_t i = 0; i < pixels * channels; i += channels) {
        sum = _mm256_add_epi64(sum, FOUR(samples + i));
        CPU_PASTE(put, TYPE)(sum, down != NULL ? down + i : NULL, out + i);
    }
    _mm256_storeu_si256((__m256i *)(void *)carry, sum);
}
#endif

static void CPU_PASTE(pixel_sums, TYPE)(const void *samples, int64_t pixels, int64_t channels, int64_t *carry,
                                        int64_t *restrict down, int64_t *restrict out)
{
    const SAMPLE *const from = samples;
    int64_t c = 0, done = 0; /* channels of all pixels; pixels of the others */
#if defined(FOUR)
    if (channels == 2) done = CPU_PASTE(twos, TYPE)(from, pixels, carry, down, out);
    if (channels == 3) done = CPU_PASTE(threes, TYPE)(from, pixels, carry, down, out);
    for (; c + 4 <= channels; c += 4)
        CPU_PASTE(fours, TYPE)(from + c, pixels, channels, carry + c, down != NULL ? down + c : NULL, out + c);
#endif
    for (; c < channels; c++) {
        int64_t sum = carry[c];
        for (int64_t i = done * channels + c; i < pixels * channels; i += channels) {
            SAMPLE v;
            memcpy(&v, from + i, sizeof v);
            sum += v;
            out[i] = sum + (down != NULL ? down[i] : 0);
            if (down != NULL) down[i] = out[i];
        }
        carry[c] = sum;
    }
}
#undef SAMPLE
#undef TYPE
#undef FOUR
