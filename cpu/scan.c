/* Scans: along x, rows in parallel; along y, slices of columns in parallel, in place after a scan along x. Of a
 * band of rows, what comes down to them is in the state, and what goes on is left there. */
#include <string.h>

#include "device.h"
#include "halo/scan.h"
#include "packed.h"
#include "scan.h"

/* Elements of a slice of columns: they stay in the first-level cache while the scan goes down. */
#define SLICE 1024
#define SLICES_PER_WORKER 4

static void load_i64(const Scan *s, const void *from, int64_t n, int64_t channels, int64_t *x)
{
    s->device->kernels->scan->to_i64[s->src->shape.dtype](from, n, channels, x);
    if (s->scan->op != HALO_SCAN_SQUARES) return;
    for (int64_t i = 0; i < n; i++) x[i] = x[i] * x[i];
}

/* ---- along x -------------------------------------------------------------------------------------------- */

/* What stands before the tiles of a line: G and the totals of this group's tiles. */
typedef struct Before {
    double groups;
    double slot[HALO_SCAN_GROUP];
    int tiles;
} Before;

static void new_group(HaloScanOp op, Before *before)
{
    before->tiles = 0;
    for (int i = 0; i < HALO_SCAN_GROUP; i++) before->slot[i] = halo_scan_identity(op);
}

/* E: 32 lanes of 8 slots each, joined by adjacent pairs. */
static double group_prefix(HaloScanOp op, const Before *before)
{
    enum { LANES = 32, SLOTS = HALO_SCAN_GROUP / LANES };
    double lane[LANES];
    for (int l = 0; l < LANES; l++) {
        lane[l] = before->slot[l * SLOTS];
        for (int s = 1; s < SLOTS; s++) lane[l] = halo_scan_join(op, lane[l], before->slot[l * SLOTS + s]);
    }
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int l = 0; l < width; l++) lane[l] = halo_scan_join(op, lane[2 * l], lane[2 * l + 1]);
    return lane[0];
}

static void line_f64(const Scan *s, int64_t y, int c, double *x)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloScanOp op = s->scan->op;
    const int64_t width = s->src->cols, channels = s->src->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    double lead[CPU_SCAN_RUNS];
    Before before;
    before.groups = halo_scan_identity(op);
    before.tiles = 0;
    if (width > HALO_SCAN_TILE) new_group(op, &before); /* what stands before the first tile needs none */
    for (int64_t at = 0; at < width; at += HALO_SCAN_TILE) {
        const int64_t n = width - at < HALO_SCAN_TILE ? width - at : HALO_SCAN_TILE;
        cpu_scan_load(s, (const char *)halo_at(s->src, at, y) + c * size, n, channels, x);
        const int runs = (int)((n + HALO_SCAN_RUN - 1) / HALO_SCAN_RUN);
        for (int64_t i = n; i < runs * HALO_SCAN_RUN; i++) x[i] = halo_scan_identity(op);
        if (before.tiles == HALO_SCAN_GROUP) {
            before.groups = halo_scan_join(op, before.groups, group_prefix(op, &before));
            new_group(op, &before);
        }
        const double group = before.tiles > 0 ? group_prefix(op, &before) : halo_scan_identity(op);
        const double earlier = halo_scan_join(op, before.groups, group);
        before.slot[before.tiles++] = kernels->tile(op, runs, x, lead);
        kernels->tile_join(op, s->scan->exclusive, earlier, runs, lead, x);
        cpu_scan_put(s, x, n, channels, (char *)halo_at(s->dst, at, y) + c * CPU_SCAN_ELEMENT);
    }
}

/* `down`: what comes down to this row, and goes on; NULL: a scan along x alone. */
static void line_i64(const Scan *s, int64_t y, int c, int64_t *x, int64_t *down)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const int64_t width = s->src->cols, channels = s->src->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(s->src->shape.dtype);
    const bool exclusive = s->scan->exclusive;
    int64_t carry = halo_scan_identity_i64(s->scan->op);
    for (int64_t at = 0; at < width; at += CPU_SUMS) {
        const int64_t n = width - at < CPU_SUMS ? width - at : CPU_SUMS;
        const char *from = (const char *)halo_at(s->src, at, y) + c * size;
        void *const to = halo_at(s->dst, at, y);
        const bool direct = s->scan->op == HALO_SCAN_SUM && channels == 1 && !s->stream &&
                            (uintptr_t)to % (uintptr_t)CPU_SCAN_ELEMENT == 0;
        if (s->scan->op == HALO_SCAN_SUM) {
            kernels->sums[s->src->shape.dtype](from, n, channels, exclusive, &carry, down ? down + at : NULL,
                                               direct ? to : x);
        } else {
            load_i64(s, from, n, channels, x);
            kernels->line_i64(s->scan->op, exclusive, x, n, &carry);
            if (down != NULL) kernels->down_i64(s->scan->op, exclusive, x, n, down + at);
        }
        if (!direct) cpu_scan_put(s, x, n, channels, (char *)to + c * CPU_SCAN_ELEMENT);
    }
}

static void scan_row(void *context, int64_t row, int worker)
{
    const Scan *s = context;
    const int64_t y = s->src->y0 + row;
    void *x = s->scratch + worker * s->scratch_bytes;
    for (int c = 0; c < s->src->shape.channels; c++) {
        if (s->integer)
            line_i64(s, y, c, x, NULL);
        else
            line_f64(s, y, c, x);
    }
    if (s->stream) s->device->kernels->rows->fence();
}

/* ---- along y -------------------------------------------------------------------------------------------- */

/* Columns count in elements: channels do not matter here. */
static void scan_slice(void *context, int64_t index, int worker)
{
    const Scan *s = context;
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloDtype dtype = s->src->shape.dtype;
    const HaloScanOp op = s->scan->op;
    const bool exclusive = s->scan->exclusive;
    const int64_t first = index * SLICE, all = s->src->cols * s->src->shape.channels;
    const int64_t n = all - first < SLICE ? all - first : SLICE;
    void *row = s->scratch + worker * s->scratch_bytes;
    double *x = row, *before = x + SLICE, *run = before + SLICE;
    int64_t *xi = row, *carry = xi + SLICE;
    if (s->state != NULL) {
        before = (double *)s->state + first;
        run = (double *)s->state + all + first;
        carry = (int64_t *)s->state + first;
    }
    for (int64_t i = 0; i < n && s->src->y0 == 0; i++) {
        if (s->integer)
            carry[i] = halo_scan_identity_i64(op);
        else
            before[i] = halo_scan_identity(op);
    }
    for (int64_t y = s->src->y0; y < s->src->y0 + s->src->rows; y++) {
        char *to = (char *)halo_at(s->dst, 0, y) + first * CPU_SCAN_ELEMENT;
        const char *from = (const char *)halo_at(s->src, 0, y) + first * (int64_t)halo_dtype_size(dtype);
        if (s->scan->axis == HALO_AXIS_XY)
            memcpy(row, to, (size_t)(n * CPU_SCAN_ELEMENT));
        else if (s->integer)
            load_i64(s, from, n, 1, xi);
        else
            cpu_scan_load(s, from, n, 1, x);
        if (s->integer)
            kernels->down_i64(op, exclusive, xi, n, carry);
        else
            kernels->down_f64(op, exclusive, y % HALO_SCAN_ROWS, x, n, before, run);
        memcpy(to, row, (size_t)(n * CPU_SCAN_ELEMENT));
    }
}

/* ---- along both, integers ------------------------------------------------------------------------------- */

/* Exact in any order, so the large results are written once: slices of rows in parallel, once it is known what
 * comes down to each of them. */

static int64_t *down_to(const Scan *s, int64_t slice, int c)
{
    return s->down + (slice * s->src->shape.channels + c) * s->src->cols;
}

static int64_t slice_begin(const Scan *s, int64_t slice) { return s->src->y0 + slice * s->rows; }

static int64_t slice_end(const Scan *s, int64_t slice)
{
    const int64_t end = s->src->y0 + s->src->rows;
    return end - slice_begin(s, slice) < s->rows ? end : slice_begin(s, slice + 1);
}

/* Columns [at, at + n) of a slice, joined. */
static void join_columns(const Scan *s, int64_t slice, int c, int64_t at, int64_t n, int64_t *x, int64_t *total)
{
    const CpuScanKernels *kernels = s->device->kernels->scan;
    const HaloDtype dtype = s->src->shape.dtype;
    const int64_t channels = s->src->shape.channels, size = (int64_t)halo_dtype_size(dtype);
    uint32_t *sum = (uint32_t *)(void *)x;
    for (int64_t y = slice_begin(s, slice); y < slice_end(s, slice);) {
        const int64_t left = slice_end(s, slice) - y, rows = left < CPU_SUM_ROWS ? left : CPU_SUM_ROWS;
        if (s->scan->op == HALO_SCAN_SUM) memset(sum, 0, (size_t)n * sizeof *sum);
        for (const int64_t end = y + rows; y < end; y++) {
            const char *from = (const char *)halo_at(s->src, at, y) + c * size;
            if (s->scan->op == HALO_SCAN_SUM) {
                kernels->columns[dtype](from, n, channels, sum);
            } else {
                load_i64(s, from, n, channels, x);
                kernels->down_i64(s->scan->op, false, x, n, total);
            }
        }
        for (int64_t i = 0; s->scan->op == HALO_SCAN_SUM && i < n; i++) total[i] += sum[i];
    }
}

/* What a slice adds: its columns joined, then along x. */
static void total_slice(void *context, int64_t slice, int worker)
{
    const Scan *s = context;
    const HaloScanOp op = s->scan->op;
    const int64_t width = s->src->cols;
    int64_t *x = (int64_t *)(void *)(s->scratch + worker * s->scratch_bytes);
    for (int c = 0; c < s->src->shape.channels; c++) {
        int64_t *total = down_to(s, slice, c), carry = halo_scan_identity_i64(op);
        for (int64_t i = 0; i < width; i++) total[i] = halo_scan_identity_i64(op);
        for (int64_t at = 0; at < width; at += SLICE)
            join_columns(s, slice, c, at, width - at < SLICE ? width - at : SLICE, x, total + at);
        s->device->kernels->scan->line_i64(op, s->scan->exclusive, total, width, &carry);
    }
}

/* Totals of slices become what comes down to them; the last slot is for the running total. */
static void come_down(const Scan *s, int64_t slices)
{
    const int64_t n = s->src->cols * s->src->shape.channels;
    int64_t *running = down_to(s, slices, 0);
    for (int64_t i = 0; i < n; i++) running[i] = halo_scan_identity_i64(s->scan->op);
    if (s->src->y0 > 0) memcpy(running, s->state, (size_t)(n * CPU_SCAN_ELEMENT));
    for (int64_t slice = 0; slice < slices; slice++) {
        int64_t *total = down_to(s, slice, 0);
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
    int64_t *x = (int64_t *)(void *)(s->scratch + worker * s->scratch_bytes);
    for (int64_t y = slice_begin(s, slice); y < slice_end(s, slice); y++)
        for (int c = 0; c < s->src->shape.channels; c++) line_i64(s, y, c, x, down_to(s, slice, c));
    if (s->stream) s->device->kernels->rows->fence();
}

static HaloStatus scan_both_i64(Scan *s, int workers)
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
    come_down(s, slices);
    cpu_run(s->device, workers, slices, finish_slice, s);
    if (s->state != NULL) memcpy(s->state, down_to(s, slices - 1, 0), (size_t)(line * CPU_SCAN_ELEMENT));
out:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* All of an image, or all across some rows of it. */
static bool lies_as(const HaloBuf *src, const HaloBuf *dst)
{
    return src->x0 == 0 && dst->x0 == 0 && src->cols == src->shape.width && dst->cols == src->cols &&
           src->y0 == dst->y0 && src->rows == dst->rows && src->rows > 0;
}

/* Whole numbers down all of one column, whose pixels lie behind one another? */
static bool is_column(const Scan *s)
{
    const bool down = s->scan->axis == HALO_AXIS_Y || (s->scan->axis == HALO_AXIS_XY && !s->scan->exclusive);
    return s->integer && down && s->src->cols == 1 && s->state == NULL && cpu_is_packed(s->src) &&
           cpu_is_packed(s->dst);
}

HaloStatus cpu_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    HaloStatus status = HALO_OK;
    Scan s = {.src = src, .dst = dst, .scan = scan, .device = device};
    const int channels = src->shape.channels;
    void *scratch;
    s.integer = src->shape.dtype != HALO_F32 && scan->op != HALO_SCAN_PRODUCT;
    if (dst->rows < dst->shape.height) s.state = ((const HaloScanBand *)(const void *)scan)->state;
    if (src->shape.dtype > HALO_F32 || !lies_as(src, dst) || channels != dst->shape.channels ||
        dst->shape.dtype != (s.integer ? HALO_I64 : HALO_F64))
        HALO_FAIL(HALO_ERR_BUG, "a scan was asked for into a buffer that does not suit its source");
    s.stream = cpu_streams(dst);
    s.scratch_bytes = (HALO_SCAN_TILE > 3 * SLICE ? HALO_SCAN_TILE : 3 * SLICE) * CPU_SCAN_ELEMENT;
    const double work = (double)src->cols * (double)src->rows * channels * 4;
    const int workers = cpu_workers(device, work);
    const HaloBuf src_row = cpu_as_one_row(src);
    HaloBuf dst_row = cpu_as_one_row(dst);
    HaloScan along = *scan;
    along.axis = HALO_AXIS_X;
    if (is_column(&s)) { /* exact in any order, so along it as well as down it */
        s.src = src = &src_row;
        s.dst = &dst_row;
        s.scan = scan = &along;
    }
    if (s.integer && scan->axis == HALO_AXIS_XY) return scan_both_i64(&s, workers);
    if (cpu_scan_is_narrow(&s)) return cpu_scan_narrow(&s, workers);
    HALO_TRY(cpu_scratch_each(device, &s.scratch_bytes, &scratch));
    s.scratch = scratch;
    if (scan->axis & HALO_AXIS_X) cpu_run(device, workers, src->rows, scan_row, &s);
    if (scan->axis & HALO_AXIS_Y)
        cpu_run(device, workers, (src->cols * channels + SLICE - 1) / SLICE, scan_slice, &s);
out:
    return status;
}
