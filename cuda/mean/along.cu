/* Sums along lines. A block stages pieces of a few lines in shared memory, as f64; a thread makes the outputs that begin in
 * one run of one of them. What it makes goes back to shared memory, so that rows are written whole. */
#include "mean.cuh"

/* One double is left out behind every run, so that the threads of a warp, which are a run apart, do not meet in a bank. */
__host__ __device__ __forceinline__ static int padded(int run, int i) { return i + i / run; }

/* Do a thread's sums go back to where its samples were? It has one run then, and keeps them until all are read. */
__host__ __device__ constexpr static bool in_place(int run) { return run == HALO_MEAN_RUN; }

/* ---- from memory and back ------------------------------------------------------------------------------------------------------ */

struct Block {
    int64_t x, y; /* positions: of the first run's first sample, of the first line */
    int channel;  /* the first of its planes */
    int lines;    /* of them; each has all planes */
};

__device__ __forceinline__ static Block block_of(const MeanAlong &a, int run)
{
    const unsigned sets = (unsigned)(a.source.channels / a.planes), segments = (unsigned)a.segments;
    const unsigned piece = blockIdx.x / sets, group = piece / segments;
    Block b;
    b.channel = (int)(blockIdx.x % sets) * a.planes;
    b.x = (a.x / run + (int64_t)(piece % segments) * a.runs) * run;
    b.y = a.y + (int64_t)group * a.rows;
    b.lines = (int)cuda_min(a.rows, a.lines - (int64_t)group * a.rows);
    return b;
}

__device__ __forceinline__ static float counted(const MeanSource &s, float v)
{
    if (s.counts) return v == v ? 1.0f : 0.0f;
    return s.ignores && v != v ? 0.0f : v;
}

/* Which lines a warp reads and writes, and which part of them: warps share the lines, or each line. */
struct Share {
    int line, lines; /* the first, and how far on the next is */
    int part, parts;
};

__device__ __forceinline__ static Share share_of(const MeanAlong &a)
{
    const int warps = mean_threads / CUDA_WARP, parts = max(1, warps / a.rows), warp = (int)threadIdx.x / CUDA_WARP;
    return {warp / parts, warps / parts, warp % parts, parts};
}

/* The warp's part of `count` places: from a multiple of a warp on. */
__device__ __forceinline__ static int part_begins(const Share &share, int count, int part)
{
    return (count + share.parts * CUDA_WARP - 1) / (share.parts * CUDA_WARP) * CUDA_WARP * part;
}

/* Samples at positions [x, x + count) of the block's lines, which come to place `to` of each. Those that no window holds are not
 * read. */
template <int Run, typename S, int Planes>
__device__ __forceinline__ static void stage(const MeanAlong &a, const Block &b, int64_t x, int count, int to, double *tile)
{
    const MeanSource &s = a.source;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int from_place = part_begins(share, count * Planes, share.part), upto_place = part_begins(share, count * Planes, share.part + 1);
    const int64_t needed = a.x + a.cols + a.window - 1;
    for (int l = share.line; l < b.lines; l += share.lines) {
        const int64_t row = halo_border_index(b.y + l + s.oy, s.height, s.border);
        const S *const from = (const S *)(s.data + (row - s.y0) * s.stride) - s.x0 * s.channels + b.channel;
        const S *const first = from + (x + s.ox) * s.channels;
        double *const line = tile + l * Planes * a.pitch;
        /* Places [low, high) lie in the image, and are taken as they are. */
        const bool plain = row >= 0 && !s.ignores && !s.counts;
        const int low = plain ? (int)cuda_min(count, cuda_max(0, cuda_max(a.x - x, -(x + s.ox)))) * Planes : 0;
        const int high = plain ? (int)cuda_max(low / Planes, cuda_min(count, cuda_min(needed - x, s.width - (x + s.ox)))) * Planes : 0;
        const int begin = max(low, from_place), end = min(high, upto_place);
        if (Planes == 1 && begin == from_place) { /* then what is left out of a thread's places is known */
            double *const there = line + padded(Run, to) + padded(Run, begin) + padded(Run, lane);
#pragma unroll 8
            for (int e = 0; e < end - begin - lane; e += CUDA_WARP)
                there[e / CUDA_WARP * padded(Run, CUDA_WARP)] = (double)__ldg(first + (begin + lane + e) * s.channels);
        } else {
#pragma unroll 8
            for (int e = begin + lane; e < end; e += CUDA_WARP)
                line[e % Planes * a.pitch + padded(Run, to + e / Planes)] =
                    (double)__ldg(first + (e / Planes * s.channels + e % Planes));
        }
#pragma unroll 1
        for (int i = share.part * CUDA_WARP + lane; i < count * Planes - (high - low); i += share.parts * CUDA_WARP) {
            const int e = i < low ? i : i + (high - low);
            const int64_t position = x + e / Planes;
            float v = 0.0f;
            if (position >= a.x && position < needed) {
                const int64_t column = halo_border_index(position + s.ox, s.width, s.border);
                v = counted(s, row < 0 || column < 0 ? s.outside : (float)from[column * s.channels + e % Planes]);
            }
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

/* Rows of `count` sums become outputs: made(sum, at) of the sum and its place in the row. */
template <int Run, typename D, int Planes, typename F>
__device__ __forceinline__ static void store(const MeanAlong &a, const Block &b, int count, const double *sums, F made)
{
    const MeanTarget &t = a.target;
    const Share share = share_of(a);
    const int lane = (int)threadIdx.x % CUDA_WARP, channels = a.source.channels;
    const int first = (int)cuda_max(0, a.x - b.x), last = (int)cuda_min(count, a.x + a.cols - b.x);
    for (int l = share.line; l < b.lines; l += share.lines) {
        D *const row = (D *)(t.data + (b.y + l - t.base) % t.ring * t.stride) + (b.x - a.x) * channels + b.channel;
        const double *const line = sums + l * Planes * a.sums_pitch;
        const int64_t place = ((b.y + l - t.first) * a.cols + b.x - a.x) * channels + b.channel;
        const int begin = max(first * Planes, part_begins(share, count * Planes, share.part));
        const int end = min(last * Planes, part_begins(share, count * Planes, share.part + 1));
        if (Planes == 1 && begin % CUDA_WARP == 0) {
            const double *const there = line + padded(Run, begin) + padded(Run, lane);
#pragma unroll 4
            for (int e = 0; e < end - begin - lane; e += CUDA_WARP)
                row[(begin + lane + e) * channels] =
                    made(there[e / CUDA_WARP * padded(Run, CUDA_WARP)], place + (begin + lane + e) * channels);
        } else {
#pragma unroll 4
            for (int e = begin + lane; e < end; e += CUDA_WARP) {
                const int at = e / Planes * channels + e % Planes;
                row[at] = made(line[e % Planes * a.sums_pitch + padded(Run, e / Planes)], place + at);
            }
        }
    }
}

template <int Run, typename D, typename F>
__device__ __forceinline__ static void store_planes(const MeanAlong &a, const Block &b, int count, const double *sums, F made)
{
    switch (a.planes) {
    case 1: store<Run, D, 1>(a, b, count, sums, made); break;
    case 2: store<Run, D, 2>(a, b, count, sums, made); break;
    case 3: store<Run, D, 3>(a, b, count, sums, made); break;
    default: store<Run, D, 4>(a, b, count, sums, made);
    }
}

template <int Run>
__device__ __forceinline__ static void store_typed(const MeanAlong &a, const Block &b, int count, const double *sums)
{
    const MeanTarget &t = a.target;
    unsigned clipped = 0;
    if (t.dtype == HALO_F64) {
        store_planes<Run, double>(a, b, count, sums, [](double sum, int64_t) { return sum; });
        return;
    }
    if (t.between) { /* for the other pass */
        store_planes<Run, float>(a, b, count, sums, [&](double sum, int64_t) { return (float)(sum * t.finish.inverse); });
        return;
    }
    cuda_typed(t.dtype, [&](auto zero) {
        using D = decltype(zero);
        store_planes<Run, D>(a, b, count, sums, [&](double sum, int64_t at) {
            const float mean = t.finish.counts == NULL ? mean_quotient(sum, t.finish)
                                                       : mean_counted(sum, t.finish, t.finish.counts[at]);
            return cuda_sample<D>(mean, t.store, &clipped);
        });
    });
    cuda_count(t.clipped, clipped);
}

/* Whatever is staged of the block's lines becomes its square. */
__device__ __forceinline__ static void square(const MeanAlong &a, double *tile)
{
    __syncthreads();
    for (int i = (int)threadIdx.x; i < a.planes * a.rows * a.pitch; i += (int)blockDim.x) tile[i] = tile[i] * tile[i];
}

/* ---- totals ------------------------------------------------------------------------------------------------------- */

/* Of the runs of a long line, for windows that shared memory does not hold. */
__global__ static void __launch_bounds__(mean_threads)
    totals_kernel(const __grid_constant__ MeanAlong a, int64_t first, int64_t runs, double *totals)
{
    CUDA_SHARED(double, tile);
    const int threads = mean_threads / (a.planes * a.rows);
    const int line = (int)threadIdx.x / threads;
    Block b = block_of(a, HALO_MEAN_RUN);
    const int64_t begins = blockIdx.x / (a.source.channels / a.planes) % a.segments * a.runs; /* counted from `first` */
    b.x = (first + begins) * HALO_MEAN_RUN;
    stage_typed<HALO_MEAN_RUN>(a, b, b.x, a.runs * HALO_MEAN_RUN, 0, tile);
    if (a.source.squares) square(a, tile);
    __syncthreads();
    if (line >= b.lines * a.planes) return;
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    for (int j = (int)threadIdx.x % threads; j < a.runs && begins + j < runs; j += threads) {
        const double *const samples = tile + line * a.pitch + j * (HALO_MEAN_RUN + 1);
        double total = samples[0];
        for (int k = 1; k < HALO_MEAN_RUN; k++) total = total + samples[k];
        totals[(begins + j) * a.lines * a.source.channels + element] = total;
    }
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

/* The sums of the windows that begin in run j of a line's piece; `element` of a line's. */
template <int Run>
__device__ __forceinline__ static void sum_run(const MeanAlong &a, const double *samples, const double *totals, int64_t run,
                                               int j, int64_t element, int upto, double sum[Run])
{
    const int ahead = (int)((a.window - 1) / Run), offset = (int)((a.window - 1) % Run), turn = Run - offset;
    const double *const starts = samples + j * (Run + 1);
    const double *const ends = samples + (a.apart ? a.runs + j : j + ahead) * (Run + 1), *const here = ends + offset;
    const auto between = [&](int more) {
        const int window = ahead - 1 + more;
        if (window < 1 || (more && offset == 0)) return HALO_MEAN_NOTHING;
        if (a.apart) return a.between.sums[more][(run + 1 - a.between.base) * a.between.totals.n + element];
        return mean_window((int)(run + 1), window, [&](int i) { return totals[j + 1 + i]; });
    };
    double end = mean_ahead<Run>(offset, [&](int i) { return ends[i]; });
    const double less = between(0), more = ahead == 1 || upto <= turn ? HALO_MEAN_NOTHING : between(1);
    mean_run_sums<Run>(offset, ahead == 1, less, more, [&](int k) { return starts[k]; },
                       [&](int k) { return (k < turn ? here : here + 1)[k]; }, &end, sum);
}

template <int Run>
__global__ static void __launch_bounds__(mean_threads, in_place(Run) ? 4 : 6)
    along_kernel(const __grid_constant__ MeanAlong a)
{
    CUDA_SHARED(double, tile);
    const int lines = a.planes * a.rows, threads = mean_threads / lines; /* of a line */
    const int line = (int)threadIdx.x / threads, first = (int)threadIdx.x % threads, segment = a.runs * Run;
    const int ahead = (int)((a.window - 1) / Run);
    const Block b = block_of(a, Run);
    const bool works = line < b.lines * a.planes;
    double *const sums = in_place(Run) ? tile : tile + lines * a.pitch;
    double *const totals = tile + lines * (a.pitch + (in_place(Run) ? 0 : a.sums_pitch)) + line * (a.runs + ahead + 1);
    const double *const samples = tile + line * a.pitch;
#pragma unroll 1
    for (int end = 0; end <= a.apart; end++)
        stage_typed<Run>(a, b, b.x + (int64_t)end * ahead * Run,
                         end ? segment + Run : a.apart ? segment : segment + (int)a.window - 1, end * segment, tile);
    if (a.source.squares) square(a, tile);
    __syncthreads();
    if (!a.apart && ahead > 1) {
        for (int r = first; works && r < a.runs + ahead; r += threads) {
            double total = samples[r * (Run + 1)];
#pragma unroll
            for (int k = 1; k < Run; k++) total = total + samples[r * (Run + 1) + k];
            totals[r] = total;
        }
        __syncthreads();
    }
    const int64_t element = (b.y - a.y + line / a.planes) * a.source.channels + b.channel + line % a.planes;
    double sum[Run] = {};
#pragma unroll 1
    for (int j = first; works && j < a.runs; j += threads) { /* once, where they go back in place */
        const int64_t run = b.x / Run + j;
        const int upto = (int)cuda_max(0, cuda_min(Run, a.x + a.cols - run * Run));
        if (a.window == 1)
            sum[0] = samples[j * (Run + 1)];
        else if (upto > 0)
            sum_run<Run>(a, samples, totals, run, j, element, upto, sum);
        if constexpr (!in_place(Run)) {
#pragma unroll
            for (int k = 0; k < Run; k++) sums[line * a.sums_pitch + j * (Run + 1) + k] = sum[k];
        }
    }
    if (in_place(Run)) {
        __syncthreads();
        if (works && first < a.runs)
#pragma unroll
            for (int k = 0; k < Run; k++) sums[line * a.sums_pitch + first * (Run + 1) + k] = sum[k];
    }
    __syncthreads();
    store_typed<Run>(a, b, segment, sums);
}

/* ---- laying out --------------------------------------------------------------------------------------------------- */

/* Outputs of a line's piece, at least: so that shared memory holds as many blocks as registers do. */
static int segment_of(int run) { return in_place(run) ? 1024 : 512; }

/* Blocks for runs of this size. Where there are few lines a block takes more of each. */
static void lay_out(MeanAlong *a, int run)
{
    const int channels = a->source.channels, warps = mean_threads / CUDA_WARP;
    a->planes = channels <= 4 ? channels : 1;
    a->rows = (int)cuda_max(1, cuda_min(a->lines, warps / a->planes));
    const int lines = a->planes * a->rows;
    a->runs = (lines >= 3 ? 1 : lines == 2 ? 2 : 4) * (segment_of(run) / (run < 2 ? 2 : run));
    a->segments = cuda_ceil_div(a->x + a->cols - a->x / run * run, (int64_t)a->runs * run);
    const int64_t segment = (int64_t)a->runs * run;
    const int64_t staged = cuda_min(1 << 24, a->apart ? 2 * segment + run : segment + a->window);
    a->pitch = padded(run, (int)staged) + 1;
    a->sums_pitch = in_place(run) ? a->pitch : padded(run, (int)segment) + 1;
}

static int64_t blocks_of(const MeanAlong *a)
{
    return a->source.channels / a->planes * a->segments * cuda_ceil_div(a->lines, a->rows);
}

static int64_t shared_of(const MeanAlong *a, int run)
{
    const int64_t ahead = (a->window - 1) / run, totals = a->apart || ahead < 2 ? 0 : a->runs + ahead + 1;
    return a->planes * a->rows * (a->pitch + (in_place(run) ? 0 : a->sums_pitch) + totals) * (int64_t)sizeof(double);
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
    CUDA_LAUNCH(device, along_kernel<Run>, blocks_of(&a), mean_threads, (int)shared_of(&a, Run), a);
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
    CUDA_LAUNCH(device, totals_kernel, blocks_of(&a), mean_threads,
                (int)(a.planes * a.rows * a.pitch * (int64_t)sizeof(double)), a, first, runs, totals);
    return HALO_OK;
}
