/* Samples of one type as the wide type of a scan: define NAME, SAMPLE and WIDE. */
static void NAME(const void *samples, int64_t n, int64_t channels, WIDE *restrict out)
{
    const char *restrict from = samples;
    for (int64_t i = 0; i < n; i++) {
        SAMPLE v;
        memcpy(&v, from + i * channels * (int64_t)sizeof v, sizeof v);
        out[i] = (WIDE)v;
    }
}
#undef NAME
#undef SAMPLE
#undef WIDE
