/* A single row, such as sound. Outputs `up` apart have the same taps, over samples `down` further on: the lanes
 * of a warp compute them side by side. A thread computes eight neighbours, whose taps cover nearly the same
 * samples, so that a loaded sample serves eight sums, and a loaded tap all sums that the thread computes with
 * it. */
#include <cuda_pipeline.h>

#include "resample.cuh"

/* Neighbours that a thread computes; sums of a thread; warps of a block, at most, so that two blocks are
 * resident. */
static const int line_side = 8, line_sums = 32, line_warps = 10;
/* Samples whose taps a warp loads at once, the number of these taps, and the number of buffers. */
static const int line_chunk = 16, line_taps = line_chunk * line_side, line_chunks = 3;
/* The least number of samples between the outputs of two lanes, and of outputs. */
static const int64_t line_step = 64, line_outputs = 32;
/* Floats that two blocks of a multiprocessor, or one, can stage; and the largest table of taps, in bytes. */
static const int64_t line_two = 24000, line_one = 52000, line_table = (int64_t)64 << 20;

/* Eight neighbours, and the samples under any of their taps: counted from the first of these, neighbour k has
 * taps over [from[k], to[k]), all have taps over [all_from, all_to), and none from all_end on. */
struct LineGroup {
    int first; /* of these samples, counted from the tile's */
    int all_from, all_to, all_end;
    int from[line_side], to[line_side];
};

struct LineArgs {
    ResampleArgs all;
    int64_t begin, outputs; /* that read nothing outside the source, and their number */
    int64_t first;          /* the first sample of the first of them */
    float column;           /* the vertical tap */
    LineGroup *group;
    float *tap; /* [groups][window][line_side]: 0 where a neighbour has none */
    int groups, window;
    int up, down;          /* between neighbouring lanes */
    int pad, rows, staged; /* words skipped after each `down` samples; outputs of a tile that are `up` apart;
                              samples that they read */
};

/* ---- taps per neighbour ---------------------------------------------------------------------------------- */

__global__ static void group_kernel(const __grid_constant__ LineArgs a)
{
    const int k = (int)threadIdx.x % line_side, g = (int)blockIdx.x;
    LineGroup *const group = a.group + g;
    int64_t first, mine;
    resample_row(a.all.x, a.begin + g * line_side, &first);
    /* The last output is repeated after the end: its sums are not stored. */
    const int64_t row = resample_row(a.all.x, a.begin + min(g * line_side + k, a.up - 1), &mine);
    const int from = (int)(mine - first), to = from + (int)a.all.x.count[row];
    if ((int)threadIdx.x < line_side) {
        group->from[k] = from;
        group->to[k] = to;
        int all_from = from, all_to = to, all_end = to;
        for (int d = line_side / 2; d > 0; d /= 2) {
            all_from = max(all_from, __shfl_xor_sync(0xff, all_from, d));
            all_to = min(all_to, __shfl_xor_sync(0xff, all_to, d));
            all_end = max(all_end, __shfl_xor_sync(0xff, all_end, d));
        }
        if (k == 0) {
            group->first = (int)(first - a.first);
            group->all_from = all_from;
            group->all_to = max(all_from, all_to);
            group->all_end = all_end;
        }
    }
    float *const tap = a.tap + (int64_t)g * a.window * line_side;
    for (int i = (int)threadIdx.x; i < a.window * line_side; i += (int)blockDim.x) {
        const int s = i / line_side;
        tap[i] = s >= from && s < to ? a.all.x.tap[row * a.all.x.taps + s - from] : 0.0f;
    }
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* Stages the samples of the tile, which begin with sample `first` of the row: `pad` words are skipped after
 * each `down`, so that lanes, which are `down` apart, use different banks. */
template <int Channels>
__device__ static void line_stage(const LineArgs &a, int64_t first, int channel, float *tile)
{
    const int warps = (int)blockDim.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t left = a.all.src_x + a.all.src_cols - first, staged = cuda_min(a.staged, left);
    cuda_typed(a.all.src_dtype, [&](auto zero) {
        using S = decltype(zero);
        const S *const row = (const S *)a.all.src + (first - a.all.src_x) * a.all.channels + channel;
        for (int r = (int)threadIdx.x / CUDA_WARP; r * a.down < staged; r += warps) {
            const S *const from = row + (int64_t)r * a.down * a.all.channels;
            float *const to = tile + r * (a.down + a.pad) * Channels;
            const int count = (int)cuda_min(a.down, staged - r * a.down);
            for (int i = lane; i < count; i += CUDA_WARP)
#pragma unroll
                for (int c = 0; c < Channels; c++)
                    to[i * Channels + c] = (float)from[(int64_t)i * a.all.channels + c];
        }
    });
}

/* The place of a sample in the tile, counted from those of output 0 of a warp; `left` samples until words are
 * skipped. */
struct LinePlace {
    int at, left;
};

CUDA_INLINE LinePlace line_place(const LineArgs &a, int sample)
{
    const int turns = sample / a.down;
    return {sample + turns * a.pad, (turns + 1) * a.down - sample};
}

template <int Channels, int Own> struct LineSums {
    float sum[Own][line_side][Channels];
    const float *lane[Own]; /* the first sample of the tile that the thread's outputs may read */

    __device__ __forceinline__ void take(int o, int k, float tap, const float *at)
    {
#pragma unroll
        for (int c = 0; c < Channels; c++) sum[o][k][c] = halo_fma(tap, at[c], sum[o][k][c]);
    }

    /* Starts to load the taps of a chunk of samples. */
    static __device__ __forceinline__ void fetch(const float *tap, float *ring)
    {
        const int mine = (int)threadIdx.x % CUDA_WARP * 4;
        __pipeline_memcpy_async(ring + mine, tap + mine, 16);
    }

    /* Taps over samples [from, to) at an end, where only some of the neighbours have any: one neighbour after
     * the other. Words are skipped at most once among these samples. */
    __device__ __forceinline__ void end(const LineArgs &a, const LineGroup &group, const float *tap,
                                        float *ring, int from, int to)
    {
        const LinePlace place = line_place(a, group.first + from);
        for (int chunk = from; chunk < to; chunk += line_chunk) {
            __syncwarp(); /* all lanes are done with the previous taps */
            fetch(tap + chunk * line_side, ring);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            __syncwarp();
#pragma unroll
            for (int k = 0; k < line_side; k++) {
                const int last = min(min(to, chunk + line_chunk), group.to[k]);
#pragma unroll 1
                for (int s = max(chunk, group.from[k]); s < last; s++) {
                    const int further = s - from, at = place.at + further + (further >= place.left ? a.pad : 0);
                    const float t = ring[(s - chunk) * line_side + k];
#pragma unroll
                    for (int o = 0; o < Own; o++) take(o, k, t, lane[o] + at * Channels);
                }
            }
        }
    }

    /* One sample, or one of each channel, for all neighbours. */
    __device__ __forceinline__ void step(const float *tap, int at)
    {
        const float4 low = ((const float4 *)tap)[0], high = ((const float4 *)tap)[1];
        const float t[line_side] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int o = 0; o < Own; o++) {
            float v[Channels];
            if (Channels == 2)
                *reinterpret_cast<float2 *>(v) = *reinterpret_cast<const float2 *>(lane[o] + at * Channels);
            else
                v[0] = lane[o][at];
#pragma unroll
            for (int k = 0; k < line_side; k++) take(o, k, t[k], v);
        }
    }

    /* Taps over samples [from, to), which all neighbours have: chunk by chunk, loaded two ahead. */
    __device__ __forceinline__ void middle(const LineArgs &a, const LineGroup &group, const float *tap,
                                           float *ring, int from, int to)
    {
        LinePlace place = line_place(a, group.first + from);
        const auto load = [&](int chunk) {
            if (from + chunk * line_chunk < to)
                fetch(tap + (from + chunk * line_chunk) * line_side, ring + chunk % line_chunks * line_taps);
            __pipeline_commit();
        };
        for (int i = 0; i < line_chunks - 1; i++) load(i);
#pragma unroll 1
        for (int chunk = 0; chunk * line_chunk < to - from; chunk++) {
            __syncwarp(); /* all lanes are done with the previous chunk */
            load(chunk + line_chunks - 1);
            __pipeline_wait_prior(line_chunks - 1);
            __syncwarp();
            const float *const t = ring + chunk % line_chunks * line_taps;
            const int count = min(to - from - chunk * line_chunk, line_chunk);
            if (count == line_chunk && place.left > line_chunk) {
#pragma unroll
                for (int i = 0; i < line_chunk; i++) step(t + i * line_side, place.at + i);
                place.at += line_chunk;
                place.left -= line_chunk;
                continue;
            }
#pragma unroll 1
            for (int i = 0; i < count; i++) {
                step(t + i * line_side, place.at++);
                if (--place.left > 0) continue;
                place.left = a.down;
                place.at += a.pad;
            }
        }
        __syncwarp();
    }
};

/* Channels go in pairs if their number is even, else each in its own blocks. */
template <int Channels, int Own>
__global__ static void __launch_bounds__(line_warps *CUDA_WARP, 2)
    line_kernel(const __grid_constant__ LineArgs a, unsigned tiles)
{
    CUDA_SHARED(float, shared);
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP,
              warps = (int)blockDim.x / CUDA_WARP;
    float *const ring = shared + warp * line_chunks * line_taps;
    float *const tile = shared + warps * line_chunks * line_taps;
    const unsigned plane = blockIdx.x / tiles, t = blockIdx.x - plane * tiles, channel = plane * Channels;
    line_stage<Channels>(a, a.first + (int64_t)t * a.rows * a.down, (int)channel, tile);
    __syncthreads();
    unsigned clipped = 0;
    for (int g = warp; g < a.groups; g += warps) {
        const LineGroup &group = a.group[g];
        const float *const tap = a.tap + (int64_t)g * a.window * line_side;
        LineSums<Channels, Own> s = {};
#pragma unroll
        for (int o = 0; o < Own; o++) s.lane[o] = tile + (lane + o * CUDA_WARP) * (a.down + a.pad) * Channels;
        s.end(a, group, tap, ring, 0, group.all_from);
        __syncwarp();
        s.middle(a, group, tap, ring, group.all_from, group.all_to);
        s.end(a, group, tap, ring, group.all_to, group.all_end);
        cuda_typed(a.all.dst_dtype, [&](auto zero) {
            using D = decltype(zero);
#pragma unroll
            for (int o = 0; o < Own; o++) {
                const int64_t i = ((int64_t)t * a.rows + lane + o * CUDA_WARP) * a.up + g * line_side;
                const int count =
                    (int)cuda_min(a.outputs - i, a.up - g * line_side); /* of existing neighbours */
                D *const to = (D *)a.all.dst + (a.begin - a.all.dst_x + i) * a.all.channels + channel;
#pragma unroll
                for (int k = 0; k < line_side; k++)
                    if (k < count)
#pragma unroll
                        for (int c = 0; c < Channels; c++)
                            to[k * a.all.channels + c] =
                                cuda_sample<D>(halo_fma(a.column, s.sum[o][k][c], 0.0f), a.all.store, &clipped);
            }
        });
    }
    cuda_count_clipped(a.all.clipped, clipped);
}

/* The few outputs with cut taps: elements [0, left) of the destination, and from `right` on. */
__global__ static void end_kernel(const __grid_constant__ LineArgs a, int64_t left, int64_t right)
{
    int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned clipped = 0;
    if (e >= left) e += right - left;
    if (e < a.all.cols * a.all.channels)
        cuda_typed(a.all.src_dtype, [&](auto zero) {
            const float sum = resample_horizontal<decltype(zero)>(a.all, e, a.all.src);
            resample_store(a.all, e, 0, halo_fma(a.column, sum, 0.0f), &clipped);
        });
    cuda_count_clipped(a.all.clipped, clipped);
}

/* ---- tiles ----------------------------------------------------------------------------------------------- */

/* Does the output have all of its taps, and share them with others? */
static bool is_inside(const HaloResampleAxis *x, int64_t i)
{
    const HaloResampleTaps taps = halo_resample_at(x, i);
    if (i < x->left || i >= x->size - x->right) return false;
    return !x->cut || taps.count == x->count[x->left + (i - x->left) % x->up];
}

/* Floats of a channel in a tile. */
static int64_t line_floats(const LineArgs *a) { return a->staged + cuda_ceil_div(a->staged, a->down) * a->pad; }

/* Finds the outputs inside, and cuts them into tiles; false if that is not possible. */
static bool lay_out(const ResampleArgs *args, const HaloResample *host, LineArgs *a)
{
    const HaloResampleAxis *const x = &host->x;
    int64_t end = args->dst_x + args->cols;
    if (args->rows != 1 || x->up < 1 || x->down < 1 || halo_resample_at(&host->y, args->dst_y).count != 1)
        return false;
    a->begin = args->dst_x;
    while (a->begin < end && !is_inside(x, a->begin)) a->begin++;
    while (a->begin < end && !is_inside(x, end - 1)) end--;
    a->outputs = end - a->begin;
    if (x->up > line_one || x->down > line_one || a->outputs < 1) return false;
    const int64_t times = cuda_max(cuda_ceil_div(line_step, x->down), cuda_ceil_div(line_outputs, x->up));
    const int64_t up = x->up * times, down = x->down * times,
                  samples = x->taps + line_side * x->down / x->up + 2;
    const int64_t window = samples + line_chunk; /* complete chunks are loaded */
    if (a->outputs < up || window * up * (int64_t)sizeof(float) > line_table) return false;
    a->up = (int)up;
    a->down = (int)down;
    a->pad = down % 2 == 0;
    a->window = (int)window;
    a->groups = (int)cuda_ceil_div(up, line_side);
    a->first = halo_resample_at(x, a->begin).first;
    a->column = halo_resample_at(&host->y, args->dst_y).tap[0];
    const int channels = args->channels % 2 == 0 ? 2 : 1;
    for (int own = line_sums / line_side / channels; own >= 1; own /= 2) {
        a->rows = own * CUDA_WARP;
        a->staged = (int)(a->rows * down + window + 1);
        if (line_floats(a) * channels <= (own > 1 ? line_two : line_one)) return true;
    }
    return false;
}

bool resample_line_takes(const ResampleArgs *args, const HaloResample *host)
{
    LineArgs a = {};
    return lay_out(args, host, &a);
}

template <int Channels, int Own> static HaloStatus launch(HaloDevice *device, const LineArgs *a)
{
    const int64_t tiles = cuda_ceil_div(a->outputs, (int64_t)a->rows * a->up);
    const int rounds = (int)cuda_ceil_div(a->groups, line_warps), warps = (int)cuda_ceil_div(a->groups, rounds);
    const int shared = ((int)line_floats(a) * Channels + warps * line_chunks * line_taps) * (int)sizeof(float);
    CUDA_LAUNCH(device, (line_kernel<Channels, Own>), tiles * (a->all.channels / Channels), warps * CUDA_WARP,
                shared, *a, (unsigned)tiles);
    return HALO_OK;
}

HaloStatus resample_line(HaloDevice *device, const ResampleArgs *args, const HaloResample *host)
{
    LineArgs a = {};
    void *there;
    lay_out(args, host, &a);
    a.all = *args;
    a.all.src += (halo_resample_at(&host->y, args->dst_y).first - args->src_y) * args->src_stride;
    const int64_t taps = (int64_t)a.groups * a.window * line_side * (int64_t)sizeof(float);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_BETWEEN, taps + a.groups * (int64_t)sizeof(LineGroup), &there));
    a.tap = (float *)there;
    a.group = (LineGroup *)((char *)there + taps);
    CUDA_LAUNCH(device, group_kernel, a.groups, 256, 0, a);
    const int64_t left = (a.begin - args->dst_x) * args->channels, right = left + a.outputs * args->channels;
    const int64_t ends = args->cols * args->channels - (right - left);
    if (ends > 0) CUDA_LAUNCH(device, end_kernel, cuda_ceil_div(ends, 64), 64, 0, a, left, right);
    if (args->channels % 2 == 0)
        return a.rows == 2 * CUDA_WARP ? launch<2, 2>(device, &a) : launch<2, 1>(device, &a);
    if (a.rows == 4 * CUDA_WARP) return launch<1, 4>(device, &a);
    return a.rows == 2 * CUDA_WARP ? launch<1, 2>(device, &a) : launch<1, 1>(device, &a);
}
