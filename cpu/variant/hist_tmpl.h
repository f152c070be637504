/* Counting values of one type: define VALUE (the type) and TYPE (its suffix). */
static void CPU_PASTE(count, TYPE)(const void *values, int64_t pixels, int64_t channels, int64_t bins,
                                   int64_t copies, uint64_t *counter)
{
    const char *restrict from = values;
    for (int64_t i = 0; i < pixels; i++) {
        uint64_t *restrict bin = counter + (i & (copies - 1)) * channels * bins;
        for (int64_t c = 0; c < channels; c++, from += sizeof(VALUE), bin += bins) {
            VALUE v;
            memcpy(&v, from, sizeof v);
            bin[v]++;
        }
    }
}
#undef VALUE
#undef TYPE
