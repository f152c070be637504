/* Means of floats, and what deviates from them, over a picture of one column, whose pixels lie behind one
 * another: along it, as if it were a row. What stands beside a pixel is the pixel itself, or 0, so that its row
 * sum is a product, exact in f64; that of squares, of 48 bits, up to a width of 32. */
#include "halo/means.h"
#include "mean.h"

/* Outputs of a task, and as many windows at least. */
#define PIECE 4096
#define PIECE_WINDOWS 4
#define SQUARES_WIDTH 32

typedef struct Column {
    CpuStencil source; /* of the line */
    HaloBuf from, to;
    HaloStore store;
    int64_t window, pixels, channels;
    HaloMeanKind kind;
    double times, plus;  /* a row sum is its sample * times + plus; along columns means take a float of that */
    double scale, count; /* a mean is its sum * scale / count */
    int64_t at_line, at_row, at_room, at_sum, at_squares, scratch_bytes;
    char *scratch;
} Column;

bool cpu_mean_is_column(const HaloBuf *src, const HaloBuf *dst, const HaloMean *mean)
{
    const HaloWindow *w = &mean->window;
    const bool over = w->ox <= 0 && w->ox + w->width > 0;
    return cpu_are_columns(src, dst) && !w->nan_ignore && over &&
           w->width <= (mean->kind == HALO_MEAN_PLAIN ? (1 << 24) - 1 : SQUARES_WIDTH) &&
           (w->border != HALO_BORDER_CONSTANT || w->width == 1);
}

static double *doubles_at(char *scratch, int64_t at) { return (double *)(void *)(scratch + at); }

/* The sums of means, row sums being floats where columns follow. */
static void sum_plain(const Column *c, const CpuMeanLine *along, float *line, char *scratch)
{
    const int64_t n = along->count * c->channels, wide = n + (c->window - 1) * c->channels;
    double *const sum = doubles_at(scratch, c->at_sum);
    if (c->window > 1) {
        for (int64_t i = 0; i < wide; i++) line[i] = (float)((double)line[i] * c->times + c->plus);
        cpu_mean_along(c->source.device->kernels->mean, false, line, along, doubles_at(scratch, c->at_room),
                       sum);
    } else {
        for (int64_t i = 0; i < n; i++) sum[i] = (double)line[i] * c->times + c->plus;
    }
}

/* The sums of samples, or of what their squares are, none of which is rounded to a float. */
static void sum_doubles(const Column *c, const CpuMeanLine *along, const float *line, bool squares,
                        char *scratch)
{
    const CpuMeanKernels *kernels = c->source.device->kernels->mean;
    const int64_t wide = (along->count + c->window - 1) * c->channels;
    double *const sum = doubles_at(scratch, squares ? c->at_squares : c->at_sum);
    double *const row = c->window > 1 ? doubles_at(scratch, c->at_row) : sum;
    if (squares)
        kernels->square(line, wide, row);
    else
        for (int64_t i = 0; i < wide; i++) row[i] = (double)line[i];
    for (int64_t i = 0; i < wide; i++) row[i] = row[i] * c->times + c->plus;
    if (c->window > 1) cpu_mean_along(kernels, true, row, along, doubles_at(scratch, c->at_room), sum);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Column *c = context;
    HaloDevice *device = c->source.device;
    const CpuKernels *kernels = device->kernels;
    char *const scratch = c->scratch + worker * c->scratch_bytes;
    float *const line = (float *)(void *)(scratch + c->at_line);
    const int64_t first = index * c->pixels, count = least(c->pixels, c->to.cols - first);
    const int64_t n = count * c->channels, x = c->to.x0 + first;
    const CpuMeanLine along = {x, count, c->window, halo_mean_run(c->window), c->channels};
    uint64_t clipped = 0;
    cpu_source_line(&c->source, x, 0, count, line);
    if (c->kind == HALO_MEAN_PLAIN) {
        sum_plain(c, &along, line, scratch);
        kernels->mean->mean(doubles_at(scratch, c->at_sum), n, c->scale, c->count, NULL, line);
    } else {
        sum_doubles(c, &along, line, false, scratch);
        sum_doubles(c, &along, line, true, scratch);
        kernels->mean->deviation(doubles_at(scratch, c->at_sum), doubles_at(scratch, c->at_squares), n,
                                 c->count, NULL, c->kind == HALO_MEAN_SD, line);
    }
    kernels->rows->store[c->to.shape.dtype](line, n, c->store, halo_at(&c->to, x, 0), &clipped);
    cpu_count_clipped(device, clipped);
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
    Column c = {.from = cpu_as_line(src),
                .to = cpu_as_line(dst),
                .store = store,
                .window = window->height,
                .kind = mean->kind};
    const bool deviates = mean->kind != HALO_MEAN_PLAIN;
    const bool zeros = window->border == HALO_BORDER_ZERO && window->width > 1;
    int64_t total = 0, wide;
    void *scratch;
    c.channels = dst->shape.channels;
    c.source = cpu_window_stencil(device, &c.from, &c.to, &turned);
    c.pixels = least(c.to.cols, most(PIECE, PIECE_WINDOWS * c.window));
    c.scale = c.window > 1 && !deviates ? halo_mean_scale(window->width) : 1.0;
    c.times = (zeros ? 1.0 : (double)window->width) / c.scale;
    c.plus = zeros ? 0.0 : HALO_MEAN_NOTHING;
    c.count = (double)window->width * (double)window->height;
    const int64_t room = cpu_mean_along_room(c.pixels, c.window, c.channels);
    if (room < 0 || !halo_mul(c.pixels + c.window - 1, c.channels, &wide) ||
        !cpu_reserve(&total, wide, sizeof(float), &c.at_line) ||
        !cpu_reserve(&total, room, sizeof(double), &c.at_room) ||
        !cpu_reserve(&total, wide, sizeof(double), &c.at_sum) ||
        !cpu_reserve(&total, deviates ? wide : 0, sizeof(double), &c.at_row) ||
        !cpu_reserve(&total, deviates ? wide : 0, sizeof(double), &c.at_squares))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    c.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &c.scratch_bytes, &scratch));
    c.scratch = scratch;
    cpu_run(device, cpu_workers(device, 16.0 * (double)c.to.cols * (double)c.channels),
            divide_up(c.to.cols, c.pixels), run_task, &c);
out:
    return status;
}
