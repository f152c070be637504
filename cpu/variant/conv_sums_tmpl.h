/* The sums of one block of outputs, ROWS rows of VECTORS vectors, by a mask WIDTH wide, in registers: define
 * these and NAME.
 *
 * Going down the lines, every line gives its taps to all output rows that it lies under, so that one load
 * serves up to ROWS sums. Each sum still takes its taps in row-major order. Of a column the taps of all rows
 * stay in registers, or the samples, whichever are fewer. */
#define TAPS_STAY (ROWS < VECTORS)

/* The line at `in` lies under rows lo .. hi, constants where this is called; `tap` is the mask's row for row
 * `lo`, and those for the rows below it come before. */
static CPU_INLINE void CPU_PASTE(NAME, line)(CpuVector acc[ROWS][VECTORS], const float *in, const float *tap,
                                             int64_t width, int64_t step, int lo, int hi)
{
    for (int64_t i = 0; i < width; i++, in += step, tap++) {
#if TAPS_STAY
        CpuVector t[ROWS];
        CPU_UNROLL for (int r = lo; r <= hi; r++) t[r] = vector_of(tap[(lo - r) * width]);
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            CpuVector v = vector_load(in + k * CPU_LANES);
            CPU_KEEP(v);
            CPU_UNROLL for (int r = lo; r <= hi; r++) acc[r][k] = vector_fma(t[r], v, acc[r][k]);
        }
#else
        CpuVector v[VECTORS];
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            v[k] = vector_load(in + k * CPU_LANES);
            CPU_KEEP(v[k]);
        }
        CPU_UNROLL for (int r = lo; r <= hi; r++)
        {
            const CpuVector t = vector_of(tap[(lo - r) * width]);
            CPU_UNROLL for (int k = 0; k < VECTORS; k++) acc[r][k] = vector_fma(t, v[k], acc[r][k]);
        }
#endif
    }
}

/* Adds to acc. The mask has ROWS - 1 rows or more. */
static CPU_INLINE void CPU_PASTE(NAME, sums)(CpuVector acc[ROWS][VECTORS], const CpuMask *mask,
                                             const float *const *line, int64_t at)
{
    const int64_t width = WIDTH, height = mask->height, step = mask->step;
    const float *tap = mask->tap, *last = tap + (height - 1) * width;
    CPU_UNROLL for (int l = 0; l < ROWS - 1; l++)
        CPU_PASTE(NAME, line)(acc, line[l] + at, tap + l * width, width, step, 0, l);
    for (int64_t l = ROWS - 1; l < height; l++)
        CPU_PASTE(NAME, line)(acc, line[l] + at, tap + l * width, width, step, 0, ROWS - 1);
    CPU_UNROLL for (int l = 1; l < ROWS; l++)
        CPU_PASTE(NAME, line)(acc, line[height - 1 + l] + at, last, width, step, l, ROWS - 1);
}
#undef TAPS_STAY
