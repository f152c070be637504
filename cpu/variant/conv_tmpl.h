/* One block of outputs, ROWS rows of VECTORS vectors, whose sums stay in registers, by a mask WIDTH wide:
 * define these and NAME.
 *
 * Going down the lines, every line gives its taps to all output rows that it lies under, so that one load
 * serves up to ROWS sums. Each sum still meets its taps in row-major order. */

/* The line at `in` lies under rows lo .. hi, constants where this is called; `tap` is the mask's row for row
 * `lo`, and those for the rows below it come before. */
static CPU_INLINE void CPU_PASTE(NAME, line)(CpuVector acc[ROWS][VECTORS], const float *in, const float *tap,
                                             int64_t width, int64_t step, int lo, int hi)
{
    for (int64_t i = 0; i < width; i++, in += step, tap++) {
        CpuVector t[ROWS];
        CPU_UNROLL for (int r = lo; r <= hi; r++) t[r] = vector_of(tap[(lo - r) * width]);
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            CpuVector v = vector_load(in + k * CPU_LANES);
            CPU_KEEP(v);
            CPU_UNROLL for (int r = lo; r <= hi; r++) acc[r][k] = vector_fma(t[r], v, acc[r][k]);
        }
    }
}

/* The mask has ROWS - 1 rows or more. */
static void NAME(const CpuMask *mask, const float *const *line, int64_t at, float *out, int64_t pitch,
                 bool first)
{
    const int64_t width = WIDTH, height = mask->height, step = mask->step;
    const float *tap = mask->tap, *last = tap + (height - 1) * width;
    CpuVector acc[ROWS][VECTORS];
    out += at;
    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            acc[r][k] = first ? vector_of(0.0f) : vector_load(out + r * pitch + k * CPU_LANES);
        }
    }

    CPU_UNROLL for (int l = 0; l < ROWS - 1; l++)
        CPU_PASTE(NAME, line)(acc, line[l] + at, tap + l * width, width, step, 0, l);
    for (int64_t l = ROWS - 1; l < height; l++)
        CPU_PASTE(NAME, line)(acc, line[l] + at, tap + l * width, width, step, 0, ROWS - 1);
    CPU_UNROLL for (int l = 1; l < ROWS; l++)
        CPU_PASTE(NAME, line)(acc, line[height - 1 + l] + at, last, width, step, l, ROWS - 1);

    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++) vector_store(out + r * pitch + k * CPU_LANES, acc[r][k]);
    }
}

#undef NAME
#undef ROWS
#undef VECTORS
#undef WIDTH
