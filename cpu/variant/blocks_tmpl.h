/* Means of blocks of one sample type: define SAMPLE, SUM (what a column of 256 samples fits) and TYPE (its
 * suffix). Rows are added up first, by vectors; then each output takes `across` of these sums. */
static CPU_INLINE void CPU_PASTE(along, TYPE)(const SUM *restrict sums, int64_t across, int64_t channels,
                                              int64_t outputs, float scale, float *restrict out)
{
    for (int64_t o = 0; o < outputs; o++)
        for (int64_t c = 0; c < channels; c++) {
            uint32_t sum = 0;
            for (int64_t j = 0; j < across; j++) sum += sums[(o * across + j) * channels + c];
            out[o * channels + c] = (float)(int32_t)sum * scale;
        }
}

/* The same of three or four channels, which are added side by side; up to one sample past the last is read and
 * written. */
static CPU_INLINE void CPU_PASTE(pixels, TYPE)(const SUM *restrict sums, int64_t across, int channels,
                                               int64_t outputs, float scale, float *restrict out)
{
#if defined(__GNUC__)
    typedef SUM Sums __attribute__((vector_size(4 * sizeof(SUM))));
    typedef int32_t Wide __attribute__((vector_size(16)));
    typedef float Floats __attribute__((vector_size(16)));
    for (int64_t o = 0; o < outputs; o++) {
        Wide sum = {0};
        for (int64_t j = 0; j < across; j++) {
            Sums pixel;
            memcpy(&pixel, sums + (o * across + j) * channels, sizeof pixel);
            sum += __builtin_convertvector(pixel, Wide);
        }
        const Floats mean = __builtin_convertvector(sum, Floats) * scale;
        memcpy(out + o * channels, &mean, sizeof mean);
    }
#else
    CPU_PASTE(along, TYPE)(sums, across, channels, outputs, scale, out);
#endif
}

/* Outputs [from, outputs). */
static void CPU_PASTE(means, TYPE)(const void *const *row, int64_t down, int64_t across, int64_t channels,
                                   int64_t from, int64_t outputs, float scale, void *scratch,
                                   float *restrict out)
{
    SUM *restrict sums = scratch;
    const int64_t first = from * across * channels, n = (outputs - from) * across * channels;
    const SAMPLE *top = (const SAMPLE *)row[0] + first;
    for (int64_t i = 0; i < n; i++) sums[i] = top[i];
    for (int64_t j = 1; j < down; j++) {
        const SAMPLE *restrict at = (const SAMPLE *)row[j] + first;
        for (int64_t i = 0; i < n; i++) sums[i] = (SUM)(sums[i] + at[i]);
    }
    out += from * channels;
    outputs -= from;
    if (channels == 1 && across == 2)
        CPU_PASTE(along, TYPE)(sums, 2, 1, outputs, scale, out);
    else if (channels == 1)
        CPU_PASTE(along, TYPE)(sums, across, 1, outputs, scale, out);
    else if (channels == 3)
        CPU_PASTE(pixels, TYPE)(sums, across, 3, outputs, scale, out);
    else if (channels == 4)
        CPU_PASTE(pixels, TYPE)(sums, across, 4, outputs, scale, out);
    else
        CPU_PASTE(along, TYPE)(sums, across, channels, outputs, scale, out);
}
#undef SAMPLE
#undef SUM
#undef TYPE
