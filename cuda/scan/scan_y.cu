/* Scans along y: a block has a strip of 32 columns and a band of 8 runs of 32 rows, every thread one run, in its native type.
 * In one pass bands start in order, and hand on what lies above the next. Many bands of few columns would wait for one another:
 * they make the totals of all runs first, one warp a strip joins these one after the other, and bands finish. */
#include "scan.cuh"

static const int band_runs = 8, band_threads = band_runs * CUDA_WARP;
static const int band_rows = band_runs * HALO_SCAN_ROWS;

template <typename T> struct ScanBands {
    int64_t columns, strips;
    unsigned *tickets;
    T *above; /* [band][column]: what lies above every band, and below the last, where it is needed; */
    T *run;   /* or [run][column]: the totals of runs, and then what lies above each; NULL: one pass */
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
    const int64_t order = b.run != NULL ? blockIdx.x : scan_ticket(b.tickets);
    const int64_t band = order / b.strips, x = order % b.strips * CUDA_WARP + lane;
    const int64_t first = band * band_rows + warp * HALO_SCAN_ROWS;
    const int rows = x < b.columns ? (int)cuda_max(0, cuda_min(HALO_SCAN_ROWS, a.height - first)) : 0;
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
    if (b.run != NULL) {
        T *const run = b.run + (first / HALO_SCAN_ROWS) * b.columns + x;
        if (rows == 0) return;
        if (!b.finish) {
            *run = sum;
            return;
        }
        own = *run;
    } else {
        total[warp][lane] = sum;
        __syncthreads();
        if (x >= b.columns) return;
        T *const above = b.above + band * b.columns + x;
        own = band == 0 && a.above == NULL ? Kind::identity() : scan_await<Kind>(above, a);
#pragma unroll
        for (int w = 0; w < band_runs - 1; w++)
            if (w < warp) own = Kind::join(own, total[w][lane]);
        const bool last = first + HALO_SCAN_ROWS >= a.height; /* of all, or, where others come, of these */
        if (last ? a.above != NULL && rows > 0 : warp == band_runs - 1)
            scan_publish<Kind>(b.above + (band + 1) * b.columns + x, Kind::join(own, sum), a);
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

/* ---- runs of few columns ---------------------------------------------------------------------------------- */

/* Runs that a warp joins at a time, while the others bring those that come next and store those before; those of each of them. */
static const int chain_runs = 96, chain_others = 8, chain_each = chain_runs / chain_others, chain_threads = (1 + chain_others) * CUDA_WARP;
static const int chain_ahead = 16; /* loaded before any of them is joined */

/* What lies above the first run is the identity, and what lies above the next is that joined with its total. */
template <typename Kind>
__global__ static void __launch_bounds__(chain_threads)
    chain_kernel(typename Kind::Value *run, int64_t runs, int64_t columns)
{
    using T = typename Kind::Value;
    __shared__ T room[2][chain_runs][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t x = (int64_t)blockIdx.x * CUDA_WARP + lane, chunks = cuda_ceil_div(runs, chain_runs);
    T above = Kind::identity();
#pragma unroll 1
    for (int64_t k = -1; k <= chunks; k++) { /* chunk k is joined, k + 1 comes and k - 1 goes */
        T(*const here)[CUDA_WARP] = room[k & 1], (*const there)[CUDA_WARP] = room[(k + 1) & 1];
        if (warp == 0 && k >= 0 && k < chunks)
#pragma unroll 1
            for (int r = 0; r < chain_runs; r += chain_ahead) {
                T own[chain_ahead];
#pragma unroll
                for (int i = 0; i < chain_ahead; i++) own[i] = here[r + i][lane];
#pragma unroll
                for (int i = 0; i < chain_ahead; i++) {
                    here[r + i][lane] = above;
                    above = Kind::join(above, own[i]);
                }
            }
        if (warp > 0 && x < columns) {
            const int first = (warp - 1) * chain_each;
            const int64_t before = (k - 1) * chain_runs + first, next = (k + 1) * chain_runs + first;
            T own[chain_each];
#pragma unroll
            for (int i = 0; i < chain_each; i++)
                if (next + i < runs) own[i] = __ldcg(run + (next + i) * columns + x);
#pragma unroll
            for (int i = 0; i < chain_each; i++) {
                if (before >= 0 && before + i < runs) run[(before + i) * columns + x] = there[first + i][lane];
                if (next + i < runs) there[first + i][lane] = own[i];
            }
        }
        __syncthreads();
    }
}

/* Columns of which there are fewer, in more bands, are not scanned in one pass: each band would take longer to hear from the
 * one above than the GPU takes for all bands at its side. */
static const int64_t few_strips = 128, few_bands = 64;

template <typename S, typename Kind>
static HaloStatus launch_few(HaloDevice *device, const ScanArgs *args, ScanBands<typename Kind::Value> *b, int64_t blocks)
{
    using T = typename Kind::Value;
    const int64_t runs = cuda_ceil_div(args->height, HALO_SCAN_ROWS);
    int64_t values, bytes;
    void *room;
    if (!halo_mul(runs, b->columns, &values) || !halo_mul(values, (int64_t)sizeof(T), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &room));
    b->run = (T *)room;
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, *b);
    CUDA_LAUNCH(device, (chain_kernel<Kind>), b->strips, chain_threads, 0, b->run, runs, b->columns);
    b->finish = true;
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, *b);
    return HALO_OK;
}

/* ---- launching ------------------------------------------------------------------------------------------ */

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
    if (args->first && args->above == NULL && b.strips < few_strips && bands > few_bands)
        return launch_few<S, Kind>(device, args, &b, blocks);
    CUDA_PASS(scan_slots(device, slots + b.columns, &b.tickets, &values));
    b.above = (T *)values;
    const size_t row = (size_t)b.columns * sizeof(T);
    if (args->above != NULL) CUDA_TRY(cudaMemcpyAsync(b.above, args->above, row, cudaMemcpyDeviceToDevice, device->stream));
    CUDA_LAUNCH(device, (columns_kernel<S, Kind>), blocks, band_threads, 0, *args, b);
    if (args->above != NULL)
        CUDA_TRY(cudaMemcpyAsync(args->above, b.above + slots, row, cudaMemcpyDeviceToDevice, device->stream));
    return HALO_OK;
}

HaloStatus scan_y(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    switch (args->dtype) {
    case HALO_U8: SCAN_BY_OP(launch_y, uint8_t, int64_t, device, args)
    case HALO_U16: SCAN_BY_OP(launch_y, uint16_t, int64_t, device, args)
    case HALO_F32: SCAN_BY_OP(launch_y, float, double, device, args)
    case HALO_I64: SCAN_BY_OP(launch_y, int64_t, int64_t, device, args)
    case HALO_F64: SCAN_BY_OP(launch_y, double, double, device, args)
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along y", halo_dtype_name(args->dtype));
}
