/* Samples of one type: define SAMPLE (the type) and TYPE (its suffix). */
static inline SAMPLE CPU_PASTE(sample, TYPE)(const char *samples, int64_t i)
{
    SAMPLE v;
    memcpy(&v, samples + i * (int64_t)sizeof v, sizeof v);
    return v;
}

/* `channels`, 2 to 4, are a constant where this is called: vectors of pixels are loaded and parted. */
static CPU_INLINE void CPU_PASTE(part, TYPE)(const char *restrict from, int64_t n, int64_t channels,
                                             SAMPLE *restrict a, SAMPLE *restrict b, SAMPLE *restrict c,
                                             SAMPLE *restrict d)
{
    for (int64_t i = 0; i < n; i++) {
        a[i] = CPU_PASTE(sample, TYPE)(from, channels * i);
        b[i] = CPU_PASTE(sample, TYPE)(from, channels * i + 1);
        if (channels > 2) c[i] = CPU_PASTE(sample, TYPE)(from, channels * i + 2);
        if (channels > 3) d[i] = CPU_PASTE(sample, TYPE)(from, channels * i + 3);
    }
}

static void CPU_PASTE(gather, TYPE)(const void *samples, int64_t n, int64_t channels, int wanted, void *out,
                                    int64_t pitch)
{
    const char *const from = samples;
    SAMPLE *const to = out;
    switch (wanted == channels ? wanted : 0) {
    case 2: CPU_PASTE(part, TYPE)(from, n, 2, to, to + pitch, NULL, NULL); break;
    case 3: CPU_PASTE(part, TYPE)(from, n, 3, to, to + pitch, to + 2 * pitch, NULL); break;
    case 4: CPU_PASTE(part, TYPE)(from, n, 4, to, to + pitch, to + 2 * pitch, to + 3 * pitch); break;
    default:
        for (int c = 0; c < wanted; c++)
            for (int64_t i = 0; i < n; i++) to[c * pitch + i] = CPU_PASTE(sample, TYPE)(from, i * channels + c);
    }
}

static int64_t CPU_PASTE(find, TYPE)(const void *samples, int64_t n, double value)
{
    const SAMPLE *x = samples, wanted = (SAMPLE)value;
    int64_t i = 0;
    while (i < n - 1 && x[i] != wanted) i++;
    return i;
}
#undef SAMPLE
#undef TYPE
