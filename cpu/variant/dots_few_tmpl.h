/* Rows of sums of pairs of bytes, two at a time, by a mask of COLUMNS columns over GROUPS groups: define these.
 * Its taps stay in registers, or nearby. Returns how many sums it has made of each row. */
static int64_t CPU_PASTE(CPU_PASTE(few, COLUMNS), GROUPS)(const CpuDots *dots, const void *const *group,
                                                          int64_t n, int16_t *out, int64_t pitch)
{
    const DotVector start = dot_of(dots->start);
    DotVector tap[2][GROUPS][COLUMNS];
    int64_t offset[COLUMNS];
    int64_t at = 0;
    CPU_UNROLL for (int g = 0; g < GROUPS; g++)
    {
        CPU_UNROLL for (int c = 0; c < COLUMNS; c++)
        {
            offset[c] = 2 * dots->offset[c];
            CPU_UNROLL for (int r = 0; r < 2; r++) tap[r][g][c] = dot_of(dots->tap[r][g * COLUMNS + c]);
        }
    }
    for (; at + FEW_VECTORS * DOT_BYTES / 2 <= n; at += FEW_VECTORS * DOT_BYTES / 2) {
        DotVector sum[2][FEW_VECTORS];
        const char *line[GROUPS];
        CPU_UNROLL for (int g = 0; g < GROUPS; g++) line[g] = (const char *)group[g] + 2 * at;
        CPU_UNROLL for (int k = 0; k < FEW_VECTORS; k++)
        {
            sum[0][k] = sum[1][k] = start;
            CPU_UNROLL for (int g = 0; g < GROUPS; g++)
            {
                CPU_UNROLL for (int c = 0; c < COLUMNS; c++)
                {
                    const DotVector v = dot_load(line[g] + offset[c] + k * DOT_BYTES);
                    CPU_UNROLL for (int r = 0; r < 2; r++) sum[r][k] = dot_bytes(sum[r][k], v, tap[r][g][c]);
                }
            }
            CPU_UNROLL for (int r = 0; r < 2; r++)
                dot_store(out + r * pitch + at + k * DOT_BYTES / 2, sum[r][k]);
        }
    }
    return at;
}

#undef COLUMNS
#undef GROUPS
