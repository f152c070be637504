/* Variances of windows: sums of samples and of their squares, each by both passes, then both together. In bands
 * of rows, since sums take more memory than the results. */
#include "mean.cuh"

/* Bytes of both sums. */
static const int64_t sums_bytes = (int64_t)192 << 20;

struct Deviations {
    const double *sums, *squares, *counts; /* [rows][n]; NULL: the same count in all windows */
    double count;
    int64_t first, rows, n; /* the first row's position */
    bool root;
    MeanTarget target;
};

__global__ static void __launch_bounds__(mean_threads) deviation_kernel(const __grid_constant__ Deviations d)
{
    const int64_t i = (int64_t)blockIdx.x * mean_threads + threadIdx.x;
    unsigned clipped = 0;
    if (i < d.rows * d.n) {
        const int64_t row = i / d.n;
        const double count = d.counts == NULL ? d.count : d.counts[i];
        const double variance = halo_variance(d.sums[i], d.squares[i], count);
        const float made = count == 0.0 ? halo_canonical(NAN) : (float)(d.root ? sqrt(variance) : variance);
        cuda_typed(d.target.dtype, [&](auto zero) {
            using D = decltype(zero);
            D *const to = (D *)(d.target.data + (d.first + row - d.target.base) * d.target.stride);
            to[i - row * d.n] = cuda_sample<D>(made, d.target.store, &clipped);
        });
    }
    cuda_count_clipped(d.target.clipped, clipped);
}

static HaloStatus some_rows(const MeanJob *job, bool numbers, bool root)
{
    const int64_t used = job->workspace->used;
    MeanSource source = job->source;
    Deviations d = {};
    if (numbers) {
        source.counts = true;
        CUDA_PASS(mean_sums(job, &source, &d.counts));
        source.counts = false;
        source.ignores = true;
    }
    CUDA_PASS(mean_sums(job, &source, &d.sums));
    source.squares = true;
    CUDA_PASS(mean_sums(job, &source, &d.squares));
    d.count = (double)job->window.width * (double)job->window.height;
    d.first = job->y;
    d.rows = job->rows;
    d.n = job->n;
    d.root = root;
    d.target = job->target;
    if (job->workspace->base != NULL)
        CUDA_LAUNCH(job->device, deviation_kernel, cuda_ceil_div(d.rows * d.n, mean_threads), mean_threads, 0,
                    d);
    job->workspace->used = used;
    return HALO_OK;
}

HaloStatus mean_deviations(const MeanJob *job, bool numbers, bool root)
{
    const int64_t fit = sums_bytes / (2 * job->n * (int64_t)sizeof(double));
    const int64_t rows =
        cuda_max(cuda_max(fit, 4 * job->window.height), 1); /* rows above the first are read again */
    MeanJob some = *job;
    for (int64_t y = job->y; y < job->y + job->rows; y += rows) {
        some.y = y;
        some.rows = cuda_min(rows, job->y + job->rows - y);
        CUDA_PASS(some_rows(&some, numbers, root));
    }
    return HALO_OK;
}
