/* Variances of small windows in one pass over memory. A block goes down a strip of columns, a few rows per
 * step: samples are staged in shared memory, threads add up the sums of a run of windows of a line and the sums
 * of squares, which lie in a ring of rows until all rows of the windows are there. Then threads add up columns
 * of these. The order of every sum is that of the two passes; sums of bytes that f32 holds are exact in any
 * order. */
#include "deviation_stage.cuh"

/* ---- a step ---------------------------------------------------------------------------------------------- */

/* Horizontal sums of the lines of a step, to its rows of the ring. */
template <int Run, typename V, int Size>
CUDA_INLINE void sum_lines(const DeviationFused &a, const float *tile, SumPair<V> *ring)
{
    typedef SumPair<V> Pair;
    const int runs = a.runs, offset = (Size > 0 ? Size : a.width) - 1 - Run;
    for (int u = (int)threadIdx.x; u < fused_step(Run) * a.source.channels * runs; u += mean_threads) {
        const int line = a.by_runs.over(u), j = u - line * runs, row = a.by_channels.over(line);
        const int x = u - row * a.source.channels * runs; /* the run, of all channels */
        const float *const starts = tile + line * a.pitch + j * (Run + 1), *const ends = starts + (Run + 1),
                           *const here = ends + offset;
        /* Of sum k: this, XORed with k. */
        const int to = (row * mean_threads + x * Run) ^ fused_swizzle<Run, Pair>(x * Run);
        const auto pair = [](float sample) {
            const V v = (V)sample;
            return Pair(v, v * v);
        };
        const Pair end = fused_ahead<Run, Pair>(offset, [&](int i) { return pair(ends[i]); });
        fused_run_sums<Run>(
            offset, end, [&](int k) { return pair(starts[k]); },
            [&](int k, bool wraps) { return pair((wraps ? here + 1 : here)[k]); },
            [&](int k, const auto &sum) {
#pragma unroll
                for (int i = 0; i < (int)(sizeof sum / sizeof *sum); i++) ring[to ^ (k + i)] = sum[i];
            });
    }
}

/* A result is no NaN but halo's. */
template <typename D> CUDA_INLINE void store(char *to, float made, unsigned *clipped)
{
    if constexpr (sizeof(D) == sizeof(float))
        *(D *)to = made;
    else
        *(D *)to = cuda_sample<D>(made, {1.0f, 1.0f}, clipped);
}

/* Vertical sums: the outputs of a step from position y on, whose rows of sums begin at step `slot` of the
 * ring. */
template <int Run, typename V, int Size>
CUDA_INLINE void sum_columns(const DeviationFused &a, int64_t x, int64_t y, int slot, const SumPair<V> *ring,
                             unsigned *clipped)
{
    typedef SumPair<V> Pair;
    constexpr int runs = fused_step(Run) / Run;
    const MeanTarget &t = a.target;
    const int channels = a.source.channels, pixel = a.by_channels.over((int)threadIdx.x),
              plane = (int)threadIdx.x - pixel * channels;
    const int64_t column = x + pixel;
    if (pixel >= a.runs * Run || column < a.x || column >= a.x + a.cols) return;
    const int held = (a.behind + 1) * runs, offset = (Size > 0 ? Size : a.height) - 1 - Run,
              x_in = plane * a.runs * Run + pixel;
    const Pair *const first = ring + (x_in ^ fused_swizzle<Run, Pair>(x_in));
    const int64_t e = ((column - a.x) * channels + plane) * cuda_size(t.dtype);
#pragma unroll 1
    for (int r = 0; r < runs; r++) {
        const int64_t top = y + r * Run;
        const int from = (int)cuda_max(0, a.y - top), upto = (int)cuda_min(Run, a.y + a.rows - top);
        if (from >= Run || upto <= 0) continue;
        const auto run_at = [&](int run) {
            const int at = slot * runs + r + run;
            return first + (at < held ? at : at - held) * Run * mean_threads;
        };
        const Pair *const starts = run_at(0), *const ends = run_at(1);
        const Pair *const here = ends + offset * mean_threads, *const later =
                                                                   run_at(2) - (Run - offset) * mean_threads;
        char *to = t.data + (top - t.base) * t.stride + e;
        const Pair end = fused_ahead<Run, Pair>(offset, [&](int i) { return ends[i * mean_threads]; });
        fused_run_sums<Run>(
            offset, end, [&](int k) { return starts[k * mean_threads]; },
            [&](int k, bool wraps) { return (wraps ? later : here)[k * mean_threads]; },
            [&](int k, const auto &sum) {
                constexpr int count = (int)(sizeof sum / sizeof *sum);
                float made[count];
                deviations(a, sum, made);
                if (!a.plain)
#pragma unroll
                    for (int i = 0; i < count; i++) made[i] = halo_canonical(cuda_rescale(made[i], t.store));
                const bool all = k >= from && k + count <= upto;
                cuda_typed(t.dtype, [&](auto zero) {
                    typedef decltype(zero) D;
                    if (all)
#pragma unroll
                        for (int i = 0; i < count; i++) store<D>(to + i * t.stride, made[i], clipped);
                    else
#pragma unroll
                        for (int i = 0; i < count; i++)
                            if (k + i >= from && k + i < upto) store<D>(to + i * t.stride, made[i], clipped);
                });
                to += count * t.stride;
            });
    }
}

/* Resident blocks per multiprocessor: limited by the registers of pairs, and of sums of a run of 16. */
template <int Run, typename V> constexpr int fused_resident = Run == 16 ? 2 : 6 - (int)sizeof(V) / 4;

/* Size: of windows, if it is the same across and down, known to the compiler; else 0. */
template <int Run, typename V, int Size>
__global__ static void __launch_bounds__(mean_threads, fused_resident<Run, V>)
    fused_kernel(const __grid_constant__ DeviationFused a)
{
    typedef SumPair<V> Pair;
    constexpr int step = fused_step(Run);
    CUDA_SHARED(Pair, ring);
    const int slots = a.behind + 1, slot_sums = step * mean_threads;
    StagedSample *const found = reinterpret_cast<StagedSample *>(ring + slots * slot_sums);
    float *const tile = reinterpret_cast<float *>(found + samples_of(a, Run));
    const int64_t tile_x = blockIdx.x % a.tiles, strip = blockIdx.x / a.tiles;
    const int64_t x = (a.x / Run + tile_x * a.runs) * Run, y = a.begin + strip * a.steps * step;
    const int steps = (int)cuda_min(a.steps, cuda_ceil_div(a.y + a.rows - y, step)) + a.behind;
    const bool inside = find_samples<Run>(a, x, found), within = all_within<Run>(a, x);
    unsigned clipped = 0;
#pragma unroll 1
    for (int s = -1, slot = -1; s < steps; s++) {
        if (s >= 0) {
            mean_fetched();
            __syncthreads();
            sum_lines<Run, V, Size>(a, tile, ring + slot * slot_sums);
            __syncthreads();
        }
        if (s + 1 < steps)
            cuda_typed(a.source.dtype, [&](auto zero) {
                stage_step<Run, decltype(zero)>(a, x, y + (int64_t)(s + 1) * step, found, inside, within, tile);
            });
        slot = slot + 1 < slots ? slot + 1 : 0;
        if (s >= a.behind)
            sum_columns<Run, V, Size>(a, x, y + (int64_t)(s - a.behind) * step, slot, ring, &clipped);
    }
    cuda_count_clipped(a.target.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------- */

static const int fused_channels = 4;

bool mean_deviations_fused_takes(const MeanJob *job)
{
    const int64_t run = halo_mean_run(job->window.width);
    return run > 1 && run < HALO_MEAN_RUN && halo_mean_run(job->window.height) == run &&
           job->source.channels <= fused_channels &&
           job->source.width <= INT32_MAX / (fused_channels * (int)sizeof(float));
}

/* A pitch that is an odd multiple of half a warp: threads of neighbouring lines use different banks. */
static int banked(int pitch)
{
    return (int)(cuda_ceil_div(pitch - CUDA_WARP / 2, CUDA_WARP) * CUDA_WARP) + CUDA_WARP / 2;
}

/* Strips below each other: as many as make the blocks one round of those that are resident, or up to four, if
 * the last round is fuller then. */
static int64_t strips_of(int64_t tiles, int64_t resident)
{
    int64_t strips = 1;
    double best = 0.0;
    for (int64_t rounds = 1; rounds <= 4; rounds++) {
        const int64_t some = cuda_max(1, rounds * resident / tiles), blocks = some * tiles;
        const double full = (double)blocks / (double)(cuda_ceil_div(blocks, resident) * resident);
        if (full < best + 0.05) continue;
        best = full;
        strips = some;
    }
    return strips;
}

template <int Run, typename V, int Size> static HaloStatus launch(const MeanJob *job, DeviationFused *a)
{
    constexpr int step = fused_step(Run);
    const int channels = a->source.channels;
    int resident = 0;
    a->runs = mean_threads / channels / Run;
    a->pitch = banked(mean_padded(Run, a->runs * Run + a->width - 1) + 1);
    a->by_runs = cuda_divisor(a->runs);
    a->by_channels = cuda_divisor(channels);
    a->behind = (int)cuda_ceil_div(a->height - 1, step);
    a->begin = a->y / step * step;
    a->tiles = (unsigned)cuda_ceil_div(a->x + a->cols - a->x / Run * Run, (int64_t)a->runs * Run);
    const int64_t lines = step * channels, samples = (a->runs * Run + a->width - 1) * channels;
    const int64_t shared = (a->behind + 1) * step * mean_threads * (int64_t)sizeof(SumPair<V>) +
                           samples * (int64_t)sizeof(StagedSample) + lines * a->pitch * (int64_t)sizeof(float);
    CUDA_PASS(cuda_allow_shared((const void *)(fused_kernel<Run, V, Size>), (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, fused_kernel<Run, V, Size>, mean_threads,
                                                           (size_t)shared));
    const int64_t blocks = (int64_t)job->device->properties.multiProcessorCount * resident;
    const int64_t steps = cuda_ceil_div(a->y + a->rows - a->begin, step), strips = strips_of(a->tiles, blocks);
    a->steps = (int)cuda_min(1 << 20, cuda_max(cuda_ceil_div(steps, strips),
                                               4 * a->behind)); /* rows above and below are added up again */
    CUDA_LAUNCH(job->device, (fused_kernel<Run, V, Size>), a->tiles * cuda_ceil_div(steps, a->steps),
                mean_threads, (int)shared, *a);
    return HALO_OK;
}

/* Odd windows of the same size across and down have kernels of their own. */
template <int Run, typename V, int Size = 2 * Run - 1>
static HaloStatus launch_size(const MeanJob *job, DeviationFused *a)
{
    if (a->width == Size && a->height == Size) return launch<Run, V, Size>(job, a);
    if constexpr (Size > Run + 2)
        return launch_size<Run, V, Size - 2>(job, a);
    else
        return launch<Run, V, 0>(job, a);
}

template <int Run> static HaloStatus launch_sums(const MeanJob *job, DeviationFused *a)
{
    const int64_t white = mean_white(job->source);
    if constexpr (Run < HALO_MEAN_RUN / 2)
        if (job->window.width * job->window.height * white * white <= mean_exact)
            return launch_size<Run, float>(job, a);
    return launch_size<Run, double>(job, a);
}

HaloStatus mean_deviations_fused(const MeanJob *job, bool root)
{
    DeviationFused a = {};
    if (job->workspace->base == NULL) return HALO_OK;
    a.source = job->source;
    a.target = job->target;
    a.width = (int)job->window.width;
    a.height = (int)job->window.height;
    a.x = job->x;
    a.y = job->y;
    a.cols = job->cols;
    a.rows = job->rows;
    a.count = (double)job->window.width * (double)job->window.height;
    a.inverse = 1.0 / a.count;
    a.root = root;
    a.plain = job->target.store.num == 1.0f && job->target.store.den == 1.0f;
    switch (halo_mean_run(job->window.width)) {
    case 2: return launch_sums<2>(job, &a);
    case 4: return launch_sums<4>(job, &a);
    case 8: return launch_sums<8>(job, &a);
    default: return launch_sums<16>(job, &a);
    }
}
