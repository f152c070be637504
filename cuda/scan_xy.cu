/* Scans along x and then along y of that (integral images) without the one between going through memory: the
 * source, which is small beside the result, is read three times instead. First the totals of its warps of 512
 * samples, from them what lies before each; then every run of 32 rows is scanned for its total in each column,
 * and from these what lies above each; then the runs are scanned again and stored. Of one channel, and of lines
 * of one group, so that the orders stay few. */
#include "scan_run.cuh"

static const int segment = HALO_SCAN_RUN * HALO_SCAN_WARP; /* samples of a warp */
static const int block_warps = 4, block_threads = block_warps * CUDA_WARP;

template <typename T> struct ScanTable {
    int64_t segments, tiles, bands; /* of a row, of a row, of a column */
    bool packed;
    T *total;       /* [row][segment] */
    T *before;      /* [row][segment]: W, what lies before it in its tile */
    T *before_tile; /* [row][tile]: G joined with E */
    T *above;       /* [band][column]: totals, then what lies above */
};

/* The lane's run of a row: a warp has one segment. */
template <typename S>
__device__ __forceinline__ static void load(ScanRun<S, 1> *run, const ScanArgs &a, int64_t row, int64_t x,
                                            bool packed)
{
    const int count = row < a.height ? (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x)) : 0;
    load_run(run, (const S *)(a.src + row * a.src_stride) + x, 1, count, packed);
}

template <typename S, typename Kind>
__global__ static void __launch_bounds__(block_threads)
    segments_kernel(const __grid_constant__ ScanArgs a,
                    const __grid_constant__ ScanTable<typename Kind::Value> t)
{
    using T = typename Kind::Value;
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * block_warps + threadIdx.x / CUDA_WARP;
    if (number >= t.segments * a.height) return;
    ScanRun<S, 1> run;
    load(&run, a, number / t.segments, number % t.segments * segment + lane * HALO_SCAN_RUN, t.packed);
    T total = Kind::of(run.at(0));
#pragma unroll
    for (int k = 1; k < HALO_SCAN_RUN; k++) total = Kind::join(total, Kind::of(run.at(k)));
    scan_warp<Kind>(&total, lane);
    if (lane == CUDA_WARP - 1) t.total[number] = total;
}

/* One warp a tile: from its segments' totals W, from those of the tiles before it E. */
template <typename Kind>
__global__ static void __launch_bounds__(block_threads)
    before_kernel(const __grid_constant__ ScanTable<typename Kind::Value> t, int64_t rows)
{
    using T = typename Kind::Value;
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * block_warps + threadIdx.x / CUDA_WARP;
    if (number >= t.tiles * rows) return;
    const int64_t row = number / t.tiles, tile = number % t.tiles, first = tile * HALO_SCAN_WARPS;
    const T *const total = t.total + row * t.segments;
    T prefix = Kind::identity();
    for (int k = 0; k < each; k++) {
        T slot = Kind::identity();
        const int64_t i = lane * each + k;
        if (i < tile)
            for (int w = 0; w < HALO_SCAN_WARPS; w++) slot = Kind::join(slot, total[i * HALO_SCAN_WARPS + w]);
        prefix = k == 0 ? slot : Kind::join(prefix, slot);
    }
    for (int d = 1; d < CUDA_WARP; d *= 2) prefix = Kind::join(prefix, __shfl_down_sync(CUDA_ALL, prefix, d));
    if (lane == 0) t.before_tile[number] = Kind::join(Kind::identity(), prefix);
    if (lane < HALO_SCAN_WARPS && first + lane < t.segments) {
        T own = Kind::identity();
        for (int w = 0; w < lane; w++) own = Kind::join(own, total[first + w]);
        t.before[row * t.segments + first + lane] = own;
    }
}

/* One warp a band of 32 rows of a segment: its columns' totals, or, once what lies above is known, its samples.
 */
template <typename S, typename Kind, bool Store>
__global__ static void __launch_bounds__(block_threads, 4)
    bands_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanTable<typename Kind::Value> t)
{
    using T = typename Kind::Value;
    __shared__ T rooms[block_warps][HALO_SCAN_WARP * scan_room_run];
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * block_warps + threadIdx.x / CUDA_WARP;
    const int64_t band = number / t.segments, part = number % t.segments, top = band * HALO_SCAN_ROWS;
    if (band >= t.bands) return;
    const int rows = (int)cuda_min(HALO_SCAN_ROWS, a.height - top);
    const int64_t x = part * segment + lane * HALO_SCAN_RUN;
    const int count = (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x));
    const bool whole = __all_sync(CUDA_ALL, count == HALO_SCAN_RUN);
    T *const room = rooms[threadIdx.x / CUDA_WARP], *const own = room + lane * scan_room_run;
    T *const above_at = t.above + band * a.width + x;
    T sum[HALO_SCAN_RUN], above[HALO_SCAN_RUN];
    T row_before = Kind::identity(), row_tile = row_before; /* of the row that has the lane's number */
    if (lane < rows) {
        row_before = t.before[(top + lane) * t.segments + part];
        row_tile = t.before_tile[(top + lane) * t.tiles + part / HALO_SCAN_WARPS];
    }
#pragma unroll
    for (int k = 0; k < HALO_SCAN_RUN; k++) {
        sum[k] = Kind::identity();
        above[k] = Store && k < count ? above_at[k] : Kind::identity();
    }
    ScanRun<S, 1> next; /* one row ahead; four were slower */
    load(&next, a, top, x, t.packed);
    for (int y = 0; y < rows; y++) {
        const ScanRun<S, 1> run = next;
        load(&next, a, y + 1 < rows ? top + y + 1 : a.height, x, t.packed);
        T r[HALO_SCAN_RUN];
        r[0] = Kind::of(run.at(0));
#pragma unroll
        for (int k = 1; k < HALO_SCAN_RUN; k++) r[k] = Kind::join(r[k - 1], Kind::of(run.at(k)));
        T total = r[HALO_SCAN_RUN - 1];
        T before = scan_warp<Kind>(&total, lane);
        before = Kind::join(__shfl_sync(CUDA_ALL, row_before, y), before);
        before = Kind::join(__shfl_sync(CUDA_ALL, row_tile, y), before);
#pragma unroll
        for (int k = 0; k < HALO_SCAN_RUN; k++) {
            const T v = !a.exclusive ? Kind::join(before, r[k])
                        : k == 0     ? before
                                     : Kind::join(before, r[k > 0 ? k - 1 : 0]);
            const T was = sum[k];
            sum[k] = y == 0 ? v : Kind::join(was, v);
            if (Store)
                own[k] = Kind::stored(!a.exclusive ? Kind::join(above[k], sum[k])
                                      : y == 0     ? above[k]
                                                   : Kind::join(above[k], was));
        }
        if (!Store) continue;
        __syncwarp();
        T *const to = (T *)(a.dst + (top + y) * a.dst_stride) + part * segment;
        if (whole)
            store_warp(room, to, HALO_SCAN_RUN, 1);
        else
            store_runs(room, to + lane * HALO_SCAN_RUN, count, 1);
        __syncwarp();
    }
    if (!Store)
#pragma unroll
        for (int k = 0; k < HALO_SCAN_RUN; k++)
            if (k < count) above_at[k] = sum[k];
}

/* One thread a column: bands' totals become what lies above them. */
template <typename Kind>
__global__ static void __launch_bounds__(block_threads)
    above_kernel(const __grid_constant__ ScanTable<typename Kind::Value> t, int64_t width)
{
    using T = typename Kind::Value;
    constexpr int ahead = 32; /* loads in flight */
    const int64_t x = (int64_t)blockIdx.x * block_threads + threadIdx.x;
    if (x >= width) return;
    T *const at = t.above + x;
    T above = Kind::identity(), total[ahead];
    for (int64_t band = 0; band < t.bands; band += ahead) {
#pragma unroll
        for (int k = 0; k < ahead; k++)
            total[k] = band + k < t.bands ? at[(band + k) * width] : Kind::identity();
#pragma unroll
        for (int k = 0; k < ahead; k++) {
            if (band + k < t.bands) at[(band + k) * width] = above;
            above = Kind::join(above, total[k]);
        }
    }
}

template <typename S, typename Kind> static HaloStatus launch_xy(HaloDevice *device, const ScanArgs *args)
{
    using T = typename Kind::Value;
    ScanTable<T> t = {};
    void *room;
    t.segments = cuda_ceil_div(args->width, segment);
    t.tiles = cuda_ceil_div(args->width, HALO_SCAN_TILE);
    t.bands = cuda_ceil_div(args->height, HALO_SCAN_ROWS);
    t.packed = cuda_aligned(args->src, args->src_stride, 16);
    /* No product overflows: the result has more samples than any of these. */
    const int64_t segments = args->height * t.segments, tiles = args->height * t.tiles;
    const int64_t warps = t.bands * t.segments;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL,
                           (2 * segments + tiles + t.bands * args->width) * (int64_t)sizeof(T), &room));
    t.total = (T *)room;
    t.before = t.total + segments;
    t.before_tile = t.before + segments;
    t.above = t.before_tile + tiles;
    CUDA_LAUNCH(device, (segments_kernel<S, Kind>), cuda_ceil_div(segments, block_warps), block_threads, 0,
                *args, t);
    CUDA_LAUNCH(device, before_kernel<Kind>, cuda_ceil_div(tiles, block_warps), block_threads, 0, t,
                args->height);
    CUDA_LAUNCH(device, (bands_kernel<S, Kind, false>), cuda_ceil_div(warps, block_warps), block_threads, 0,
                *args, t);
    CUDA_LAUNCH(device, above_kernel<Kind>, cuda_ceil_div(args->width, block_threads), block_threads, 0, t,
                args->width);
    CUDA_LAUNCH(device, (bands_kernel<S, Kind, true>), cuda_ceil_div(warps, block_warps), block_threads, 0,
                *args, t);
    return HALO_OK;
}

bool scan_xy_fits(const HaloDevice *device, const ScanArgs *args)
{
    /* A warp walks down its band: with few of them the passes one by one are faster. */
    const int64_t warps = cuda_ceil_div(args->width, segment) * cuda_ceil_div(args->height, HALO_SCAN_ROWS);
    return args->channels == 1 && args->width <= HALO_SCAN_TILE * HALO_SCAN_GROUP && args->width >= segment &&
           warps >= 16 * device->properties.multiProcessorCount;
}

HaloStatus scan_xy(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op)
{
    switch (dtype) {
    case HALO_U8: SCAN_BY_OP(launch_xy, uint8_t, int64_t, device, args)
    case HALO_U16: SCAN_BY_OP(launch_xy, uint16_t, int64_t, device, args)
    case HALO_F32: SCAN_BY_OP(launch_xy, float, double, device, args)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along x and y", halo_dtype_name(dtype));
}
