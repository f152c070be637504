/* Variances of small windows in one pass over memory. A block goes down a strip of columns, some rows at a
 * step: samples come to shared memory, a thread makes the sums of a run of windows of one line and those of
 * their squares, and these lie in a ring of rows until all that windows have below are there. Then a thread
 * goes down a column of them. The order of every sum is that of the two passes; sums of bytes that f32 holds
 * are exact in any. */
#include "once.cuh"

/* ---- a step ---------------------------------------------------------------------------------------------- */

/* A sample of a line: where it is in a row of the source, in bytes, and where it goes. */
struct OnceSample {
    unsigned from;
    int to;
};

__device__ __forceinline__ static int samples_of(const DeviationOnce &a, int run)
{
    return (a.runs * run + a.width - 1) * a.source.channels;
}

/* Which column of the source is a pixel of the lines whose first is at x; -1: outside, or no window holds it,
 * and it is not read. */
__device__ __forceinline__ static int64_t column_of(const DeviationOnce &a, int64_t x, int pixel)
{
    const int64_t position = x + pixel;
    const bool needed = position >= a.x && position < a.x + a.cols + a.width - 1;
    return needed ? halo_border_index(position + a.source.ox, a.source.width, a.source.border) : -1;
}

/* Of all lines of the block. What lies outside is read from the first column. Does none? */
template <int Run>
__device__ __forceinline__ static bool find_samples(const DeviationOnce &a, int64_t x, OnceSample *found)
{
    const MeanSource &s = a.source;
    const int64_t size = s.dtype == HALO_U8 ? 1 : s.dtype == HALO_U16 ? 2 : 4;
    bool inside = true;
    for (int i = (int)threadIdx.x; i < samples_of(a, Run); i += mean_threads) {
        const int pixel = i / s.channels, channel = i - pixel * s.channels;
        const int64_t column = column_of(a, x, pixel);
        found[i].from = (unsigned)(((column < 0 ? 0 : column - s.x0) * s.channels + channel) * size);
        found[i].to = channel * a.pitch + mean_padded(Run, pixel);
        inside = inside && column >= 0;
    }
    return __syncthreads_and(inside);
}

/* The lines of a step, some of them a warp's, whose rows these are: a few samples of each are on their way at a
 * time. */
template <typename S, int Lines>
__device__ __forceinline__ static void stage_lines(const char *const (&row)[Lines], const OnceSample *found,
                                                   int count, float *own, int apart)
{
    constexpr int batch = 5;
#pragma unroll 1
    for (int first = (int)threadIdx.x % CUDA_WARP; first < count; first += batch * CUDA_WARP) {
        S v[batch][Lines];
        int to[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            if (first + k * CUDA_WARP >= count) continue;
            const OnceSample sample = found[first + k * CUDA_WARP];
            to[k] = sample.to;
#pragma unroll
            for (int l = 0; l < Lines; l++)
                if constexpr (sizeof(S) < sizeof(float))
                    v[k][l] = __ldg((const S *)(row[l] + sample.from));
                else
                    mean_fetch(own + l * apart + sample.to, (const float *)(row[l] + sample.from));
        }
        if constexpr (sizeof(S) < sizeof(float))
#pragma unroll
            for (int k = 0; k < batch; k++)
#pragma unroll
                for (int l = 0; l < Lines; l++)
                    if (first + k * CUDA_WARP < count) own[l * apart + to[k]] = (float)v[k][l];
    }
}

/* The lines of a step from position y on, `inside` along x. Rows outside, and those that no window holds, are
 * read from the first. */
template <int Run, typename S>
__device__ __forceinline__ static void stage_step(const DeviationOnce &a, int64_t x, int64_t y,
                                                  const OnceSample *found, bool inside, float *tile)
{
    constexpr int warps = mean_threads / CUDA_WARP, lines = step_of(Run) / warps;
    const MeanSource &s = a.source;
    const int warp = (int)threadIdx.x / CUDA_WARP, count = samples_of(a, Run),
              apart = warps * s.channels * a.pitch;
    const int64_t top = y + s.oy;
    float *const own = tile + warp * s.channels * a.pitch;
    const char *row[lines];
    unsigned outside = 0; /* a bit for each */
    if (top >= 0 && top + step_of(Run) <= s.height && y >= a.y && y + step_of(Run) < a.y + a.rows + a.height) {
        row[0] = s.data + (top + warp - s.y0) * s.stride;
#pragma unroll
        for (int l = 1; l < lines; l++) row[l] = row[l - 1] + warps * s.stride;
    } else {
#pragma unroll
        for (int l = 0; l < lines; l++) {
            const int64_t position = y + warp + l * warps;
            const bool needed = position >= a.y && position < a.y + a.rows + a.height - 1;
            const int64_t from = needed ? halo_border_index(position + s.oy, s.height, s.border) : -1;
            row[l] = s.data + (from < 0 ? 0 : from - s.y0) * s.stride;
            outside |= (unsigned)(from < 0) << l;
        }
    }
    stage_lines<S>(row, found, count, own, apart);
    if (inside && outside == 0) return;
    mean_fetched();
#pragma unroll 1
    for (int i = (int)threadIdx.x % CUDA_WARP; i < count; i += CUDA_WARP) {
        const bool all = column_of(a, x, i / s.channels) < 0;
#pragma unroll
        for (int l = 0; l < lines; l++)
            if (all || (outside >> l & 1)) own[l * apart + found[i].to] = s.outside;
    }
}

/* Sums along the lines of a step, to its rows of the ring. */
template <int Run, typename V>
__device__ __forceinline__ static void sum_lines(const DeviationOnce &a, const float *tile, SumPair<V> *ring)
{
    typedef SumPair<V> Pair;
    const int runs = a.runs, offset = a.width - 1 - Run, turn = Run - offset;
    for (int u = (int)threadIdx.x; u < step_of(Run) * a.source.channels * runs; u += mean_threads) {
        const int line = u / runs, j = u - line * runs;
        const float *const starts = tile + line * a.pitch + j * (Run + 1), *const ends = starts + (Run + 1),
                           *const here = ends + offset;
        Pair *const to = ring + line * a.ring_pitch + j * (Run + 1);
        const auto pair = [](float sample) {
            const V v = (V)sample;
            return Pair(v, v * v);
        };
        Pair end = mean_ahead<Run, Pair>(offset, [&](int i) { return pair(ends[i]); });
        mean_run_sums<Run>(
            offset, true, Pair(HALO_MEAN_NOTHING), Pair(HALO_MEAN_NOTHING),
            [&](int k) { return pair(starts[k]); },
            [&](int k) { return pair((k < turn ? here : here + 1)[k]); }, &end,
            [&](int k, const auto &sum) {
#pragma unroll
                for (int i = 0; i < (int)(sizeof sum / sizeof *sum); i++) to[k + i] = sum[i];
            });
    }
}

/* Down the columns: the outputs of a step from position y on, whose rows of sums begin at `slot` steps of the
 * ring. */
template <int Run, typename V>
__device__ __forceinline__ static void sum_columns(const DeviationOnce &a, int64_t x, int64_t y, int slot,
                                                   const SumPair<V> *ring, unsigned *clipped)
{
    typedef SumPair<V> Pair;
    constexpr int runs = step_of(Run) / Run;
    const MeanTarget &t = a.target;
    const int channels = a.source.channels, pixel = (int)threadIdx.x / channels,
              plane = (int)threadIdx.x - pixel * channels;
    const int64_t column = x + pixel;
    if (pixel >= a.runs * Run || column < a.x || column >= a.x + a.cols) return;
    const int row_pitch = channels * a.ring_pitch, held = (a.behind + 1) * runs, offset = a.height - 1 - Run,
              turn = Run - offset;
    const Pair *const first = ring + plane * a.ring_pitch + mean_padded(Run, pixel);
    const int64_t e = ((column - a.x) * channels + plane) * (t.dtype == HALO_U8    ? 1
                                                             : t.dtype == HALO_U16 ? 2
                                                                                   : 4);
#pragma unroll 1
    for (int r = 0; r < runs; r++) {
        const int64_t top = y + r * Run;
        const int from = (int)cuda_max(0, a.y - top), upto = (int)cuda_min(Run, a.y + a.rows - top);
        if (from >= Run || upto <= 0) continue;
        const auto run_at = [&](int run) {
            const int at = slot * runs + r + run;
            return first + (at < held ? at : at - held) * Run * row_pitch;
        };
        const Pair *const starts = run_at(0), *const ends = run_at(1), *const here = ends + offset * row_pitch;
        const Pair *const later = run_at(2) - turn * row_pitch;
        char *to = t.data + (top - t.base) * t.stride + e;
        Pair end = mean_ahead<Run, Pair>(offset, [&](int i) { return ends[i * row_pitch]; });
        mean_run_sums<Run>(
            offset, true, Pair(HALO_MEAN_NOTHING), Pair(HALO_MEAN_NOTHING),
            [&](int k) { return starts[k * row_pitch]; },
            [&](int k) { return (k < turn ? here : later)[k * row_pitch]; }, &end,
            [&](int k, const auto &sum) {
                constexpr int count = (int)(sizeof sum / sizeof *sum);
                const bool all = k >= from && k + count <= upto;
                float made[count];
                deviations(a, sum, made);
                if (!a.plain)
#pragma unroll
                    for (int i = 0; i < count; i++) made[i] = cuda_rescale(made[i], t.store);
                cuda_typed(t.dtype, [&](auto zero) {
                    using D = decltype(zero);
                    const auto put = [&](int i) {
                        *(D *)(to + i * t.stride) = cuda_sample<D>(made[i], {1.0f, 1.0f}, clipped);
                    };
                    if (all)
#pragma unroll
                        for (int i = 0; i < count; i++) put(i);
                    else
#pragma unroll
                        for (int i = 0; i < count; i++)
                            if (k + i >= from && k + i < upto) put(i);
                });
                to += count * t.stride;
            });
    }
}

/* Blocks of a multiprocessor: as many as pairs, and sums of a run of 16, leave registers for. */
template <int Run, typename V>
constexpr int once_resident = Run == 16                     ? 2
                              : sizeof(V) == sizeof(double) ? 4
                                                            : 5;

template <int Run, typename V>
__global__ static void __launch_bounds__(mean_threads, once_resident<Run, V>)
    once_kernel(const __grid_constant__ DeviationOnce a)
{
    typedef SumPair<V> Pair;
    constexpr int step = step_of(Run);
    CUDA_SHARED(Pair, ring);
    const int slots = a.behind + 1, slot_sums = step * a.source.channels * a.ring_pitch;
    OnceSample *const found = reinterpret_cast<OnceSample *>(ring + slots * slot_sums);
    float *const tile = reinterpret_cast<float *>(found + samples_of(a, Run));
    const int64_t tile_x = blockIdx.x % a.tiles, strip = blockIdx.x / a.tiles;
    const int64_t x = (a.x / Run + tile_x * a.runs) * Run, y = a.begin + strip * a.steps * step;
    const int steps = (int)cuda_min(a.steps, cuda_ceil_div(a.y + a.rows - y, step)) + a.behind;
    const bool inside = find_samples<Run>(a, x, found);
    unsigned clipped = 0;
    const auto stage = [&](int s) {
        cuda_typed(a.source.dtype, [&](auto zero) {
            stage_step<Run, decltype(zero)>(a, x, y + (int64_t)s * step, found, inside, tile);
        });
    };
    stage(0);
#pragma unroll 1
    for (int s = 0, slot = 0; s < steps; s++) {
        mean_fetched();
        __syncthreads();
        sum_lines<Run, V>(a, tile, ring + slot * slot_sums);
        __syncthreads();
        if (s + 1 < steps) stage(s + 1);
        slot = slot + 1 < slots ? slot + 1 : 0;
        if (s >= a.behind) sum_columns<Run, V>(a, x, y + (int64_t)(s - a.behind) * step, slot, ring, &clipped);
    }
    cuda_count_clipped(a.target.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------- */

static const int once_channels = 4;

bool mean_deviations_once_takes(const MeanJob *job)
{
    const int64_t run = halo_mean_run(job->window.width);
    return run > 1 && run < HALO_MEAN_RUN && halo_mean_run(job->window.height) == run &&
           job->source.channels <= once_channels &&
           job->source.width <= INT32_MAX / (once_channels * (int)sizeof(float));
}

/* Lines of samples a multiple of this, and half of it, apart: threads of neighbouring lines read from banks of
 * their own. */
static int banked(int pitch)
{
    return (int)(cuda_ceil_div(pitch - CUDA_WARP / 2, CUDA_WARP) * CUDA_WARP) + CUDA_WARP / 2;
}

template <int Run, typename V> static HaloStatus launch(const MeanJob *job, DeviationOnce *a)
{
    constexpr int step = step_of(Run);
    const int channels = a->source.channels;
    int resident = 0;
    a->runs = mean_threads / channels / Run;
    a->pitch = banked(mean_padded(Run, a->runs * Run + a->width - 1) + 1);
    a->ring_pitch = mean_padded(Run, a->runs * Run) + 1;
    a->behind = (int)cuda_ceil_div(a->height - 1, step);
    a->begin = a->y / step * step;
    a->tiles = (unsigned)cuda_ceil_div(a->x + a->cols - a->x / Run * Run, (int64_t)a->runs * Run);
    const int64_t lines = step * channels, samples = (a->runs * Run + a->width - 1) * channels;
    const int64_t shared = (a->behind + 1) * lines * a->ring_pitch * (int64_t)sizeof(SumPair<V>) +
                           samples * (int64_t)sizeof(OnceSample) + lines * a->pitch * (int64_t)sizeof(float);
    CUDA_PASS(cuda_allow_shared((const void *)(once_kernel<Run, V>), (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, once_kernel<Run, V>, mean_threads,
                                                           (size_t)shared));
    const int64_t blocks = (int64_t)job->device->properties.multiProcessorCount * resident;
    const int64_t steps = cuda_ceil_div(a->y + a->rows - a->begin, step),
                  strips = cuda_max(1, blocks / a->tiles);
    a->steps = (int)cuda_min(1 << 20, cuda_max(cuda_ceil_div(steps, strips),
                                               4 * a->behind)); /* rows above and below are summed again */
    CUDA_LAUNCH(job->device, (once_kernel<Run, V>), a->tiles * cuda_ceil_div(steps, a->steps), mean_threads,
                (int)shared, *a);
    return HALO_OK;
}

template <int Run> static HaloStatus launch_sums(const MeanJob *job, DeviationOnce *a)
{
    const int64_t white = mean_white(job->source);
    if constexpr (Run < HALO_MEAN_RUN / 2)
        if (job->window.width * job->window.height * white * white <= mean_exact)
            return launch<Run, float>(job, a);
    return launch<Run, double>(job, a);
}

HaloStatus mean_deviations_once(const MeanJob *job, bool root)
{
    DeviationOnce a = {};
    if (job->room->base == NULL) return HALO_OK;
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
