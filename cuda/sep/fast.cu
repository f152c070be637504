/* --precision fast: long smooth separable masks by decimated filters on B-spline control points
 * (halo/sep_fast.h). The row pass is applied to the control points. */
#include "fast.cuh"

/* Workspace of a band, about. */
static const int64_t fast_bytes = (int64_t)384 << 20;
/* Rows of the result that a thread goes down. */
static const int fast_up = 64;
/* Shorter masks are faster exactly. */
static const int64_t fast_least = 112;
/* Rows, and numbers of a row, that a thread can count. */
static const int64_t fast_numbers = (int64_t)1 << 30;
/* Blocks that are summed in the threads of a warp. */
static const int64_t fast_block = 128;

static int64_t floor_divide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

/* ---- what lies where ------------------------------------------------------------------------------------ */

/* A band of the result, and its intermediate results. */
struct FastJob {
    HaloDevice *device;
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloSep *sep;
    const HaloSepFast *how;
    HaloStore store;
    bool rests;
    int64_t channels, span, spans, first_span;
    int64_t left, x, end;      /* pixels of a row of control points, whose first few, up to x, may be unused */
    int64_t control, controls; /* the first control point, and how many */
    int64_t smooth, smooths;   /* the same of the result */
    int64_t cross, crosses;    /* source rows of the residual */
    int64_t block, blocks;
    int64_t bytes;
    float *data; /* NULL: workspace query */
    FastRows control_rows, passed, smoothed, sums, crossed, rest;
};

static float *take(FastJob *job, int64_t floats)
{
    float *const at = job->data == NULL ? NULL : job->data + job->bytes / (int64_t)sizeof(float);
    job->bytes += cuda_ceil_div(floats, 64) * 64 * (int64_t)sizeof(float);
    return at;
}

static FastRows take_rows(FastJob *job, int64_t first, int64_t rows, int64_t planes, int64_t numbers)
{
    const int64_t plane = cuda_ceil_div(numbers, 4) * 4;
    FastRows made = {};
    made.first = first;
    made.rows = rows;
    made.plane = plane;
    made.stride = planes * plane;
    made.data = take(job, rows * made.stride);
    return made;
}

static void measure_row(FastJob *job)
{
    const HaloSepFast *how = job->how;
    const HaloWindow *window = &job->sep->window;
    const int64_t first = job->dst->x0, right = first + job->dst->cols;
    job->x = first + window->ox;
    job->end = right + window->ox + window->width - 1;
    if (job->rests) {
        job->span = how->block * HALO_SEP_EVERY;
        job->first_span = floor_divide(first - job->span / 2, job->span);
        job->spans = floor_divide(right - 1 - job->span / 2, job->span) - job->first_span + 1;
        job->block = job->first_span * HALO_SEP_EVERY + how->cross.first;
        job->blocks = job->spans * HALO_SEP_EVERY + how->cross.count;
        job->x = cuda_min(job->x, job->block * how->block);
        job->end = cuda_max(job->end, (job->block + job->blocks) * how->block);
    }
    const int64_t unit = cuda_max(how->block, fast_own);
    job->left = floor_divide(job->x, unit) * unit;
}

/* Rows [y, y + rows) of the result. */
static void measure(FastJob *job, int64_t y, int64_t rows)
{
    const HaloSepFast *how = job->how;
    const HaloSepSpline *down = &how->vertical;
    const int64_t half = HALO_SEP_SUPPORT / 2, cell = floor_divide(y, down->step),
                  last = floor_divide(y + rows - 1, down->step), numbers = job->dst->cols * job->channels;
    job->bytes = 0;
    measure_row(job);
    job->smooth = cell - half + 1;
    job->smooths = last + half - job->smooth + 1;
    job->control = job->smooth + down->decimated.first;
    job->controls = job->smooths + down->decimated.count - 1;
    job->control_rows = take_rows(job, job->control, job->controls, 1, (job->end - job->left) * job->channels);
    job->passed = take_rows(job, job->control, job->controls, 1, numbers);
    job->smoothed = take_rows(job, job->smooth, job->smooths, 1, numbers);
    if (!job->rests) return;
    job->cross = y + down->rest[0].first;
    job->crosses = y + rows - 1 + down->rest[1].first + down->rest[1].count - job->cross;
    job->sums = take_rows(job, job->cross, job->crosses, job->channels, job->blocks);
    job->crossed = take_rows(job, job->cross, job->crosses, job->channels, job->spans + 1);
    job->rest = take_rows(job, 0, rows, job->channels, job->spans + 1);
}

/* ---- passes --------------------------------------------------------------------------------------------- */

/* A spline's taps for row n of a cell: to control points in order of their age, from them in the order of their
 * places. */
static void put_row(FastSpline *taps, int64_t n, const float *spline, int64_t step, bool from)
{
    float v[8] = {};
    for (int k = 0; k < HALO_SEP_SUPPORT; k++) v[k] = spline[(from ? HALO_SEP_SUPPORT - 1 - k : k) * step + n];
    taps->at[2 * n] = make_float4(v[0], v[1], v[2], v[3]);
    taps->at[2 * n + 1] = make_float4(v[4], v[5], 0.0f, 0.0f);
}

static HaloStatus pass_into(const FastJob *job)
{
    const HaloSepFast *how = job->how;
    HaloConv conv = {};
    HaloBuf none = *job->dst;
    conv.window = job->sep->window;
    conv.window.border = conv.window.border == HALO_BORDER_VALID ? HALO_BORDER_REPLICATE : conv.window.border;
    FastDecimate args = {};
    args.src = conv_args(job->device, job->src, &none, &conv, job->store).src;
    args.beside = halo_border_value(conv.window.border, conv.window.value);
    args.outside = args.beside * how->outside;
    args.x = job->left;
    args.lo = job->x;
    args.hi = job->end;
    args.numbers = job->control_rows.stride;
    for (int64_t n = 0; n < how->vertical.step; n++)
        put_row(&args.taps, n, how->vertical.into, how->vertical.step, false);
    args.step = (int)how->vertical.step;
    args.control = job->control_rows;
    args.block = (int)how->block;
    args.blocks = job->blocks;
    args.block_x = job->block * how->block;
    const bool apart = job->channels > 1 || how->block > fast_block;
    if (job->rests && !apart) args.sums = job->sums;
    CUDA_PASS(fast_decimate(job->device, &args));
    if (!job->rests || !apart) return HALO_OK;
    args.sums = job->sums;
    return fast_sums(job->device, &args);
}

static HaloBuf rows_buf(const FastJob *job, const FastRows *rows, int64_t pixels)
{
    HaloBuf buf = *job->dst;
    buf.shape.dtype = HALO_F32;
    buf.shape.width = buf.cols = pixels;
    buf.shape.height = buf.rows = rows->rows;
    buf.x0 = buf.y0 = 0;
    buf.stride = rows->stride * (int64_t)sizeof(float);
    buf.data = rows->data;
    return buf;
}

/* Clears the numbers behind the last of rows that are read in fours. */
static HaloStatus clear_behind(const FastJob *job, const FastRows *rows, int64_t numbers)
{
    const size_t size = sizeof(float);
    if (numbers < rows->stride)
        CUDA_TRY(cudaMemset2DAsync(rows->data + numbers, (size_t)rows->stride * size, 0,
                                   (size_t)(rows->stride - numbers) * size, (size_t)rows->rows,
                                   job->device->stream));
    return HALO_OK;
}

/* Applies the row pass, then the decimated column filter, to the control points. */
static HaloStatus pass_controls(const FastJob *job)
{
    const HaloSepTaps *coarse = &job->how->vertical.decimated;
    HaloConv row = {}, column = {};
    HaloBuf controls = rows_buf(job, &job->control_rows, job->end - job->left),
            passed = rows_buf(job, &job->passed, job->dst->cols),
            smooth = rows_buf(job, &job->smoothed, job->dst->cols);
    row.window.width = job->sep->window.width;
    row.window.height = column.window.width = 1;
    row.window.ox = job->dst->x0 + job->sep->window.ox - job->left;
    row.window.border = column.window.border = HALO_BORDER_REPLICATE; /* nothing lies outside */
    row.tap = job->sep->tap_x;
    column.window.height = coarse->count;
    column.tap = coarse->tap;
    CUDA_PASS(cuda_conv_within(job->device, &controls, &passed, &row, {1.0f, 1.0f}));
    CUDA_PASS(cuda_conv_within(job->device, &passed, &smooth, &column, {1.0f, 1.0f}));
    return clear_behind(job, &job->smoothed, job->dst->cols * job->channels);
}

static HaloStatus pass_rest(const FastJob *job, int64_t y)
{
    const HaloSepFast *how = job->how;
    FastResidual args = {};
    args.sums = job->sums;
    args.cross = job->crossed;
    args.rest = job->rest;
    args.groups = (int)(how->cross.count / HALO_SEP_EVERY);
    for (int i = 0; i < args.groups; i++) {
        const float *const tap = how->cross.tap + i * HALO_SEP_EVERY;
        args.cross_taps[i] = make_float4(tap[0], tap[1], tap[2], tap[3]);
    }
    for (int e = 0; e < 2; e++) {
        const HaloSepTaps *const rest = &how->vertical.rest[e];
        args.count[e] = (int)rest->count;
        args.first[e] = rest->first;
        for (int64_t i = 0; i < rest->count; i++) args.taps[e][i] = rest->tap[i];
    }
    args.spans = job->spans;
    args.channels = job->channels;
    args.y = y;
    return fast_residual(job->device, &args);
}

static HaloStatus pass_from(const FastJob *job, HaloBuf *dst)
{
    HaloConv conv = {};
    FastInterpolate args = {};
    conv.window = job->sep->window;
    conv.affine = job->sep->affine;
    conv.scale = job->sep->scale;
    conv.bias = job->sep->bias;
    args.dst = conv_args(job->device, job->src, dst, &conv, job->store).dst;
    args.dst.cols *= job->channels;
    args.dst.channels = 1;
    args.channels = (int)job->channels;
    args.x = dst->x0;
    args.y = dst->y0;
    const HaloSepSpline *const down = &job->how->vertical;
    for (int64_t n = 0; n < down->step; n++) put_row(&args.taps, n, down->from, down->step, true);
    args.step = (int)down->step;
    args.each = fast_up;
    args.smooth = job->smoothed;
    args.rest = job->rest;
    args.span = cuda_max(job->span, 1);
    args.first = job->first_span;
    return fast_interpolate(job->device, &args);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Rows of the result that keep the workspace within its bound. */
static int64_t band_rows(FastJob *job)
{
    int64_t rows = job->dst->rows;
    measure(job, job->dst->y0, rows);
    while (job->bytes > fast_bytes && rows > job->how->height) {
        rows = cuda_max(rows / 2, 1);
        measure(job, job->dst->y0, rows);
    }
    return rows;
}

bool cuda_sep_decimated(const HaloSep *sep, HaloSepFast *way)
{
    if (sep->window.nan_ignore || sep->window.height < fast_least || sep->fast->vertical.step > fast_steps ||
        sep->fast->cross.count > fast_crosses || sep->fast->vertical.rest[0].count > fast_ends)
        return false;
    *way = *sep->fast;
    way->horizontal = {}; /* the row pass is applied to the control points unchanged */
    return true;
}

bool fast_takes(const HaloBuf *src, const HaloSep *sep)
{
    HaloSepFast way;
    return sep->fast != NULL && cuda_sep_decimated(sep, &way) &&
           (src->shape.width + 2 * sep->fast->width) * src->shape.channels < fast_numbers &&
           src->shape.height + 2 * sep->fast->height < fast_numbers;
}

HaloStatus cuda_sep_fast(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloSep *sep,
                         HaloStore store)
{
    FastJob job = {};
    void *data;
    job.device = device;
    job.src = src;
    job.dst = dst;
    job.sep = sep;
    job.how = sep->fast;
    job.store = store;
    job.rests = sep->fast->vertical.rest[0].count > 0;
    job.channels = dst->shape.channels;
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    const int64_t rows = band_rows(&job);
    /* A band in the middle has a cell more than the first. */
    const int64_t bytes =
        job.bytes +
        2 * (job.control_rows.stride + job.passed.stride + job.smoothed.stride + 256) * (int64_t)sizeof(float);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, bytes, &data));
    job.data = (float *)data;
    for (int64_t y = 0; y < dst->rows; y += rows) {
        HaloBuf band = *dst;
        band.y0 = dst->y0 + y;
        band.rows = cuda_min(rows, dst->rows - y);
        band.data = (char *)dst->data + y * dst->stride;
        measure(&job, band.y0, band.rows);
        CUDA_PASS(pass_into(&job));
        CUDA_PASS(pass_controls(&job));
        if (job.rests) CUDA_PASS(pass_rest(&job, band.y0));
        CUDA_PASS(pass_from(&job, &band));
    }
    return HALO_OK;
}
