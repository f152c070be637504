/* Masks over pictures one pixel wide, whose pixels lie behind one another: the column is taken for a line, so
 * that vectors run down it. A tap beside the middle one meets the same pixel, or what lies outside. */
#include "stencil.h"

/* Elements of a task; a window reads as many beside it as it is tall. */
#define TASK_ELEMENTS 4096
#define TASK_WINDOWS 4

typedef struct Column {
    const CpuStencil *s;
    CpuStencil along; /* the same as a line: for what it reads */
    HaloBuf line;
    int64_t channels, pixels; /* of a pixel; of a task */
    int64_t at_line, at_passed, at_outside, at_out, at_pointer, scratch_bytes;
    char *scratch;
} Column;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool cpu_is_column(const CpuStencil *s) { return cpu_are_columns(s->src, s->dst) && !s->nan_ignore; }

/* ---- a task --------------------------------------------------------------------------------------------- */

static float *floats_at(char *scratch, int64_t at) { return (float *)(void *)(scratch + at); }

/* n sums of a mask whose taps each meet a line of their own: that which begins `down` pixels further down, or,
 * where its column lies outside, the border's value. */
static void sum_taps(const Column *c, const CpuMask *mask, char *scratch, int64_t n, float *out)
{
    const CpuStencil *s = c->s;
    const float **const pointer = (const float **)(void *)(scratch + c->at_pointer);
    const float *const line = floats_at(scratch, c->at_line);
    for (int64_t i = 0; i < mask->width; i++) {
        const bool outside = halo_border_index(s->dst->x0 + s->ox + i, 1, s->border) < 0;
        for (int64_t j = 0; j < mask->height; j++)
            pointer[j * mask->width + i] = outside ? floats_at(scratch, c->at_outside) : line + j * c->channels;
    }
    if (mask->width == 1 && pointer[0] == line) { /* taps that are a row of the line */
        const CpuMask row = {mask->tap, mask->height, 1, c->channels};
        s->device->kernels->conv->conv(&row, pointer, 1, n, out, 0, true);
        return;
    }
    const CpuMask taps = {mask->tap, 1, mask->width * mask->height, c->channels};
    s->device->kernels->conv->conv(&taps, pointer, 1, n, out, 0, true);
}

/* Rows outside are seen by the column as they are. */
static void put_outside(const Column *c, int64_t first, int64_t count, float *passed)
{
    const CpuStencil *s = c->s;
    for (int64_t p = 0; p < count; p++) {
        const int64_t y = first + p;
        if (y >= 0 && y < s->src->shape.height) {
            p += s->src->shape.height - 1 - y; /* to the last that is inside */
            continue;
        }
        if (halo_border_index(y, s->src->shape.height, s->border) >= 0) continue;
        for (int64_t k = 0; k < c->channels; k++) passed[p * c->channels + k] = s->value;
    }
}

static void run_task(void *context, int64_t index, int worker)
{
    const Column *c = context;
    const CpuStencil *s = c->s;
    const CpuKernels *kernels = s->device->kernels;
    const HaloBuf *dst = s->dst;
    char *const scratch = c->scratch + worker * c->scratch_bytes;
    const int64_t y = dst->y0 + index * c->pixels, pixels = least(c->pixels, dst->y0 + dst->rows - y);
    const int64_t n = pixels * c->channels, read = pixels + s->mask.height - 1;
    float *const out = floats_at(scratch, c->at_out), *const outside = floats_at(scratch, c->at_outside);
    uint64_t clipped = 0;
    for (int64_t i = 0; i < read * c->channels + CPU_CONV_SLACK; i++) outside[i] = s->value;
    cpu_source_line(&c->along, y, 0, pixels, floats_at(scratch, c->at_line));
    if (s->row.tap == NULL) {
        sum_taps(c, &s->mask, scratch, n, out);
    } else {
        float *const passed = floats_at(scratch, c->at_passed);
        const float *const line = passed;
        const CpuMask taps = {s->mask.tap, s->mask.height, 1, c->channels};
        sum_taps(c, &s->row, scratch, read * c->channels, passed);
        put_outside(c, y + s->oy, read, passed);
        kernels->conv->conv(&taps, &line, 1, n, out, 0, true);
    }
    if (s->affine) kernels->rows->affine(out, n, s->scale, s->bias);
    kernels->rows->store[dst->shape.dtype](out, n, s->store, halo_at(dst, dst->x0, y), &clipped);
    atomic_fetch_add_explicit(&s->device->clipped, clipped, memory_order_relaxed);
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Column *c)
{
    const CpuStencil *s = c->s;
    const CpuMask *mask = s->row.tap == NULL ? &s->mask : &s->row;
    int64_t elements, taps, total = 0;
    c->pixels = most(divide_up(TASK_ELEMENTS, c->channels), TASK_WINDOWS * s->mask.height);
    if (!halo_mul(c->pixels + s->mask.height, c->channels, &elements) || elements > INT64_MAX / 64)
        return false;
    elements += CPU_CONV_SLACK;
    if (!halo_mul(mask->width, mask->height, &taps) ||
        !cpu_reserve(&total, elements, sizeof(float), &c->at_line) ||
        !cpu_reserve(&total, elements, sizeof(float), &c->at_passed) ||
        !cpu_reserve(&total, elements, sizeof(float), &c->at_outside) ||
        !cpu_reserve(&total, elements, sizeof(float), &c->at_out) ||
        !cpu_reserve(&total, taps, sizeof(float *), &c->at_pointer))
        return false;
    c->scratch_bytes = total;
    return true;
}

HaloStatus cpu_column_run(HaloDevice *device, const CpuStencil *s)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *src = s->src, *dst = s->dst;
    void *scratch;
    Column c = {.s = s, .along = *s, .line = cpu_as_line(src), .channels = src->shape.channels};
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(s))
        HALO_FAIL(HALO_ERR_BUG, "convolution was asked for samples that its source does not hold");
    c.along.src = &c.line;
    c.along.ox = s->oy;
    c.along.oy = 0;
    c.along.reach = s->mask.height - 1;
    if (!choose_scratch(&c))
        HALO_FAIL(HALO_ERR_LIMIT, "a mask of %lld rows needs more memory than can be addressed",
                  (long long)s->mask.height);
    HALO_TRY(cpu_scratch_each(device, &c.scratch_bytes, &scratch));
    c.scratch = scratch;
    const double taps = (double)s->mask.width * (double)s->mask.height + (double)s->row.width;
    const int workers = cpu_workers(device, (double)dst->rows * (double)c.channels * taps);
    cpu_run(device, workers, divide_up(dst->rows, c.pixels), run_task, &c);
out:
    return status;
}
