/* Scans of integers, exact in any order: lines of one channel or of all side by side, and, along both axes,
 * slices of rows. */
#include <string.h>

#include "halo/scan.h"
#include "scan.h"

#define SLICES_PER_WORKER 4

/* ---- along x -------------------------------------------------------------------------------------------- */

void cpu_scan_load_i64(const Scan *s, const void *from, int64_t n, int64_t channels, int64_t *x)
{
    s->device->kernels->scan->to_i64[s->src->shape.dtype](from, n, channels, x);
    if (s->scan->op != HALO_SCAN_SQUARES) return;
    for (int64_t i = 0; i < n; i++) x[i] = x[i] * x[i];
}

/* `down`: the totals of the rows above, which are updated; NULL: a scan along x alone. */
static void line_i64(const Scan *s, int64_t y, int c, int64_t *x, int64_t *down)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const int64_t width = s->src->cols, channels = s->src->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    const bool exclusive = s->scan->exclusive;
    const bool past = s->stream && cpu_are_aligned(s->dst, s->dst->x0);
    int64_t carry = halo_scan_identity_i64(s->scan->op);
    for (int64_t at = 0; at < width; at += CPU_SUMS) {
        const int64_t n = width - at < CPU_SUMS ? width - at : CPU_SUMS;
        const char *from = (const char *)halo_at(s->src, at, y) + c * size;
        void *const to = halo_at(s->dst, at, y);
        const bool direct = s->scan->op == HALO_SCAN_SUM && channels == 1 && (past || !s->stream) &&
                            (uintptr_t)to % (uintptr_t)CPU_SCAN_ELEMENT == 0;
        if (s->scan->op == HALO_SCAN_SUM) {
            kernels->sums[s->src->shape.dtype](from, n, channels, exclusive, &carry, down ? down + at : NULL,
                                               direct && past, direct ? to : x);
        } else {
            cpu_scan_load_i64(s, from, n, channels, x);
            kernels->line_i64(s->scan->op, exclusive, x, n, &carry);
            if (down != NULL) kernels->vertical_i64(s->scan->op, exclusive, x, n, down + at);
        }
        if (!direct) cpu_scan_put(s, x, n, channels, (char *)to + c * CPU_SCAN_ELEMENT);
    }
}

/* All channels of a row. */
static void row_interleaved(const Scan *s, int64_t y, char *scratch, int64_t *down)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const int64_t width = s->src->cols, channels = s->src->shape.channels, some = most(1, CPU_SUMS / channels);
    int64_t *const x = (int64_t *)(void *)scratch, *const carry = (int64_t *)(void *)(scratch + s->at_carry);
    for (int64_t c = 0; c < channels; c++) carry[c] = 0;
    for (int64_t at = 0; at < width; at += some) {
        const int64_t pixels = least(some, width - at);
        void *const to = halo_at(s->dst, at, y);
        const bool direct = !s->stream && (uintptr_t)to % (uintptr_t)CPU_SCAN_ELEMENT == 0;
        kernels->pixel_sums[s->src->shape.dtype](halo_at(s->src, at, y), pixels, channels, carry,
                                                 down ? down + at * channels : NULL, direct ? to : x);
        if (!direct) cpu_scan_put(s, x, pixels * channels, 1, to);
    }
}

void cpu_scan_row_i64(const Scan *s, int64_t y, char *scratch, int64_t *down)
{
    if (s->interleaved) {
        row_interleaved(s, y, scratch, down);
        return;
    }
    for (int c = 0; c < s->src->shape.channels; c++)
        line_i64(s, y, c, (int64_t *)(void *)scratch, down == NULL ? NULL : down + c * s->src->cols);
}

/* ---- along both, integers ------------------------------------------------------------------------------- */

/* Exact in any order, so the large results are written once: slices of rows in parallel, once it is known what
 * comes down to each of them. */

static int64_t *slice_total(const Scan *s, int64_t slice, int c)
{
    return s->down + (slice * s->src->shape.channels + c) * s->src->cols;
}

static int64_t slice_begin(const Scan *s, int64_t slice) { return s->src->y0 + slice * s->rows; }

static int64_t slice_end(const Scan *s, int64_t slice)
{
    const int64_t end = s->src->y0 + s->src->rows;
    return end - slice_begin(s, slice) < s->rows ? end : slice_begin(s, slice + 1);
}

/* Elements of a slice, joined down: n of them, `apart` from each other, from `first` on. */
static void join_columns(const Scan *s, int64_t slice, int64_t first, int64_t n, int64_t apart, int64_t *x,
                         int64_t *total)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloDtype dtype = s->src->shape.dtype;
    const int64_t size = (int64_t)halo_dtype_size(dtype);
    uint32_t *sum = (uint32_t *)(void *)x;
    for (int64_t y = slice_begin(s, slice); y < slice_end(s, slice);) {
        const int64_t left = slice_end(s, slice) - y, rows = left < CPU_SUM_ROWS ? left : CPU_SUM_ROWS;
        if (s->scan->op == HALO_SCAN_SUM) memset(sum, 0, (size_t)n * sizeof *sum);
        for (const int64_t end = y + rows; y < end; y++) {
            const char *from = (const char *)halo_at(s->src, 0, y) + first * size;
            if (s->scan->op == HALO_SCAN_SUM) {
                kernels->columns[dtype](from, n, apart, sum);
            } else {
                cpu_scan_load_i64(s, from, n, apart, x);
                kernels->vertical_i64(s->scan->op, false, x, n, total);
            }
        }
        for (int64_t i = 0; s->scan->op == HALO_SCAN_SUM && i < n; i++) total[i] += sum[i];
    }
}

/* What a slice adds: its columns joined, then along x. */
static void total_channel(const Scan *s, int64_t slice, int c, int64_t *x)
{
    const HaloScanOp op = s->scan->op;
    const int64_t width = s->src->cols, channels = s->src->shape.channels;
    int64_t *total = slice_total(s, slice, c), carry = halo_scan_identity_i64(op);
    for (int64_t i = 0; i < width; i++) total[i] = halo_scan_identity_i64(op);
    for (int64_t at = 0; at < width; at += CPU_SCAN_SLICE)
        join_columns(s, slice, at * channels + c, least(CPU_SCAN_SLICE, width - at), channels, x, total + at);
    s->device->kernels->scan->line_i64(op, s->scan->exclusive, total, width, &carry);
}

static void total_interleaved(const Scan *s, int64_t slice, int64_t *x)
{
    const int64_t channels = s->src->shape.channels, n = s->src->cols * channels;
    int64_t *const total = slice_total(s, slice, 0);
    for (int64_t i = 0; i < n; i++) total[i] = 0;
    for (int64_t at = 0; at < n; at += CPU_SCAN_SLICE)
        join_columns(s, slice, at, least(CPU_SCAN_SLICE, n - at), 1, x, total + at);
    for (int64_t i = channels; i < n; i++) total[i] += total[i - channels];
}

static void total_slice(void *context, int64_t slice, int worker)
{
    const Scan *s = context;
    int64_t *x = (int64_t *)(void *)(s->scratch + worker * s->scratch_bytes);
    if (s->interleaved)
        total_interleaved(s, slice, x);
    else
        for (int c = 0; c < s->src->shape.channels; c++) total_channel(s, slice, c, x);
}

/* Totals of slices become what comes down to them; the last slot is for the running total. */
static void carry_totals(const Scan *s, int64_t slices)
{
    const int64_t n = s->src->cols * s->src->shape.channels;
    int64_t *running = slice_total(s, slices, 0);
    for (int64_t i = 0; i < n; i++) running[i] = halo_scan_identity_i64(s->scan->op);
    if (s->src->y0 > 0) memcpy(running, s->state, (size_t)(n * CPU_SCAN_ELEMENT));
    for (int64_t slice = 0; slice < slices; slice++) {
        int64_t *total = slice_total(s, slice, 0);
        for (int64_t i = 0; i < n; i++) {
            const int64_t earlier = running[i];
            if (slice + 1 < slices) running[i] = halo_scan_join_i64(s->scan->op, earlier, total[i]);
            total[i] = earlier;
        }
    }
}

static void finish_slice(void *context, int64_t slice, int worker)
{
    const Scan *s = context;
    char *const scratch = s->scratch + worker * s->scratch_bytes;
    for (int64_t y = slice_begin(s, slice); y < slice_end(s, slice); y++)
        cpu_scan_row_i64(s, y, scratch, slice_total(s, slice, 0));
    if (s->stream) s->device->kernels->rows->fence();
}

HaloStatus cpu_scan_both_i64(Scan *s, int workers)
{
    HaloStatus status = HALO_OK;
    const int64_t wanted = workers == 1 ? 1 : (int64_t)workers * SLICES_PER_WORKER;
    int64_t line, all, total = 0, at_x, at_down;
    void *scratch;
    s->rows = (s->src->rows + wanted - 1) / wanted;
    const int64_t slices = s->rows > 0 ? (s->src->rows + s->rows - 1) / s->rows : 0;
    if (!halo_mul(s->src->cols, s->src->shape.channels, &line) || !halo_mul(line, slices + 1, &all) ||
        !cpu_reserve(&total, workers, s->scratch_bytes, &at_x) ||
        !cpu_reserve(&total, all, CPU_SCAN_ELEMENT, &at_down))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a scan of %d channels", s->src->shape.channels);
    HALO_TRY(cpu_scratch(s->device, total, &scratch));
    s->scratch = (char *)scratch + at_x;
    s->down = (int64_t *)(void *)((char *)scratch + at_down);
    cpu_run(s->device, workers, slices - 1, total_slice, s); /* nothing comes after the last one */
    carry_totals(s, slices);
    cpu_run(s->device, workers, slices, finish_slice, s);
    if (s->state != NULL) memcpy(s->state, slice_total(s, slices - 1, 0), (size_t)(line * CPU_SCAN_ELEMENT));
out:
    return status;
}
