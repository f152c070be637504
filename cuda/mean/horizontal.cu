/* Horizontal sums. A block stages segments of several lines in shared memory, as f32; a thread computes the
 * outputs that begin in one run of a line. Results go through shared memory too, so that rows are stored
 * contiguously: means, or sums. */
#include "horizontal_lines.cuh"

/* Do a thread's means overwrite its samples? It then has one run, and keeps its means until all samples are
 * read. */
__host__ __device__ constexpr static bool in_place(int run, bool doubles)
{
    return run == HALO_MEAN_RUN && !doubles;
}

/* ---- storing --------------------------------------------------------------------------------------------- */

template <int Run>
CUDA_INLINE void store_typed(const MeanHorizontal &a, const Block &b, int count, const double *sums)
{
    const MeanTarget &t = a.target;
    unsigned clipped = 0;
    if (t.dtype == HALO_F64) {
        store_planes<Run, double, 8>(a, b, count, sums, [](double sum, int64_t) { return sum; });
        return;
    }
    cuda_typed(t.dtype, [&](auto zero) {
        using D = decltype(zero);
        store_planes<Run, D, 2>(a, b, count, sums, [&](double sum, int64_t at) {
            return cuda_sample<D>(mean_counted(sum, t.finish, t.finish.counts[at]), t.store, &clipped);
        });
    });
    cuda_count_clipped(t.clipped, clipped);
}

/* Applies the target's scale. A separate pass, since it is rare. */
CUDA_INLINE void rescale(const MeanHorizontal &a, const Block &b, float *means)
{
    const HaloStore store = a.target.store;
    if (store.num == 1.0f && store.den == 1.0f) return;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < b.lines * a.planes * a.sums_pitch; i += mean_threads)
        means[i] = cuda_rescale(means[i], store);
    __syncthreads();
}

template <int Run>
CUDA_INLINE void store_typed(const MeanHorizontal &a, const Block &b, int count, float *means)
{
    const MeanTarget &t = a.target;
    unsigned clipped = 0;
    if (t.between) { /* for the vertical pass */
        store_planes<Run, float, 8>(a, b, count, means, [](float mean, int64_t) { return mean; });
        return;
    }
    rescale(a, b, means);
    cuda_typed(t.dtype, [&](auto zero) {
        using D = decltype(zero);
        store_planes<Run, D, 8>(a, b, count, means, [&](float mean, int64_t) {
            return cuda_sample<D>(mean, {1.0f, 1.0f}, &clipped);
        });
    });
    cuda_count_clipped(t.clipped, clipped);
}

/* ---- totals ---------------------------------------------------------------------------------------------- */

/* Of the runs of a long line, for windows that exceed shared memory. */
__global__ static void __launch_bounds__(mean_threads)
    totals_kernel(const __grid_constant__ MeanHorizontal a, int64_t first, int64_t runs, double *totals)
{
    CUDA_SHARED(float, tile);
    const int threads = mean_threads / (a.planes * a.rows);
    const int line = (int)threadIdx.x / threads;
    Block b = block_of(a, HALO_MEAN_RUN);
    const int64_t begins =
        blockIdx.x / (a.source.channels / a.planes) % a.segments * a.runs; /* counted from `first` */
    b.x = (first + begins) * HALO_MEAN_RUN;
    stage_typed<HALO_MEAN_RUN>(a, b, b.x, a.runs * HALO_MEAN_RUN, 0, tile);
    mean_fetched();
    __syncthreads();
    if (line >= b.lines * a.planes) return;
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    for (int j = (int)threadIdx.x % threads; j < a.runs && begins + j < runs; j += threads) {
        const float *const samples = tile + line * a.pitch + j * (HALO_MEAN_RUN + 1);
        double total = term(a, samples[0]);
#pragma unroll 8
        for (int k = 1; k < HALO_MEAN_RUN; k++) total = total + term(a, samples[k]);
        totals[(begins + j) * a.lines * a.source.channels + element] = total;
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* The sums of the windows that begin in run j of a segment; `element` of a line. */
template <int Run, bool Doubles, typename Put>
CUDA_INLINE void sum_run(const MeanHorizontal &a, const float *samples, const double *totals, int64_t run,
                         int j, int64_t element, int upto, Put put)
{
    const int ahead = (int)((a.window - 1) / Run), offset = (int)((a.window - 1) % Run), wrap = Run - offset;
    const float *const starts = samples + j * (Run + 1);
    const float *const ends = samples + (a.apart ? a.runs + j : j + ahead) * (Run + 1);
    const float *const here = ends + offset;
    const auto between = [&](int more) {
        const int window = ahead - 1 + more;
        if (window < 1 || (more && offset == 0)) return HALO_MEAN_NOTHING;
        if (a.apart) return a.between.sums[more][(run + 1 - a.between.base) * a.between.totals.n + element];
        return mean_window((int)(run + 1), window, [&](int i) { return totals[j + 1 + i]; });
    };
    const auto value = [&](float sample) { return Doubles ? term(a, sample) : (double)sample; };
    double end = mean_ahead<Run>(offset, [&](int i) { return value(ends[i]); });
    const double less = between(0), more = ahead == 1 || upto <= wrap ? HALO_MEAN_NOTHING : between(1);
    mean_run_sums<Run>(
        offset, ahead == 1, less, more, [&](int k) { return value(starts[k]); },
        [&](int k) { return value((k < wrap ? here : here + 1)[k]); }, &end, put);
}

/* Doubles: sums; else means, or scaled sums between the passes. */
template <int Run, bool Doubles>
__global__ static void __launch_bounds__(mean_threads, 6)
    horizontal_kernel(const __grid_constant__ MeanHorizontal a)
{
    typedef typename std::conditional<Doubles, double, float>::type Made;
    CUDA_SHARED(double, totals_of_lines);
    const int lines = a.planes * a.rows, threads = mean_threads / lines; /* of a line */
    const int line = (int)threadIdx.x / threads, first = (int)threadIdx.x % threads, segment = a.runs * Run;
    const int ahead = (int)((a.window - 1) / Run), held = a.apart || ahead < 2 ? 0 : a.runs + ahead + 1;
    const Block b = block_of(a, Run);
    const bool works = line < b.lines * a.planes;
    double *const totals = totals_of_lines + line * held;
    Made *const other = reinterpret_cast<Made *>(totals_of_lines + lines * held);
    float *const tile = reinterpret_cast<float *>(other + (in_place(Run, Doubles) ? 0 : lines * a.sums_pitch));
    Made *const sums = in_place(Run, Doubles) ? reinterpret_cast<Made *>(tile) : other;
    const float *const samples = tile + line * a.pitch;
#pragma unroll 1
    for (int end = 0; end <= a.apart; end++)
        stage_typed<Run>(a, b, b.x + (int64_t)end * ahead * Run,
                         end       ? segment + Run
                         : a.apart ? segment
                                   : segment + (int)a.window - 1,
                         end * segment, tile);
    mean_fetched();
    __syncthreads();
    if (held > 0) {
        for (int r = first; works && r < a.runs + ahead; r += threads) {
            const auto value = [&](float sample) { return Doubles ? term(a, sample) : (double)sample; };
            double total = value(samples[r * (Run + 1)]);
#pragma unroll
            for (int k = 1; k < Run; k++) total = total + value(samples[r * (Run + 1) + k]);
            totals[r] = total;
        }
        __syncthreads();
    }
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    Made kept[in_place(Run, Doubles) ? Run : 1];
#pragma unroll 1
    for (int j = first; works && j < a.runs; j += threads) { /* a single iteration when in place */
        const int64_t run = b.x / Run + j;
        const int upto = (int)cuda_max(0, cuda_min(Run, a.x + a.cols - run * Run));
        Made *const to = sums + line * a.sums_pitch + j * (Run + 1);
        const auto put = [&](int k, auto &sum) {
            constexpr int count = sizeof sum / sizeof *sum;
            Made made[count];
            make<count>(a.target, sum, made);
#pragma unroll
            for (int u = 0; u < count; u++)
                if constexpr (in_place(Run, Doubles))
                    kept[k + u] = made[u];
                else
                    to[k + u] = made[u];
        };
        if (a.window == 1) {
            double sum[1] = {Doubles ? term(a, samples[j * (Run + 1)]) : (double)samples[j * (Run + 1)]};
            put(0, sum);
        } else if (upto > 0) {
            sum_run<Run, Doubles>(a, samples, totals, run, j, element, upto, put);
        }
    }
    if constexpr (in_place(Run, Doubles)) {
        __syncthreads();
        if (works && first < a.runs)
#pragma unroll
            for (int k = 0; k < Run; k++) sums[line * a.sums_pitch + first * (Run + 1) + k] = kept[k];
    }
    __syncthreads();
    store_typed<Run>(a, b, segment, sums);
}

/* ---- blocks and shared memory ---------------------------------------------------------------------------- */

/* Minimum number of outputs of a segment. */
static int segment_of(int run) { return run == HALO_MEAN_RUN ? 1024 : 512; }

/* The most channels that a block takes together: loading one of several interleaved channels loads the others
 * as well. */
static const int planes_most = 8;

/* Cuts lines into blocks. Where there are fewer lines, a block takes more of each. */
static void plan_blocks(MeanHorizontal *a, int run)
{
    const int channels = a->source.channels, warps = mean_threads / CUDA_WARP;
    a->planes = channels <= planes_most ? channels : 1;
    a->by_planes = cuda_divisor(a->planes);
    a->rows = (int)cuda_max(1, cuda_min(a->lines, warps / a->planes));
    const int lines = a->planes * a->rows;
    const int parts = lines > 4 ? 1 : lines >= 3 ? 2 : lines == 2 ? 4 : 8;
    a->runs = parts * (segment_of(run) / (run < 2 ? 2 : run)) / 2;
    a->segments = cuda_ceil_div(a->x + a->cols - a->x / run * run, (int64_t)a->runs * run);
    const int64_t segment = (int64_t)a->runs * run;
    const int64_t staged = cuda_min(1 << 24, a->apart ? 2 * segment + run : segment + a->window);
    a->pitch = mean_padded(run, (int)staged) + 1;
    a->sums_pitch = in_place(run, mean_makes_doubles(a)) ? a->pitch : mean_padded(run, (int)segment) + 1;
}

static int64_t blocks_of(const MeanHorizontal *a)
{
    return a->source.channels / a->planes * a->segments * cuda_ceil_div(a->lines, a->rows);
}

static int64_t shared_of(const MeanHorizontal *a, int run)
{
    const bool doubles = mean_makes_doubles(a);
    const int64_t ahead = (a->window - 1) / run, totals = a->apart || ahead < 2 ? 0 : a->runs + ahead + 1;
    const int64_t made =
        in_place(run, doubles) ? 0 : a->sums_pitch * (int64_t)(doubles ? sizeof(double) : sizeof(float));
    return a->planes * a->rows * (totals * (int64_t)sizeof(double) + made + a->pitch * (int64_t)sizeof(float));
}

bool mean_horizontal_apart(const HaloDevice *device, const MeanHorizontal *args)
{
    MeanHorizontal a = *args;
    const int run = (int)halo_mean_run(a.window);
    if (mean_narrow_takes(args)) return false;
    a.apart = false;
    plan_blocks(&a, run);
    return (a.window - 1) / run > mean_totals_most || shared_of(&a, run) > (int64_t)device->shared_most;
}

template <int Run> static HaloStatus launch(HaloDevice *device, const MeanHorizontal *args)
{
    MeanHorizontal a = *args;
    plan_blocks(&a, Run);
    if (mean_makes_doubles(&a))
        CUDA_LAUNCH(device, (horizontal_kernel<Run, true>), blocks_of(&a), mean_threads,
                    (int)shared_of(&a, Run), a);
    else
        CUDA_LAUNCH(device, (horizontal_kernel<Run, false>), blocks_of(&a), mean_threads,
                    (int)shared_of(&a, Run), a);
    return HALO_OK;
}

HaloStatus mean_horizontal(HaloDevice *device, const MeanHorizontal *args)
{
    if (mean_narrow_takes(args)) return mean_narrow(device, args);
    return mean_by_run(args->window, [&](auto run) { return launch<decltype(run)::value>(device, args); });
}

HaloStatus mean_horizontal_totals(HaloDevice *device, const MeanHorizontal *args, int64_t first, int64_t runs,
                                  double *totals)
{
    MeanHorizontal a = *args;
    plan_blocks(&a, HALO_MEAN_RUN);
    a.segments = cuda_ceil_div(runs, a.runs);
    CUDA_LAUNCH(device, totals_kernel, blocks_of(&a), mean_threads,
                (int)(a.planes * a.rows * a.pitch * (int64_t)sizeof(float)), a, first, runs, totals);
    return HALO_OK;
}
