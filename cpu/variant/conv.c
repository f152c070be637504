/* Convolution of rows: one accumulator an output, every tap by one fused multiply-add, in row-major order.
 * Vectors run across outputs. The sums of a block of outputs are kept in registers, as many as there are. */
#include "variant.h"

#if defined(__AVX512F__)
#define TALL_BLOCK 96 /* 4 rows of 6 vectors: 24 of 32 registers */
#define FLAT_BLOCK 128
#define EDGE_BLOCK 16
#elif defined(__AVX2__)
#define TALL_BLOCK 16 /* 4 rows of 2 vectors: 8 of 16 registers, and 5 for taps and samples */
#define FLAT_BLOCK 64
#define EDGE_BLOCK 8
#else
#define TALL_BLOCK 8
#define FLAT_BLOCK 32
#define EDGE_BLOCK 4
#endif

_Static_assert(EDGE_BLOCK <= CPU_CONV_SLACK, "blocks at the edge reach past the row");

#define NAME tall_block
#define ROWS CPU_CONV_ROWS
#define BLOCK TALL_BLOCK
#include "conv_tmpl.h"

#define NAME tall_edge
#define ROWS CPU_CONV_ROWS
#define BLOCK EDGE_BLOCK
#include "conv_tmpl.h"

#define NAME flat_block
#define ROWS 1
#define BLOCK FLAT_BLOCK
#include "conv_tmpl.h"

#define NAME flat_edge
#define ROWS 1
#define BLOCK EDGE_BLOCK
#include "conv_tmpl.h"

static void conv(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first)
{
    int64_t row = 0, at;
    /* Rows share nothing where the mask has one row. */
    for (; mask->height > 1 && rows - row >= CPU_CONV_ROWS; row += CPU_CONV_ROWS) {
        for (at = 0; at + TALL_BLOCK <= n; at += TALL_BLOCK)
            tall_block(mask, line + row, at, out + row * pitch, pitch, first);
        for (; at < n; at += EDGE_BLOCK) tall_edge(mask, line + row, at, out + row * pitch, pitch, first);
    }
    for (; row < rows; row++) {
        for (at = 0; at + FLAT_BLOCK <= n; at += FLAT_BLOCK)
            flat_block(mask, line + row, at, out + row * pitch, pitch, first);
        for (; at < n; at += EDGE_BLOCK) flat_edge(mask, line + row, at, out + row * pitch, pitch, first);
    }
}

/* Slow and plain: NaN samples are not what images are made of. */
static void conv_nan(const CpuMask *mask, const float *const *line, int64_t n, CpuNanSums sums, bool first)
{
    float *restrict acc = sums.acc, *restrict weight = sums.weight, *restrict used = sums.used;
    if (first) {
        for (int64_t k = 0; k < n; k++) acc[k] = weight[k] = used[k] = 0.0f;
    }
    for (int64_t j = 0; j < mask->height; j++) {
        for (int64_t i = 0; i < mask->width; i++) {
            const float *restrict in = line[j] + i * mask->step;
            const float tap = mask->tap[j * mask->width + i];
            for (int64_t k = 0; k < n; k++) {
                const float v = in[k], sum = halo_fma(tap, v, acc[k]);
                const bool real = v == v;
                acc[k] = real ? sum : acc[k];
                weight[k] = real ? weight[k] + tap : weight[k];
                used[k] = real ? 1.0f : used[k];
            }
        }
    }
}

static void renormalise(CpuNanSums sums, int64_t n, float total)
{
    for (int64_t k = 0; k < n; k++) {
        if (sums.used[k] == 0.0f)
            sums.acc[k] = NAN;
        else if (total != 0.0f)
            sums.acc[k] = sums.acc[k] * (total / sums.weight[k]);
    }
}

const CpuConvKernels CPU_TABLE(conv) = {.conv = conv, .conv_nan = conv_nan, .renormalise = renormalise};
