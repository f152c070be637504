/* One block of outputs, whose sums (conv_sums_tmpl.h) go on from `out`, where they are not the first, and back
 * to it: define NAME, ROWS, VECTORS and WIDTH. */
#include "conv_sums_tmpl.h"

static void NAME(const CpuMask *mask, const float *const *line, int64_t at, float *out, int64_t pitch,
                 bool first)
{
    CpuVector acc[ROWS][VECTORS];
    out += at;
    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++)
        {
            acc[r][k] = first ? vector_of(0.0f) : vector_load(out + r * pitch + k * CPU_LANES);
        }
    }
    CPU_PASTE(NAME, sums)(acc, mask, line, at);
    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++) vector_store(out + r * pitch + k * CPU_LANES, acc[r][k]);
    }
}

#undef NAME
#undef ROWS
#undef VECTORS
#undef WIDTH
