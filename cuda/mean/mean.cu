/* Means of windows: sums along lines (along.cu), then down columns of these (down.cu), a band of rows at a
 * time, so that what lies between the two passes stays in the second-level cache. */
#include "mean.cuh"

/* Bytes of a band and the rows that its windows need besides. */
static const int64_t band_bytes = (int64_t)192 << 20;

/* ---- what lies between ----------------------------------------------------------------------------------- */

static HaloStatus windows_down(const MeanJob *job, const MeanRows *rows, int64_t first, int64_t count,
                               int64_t window, double *sums);

/* Sums of the totals of `ahead` - 1 and of `ahead` runs, for windows that begin in `runs` runs from `first` on.
 * The totals of all that come after a first one are there. */
static HaloStatus sum_between(const MeanJob *job, MeanBetween *between, int64_t first, int64_t runs,
                              int64_t held, int64_t ahead)
{
    const int64_t n = between->totals.n;
    between->base = first + 1;
    for (int more = 0; more < 2; more++) {
        const int64_t window = ahead - 1 + more, count = cuda_min(runs, held - window + 1);
        if (window == 0 || count < 1) continue;
        double *const sums = (double *)mean_take(job->room, runs * n, sizeof(double));
        between->sums[more] = sums;
        CUDA_PASS(windows_down(job, &between->totals, first + 1, count, window, sums));
    }
    return HALO_OK;
}

/* Of windows over rows of doubles. What it takes of the room is free again afterwards. */
static HaloStatus windows_down(const MeanJob *job, const MeanRows *rows, int64_t first, int64_t count,
                               int64_t window, double *sums)
{
    const int64_t run = halo_mean_run(window), ahead = (window - 1) / run, used = job->room->used;
    const int64_t begun = first / run, runs = (first + count - 1) / run - begun + 1;
    const int64_t held = (first + count + window - 1) / run - begun - 1; /* whole runs behind the first */
    MeanDown down = {};
    down.rows = *rows;
    down.window = window;
    down.first = first;
    down.count = count;
    down.sums = sums;
    down.target.clipped = job->device->clipped;
    down.between.totals.n = rows->n;
    if (ahead > 1) {
        down.between.totals.base = begun + 1;
        down.between.totals.ring = cuda_max(held, 1);
        down.between.totals.data = mean_take(job->room, held * rows->n, sizeof(double));
        if (job->room->base != NULL)
            CUDA_PASS(mean_down_totals(job->device, rows, true, run, begun + 1, held, &down.between.totals));
        if (ahead > mean_few) CUDA_PASS(sum_between(job, &down.between, begun, runs, held, ahead));
    }
    if (job->room->base != NULL) CUDA_PASS(mean_down(job->device, &down, true));
    job->room->used = used;
    return HALO_OK;
}

/* ---- the two passes -------------------------------------------------------------------------------------- */

static HaloStatus mean_lines(const MeanJob *job, int64_t y, int64_t lines, const MeanTarget *target)
{
    MeanAlong a = {};
    const int64_t used = job->room->used;
    a.source = job->source;
    a.target = *target;
    a.window = job->window.width;
    a.x = job->x;
    a.cols = job->cols;
    a.y = y;
    a.lines = lines;
    a.apart = mean_along_apart(job->device, &a);
    if (a.apart) {
        const int64_t run = halo_mean_run(a.window), begun = a.x / run,
                      runs = (a.x + a.cols - 1) / run - begun + 1;
        const int64_t held = (a.x + a.cols + a.window - 1) / run - begun - 1;
        MeanRows &totals = a.between.totals;
        totals.n = lines * a.source.channels;
        totals.base = begun + 1;
        totals.ring = held;
        totals.data = mean_take(job->room, held * totals.n, sizeof(double));
        if (job->room->base != NULL)
            CUDA_PASS(mean_along_totals(job->device, &a, begun + 1, held, (double *)totals.data));
        CUDA_PASS(sum_between(job, &a.between, begun, runs, held, (a.window - 1) / run));
    }
    if (job->room->base != NULL) CUDA_PASS(mean_along(job->device, &a));
    job->room->used = used;
    return HALO_OK;
}

static MeanTarget mean_lines_target(const MeanJob *job, int64_t base, int64_t ring)
{
    const bool sums = job->target.dtype == HALO_F64;
    const int64_t kept = sums ? sizeof(double) : sizeof(float);
    MeanTarget lines = {};
    lines.data = (char *)mean_take(job->room, ring * job->n, kept);
    lines.stride = job->n * kept;
    lines.first = lines.base = base;
    lines.ring = ring;
    lines.between = !sums;
    lines.dtype = job->target.dtype;
    lines.finish.count = halo_mean_scale(job->window.width);
    lines.finish.inverse = 1.0 / lines.finish.count;
    lines.clipped = job->device->clipped;
    return lines;
}

/* Rows of outputs in a band: whole runs. */
static int64_t band_rows(const MeanJob *job, int64_t run)
{
    const int64_t fit = band_bytes / (job->n * (int64_t)sizeof(float)) - job->window.height;
    return cuda_max(cuda_max(fit, 8 * HALO_MEAN_RUN) / run, cuda_min(job->window.height, job->rows) / run) *
           run;
}

static HaloStatus bands(const MeanJob *job)
{
    const int64_t height = job->window.height, run = halo_mean_run(height), ahead = (height - 1) / run;
    const int64_t band = band_rows(job, run), begun = job->y / run;
    const bool sums = job->target.dtype == HALO_F64, counted = job->source.ignores && !sums;
    MeanDown down = {};
    MeanTarget lines = mean_lines_target(job, begun * run, cuda_ceil_div(band + height - 1, run) * run + run);
    down.window = height;
    down.target = job->target;
    down.rows.n = down.between.totals.n = job->n;
    down.rows.base = lines.base;
    down.rows.ring = lines.ring;
    down.rows.data = lines.data;
    MeanRows &totals = down.between.totals;
    totals.base = begun;
    totals.ring = band / run + ahead + 2;
    if (ahead > 1) totals.data = mean_take(job->room, totals.ring * job->n, sizeof(double));
    int64_t read = job->y, summed = begun + 1; /* lines up to here, totals up to there */
    for (int64_t y = job->y; y < job->y + job->rows; y = down.first + down.count) {
        const int64_t used = job->room->used;
        down.first = y;
        down.count = cuda_min((y / run + band / run) * run, job->y + job->rows) - y;
        const int64_t end = y + down.count + height - 1, held = end / run;
        lines.first = read;
        CUDA_PASS(mean_lines(job, read, end - read, &lines));
        read = end;
        if (ahead > 1 && job->room->base != NULL)
            CUDA_PASS(mean_down_totals(job->device, &down.rows, sums, run, summed, held - summed, &totals));
        summed = held;
        if (ahead > mean_few) {
            const int64_t first = y / run, runs = (y + down.count - 1) / run - first + 1;
            CUDA_PASS(sum_between(job, &down.between, first, runs, held - first - 1, ahead));
        }
        if (counted) down.sums = (double *)mean_take(job->room, down.count * job->n, sizeof(double));
        if (sums) down.sums = (double *)job->target.data + (y - job->y) * job->n;
        if (job->room->base != NULL) CUDA_PASS(mean_down(job->device, &down, sums));
        if (counted && job->room->base != NULL)
            CUDA_PASS(mean_down_counted(job->device, &job->target, down.sums, y, down.count, job->n));
        job->room->used = used;
    }
    return HALO_OK;
}

static HaloStatus means(const MeanJob *job)
{
    const bool plain = job->target.finish.counts == NULL && job->target.dtype != HALO_F64;
    if (plain && mean_whole_takes(job)) return job->room->base == NULL ? HALO_OK : mean_whole(job);
    if (plain && mean_both_takes(job)) return job->room->base == NULL ? HALO_OK : mean_both(job);
    if (job->window.height == 1) return mean_lines(job, job->y, job->rows, &job->target);
    return bands(job);
}

HaloStatus mean_sums(const MeanJob *rows, const MeanSource *source, const double **sums)
{
    MeanJob job = *rows;
    double *const to = (double *)mean_take(job.room, job.rows * job.n, sizeof *to);
    job.source = *source;
    job.target = {};
    job.target.data = (char *)to;
    job.target.stride = job.n * (int64_t)sizeof *to;
    job.target.first = job.target.base = job.y;
    job.target.ring = INT64_MAX;
    job.target.dtype = HALO_F64;
    job.target.clipped = rows->target.clipped;
    *sums = to;
    return means(&job);
}

/* The numbers of every window, then the means over them. */
static HaloStatus means_of_numbers(const MeanJob *job)
{
    MeanJob rest = *job;
    MeanSource numbers = job->source;
    numbers.counts = true;
    CUDA_PASS(mean_sums(job, &numbers, &rest.target.finish.counts));
    rest.source.ignores = true;
    return means(&rest);
}

/* ---- small windows of whole numbers ---------------------------------------------------------------------- */

/* A convolution by ones is faster than running sums up to about so many taps, where it has a kernel for them;
 * or where running sums have none for so many channels. */
static const int64_t ones_most = 63, ones_few = 11;

static bool ones_take(const HaloBuf *src, const HaloMean *mean, HaloStore store)
{
    const int channels = src->shape.channels;
    const HaloWindow &window = mean->window;
    if (channels == 2 && (window.width != window.height || window.width % 2 == 0))
        return false; /* there it has none */
    return halo_mean_ones(mean, src->shape.dtype, store,
                          channels <= mean_whole_channels ? ones_few : ones_most);
}

static HaloStatus by_ones(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean)
{
    float ones[ones_most];
    HaloSep sep = {};
    for (float &one : ones) one = 1.0f;
    sep.window = mean->window;
    sep.window.nan_ignore = false;
    sep.tap_x = sep.tap_y = ones;
    return cuda_sep(device, src, dst, &sep, {1.0f, (float)(mean->window.width * mean->window.height)});
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static MeanJob job_of(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                      HaloStore store)
{
    MeanJob job = {};
    const HaloWindow &window = mean->window;
    job.device = device;
    job.window = window;
    job.x = dst->x0;
    job.y = dst->y0;
    job.cols = dst->cols;
    job.rows = dst->rows;
    job.n = dst->cols * dst->shape.channels;
    job.all = src->y0 == 0 && src->rows == src->shape.height;
    job.source.data = (const char *)src->data;
    job.source.stride = src->stride;
    job.source.x0 = src->x0;
    job.source.y0 = src->y0;
    job.source.width = src->shape.width;
    job.source.height = src->shape.height;
    job.source.held = src->cols;
    job.source.ox = window.ox;
    job.source.oy = window.oy;
    job.source.dtype = src->shape.dtype;
    job.source.border = window.border;
    job.source.outside = halo_border_value(window.border, window.value);
    job.source.channels = src->shape.channels;
    job.target.data = (char *)dst->data;
    job.target.stride = dst->stride;
    job.target.first = job.target.base = dst->y0;
    job.target.ring = INT64_MAX;
    job.target.dtype = dst->shape.dtype;
    job.target.store = store;
    job.target.clipped = device->clipped;
    job.target.finish.scale = window.height > 1 ? halo_mean_scale(window.width) : 1.0;
    job.target.finish.count = (double)window.width * (double)window.height / job.target.finish.scale;
    job.target.finish.inverse = 1.0 / job.target.finish.count;
    return job;
}

static HaloStatus make(const MeanJob *job, HaloMeanKind kind, bool rest)
{
    MeanJob line;
    if (kind != HALO_MEAN_PLAIN && !rest && mean_deviations_once_takes(job))
        return mean_deviations_once(job, kind == HALO_MEAN_SD);
    if (kind != HALO_MEAN_PLAIN) return mean_deviations(job, rest, kind == HALO_MEAN_SD);
    if (rest) return means_of_numbers(job);
    if (mean_column_takes(job))
        CUDA_PASS(mean_column(job, &line));
    else
        line = mean_row_takes(job) ? mean_row(job) : *job;
    return means(&line);
}

HaloStatus cuda_mean(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMean *mean,
                     HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    MeanJob job = job_of(device, src, dst, mean, store);
    if (!mean_column_takes(&job) && !mean_row_takes(&job) && ones_take(src, mean, store))
        return by_ones(device, src, dst, mean);
    const bool outside = job.source.outside != job.source.outside; /* is NaN */
    bool rest = mean->window.nan_ignore && (src->shape.dtype == HALO_F32 || outside);
    if (rest && !outside && !device->asking) CUDA_PASS(mean_has_nan(device, src, &rest));
    MeanRoom room = {};
    void *block;
    job.room = &room;
    CUDA_PASS(make(&job, mean->kind, rest));
    const int64_t planned = room.most;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, cuda_max(planned, 1), &block));
    room.base = (char *)block;
    room.used = 0;
    CUDA_PASS(make(&job, mean->kind, rest));
    return room.most == planned ? HALO_OK
                                : halo_fail(HALO_ERR_BUG, "means took other memory than they had planned");
}
