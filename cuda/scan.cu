/* Scans along x, in one pass, and the choice of axes. docs/numerics.md fixes the order: runs of 16 samples,
 * warps of 32 runs, tiles of 8 warps, groups of 256 tiles.
 *
 * A thread has one run of up to four interleaved channels: it loads the run whole, in its native type, and
 * folds it twice, first for the total and then, once it knows what lies before, for the samples. These go
 * through shared memory, so that they are stored in their order. A line of one tile takes as many threads as it
 * has runs (rounded up to a power of two), so that a block scans several short lines. */
#include "scan_run.cuh"

static const int tile_threads = HALO_SCAN_WARP * HALO_SCAN_WARPS;
static const int together_most = 4; /* channels of one block */

/* How lines are cut, and what their blocks hand on, as [line][channel][tile] and so on. */
template <typename T> struct ScanLines {
    int64_t lines, tiles, groups; /* tiles and groups of a line */
    int64_t part;                 /* lines of a row: 1, or the channels where there are too many of them */
    int threads;                  /* of a line: a power of two */
    bool packed;                  /* every run starts at a multiple of 16 bytes */
    unsigned *tickets;            /* NULL: lines of one tile, nothing to hand on */
    T *tile, *group;              /* totals of tiles; prefixes of groups, but of the first */
};

/* ---- what lies before ----------------------------------------------------------------------------------- */

__device__ __forceinline__ static int slot_at(int i) { return i + i / (HALO_SCAN_GROUP / CUDA_WARP); }

/* A group's 256 slots by one warp: 8 a lane, then the lanes by pairs. Lane 0 has the result. */
template <typename Kind>
__device__ __forceinline__ static typename Kind::Value fold_group(const typename Kind::Value *slot)
{
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int first = (int)threadIdx.x % CUDA_WARP * each;
    typename Kind::Value sum = slot[slot_at(first)];
#pragma unroll
    for (int k = 1; k < each; k++) sum = Kind::join(sum, slot[slot_at(first + k)]);
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) sum = Kind::join(sum, __shfl_down_sync(CUDA_ALL, sum, d));
    return sum;
}

/* One warp: publishes the total of tile `tile` of a line and waits for those before it in its group, and for
 * the group's prefix; a group's last tile hands on the next prefix. Lane 0 gets what lies before the tile. */
template <typename Kind>
__device__ __forceinline__ static typename Kind::Value
before_tile(typename Kind::Value *totals, typename Kind::Value *groups, int64_t tile,
            typename Kind::Value total, typename Kind::Value *slot)
{
    using T = typename Kind::Value;
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int64_t group = tile / HALO_SCAN_GROUP;
    const int lane = (int)threadIdx.x % CUDA_WARP, in = (int)(tile % HALO_SCAN_GROUP);
    if (lane == 0) scan_publish<Kind>(totals + tile, total);
    const T *const from = totals + group * HALO_SCAN_GROUP;
    const long long group_bits = group == 0 ? 0 : scan_peek(groups + group);
    long long bits[each];
#pragma unroll
    for (int k = 0; k < each; k++)
        bits[k] = lane + k * CUDA_WARP < in ? scan_peek(from + lane + k * CUDA_WARP) : 0;
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int i = lane + k * CUDA_WARP;
        slot[slot_at(i)] = i < in ? scan_await(from + i, bits[k]) : Kind::identity();
    }
    __syncwarp();
    const T prefix = fold_group<Kind>(slot);
    const T before = group == 0 ? Kind::identity() : scan_await(groups + group, group_bits);
    if (in == HALO_SCAN_GROUP - 1) {
        __syncwarp();
        if (lane == 0) slot[slot_at(in)] = Kind::stored(total);
        __syncwarp();
        const T all = fold_group<Kind>(slot);
        if (lane == 0) scan_publish<Kind>(groups + group + 1, Kind::join(before, all));
        __syncwarp();
    }
    return Kind::join(before, prefix);
}

/* ---- the kernel ----------------------------------------------------------------------------------------- */

template <typename S, typename Kind, int C>
__global__ static void __launch_bounds__(tile_threads, C == 1   ? 4
                                                       : C == 2 ? 3
                                                                : 2)
    lines_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanLines<typename Kind::Value> l)
{
    using T = typename Kind::Value;
    __shared__ T room[HALO_SCAN_WARPS][HALO_SCAN_WARP * scan_room_run];
    __shared__ T warp_total[C][HALO_SCAN_WARPS], tile_before[C];
    const int thread = (int)threadIdx.x, lane = thread % CUDA_WARP, warp = thread / CUDA_WARP;
    const int64_t order = l.tickets == NULL ? blockIdx.x : scan_ticket(l.tickets);
    const int64_t tile = order % l.tiles;
    const int64_t line = order / l.tiles * (tile_threads / l.threads) + thread / l.threads;
    const int64_t row = line / l.part, x = tile * HALO_SCAN_TILE + thread % l.threads * HALO_SCAN_RUN;
    const int64_t step = a.channels, first = x * step + line % l.part;
    const int count = line < l.lines ? (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x)) : 0;
    ScanRun<S, C> run;
    load_run(&run, (const S *)(a.src + row * a.src_stride) + first, step, count, l.packed);

    T before[C];
#pragma unroll
    for (int c = 0; c < C; c++) {
        T total = (T)run.at(c);
#pragma unroll
        for (int k = 1; k < HALO_SCAN_RUN; k++) total = Kind::join(total, (T)run.at(k * C + c));
        before[c] = scan_warp<Kind>(&total, lane % l.threads);
        if (lane == CUDA_WARP - 1) warp_total[c][warp] = total;
    }
    if (l.threads > CUDA_WARP) {
        const int first_warp = thread / l.threads * l.threads / CUDA_WARP;
        __syncthreads();
        if (l.tickets != NULL && warp < C) {
            T total = Kind::identity();
#pragma unroll
            for (int w = 0; w < HALO_SCAN_WARPS; w++) total = Kind::join(total, warp_total[warp][w]);
            const int64_t at = line * C + warp;
            const T known =
                before_tile<Kind>(l.tile + at * l.tiles, l.group + at * l.groups, tile, total, room[warp]);
            if (lane == 0) tile_before[warp] = known;
        }
        if (l.tickets != NULL) __syncthreads();
#pragma unroll
        for (int c = 0; c < C; c++) {
            T own = Kind::identity();
#pragma unroll
            for (int w = 0; w < HALO_SCAN_WARPS; w++)
                if (w >= first_warp && w < warp) own = Kind::join(own, warp_total[c][w]);
            before[c] = Kind::join(own, before[c]);
            if (l.tickets != NULL) before[c] = Kind::join(tile_before[c], before[c]);
        }
    }

    run.forget();
    T sum[C];
    T *const own = room[warp] + lane * scan_room_run;
    T *const to = (T *)(a.dst + row * a.dst_stride) + first;
    const int64_t out = step / C; /* samples from one to the next: 1, or many channels' stride */
    const bool whole = __all_sync(CUDA_ALL, count == HALO_SCAN_RUN) && l.threads >= CUDA_WARP;
    T *const warp_to = (T *)__shfl_sync(CUDA_ALL, (unsigned long long)to, 0);
#pragma unroll
    for (int part = 0; part < C; part++) {
#pragma unroll
        for (int i = 0; i < HALO_SCAN_RUN; i++) {
            const int k = part * HALO_SCAN_RUN + i, c = k % C;
            const T was = k < C ? Kind::identity() : sum[c];
            sum[c] = k < C ? (T)run.at(k) : Kind::join(sum[c], (T)run.at(k));
            own[i] = Kind::stored(!a.exclusive ? Kind::join(before[c], sum[c])
                                  : k < C      ? before[c]
                                               : Kind::join(before[c], was));
        }
        __syncwarp();
        if (whole)
            store_warp(room[warp], warp_to + part * HALO_SCAN_RUN * out, HALO_SCAN_RUN * step, out);
        else
            store_runs(room[warp], to + part * HALO_SCAN_RUN * out, count * C - part * HALO_SCAN_RUN, out);
        __syncwarp();
    }
}

/* ---- launches ------------------------------------------------------------------------------------------- */

HaloStatus scan_slots(HaloDevice *device, int64_t slots, unsigned **tickets, void **values)
{
    void *room;
    int64_t bytes;
    if (!halo_mul(slots + 2, 8, &bytes)) return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &room));
    CUDA_TRY(cudaMemsetAsync(room, 0xff, (size_t)bytes, device->stream));
    *tickets = (unsigned *)room;
    *values = (char *)room + 16;
    return HALO_OK;
}

template <typename S, typename Kind, int C>
static HaloStatus launch_lines(HaloDevice *device, const ScanArgs *a)
{
    using T = typename Kind::Value;
    ScanLines<T> l = {};
    int64_t blocks;
    l.part = a->channels / C;
    l.tiles = cuda_ceil_div(a->width, HALO_SCAN_TILE);
    l.groups = cuda_ceil_div(l.tiles, HALO_SCAN_GROUP);
    l.packed = a->channels == C && cuda_aligned(a->src, a->height > 1 ? a->src_stride : 0, 16);
    if (!halo_mul(a->height, l.part, &l.lines)) return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    for (l.threads = 1; l.threads < tile_threads && l.threads * HALO_SCAN_RUN < a->width;) l.threads *= 2;
    blocks = cuda_ceil_div(l.lines, tile_threads / l.threads);
    if (l.tiles > 1) {
        void *values;
        if (!halo_mul(l.lines, l.tiles, &blocks)) return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
        CUDA_PASS(scan_slots(device, C * (blocks + l.lines * l.groups), &l.tickets, &values));
        l.tile = (T *)values;
        l.group = l.tile + C * blocks;
    }
    CUDA_LAUNCH(device, (lines_kernel<S, Kind, C>), blocks, tile_threads, 0, *a, l);
    return HALO_OK;
}

template <typename S, typename Kind> static HaloStatus launch_x(HaloDevice *device, const ScanArgs *args)
{
    switch (args->channels) {
    case 2: return launch_lines<S, Kind, 2>(device, args);
    case 3: return launch_lines<S, Kind, 3>(device, args);
    case together_most: return launch_lines<S, Kind, together_most>(device, args);
    default: return launch_lines<S, Kind, 1>(device, args);
    }
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
