/* Scans along x, and the choice of axes. docs/numerics.md fixes the order: runs of 16 samples, warps of 32
 * runs, tiles of 8 warps, groups of 256 tiles.
 *
 * Long lines take three kernels: the total of every tile; the prefix of every tile in its group, and of every
 * group; the samples. Lines of one tile need only the last. */
#include "scan.cuh"

static const int tile_threads = HALO_SCAN_WARP * HALO_SCAN_WARPS;
static const int tile_room = HALO_SCAN_TILE + HALO_SCAN_TILE / HALO_SCAN_RUN;

/* What is known of the tiles of every line, as [line][tile] and [line][group]. */
template <typename T> struct ScanSums {
    int64_t tiles, groups; /* of a line */
    T *tile;               /* totals, then prefixes in the group */
    T *group;              /* totals, then prefixes */
};

/* One word of room after every run: threads that walk along their runs do not meet in a bank. */
__device__ __forceinline__ static int room_at(int i) { return i + i / HALO_SCAN_RUN; }

/* ---- a tile --------------------------------------------------------------------------------------------- */

/* Loads a tile's `count` samples, `step` samples apart, with all threads abreast. */
template <typename S, typename Kind>
__device__ __forceinline__ static void load_tile(typename Kind::Value *room, const S *from, int step, int count)
{
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < HALO_SCAN_TILE; i += tile_threads)
        room[room_at(i)] = i < count ? (typename Kind::Value)__ldg(from + (int64_t)i * step) : Kind::identity();
    __syncthreads();
}

/* Scans the tile in `room`: every thread's run becomes its inclusive prefixes. Returns what lies before the
 * run in the tile (W and the runs before it in the warp); *total is the tile's. */
template <typename Kind>
__device__ __forceinline__ static typename Kind::Value scan_tile(typename Kind::Value *room,
                                                                 typename Kind::Value *total)
{
    using T = typename Kind::Value;
    __shared__ T warp_total[HALO_SCAN_WARPS];
    const int lane = (int)threadIdx.x % HALO_SCAN_WARP, warp = (int)threadIdx.x / HALO_SCAN_WARP;
    T *const run = room + room_at((int)threadIdx.x * HALO_SCAN_RUN);
    T sum = run[0];
#pragma unroll
    for (int k = 1; k < HALO_SCAN_RUN; k++) run[k] = sum = Kind::join(sum, run[k]);
#pragma unroll
    for (int d = 1; d < HALO_SCAN_WARP; d *= 2) { /* Kogge-Stone */
        const T before = __shfl_up_sync(CUDA_ALL, sum, d);
        if (lane >= d) sum = Kind::join(before, sum);
    }
    T before = __shfl_up_sync(CUDA_ALL, sum, 1);
    if (lane == 0) before = Kind::identity();
    if (lane == HALO_SCAN_WARP - 1) warp_total[warp] = sum;
    __syncthreads();
    T all = Kind::identity(), own = all;
#pragma unroll
    for (int w = 0; w < HALO_SCAN_WARPS; w++) {
        if (w == warp) own = all;
        all = Kind::join(all, warp_total[w]);
    }
    *total = all;
    return Kind::join(own, before);
}

/* Where a block stands. Channels of a row are neighbours, so that their blocks share what is loaded. */
struct TilePlace {
    int64_t line, tile, row, x;
    int channel, count;
};

__device__ __forceinline__ static TilePlace tile_place(const ScanArgs &a, int64_t tiles)
{
    TilePlace p;
    p.channel = (int)(blockIdx.x % a.channels);
    p.tile = blockIdx.x / a.channels % tiles;
    p.row = blockIdx.x / a.channels / tiles;
    p.line = p.row * a.channels + p.channel;
    p.x = p.tile * HALO_SCAN_TILE;
    p.count = (int)cuda_min(HALO_SCAN_TILE, a.width - p.x);
    return p;
}

/* ---- the three kernels ---------------------------------------------------------------------------------- */

template <typename S, typename Kind>
__global__ static void __launch_bounds__(tile_threads)
    totals_kernel(const __grid_constant__ ScanArgs a,
                  const __grid_constant__ ScanSums<typename Kind::Value> sums)
{
    using T = typename Kind::Value;
    __shared__ T room[tile_room];
    const TilePlace p = tile_place(a, sums.tiles);
    T total;
    load_tile<S, Kind>(room, (const S *)(a.src + p.row * a.src_stride) + p.x * a.channels + p.channel,
                       a.channels, p.count);
    scan_tile<Kind>(room, &total);
    if (threadIdx.x == 0) sums.tile[p.line * sums.tiles + p.tile] = total;
}

/* What lies before tile `tile` in its group, by one warp: over 256 slots, those from `tile` on being the
 * identity. Lane 0 has the result. */
template <typename Kind>
__device__ __forceinline__ static typename Kind::Value group_prefix(const typename Kind::Value *slot, int tile)
{
    using T = typename Kind::Value;
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int first = (int)threadIdx.x % CUDA_WARP * each;
    T sum = first < tile ? slot[first] : Kind::identity();
#pragma unroll
    for (int k = 1; k < each; k++) sum = Kind::join(sum, first + k < tile ? slot[first + k] : Kind::identity());
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) sum = Kind::join(sum, __shfl_down_sync(CUDA_ALL, sum, d));
    return sum;
}

/* One group of one line: tile totals become prefixes in the group, and the group's total is kept. */
template <typename Kind>
__global__ static void __launch_bounds__(tile_threads)
    groups_kernel(const __grid_constant__ ScanSums<typename Kind::Value> sums)
{
    using T = typename Kind::Value;
    __shared__ T slot[HALO_SCAN_GROUP];
    const int64_t line = blockIdx.x / sums.groups, group = blockIdx.x % sums.groups;
    const int count = (int)cuda_min(HALO_SCAN_GROUP, sums.tiles - group * HALO_SCAN_GROUP);
    T *const tile = sums.tile + line * sums.tiles + group * HALO_SCAN_GROUP;
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    for (int i = (int)threadIdx.x; i < HALO_SCAN_GROUP; i += tile_threads)
        slot[i] = i < count ? tile[i] : Kind::identity();
    __syncthreads();
    for (int i = warp; i <= count; i += HALO_SCAN_WARPS) { /* the last one is over all of them */
        const T prefix = group_prefix<Kind>(slot, i < count ? i : HALO_SCAN_GROUP);
        if (lane != 0) continue;
        if (i < count)
            tile[i] = prefix;
        else
            sums.group[line * sums.groups + group] = prefix;
    }
}

/* One thread a line: group totals become prefixes. */
template <typename Kind>
__global__ static void chain_kernel(const __grid_constant__ ScanSums<typename Kind::Value> sums, int64_t lines)
{
    using T = typename Kind::Value;
    const int64_t line = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    T *const group = sums.group + line * sums.groups;
    T before = Kind::identity();
    for (int64_t g = 0; g < sums.groups; g++) {
        const T total = group[g];
        group[g] = before;
        before = Kind::join(before, total);
    }
}

template <typename S, typename Kind>
__global__ static void __launch_bounds__(tile_threads)
    samples_kernel(const __grid_constant__ ScanArgs a,
                   const __grid_constant__ ScanSums<typename Kind::Value> sums)
{
    using T = typename Kind::Value;
    __shared__ T room[tile_room];
    const TilePlace p = tile_place(a, sums.tiles);
    T total, before_group = Kind::identity(), before_tile = Kind::identity();
    load_tile<S, Kind>(room, (const S *)(a.src + p.row * a.src_stride) + p.x * a.channels + p.channel,
                       a.channels, p.count);
    if (sums.tiles > 1) {
        before_group = sums.group[p.line * sums.groups + p.tile / HALO_SCAN_GROUP];
        before_tile = sums.tile[p.line * sums.tiles + p.tile];
    }
    const T before = scan_tile<Kind>(room, &total);
    const T f = Kind::join(Kind::join(before_group, before_tile), before);
    T *const run = room + room_at((int)threadIdx.x * HALO_SCAN_RUN);
#pragma unroll
    for (int k = HALO_SCAN_RUN - 1; k >= 0;
         k--) { /* backwards: an exclusive prefix is made of the one before */
        const T v = !a.exclusive ? Kind::join(f, run[k]) : k == 0 ? f : Kind::join(f, run[k > 0 ? k - 1 : 0]);
        run[k] = Kind::stored(v);
    }
    __syncthreads();
    T *const to = (T *)(a.dst + p.row * a.dst_stride) + p.x * a.channels + p.channel;
    for (int i = (int)threadIdx.x; i < p.count; i += tile_threads)
        to[(int64_t)i * a.channels] = room[room_at(i)];
}

/* ---- launches ------------------------------------------------------------------------------------------- */

template <typename S, typename Kind> static HaloStatus launch_x(HaloDevice *device, const ScanArgs *args)
{
    using T = typename Kind::Value;
    ScanSums<T> sums = {};
    const int64_t lines = args->height * args->channels;
    int64_t blocks;
    sums.tiles = cuda_ceil_div(args->width, HALO_SCAN_TILE);
    sums.groups = cuda_ceil_div(sums.tiles, HALO_SCAN_GROUP);
    if (!halo_mul(lines, sums.tiles, &blocks)) return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    if (sums.tiles > 1) {
        void *room;
        CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL,
                               (blocks + lines * sums.groups) * (int64_t)sizeof(T), &room));
        sums.tile = (T *)room;
        sums.group = sums.tile + blocks;
        CUDA_LAUNCH(device, (totals_kernel<S, Kind>), blocks, tile_threads, 0, *args, sums);
        CUDA_LAUNCH(device, groups_kernel<Kind>, lines * sums.groups, tile_threads, 0, sums);
        CUDA_LAUNCH(device, chain_kernel<Kind>, cuda_ceil_div(lines, 128), 128, 0, sums, lines);
    }
    CUDA_LAUNCH(device, (samples_kernel<S, Kind>), blocks, tile_threads, 0, *args, sums);
    return HALO_OK;
}

HaloStatus scan_x(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op)
{
    switch (dtype) {
    case HALO_U8: SCAN_BY_OP(launch_x, uint8_t, int64_t, device, args)
    case HALO_U16: SCAN_BY_OP(launch_x, uint16_t, int64_t, device, args)
    case HALO_F32: SCAN_BY_OP(launch_x, float, double, device, args)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along x", halo_dtype_name(dtype));
}

HaloStatus cuda_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    ScanArgs args;
    HaloDtype dtype = src->shape.dtype;
    CUDA_PASS(cuda_use(device));
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.width = src->shape.width;
    args.height = src->shape.height;
    args.channels = src->shape.channels;
    args.exclusive = scan->exclusive;
    if (scan->axis & HALO_AXIS_X) {
        CUDA_PASS(scan_x(device, &args, dtype, scan->op));
        args.src = args.dst;
        args.src_stride = args.dst_stride;
        dtype = dst->shape.dtype;
    }
    if (scan->axis & HALO_AXIS_Y) CUDA_PASS(scan_y(device, &args, dtype, scan->op));
    return HALO_OK;
}
