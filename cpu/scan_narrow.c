/* Scans of narrow images, several rows at a time; and how any scan reads, continues and writes. */
#include <string.h>

#include "packed.h"
#include "scan.h"

void cpu_scan_load(const Scan *s, const void *from, int64_t n, int64_t channels, double *x)
{
    s->device->kernels->scan->to_f64[s->src->shape.dtype](from, n, channels, x);
    if (s->scan->op != HALO_SCAN_SQUARES) return;
    for (int64_t i = 0; i < n; i++) x[i] = x[i] * x[i];
}

void cpu_scan_put(const Scan *s, const void *from, int64_t n, int64_t channels, char *to)
{
    const char *at = from;
    if (channels == 1) {
        if (s->stream)
            s->device->kernels->rows->stream(at, n * CPU_SCAN_ELEMENT, to);
        else
            memcpy(to, at, (size_t)(n * CPU_SCAN_ELEMENT));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        memcpy(to + i * channels * CPU_SCAN_ELEMENT, at + i * CPU_SCAN_ELEMENT, (size_t)CPU_SCAN_ELEMENT);
}

CpuAbove cpu_scan_above(const Scan *s, int64_t first, int64_t n, double *workspace)
{
    const HaloScanOp op = s->scan->op;
    const int64_t all = s->src->cols * s->src->shape.channels;
    CpuAbove above = {
        .before = workspace, .group = workspace + n, .inside = workspace + 2 * n, .run = workspace + 3 * n};
    if (s->integer) return above;
    if (s->state != NULL) {
        above.group = (double *)s->state + first;
        above.inside = above.group + all;
        above.run = above.inside + all;
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->src->y0 == 0) above.group[i] = above.inside[i] = halo_scan_identity(op);
        above.before[i] = halo_scan_join(op, above.group[i], above.inside[i]);
    }
    return above;
}

/* Rows of fewer samples are too short for a call each. */
#define NARROW 64

bool cpu_scan_is_narrow(const Scan *s)
{
    const int64_t width = s->src->cols;
    return !s->integer && width * s->src->shape.channels <= NARROW &&
           (width <= HALO_SCAN_RUN || s->scan->axis == HALO_AXIS_Y);
}

static int64_t narrow_rows(const Scan *s) { return HALO_SCAN_TILE / (s->src->cols * s->src->shape.channels); }

/* Rows [y, y + rows) of f64. */
static void load_rows(const Scan *s, int64_t y, int64_t rows, double *x)
{
    const int64_t n = s->src->cols * s->src->shape.channels;
    if (cpu_is_packed(s->src)) {
        cpu_scan_load(s, halo_at(s->src, 0, y), rows * n, 1, x);
    } else {
        for (int64_t k = 0; k < rows; k++) cpu_scan_load(s, halo_at(s->src, 0, y + k), n, 1, x + k * n);
    }
}

static void narrow_task(void *context, int64_t index, int worker)
{
    const Scan *s = context;
    const int64_t n = s->src->cols * s->src->shape.channels, all = s->src->y0 + s->src->rows;
    const int64_t y = s->src->y0 + index * narrow_rows(s);
    const int64_t rows = all - y < narrow_rows(s) ? all - y : narrow_rows(s);
    double *const x = (double *)(void *)(s->scratch + worker * s->scratch_bytes);
    const bool alone =
        s->src->cols == 1 && s->scan->axis == HALO_AXIS_XY && !s->scan->exclusive; /* along x it is itself */
    const CpuNarrowScan narrow = {.width = s->src->cols,
                                  .channels = s->src->shape.channels,
                                  .horizontal = (s->scan->axis & HALO_AXIS_X) != 0 && !alone,
                                  .vertical = (s->scan->axis & HALO_AXIS_Y) != 0,
                                  .above = s->above};
    load_rows(s, y, rows, x);
    s->device->kernels->scan->narrow(&narrow, s->scan->op, s->scan->exclusive, y, rows, x);
    if (cpu_is_packed(s->dst)) {
        cpu_scan_put(s, x, rows * n, 1, halo_at(s->dst, 0, y));
    } else {
        for (int64_t k = 0; k < rows; k++) cpu_scan_put(s, x + k * n, n, 1, halo_at(s->dst, 0, y + k));
    }
    if (s->stream) s->device->kernels->rows->fence();
}

/* Along y each task continues where the one before ended. */
HaloStatus cpu_scan_narrow(Scan *s, int workers)
{
    HaloStatus status = HALO_OK;
    const bool down = (s->scan->axis & HALO_AXIS_Y) != 0;
    const int64_t n = s->src->cols * s->src->shape.channels;
    void *scratch;
    s->scratch_bytes = (HALO_SCAN_TILE + CPU_SCAN_ABOVE * NARROW) * CPU_SCAN_ELEMENT;
    HALO_TRY(cpu_scratch_each(s->device, &s->scratch_bytes, &scratch));
    s->scratch = scratch;
    if (down) s->above = cpu_scan_above(s, 0, n, (double *)scratch + HALO_SCAN_TILE);
    cpu_run(s->device, down ? 1 : workers, (s->src->rows + narrow_rows(s) - 1) / narrow_rows(s), narrow_task,
            s);
out:
    return status;
}
