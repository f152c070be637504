/* Samples of one type: define SAMPLE (the type) and TYPE (its suffix). */
static void CPU_PASTE(gather, TYPE)(const void *samples, int64_t n, int64_t channels, void *out)
{
    const char *restrict from = samples;
    SAMPLE *restrict to = out;
    for (int64_t i = 0; i < n; i++) memcpy(&to[i], from + i * channels * (int64_t)sizeof *to, sizeof *to);
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
