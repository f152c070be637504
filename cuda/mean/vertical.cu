/* Vertical sums. A thread computes the outputs of one element, run after run: suffix sums are in registers,
 * prefix sums accumulate on the way. */
#include "vertical_store.cuh"

static const int vertical_threads = 128;

/* The row of a position. */
template <typename In> CUDA_INLINE const In *row_at(const MeanRows &rows, int64_t position)
{
    const int64_t at = position - rows.base;
    return (const In *)rows.data + (at < rows.ring ? at : at - rows.ring) * rows.n;
}

/* The element and the piece of a column of a thread: neighbours take neighbouring elements. */
struct VerticalPlace {
    int64_t e, piece;
};

CUDA_INLINE VerticalPlace vertical_place(int64_t n)
{
    const int64_t thread = (int64_t)blockIdx.x * vertical_threads + threadIdx.x;
    const int64_t piece = thread <= INT32_MAX && n <= INT32_MAX ? (int)thread / (int)n : thread / n;
    return {thread - piece * n, piece};
}

template <typename In>
__global__ static void __launch_bounds__(vertical_threads)
    totals_kernel(const __grid_constant__ MeanRows rows, int size, int64_t first, int64_t runs,
                  const __grid_constant__ MeanRows totals)
{
    const VerticalPlace p = vertical_place(rows.n);
    if (p.piece >= runs) return;
    const In *from = row_at<In>(rows, (first + p.piece) * size) + p.e;
    double total = (double)*from;
#pragma unroll 8
    for (int k = 1; k < size; k++) total = total + (double)*(from += rows.n);
    ((double *)row_at<double>(totals, first + p.piece))[p.e] = total;
}

/* The sum of `window` totals of runs after `run`. */
CUDA_INLINE double sum_between(const MeanBetween &b, int64_t run, int64_t window, int64_t e, int later)
{
    if (window == 0) return HALO_MEAN_NOTHING;
    if (b.sums[0] != NULL) return b.sums[later][(run + 1 - b.base) * b.totals.n + e];
    const double *const totals = (const double *)b.totals.data + e;
    const int ring = (int)b.totals.ring, first = (int)(run + 1 - b.totals.base);
    return mean_window((int)(run + 1), (int)window, [&](int i) {
        const int at = first + i;
        return totals[(at < ring ? at : at - ring) * b.totals.n];
    });
}

/* The outputs of one element that begin in a few neighbouring runs. */
template <typename In, int Run>
CUDA_INLINE void sum_runs(const MeanVertical &a, int64_t run, int64_t last, int64_t e, unsigned *clipped)
{
    const int64_t n = a.rows.n, ahead = (a.window - 1) / Run;
    const int offset = (int)((a.window - 1) % Run), wrap = Run - offset;
    double end = HALO_MEAN_NOTHING;
#pragma unroll 1
    for (bool begins = true; run <= last; run++, begins = false) {
        const int from = (int)cuda_max(0, a.first - run * Run),
                  upto = (int)cuda_min(Run, a.first + a.count - run * Run);
        const In *const starts = row_at<In>(a.rows, run * Run) + e;
        const In *const ends = row_at<In>(a.rows, (run + ahead) * Run) + e;
        const In *const here = ends + offset * n;
        const In *const later = row_at<In>(a.rows, (run + ahead + 1) * Run) + e - wrap * n;
        auto put = vertical_store(a, run * Run, e, from, upto, clipped);
        if (begins || offset == 0)
            end = mean_ahead<Run>(offset, [&](int i) { return (double)__ldg(ends + i * n); });
        const double less = sum_between(a.between, run, ahead - 1, e, 0);
        const double more =
            ahead == 1 || upto <= wrap ? HALO_MEAN_NOTHING : sum_between(a.between, run, ahead, e, 1);
        mean_run_sums<Run>(
            offset, ahead == 1, less, more,
            [&](int k) { return k >= from ? (double)__ldg(starts + k * n) : 0.0; },
            [&](int k) { return k < upto ? (double)__ldg((k < wrap ? here : later) + k * n) : 0.0; }, &end,
            [&](int k, const auto &sum) { put(a, k, sum); });
    }
}

/* Runs of a thread. */
template <int Run> static constexpr int vertical_runs = Run < HALO_MEAN_RUN ? 64 / Run : 2;

template <typename In, int Run>
__global__ static void __launch_bounds__(vertical_threads, Run == HALO_MEAN_RUN ? 4 : 1)
    vertical_kernel(const __grid_constant__ MeanVertical a)
{
    const VerticalPlace p = vertical_place(a.rows.n);
    const int64_t run = a.first / Run + p.piece * vertical_runs<Run>;
    const int64_t last = cuda_min(run + vertical_runs<Run> - 1, (a.first + a.count - 1) / Run);
    unsigned clipped = 0;
    sum_runs<In, Run>(a, run, last, p.e, &clipped);
    cuda_count_clipped(a.target.clipped, clipped);
}

/* ---- through shared memory ------------------------------------------------------------------------------- */

/* Rows of outputs of a block: complete runs. */
static const int tile_rows = HALO_MEAN_RUN;
static const int tile_least = 8; /* elements of a row: a sector of memory */

/* How far the first row of window ends is behind the first row of outputs; and the number of rows of a block,
 * of both. */
__host__ CUDA_INLINE int tile_ahead(int64_t window, int run)
{
    return (int)cuda_min(tile_rows, (window - 1) / run * run);
}

__host__ CUDA_INLINE int tile_height(int64_t window, int run)
{
    return tile_ahead(window, run) + (int)((window - 1) % run) + tile_rows;
}

/* Threads of a row: complete blocks; a block takes several short rows. */
__host__ CUDA_INLINE int64_t tile_across(int64_t n)
{
    return n < vertical_threads ? n : cuda_ceil_div(n, vertical_threads) * vertical_threads;
}

/* The same for rows of floats: a thread loads all that it needs of its element at once, and waits once. */
template <int Run>
__global__ static void __launch_bounds__(vertical_threads, 6)
    tile_kernel(const __grid_constant__ MeanVertical a)
{
    CUDA_SHARED(float, tile);
    const VerticalPlace p = vertical_place(tile_across(a.rows.n));
    const int64_t n = a.rows.n, e = p.e;
    const int64_t first = (a.first / tile_rows + p.piece) * tile_rows,
                  needed = a.first + a.count + a.window - 1;
    const int64_t ahead = (a.window - 1) / Run;
    const int offset = (int)((a.window - 1) % Run), behind = tile_ahead(a.window, Run);
    float *const starts = tile + threadIdx.x, *const ends = starts + behind * vertical_threads;
    unsigned clipped = 0;
    if (e < n) {
        const auto fetch = [&](float *to, int64_t position, int rows) {
            const int low = (int)cuda_max(0, a.first - position), high = (int)cuda_min(rows, needed - position);
            for (int i = 0; i < high; i += Run, to += Run * vertical_threads) {
                const float *from = row_at<float>(a.rows, position + i) + e;
                if (i >= low && i + Run <= high)
#pragma unroll
                    for (int k = 0; k < Run; k++, from += n) mean_fetch(to + k * vertical_threads, from);
                else
                    for (int k = 0; k < Run; k++, from += n)
                        if (i + k >= low && i + k < high) mean_fetch(to + k * vertical_threads, from);
            }
        };
        fetch(starts, first, behind);
        fetch(ends, first + ahead * Run, tile_height(a.window, Run) - behind);
        mean_fetched();
#pragma unroll 1
        for (int r = 0; r < tile_rows; r += Run) {
            const int64_t position = first + r;
            const int from = (int)cuda_max(0, a.first - position),
                      upto = (int)cuda_min(Run, a.first + a.count - position);
            if (from >= Run || upto <= 0) continue;
            const float *const here = starts + r * vertical_threads, *const there = ends + r * vertical_threads;
            double end = mean_ahead<Run>(offset, [&](int i) { return (double)there[i * vertical_threads]; });
            const double less = sum_between(a.between, position / Run, ahead - 1, e, 0);
            const double more = ahead == 1 || upto + offset <= Run
                                    ? HALO_MEAN_NOTHING
                                    : sum_between(a.between, position / Run, ahead, e, 1);
            auto put = vertical_store(a, position, e, from, upto, &clipped);
            mean_run_sums<Run>(
                offset, ahead == 1, less, more, [&](int k) { return (double)here[k * vertical_threads]; },
                [&](int k) { return (double)there[(offset + k) * vertical_threads]; }, &end,
                [&](int k, const auto &sum) { put(a, k, sum); });
        }
    }
    cuda_count_clipped(a.target.clipped, clipped);
}

static int64_t blocks_of(int64_t n, int64_t pieces) { return cuda_ceil_div(n * pieces, vertical_threads); }

template <int Run> static HaloStatus launch_tiles(HaloDevice *device, const MeanVertical *a)
{
    const int64_t tiles = (a->first + a->count - 1) / tile_rows - a->first / tile_rows + 1;
    CUDA_LAUNCH(device, tile_kernel<Run>, blocks_of(tile_across(a->rows.n), tiles), vertical_threads,
                tile_height(a->window, Run) * vertical_threads * (int)sizeof(float), *a);
    return HALO_OK;
}

/* ---- launching ------------------------------------------------------------------------------------------- */

template <typename In, int Run> static HaloStatus launch(HaloDevice *device, const MeanVertical *args)
{
    const int64_t runs = (args->first + args->count - 1) / Run - args->first / Run + 1;
    MeanVertical a = *args;
    a.rows = mean_rebased(a.rows, a.first / Run * Run);
    if (a.between.totals.ring > 0) a.between.totals = mean_rebased(a.between.totals, a.first / Run + 1);
    if (std::is_same<In, float>::value && a.rows.n >= tile_least) return launch_tiles<Run>(device, &a);
    CUDA_LAUNCH(device, (vertical_kernel<In, Run>),
                blocks_of(a.rows.n, cuda_ceil_div(runs, vertical_runs<Run>)), vertical_threads, 0, a);
    return HALO_OK;
}

template <typename In> static HaloStatus launch_run(HaloDevice *device, const MeanVertical *args)
{
    return mean_by_run(args->window, [&](auto run) { return launch<In, decltype(run)::value>(device, args); });
}

HaloStatus mean_vertical(HaloDevice *device, const MeanVertical *args, bool doubles)
{
    return doubles ? launch_run<double>(device, args) : launch_run<float>(device, args);
}

HaloStatus mean_vertical_totals(HaloDevice *device, const MeanRows *rows, bool doubles, int64_t run,
                                int64_t first, int64_t runs, const MeanRows *totals)
{
    if (runs < 1) return HALO_OK;
    const MeanRows from = mean_rebased(*rows, first * run), to = mean_rebased(*totals, first);
    if (doubles)
        CUDA_LAUNCH(device, totals_kernel<double>, blocks_of(rows->n, runs), vertical_threads, 0, from,
                    (int)run, first, runs, to);
    else
        CUDA_LAUNCH(device, totals_kernel<float>, blocks_of(rows->n, runs), vertical_threads, 0, from, (int)run,
                    first, runs, to);
    return HALO_OK;
}

/* ---- counts per window ----------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(vertical_threads)
    counted_kernel(const __grid_constant__ MeanTarget t, const double *sums, int64_t first, int64_t count,
                   int64_t n)
{
    const VerticalPlace p = vertical_place(n);
    unsigned clipped = 0;
    if (p.piece < count) {
        const int64_t row = first + p.piece;
        const float mean =
            mean_counted(sums[p.piece * n + p.e], t.finish, t.finish.counts[(row - t.first) * n + p.e]);
        cuda_typed(t.dtype, [&](auto zero) {
            using D = decltype(zero);
            ((D *)(t.data + (row - t.base) * t.stride))[p.e] = cuda_sample<D>(mean, t.store, &clipped);
        });
    }
    cuda_count_clipped(t.clipped, clipped);
}

HaloStatus mean_vertical_counted(HaloDevice *device, const MeanTarget *target, const double *sums,
                                 int64_t first, int64_t count, int64_t n)
{
    CUDA_LAUNCH(device, counted_kernel, blocks_of(n, count), vertical_threads, 0, *target, sums, first, count,
                n);
    return HALO_OK;
}
