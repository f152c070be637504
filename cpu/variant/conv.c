/* Convolution of rows: one accumulator an output, every tap by one fused multiply-add, in row-major order.
 * Vectors run across outputs. The sums of a block of outputs are kept in registers, as many as there are. */
#include "tall.h"

#if CPU_REGISTERS > 0
#define FLAT_VECTORS 8
#else
#define FLAT_VECTORS 2
#endif

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

/* ---- rows of taps ---------------------------------------------------------------------------------------- */

/* Vectors of taps that are taken at a time: with two sums of each, so many that none waits for itself, and as
 * many as there are registers for. */
#define ROW_LEAST 3
#define ROW_MOST 6

#if CPU_REGISTERS > 0

#define NAME row_of_3
#define LIVE 3
#include "conv_row_tmpl.h"

#define NAME row_of_4
#define LIVE 4
#include "conv_row_tmpl.h"

#define NAME row_of_5
#define LIVE 5
#include "conv_row_tmpl.h"

#define NAME row_of_6
#define LIVE 6
#include "conv_row_tmpl.h"

static void row_pair(const CpuMask *mask, const float *in, float *out, int64_t apart, int64_t blocks,
                     bool first)
{
    const float *const from[2] = {in, in + apart};
    float *const to[2] = {out, out + apart};
    switch ((mask->width + CPU_LANES - 1) / CPU_LANES) {
    case 3: row_of_3(mask, from, to, blocks, first); break;
    case 4: row_of_4(mask, from, to, blocks, first); break;
    case 5: row_of_5(mask, from, to, blocks, first); break;
    default: row_of_6(mask, from, to, blocks, first); break;
    }
}

/* n outputs by some of a row's taps. Vectors of a block pair up; one that is left over with its own other half.
 */
static void row_part(const CpuMask *mask, const float *in, int64_t n, float *out, bool first)
{
    const int64_t block = CPU_LANES * mask->step;
    int64_t at = 0;
    for (; at + 2 * CPU_LANES <= block; at += 2 * CPU_LANES)
        if (at < n) row_pair(mask, in + at, out + at, CPU_LANES, (n - at + block - 1) / block, first);
    if (at >= block || at >= n) return;
    const int64_t blocks = (n - at + block - 1) / block, half = (blocks + 1) / 2;
    const bool halves = block + CPU_LANES <= CPU_CONV_SLACK; /* they may reach so far past the end */
    row_pair(mask, in + at, out + at, halves ? half * block : 0, halves ? half : blocks, first);
}

/* n outputs by one row of taps, some at a time. False: it has too few taps. */
static bool conv_row(const CpuMask *mask, const float *in, int64_t n, float *out, bool first)
{
    const int64_t vectors = (mask->width + CPU_LANES - 1) / CPU_LANES,
                  parts = (vectors + ROW_MOST - 1) / ROW_MOST;
    CpuMask part = *mask;
    if (vectors < ROW_LEAST || n < 4 * ROW_MOST * CPU_LANES * mask->step) return false;
    for (int64_t p = 0, from = 0, end; p < parts; p++, from = end) {
        end = p + 1 < parts ? vectors * (p + 1) / parts * CPU_LANES : mask->width;
        part.tap = mask->tap + from;
        part.width = end - from;
        row_part(&part, in + from * mask->step, n, out, first && p == 0);
    }
    return true;
}

#else /* without vectors in registers there is nothing to share */
static bool conv_row(const CpuMask *mask, const float *in, int64_t n, float *out, bool first)
{
    (void)mask, (void)in, (void)n, (void)out, (void)first;
    return false;
}
#endif

static void conv(const CpuMask *mask, const float *const *line, int64_t rows, int64_t n, float *out,
                 int64_t pitch, bool first)
{
    int64_t row = mask->height >= CPU_CONV_ROWS - 1 ? rows / CPU_CONV_ROWS * CPU_CONV_ROWS : 0;
    if (row > 0) tall(mask, line, row, n, out, pitch, first);
    for (; row < rows; row++) {
        if (mask->height == 1 && conv_row(mask, line[row], n, out + row * pitch, first)) continue;
        flat(mask, line + row, 0, n, out + row * pitch, first);
    }
}

/* ---- some of the taps ------------------------------------------------------------------------------------ */

#define NAME runs_block
#define VECTORS FLAT_VECTORS
#include "conv_runs_tmpl.h"

#define NAME runs_edge
#define VECTORS 1
#include "conv_runs_tmpl.h"

/* Rows of a mask whose samples stay in the nearest cache while some rows of outputs take them. */
#define RUNS_BAND 24

/* Columns of outputs one after the other, as in `tall`. */
static void short_runs(const CpuMask *mask, const CpuRuns *runs, const float *const *line, int64_t rows,
                       int64_t n, float *out, int64_t pitch, bool first)
{
    int64_t at = 0;
    for (; at + FLAT_BLOCK <= n; at += FLAT_BLOCK)
        for (int64_t row = 0; row < rows; row++)
            runs_block(mask, runs, line + row, at, out + row * pitch, first);
    for (; at < n; at += CPU_LANES)
        for (int64_t row = 0; row < rows; row++)
            runs_edge(mask, runs, line + row, at, out + row * pitch, first);
}

/* Each as a mask of one row. */
static void long_runs(const CpuMask *mask, const CpuRuns *runs, const float *const *line, int64_t rows,
                      int64_t n, float *out, int64_t pitch, bool first)
{
    for (int64_t row = 0; row < rows; row++)
        for (int64_t k = 0; k < runs->count; k++) {
            const CpuRun run = runs->run[k];
            const CpuMask part = {mask->tap + run.y * mask->width + run.x, run.taps, 1, mask->step};
            const float *in = line[run.y - runs->top + row] + run.x * mask->step;
            conv(&part, &in, 1, n, out + row * pitch, 0, first && k == 0);
        }
}

static void conv_runs(const CpuMask *mask, const CpuRuns *runs, const float *const *line, int64_t rows,
                      int64_t n, float *out, int64_t pitch, bool first)
{
    for (int64_t row = 0; row < rows && first && runs->count == 0; row++)
        memset(out + row * pitch, 0, (size_t)n * sizeof *out);
    for (int64_t k = 0; k < runs->count;) {
        CpuRuns band = {runs->run + k, 0, runs->run[k].y};
        int64_t taps = 0;
        for (; k < runs->count && runs->run[k].y < band.top + RUNS_BAND; k++, band.count++)
            taps += runs->run[k].taps;
        const bool are_long = taps > band.count * (ROW_LEAST - 1) * CPU_LANES;
        (are_long ? long_runs : short_runs)(mask, &band, line + band.top - runs->top, rows, n, out, pitch,
                                            first && band.run == runs->run);
    }
}

/* ---- samples that are odd -------------------------------------------------------------------------------- */

/* Are any of n elements neither 0 nor finite and of some magnitude? `below` is one less than the bits of that
 * magnitude, or 0 for any: 0 itself, counted from one less, becomes the largest of all. */
static CPU_INLINE uint8_t any_odd(const float *line, int64_t n, uint32_t below)
{
    uint32_t most = 0, least = UINT32_MAX;
    for (int64_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, line + k, sizeof bits);
        bits &= 0x7fffffffu;
        most = bits > most ? bits : most;
        least = bits - 1 < least ? bits - 1 : least;
    }
    return most >= 0x7f800000u || least < below;
}

static void odd(const float *line, int64_t n, float least, uint8_t *cell)
{
    uint32_t below;
    memcpy(&below, &least, sizeof below);
    below -= below > 0;
    for (; n >= CPU_CELL; n -= CPU_CELL, line += CPU_CELL) *cell++ = any_odd(line, CPU_CELL, below);
    if (n > 0) *cell = any_odd(line, n, below);
}

/* ---- NaN left out ---------------------------------------------------------------------------------------- */

/* Slow and plain: NaN samples are not what images are made of. */
static void conv_nan(const CpuMask *mask, const float *const *line, int64_t n, CpuNanSums sums, bool first)
{
    float *restrict acc = sums.acc, *restrict weight = sums.weight;
    if (first) {
        for (int64_t k = 0; k < n; k++) acc[k] = weight[k] = 0.0f;
    }
    for (int64_t j = 0; j < mask->height; j++) {
        for (int64_t i = 0; i < mask->width; i++) {
            const float *restrict in = line[j] + i * mask->step;
            const float tap = mask->tap[j * mask->width + i], weighs = sums.total == 0.0f ? 1.0f : tap;
            for (int64_t k = 0; k < n; k++) {
                const float v = in[k], sum = halo_fma(tap, v, acc[k]);
                const bool real = v == v;
                acc[k] = real ? sum : acc[k];
                weight[k] = real ? weight[k] + weighs : weight[k];
            }
        }
    }
}

static void renormalise(CpuNanSums sums, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (sums.total != 0.0f)
            sums.acc[k] = sums.acc[k] * (sums.total / sums.weight[k]);
        else if (sums.weight[k] == 0.0f)
            sums.acc[k] = NAN;
    }
}

static void part_nan(const float *restrict line, int64_t n, float *restrict value, float *restrict there)
{
    for (int64_t k = 0; k < n; k++) {
        const float v = line[k];
        value[k] = v == v ? v : 0.0f;
        there[k] = v == v ? 1.0f : 0.0f;
    }
}

const CpuConvKernels CPU_TABLE(conv) = {.conv = conv,
                                        .conv_runs = conv_runs,
                                        .odd = odd,
                                        .conv_nan = conv_nan,
                                        .renormalise = renormalise,
                                        .part_nan = part_nan};
