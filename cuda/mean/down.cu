/* Sums down columns. A thread makes outputs of one element, run after run: their sums from the front lie in registers, and
 * those from the back grow on the way. */
#include "mean.cuh"

static const int down_threads = 128;

/* The row that a run begins at. */
template <typename In> __device__ __forceinline__ static const In *run_at(const MeanRows &rows, int64_t run, int64_t size)
{
    return (const In *)rows.data + (run * size - rows.base) % rows.ring * rows.n;
}

template <typename In>
__global__ static void __launch_bounds__(down_threads)
    totals_kernel(const __grid_constant__ MeanRows rows, int size, int64_t first, const __grid_constant__ MeanRows totals,
                  unsigned blocks)
{
    const int64_t e = (int64_t)(blockIdx.x % blocks) * down_threads + threadIdx.x, run = first + blockIdx.x / blocks;
    if (e >= rows.n) return;
    const In *from = run_at<In>(rows, run, size) + e;
    double total = (double)*from;
#pragma unroll 8
    for (int k = 1; k < size; k++) total = total + (double)*(from += rows.n);
    ((double *)totals.data)[(run - totals.base) % totals.ring * totals.n + e] = total;
}

/* Of `window` totals of runs behind `run`. */
__device__ __forceinline__ static double sum_between(const MeanBetween &b, int64_t run, int64_t window, int64_t e, int later)
{
    if (window == 0) return HALO_MEAN_NOTHING;
    if (b.sums[0] != NULL) return b.sums[later][(run + 1 - b.base) * b.totals.n + e];
    const double *const totals = (const double *)b.totals.data + e;
    const int ring = (int)b.totals.ring, first = (int)((run + 1 - b.totals.base) % ring);
    return mean_window(run + 1, (int)window, [&](int i) {
        const int at = first + i;
        return totals[(at < ring ? at : at - ring) * b.totals.n];
    });
}

/* Stores the sums of rows `from` to `upto` of a run whose row 0 is at `position`. */
template <int Run>
__device__ __forceinline__ static void put(const MeanDown &a, int64_t position, int64_t e, int from, int upto,
                                           const double sum[Run], unsigned *clipped)
{
    if (a.sums != NULL) {
        double *to = a.sums + (position - a.first) * a.rows.n + e;
#pragma unroll
        for (int k = 0; k < Run; k++, to += a.rows.n)
            if (k >= from && k < upto) *to = sum[k];
        return;
    }
    float mean[Run];
#pragma unroll
    for (int k = 0; k < Run; k++) mean[k] = mean_quotient(sum[k], a.target.finish);
    cuda_typed(a.target.dtype, [&](auto zero) {
        using D = decltype(zero);
        char *to = a.target.data + (position - a.target.base) * a.target.stride + e * (int64_t)sizeof(D);
#pragma unroll
        for (int k = 0; k < Run; k++, to += a.target.stride)
            if (k >= from && k < upto) *(D *)to = cuda_sample<D>(mean[k], a.target.store, clipped);
    });
}

/* Of one element, the outputs that begin in a few neighbouring runs. */
template <typename In, int Run>
__device__ __forceinline__ static void walk(const MeanDown &a, int64_t run, int64_t last, int64_t e, unsigned *clipped)
{
    const int64_t n = a.rows.n, ahead = (a.window - 1) / Run;
    const int offset = (int)((a.window - 1) % Run), turn = Run - offset;
    double end = HALO_MEAN_NOTHING;
#pragma unroll 1
    for (bool begins = true; run <= last; run++, begins = false) {
        const int from = (int)cuda_max(0, a.first - run * Run), upto = (int)cuda_min(Run, a.first + a.count - run * Run);
        const In *const starts = run_at<In>(a.rows, run, Run) + e, *const ends = run_at<In>(a.rows, run + ahead, Run) + e;
        const In *const here = ends + offset * n, *const later = run_at<In>(a.rows, run + ahead + 1, Run) + e - turn * n;
        double sum[Run];
        if (begins || offset == 0) end = mean_ahead<Run>(offset, [&](int i) { return (double)__ldg(ends + i * n); });
        const double less = sum_between(a.between, run, ahead - 1, e, 0);
        const double more = ahead == 1 || upto <= turn ? HALO_MEAN_NOTHING : sum_between(a.between, run, ahead, e, 1);
        mean_run_sums<Run>(
            offset, ahead == 1, less, more,
            [&](int k) { return k >= from ? (double)__ldg(starts + k * n) : 0.0; },
            [&](int k) { return k < upto ? (double)__ldg((k < turn ? here : later) + k * n) : 0.0; }, &end, sum);
        put<Run>(a, run * Run, e, from, upto, sum, clipped);
    }
}

/* Runs of a thread. */
static const int down_runs = 2;

template <typename In, int Run>
__global__ static void __launch_bounds__(down_threads, Run == HALO_MEAN_RUN ? 4 : 1)
    down_kernel(const __grid_constant__ MeanDown a, unsigned blocks)
{
    const int64_t e = (int64_t)(blockIdx.x % blocks) * down_threads + threadIdx.x;
    const int64_t run = a.first / Run + (int64_t)(blockIdx.x / blocks) * down_runs;
    const int64_t last = cuda_min(run + down_runs - 1, (a.first + a.count - 1) / Run);
    unsigned clipped = 0;
    if (e < a.rows.n) walk<In, Run>(a, run, last, e, &clipped);
    cuda_count(a.target.clipped, clipped);
}

template <typename In, int Run> static HaloStatus launch(HaloDevice *device, const MeanDown *args)
{
    const int64_t blocks = cuda_ceil_div(args->rows.n, down_threads);
    const int64_t runs = (args->first + args->count - 1) / Run - args->first / Run + 1;
    CUDA_LAUNCH(device, (down_kernel<In, Run>), blocks * cuda_ceil_div(runs, down_runs), down_threads, 0, *args,
                (unsigned)blocks);
    return HALO_OK;
}

template <typename In> static HaloStatus launch_run(HaloDevice *device, const MeanDown *args)
{
    switch (halo_mean_run(args->window)) {
    case 1: return launch<In, 1>(device, args);
    case 2: return launch<In, 2>(device, args);
    case 4: return launch<In, 4>(device, args);
    case 8: return launch<In, 8>(device, args);
    case 16: return launch<In, 16>(device, args);
    default: return launch<In, HALO_MEAN_RUN>(device, args);
    }
}

HaloStatus mean_down(HaloDevice *device, const MeanDown *args, bool doubles)
{
    return doubles ? launch_run<double>(device, args) : launch_run<float>(device, args);
}

HaloStatus mean_down_totals(HaloDevice *device, const MeanRows *rows, bool doubles, int64_t run, int64_t first,
                            int64_t runs, const MeanRows *totals)
{
    const int64_t blocks = cuda_ceil_div(rows->n, down_threads);
    if (runs < 1) return HALO_OK;
    if (doubles)
        CUDA_LAUNCH(device, totals_kernel<double>, blocks * runs, down_threads, 0, *rows, (int)run, first, *totals,
                    (unsigned)blocks);
    else
        CUDA_LAUNCH(device, totals_kernel<float>, blocks * runs, down_threads, 0, *rows, (int)run, first, *totals,
                    (unsigned)blocks);
    return HALO_OK;
}

/* ---- counts of their own ------------------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(down_threads)
    counted_kernel(const __grid_constant__ MeanTarget t, const double *sums, int64_t first, int64_t n, unsigned blocks)
{
    const int64_t e = (int64_t)(blockIdx.x % blocks) * down_threads + threadIdx.x, row = blockIdx.x / blocks;
    unsigned clipped = 0;
    if (e < n) {
        const float mean = mean_counted(sums[row * n + e], t.finish, t.finish.counts[(first + row - t.first) * n + e]);
        char *const to = t.data + (first + row - t.base) * t.stride;
        cuda_typed(t.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)to)[e] = cuda_sample<D>(mean, t.store, &clipped);
        });
    }
    cuda_count(t.clipped, clipped);
}

HaloStatus mean_down_counted(HaloDevice *device, const MeanTarget *target, const double *sums, int64_t first, int64_t count,
                             int64_t n)
{
    const int64_t blocks = cuda_ceil_div(n, down_threads);
    CUDA_LAUNCH(device, counted_kernel, blocks * count, down_threads, 0, *target, sums, first, n, (unsigned)blocks);
    return HALO_OK;
}
