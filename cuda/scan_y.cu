/* Scans along y, in one pass: a block takes 32 columns and walks down. Each of its warps holds a run of 32
 * rows in registers; the totals of the runs are chained through shared memory. */
#include "scan.cuh"

static const int run_warps = 16, run_threads = run_warps * CUDA_WARP;

template <typename S, typename Kind>
__global__ static void __launch_bounds__(run_threads) columns_kernel(const __grid_constant__ ScanArgs a)
{
    using T = typename Kind::Value;
    __shared__ T total[run_warps][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t columns = a.width * a.channels, x = (int64_t)blockIdx.x * CUDA_WARP + lane;
    T before = Kind::identity(); /* everything above the block's rows */
    for (int64_t top = 0; top < a.height; top += run_warps * HALO_SCAN_ROWS) {
        const int64_t first = top + warp * HALO_SCAN_ROWS;
        const int rows = x < columns ? (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, a.height - first)) : 0;
        /* Not __ldg: the source may be the destination. */
        const S *const from = (const S *)(a.src + first * a.src_stride) + x;
        T run[HALO_SCAN_ROWS];
#pragma unroll
        for (int k = 0; k < HALO_SCAN_ROWS; k++)
            run[k] = k < rows ? (T) * (const S *)((const char *)from + k * a.src_stride) : Kind::identity();
#pragma unroll
        for (int k = 1; k < HALO_SCAN_ROWS; k++) run[k] = Kind::join(run[k - 1], run[k]);
        total[warp][lane] = run[HALO_SCAN_ROWS - 1];
        __syncthreads();
        T own = before;
        for (int w = 0; w < run_warps; w++) {
            if (w == warp) own = before;
            before = Kind::join(before, total[w][lane]);
        }
        __syncthreads(); /* before the next totals */
        char *const to = a.dst + first * a.dst_stride + x * (int64_t)sizeof(T);
#pragma unroll
        for (int k = 0; k < HALO_SCAN_ROWS; k++)
            if (k < rows)
                *(T *)(to + k * a.dst_stride) =
                    Kind::stored(!a.exclusive ? Kind::join(own, run[k])
                                 : k == 0     ? own
                                              : Kind::join(own, run[k > 0 ? k - 1 : 0]));
    }
}

template <typename S, typename Kind> static HaloStatus launch_y(HaloDevice *device, const ScanArgs *args)
{
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), cuda_ceil_div(args->width * args->channels, CUDA_WARP),
                run_threads, 0, *args);
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
