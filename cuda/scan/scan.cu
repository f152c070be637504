/* Scans along x, in one pass, and the choice of axes. docs/numerics.md defines the order: runs of 16 samples,
 * warps of 32 runs, tiles of 8 warps, groups of 256 tiles. A thread has one run, of one channel or of both
 * channels of stereo sound: it loads the run in its native type, and folds it twice, first for the total and
 * then, once the prefix is known, for the samples. These go through shared memory, so that they are stored in
 * their order. A line of one tile takes as many threads as it has runs (rounded up to a power of two), so that
 * a block scans several short lines. */
#include "halo/scan.h"
#include "scan_before.cuh"
#include "scan_run.cuh"

static const int tile_threads = HALO_SCAN_WARP * HALO_SCAN_WARPS;

/* How lines are cut, and the slots of their blocks, as [line][channel][tile] and so on. */
template <typename Stored> struct ScanLines {
    int64_t lines;
    unsigned tiles, groups; /* of a line */
    int64_t sets;           /* lines of a row: its channels, or 1 if both go together */
    unsigned blocks;        /* tiles of all lines */
    unsigned ahead;         /* totals are computed so many tickets before the samples */
    bool packed;            /* every run starts at a multiple of 16 bytes */
    unsigned *tickets;
    Stored *tile, *group; /* totals of tiles; prefixes of all groups but the first */
};

/* ---- the kernels ----------------------------------------------------------------------------------------- */

/* The run at pixel x of a line. */
template <int C, typename Stored>
CUDA_INLINE ScanPlace scan_place(const ScanArgs &a, const ScanLines<Stored> &l, int64_t line, int64_t x)
{
    ScanPlace p;
    p.row = line / l.sets;
    p.first = x * a.channels + line % l.sets * C;
    p.count = line < l.lines ? (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x)) : 0;
    return p;
}

/* The thread's run of a tile, as tiles of all lines are numbered. */
template <int C, typename Stored>
CUDA_INLINE ScanPlace tile_place(const ScanArgs &a, const ScanLines<Stored> &l, unsigned tile)
{
    return scan_place<C>(a, l, tile / l.tiles,
                         (int64_t)(tile % l.tiles) * HALO_SCAN_TILE + (int)threadIdx.x * HALO_SCAN_RUN);
}

template <typename Kind, typename S, int C>
CUDA_INLINE void load_place(ScanRun<S, C> *run, const ScanArgs &a, const ScanPlace &p, bool packed)
{
    load_kind<Kind>(run, a, p.row, p.first, a.channels, p.count, packed);
}

/* W: warps `first` to `warp` - 1 of a tile. */
template <typename Kind>
CUDA_INLINE typename Kind::Value before_warp(const typename Kind::Value *total, int first, int warp)
{
    typename Kind::Value before = Kind::identity();
#pragma unroll
    for (int w = 0; w < HALO_SCAN_WARPS; w++)
        if (w >= first && w < warp) before = Kind::join(before, total[w]);
    return before;
}

/* Lines of one tile: `threads` of a line, a power of two. */
template <typename S, typename Kind, int C>
__global__ static void __launch_bounds__(tile_threads, C == 1 ? 4 : 3)
    lines_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanLines<typename Kind::Stored> l,
                 int threads)
{
    using T = typename Kind::Value;
    __shared__ typename Kind::Stored workspace[HALO_SCAN_WARPS][HALO_SCAN_WARP * scan_pitch];
    __shared__ T warp_total[C][HALO_SCAN_WARPS];
    const int thread = (int)threadIdx.x, warp = thread / CUDA_WARP,
              first_warp = thread / threads * threads / CUDA_WARP;
    const int64_t line = (int64_t)blockIdx.x * (tile_threads / threads) + thread / threads;
    const ScanPlace p = scan_place<C>(a, l, line, thread % threads * HALO_SCAN_RUN);
    ScanRun<S, C> run;
    T before[C];
    load_place<Kind>(&run, a, p, l.packed);
    fold_run<S, Kind, C>(run, a, thread % CUDA_WARP % threads, before, warp_total);
    __syncthreads();
#pragma unroll
    for (int c = 0; c < C; c++)
        before[c] = Kind::join(before_warp<Kind>(warp_total[c], first_warp, warp), before[c]);
    write_run<S, Kind, C>(run, before, p, a, workspace[warp], threads >= CUDA_WARP);
}

/* Many lines of several tiles, at most a group: a block takes a line, and loads the next tile while it
 * stores one. Blocks are independent. */
template <typename S, typename Kind, int C>
__global__ static void __launch_bounds__(tile_threads, C == 1 ? 4 : 2)
    successive_kernel(const __grid_constant__ ScanArgs a,
                      const __grid_constant__ ScanLines<typename Kind::Stored> l)
{
    using T = typename Kind::Value;
    __shared__ typename Kind::Stored workspace[HALO_SCAN_WARPS][HALO_SCAN_WARP * scan_pitch];
    __shared__ T slot[C][HALO_SCAN_GROUP + CUDA_WARP];
    __shared__ T warp_total[2][C][HALO_SCAN_WARPS];
    const int thread = (int)threadIdx.x, lane = thread % CUDA_WARP, warp = thread / CUDA_WARP;
    for (int i = thread; i < C * (HALO_SCAN_GROUP + CUDA_WARP); i += tile_threads)
        slot[i / (HALO_SCAN_GROUP + CUDA_WARP)][i % (HALO_SCAN_GROUP + CUDA_WARP)] = Kind::identity();
    ScanRun<S, C> run;
    ScanPlace p = scan_place<C>(a, l, blockIdx.x, thread * HALO_SCAN_RUN);
    load_place<Kind>(&run, a, p, l.packed);
    for (unsigned tile = 0; tile < l.tiles; tile++) {
        T(*const total)[HALO_SCAN_WARPS] = warp_total[tile % 2];
        T before[C];
        fold_run<S, Kind, C>(run, a, lane, before, total);
        __syncthreads();
#pragma unroll
        for (int c = 0; c < C; c++) {
            before[c] = Kind::join(before_warp<Kind>(total[c], 0, warp), before[c]);
            T known = tile == 0 ? Kind::identity() : __shfl_sync(CUDA_ALL, fold_group<Kind>(slot[c]), 0);
            before[c] = Kind::join(Kind::join(Kind::identity(), known), before[c]);
        }
        const ScanRun<S, C> now = run;
        const ScanPlace at = p;
        if (tile + 1 < l.tiles) {
            p = scan_place<C>(a, l, blockIdx.x, (int64_t)(tile + 1) * HALO_SCAN_TILE + thread * HALO_SCAN_RUN);
            load_place<Kind>(&run, a, p, l.packed);
        }
        write_run<S, Kind, C>(now, before, at, a, workspace[warp], true);
        __syncthreads();
        if (thread == 0)
            for (int c = 0; c < C; c++)
                slot[c][slot_at((int)tile)] = before_warp<Kind>(total[c], 0, HALO_SCAN_WARPS);
    }
}

/* Lines of many tiles. A block computes the totals of one tile, and stores the samples of an earlier one: by
 * then the prefix of that is known, and its samples are still in the second-level cache. The last warp finds
 * the prefix while the others load. */
template <typename S, typename Kind, int C>
__global__ static void __launch_bounds__(tile_threads + CUDA_WARP, C == 1 ? 4 : 2)
    tiles_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanLines<typename Kind::Stored> l)
{
    using T = typename Kind::Value;
    constexpr bool both = C * sizeof(S) <= 4; /* registers for both tiles */
    __shared__ typename Kind::Stored workspace[HALO_SCAN_WARPS][HALO_SCAN_WARP * scan_pitch];
    __shared__ T slot[HALO_SCAN_GROUP + CUDA_WARP];
    __shared__ T next_total[C][HALO_SCAN_WARPS], warp_total[C][HALO_SCAN_WARPS], tile_before[C];
    const int thread = (int)threadIdx.x, lane = thread % CUDA_WARP, warp = thread / CUDA_WARP;
    const bool lookback = warp == HALO_SCAN_WARPS;
    const unsigned next = scan_ticket(l.tickets), tile = next - l.ahead; /* no tile at first */
    const bool has_next = next < l.blocks, has_tile = next >= l.ahead;
    ScanRun<S, C> run;
    T before[C];
    const ScanPlace p = tile_place<C>(a, l, has_tile ? tile : 0);
    if (lookback) {
#pragma unroll 1
        for (int c = 0; c < C && has_tile; c++) {
            const int64_t line = (int64_t)(tile / l.tiles) * C + c;
            const T known =
                before_tile<Kind>(a, l.tile + line * l.tiles, l.group + line * l.groups, tile % l.tiles, slot);
            if (lane == 0) tile_before[c] = known;
        }
    } else {
        if (both && has_tile) load_place<Kind>(&run, a, p, l.packed);
        if (has_next) {
            ScanRun<S, C> next_run;
            load_place<Kind>(&next_run, a, tile_place<C>(a, l, next), l.packed);
            fold_run<S, Kind, C>(next_run, a, lane, before, next_total);
        }
        if (has_tile) {
            if (!both) load_place<Kind>(&run, a, p, l.packed);
            fold_run<S, Kind, C>(run, a, lane, before, warp_total);
        }
    }
    __syncthreads();
    if (lookback) {
#pragma unroll 1
        for (int c = 0; c < C && has_next; c++) {
            const int64_t line = (int64_t)(next / l.tiles) * C + c;
            publish_tile<Kind>(a, l.tile + line * l.tiles, l.group + line * l.groups, next % l.tiles,
                               before_warp<Kind>(next_total[c], 0, HALO_SCAN_WARPS), slot);
        }
    } else if (has_tile) {
#pragma unroll
        for (int c = 0; c < C; c++) {
            before[c] = Kind::join(before_warp<Kind>(warp_total[c], 0, warp), before[c]);
            before[c] = Kind::join(tile_before[c], before[c]);
        }
        write_run<S, Kind, C>(run, before, p, a, workspace[warp], true);
    }
}

/* ---- launches -------------------------------------------------------------------------------------------- */

HaloStatus scan_slots(HaloDevice *device, int64_t ahead, int64_t slots, void **workspace, unsigned **tickets,
                      void **values)
{
    int64_t bytes;
    if (!halo_mul(slots + 2, 8, &bytes) || bytes > INT64_MAX - ahead)
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, ahead + bytes, workspace));
    char *const first = (char *)*workspace + ahead;
    CUDA_TRY(cudaMemsetAsync(first, 0xff, (size_t)bytes, device->stream));
    *tickets = (unsigned *)first;
    *values = first + 16;
    return HALO_OK;
}

/* C channels at a time. */
template <typename S, typename Kind, int C = 1>
static HaloStatus launch_lines(HaloDevice *device, const ScanArgs *a)
{
    using Stored = typename Kind::Stored;
    ScanLines<Stored> l = {};
    l.sets = a->channels / C;
    int64_t tiles = cuda_ceil_div(a->width, HALO_SCAN_TILE), blocks;
    l.packed = a->channels == C && cuda_aligned(a->src, a->height > 1 ? a->src_stride : 0, 16);
    if (!halo_mul(a->height, l.sets, &l.lines))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    if (tiles == 1) {
        int threads = 1;
        while (threads < tile_threads && threads * HALO_SCAN_RUN < a->width) threads *= 2;
        CUDA_LAUNCH(device, (lines_kernel<S, Kind, C>), cuda_ceil_div(l.lines, tile_threads / threads),
                    tile_threads, 0, *a, l, threads);
        return HALO_OK;
    }
    void *workspace, *values;
    int fit = 0;
    if (!halo_mul(l.lines, tiles, &blocks) || blocks > CUDA_BLOCKS_MOST)
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    l.tiles = (unsigned)tiles;
    l.groups = (unsigned)cuda_ceil_div(tiles, HALO_SCAN_GROUP);
    l.blocks = (unsigned)blocks;
    if (tiles <= HALO_SCAN_GROUP && l.lines >= 16 * device->properties.multiProcessorCount) {
        CUDA_LAUNCH(device, (successive_kernel<S, Kind, C>), l.lines, tile_threads, 0, *a, l);
        return HALO_OK;
    }
    CUDA_PASS(scan_slots(device, 0, C * (blocks + l.lines * l.groups), &workspace, &l.tickets, &values));
    l.tile = (Stored *)values;
    l.group = l.tile + C * blocks;
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, tiles_kernel<S, Kind, C>,
                                                           tile_threads + CUDA_WARP, 0));
    l.ahead = (unsigned)cuda_min(blocks, (int64_t)fit * device->properties.multiProcessorCount);
    CUDA_LAUNCH(device, (tiles_kernel<S, Kind, C>), blocks + l.ahead, tile_threads + CUDA_WARP, 0, *a, l);
    return HALO_OK;
}

/* Do both channels go together? So do sums of stereo sound, which is of floats. */
static bool in_pairs(const ScanArgs *args, HaloScanOp op)
{
    return args->channels == 2 && args->dtype == HALO_F32 && (op == HALO_SCAN_SUM || op == HALO_SCAN_SQUARES);
}

HaloStatus scan_x(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    if (op == HALO_SCAN_MIN || op == HALO_SCAN_MAX) return launch_lines<float, ScanLeast>(device, args);
    if (op == HALO_SCAN_PRODUCT) return launch_lines<float, ScanProduct>(device, args);
    if (in_pairs(args, op)) return launch_lines<float, ScanSum<double>, 2>(device, args);
    switch (args->dtype) {
    case HALO_U8: return launch_lines<uint8_t, ScanSum<int64_t>>(device, args);
    case HALO_U16: return launch_lines<uint16_t, ScanSum<int64_t>>(device, args);
    case HALO_F32: return launch_lines<float, ScanSum<double>>(device, args);
    default: return halo_fail(HALO_ERR_BUG, "internal: no scan of %s along x", halo_dtype_name(args->dtype));
    }
}

HaloStatus cuda_scan(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloScan *scan)
{
    ScanArgs args;
    CUDA_PASS(cuda_use(device));
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.width = src->shape.width;
    args.height = src->rows;
    args.channels = src->shape.channels;
    args.dtype = src->shape.dtype;
    args.integers = dst->shape.dtype == HALO_I64;
    args.squares = scan->op == HALO_SCAN_SQUARES;
    args.sign = scan->op == HALO_SCAN_MAX ? 0x80000000u : 0;
    args.exclusive = scan->exclusive;
    args.totals_first = args.x_first = false;
    args.state = NULL;
    args.runs_before = 0;
    const bool band = src->rows < src->shape.height;
    if (scan->axis == HALO_AXIS_XY && !band && scan_xy_fits(device, &args))
        return scan_xy(device, &args, scan->op);
    /* The scratch is requested before anything runs: along x, short rows need none. */
    if ((scan->axis & HALO_AXIS_Y) && !band && scan_y_totals_first(&args) &&
        (!(scan->axis & HALO_AXIS_X) || args.width <= HALO_SCAN_TILE)) {
        ScanGroups<double> groups;
        void *workspace;
        CUDA_PASS(scan_groups_workspace(device, &args, 0, &workspace, &groups));
        args.totals_first = true;
        args.x_first = (scan->axis & HALO_AXIS_X) && scan_narrow_takes_x(&args);
    }
    const bool alone =
        args.totals_first && args.width == 1 && !args.exclusive; /* a single sample is its own scan */
    if ((scan->axis & HALO_AXIS_X) && !args.x_first && !alone) {
        const bool pixels = !args.totals_first && !in_pairs(&args, scan->op) && scan_pixels_fits(device, &args);
        CUDA_PASS((pixels ? scan_pixels : scan_x)(device, &args, scan->op));
        args.src = args.dst;
        args.src_stride = args.dst_stride;
        args.dtype = dst->shape.dtype;
    }
    if (!(scan->axis & HALO_AXIS_Y)) return HALO_OK;
    if (!band) return scan_y(device, &args, scan->op);
    return scan_band(device, &args, scan->op, src->y0, ((const HaloScanBand *)(const void *)scan)->state);
}
