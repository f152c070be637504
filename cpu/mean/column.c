/* Means of floats over a picture of one column, whose pixels lie behind one another: along it, as if it were a
 * row. What stands beside a pixel is the pixel itself, or 0, so that its row sum is a product, exact in f64. */
#include "halo/means.h"
#include "mean.h"

/* Outputs of a task, and as many windows at least. */
#define PIECE 4096
#define PIECE_WINDOWS 4

typedef struct Column {
    CpuStencil source; /* of the line */
    HaloBuf from, to;
    HaloStore store;
    int64_t window, pixels, channels;
    double times, plus;  /* a row sum is its sample * times + plus; along columns it is a float of that */
    double scale, count; /* a mean is its sum * scale / count */
    int64_t at_line, at_room, at_sum, scratch_bytes;
    char *scratch;
} Column;

bool cpu_mean_is_column(const HaloBuf *src, const HaloBuf *dst, const HaloMean *mean)
{
    const HaloWindow *w = &mean->window;
    const bool over = w->ox <= 0 && w->ox + w->width > 0;
    return cpu_are_columns(src, dst) && mean->kind == HALO_MEAN_PLAIN && !w->nan_ignore && over &&
           w->width < 1 << 24 && (w->border != HALO_BORDER_CONSTANT || w->width == 1);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Column *c = context;
    HaloDevice *device = c->source.device;
    const CpuKernels *kernels = device->kernels;
    char *const scratch = c->scratch + worker * c->scratch_bytes;
    float *const line = (float *)(void *)(scratch + c->at_line);
    double *const room = (double *)(void *)(scratch + c->at_room), *const sum =
                                                                       (double *)(void *)(scratch + c->at_sum);
    const int64_t first = index * c->pixels, left = c->to.cols - first,
                  count = left < c->pixels ? left : c->pixels;
    const int64_t n = count * c->channels, wide = (count + c->window - 1) * c->channels, x = c->to.x0 + first;
    const CpuMeanLine along = {x, count, c->window, halo_mean_run(c->window), c->channels};
    uint64_t clipped = 0;
    cpu_source_line(&c->source, x, 0, count, line);
    if (c->window > 1) {
        for (int64_t i = 0; i < wide; i++) line[i] = (float)((double)line[i] * c->times + c->plus);
        cpu_mean_along(kernels->mean, false, line, &along, room, sum);
    } else {
        for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i] * c->times + c->plus;
    }
    kernels->mean->mean(sum, n, c->scale, c->count, NULL, line);
    kernels->rows->store[c->to.shape.dtype](line, n, c->store, halo_at(&c->to, x, 0), &clipped);
    atomic_fetch_add_explicit(&device->clipped, clipped, memory_order_relaxed);
}

HaloStatus cpu_mean_column(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                           HaloStore store)
{
    HaloStatus status = HALO_OK;
    const HaloWindow *window = &mean->window;
    const HaloWindow turned = {.width = window->height,
                               .height = 1,
                               .ox = window->oy,
                               .border = window->border,
                               .value = window->value};
    Column c = {.from = cpu_as_line(src), .to = cpu_as_line(dst), .store = store, .window = window->height};
    const bool zeros = window->border == HALO_BORDER_ZERO && window->width > 1;
    int64_t total = 0, wide;
    void *scratch;
    c.channels = dst->shape.channels;
    c.source = cpu_window_stencil(device, &c.from, &c.to, &turned);
    c.pixels = c.window > PIECE / PIECE_WINDOWS ? PIECE_WINDOWS * c.window : PIECE;
    c.pixels = c.pixels < c.to.cols ? c.pixels : c.to.cols;
    c.scale = c.window > 1 ? halo_mean_scale(window->width) : 1.0;
    c.times = (zeros ? 1.0 : (double)window->width) / c.scale;
    c.plus = zeros ? 0.0 : HALO_MEAN_NOTHING;
    c.count = (double)window->width * (double)window->height;
    const int64_t room = cpu_mean_along_room(c.pixels, c.window, c.channels);
    if (room < 0 || !halo_mul(c.pixels + c.window - 1, c.channels, &wide) ||
        !cpu_reserve(&total, wide, sizeof(float), &c.at_line) ||
        !cpu_reserve(&total, room, sizeof(double), &c.at_room) ||
        !cpu_reserve(&total, wide, sizeof(double), &c.at_sum))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    c.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &c.scratch_bytes, &scratch));
    c.scratch = scratch;
    cpu_run(device, cpu_workers(device, 16.0 * (double)c.to.cols * (double)c.channels),
            (c.to.cols + c.pixels - 1) / c.pixels, run_task, &c);
out:
    return status;
}
