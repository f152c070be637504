/* Dense masks of any size and shape. A block makes lines of outputs; mask row by mask row, each thread runs
 * over the taps of its line as the row pass does (conv_row.cuh), so that the chain of every output is unbroken.
 */
#include "conv_dense.cuh"

/* Few large blocks: the warps of a block share taps, which must stay in the constant cache. */
static const int dense_threads = 256;
static const int dense_blocks = 3;         /* of a multiprocessor */
static const int64_t dense_shared = 73000; /* bytes of shared memory of a block */

/* Samples [x, x + cols) of rows [y, y + rows), but those that no output needs: one warp a row. */
template <typename S>
__device__ __forceinline__ static void dense_stage(const ConvSource &src, int channel, int64_t x, int64_t y,
                                                   int cols, int rows, float *tile, int pitch)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    cols = (int)cuda_min(cols, src.x_end - x);
    rows = (int)cuda_min(rows, src.y_end - y);
    const int first = (int)cuda_min(cuda_max(-x, 0), cols),
              end = (int)cuda_max(first, cuda_min(src.width - x, cols));
#pragma unroll 1
    for (int r = (int)threadIdx.x / CUDA_WARP; r < rows; r += dense_threads / CUDA_WARP) {
        const int64_t iy = halo_border_index(y + r, src.height, src.border);
        const S *const line =
            (const S *)(src.data + (iy - src.y0) * src.stride) - src.x0 * src.channels + channel;
        const int from = iy < 0 ? 0 : first, to = iy < 0 ? 0 : end;
        float *const row = tile + r * pitch;
        if (src.channels == 1)
            line_stage_one(row + from, line + (x + from), to - from, lane);
        else
            line_stage_some(row + from, line + (x + from) * src.channels, src.channels, to - from, 1, 0, lane);
        if (to - from < cols) line_stage_edges(src, row, iy < 0 ? NULL : line, x, from, to, cols, 1, 0, lane);
    }
}

/* Floats from line to line of outputs in shared memory, without bank conflicts. */
__host__ __device__ static int dense_transposed(const DenseArgs &args) { return args.groups * (line_own + 1); }

/* Stores outputs of one channel of several. They are transposed in shared memory, so that neighbouring threads
 * store neighbouring outputs. */
__device__ __forceinline__ static void dense_store(const DenseArgs &args, int channel, int64_t x, int64_t y,
                                                   const float acc[line_own], float *shared, unsigned *clipped)
{
    const ConvTarget &dst = args.conv.dst;
    const int width = args.groups * line_own, pitch = dense_transposed(args);
    const int mine = (int)threadIdx.x / args.groups * pitch + (int)threadIdx.x % args.groups * (line_own + 1);
    __syncthreads(); /* all threads are done with the samples */
#pragma unroll
    for (int v = 0; v < line_own; v++) shared[mine + v] = acc[v];
    __syncthreads();
    cuda_typed(dst.dtype, [&](auto zero) {
        using D = decltype(zero);
        for (int i = (int)threadIdx.x; i < args.lines * width; i += dense_threads) {
            const int line = i / width, col = i % width;
            if (x + col < dst.cols && y + line < dst.rows)
                ((D *)(dst.data + (y + line) * dst.stride))[(x + col) * dst.channels + channel] =
                    cuda_sample<D>(conv_affine(dst, shared[line * pitch + col + col / line_own]), dst.store,
                                   clipped);
        }
    });
}

/* Resume: accumulators start from sums. */
template <bool Resume>
__global__ static void __launch_bounds__(dense_threads, dense_blocks)
    dense_kernel(const __grid_constant__ DenseArgs args)
{
    CUDA_SHARED(float, shared);
    float *const tile = shared + line_ring; /* a few samples before the first are loaded */
    const ConvArgs &a = args.conv;
    const ConvTarget &dst = a.dst;
    const int group = (int)threadIdx.x % args.groups * line_own, line = (int)threadIdx.x / args.groups;
    const unsigned place = blockIdx.x / dst.channels, across = (unsigned)a.tiles_x;
    const int channel = (int)(blockIdx.x % dst.channels);
    const int64_t x = (int64_t)(place % across) * (args.groups * line_own),
                  y = (int64_t)(place / across) * args.lines;
    const DenseOnly &only = args.only;
    if (only.nonfinite != NULL && (only.nonfinite[place] || (only.rest && only.redo[place])) != only.rest)
        return;
    const bool busy = x + group < dst.cols && y + line < dst.rows;
    const bool used = __any_sync(CUDA_ALL, busy); /* taps are read by whole warps */
    float acc[line_own] = {};
    if (Resume && busy) {
        const float *const sums =
            (const float *)(args.sums + (y + line) * args.sums_stride) + (x + group) * dst.channels + channel;
#pragma unroll
        for (int v = 0; v < line_own; v++)
            if (x + group + v < dst.cols) acc[v] = sums[v * dst.channels];
    }
    int r = 0;
#pragma unroll 1
    for (int k = 0; k < args.stages; k++) {
        const DenseStage &s = args.stage[k];
        __syncthreads(); /* all threads are done with the stage before */
        cuda_typed(a.src.dtype, [&](auto zero) {
            dense_stage<decltype(zero)>(a.src, channel, a.x_first + x + s.x, a.y_first + y + s.y,
                                        args.groups * line_own + s.cols - 1, args.lines + s.rows - 1, tile,
                                        s.pitch);
        });
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        const float *const samples = tile + line * s.pitch + group;
        if (used)
#pragma unroll 1
            for (; r < s.end; r++)
                line_chunk(acc, samples + args.run[r].at, args.tap + args.run[r].pair, args.run[r].taps);
        r = s.end;
    }
    if (busy && only.nonfinite != NULL && args.last && !only.rest && dst.dtype == HALO_F32) {
        bool redo = false;
#pragma unroll
        for (int v = 0; v < line_own; v++) redo = redo || __float_as_uint(acc[v]) == 0x80000000u;
        if (redo) only.redo[place] = 1;
    }
    unsigned clipped = 0;
    if (dst.channels > 1)
        dense_store(args, channel, x, y, acc, shared, &clipped);
    else if (busy)
        cuda_typed(dst.dtype, [&](auto zero) {
#pragma unroll
            for (int v = 0; v < line_own; v += 4)
                if (x + group + v < dst.cols)
                    conv_store4<decltype(zero)>(dst, channel, x + group + v, y + line, acc + v, &clipped);
        });
    cuda_count_clipped(dst.clipped, clipped);
}

static HaloStatus launch(HaloDevice *device, const DenseArgs *args)
{
    const ConvTarget *dst = &args->conv.dst;
    const int64_t tiles = args->conv.tiles_x * cuda_ceil_div(dst->rows, args->lines) * dst->channels;
    int64_t bytes =
        dst->channels > 1 ? (int64_t)args->lines * dense_transposed(*args) * (int64_t)sizeof(float) : 0;
    for (int k = 0; k < args->stages; k++)
        bytes = cuda_max(bytes, dense_bytes(args, args->stage[k].cols, args->stage[k].rows));
    if (args->sums)
        CUDA_LAUNCH(device, dense_kernel<true>, tiles, dense_threads, (size_t)bytes, *args);
    else
        CUDA_LAUNCH(device, dense_kernel<false>, tiles, dense_threads, (size_t)bytes, *args);
    return HALO_OK;
}

void dense_lay_out(DenseArgs *args, const ConvArgs *conv)
{
    args->conv = *conv;
    args->groups = 8; /* fewer where lines are short */
    while (args->groups > 2 && args->groups / 2 * line_own >= conv->dst.cols) args->groups /= 2;
    args->lines = dense_threads / args->groups;
    args->conv.tiles_x = cuda_ceil_div(conv->dst.cols, args->groups * line_own);
}

HaloStatus dense_make(HaloDevice *device, DenseArgs *args, const float *tap, bool sparse)
{
    return dense_pieces(device, args, tap, sparse, cuda_min(dense_shared, (int64_t)device->shared_most),
                        launch);
}

HaloStatus conv_dense(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    DenseArgs args = {};
    dense_lay_out(&args, conv);
    return dense_make(device, &args, tap, dense_leaves_zeros(conv));
}
