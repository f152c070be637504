/* One block of sums, CPU_DOT_ROWS rows of VECTORS vectors, which stay in registers: define NAME and
 * VECTORS.
 *
 * Going down the groups of lines, every group gives its taps to all output rows that it lies under. */
/* The group lies under rows lo * CPU_DOT_LINES and those after it, up to hi * CPU_DOT_LINES and those. */
static CPU_INLINE void CPU_PASTE(NAME, group)(DotVector sum[CPU_DOT_ROWS][VECTORS], const CpuDotMask *dot,
                                              const char *line, int64_t group, int lo, int hi)
{
    const int64_t columns = dot->columns, from = (group - lo) * columns;
    const int32_t *at[CPU_DOT_LINES];
    for (int k = 0; k < CPU_DOT_LINES; k++) at[k] = dot->tap[k] + from;
    for (int64_t c = 0; c < columns; c++) {
        const char *const in = line + dot->offset[c] * CPU_DOT_LINES;
        DotVector tap[CPU_DOT_ROWS];
        CPU_UNROLL for (int r = lo * CPU_DOT_LINES; r < (hi + 1) * CPU_DOT_LINES; r++)
        {
            tap[r] = dot_of(at[r % CPU_DOT_LINES][(lo - r / CPU_DOT_LINES) * columns + c]);
        }
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            DotVector v = dot_load(in + k * (int)sizeof v);
            CPU_KEEP(v);
            CPU_UNROLL for (int r = lo * CPU_DOT_LINES; r < (hi + 1) * CPU_DOT_LINES; r++) sum[r][k] =
                dot_add(sum[r][k], v, tap[r]);
        }
    }
}

static void NAME(const CpuDotMask *dot, const void *const *group, int64_t at, void *out, int64_t pitch)
{
    const int64_t groups = dot->groups, from = at * CPU_DOT_LINES;
    const int last = CPU_DOT_ROWS / CPU_DOT_LINES - 1;
    int16_t *const to = (int16_t *)out + at;
    DotVector sum[CPU_DOT_ROWS][VECTORS];
    CPU_UNROLL for (int r = 0; r < CPU_DOT_ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++) sum[r][k] = dot_of(dot->start);
    }
    if (last > 0) CPU_PASTE(NAME, group)(sum, dot, (const char *)group[0] + from, 0, 0, 0);
    for (int64_t g = last; g < groups; g++)
        CPU_PASTE(NAME, group)(sum, dot, (const char *)group[g] + from, g, 0, last);
    if (last > 0) CPU_PASTE(NAME, group)(sum, dot, (const char *)group[groups] + from, groups, 1, 1);
    CPU_UNROLL for (int r = 0; r < CPU_DOT_ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            dot_store((char *)(to + r * pitch) + k * (int)sizeof(DotVector), sum[r][k]);
        }
    }
}

#undef NAME
#undef VECTORS
