/* One block of outputs, ROWS rows of BLOCK elements, whose sums stay in registers: define ROWS, BLOCK and NAME.
 *
 * Going down the lines, every line gives its taps to all output rows that it lies under, so that one load
 * serves up to ROWS sums. Each sum still meets its taps in row-major order. */
static void NAME(const CpuMask *mask, const float *const *line, int64_t at, float *out, int64_t pitch,
                 bool first)
{
    const int64_t width = mask->width, height = mask->height, step = mask->step;
    float acc[ROWS][BLOCK];
    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < BLOCK; n++) acc[r][n] = first ? 0.0f : out[r * pitch + at + n];

    for (int64_t l = 0; l < height + ROWS - 1; l++) {
        const float *in = line[l] + at;
        if (l >= ROWS - 1 && l < height) { /* it lies under all rows */
            const float *tap = mask->tap + l * width;
            for (int64_t i = 0; i < width; i++, in += step, tap++) {
                float t[ROWS];
                for (int r = 0; r < ROWS; r++) t[r] = tap[-r * width];
                for (int n = 0; n < BLOCK; n++) {
                    const float v = in[n];
                    for (int r = 0; r < ROWS; r++) acc[r][n] = halo_fma(t[r], v, acc[r][n]);
                }
            }
        } else {
            for (int64_t i = 0; i < width; i++, in += step) {
                for (int r = 0; r < ROWS; r++) {
                    if (l - r < 0 || l - r >= height) continue;
                    const float t = mask->tap[(l - r) * width + i];
                    for (int n = 0; n < BLOCK; n++) acc[r][n] = halo_fma(t, in[n], acc[r][n]);
                }
            }
        }
    }

    for (int r = 0; r < ROWS; r++)
        for (int n = 0; n < BLOCK; n++) out[r * pitch + at + n] = acc[r][n];
}

#undef NAME
#undef ROWS
#undef BLOCK
