/* Convolution of rows: one accumulator an output, every tap by one fused multiply-add, in row-major order.
 * Vectors run across outputs. The sums of a block of outputs are kept in registers, as many as there are. */
#include "vector.h"

#if defined(__AVX512F__)
#define TALL_VECTORS 6 /* 4 rows of 6: 24 of 32 registers, and 5 for taps and samples */
#define FLAT_VECTORS 8
#elif defined(__AVX__)
#define TALL_VECTORS 2 /* 8 of 16 registers */
#define FLAT_VECTORS 8
#else
#define TALL_VECTORS 1
#define FLAT_VECTORS 2
#endif

#define TALL_BLOCK (TALL_VECTORS * CPU_LANES)
#define FLAT_BLOCK (FLAT_VECTORS * CPU_LANES)

_Static_assert(CPU_LANES <= CPU_CONV_SLACK, "the last vector may reach past the row");

#define NAME tall_block
#define ROWS CPU_CONV_ROWS
#define VECTORS TALL_VECTORS
#include "conv_tmpl.h"

#define NAME tall_edge
#define ROWS CPU_CONV_ROWS
#define VECTORS 1
#include "conv_tmpl.h"

#define NAME flat_block
#define ROWS 1
#define VECTORS FLAT_VECTORS
#include "conv_tmpl.h"

#define NAME flat_edge
#define ROWS 1
#define VECTORS 1
#include "conv_tmpl.h"

static void conv(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first)
{
    int64_t row = 0, at;
    for (; mask->height >= CPU_CONV_ROWS - 1 && rows - row >= CPU_CONV_ROWS; row += CPU_CONV_ROWS) {
        for (at = 0; at + TALL_BLOCK <= n; at += TALL_BLOCK)
            tall_block(mask, line + row, at, out + row * pitch, pitch, first);
        for (; at < n; at += CPU_LANES) tall_edge(mask, line + row, at, out + row * pitch, pitch, first);
    }
    for (; row < rows; row++) {
        for (at = 0; at + FLAT_BLOCK <= n; at += FLAT_BLOCK)
            flat_block(mask, line + row, at, out + row * pitch, pitch, first);
        for (; at < n; at += CPU_LANES) flat_edge(mask, line + row, at, out + row * pitch, pitch, first);
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
