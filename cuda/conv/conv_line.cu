/* Masks of one row, of any length: sound, and the row pass of long separable masks.
 *
 * The accumulation is in conv_row.cuh. Each warp works on its own: it stages its samples, channel by channel,
 * and moves down its columns. The number of its threads in a line, and of its lines, depends on their length
 * and channels. */
#include "conv_line.cuh"

/* ---- storing -------------------------------------------------------------------------------------------- */

/* Numbers e to e + 3 of a line of outputs, whose channels lie `pitch` apart. */
__device__ __forceinline__ static void line_gather(float v[4], const float *tile, int e, int channels,
                                                   int pitch)
{
    if (channels == 1) {
        conv_load4(v, tile + e);
        return;
    }
    int i = e / channels, c = e - i * channels;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = tile[c * pitch + i];
        if (++c == channels) c = 0, i++;
    }
}

/* `tile` has the outputs in the layout of the samples, with all channels; they are stored in memory order. */
template <typename D, bool One>
__device__ __forceinline__ static void line_store(const LineArgs &args, const LinePlace &p, const float *tile,
                                                  int lane, unsigned *clipped)
{
    ConvTarget flat = args.all.conv.dst; /* channels side by side as if they were pixels */
    const int channels = One ? 1 : flat.channels;
    flat.cols *= channels;
    flat.channels = 1;
    const int64_t first = p.x * channels;
    const int count = (int)cuda_min(args.groups * line_own * channels, flat.cols - first);
    const bool usual = conv_plain(flat) && cuda_aligned(flat.data, flat.stride, 4 * sizeof(D));
#pragma unroll 1
    for (int l = 0; l < p.lines; l++, tile += args.planes * args.pitch) {
        D *const row = (D *)(flat.data + (p.y + l) * flat.stride) + first;
        int e = 4 * lane;
        if (usual)
#pragma unroll 2
            for (; e + 4 <= count; e += 4 * CUDA_WARP) {
                float v[4];
                line_gather(v, tile, e, channels, args.pitch);
                *reinterpret_cast<CudaWord<D> *>(row + e) = cuda_quantise4<D>(v, clipped);
            }
#pragma unroll 1
        for (; e < count; e += 4 * CUDA_WARP) {
            float v[4];
            line_gather(v, tile, e, channels, args.pitch);
            conv_store4<D>(flat, 0, first + e, p.y + l, v, clipped);
        }
    }
}

/* A thread's outputs of one channel, where a warp does not have them all. */
template <typename D>
__device__ __forceinline__ static void line_scatter(const ConvTarget &dst, int channel, int64_t x, int64_t y,
                                                    const float *acc, unsigned *clipped)
{
#pragma unroll
    for (int v = 0; v < line_own; v += 4)
        if (x + v < dst.cols) conv_store4<D>(dst, channel, x + v, y, acc + v, clipped);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* The start of a unit: units are numbered by rows, then by channels, then by x. */
__device__ __forceinline__ static LinePlace line_place(const LineArgs &args, unsigned unit)
{
    const ConvTarget &dst = args.all.conv.dst;
    const unsigned down = (unsigned)args.down, sets = (unsigned)args.sets, across = unit / down;
    LinePlace p;
    p.y = (int64_t)(unit % down) * args.lines;
    p.channel = (int)(across % sets) * args.planes;
    p.x = (int64_t)(across / sets) * (args.groups * line_own);
    p.planes = min(args.planes, dst.channels - p.channel);
    return p;
}

__device__ __forceinline__ static void line_next(const LineArgs &args, LinePlace *p)
{
    const ConvTarget &dst = args.all.conv.dst;
    p->y += args.lines;
    if (p->y < dst.rows) return;
    p->y = 0;
    p->channel += args.planes;
    if (p->channel >= dst.channels) {
        p->channel = 0;
        p->x += args.groups * line_own;
    }
    p->planes = min(args.planes, dst.channels - p->channel);
}

/* One: a single channel. Resume: accumulators start from sums. */
template <bool One, bool Resume>
__global__ static void __launch_bounds__(line_warps *CUDA_WARP, line_blocks)
    line_kernel(const __grid_constant__ LineArgs args)
{
    CUDA_SHARED(float, shared);
    const ConvArgs &a = args.all.conv;
    const int planes = One ? 1 : args.planes;
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const int row = lane / args.groups, own = lane % args.groups * line_own; /* row: of a line and a channel */
    const int line = One ? row : row / planes, plane = One ? 0 : row % planes;
    float *const tile = shared + warp * (args.lines * planes * args.pitch + line_ring) + line_ring;
    float *const samples = tile + (line < args.lines ? row : 0) * args.pitch + own;
    LinePlace p = line_place(args, (blockIdx.x * line_warps + warp) * args.each);
    unsigned clipped = 0;
#pragma unroll 1
    for (unsigned k = 0; k < args.each; k++, line_next(args, &p)) {
        p.lines = p.x < a.dst.cols ? (int)cuda_min(args.lines, a.dst.rows - p.y) : 0;
        const bool busy = line < p.lines && plane < p.planes && p.x + own < a.dst.cols;
        float acc[line_own] = {};
        if (Resume && busy)
#pragma unroll
            for (int v = 0; v < line_own; v++)
                if (p.x + own + v < a.dst.cols)
                    acc[v] =
                        *long_sum(args.all, (p.x + own + v) * a.dst.channels + p.channel + plane, p.y + line);
#pragma unroll 1
        for (int i0 = 0; i0 < a.width; i0 += args.chunk) {
            const int width = min(args.chunk, a.width - i0);
            cuda_typed(a.src.dtype, [&](auto zero) {
                line_stage<decltype(zero), One>(args, p, i0, args.groups * line_own + width - 1, tile, lane);
            });
            __pipeline_commit();
            __pipeline_wait_prior(0);
            __syncwarp();
            line_chunk(acc, samples, args.all.tap + i0 / 2,
                       width); /* by all, so that taps are read by the whole warp */
            __syncwarp();
        }
        if (!One && args.sets > 1) {
            if (busy)
                cuda_typed(a.dst.dtype, [&](auto zero) {
                    line_scatter<decltype(zero)>(a.dst, p.channel + plane, p.x + own, p.y + line, acc,
                                                 &clipped);
                });
            continue;
        }
        if (busy)
#pragma unroll
            for (int v = 0; v < line_own; v += 4)
                *reinterpret_cast<float4 *>(samples + v) =
                    make_float4(acc[v], acc[v + 1], acc[v + 2], acc[v + 3]);
        __syncwarp();
        cuda_typed(a.dst.dtype,
                   [&](auto zero) { line_store<decltype(zero), One>(args, p, tile, lane, &clipped); });
        __syncwarp();
    }
    cuda_count_clipped(a.dst.clipped, clipped);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

static int line_shared(const LineArgs *args)
{
    /* Each warp's samples have a few before them, which are loaded too. */
    return line_warps * (args->lines * args->planes * args->pitch + line_ring) * (int)sizeof(float);
}

/* Chooses how many threads of a warp process one line, and how many lines a warp has: the shape with the least
 * instructions (counted on sm_90). These are the taps, and for staging and storing some per unit, line and
 * sample. */
static void choose_shape(LineArgs *args, const ConvTarget *dst, int taps)
{
    const int64_t wanted = cuda_ceil_div(dst->cols, line_own);
    double best = 0;
    for (int groups = (int)cuda_min(CUDA_WARP / args->planes, wanted); groups > 0; groups--) {
        const int lines = (int)cuda_min(dst->rows, CUDA_WARP / (groups * args->planes));
        const double busy = (double)wanted / (double)cuda_ceil_div(wanted, groups) * lines;
        const double samples = (double)(groups * line_own + taps) * args->planes / CUDA_WARP;
        const double work = (double)line_own * taps + 200.0 + lines * (120.0 + 3.0 * samples);
        if (busy / work <= best) continue;
        best = busy / work;
        args->groups = groups;
        args->lines = lines;
    }
    args->chunk = conv_round4(taps);
    for (;;) { /* threads load a few samples past the last; each channel begins in the bank after the previous
                  one */
        args->pitch = args->groups * line_own + (args->chunk + line_ring + 31) / 32 * 32;
        if (line_shared(args) <= line_bytes) return;
        if (args->chunk > line_least)
            args->chunk = conv_round4(args->chunk / 2);
        else if (args->lines > 1)
            args->lines--;
        else
            return;
    }
}

static HaloStatus launch(HaloDevice *device, const LongArgs *all)
{
    const ConvTarget *dst = &all->conv.dst;
    LineArgs args = {};
    args.all = *all;
    const int sets = (int)cuda_ceil_div(dst->channels, CUDA_WARP);
    args.planes = (int)cuda_ceil_div(dst->channels, sets);
    args.sets = (int)cuda_ceil_div(dst->channels, args.planes);
    choose_shape(&args, dst, all->conv.width);
    args.down = cuda_ceil_div(dst->rows, args.lines);
    const int64_t units = cuda_ceil_div(dst->cols, args.groups * line_own) * args.sets * args.down;
    if (units > INT32_MAX)
        return halo_fail(HALO_ERR_LIMIT, "too large for the GPU: %lld units of work: use --device cpu",
                         (long long)units);
    /* As many warps as run at a time. */
    args.each = (unsigned)cuda_ceil_div(units, (int64_t)device->properties.multiProcessorCount * line_blocks *
                                                   line_warps);
    const int64_t blocks = cuda_ceil_div(cuda_ceil_div(units, args.each), line_warps);
    const int threads = line_warps * CUDA_WARP, shared = line_shared(&args);
    if (all->sums)
        CUDA_LAUNCH(device, (line_kernel<false, true>), blocks, threads, shared, args);
    else if (dst->channels == 1)
        CUDA_LAUNCH(device, (line_kernel<true, false>), blocks, threads, shared, args);
    else
        CUDA_LAUNCH(device, (line_kernel<false, false>), blocks, threads, shared, args);
    return HALO_OK;
}

HaloStatus conv_line(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    return long_pieces(device, conv, tap, launch);
}
