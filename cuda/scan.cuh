/* What the scans along x and along y share: values and how they join. */
#ifndef HALO_CUDA_SCAN_CUH
#define HALO_CUDA_SCAN_CUH

#include "common.cuh"

/* One kind of scan: the type it computes in and its operation. */
template <typename T, HaloScanOp Op> struct ScanKind;

template <HaloScanOp Op> struct ScanKind<double, Op> {
    using Value = double;
    __device__ static double identity() { return halo_scan_identity(Op); }
    __device__ static double join(double a, double b) { return halo_scan_join(Op, a, b); }
    __device__ static double stored(double v) { return halo_canonical_f64(v); }
};

template <HaloScanOp Op> struct ScanKind<int64_t, Op> {
    using Value = int64_t;
    __device__ static int64_t identity() { return halo_scan_identity_i64(Op); }
    __device__ static int64_t join(int64_t a, int64_t b) { return halo_scan_join_i64(Op, a, b); }
    __device__ static int64_t stored(int64_t v) { return v; }
};

struct ScanArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int channels;
    bool exclusive;
};

/* Along x, any native source; along y, also i64 or f64 in place (`src` and `dst` the same). */
HaloStatus scan_x(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op);
HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloDtype dtype, HaloScanOp op);

/* Returns launch<source, Kind>(...) for the operation: sum, min and max in type `sum`, products in f64. */
#define SCAN_BY_OP(launch, source, sum, ...)                                                         \
    switch (op) {                                                                                    \
    case HALO_SCAN_SUM: return launch<source, ScanKind<sum, HALO_SCAN_SUM>>(__VA_ARGS__);            \
    case HALO_SCAN_MIN: return launch<source, ScanKind<sum, HALO_SCAN_MIN>>(__VA_ARGS__);            \
    case HALO_SCAN_MAX: return launch<source, ScanKind<sum, HALO_SCAN_MAX>>(__VA_ARGS__);            \
    case HALO_SCAN_PRODUCT: return launch<source, ScanKind<double, HALO_SCAN_PRODUCT>>(__VA_ARGS__); \
    }                                                                                                \
    break;

#endif
