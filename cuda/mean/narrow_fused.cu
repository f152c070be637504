/* Both passes over narrow images in one: a block has complete rows, so that the intermediate rows stay in its
 * shared memory. It computes the horizontal sums of all lines under its windows, several lines at a time, then
 * the vertical sums. */
#include "narrow.cuh"
#include "vertical_store.cuh"

static const int fused_threads = 256;
static const int fused_tile = 17408;   /* bytes of the lines staged at a time, about */
static const int fused_shared = 75776; /* bytes of a block, at most: three are resident */

struct MeanNarrowFused {
    MeanNarrow narrow; /* its lines: those staged at a time */
    MeanVertical vertical;
    int rows, totals; /* of a block: rows of outputs, complete runs; totals of successive runs */
};

/* ---- vertical sums --------------------------------------------------------------------------------------- */

/* The totals of the runs between those in which windows begin and end. */
template <int Run> CUDA_INLINE void make_totals(const MeanNarrowFused &a, const float *sums, double *totals)
{
    const int n = a.narrow.outputs, pitch = a.narrow.sums_pitch;
    for (int i = (int)threadIdx.x; i < a.totals * n; i += fused_threads) {
        const int run = i / n, e = i - run * n;
        const float *const from = sums + (run + 1) * Run * pitch + e;
        double total = (double)from[0];
#pragma unroll 8
        for (int k = 1; k < Run; k++) total = total + (double)from[k * pitch];
        totals[i] = total;
    }
    __syncthreads();
}

/* The outputs of one element that begin in run j of the block, whose first run is at this position. */
template <int Run>
CUDA_INLINE void sum_vertical(const MeanNarrowFused &a, const float *sums, const double *totals,
                              int64_t position, int j, int e, unsigned *clipped)
{
    const MeanVertical &d = a.vertical;
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
    auto put = vertical_store(d, begins, e, from, upto, clipped);
    mean_run_sums<Run>(
        offset, ahead == 1, less, more, [&](int k) { return (double)starts[k * pitch]; },
        [&](int k) { return (double)ends[(offset + k) * pitch]; }, &end,
        [&](int k, const auto &sum) { put(d, k, sum); }, upto);
}

template <int Run, typename V>
__global__ static void __launch_bounds__(fused_threads, 3)
    fused_kernel(const __grid_constant__ MeanNarrowFused a)
{
    CUDA_SHARED(double, totals);
    const MeanVertical &d = a.vertical;
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
        cuda_typed(narrow.horizontal.source.dtype,
                   [&](auto zero) { stage_lines<decltype(zero)>(narrow, position + line, lines, tile); });
        __syncthreads();
        sum_lines<Run, V>(narrow, place, tile, lines, sums + line * narrow.sums_pitch);
        __syncthreads();
    }
    if (a.totals > 0) make_totals<Run>(a, sums, totals);
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < a.rows / Run * narrow.outputs; i += fused_threads) {
        const int j = i / narrow.outputs;
        sum_vertical<Run>(a, sums, totals, position, j, i - j * narrow.outputs, &clipped);
    }
    cuda_count_clipped(d.target.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------- */

static int64_t shared_of(const MeanNarrowFused *a)
{
    const MeanNarrow &n = a->narrow;
    const int64_t height = a->rows + a->vertical.window - 1;
    return a->totals * n.outputs * (int64_t)sizeof(double) +
           (height * n.sums_pitch + n.lines * n.pitch + n.positions) * (int64_t)sizeof(float);
}

static MeanNarrowFused fused_of(const MeanJob *job)
{
    MeanNarrowFused a = {};
    MeanHorizontal horizontal = {};
    const int64_t height = job->window.height, run = halo_mean_run(height);
    horizontal.source = job->source;
    horizontal.window = job->window.width;
    horizontal.x = job->x;
    horizontal.cols = job->cols;
    horizontal.target.between = true;
    horizontal.target.finish.count = halo_mean_scale(job->window.width);
    horizontal.target.finish.inverse = 1.0 / horizontal.target.finish.count;
    a.narrow = narrow_of(&horizontal, (int)run);
    a.narrow.lines =
        (int)cuda_max(1, cuda_min(fused_threads, fused_tile / (a.narrow.pitch * (int)sizeof(float))));
    a.vertical.window = height;
    a.vertical.rows.n = job->n;
    a.vertical.first = job->y;
    a.vertical.count = job->rows;
    a.vertical.target = job->target;
    /* Several outputs per thread, and few extra lines for the windows; but a block for each multiprocessor. */
    const int64_t rows =
        cuda_max(2 * fused_threads * cuda_min(run, HALO_MEAN_RUN / 2) / job->n, 3 * (height - 1));
    a.rows =
        (int)(cuda_ceil_div(
                  cuda_min(rows, cuda_ceil_div(job->rows, job->device->properties.multiProcessorCount)), run) *
              run);
    a.totals = (height - 1) / run > 1 ? (int)(a.rows / run + (height - 1) / run - 1) : 0;
    return a;
}

bool mean_narrow_fused_takes(const MeanJob *job)
{
    const HaloWindow &w = job->window;
    const int64_t run = halo_mean_run(w.height);
    if (w.height < 2 || halo_mean_run(w.width) != run || w.height > job->rows ||
        (cuda_max(w.width, w.height) - 1) / run > mean_totals_most)
        return false;
    if (!mean_narrow_suits(&job->source, job->cols, job->rows)) return false;
    const MeanNarrowFused a = fused_of(job);
    return shared_of(&a) <= cuda_min(fused_shared, (int64_t)job->device->shared_most);
}

template <int Run> static HaloStatus launch(HaloDevice *device, const MeanNarrowFused *a)
{
    const int64_t height = a->vertical.first + a->vertical.count - a->vertical.first / Run * Run;
    auto kernel = fused_kernel<Run, double>;
    if constexpr (Run == HALO_MEAN_RUN)
        if (narrow_exact<Run>(&a->narrow.horizontal)) kernel = fused_kernel<Run, float>;
    CUDA_LAUNCH(device, kernel, cuda_ceil_div(height, a->rows), fused_threads, (int)shared_of(a), *a);
    return HALO_OK;
}

HaloStatus mean_narrow_fused(const MeanJob *job)
{
    const MeanNarrowFused a = fused_of(job);
    return mean_by_run(job->window.height,
                       [&](auto run) { return launch<decltype(run)::value>(job->device, &a); });
}
