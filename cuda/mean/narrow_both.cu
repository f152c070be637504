/* Both passes over pictures of few columns as one: a block has whole rows, so that what lies between the passes
 * stays in its shared memory. It makes the sums along all lines that its windows hold, some lines at a time,
 * then those down the columns. */
#include "down_put.cuh"
#include "narrow.cuh"

static const int both_threads = 256;
static const int both_tile = 17408;   /* bytes of the lines that are staged at a time, about */
static const int both_shared = 75776; /* bytes of a block, at most: three are resident */

struct MeanBoth {
    MeanNarrow narrow; /* its lines are those staged at a time */
    MeanDown down;
    int rows, totals; /* of outputs of a block: whole runs; of totals of runs, behind each other */
};

/* ---- down columns ---------------------------------------------------------------------------------------- */

/* Of the runs that lie between those which windows begin and end in. */
template <int Run>
__device__ __forceinline__ static void make_totals(const MeanBoth &a, const float *sums, double *totals)
{
    const int n = a.narrow.outputs, pitch = a.narrow.sums_pitch;
    for (int i = (int)threadIdx.x; i < a.totals * n; i += both_threads) {
        const int run = i / n, e = i - run * n;
        const float *const from = sums + (run + 1) * Run * pitch + e;
        double total = (double)from[0];
#pragma unroll 8
        for (int k = 1; k < Run; k++) total = total + (double)from[k * pitch];
        totals[i] = total;
    }
    __syncthreads();
}

/* The outputs of one element that begin in run j of the block, whose first has this position. */
template <int Run>
__device__ __forceinline__ static void sum_down(const MeanBoth &a, const float *sums, const double *totals,
                                                int64_t position, int j, int e, unsigned *clipped)
{
    const MeanDown &d = a.down;
    const int n = a.narrow.outputs, pitch = a.narrow.sums_pitch;
    const int ahead = (int)((d.window - 1) / Run), offset = (int)((d.window - 1) % Run);
    const int64_t begins = position + j * Run;
    const int from = (int)cuda_max(0, d.first - begins), upto = (int)cuda_min(Run, d.first + d.count - begins);
    const float *const starts = sums + j * Run * pitch + e, *const ends = starts + ahead * Run * pitch;
    const auto between = [&](int runs) {
        if (runs < 1) return HALO_MEAN_NOTHING;
        return mean_window((int)(begins / Run) + 1, runs, [&](int i) { return totals[(j + i) * n + e]; });
    };
    if (upto <= 0) return;
    double end = mean_ahead<Run>(offset, [&](int i) { return (double)ends[i * pitch]; });
    const double less = between(ahead - 1),
                 more = ahead == 1 || offset == 0 || upto <= Run - offset ? HALO_MEAN_NOTHING : between(ahead);
    auto put = down_put(d, begins, e, from, upto, clipped);
    mean_run_sums<Run>(
        offset, ahead == 1, less, more, [&](int k) { return (double)starts[k * pitch]; },
        [&](int k) { return (double)ends[(offset + k) * pitch]; }, &end,
        [&](int k, const auto &sum) { put(d, k, sum); }, upto);
}

template <int Run, typename V>
__global__ static void __launch_bounds__(both_threads, 3) both_kernel(const __grid_constant__ MeanBoth a)
{
    CUDA_SHARED(double, totals);
    const MeanDown &d = a.down;
    const MeanNarrow &narrow = a.narrow;
    const int64_t position = d.first / Run * Run + (int64_t)blockIdx.x * a.rows;
    const int first = (int)cuda_max(0, d.first - position), height = a.rows + (int)d.window - 1;
    const int end = (int)cuda_min(height, d.first + d.count + d.window - 1 - position);
    float *const sums = reinterpret_cast<float *>(totals + a.totals * narrow.outputs);
    float *const tile = sums + height * narrow.sums_pitch;
    int *const place = reinterpret_cast<int *>(tile + narrow.lines * narrow.pitch);
    unsigned clipped = 0;
    find_positions<Run>(narrow, place);
#pragma unroll 1
    for (int line = first; line < end; line += narrow.lines) {
        const int lines = min(narrow.lines, end - line);
        cuda_typed(narrow.along.source.dtype,
                   [&](auto zero) { stage_lines<decltype(zero)>(narrow, position + line, lines, tile); });
        __syncthreads();
        sum_lines<Run, V>(narrow, place, tile, lines, sums + line * narrow.sums_pitch);
        __syncthreads();
    }
    if (a.totals > 0) make_totals<Run>(a, sums, totals);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < a.rows / Run * narrow.outputs; i += both_threads) {
        const int j = i / narrow.outputs;
        sum_down<Run>(a, sums, totals, position, j, i - j * narrow.outputs, &clipped);
    }
    cuda_count_clipped(d.target.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------- */

static int64_t shared_of(const MeanBoth *a)
{
    const MeanNarrow &n = a->narrow;
    const int64_t height = a->rows + a->down.window - 1;
    return a->totals * n.outputs * (int64_t)sizeof(double) +
           (height * n.sums_pitch + n.lines * n.pitch + n.positions) * (int64_t)sizeof(float);
}

static MeanBoth both_of(const MeanJob *job)
{
    MeanBoth a = {};
    MeanAlong along = {};
    const int64_t height = job->window.height, run = halo_mean_run(height);
    along.source = job->source;
    along.window = job->window.width;
    along.x = job->x;
    along.cols = job->cols;
    along.target.between = true;
    along.target.finish.count = halo_mean_scale(job->window.width);
    along.target.finish.inverse = 1.0 / along.target.finish.count;
    a.narrow = narrow_of(&along, (int)run);
    a.narrow.lines =
        (int)cuda_max(1, cuda_min(both_threads, both_tile / (a.narrow.pitch * (int)sizeof(float))));
    a.down.window = height;
    a.down.rows.n = job->n;
    a.down.first = job->y;
    a.down.count = job->rows;
    a.down.target = job->target;
    /* Some outputs for each thread, and few more lines for windows beyond them; but a block for each
     * multiprocessor. */
    const int64_t rows =
        cuda_max(2 * both_threads * cuda_min(run, HALO_MEAN_RUN / 2) / job->n, 3 * (height - 1));
    a.rows =
        (int)(cuda_ceil_div(
                  cuda_min(rows, cuda_ceil_div(job->rows, job->device->properties.multiProcessorCount)), run) *
              run);
    a.totals = (height - 1) / run > 1 ? (int)(a.rows / run + (height - 1) / run - 1) : 0;
    return a;
}

bool mean_both_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const int64_t run = halo_mean_run(w.height);
    if (w.height < 2 || halo_mean_run(w.width) != run || w.height > job->rows ||
        (cuda_max(w.width, w.height) - 1) / run > mean_few)
        return false;
    if (!mean_narrow_suits(&job->source, job->cols, job->rows)) return false;
    const MeanBoth a = both_of(job);
    return shared_of(&a) <= cuda_min(both_shared, (int64_t)job->device->shared_most);
}

template <int Run> static HaloStatus launch(HaloDevice *device, const MeanBoth *a)
{
    const int64_t height = a->down.first + a->down.count - a->down.first / Run * Run;
    auto kernel = both_kernel<Run, double>;
    if constexpr (Run == HALO_MEAN_RUN)
        if (narrow_exact<Run>(&a->narrow.along)) kernel = both_kernel<Run, float>;
    CUDA_LAUNCH(device, kernel, cuda_ceil_div(height, a->rows), both_threads, (int)shared_of(a), *a);
    return HALO_OK;
}

HaloStatus mean_both(const MeanJob *job)
{
    const MeanBoth a = both_of(job);
    return mean_by_run(job->window.height,
                       [&](auto run) { return launch<decltype(run)::value>(job->device, &a); });
}
