/* Means of windows: horizontal sums (horizontal.cu), then vertical sums of these (vertical.cu), one band of
 * rows at a time, so that the intermediate rows stay in the second-level cache. */
#include "mean.cuh"

/* Bytes of a band and of the other rows that its windows need. */
static const int64_t band_bytes = (int64_t)192 << 20;

/* ---- sums between runs ----------------------------------------------------------------------------------- */

static HaloStatus vertical_windows(const MeanJob *job, const MeanRows *rows, int64_t first, int64_t count,
                                   int64_t window, double *sums);

/* Sums of the totals of `ahead` - 1 and of `ahead` runs, for windows that begin in `runs` runs from `first` on.
 * The totals of all runs after the first are there. */
static HaloStatus sum_between(const MeanJob *job, MeanBetween *between, int64_t first, int64_t runs,
                              int64_t held, int64_t ahead)
{
    const int64_t n = between->totals.n;
    between->base = first + 1;
    for (int more = 0; more < 2; more++) {
        const int64_t window = ahead - 1 + more, count = cuda_min(runs, held - window + 1);
        if (window == 0 || count < 1) continue;
        double *const sums = (double *)mean_allocate(job->workspace, runs * n, sizeof(double));
        between->sums[more] = sums;
        CUDA_PASS(vertical_windows(job, &between->totals, first + 1, count, window, sums));
    }
    return HALO_OK;
}

/* Vertical sums over rows of doubles. The workspace it uses is free again afterwards. */
static HaloStatus vertical_windows(const MeanJob *job, const MeanRows *rows, int64_t first, int64_t count,
                                   int64_t window, double *sums)
{
    const int64_t run = halo_mean_run(window), ahead = (window - 1) / run, used = job->workspace->used;
    const int64_t begun = first / run, runs = (first + count - 1) / run - begun + 1;
    const int64_t held = (first + count + window - 1) / run - begun - 1; /* complete runs after the first */
    MeanVertical vertical = {};
    vertical.rows = *rows;
    vertical.window = window;
    vertical.first = first;
    vertical.count = count;
    vertical.sums = sums;
    vertical.target.clipped = job->device->clipped;
    vertical.between.totals.n = rows->n;
    if (ahead > 1) {
        vertical.between.totals.base = begun + 1;
        vertical.between.totals.ring = cuda_max(held, 1);
        vertical.between.totals.data = mean_allocate(job->workspace, held * rows->n, sizeof(double));
        if (job->workspace->base != NULL)
            CUDA_PASS(
                mean_vertical_totals(job->device, rows, true, run, begun + 1, held, &vertical.between.totals));
        if (ahead > mean_totals_most) CUDA_PASS(sum_between(job, &vertical.between, begun, runs, held, ahead));
    }
    if (job->workspace->base != NULL) CUDA_PASS(mean_vertical(job->device, &vertical, true));
    job->workspace->used = used;
    return HALO_OK;
}

/* ---- the two passes -------------------------------------------------------------------------------------- */

static HaloStatus mean_lines(const MeanJob *job, int64_t y, int64_t lines, const MeanTarget *target)
{
    MeanHorizontal a = {};
    const int64_t used = job->workspace->used;
    a.source = job->source;
    a.target = *target;
    a.window = job->window.width;
    a.x = job->x;
    a.cols = job->cols;
    a.y = y;
    a.lines = lines;
    a.apart = mean_horizontal_apart(job->device, &a);
    if (a.apart) {
        const int64_t run = halo_mean_run(a.window), begun = a.x / run,
                      runs = (a.x + a.cols - 1) / run - begun + 1;
        const int64_t held = (a.x + a.cols + a.window - 1) / run - begun - 1;
        MeanRows &totals = a.between.totals;
        totals.n = lines * a.source.channels;
        totals.base = begun + 1;
        totals.ring = held;
        totals.data = mean_allocate(job->workspace, held * totals.n, sizeof(double));
        if (job->workspace->base != NULL)
            CUDA_PASS(mean_horizontal_totals(job->device, &a, begun + 1, held, (double *)totals.data));
        CUDA_PASS(sum_between(job, &a.between, begun, runs, held, (a.window - 1) / run));
    }
    if (job->workspace->base != NULL) CUDA_PASS(mean_horizontal(job->device, &a));
    job->workspace->used = used;
    return HALO_OK;
}

static MeanTarget mean_lines_target(const MeanJob *job, int64_t base, int64_t ring)
{
    const bool sums = job->target.dtype == HALO_F64;
    const int64_t kept = sums ? sizeof(double) : sizeof(float);
    MeanTarget lines = {};
    lines.data = (char *)mean_allocate(job->workspace, ring * job->n, kept);
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

/* Rows of outputs in a band: complete runs. */
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
    MeanVertical vertical = {};
    MeanTarget lines = mean_lines_target(job, begun * run, cuda_ceil_div(band + height - 1, run) * run + run);
    vertical.window = height;
    vertical.target = job->target;
    vertical.rows.n = vertical.between.totals.n = job->n;
    vertical.rows.base = lines.base;
    vertical.rows.ring = lines.ring;
    vertical.rows.data = lines.data;
    MeanRows &totals = vertical.between.totals;
    totals.base = begun;
    totals.ring = band / run + ahead + 2;
    if (ahead > 1) totals.data = mean_allocate(job->workspace, totals.ring * job->n, sizeof(double));
    int64_t read = job->y, summed = begun + 1; /* end of the lines, and of the totals, that are done */
    for (int64_t y = job->y; y < job->y + job->rows; y = vertical.first + vertical.count) {
        const int64_t used = job->workspace->used;
        vertical.first = y;
        vertical.count = cuda_min((y / run + band / run) * run, job->y + job->rows) - y;
        const int64_t end = y + vertical.count + height - 1, held = end / run;
        lines.first = read;
        CUDA_PASS(mean_lines(job, read, end - read, &lines));
        read = end;
        if (ahead > 1 && job->workspace->base != NULL)
            CUDA_PASS(
                mean_vertical_totals(job->device, &vertical.rows, sums, run, summed, held - summed, &totals));
        summed = held;
        if (ahead > mean_totals_most) {
            const int64_t first = y / run, runs = (y + vertical.count - 1) / run - first + 1;
            CUDA_PASS(sum_between(job, &vertical.between, first, runs, held - first - 1, ahead));
        }
        if (counted)
            vertical.sums = (double *)mean_allocate(job->workspace, vertical.count * job->n, sizeof(double));
        if (sums) vertical.sums = (double *)job->target.data + (y - job->y) * job->n;
        if (job->workspace->base != NULL) CUDA_PASS(mean_vertical(job->device, &vertical, sums));
        if (counted && job->workspace->base != NULL)
            CUDA_PASS(
                mean_vertical_counted(job->device, &job->target, vertical.sums, y, vertical.count, job->n));
        job->workspace->used = used;
    }
    return HALO_OK;
}

static HaloStatus means(const MeanJob *job)
{
    const bool plain = job->target.finish.counts == NULL && job->target.dtype != HALO_F64;
    if (plain && mean_integer_takes(job)) return job->workspace->base == NULL ? HALO_OK : mean_integer(job);
    if (plain && mean_narrow_fused_takes(job))
        return job->workspace->base == NULL ? HALO_OK : mean_narrow_fused(job);
    if (job->window.height == 1) return mean_lines(job, job->y, job->rows, &job->target);
    return bands(job);
}

HaloStatus mean_sums(const MeanJob *rows, const MeanSource *source, const double **sums)
{
    MeanJob job = *rows;
    double *const to = (double *)mean_allocate(job.workspace, job.rows * job.n, sizeof *to);
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

/* Counts the numbers in every window, then divides the sums by them. */
static HaloStatus means_without_nan(const MeanJob *job)
{
    MeanJob rest = *job;
    MeanSource numbers = job->source;
    numbers.counts = true;
    CUDA_PASS(mean_sums(job, &numbers, &rest.target.finish.counts));
    rest.source.ignores = true;
    return means(&rest);
}

/* ---- small windows of integers --------------------------------------------------------------------------- */

/* A convolution by ones is faster than running sums up to about so many taps, where it has a kernel for them;
 * and where the running sums do not support the number of channels. */
static const int64_t ones_most = 63, ones_few = 11;

static bool ones_take(const HaloBuf *src, const HaloMean *mean, HaloStore store)
{
    const int channels = src->shape.channels;
    const HaloWindow &window = mean->window;
    if (channels == 2 && (window.width != window.height || window.width % 2 == 0))
        return false; /* no kernel there */
    return halo_mean_ones(mean, src->shape.dtype, store,
                          channels <= mean_integer_channels ? ones_few : ones_most);
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

/* ---- the entry ------------------------------------------------------------------------------------------- */

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
    if (kind != HALO_MEAN_PLAIN && !rest && mean_deviations_fused_takes(job))
        return mean_deviations_fused(job, kind == HALO_MEAN_SD);
    if (kind != HALO_MEAN_PLAIN) return mean_deviations(job, rest, kind == HALO_MEAN_SD);
    if (rest) return means_without_nan(job);
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
    MeanWorkspace workspace = {};
    void *block;
    job.workspace = &workspace;
    CUDA_PASS(make(&job, mean->kind, rest));
    const int64_t planned = workspace.most;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, cuda_max(planned, 1), &block));
    workspace.base = (char *)block;
    workspace.used = 0;
    CUDA_PASS(make(&job, mean->kind, rest));
    return workspace.most == planned
               ? HALO_OK
               : halo_fail(HALO_ERR_BUG, "internal: workspace size mismatch in a mean filter");
}
