/* Counting values of one type: define VALUE (the type) and TYPE (its suffix). */
static inline VALUE CPU_PASTE(value, TYPE)(const char *values, int64_t i)
{
    VALUE v;
    memcpy(&v, values + i * (int64_t)sizeof v, sizeof v);
    return v;
}

/* Four pixels of `channels`, a constant where this is called, in four copies of the counters. */
static CPU_INLINE void CPU_PASTE(count_fours, TYPE)(const char *values, int64_t fours, int64_t channels,
                                                    int64_t bins, uint64_t *counter)
{
    for (int64_t i = 0; i < fours; i++, values += 4 * channels * (int64_t)sizeof(VALUE)) {
        CPU_UNROLL
        for (int64_t k = 0; k < 4 * channels; k++) counter[k * bins + CPU_PASTE(value, TYPE)(values, k)]++;
    }
}

static void CPU_PASTE(count, TYPE)(const void *samples, int64_t pixels, int64_t channels, int64_t bins,
                                   int64_t copies, uint64_t *counter)
{
    const char *values = samples;
    const int64_t fours = copies == 4 ? pixels / 4 : 0;
    switch (channels) {
    case 1: CPU_PASTE(count_fours, TYPE)(values, fours, 1, bins, counter); break;
    case 3: CPU_PASTE(count_fours, TYPE)(values, fours, 3, bins, counter); break;
    default: CPU_PASTE(count_fours, TYPE)(values, fours, channels, bins, counter);
    }
    for (int64_t i = fours * 4; i < pixels; i++)
        for (int64_t c = 0; c < channels; c++)
            counter[c * bins + CPU_PASTE(value, TYPE)(values, i * channels + c)]++;
}
#undef VALUE
#undef TYPE
