/* One block of sums, CPU_DOTS_ROWS rows of VECTORS vectors, which stay in registers: define NAME, VECTORS,
 * KIND, SUM, their type, and DOT, which adds products; and TARGET, attributes of a function.
 *
 * Going down the groups of lines, every group gives its taps to all output rows that it lies under. */
#define LINES (KIND == CPU_DOTS_FOURS ? 4 : 2)
#define SAMPLE_BYTES (KIND == CPU_DOTS_BYTES ? 2 : 4)

/* The group lies under rows lo * LINES and those after it, up to hi * LINES and those. */
TARGET static CPU_INLINE void CPU_PASTE(NAME, group)(DotVector sum[CPU_DOTS_ROWS][VECTORS], const CpuDots *dots,
                                                     const char *line, int64_t group, int lo, int hi)
{
    const int64_t columns = dots->columns, from = (group - lo) * columns;
    const int32_t *at[LINES];
    for (int k = 0; k < LINES; k++) at[k] = dots->tap[k] + from;
    for (int64_t c = 0; c < columns; c++) {
        const char *const in = line + dots->offset[c] * SAMPLE_BYTES;
        DotVector tap[CPU_DOTS_ROWS];
        CPU_UNROLL for (int r = lo * LINES; r < (hi + 1) * LINES; r++)
        {
            tap[r] = dot_of(at[r % LINES][(lo - r / LINES) * columns + c]);
        }
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            DotVector v = dot_load(in + k * (int)sizeof v);
            CPU_KEEP(v);
            CPU_UNROLL for (int r = lo * LINES; r < (hi + 1) * LINES; r++) sum[r][k] =
                DOT(sum[r][k], v, tap[r]);
        }
    }
}

TARGET static void NAME(const CpuDots *dots, const void *const *group, int64_t at, void *out, int64_t pitch)
{
    const int64_t groups = dots->groups, from = at * SAMPLE_BYTES;
    const int last = CPU_DOTS_ROWS / LINES - 1;
    SUM *const to = (SUM *)out + at;
    DotVector sum[CPU_DOTS_ROWS][VECTORS];
    CPU_UNROLL for (int r = 0; r < CPU_DOTS_ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++) sum[r][k] = dot_of(dots->start);
    }
    if (last > 0) CPU_PASTE(NAME, group)(sum, dots, (const char *)group[0] + from, 0, 0, 0);
    for (int64_t g = last; g < groups; g++)
        CPU_PASTE(NAME, group)(sum, dots, (const char *)group[g] + from, g, 0, last);
    if (last > 0) CPU_PASTE(NAME, group)(sum, dots, (const char *)group[groups] + from, groups, 1, 1);
    CPU_UNROLL for (int r = 0; r < CPU_DOTS_ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            dot_store((char *)(to + r * pitch) + k * (int)sizeof(DotVector), sum[r][k]);
        }
    }
}

#undef LINES
#undef SAMPLE_BYTES
#undef NAME
#undef VECTORS
#undef KIND
#undef SUM
#undef DOT
#undef TARGET
