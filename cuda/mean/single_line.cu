/* Pictures of one column without gaps, or of one row, as one line. Across the line, a window holds the same
 * sample, or the same sum, repeatedly, wherever the border repeats samples of the picture. */
#include "mean.cuh"

static const int column_threads = 256;
static const int64_t equal_most = 1 << 29; /* equal f32 whose sum is exact in f64, in any order */

static bool bordered_by_itself(const MeanSource &s)
{
    return s.border >= HALO_BORDER_REPLICATE && s.border <= HALO_BORDER_WRAP;
}

/* ---- one column ------------------------------------------------------------------------------------------ */

/* A row's sum, as between the passes: equal samples are a product, exact in f64. */
__global__ static void __launch_bounds__(column_threads)
    column_kernel(const float *from, int64_t count, double times, float *to)
{
    const int64_t i = (int64_t)blockIdx.x * column_threads + threadIdx.x;
    if (i < count) to[i] = halo_canonical((float)((double)from[i] * times));
}

/* Are sums of so many equal samples exact: of integers in f32, as between the passes, of floats in f64? */
static bool sums_fit(HaloDtype dtype, int64_t width)
{
    return width <= (dtype == HALO_F32 ? equal_most : (1 << 24) / (dtype == HALO_U8 ? 255 : 65535));
}

bool mean_column_takes(const MeanJob *job)
{
    const MeanSource &s = job->source;
    const int64_t pixel = s.channels * (int64_t)halo_dtype_size(s.dtype);
    return s.width == 1 && job->cols == 1 && job->all && job->window.height > 1 && s.stride == pixel &&
           sums_fit(s.dtype, job->window.width) &&
           job->target.stride == s.channels * (int64_t)halo_dtype_size(job->target.dtype) &&
           bordered_by_itself(s);
}

/* Sums of integers that fit are exact in any order, so a window as wide as the column has the same mean. */
HaloStatus mean_column(const MeanJob *job, MeanJob *line)
{
    const int64_t width = job->window.width, count = job->source.height * job->source.channels;
    *line = *job;
    line->window.width = job->window.height;
    line->window.height = 1;
    line->x = job->y;
    line->y = 0;
    line->cols = job->rows;
    line->rows = 1;
    line->n = job->rows * job->source.channels;
    line->source.width = job->source.height;
    line->source.height = 1;
    line->source.held = job->source.height;
    line->source.ox = job->source.oy;
    line->source.oy = 0;
    line->target.first = line->target.base = 0;
    if (job->source.dtype != HALO_F32) {
        line->target.finish.scale = 1.0;
        line->target.finish.count = (double)job->window.height;
        line->target.finish.inverse = 1.0 / line->target.finish.count;
    } else if (width > 1) {
        float *const sums = (float *)mean_allocate(job->workspace, count, sizeof *sums);
        line->source.data = (const char *)sums;
        const double times = (double)width / halo_mean_scale(width);
        if (job->workspace->base != NULL)
            CUDA_LAUNCH(job->device, column_kernel, cuda_ceil_div(count, column_threads), column_threads, 0,
                        (const float *)job->source.data, count, times, sums);
    }
    return HALO_OK;
}

/* ---- one row --------------------------------------------------------------------------------------------- */

bool mean_row_takes(const MeanJob *job)
{
    return job->source.height == 1 && job->all && job->window.height > 1 && job->window.height <= equal_most &&
           bordered_by_itself(job->source);
}

/* Horizontal sums, rounded as for the vertical pass, which would multiply them by the height, exactly, and
 * divide by it. */
MeanJob mean_row(const MeanJob *job)
{
    MeanJob line = *job;
    const double scale = halo_mean_scale(job->window.width);
    line.window.height = 1;
    line.target.rounding = 1.0 / scale;
    line.target.finish.scale = 1.0;
    line.target.finish.count = (double)job->window.width / scale;
    line.target.finish.inverse = 1.0 / line.target.finish.count;
    return line;
}
