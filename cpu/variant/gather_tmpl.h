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

/* The same of pixels side by side. */
static CPU_INLINE void CPU_PASTE(part_all, TYPE)(const char *from, int64_t n, int channels, SAMPLE *to,
                                                 int64_t pitch)
{
    switch (channels) {
    case 1: memcpy(to, from, (size_t)n * sizeof *to); break;
    case 2: CPU_PASTE(part, TYPE)(from, n, 2, to, to + pitch, NULL, NULL); break;
    case 3: CPU_PASTE(part, TYPE)(from, n, 3, to, to + pitch, to + 2 * pitch, NULL); break;
    case 4: CPU_PASTE(part, TYPE)(from, n, 4, to, to + pitch, to + 2 * pitch, to + 3 * pitch); break;
    }
}

/* Some channels of more, a constant number: they are brought side by side first, so many pixels at a time. */
#define PIXELS 256

static CPU_INLINE void CPU_PASTE(part_some, TYPE)(const char *from, int64_t n, int64_t channels, int wanted,
                                                  SAMPLE *to, int64_t pitch)
{
    SAMPLE near[4 * PIXELS];
    for (int64_t first = 0; first < n; first += PIXELS) {
        const int64_t some = least(PIXELS, n - first);
        for (int64_t i = 0; i < some; i++)
            memcpy(near + wanted * i, from + (first + i) * channels * (int64_t)sizeof *near,
                   (size_t)wanted * sizeof *near);
        CPU_PASTE(part_all, TYPE)((const char *)near, some, wanted, to + first, pitch);
    }
}

static void CPU_PASTE(gather, TYPE)(const void *samples, int64_t n, int64_t channels, int wanted, void *out,
                                    int64_t pitch)
{
    if (wanted == channels) {
        CPU_PASTE(part_all, TYPE)(samples, n, wanted, out, pitch);
        return;
    }
    switch (wanted) {
    case 1: CPU_PASTE(part_some, TYPE)(samples, n, channels, 1, out, pitch); break;
    case 2: CPU_PASTE(part_some, TYPE)(samples, n, channels, 2, out, pitch); break;
    case 3: CPU_PASTE(part_some, TYPE)(samples, n, channels, 3, out, pitch); break;
    case 4: CPU_PASTE(part_some, TYPE)(samples, n, channels, 4, out, pitch); break;
    }
}

static int64_t CPU_PASTE(find, TYPE)(const void *samples, int64_t n, double value)
{
    enum { BLOCK = 64 }; /* samples that are compared side by side */
    const SAMPLE *x = samples, wanted = (SAMPLE)value;
    int64_t i = 0;
    for (; i + BLOCK <= n; i += BLOCK) {
        SAMPLE found = 0;
        for (int64_t k = 0; k < BLOCK; k++) found = x[i + k] == wanted ? 1 : found;
        if (found != 0) break;
    }
    while (i < n - 1 && x[i] != wanted) i++;
    return i;
}
#undef SAMPLE
#undef TYPE
#undef PIXELS
