/* Sums along lines. A block stages pieces of a few lines in shared memory, as f64; a thread makes the outputs that begin in
 * one run of one of them. What it makes goes back to shared memory, so that rows are written whole. */
#include "mean.cuh"

/* One double is left out behind every run, so that the threads of a warp, which are a run apart, do not meet in a bank. */
__host__ __device__ __forceinline__ static int padded(int run, int i) { return i + i / run; }

/* ---- from memory and back ------------------------------------------------------------------------------------------------------ */

struct Block {
    int64_t x, y; /* positions: of the first run's first sample, of the first line */
    int channel;  /* the first of its planes */
    int lines;    /* of them; each has all planes */
};

__device__ __forceinline__ static Block block_of(const MeanAlong &a, int run)
{
    const int64_t sets = a.source.channels / a.planes, piece = blockIdx.x / sets, group = piece / a.segments;
    Block b;
    b.channel = (int)(blockIdx.x % sets) * a.planes;
    b.x = (a.x / run + piece % a.segments * a.runs) * run;
    b.y = a.y + group * a.rows;
    b.lines = (int)cuda_min(a.rows, a.lines - group * a.rows);
    return b;
}

__device__ __forceinline__ static float counted(const MeanSource &s, float v)
{
    if (s.counts) return v == v ? 1.0f : 0.0f;
    return s.ignores && v != v ? 0.0f : v;
}

/* Samples at positions [x, x + count) of the block's lines, which come to place `to` of each; a warp takes a line. Those that
 * no window holds are not read. */
template <int Run, typename S, int Planes>
__device__ __forceinline__ static void stage(const MeanAlong &a, const Block &b, int64_t x, int count, int to, double *tile)
{
    const MeanSource &s = a.source;
    const int lane = (int)threadIdx.x % CUDA_WARP, warps = (int)blockDim.x / CUDA_WARP;
    const int64_t needed = a.x + a.cols + a.window - 1;
    const bool inside = x >= a.x && x + count <= needed && x + s.ox >= 0 && x + s.ox + count <= s.width;
    for (int l = (int)threadIdx.x / CUDA_WARP; l < b.lines; l += warps) {
        const int64_t row = halo_border_index(b.y + l + s.oy, s.height, s.border);
        const S *const from = (const S *)(s.data + (row - s.y0) * s.stride) - s.x0 * s.channels + b.channel;
        double *const line = tile + l * Planes * a.pitch;
        if (inside && row >= 0) {
            const S *const first = from + (x + s.ox) * s.channels;
#pragma unroll 8
            for (int e = lane; e < count * Planes; e += CUDA_WARP)
                line[e % Planes * a.pitch + padded(Run, to + e / Planes)] =
                    (double)counted(s, (float)__ldg(first + (e / Planes * s.channels + e % Planes)));
            continue;
        }
        for (int e = lane; e < count * Planes; e += CUDA_WARP) {
            const int64_t position = x + e / Planes;
            const int64_t column = halo_border_index(position + s.ox, s.width, s.border);
            float v = 0.0f;
            if (position >= a.x && position < needed)
                v = counted(s, row < 0 || column < 0 ? s.outside : (float)from[column * s.channels + e % Planes]);
            line[e % Planes * a.pitch + padded(Run, to + e / Planes)] = (double)v;
        }
    }
}

template <int Run>
__device__ __forceinline__ static void stage_typed(const MeanAlong &a, const Block &b, int64_t x, int count, int to, double *tile)
{
    cuda_typed(a.source.dtype, [&](auto zero) {
        using S = decltype(zero);
        switch (a.planes) {
        case 1: stage<Run, S, 1>(a, b, x, count, to, tile); break;
        case 2: stage<Run, S, 2>(a, b, x, count, to, tile); break;
        case 3: stage<Run, S, 3>(a, b, x, count, to, tile); break;
        default: stage<Run, S, 4>(a, b, x, count, to, tile);
        }
    });
}

/* Rows of `count` outputs, which lie in shared memory as the samples did. */
template <int Run, typename D, int Planes>
__device__ __forceinline__ static unsigned store(const MeanAlong &a, const Block &b, int count, const double *tile)
{
    const MeanTarget &t = a.target;
    const int lane = (int)threadIdx.x % CUDA_WARP, warps = (int)blockDim.x / CUDA_WARP, channels = a.source.channels;
    const int first = (int)cuda_max(0, a.x - b.x), last = (int)cuda_min(count, a.x + a.cols - b.x);
    unsigned clipped = 0;
    for (int l = (int)threadIdx.x / CUDA_WARP; l < b.lines; l += warps) {
        D *const row = (D *)(t.data + (b.y + l - t.base) % t.ring * t.stride) + (b.x - a.x) * channels + b.channel;
        const double *const line = tile + l * Planes * a.pitch;
        const float *const counts =
            t.finish.counts == NULL ? NULL : t.finish.counts + ((b.y + l - t.first) * a.cols + b.x - a.x) * channels + b.channel;
#pragma unroll 2
        for (int e = first * Planes + lane; e < last * Planes; e += CUDA_WARP) {
            const double sum = line[e % Planes * a.pitch + padded(Run, e / Planes)];
            const int at = e / Planes * channels + e % Planes;
            row[at] = cuda_sample<D>(counts == NULL ? mean_quotient(sum, t.finish) : mean_counted(sum, t.finish, counts[at]),
                                     t.store, &clipped);
        }
    }
    return clipped;
}

template <int Run>
__device__ __forceinline__ static void store_typed(const MeanAlong &a, const Block &b, int count, const double *tile)
{
    unsigned clipped = 0;
    cuda_typed(a.target.dtype, [&](auto zero) {
        using D = decltype(zero);
        switch (a.planes) {
        case 1: clipped = store<Run, D, 1>(a, b, count, tile); break;
        case 2: clipped = store<Run, D, 2>(a, b, count, tile); break;
        case 3: clipped = store<Run, D, 3>(a, b, count, tile); break;
        default: clipped = store<Run, D, 4>(a, b, count, tile);
        }
    });
    cuda_count(a.target.clipped, clipped);
}

/* ---- totals ------------------------------------------------------------------------------------------------------- */

/* Of the runs of a long line, for windows that shared memory does not hold. */
__global__ static void __launch_bounds__(mean_threads)
    totals_kernel(const __grid_constant__ MeanAlong a, int64_t first, int64_t runs, double *totals)
{
    CUDA_SHARED(double, tile);
    const int thread = (int)threadIdx.x, line = thread / a.runs, j = thread % a.runs;
    Block b = block_of(a, HALO_MEAN_RUN);
    b.x = (first + (blockIdx.x / (a.source.channels / a.planes)) % a.segments * a.runs) * HALO_MEAN_RUN;
    stage_typed<HALO_MEAN_RUN>(a, b, b.x, a.runs * HALO_MEAN_RUN, 0, tile);
    __syncthreads();
    const int64_t run = b.x / HALO_MEAN_RUN + j - first;
    if (line >= b.lines * a.planes || run >= runs) return;
    const double *const samples = tile + line * a.pitch;
    double total = samples[padded(HALO_MEAN_RUN, j * HALO_MEAN_RUN)];
    for (int k = 1; k < HALO_MEAN_RUN; k++) total = total + samples[padded(HALO_MEAN_RUN, j * HALO_MEAN_RUN) + k];
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    totals[run * a.lines * a.source.channels + element] = total;
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

template <int Run>
__global__ static void __launch_bounds__(mean_threads * (Run < 4 ? 4 : Run == 4 ? 2 : 1), Run < 8 ? 1 : 4)
    along_kernel(const __grid_constant__ MeanAlong a)
{
    CUDA_SHARED(double, tile);
    const int thread = (int)threadIdx.x, line = thread / a.runs, j = thread % a.runs, segment = a.runs * Run;
    const int64_t ahead = (a.window - 1) / Run;
    const Block b = block_of(a, Run);
    const bool works = line < b.lines * a.planes;
#pragma unroll 1
    for (int end = 0; end <= a.apart; end++)
        stage_typed<Run>(a, b, b.x + end * ahead * Run, end ? segment + Run : a.apart ? segment : segment + (int)a.window - 1,
                    end * segment, tile);
    __syncthreads();
    const double *const samples = tile + line * a.pitch;
    double *const totals = tile + a.planes * a.rows * a.pitch + line * (a.runs + (int)ahead + 1);
    if (!a.apart && ahead > 1) {
        if (works)
            for (int r = j; r < a.runs + (int)ahead; r += a.runs) {
                double total = samples[r * (Run + 1)];
#pragma unroll
                for (int k = 1; k < Run; k++) total = total + samples[r * (Run + 1) + k];
                totals[r] = total;
            }
        __syncthreads();
    }
    const int64_t run = b.x / Run + j;
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    const int upto = (int)cuda_max(0, cuda_min(Run, a.x + a.cols - run * Run));
    double sum[Run];
    if (works && upto > 0) {
        const int offset = (int)((a.window - 1) % Run), turn = Run - offset;
        const double *const starts = samples + j * (Run + 1);
        const double *const ends = samples + (a.apart ? a.runs + j : j + (int)ahead) * (Run + 1), *const here = ends + offset;
        const auto between = [&](int more) {
            const int window = (int)ahead - 1 + more;
            if (window < 1 || (more && offset == 0)) return HALO_MEAN_NOTHING;
            if (a.apart) return a.between.sums[more][(run + 1 - a.between.base) * a.between.totals.n + element];
            return mean_window(run + 1, window, [&](int i) { return totals[j + 1 + i]; });
        };
        double end = mean_ahead<Run>(offset, [&](int i) { return ends[i]; });
        const double less = between(0), more = ahead == 1 || upto <= turn ? HALO_MEAN_NOTHING : between(1);
        if (a.window == 1)
            sum[0] = starts[0];
        else
            mean_run_sums<Run>(offset, ahead == 1, less, more, [&](int k) { return starts[k]; },
                               [&](int k) { return (k < turn ? here : here + 1)[k]; }, &end, sum);
    }
    __syncthreads();
    if (works && upto > 0)
#pragma unroll
        for (int k = 0; k < Run; k++) tile[line * a.pitch + j * (Run + 1) + k] = sum[k];
    __syncthreads();
    store_typed<Run>(a, b, segment, tile);
}

/* ---- laying out --------------------------------------------------------------------------------------------------- */

/* Blocks for runs of this size. Where there are few lines a block takes more of each. */
static void lay_out(MeanAlong *a, int run)
{
    const int channels = a->source.channels;
    a->planes = channels <= 4 ? channels : 1;
    const int lines = (int)cuda_min(a->lines, cuda_max(1, mean_threads / 32 / a->planes));
    a->runs = run < 8 ? (run == 4 ? 64 : 128) : lines * a->planes >= 3 ? 32 : lines * a->planes == 2 ? 64 : 128;
    a->rows = (int)cuda_max(1, mean_threads / a->runs / a->planes);
    a->segments = cuda_ceil_div(a->x + a->cols - a->x / run * run, (int64_t)a->runs * run);
}

static int64_t blocks_of(const MeanAlong *a)
{
    return a->source.channels / a->planes * a->segments * cuda_ceil_div(a->lines, a->rows);
}

static int64_t shared_of(MeanAlong *a, int run)
{
    const int64_t ahead = (a->window - 1) / run, segment = (int64_t)a->runs * run;
    const int64_t lines = (int64_t)a->planes * a->rows;
    const int64_t staged = cuda_min(1 << 24, a->apart ? 2 * segment + run : segment + a->window);
    a->pitch = padded(run, (int)staged) + 1;
    const int64_t totals = a->apart || ahead < 2 ? 0 : lines * (a->runs + ahead + 1) * (int64_t)sizeof(double);
    return lines * a->pitch * (int64_t)sizeof(double) + totals;
}

bool mean_along_apart(const HaloDevice *device, const MeanAlong *args)
{
    MeanAlong a = *args;
    const int run = (int)halo_mean_run(a.window);
    a.apart = false;
    lay_out(&a, run);
    return (a.window - 1) / run > mean_few || shared_of(&a, run) > (int64_t)device->shared_most;
}

template <int Run> static HaloStatus launch(HaloDevice *device, const MeanAlong *args)
{
    MeanAlong a = *args;
    lay_out(&a, Run);
    const int shared = (int)shared_of(&a, Run);
    CUDA_LAUNCH(device, along_kernel<Run>, blocks_of(&a), a.runs * a.planes * a.rows, shared, a);
    return HALO_OK;
}

HaloStatus mean_along(HaloDevice *device, const MeanAlong *args)
{
    switch (halo_mean_run(args->window)) {
    case 1: return launch<1>(device, args);
    case 2: return launch<2>(device, args);
    case 4: return launch<4>(device, args);
    case 8: return launch<8>(device, args);
    case 16: return launch<16>(device, args);
    default: return launch<HALO_MEAN_RUN>(device, args);
    }
}

HaloStatus mean_along_totals(HaloDevice *device, const MeanAlong *args, int64_t first, int64_t runs, double *totals)
{
    MeanAlong a = *args;
    lay_out(&a, HALO_MEAN_RUN);
    a.segments = cuda_ceil_div(runs, a.runs);
    a.pitch = padded(HALO_MEAN_RUN, a.runs * HALO_MEAN_RUN) + 1;
    CUDA_LAUNCH(device, totals_kernel, blocks_of(&a), a.runs * a.planes * a.rows,
                (int)(a.planes * a.rows * a.pitch * (int64_t)sizeof(double)), a, first, runs, totals);
    return HALO_OK;
}
