/* Masks over pictures of one row or one column, which is a line whose pixels lie behind one another: vectors
 * run along it. A tap beside the line meets the same pixels, or what lies outside. */
#include "stencil.h"

/* Elements of a task; a window reads as many beside it as it is long. */
#define TASK_ELEMENTS 4096
#define TASK_WINDOWS 4

typedef struct Thin {
    const CpuStencil *s;
    CpuStencil along; /* the same of the line: for what it reads */
    HaloBuf from, to;
    bool upright;             /* the line is a column */
    int64_t channels, pixels; /* of a pixel; of a task */
    int64_t beyond;           /* pixels that a window reads beyond its output's */
    int64_t at_line, at_passed, at_outside, at_out, at_pointer, scratch_bytes;
    char *scratch;
} Thin;

/* A column of taps over a single row meets that row alone, or what lies outside. */
static bool is_row(const CpuStencil *s)
{
    return s->src->shape.height == 1 && s->dst->rows == 1 && s->mask.height > 1 && s->mask.width == 1;
}

bool cpu_is_thin(const CpuStencil *s)
{
    return !s->nan_ignore && (cpu_are_columns(s->src, s->dst) || is_row(s));
}

/* ---- a task --------------------------------------------------------------------------------------------- */

static float *floats_at(char *scratch, int64_t at) { return (float *)(void *)(scratch + at); }

/* n sums of a mask whose taps each meet a line of their own: that which begins some pixels further along
 * `line`, or, where they lie beside the picture, the border's value. */
static void sum_taps(const Thin *t, const CpuMask *mask, const float *line, char *scratch, int64_t n,
                     float *out)
{
    const CpuStencil *s = t->s;
    const float **const pointer = (const float **)(void *)(scratch + t->at_pointer);
    const int64_t first = t->upright ? s->dst->x0 + s->ox : s->dst->y0 + s->oy;
    for (int64_t j = 0; j < mask->height; j++)
        for (int64_t i = 0; i < mask->width; i++) {
            const bool outside = halo_border_index(first + (t->upright ? i : j), 1, s->border) < 0;
            pointer[j * mask->width + i] =
                outside ? floats_at(scratch, t->at_outside) : line + (t->upright ? j : i) * t->channels;
        }
    if (t->upright && mask->width == 1 && pointer[0] == line) { /* taps that are a row of the line */
        const CpuMask row = {mask->tap, mask->height, 1, t->channels};
        s->device->kernels->conv->conv(&row, pointer, 1, n, out, 0, true);
        return;
    }
    const CpuMask taps = {mask->tap, 1, mask->width * mask->height, t->channels};
    s->device->kernels->conv->conv(&taps, pointer, 1, n, out, 0, true);
}

/* n sums of a mask along a line. */
static void sum_along(const Thin *t, const float *tap, int64_t taps, const float *line, int64_t n, float *out)
{
    const CpuMask row = {tap, taps, 1, t->channels};
    t->s->device->kernels->conv->conv(&row, &line, 1, n, out, 0, true);
}

/* Rows outside are seen by the column as they are. */
static void put_outside(const Thin *t, int64_t first, int64_t count, float *passed)
{
    const CpuStencil *s = t->s;
    for (int64_t p = 0; p < count; p++) {
        const int64_t y = first + p;
        if (y >= 0 && y < s->src->shape.height) {
            p += s->src->shape.height - 1 - y; /* to the last that is inside */
            continue;
        }
        if (halo_border_index(y, s->src->shape.height, s->border) >= 0) continue;
        for (int64_t k = 0; k < t->channels; k++) passed[p * t->channels + k] = s->value;
    }
}

/* The sums of n elements of outputs, the first of which stands at place `at` of the line: first along rows,
 * then down columns, whichever of these the line is. */
static void sum_line(const Thin *t, int64_t at, int64_t n, char *scratch)
{
    const CpuStencil *s = t->s;
    const int64_t read = n + t->beyond * t->channels;
    float *const out = floats_at(scratch, t->at_out), *const passed = floats_at(scratch, t->at_passed);
    const float *const line = floats_at(scratch, t->at_line);
    if (s->row.tap == NULL) {
        sum_taps(t, &s->mask, line, scratch, n, out);
    } else if (t->upright) {
        sum_taps(t, &s->row, line, scratch, read, passed);
        put_outside(t, at + s->oy, n / t->channels + t->beyond, passed);
        sum_along(t, s->mask.tap, s->mask.height, passed, n, out);
    } else {
        sum_along(t, s->row.tap, s->row.width, line, n, passed);
        sum_taps(t, &s->mask, passed, scratch, n, out);
    }
}

static void run_task(void *context, int64_t index, int worker)
{
    const Thin *t = context;
    const CpuStencil *s = t->s;
    const CpuRowKernels *rows = s->device->kernels->rows;
    char *const scratch = t->scratch + worker * t->scratch_bytes;
    const int64_t at = t->to.x0 + index * t->pixels, pixels = least(t->pixels, t->to.x0 + t->to.cols - at);
    const int64_t n = pixels * t->channels, read = n + t->beyond * t->channels;
    float *const out = floats_at(scratch, t->at_out), *const outside = floats_at(scratch, t->at_outside);
    uint64_t clipped = 0;
    for (int64_t i = 0; i < read + CPU_CONV_SLACK; i++) outside[i] = s->value;
    cpu_source_line(&t->along, at, t->from.y0, pixels, floats_at(scratch, t->at_line));
    sum_line(t, at, n, scratch);
    if (s->affine) rows->affine(out, n, s->scale, s->bias);
    rows->store[t->to.shape.dtype](out, n, s->store, halo_at(&t->to, at, t->to.y0), &clipped);
    cpu_count_clipped(s->device, clipped);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Thin *t)
{
    const CpuStencil *s = t->s;
    int64_t elements, taps, total = 0;
    if (!halo_mul(t->beyond, TASK_WINDOWS, &t->pixels)) return false;
    t->pixels = most(divide_up(TASK_ELEMENTS, t->channels), t->pixels);
    if (!halo_mul(t->pixels + t->beyond + 1, t->channels, &elements) || elements > INT64_MAX / 64) return false;
    elements += CPU_CONV_SLACK;
    if (!halo_mul(most(s->mask.width, s->row.width), s->mask.height, &taps) ||
        !cpu_reserve(&total, elements, sizeof(float), &t->at_line) ||
        !cpu_reserve(&total, elements, sizeof(float), &t->at_passed) ||
        !cpu_reserve(&total, elements, sizeof(float), &t->at_outside) ||
        !cpu_reserve(&total, elements, sizeof(float), &t->at_out) ||
        !cpu_reserve(&total, taps, sizeof(float *), &t->at_pointer))
        return false;
    t->scratch_bytes = total;
    return true;
}

HaloStatus cpu_thin_run(HaloDevice *device, const CpuStencil *s)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *src = s->src, *dst = s->dst;
    void *scratch;
    Thin t = {.s = s, .along = *s, .channels = src->shape.channels, .upright = !is_row(s)};
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(s))
        HALO_FAIL(HALO_ERR_BUG, "convolution was asked for samples that its source does not hold");
    t.from = t.upright ? cpu_as_line(src) : *src;
    t.to = t.upright ? cpu_as_line(dst) : *dst;
    t.beyond = t.upright ? s->mask.height - 1 : s->reach;
    t.along.src = &t.from;
    t.along.ox = t.upright ? s->oy : s->ox;
    t.along.oy = 0;
    t.along.reach = t.beyond;
    if (!choose_scratch(&t))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask of %lld pixels along a line needs more memory than can be addressed",
                  (long long)(t.beyond + 1));
    HALO_TRY(cpu_scratch_each(device, &t.scratch_bytes, &scratch));
    t.scratch = scratch;
    const double taps = (double)s->mask.width * (double)s->mask.height + (double)s->row.width;
    const int workers = cpu_workers(device, (double)t.to.cols * (double)t.channels * taps);
    cpu_run(device, workers, divide_up(t.to.cols, t.pixels), run_task, &t);
out:
    return status;
}
