/* Scans along y, in one pass: a block has a strip of 32 columns and a band of 8 runs of 32 rows, every thread
 * one run, in its native type. Bands start in order and hand on what lies above the next. */
#include "scan.cuh"

static const int band_runs = 8, band_threads = band_runs * CUDA_WARP;
static const int band_rows = band_runs * HALO_SCAN_ROWS;

template <typename T> struct ScanBands {
    int64_t columns, strips;
    unsigned *tickets;
    T *above; /* [band][column]: what lies above every band but the first */
};

template <typename S, typename Kind>
__global__ static void __launch_bounds__(band_threads, sizeof(S) >= 4 ? 2 : 3)
    columns_kernel(const __grid_constant__ ScanArgs a,
                   const __grid_constant__ ScanBands<typename Kind::Value> b)
{
    using T = typename Kind::Value;
    __shared__ T total[band_runs][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t order = scan_ticket(b.tickets);
    const int64_t band = order / b.strips, x = order % b.strips * CUDA_WARP + lane;
    const int64_t first = band * band_rows + warp * HALO_SCAN_ROWS;
    const int rows = x < b.columns ? (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, a.height - first)) : 0;
    /* Not __ldg: the source may be the destination. Missing samples spoil only what lies below the last row. */
    const char *const from = a.src + first * a.src_stride + x * (int64_t)sizeof(S);
    S sample[HALO_SCAN_ROWS];
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++)
        sample[k] = k < rows ? *(const S *)(from + k * a.src_stride) : (S)0;

    T sum = Kind::of(sample[0]);
#pragma unroll
    for (int k = 1; k < HALO_SCAN_ROWS; k++) sum = Kind::join(sum, Kind::of(sample[k]));
    total[warp][lane] = sum;
    __syncthreads();
    if (x >= b.columns) return;
    T *const above = b.above + band * b.columns + x;
    T own = band == 0 ? Kind::identity() : scan_await(above);
#pragma unroll
    for (int w = 0; w < band_runs - 1; w++)
        if (w < warp) own = Kind::join(own, total[w][lane]);
    if (warp == band_runs - 1 && first + HALO_SCAN_ROWS < a.height)
        scan_publish<Kind>(above + b.columns, Kind::join(own, sum));

#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) scan_forget(sample[k]);
    char *const to = a.dst + first * a.dst_stride + x * (int64_t)sizeof(T);
#pragma unroll
    for (int k = 0; k < HALO_SCAN_ROWS; k++) {
        const T was = sum;
        sum = k == 0 ? Kind::of(sample[0]) : Kind::join(was, Kind::of(sample[k]));
        if (k < rows)
            *(T *)(to + k * a.dst_stride) = Kind::stored(!a.exclusive ? Kind::join(own, sum)
                                                         : k == 0     ? own
                                                                      : Kind::join(own, was));
    }
}

template <typename S, typename Kind> static HaloStatus launch_y(HaloDevice *device, const ScanArgs *args)
{
    using T = typename Kind::Value;
    ScanBands<T> b = {};
    const int64_t bands = cuda_ceil_div(args->height, band_rows);
    int64_t blocks, slots;
    void *values;
    b.columns = args->width * args->channels;
    b.strips = cuda_ceil_div(b.columns, CUDA_WARP);
    if (!halo_mul(bands, b.strips, &blocks) || !halo_mul(bands, b.columns, &slots))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    CUDA_PASS(scan_slots(device, slots, &b.tickets, &values));
    b.above = (T *)values;
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, b);
    return HALO_OK;
}

HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op)
{
    switch (dtype) {
    case HALO_U8: SCAN_BY_OP(launch_y, uint8_t, int64_t, device, args)
    case HALO_U16: SCAN_BY_OP(launch_y, uint16_t, int64_t, device, args)
    case HALO_F32: SCAN_BY_OP(launch_y, float, double, device, args)
    case HALO_I64: SCAN_BY_OP(launch_y, int64_t, int64_t, device, args)
    case HALO_F64: SCAN_BY_OP(launch_y, double, double, device, args)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along y", halo_dtype_name(dtype));
}
