/* Bilateral filters over a picture of one column, whose pixels lie behind one another: vectors run along it.
 * Each pixel of a window is a line of its own then, which begins further along the column or, beside it,
 * repeats it or is what lies outside; so the window is as wide as one pixel, and its order is as it was. */
#include <string.h>

#include "bilateral.h"
#include "halo/bilateral.h"

/* Pixels of a task; a window reads as many beside it as it is long. */
#define TASK_PIXELS 2048
#define TASK_WINDOWS 4

typedef struct Column {
    CpuStencil source;     /* of the line: for what it reads */
    HaloBilateral stacked; /* the window as one of a single column */
    const HaloBilateral *how;
    HaloBuf from, to;
    HaloStore store;
    int64_t x; /* of the first column of the first window */
    int64_t pixels, pitch;
    int64_t at_line, at_parted, at_outside, at_made, at_row, at_pointer, at_span, at_start, scratch_bytes;
    char *scratch; /* the first worker's has the stacked window for all */
} Column;

static float *floats_at(char *scratch, int64_t at) { return (float *)(void *)(scratch + at); }

static int64_t count_pixels(const HaloBilateral *how)
{
    int64_t pixels = 0;
    for (int64_t j = 0; j < how->window.height; j++) pixels += how->span[j].to - how->span[j].from;
    return pixels;
}

/* The window's pixels in order, below each other. */
static void stack(const HaloBilateral *how, HaloSpan *span, float *start, HaloBilateral *stacked)
{
    int64_t pixels = 0;
    for (int64_t j = 0; j < how->window.height; j++)
        for (int64_t i = how->span[j].from; i < how->span[j].to; i++, pixels++) {
            span[pixels] = (HaloSpan){0, 1};
            start[pixels] = how->start[j * how->window.width + i];
        }
    *stacked = *how;
    stacked->window.width = 1;
    stacked->window.height = pixels;
    stacked->span = span;
    stacked->start = start;
}

static const float **point_at_lines(const Column *c, char *scratch)
{
    const float **const pointer = (const float **)(void *)(scratch + c->at_pointer), **next = pointer;
    const float *const inside = floats_at(scratch, c->at_parted), *const outside =
                                                                      floats_at(scratch, c->at_outside);
    for (int64_t j = 0; j < c->how->window.height; j++)
        for (int64_t i = c->how->span[j].from; i < c->how->span[j].to; i++)
            *next++ = halo_border_index(c->x + i, 1, c->how->window.border) < 0 ? outside : inside + j;
    return pointer;
}

static void run_task(void *context, int64_t index, int worker)
{
    const Column *c = context;
    HaloDevice *device = c->source.device;
    const CpuKernels *kernels = device->kernels;
    char *const scratch = c->scratch + worker * c->scratch_bytes;
    const int64_t channels = c->to.shape.channels, at = c->to.x0 + index * c->pixels;
    const int64_t count = least(c->pixels, c->to.x0 + c->to.cols - at),
                  read = count + c->how->window.height - 1;
    const HaloPoint scale = {HALO_POINT_MUL, c->how->scale, 0.0f};
    float *const line = floats_at(scratch, c->at_line), *const parted = floats_at(scratch, c->at_parted),
                 *const outside = floats_at(scratch, c->at_outside),
                 *const made = floats_at(scratch, c->at_made),
                 *const row = channels == 1 ? made : floats_at(scratch, c->at_row);
    uint64_t clipped = 0;
    cpu_source_line(&c->source, at, c->from.y0, count, line);
    for (int64_t i = 0; i < c->pitch * channels; i++) outside[i] = c->source.value;
    kernels->rows->points(line, read * channels, &scale, 1);
    kernels->rows->points(outside, c->pitch * channels, &scale, 1);
    if (channels > 1)
        kernels->along->split(line, read, channels, parted, c->pitch);
    else
        memcpy(parted, line, (size_t)read * sizeof *line);
    const CpuAlike alike = {&c->stacked, point_at_lines(c, scratch), parted + c->how->window.height / 2,
                            channels, c->pitch};
    kernels->bilateral->means(&alike, count, made);
    if (channels > 1) kernels->along->join(made, c->pitch, count, channels, row);
    kernels->rows->store[c->to.shape.dtype](row, count * channels, c->store, halo_at(&c->to, at, c->to.y0),
                                            &clipped);
    cpu_count_clipped(device, clipped);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(Column *c, int64_t pixels)
{
    const int64_t channels = c->to.shape.channels, height = c->how->window.height;
    int64_t total = 0, line;
    c->pixels = least(c->to.cols, most(TASK_PIXELS, TASK_WINDOWS * height));
    c->pitch = divide_up(c->pixels + height - 1 + CPU_ALIKE_SLACK, 16) * 16;
    return halo_mul(c->pitch, channels * (int64_t)sizeof(float), &line) &&
           cpu_reserve(&total, 1, line, &c->at_line) && cpu_reserve(&total, 1, line, &c->at_parted) &&
           cpu_reserve(&total, 1, line, &c->at_outside) && cpu_reserve(&total, 1, line, &c->at_made) &&
           cpu_reserve(&total, 1, line, &c->at_row) &&
           cpu_reserve(&total, pixels, sizeof(float *), &c->at_pointer) &&
           cpu_reserve(&total, pixels, sizeof(HaloSpan), &c->at_span) &&
           cpu_reserve(&total, pixels, sizeof(float), &c->at_start) && ((c->scratch_bytes = total), true);
}

HaloStatus cpu_bilateral_column(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloBilateral *how,
                                HaloStore store)
{
    HaloStatus status = HALO_OK;
    const HaloWindow along = cpu_turned(&how->window);
    const int64_t pixels = count_pixels(how);
    Column c = {.how = how,
                .from = cpu_as_line(src),
                .to = cpu_as_line(dst),
                .store = store,
                .x = dst->x0 + how->window.ox};
    void *scratch;
    c.source = cpu_window_stencil(device, &c.from, &c.to, &along);
    if (!choose_scratch(&c, pixels))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)how->window.width, (long long)how->window.height);
    HALO_TRY(cpu_scratch_each(device, &c.scratch_bytes, &scratch));
    c.scratch = scratch;
    stack(how, (HaloSpan *)(void *)(c.scratch + c.at_span), floats_at(c.scratch, c.at_start), &c.stacked);
    const double work = 4.0 * (double)pixels * (double)c.to.cols * (double)c.to.shape.channels;
    cpu_run(device, cpu_workers(device, work), divide_up(c.to.cols, c.pixels), run_task, &c);
out:
    return status;
}
