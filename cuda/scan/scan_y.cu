/* Scans along y: a block has a strip of 32 columns and a band of 8 runs of 32 rows; every thread has one run,
 * in its native type. */
#include "scan_above.cuh"

static const int band_runs = 8, band_threads = band_runs * CUDA_WARP;

/* In one pass; or, for narrow images, first the totals of runs, then, if `finish`, the results. */
template <typename S, typename Kind>
__global__ static void __launch_bounds__(band_threads, sizeof(S) >= 4 ? 2 : 3)
    columns_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanBands<Kind> b, bool finish)
{
    using T = typename Kind::Value;
    __shared__ T total[band_runs][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t columns = b.totals.columns,
                  order = b.totals.run != NULL ? blockIdx.x : scan_ticket(b.tickets);
    const int64_t band = order / b.strips, x = order % b.strips * CUDA_WARP + lane;
    const int64_t run = band * band_runs + warp - b.skip, first = run * HALO_SCAN_ROWS;
    const bool there = x < columns && run >= 0;
    const int rows = there ? (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, a.height - first)) : 0;
    /* Not __ldg: the source may be the destination. Missing samples affect only what is below the last row. */
    const char *const from = a.src + first * a.src_stride + x * (int64_t)sizeof(S);
    S sample[HALO_SCAN_ROWS];
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++)
        sample[k] = k < rows ? *(const S *)(from + k * a.src_stride) : (S)0;

    T sum = Kind::of(sample[0], a);
#pragma unroll
    for (int k = 1; k < HALO_SCAN_ROWS; k++) sum = Kind::join(sum, Kind::of(sample[k], a));
    if (b.totals.run != NULL && !finish) {
        if (rows > 0) b.totals.run[run * columns + x] = sum;
        return;
    }
    const T above =
        scan_above<Kind>(a, b, band_runs, {band, run, x, warp, rows}, sum, &total[0][lane], CUDA_WARP);

#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) scan_forget(sample[k]);
    char *const to = a.dst + first * a.dst_stride + x * (int64_t)sizeof(T);
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) {
        const T was = sum;
        sum = k == 0 ? Kind::of(sample[0], a) : Kind::join(was, Kind::of(sample[k], a));
        if (k < rows)
            *(T *)(to + k * a.dst_stride) = Kind::stored(!a.exclusive ? Kind::join(above, sum)
                                                         : k == 0     ? above
                                                                      : Kind::join(above, was),
                                                         a);
    }
}

/* ---- launches -------------------------------------------------------------------------------------------- */

bool scan_y_totals_first(const ScanArgs *args)
{
    return scan_totals_first(args->width * args->channels, args->height, band_runs);
}

/* Copies between a row of the state and a row of slots. */
static HaloStatus copy_row(HaloDevice *device, void *to, const void *from, int64_t values)
{
    CUDA_TRY(cudaMemcpyAsync(to, from, (size_t)values * 8, cudaMemcpyDeviceToDevice, device->stream));
    return HALO_OK;
}

template <typename S, typename Kind>
static HaloStatus launch_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    ScanBands<Kind> b = {};
    const int64_t columns = args->width * args->channels;
    b.runs = band_runs;
    b.skip = args->runs_before % band_runs;
    b.band = args->runs_before / band_runs;
    int64_t blocks;
    void *workspace;
    CUDA_PASS(scan_bands_workspace(device, args, args->totals_first, 0, &workspace, &b));
    b.strips = cuda_ceil_div(columns, CUDA_WARP);
    if (!halo_mul(b.bands, b.strips, &blocks))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    if (args->totals_first) {
        CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, b, false);
        CUDA_PASS(scan_groups(device, op, &b.totals));
    }
    auto *const state = (typename Kind::Stored *)args->state;
    if (state != NULL) {
        CUDA_PASS(copy_row(device, b.group, state, columns));
        CUDA_PASS(copy_row(device, b.inside, state + columns, columns));
    }
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, b, true);
    if (state == NULL) return HALO_OK;
    CUDA_PASS(copy_row(device, state, b.group + b.groups * columns, columns));
    return copy_row(device, state + columns, b.inside + b.bands * columns, columns);
}

HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    if (args->totals_first && scan_narrow_fits(args)) return scan_narrow(device, args, op);
    switch (args->dtype) {
    case HALO_U8: SCAN_BY_OP(launch_y, uint8_t, int64_t, device, args, op)
    case HALO_U16: SCAN_BY_OP(launch_y, uint16_t, int64_t, device, args, op)
    case HALO_F32: SCAN_BY_OP(launch_y, float, double, device, args, op)
    case HALO_I64: SCAN_BY_OP(launch_y, int64_t, int64_t, device, args, op)
    case HALO_F64: SCAN_BY_OP(launch_y, double, double, device, args, op)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "internal: no scan of %s along y", halo_dtype_name(args->dtype));
}
