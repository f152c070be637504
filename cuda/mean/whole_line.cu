/* Means of whole numbers along lines, where windows have long runs and their sums fit f32: these are exact in any order. A block
 * stages a piece of a line in shared memory; there a thread makes the sums from every sample of a run to its last, or from its
 * first to every sample. Then all threads go along the outputs, side by side: each is one sum of either kind, and what lies
 * between them. */
#include "along_lines.cuh"

static const int line_runs = 64; /* of a block's outputs, of all channels together: one for two threads */
static const int line_channels = 8;
static const int line_batch = 4; /* outputs of a thread at a time */

/* What a plane has in shared memory: sums from samples on, sums up to samples, and for each run what lies between, twice. */
struct WholeLine {
    MeanAlong along;
    int ahead, offset; /* windows of a run's first sample end so many runs further on, at this sample */
    int starts_pitch, ends_pitch;
    bool plain; /* means are stored as they are */
};

struct LinePlane {
    float *starts, *ends, *between; /* `ends` of the run behind the first on */
};

__device__ __forceinline__ static LinePlane plane_of(const WholeLine &a, float *sums, int plane)
{
    float *const starts = sums + plane * (a.starts_pitch + a.ends_pitch + 2 * a.along.runs);
    return {starts, starts + a.starts_pitch, starts + a.starts_pitch + a.ends_pitch};
}

/* ---- sums ---------------------------------------------------------------------------------------------------------- */

/* Runs are a place apart, as in the tile. */
__device__ __forceinline__ static unsigned padded(unsigned i) { return i + i / HALO_MEAN_RUN; }

/* Both kinds of sums of every run, one kind a thread. */
__device__ __forceinline__ static void sum_runs(const WholeLine &a, const float *tile, float *sums)
{
    constexpr int run = HALO_MEAN_RUN;
    const int runs = a.along.runs, units = 2 * runs + a.ahead; /* of a plane: a start for each run, an end for each behind the first */
    for (int u = (int)threadIdx.x; u < units * a.along.planes; u += mean_threads) {
        const int plane = u / units, unit = u - plane * units;
        const bool start = unit < runs;
        const int at = (start ? unit : unit - runs + 1) * (run + 1), step = start ? -1 : 1;
        const LinePlane p = plane_of(a, sums, plane);
        const float *from = tile + plane * a.along.pitch + at + (start ? run - 1 : 0);
        float *to = start ? p.starts + at + run - 1 : p.ends + at - (run + 1);
        float sum = *from;
        *to = sum;
#pragma unroll 8
        for (int k = 1; k < run; k++) {
            from += step;
            to += step;
            sum = sum + *from;
            *to = sum;
        }
    }
}

/* Of every run, the sum of what lies between it and the run that windows end in, before and after that is the next. */
__device__ __forceinline__ static void sum_between(const WholeLine &a, float *sums)
{
    const int runs = a.along.runs;
    for (int u = (int)threadIdx.x; u < runs * a.along.planes; u += mean_threads) {
        const int plane = u / runs, j = u - plane * runs;
        const LinePlane p = plane_of(a, sums, plane);
        const float *total = p.ends + j * (HALO_MEAN_RUN + 1) + HALO_MEAN_RUN - 1;
        float sum = 0.0f;
#pragma unroll 4
        for (int i = 1; i < a.ahead; i++, total += HALO_MEAN_RUN + 1) sum = sum + *total;
        p.between[2 * j] = sum;
        p.between[2 * j + 1] = sum + *total;
    }
}

/* Outputs [begin, end) of the planes' samples, interleaved. */
template <bool One>
__device__ __forceinline__ static void put_means(const WholeLine &a, float *sums, int begin, int end, char *row, unsigned *clipped)
{
    constexpr int run = HALO_MEAN_RUN, batch = line_batch;
    const MeanTarget &t = a.along.target;
    const Deal<One> deal = {a.along.by_planes};
    const int turn = run - a.offset, apart = (a.ahead - 1) * run + a.offset; /* from `ends` of the sample to that of the window's last */
    for (int first = begin + (int)threadIdx.x; first < end; first += batch * mean_threads) {
        double sum[batch];
        float mean[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
            const int e = first + i * mean_threads;
            sum[i] = 0.0;
            if (e >= end) continue;
            const unsigned pixel = (unsigned)deal.pixel(e), last = pixel + apart;
            const LinePlane p = plane_of(a, sums, deal.plane(e));
            const float before = p.starts[padded(pixel)] + p.between[pixel / run * 2 + (pixel % run >= (unsigned)turn)];
            sum[i] = (double)(before + p.ends[padded(last)]);
        }
        mean_quotients<batch>(sum, t.finish, mean);
        if (!a.plain)
#pragma unroll
            for (int i = 0; i < batch; i++) mean[i] = cuda_rescale(mean[i], t.store);
        cuda_typed(t.dtype, [&](auto zero) {
            using D = decltype(zero);
#pragma unroll
            for (int i = 0; i < batch; i++) {
                const int e = first + i * mean_threads;
                if (e < end) ((D *)row)[e] = cuda_sample<D>(mean[i], {1.0f, 1.0f}, clipped);
            }
        });
    }
}

/* ---- a piece of a line --------------------------------------------------------------------------------------------- */

__global__ static void __launch_bounds__(mean_threads) line_kernel(const __grid_constant__ WholeLine a)
{
    CUDA_SHARED(float, sums);
    const MeanAlong &l = a.along;
    const MeanTarget &t = l.target;
    const Block b = block_of(l, HALO_MEAN_RUN);
    const int segment = l.runs * HALO_MEAN_RUN;
    float *const tile = reinterpret_cast<float *>(sums + l.planes * (a.starts_pitch + a.ends_pitch + 2 * l.runs));
    unsigned clipped = 0;
    stage_typed<HALO_MEAN_RUN>(l, b, b.x, segment + (int)l.window - 1, 0, tile);
    mean_fetched();
    __syncthreads();
    sum_runs(a, tile, sums);
    __syncthreads();
    sum_between(a, sums);
    __syncthreads();
    const int begin = (int)cuda_max(0, l.x - b.x) * l.planes, end = (int)cuda_min(segment, l.x + l.cols - b.x) * l.planes;
    const int64_t size = t.dtype == HALO_U8 ? 1 : t.dtype == HALO_U16 ? 2 : 4;
    char *const row = t.data + (b.y - t.base) * t.stride + (b.x - l.x) * l.planes * size;
    if (l.planes == 1)
        put_means<true>(a, sums, begin, end, row, &clipped);
    else
        put_means<false>(a, sums, begin, end, row, &clipped);
    cuda_count_clipped(t.clipped, clipped);
}

/* ---- launching ---------------------------------------------------------------------------------------------------- */

static WholeLine line_of(const MeanJob *job)
{
    WholeLine a = {};
    MeanAlong &l = a.along;
    const int run = HALO_MEAN_RUN;
    l.source = job->source;
    l.target = job->target;
    l.target.finish.count = (double)job->window.width; /* nothing is scaled to lie between two passes */
    l.target.finish.inverse = 1.0 / l.target.finish.count;
    l.window = job->window.width;
    l.x = job->x;
    l.cols = job->cols;
    l.y = job->y;
    l.lines = job->rows;
    l.planes = job->source.channels;
    l.by_planes = cuda_divisor(l.planes);
    l.rows = 1;
    l.runs = line_runs / l.planes;
    l.segments = cuda_ceil_div(l.x + l.cols - l.x / run * run, (int64_t)l.runs * run);
    a.ahead = (int)((l.window - 1) / run);
    a.offset = (int)((l.window - 1) % run);
    a.plain = job->target.store.num == 1.0f && job->target.store.den == 1.0f;
    a.starts_pitch = l.runs * (run + 1);
    a.ends_pitch = (l.runs + a.ahead) * (run + 1);
    l.pitch = (l.runs + a.ahead + 1) * (run + 1);
    return a;
}

static int64_t shared_of(const WholeLine *a)
{
    const MeanAlong &l = a->along;
    return l.planes * (a->starts_pitch + a->ends_pitch + 2 * l.runs + l.pitch) * (int64_t)sizeof(float);
}

bool mean_whole_line_takes(const MeanJob *job)
{
    const int64_t width = job->window.width;
    if (job->window.height != 1 || halo_mean_run(width) != HALO_MEAN_RUN || job->source.channels > line_channels) return false;
    if (width > mean_exact || width * mean_white(job) > mean_exact) return false;
    const WholeLine a = line_of(job);
    return shared_of(&a) <= (int64_t)job->device->shared_most;
}

HaloStatus mean_whole_line(const MeanJob *job)
{
    const WholeLine a = line_of(job);
    CUDA_LAUNCH(job->device, line_kernel, a.along.segments * a.along.lines, mean_threads, (int)shared_of(&a), a);
    return HALO_OK;
}
