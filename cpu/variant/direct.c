/* Convolution of rows as in conv.c, whose sums leave the registers as results: no row of sums is written, read
 * and written again, and memory is waited for while the next block is computed. */
#include "tall.h"

#define NAME block
#define ROWS CPU_CONV_ROWS
#define VECTORS TALL_VECTORS
#define WIDTH mask->width
#include "conv_sums_tmpl.h"

static void block(const CpuMask *mask, const float *const *line, int64_t at, float *out,
                  const CpuDirect *direct)
{
    CpuVector acc[ROWS][VECTORS];
    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        CPU_UNROLL for (int k = 0; k < VECTORS; k++) acc[r][k] = vector_of(0.0f);
    }
    block_sums(acc, mask, line, at);
    CPU_UNROLL for (int r = 0; r < ROWS; r++)
    {
        vectors_put(acc[r], VECTORS, direct->past, out + r * direct->pitch);
    }
}

static int64_t conv(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n,
                    const CpuDirect *direct)
{
    int64_t at = 0;
    for (; at + TALL_BLOCK <= n; at += TALL_BLOCK) {
        CPU_UNROLL for (int r = 0; r < ROWS; r++) vectors_fetch(direct->prefetch[r] + at, VECTORS);
        for (int64_t row = 0; row < rows; row += ROWS)
            block(mask, line + row, at, direct->out + row * direct->pitch + at, direct);
    }
    return at;
}

const CpuDirectKernels CPU_TABLE(direct) = {.conv = conv};
