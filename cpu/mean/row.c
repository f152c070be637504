/* Means of floats over a picture of one row: along it, once. The rows above and below are the same row, or
 * zeros, so that the sum of a column is a product: that of a float, exact in f64. */
#include "halo/means.h"
#include "halo/numerics.h"
#include "mean.h"

/* Outputs of a task, and as many windows at least. */
#define PIECE 2048
#define PIECE_WINDOWS 4

typedef struct Row {
    const CpuMean *m;
    int64_t pixels;     /* of a task */
    double times, plus; /* the sum of a column is its row sum * times + plus */
    double scale, count;
    int64_t at_line, at_room, at_sum, scratch_bytes;
    char *scratch;
} Row;

bool cpu_mean_is_row(const CpuMean *m)
{
    const HaloWindow *w = &m->window;
    return !m->whole && m->kind == HALO_MEAN_PLAIN && !w->nan_ignore && m->source.src->shape.height == 1 &&
           m->dst->rows == 1 && w->width > 1 && w->height > 1 && w->height < 1 << 24 &&
           w->border != HALO_BORDER_CONSTANT;
}

static void run_task(void *context, int64_t index, int worker)
{
    const Row *r = context;
    const CpuMean *m = r->m;
    const CpuMeanKernels *kernels = m->device->kernels->mean;
    const HaloBuf *dst = m->dst;
    char *const scratch = r->scratch + worker * r->scratch_bytes;
    float *const line = (float *)(void *)(scratch + r->at_line);
    double *const sum = (double *)(void *)(scratch + r->at_sum);
    const int64_t first = index * r->pixels, x = dst->x0 + first, count = least(r->pixels, dst->cols - first);
    const int64_t channels = dst->shape.channels, n = count * channels, width = m->window.width;
    const CpuMeanLine along = {x, count, width, halo_mean_run(width), channels};
    uint64_t clipped = 0;
    cpu_source_line(&m->source, x, 0, count, line);
    cpu_mean_along(kernels, false, line, &along, (double *)(void *)(scratch + r->at_room), sum);
    kernels->mean(sum, n, 1.0, r->scale, NULL, line);
    for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i] * r->times + r->plus;
    kernels->mean(sum, n, r->scale, r->count, NULL, line);
    m->device->kernels->rows->store[dst->shape.dtype](line, n, m->store, halo_at(dst, x, dst->y0), &clipped);
    cpu_count_clipped(m->device, clipped);
}

HaloStatus cpu_mean_row(const CpuMean *m, int workers)
{
    HaloStatus status = HALO_OK;
    const HaloWindow *window = &m->window;
    const int64_t channels = m->dst->shape.channels;
    int64_t inside = 0, total = 0, wide;
    void *scratch;
    Row r = {.m = m, .scale = halo_mean_scale(window->width)};
    for (int64_t j = 0; j < window->height; j++)
        inside += halo_border_index(m->dst->y0 + window->oy + j, 1, window->border) == 0;
    r.times = (double)inside;
    r.plus = inside < window->height ? 0.0 : HALO_MEAN_NOTHING;
    r.count = (double)window->width * (double)window->height;
    r.pixels = least(m->dst->cols, most(PIECE, PIECE_WINDOWS * window->width));
    const int64_t room = cpu_mean_along_room(r.pixels, window->width, channels);
    if (room < 0 || !halo_mul(r.pixels + window->width - 1, channels, &wide) ||
        !cpu_reserve(&total, wide, sizeof(float), &r.at_line) ||
        !cpu_reserve(&total, room, sizeof(double), &r.at_room) ||
        !cpu_reserve(&total, wide, sizeof(double), &r.at_sum))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    r.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(m->device, &r.scratch_bytes, &scratch));
    r.scratch = scratch;
    cpu_run(m->device, workers, divide_up(m->dst->cols, r.pixels), run_task, &r);
out:
    return status;
}
