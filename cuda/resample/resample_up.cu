/* Upsampling in one pass. A warp has a strip of the destination's columns, four neighbouring samples per
 * thread, and goes down the rows of the source: it stages the part of a row that its columns read as f32,
 * channel by channel, each thread computes its samples of the horizontal pass, and keeps those of the last
 * rows, from which outputs are computed. A program, made first, says which outputs those are, with what
 * weights; it is the same for all threads. */
#include "resample_copy.cuh"

/* Warps of a block, and the columns of a strip. */
static const int up_warps = 4, up_own = 4, up_strip = up_own * CUDA_WARP;
/* The most taps; groups of four samples of a row that a thread stages, and samples that a warp may. */
static const int up_taps = 6, up_groups = 2, up_span = (up_groups * CUDA_WARP - 1) * 4;
/* Floats of a row: each channel begins at an odd place, so that threads of two channels rarely use the same
 * bank. */
static const int up_channels = 8, up_floats = up_groups * CUDA_WARP * 4 + 3 * up_channels;
/* Rows of the source in flight besides the current one: a power of two less one. */
static const int up_ahead = 3;
/* Rows of the destination per warp, about. */
static const int up_slice = 192;

/* An output: weights of the last `Taps` rows up to `mark`; a bit of `used` for each weight. */
struct UpLine {
    float weight[up_taps];
    unsigned used;
    int mark;
};

struct UpArgs {
    ResampleArgs all;
    const UpLine *program; /* of rows of the destination */
    int64_t first;         /* row of the source */
    unsigned tiles;        /* blocks across */
    int slice_rows;        /* of the destination, in a block */
    int piece;             /* bytes in which rows are copied: four samples, or 4 if they are not so aligned */
    int slot, workspace;   /* bytes of a copied row, and of all of a warp */
    bool usual, aligned;   /* outputs are not scaled; groups of four are aligned */
};

/* ---- the program ----------------------------------------------------------------------------------------- */

__global__ static void up_program(const __grid_constant__ UpArgs a, UpLine *program, int64_t lines, int taps)
{
    const int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const HaloResampleAxis &y = a.all.y;
    if (k == lines) program[k] = {}; /* it is loaded, but not used */
    if (k >= lines) return;
    int64_t first;
    const int64_t row = resample_row(y, a.all.dst_y + k, &first);
    const int count = (int)y.count[row];
    UpLine line = {};
    line.mark = (int)(first + count - a.first);
    for (int j = 0; j < count; j++) { /* the last is the last weight */
        line.weight[taps - count + j] = y.tap[row * y.taps + j];
        line.used |= 1u << (taps - count + j);
    }
    program[k] = line;
}

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* What a warp stages of each row: `bytes` from `row`, the next row, on; groups of four samples, of which a
 * thread has some, and their places. */
struct UpStage {
    const char *row;
    char *slots; /* of rows in flight */
    int bytes, groups;
    int to[up_groups][4];
};

/* Starts the copy of the next row, if there is one, into its slot. */
CUDA_INLINE void up_fetch(const UpArgs &a, UpStage &s, int y, int end)
{
    if (y < end) {
        const int off = (int)((uintptr_t)s.row & (a.piece - 1)), bytes = s.bytes + off;
        const char *const from = s.row - off;
        char *const there = s.slots + (y & up_ahead) * a.slot;
#pragma unroll 1
        for (int b = (int)(threadIdx.x % CUDA_WARP) * a.piece; b < bytes; b += CUDA_WARP * a.piece) {
            const int some = min(bytes - b, a.piece);
            if (a.piece == 4)
                resample_some<4>(there + b, from + b, some);
            else if (a.piece == 8)
                resample_some<8>(there + b, from + b, some);
            else
                resample_some<16>(there + b, from + b, some);
        }
        s.row += a.all.src_stride;
    }
    __pipeline_commit();
}

/* Converts row y, which began `off` bytes after a piece, to f32. */
CUDA_INLINE void up_put(const UpArgs &a, const UpStage &s, int y, unsigned off, float *staged)
{
    const char *const slot = s.slots + (y & up_ahead) * a.slot;
#pragma unroll
    for (int g = 0; g < up_groups; g++) {
        const int i = (int)threadIdx.x % CUDA_WARP + g * CUDA_WARP;
        if (i >= s.groups) break;
        float4 v;
        cuda_typed(a.all.src_dtype, [&](auto zero) {
            using S = decltype(zero);
            const CudaWord<S> *const word = reinterpret_cast<const CudaWord<S> *>(slot) + i;
            if constexpr (sizeof(S) < sizeof(float))
                v = cuda_widen4(
                    off == 0 ? *word : resample_shifted(reinterpret_cast<const uint32_t *>(word), off, S()));
            else
                v = *word;
        });
        if (a.all.channels == 1) {
            *reinterpret_cast<float4 *>(staged + s.to[g][0]) = v;
        } else {
            staged[s.to[g][0]] = v.x;
            staged[s.to[g][1]] = v.y;
            staged[s.to[g][2]] = v.z;
            staged[s.to[g][3]] = v.w;
        }
    }
}

/* The taps of a thread's columns, and where they begin in the staged row. */
template <int Taps> struct UpColumns {
    float tap[up_own][Taps];
    int at[up_own];
    unsigned counts; /* of taps, a byte each */
    bool full;       /* no tap is missing in the warp */
};

template <bool Full, int Taps>
CUDA_INLINE void up_row(const UpColumns<Taps> &c, const float *staged, float v[up_own])
{
#pragma unroll
    for (int i = 0; i < up_own; i++) {
        const float *const from = staged + c.at[i];
        v[i] = 0.0f;
#pragma unroll
        for (int t = 0; t < Taps; t++)
            if (Full || t < (int)(c.counts >> 8 * i & 255)) v[i] = halo_fma(c.tap[i][t], from[t], v[i]);
    }
}

/* ---- down the rows --------------------------------------------------------------------------------------- */

/* Plans the strip that begins with element e0: what it stages, from a multiple of four samples of a row on, and
 * each thread's columns. */
template <int Taps>
CUDA_INLINE void up_columns(const ResampleArgs &all, int64_t e0, int64_t y, UpStage &s, UpColumns<Taps> &c)
{
    const int lane = (int)threadIdx.x % CUDA_WARP, channels = all.channels;
    const int64_t width = all.cols * channels, e1 = cuda_min(e0 + up_strip, width) - 1;
    int64_t left, right, first;
    resample_row(all.x, all.dst_x + e0 / channels, &left);
    const int64_t last = resample_row(all.x, all.dst_x + e1 / channels, &right);
    const int64_t from = (left - all.src_x) * channels & ~3,
                  to = (right + all.x.count[last] - all.src_x) * channels;
    const int64_t pixel0 = from / channels; /* staging begins in this pixel */
    const int size = cuda_size(all.src_dtype);
    const int pitch = channels == 1 ? 0 : (int)((to + 3) / channels - pixel0 + 1) | 1;
    s.row = all.src + (y - all.src_y) * all.src_stride + from * size;
    s.bytes = (int)(to - from) * size;
    s.groups = (int)(to - from + 3) / 4;
#pragma unroll
    for (int g = 0; g < up_groups; g++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int e = (lane + g * CUDA_WARP) * 4 + i + (int)(from - pixel0 * channels),
                      pixel = e / channels;
            s.to[g][i] = channels == 1 ? e : (e - pixel * channels) * pitch + pixel;
        }
    c.counts = 0;
#pragma unroll
    for (int i = 0; i < up_own; i++) {
        const int64_t e = cuda_min(e0 + lane * up_own + i, width - 1), pixel = e / channels;
        const int64_t row = resample_row(all.x, all.dst_x + pixel, &first);
        const int count = (int)all.x.count[row];
        c.counts |= (unsigned)count << 8 * i;
        c.at[i] = (int)(e - pixel * channels) * pitch + (int)(first - all.src_x - pixel0);
#pragma unroll
        for (int t = 0; t < Taps; t++) c.tap[i][t] = t < count ? all.x.tap[row * all.x.taps + t] : 0.0f;
    }
    c.full = __all_sync(CUDA_ALL, c.counts == 0x01010101u * Taps);
}

/* The newest sample of the chain is at place `newest`, the oldest at the next. */
template <int Taps>
CUDA_INLINE void up_sum(const float weight[up_taps], unsigned used, int newest, const float chain[Taps][up_own],
                        float sum[up_own])
{
#pragma unroll
    for (int k = 0; k < Taps; k++)
        if (used >> k & 1)
#pragma unroll
            for (int i = 0; i < up_own; i++)
                sum[i] = halo_fma(weight[k], chain[(newest + 1 + k) % Taps][i], sum[i]);
}

/* A line of the program, loaded ahead. */
struct UpNext {
    float4 low, high;

    __device__ __forceinline__ void fetch(const UpLine *line)
    {
        low = __ldg((const float4 *)line);
        high = __ldg((const float4 *)line + 1);
    }
    __device__ __forceinline__ int mark() const { return __float_as_int(high.w); }
};

/* Where a thread's outputs go: `usual`, four without scaling, in all of the warp. */
struct UpTarget {
    char *at;
    const UpLine *line;
    int left, out, bottom;
    bool usual;
    unsigned clipped;
};

/* Stores fewer than four outputs, or scaled ones; returns how many are clipped. */
template <typename D>
__device__ __noinline__ static unsigned up_store(D *to, int left, float4 v, HaloStore store)
{
    unsigned clipped = 0;
    if (left > 0) to[0] = cuda_sample<D>(v.x, store, &clipped);
    if (left > 1) to[1] = cuda_sample<D>(v.y, store, &clipped);
    if (left > 2) to[2] = cuda_sample<D>(v.z, store, &clipped);
    if (left > 3) to[3] = cuda_sample<D>(v.w, store, &clipped);
    return clipped;
}

/* Stores four unaligned outputs without scaling. */
template <typename D> CUDA_INLINE void up_store_apart(D *to, const float v[4], unsigned *clipped)
{
    uint32_t word[sizeof(D)];
    cuda_words<D, 4, true>(v, word, clipped);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if constexpr (sizeof(D) == 4) to[i] = __uint_as_float(word[i]);
        if constexpr (sizeof(D) == 2) to[i] = (D)(word[i / 2] >> 16 * (i % 2));
        if constexpr (sizeof(D) == 1) to[i] = (D)(word[0] >> 8 * i);
    }
}

/* Stores the outputs that end with row `mark`, the newest of the chain. */
template <int Taps, typename D>
CUDA_INLINE void up_emit(const UpArgs &a, UpNext &next, UpTarget &to, int mark, int newest,
                         const float chain[Taps][up_own])
{
    while (to.out < to.bottom && next.mark() == mark) {
        const float weight[up_taps] = {next.low.x, next.low.y,  next.low.z,
                                       next.low.w, next.high.x, next.high.y};
        const unsigned used = __float_as_uint(next.high.z);
        float sum[up_own] = {};
        up_sum<Taps>(weight, used, newest, chain, sum);
        next.fetch(++to.line);
        if (to.usual && a.aligned)
            cuda_store_fours<D, up_own, true>((D *)to.at, sum, &to.clipped);
        else if (to.usual)
            up_store_apart<D>((D *)to.at, sum, &to.clipped);
        else
            to.clipped +=
                up_store<D>((D *)to.at, to.left, make_float4(sum[0], sum[1], sum[2], sum[3]), a.all.store);
        to.at += a.all.dst_stride;
        to.out++;
    }
}

template <int Taps, typename D>
__global__ static void __launch_bounds__(up_warps *CUDA_WARP, 4) up_kernel(const __grid_constant__ UpArgs a)
{
    CUDA_SHARED(char, memory);
    const ResampleArgs &all = a.all;
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const unsigned slice = blockIdx.x / a.tiles, tile = blockIdx.x - slice * a.tiles;
    const int top = (int)slice * a.slice_rows;
    const int64_t width = all.cols * all.channels, e0 = (int64_t)(tile * up_warps + warp) * up_strip;
    if (e0 >= width) return;
    UpTarget to = {};
    const int64_t e = e0 + lane * up_own;
    to.left = (int)cuda_max(0, cuda_min(width - e, up_own));
    to.out = top;
    to.bottom = min(top + a.slice_rows, (int)all.rows);
    to.at = all.dst + (int64_t)top * all.dst_stride + e * (int64_t)sizeof(D);
    to.usual = __all_sync(CUDA_ALL, a.usual && to.left == up_own);
    int64_t first;
    resample_row(all.y, all.dst_y + top, &first);
    const int end = a.program[to.bottom - 1].mark;
    UpStage s;
    UpColumns<Taps> c;
    UpNext next;
    to.line = a.program + top;
    next.fetch(to.line);
    up_columns(all, e0, first, s, c);
    float chain[Taps][up_own] = {};
    int y = (int)(first - a.first);
    s.slots = memory + warp * a.workspace;
    float *const rows = (float *)(s.slots + (up_ahead + 1) * a.slot);
    unsigned begins = (unsigned)(uintptr_t)s.row; /* address of the current row */
    for (int k = 0; k < up_ahead; k++) up_fetch(a, s, y + k, end);
    while (y < end) {
#pragma unroll
        for (int p = 0; p < Taps; p++, y++) {
            if (y >= end) break;
            float *const staged = rows + (p & 1) * up_floats;
            __pipeline_wait_prior(up_ahead - 1);
            __syncwarp();
            up_put(a, s, y, begins & (a.piece - 1), staged);
            begins += (unsigned)all.src_stride;
            __syncwarp();
            up_fetch(a, s, y + up_ahead, end);
            if (c.full)
                up_row<true>(c, staged, chain[p]);
            else
                up_row<false>(c, staged, chain[p]);
            up_emit<Taps, D>(a, next, to, y + 1, p, chain);
        }
    }
    cuda_count_clipped(all.clipped, to.clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Samples of the source that a strip reads, at most. */
static int64_t span_of(const ResampleArgs *args)
{
    const double over = (double)args->x.length / (double)args->x.size;
    const double pixels = ((double)up_strip / args->channels + 2.0) * over + (double)args->x.taps + 2.0;
    return (int64_t)(pixels * args->channels) + 3;
}

bool resample_up_takes(const ResampleArgs *args)
{
    const HaloResampleAxis *x = &args->x, *y = &args->y;
    return x->taps <= up_taps && y->taps <= up_taps && x->length <= x->size && y->length <= y->size &&
           args->channels <= up_channels && span_of(args) <= up_span && x->size <= INT32_MAX / 4 &&
           y->size <= INT32_MAX / 4;
}

template <int Taps, typename D> static HaloStatus launch_type(HaloDevice *device, UpArgs *args)
{
    const int shared = up_warps * args->workspace;
    int resident = 0;
    CUDA_PASS(cuda_allow_shared((const void *)up_kernel<Taps, D>, (size_t)shared));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, (up_kernel<Taps, D>),
                                                           up_warps * CUDA_WARP, (size_t)shared));
    const int64_t rows = args->all.rows, blocks = (int64_t)resident * device->properties.multiProcessorCount;
    args->slice_rows = (int)resample_slice(rows, up_slice, cuda_max(1, blocks / args->tiles));
    CUDA_LAUNCH(device, (up_kernel<Taps, D>), args->tiles * cuda_ceil_div(rows, args->slice_rows),
                up_warps * CUDA_WARP, shared, *args);
    return HALO_OK;
}

template <int Taps> static HaloStatus launch(HaloDevice *device, UpArgs *args)
{
    switch (args->all.dst_dtype) {
    case HALO_U8: return launch_type<Taps, uint8_t>(device, args);
    case HALO_U16: return launch_type<Taps, uint16_t>(device, args);
    default: return launch_type<Taps, float>(device, args);
    }
}

HaloStatus resample_up(HaloDevice *device, const ResampleArgs *all, const HaloResampleAxis *host)
{
    const int64_t most = cuda_max(all->x.taps, all->y.taps);
    const int taps = most <= 2 ? 2 : most <= 4 ? 4 : up_taps; /* even: rows alternate between two places */
    UpArgs args = {};
    void *program;
    args.all = *all;
    args.first = halo_resample_at(host, all->dst_y).first;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, (all->rows + 1) * (int64_t)sizeof(UpLine), &program));
    CUDA_LAUNCH(device, up_program, cuda_ceil_div(all->rows + 1, 128), 128, 0, args, (UpLine *)program,
                all->rows, taps);
    args.program = (const UpLine *)program;
    args.tiles = (unsigned)cuda_ceil_div(all->cols * all->channels, up_strip * up_warps);
    const int size = (int)halo_dtype_size(all->src_dtype);
    args.piece = cuda_aligned(all->src, all->src_stride, 4 * (size_t)size) ? 4 * size : 4;
    args.slot = (int)((span_of(all) + 15) / 16 * 16 + 16) * size; /* one more piece, for shifts */
    args.workspace = (up_ahead + 1) * args.slot + 2 * up_floats * (int)sizeof(float);
    args.usual = all->store.num == 1.0f && all->store.den == 1.0f;
    args.aligned = cuda_aligned(all->dst, all->dst_stride, up_own * halo_dtype_size(all->dst_dtype));
    switch (taps) {
    case 2: return launch<2>(device, &args);
    case 4: return launch<4>(device, &args);
    default: return launch<up_taps>(device, &args);
    }
}
