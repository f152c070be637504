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
#define WIDTH mask->width
#include "conv_tmpl.h"

#define NAME tall_edge
#define ROWS CPU_CONV_ROWS
#define VECTORS 1
#define WIDTH mask->width
#include "conv_tmpl.h"

#define NAME flat_block
#define ROWS 1
#define VECTORS FLAT_VECTORS
#define WIDTH mask->width
#include "conv_tmpl.h"

#define NAME flat_edge
#define ROWS 1
#define VECTORS 1
#define WIDTH mask->width
#include "conv_tmpl.h"

#define NAME column_block
#define ROWS CPU_CONV_ROWS
#define VECTORS TALL_VECTORS
#define WIDTH 1
#include "conv_tmpl.h"

/* Lines of a column's taps whose samples stay in the nearest cache while all rows take them; the last ones may
 * be a few more, so that none are too few for a block. */
#define COLUMN_BAND 48

/* One column of blocks, by a mask of one column. */
static void column(const CpuMask *mask, const float *const *line, int64_t rows, int64_t at, float *out,
                   int64_t pitch, bool first)
{
    for (int64_t j = 0, height; j < mask->height; j += height) {
        height = mask->height - j < COLUMN_BAND + CPU_CONV_ROWS ? mask->height - j : COLUMN_BAND;
        const CpuMask band = {mask->tap + j, 1, height, mask->step};
        for (int64_t row = 0; row < rows; row += CPU_CONV_ROWS)
            column_block(&band, line + j + row, at, out + row * pitch, pitch, first && j == 0);
    }
}

/* n outputs of `rows` rows, whole CPU_CONV_ROWS of them, `pitch` apart. Columns of outputs one after the other,
 * so that the samples under one stay in the nearest cache for all of its rows. */
static void tall(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first)
{
    int64_t at = 0;
    for (; mask->width == 1 && at + TALL_BLOCK <= n; at += TALL_BLOCK)
        column(mask, line, rows, at, out, pitch, first);
    for (; at + TALL_BLOCK <= n; at += TALL_BLOCK)
        for (int64_t row = 0; row < rows; row += CPU_CONV_ROWS)
            tall_block(mask, line + row, at, out + row * pitch, pitch, first);
    for (; at < n; at += CPU_LANES)
        for (int64_t row = 0; row < rows; row += CPU_CONV_ROWS)
            tall_edge(mask, line + row, at, out + row * pitch, pitch, first);
}

/* Outputs [at, n) of one row. */
static void flat(const CpuMask *mask, const float *const *line, int64_t at, int64_t n, float *out, bool first)
{
    for (; at + FLAT_BLOCK <= n; at += FLAT_BLOCK) flat_block(mask, line, at, out, 0, first);
    for (; at < n; at += CPU_LANES) flat_edge(mask, line, at, out, 0, first);
}

/* ---- long rows of taps ----------------------------------------------------------------------------------- */

/* Lines of a band of the mask below; the last one may have a few more, so that none is too low for a block. */
#define LONG_BAND 64

/* How many outputs stand side by side below; 0: the mask is too short, and most loads would serve few sums. */
static int64_t long_block(const CpuMask *mask)
{
    const int64_t length = mask->width * mask->step;
    const int64_t block = length >= 5 * TALL_BLOCK ? TALL_BLOCK : length >= 12 * CPU_LANES ? CPU_LANES : 0;
    return block % mask->step == 0 ? block : block * mask->step;
}

/* A row of taps is a mask of many rows, each as long as a block of outputs, over lines that begin a block after
 * one another: so a vector of samples that is loaded serves several sums, and every output still meets its taps
 * in their order. Makes as many outputs as come in whole chunks, and returns how many. */
static int64_t conv_long(const CpuMask *mask, const float *in, int64_t n, float *out, bool first)
{
    const int64_t block = long_block(mask), width = block / mask->step, chunk = CPU_CONV_ROWS * block;
    const int64_t height = block > 0 ? mask->width / width : 0;
    const CpuMask rest = {mask->tap + height * width, mask->width - height * width, 1, mask->step};
    const float *line[LONG_BAND + 2 * CPU_CONV_ROWS];
    int64_t at = 0;
    if (height < CPU_CONV_ROWS - 1) return 0;
    for (; at + chunk <= n; at += chunk) {
        for (int64_t j = 0, rows; j < height; j += rows) {
            rows = height - j < LONG_BAND + CPU_CONV_ROWS - 1 ? height - j : LONG_BAND;
            const CpuMask band = {mask->tap + j * width, width, rows, mask->step};
            for (int64_t l = 0; l < rows + CPU_CONV_ROWS - 1; l++) line[l] = in + at + (j + l) * block;
            tall(&band, line, CPU_CONV_ROWS, block, out + at, block, first && j == 0);
        }
        line[0] = in + at + height * block;
        if (rest.width > 0) flat(&rest, line, 0, chunk, out + at, false);
    }
    return at;
}

static void conv(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first)
{
    int64_t row = mask->height >= CPU_CONV_ROWS - 1 ? rows / CPU_CONV_ROWS * CPU_CONV_ROWS : 0;
    if (row > 0) tall(mask, line, row, n, out, pitch, first);
    for (; row < rows; row++) {
        const int64_t at = mask->height == 1 ? conv_long(mask, line[row], n, out + row * pitch, first) : 0;
        flat(mask, line + row, at, n, out + row * pitch, first);
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
