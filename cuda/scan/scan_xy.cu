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
    T *total;        /* [row][segment] */
    T *before;       /* [row][segment]: W, what lies before it in its tile */
    T *before_tile;  /* [row][tile]: G joined with E */
    int64_t columns; /* of the next */
    T *above;        /* [band][column]: totals, then what lies above; in any order, [band][column or segment] */
};

/* Sums, of squares too, modulo 2^64. */
template <typename Kind> struct InAnyOrder {
    static constexpr bool yes = false;
};
template <> struct InAnyOrder<ScanKind<int64_t, HALO_SCAN_SUM>> {
    static constexpr bool yes = true;
};
template <> struct InAnyOrder<ScanKind<int64_t, HALO_SCAN_SQUARES>> {
    static constexpr bool yes = true;
};

/* The lane's run of a row: a warp has one segment. */
template <typename Kind, typename S>
__device__ __forceinline__ static void load(ScanRun<S, 1> *run, const ScanArgs &a, int64_t row, int64_t x,
                                            bool packed)
{
    const int count = row < a.height ? (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x)) : 0;
    load_kind<Kind>(run, a, row, x, 1, count, packed);
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
    load<Kind>(&run, a, number / t.segments, number % t.segments * segment + lane * HALO_SCAN_RUN, t.packed);
    T total = Kind::of(run.at(0), a);
#pragma unroll
    for (int k = 1; k < HALO_SCAN_RUN; k++) total = Kind::join(total, Kind::of(run.at(k), a));
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

/* One warp a band of 32 rows of a segment: the totals of its columns, of all, and of its rows. */
template <typename S, typename Kind>
__global__ static void __launch_bounds__(block_threads)
    totals_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanTable<typename Kind::Value> t)
{
    /* 32 bits hold a band of a segment, unless it is of squares of u16. */
    constexpr bool wide = sizeof(S) > 1 && !std::is_same<Kind, ScanKind<int64_t, HALO_SCAN_SUM>>::value;
    typedef typename std::conditional<wide, int64_t, int>::type T;
    constexpr int ahead = 4; /* rows whose loads are under way */
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * block_warps + threadIdx.x / CUDA_WARP;
    const int64_t band = number / t.segments, part = number % t.segments, top = band * HALO_SCAN_ROWS;
    if (band >= t.bands) return;
    const int64_t x = part * segment + lane * HALO_SCAN_RUN;
    const int count = (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x));
    T column[HALO_SCAN_RUN] = {}, all = 0, row_total = 0; /* the last of the row that has the lane's number */
    for (int y = 0; y < HALO_SCAN_ROWS; y += ahead) {
        ScanRun<S, 1> run[ahead];
#pragma unroll
        for (int r = 0; r < ahead; r++) load<Kind>(&run[r], a, top + y + r, x, t.packed); /* missing rows are 0 */
#pragma unroll
        for (int r = 0; r < ahead; r++) {
            T total = 0;
#pragma unroll
            for (int k = 0; k < HALO_SCAN_RUN; k++) {
                const T v = (T)Kind::of(run[r].at(k), a);
                column[k] += v;
                total += v;
            }
            total = cuda_warp_sum(total);
            if (lane == y + r) row_total = total;
        }
    }
    if (top + lane < a.height) t.total[(top + lane) * t.segments + part] = row_total;
    int64_t *const to = t.above + band * t.columns;
#pragma unroll
    for (int k = 0; k < HALO_SCAN_RUN; k++) {
        if (k < count) to[x + k] = column[k];
        all += column[k];
    }
    all = cuda_warp_sum(all);
    if (lane == 0) to[a.width + part] = all;
}

/* In any order, what lies above the lane's columns in a band, the columns left of each included, and what lies
 * left of the row that has the lane's number. */
template <typename T>
__device__ __forceinline__ static T sums_before(const ScanTable<T> &t, const ScanArgs &a, int64_t band,
                                                int64_t part, int rows, T above[HALO_SCAN_RUN])
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const T *const totals = t.above + band * t.columns + a.width;
    T corner = 0, run = 0, left = 0;
    for (int64_t s = lane; s < part; s += CUDA_WARP) corner += totals[s];
#pragma unroll
    for (int k = 0; k < HALO_SCAN_RUN; k++) run += above[k];
    T upto = run;
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const T before = __shfl_up_sync(CUDA_ALL, upto, d);
        if (lane >= d) upto += before;
    }
    upto += cuda_warp_sum(corner) - run;
#pragma unroll
    for (int k = 0; k < HALO_SCAN_RUN; k++) {
        const T own = above[k];
        above[k] = upto + (a.exclusive ? 0 : own);
        upto += own;
    }
    if (lane < rows)
#pragma unroll 4
        for (int64_t s = 0; s < part; s++) left += t.total[(band * HALO_SCAN_ROWS + lane) * t.segments + s];
    return left;
}

/* One warp a band of 32 rows of a segment: its columns' totals, or, once what lies above is known, its samples.
 */
template <typename S, typename Kind, bool Store>
__global__ static void __launch_bounds__(block_threads, 4)
    bands_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanTable<typename Kind::Value> t)
{
    using T = typename Kind::Value;
    using Stored = typename Kind::Stored;
    __shared__ Stored rooms[block_warps][HALO_SCAN_WARP * scan_room_run];
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * block_warps + threadIdx.x / CUDA_WARP;
    const int64_t band = number / t.segments, part = number % t.segments, top = band * HALO_SCAN_ROWS;
    if (band >= t.bands) return;
    const int rows = (int)cuda_min(HALO_SCAN_ROWS, a.height - top);
    const int64_t x = part * segment + lane * HALO_SCAN_RUN;
    const int count = (int)cuda_max(0, cuda_min(HALO_SCAN_RUN, a.width - x));
    const bool whole = __all_sync(CUDA_ALL, count == HALO_SCAN_RUN);
    Stored *const room = rooms[threadIdx.x / CUDA_WARP], *const own = room + lane * scan_room_run;
    T *const above_at = t.above + band * t.columns + x;
    T sum[HALO_SCAN_RUN], above[HALO_SCAN_RUN];
    T row_before = Kind::identity(), row_tile = row_before; /* of the row that has the lane's number */
    if (lane < rows && !InAnyOrder<Kind>::yes) {
        row_before = t.before[(top + lane) * t.segments + part];
        row_tile = t.before_tile[(top + lane) * t.tiles + part / HALO_SCAN_WARPS];
    }
#pragma unroll
    for (int k = 0; k < HALO_SCAN_RUN; k++) {
        sum[k] = Kind::identity();
        above[k] = Store && k < count ? above_at[k] : Kind::identity();
    }
    if constexpr (InAnyOrder<Kind>::yes) row_before = sums_before<T>(t, a, band, part, rows, above);
    ScanRun<S, 1> next; /* one row ahead; four were slower */
    load<Kind>(&next, a, top, x, t.packed);
    for (int y = 0; y < rows; y++) {
        const ScanRun<S, 1> run = next;
        load<Kind>(&next, a, y + 1 < rows ? top + y + 1 : a.height, x, t.packed);
        T r[HALO_SCAN_RUN];
        r[0] = Kind::of(run.at(0), a);
#pragma unroll
        for (int k = 1; k < HALO_SCAN_RUN; k++) r[k] = Kind::join(r[k - 1], Kind::of(run.at(k), a));
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
                                                   : Kind::join(above[k], was),
                                      a);
        }
        if (!Store) continue;
        __syncwarp();
        Stored *const to = (Stored *)(a.dst + (top + y) * a.dst_stride) + part * segment;
        if (whole)
            store_warp(room, to, HALO_SCAN_RUN, lane % HALO_SCAN_RUN);
        else
            store_runs(room, to + lane * HALO_SCAN_RUN, count, lane % HALO_SCAN_RUN);
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
    above_kernel(const __grid_constant__ ScanTable<typename Kind::Value> t)
{
    using T = typename Kind::Value;
    constexpr int ahead = 32; /* loads in flight */
    const int64_t x = (int64_t)blockIdx.x * block_threads + threadIdx.x;
    if (x >= t.columns) return;
    constexpr int group_bands = HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS;
    static_assert(group_bands % ahead == 0, "a group begins where loads do");
    T *const at = t.above + x;
    T group = Kind::identity(), inside = group, total[ahead];
    for (int64_t band = 0; band < t.bands; band += ahead) {
        if (band > 0 && band % group_bands == 0) {
            group = Kind::join(group, inside);
            inside = Kind::identity();
        }
#pragma unroll
        for (int k = 0; k < ahead; k++)
            total[k] = band + k < t.bands ? at[(band + k) * t.columns] : Kind::identity();
#pragma unroll
        for (int k = 0; k < ahead; k++) {
            if (band + k < t.bands) at[(band + k) * t.columns] = Kind::join(group, inside);
            inside = Kind::join(inside, total[k]);
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
    t.columns = args->width + (InAnyOrder<Kind>::yes ? t.segments : 0);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL,
                           (2 * segments + tiles + t.bands * t.columns) * (int64_t)sizeof(T), &room));
    t.total = (T *)room;
    t.before = t.total + segments;
    t.before_tile = t.before + segments;
    t.above = t.before_tile + tiles;
    if constexpr (InAnyOrder<Kind>::yes) {
        CUDA_LAUNCH(device, (totals_kernel<S, Kind>), cuda_ceil_div(warps, block_warps), block_threads, 0,
                    *args, t);
    } else {
        CUDA_LAUNCH(device, (segments_kernel<S, Kind>), cuda_ceil_div(segments, block_warps), block_threads, 0,
                    *args, t);
        CUDA_LAUNCH(device, before_kernel<Kind>, cuda_ceil_div(tiles, block_warps), block_threads, 0, t,
                    args->height);
        CUDA_LAUNCH(device, (bands_kernel<S, Kind, false>), cuda_ceil_div(warps, block_warps), block_threads, 0,
                    *args, t);
    }
    CUDA_LAUNCH(device, above_kernel<Kind>, cuda_ceil_div(t.columns, block_threads), block_threads, 0, t);
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

/* Sums and products of a source of its own type. */
template <typename S, typename T> static HaloStatus launch_typed(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    switch (op) {
    case HALO_SCAN_PRODUCT: return launch_xy<S, ScanKind<double, HALO_SCAN_PRODUCT>>(device, args);
    case HALO_SCAN_SQUARES: return launch_xy<S, ScanKind<T, HALO_SCAN_SQUARES>>(device, args);
    default: return launch_xy<S, ScanKind<T, HALO_SCAN_SUM>>(device, args);
    }
}

HaloStatus scan_xy(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    if (op == HALO_SCAN_MIN || op == HALO_SCAN_MAX) return launch_xy<float, ScanLeast>(device, args);
    switch (args->dtype) {
    case HALO_U8: return launch_typed<uint8_t, int64_t>(device, args, op);
    case HALO_U16: return launch_typed<uint16_t, int64_t>(device, args, op);
    case HALO_F32: return launch_typed<float, double>(device, args, op);
    default: return halo_fail(HALO_ERR_BUG, "no scan of %s along x and y", halo_dtype_name(args->dtype));
    }
}
