/* Scans along y: a block has a strip of 32 columns and a band of 8 runs of 32 rows, every thread one run, in its native type.
 * In one pass bands start in order, and hand on what lies above the next in their group of runs, and above the next group. Many
 * bands of few columns would wait for one another: they make the totals of all runs first, then what lies above each
 * (scan_chain.cu), and bands finish. */
#include "scan.cuh"

static const int band_runs = 8, band_threads = band_runs * CUDA_WARP;
static const int band_rows = band_runs * HALO_SCAN_ROWS, group_bands = HALO_SCAN_GROUP_ROWS / band_rows;

template <typename T> struct ScanBands {
    int64_t strips;
    ScanChain<T> chain; /* of few columns; no `run`: one pass, */
    unsigned *tickets;
    T *inside;      /* [band][column]: P above every band, and below the last where it is needed */
    T *group;       /* [group][column]: G */
    int skip, band; /* the first band lacks so many runs, and is number `band` of its group */
    bool finish;
};

template <typename S, typename Kind>
__global__ static void __launch_bounds__(band_threads, sizeof(S) >= 4 ? 2 : 3)
    columns_kernel(const __grid_constant__ ScanArgs a,
                   const __grid_constant__ ScanBands<typename Kind::Value> b)
{
    using T = typename Kind::Value;
    __shared__ T total[band_runs][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t columns = b.chain.columns, order = b.chain.run != NULL ? blockIdx.x : scan_ticket(b.tickets);
    const int64_t band = order / b.strips, x = order % b.strips * CUDA_WARP + lane;
    const int64_t run = band * band_runs + warp - b.skip, first = run * HALO_SCAN_ROWS;
    const int rows = x < columns && run >= 0 ? (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, a.height - first)) : 0;
    /* Not __ldg: the source may be the destination. Missing samples spoil only what lies below the last row. */
    const char *const from = a.src + first * a.src_stride + x * (int64_t)sizeof(S);
    S sample[HALO_SCAN_ROWS];
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++)
        sample[k] = k < rows ? *(const S *)(from + k * a.src_stride) : (S)0;

    T sum = Kind::of(sample[0], a);
#pragma unroll
    for (int k = 1; k < HALO_SCAN_ROWS; k++) sum = Kind::join(sum, Kind::of(sample[k], a));
    T own;
    if (b.chain.run != NULL) {
        T *const at = b.chain.run + run * columns + x;
        if (rows == 0) return;
        if (!b.finish) {
            *at = sum;
            return;
        }
        own = Kind::join(b.chain.group[run / (HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS) * columns + x], *at);
    } else {
        total[warp][lane] = run >= 0 ? sum : Kind::identity();
        __syncthreads();
        if (x >= columns) return;
        const int64_t place = b.band + band, group = place / group_bands; /* both count from the first row's group */
        const bool ends = place % group_bands == group_bands - 1 && warp == band_runs - 1;
        T *const inside_at = b.inside + band * columns + x, *const group_at = b.group + group * columns + x;
        T inside = Kind::identity();
        if (band == 0 ? a.state != NULL : place % group_bands != 0) inside = scan_await<Kind>(inside_at, a);
#pragma unroll
        for (int w = 0; w < band_runs - 1; w++)
            if (w < warp) inside = Kind::join(inside, total[w][lane]);
        const bool last = first + HALO_SCAN_ROWS >= a.height; /* of all, or, where others come, of these */
        const bool hands_on = last ? a.state != NULL && rows > 0 : warp == band_runs - 1;
        if (hands_on && !ends) scan_publish<Kind>(inside_at + columns, Kind::join(inside, sum), a);
        own = group == 0 && a.state == NULL ? Kind::identity() : scan_await<Kind>(group_at, a);
        if (hands_on && ends) {
            scan_publish<Kind>(group_at + columns, Kind::join(own, Kind::join(inside, sum)), a);
            if (last) scan_publish<Kind>(inside_at + columns, Kind::identity(), a);
        }
        own = Kind::join(own, inside);
    }

#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) scan_forget(sample[k]);
    char *const to = a.dst + first * a.dst_stride + x * (int64_t)sizeof(T);
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) {
        const T was = sum;
        sum = k == 0 ? Kind::of(sample[0], a) : Kind::join(was, Kind::of(sample[k], a));
        if (k < rows)
            *(T *)(to + k * a.dst_stride) = Kind::stored(!a.exclusive ? Kind::join(own, sum)
                                                         : k == 0     ? own
                                                                      : Kind::join(own, was),
                                                         a);
    }
}

/* ---- launching ------------------------------------------------------------------------------------------ */

/* Columns of which there are fewer, in more bands, are not scanned in one pass: each band would take longer to hear from the
 * one above than the GPU takes for all bands at its side. */
static const int64_t few_strips = 128, few_bands = 64;

bool scan_y_few(const ScanArgs *args)
{
    return cuda_ceil_div(args->width * args->channels, CUDA_WARP) < few_strips &&
           cuda_ceil_div(args->height, band_rows) > few_bands;
}

template <typename S, typename Kind>
static HaloStatus launch_few(HaloDevice *device, const ScanArgs *args, HaloScanOp op, ScanBands<typename Kind::Value> *b,
                             int64_t blocks)
{
    CUDA_PASS(scan_chain_room(device, args, &b->chain));
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, *b);
    CUDA_PASS(scan_chain(device, op, &b->chain));
    b->finish = true;
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, *b);
    return HALO_OK;
}

/* Between a row of the state and a row of slots. */
static HaloStatus copy_row(HaloDevice *device, void *to, const void *from, int64_t values)
{
    CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)values * 8, cudaMemcpyDeviceToDevice, device->stream));
    return HALO_OK;
}

template <typename S, typename Kind> static HaloStatus launch_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    using T = typename Kind::Value;
    ScanBands<T> b = {};
    b.skip = args->runs_before % band_runs;
    b.band = args->runs_before / band_runs;
    const int64_t columns = args->width * args->channels, rows = args->height + b.skip * HALO_SCAN_ROWS;
    const int64_t bands = cuda_ceil_div(rows, band_rows), groups = (b.band * band_rows + rows) / HALO_SCAN_GROUP_ROWS;
    int64_t blocks, slots;
    void *values;
    b.chain.columns = columns;
    b.strips = cuda_ceil_div(columns, CUDA_WARP);
    if (!halo_mul(bands, b.strips, &blocks) || !halo_mul(bands + groups + 2, columns, &slots))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    if (args->few) return launch_few<S, Kind>(device, args, op, &b, blocks);
    CUDA_PASS(scan_slots(device, slots, &b.tickets, &values));
    b.inside = (T *)values;
    b.group = b.inside + (bands + 1) * columns;
    T *const state = (T *)args->state;
    if (state != NULL) {
        CUDA_PASS(copy_row(device, b.group, state, columns));
        CUDA_PASS(copy_row(device, b.inside, state + columns, columns));
    }
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, b);
    if (state == NULL) return HALO_OK;
    CUDA_PASS(copy_row(device, state, b.group + groups * columns, columns));
    return copy_row(device, state + columns, b.inside + bands * columns, columns);
}

HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    if (args->few && scan_narrow_fits(args)) return scan_narrow(device, args, op);
    switch (args->dtype) {
    case HALO_U8: SCAN_BY_OP(launch_y, uint8_t, int64_t, device, args, op)
    case HALO_U16: SCAN_BY_OP(launch_y, uint16_t, int64_t, device, args, op)
    case HALO_F32: SCAN_BY_OP(launch_y, float, double, device, args, op)
    case HALO_I64: SCAN_BY_OP(launch_y, int64_t, int64_t, device, args, op)
    case HALO_F64: SCAN_BY_OP(launch_y, double, double, device, args, op)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along y", halo_dtype_name(args->dtype));
}
