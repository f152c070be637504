/* Scans along y of rows after earlier bands. Between bands there is a state for each column: the prefix above
 * the incomplete group of runs, above the incomplete run of 32 rows in it, and that run's total so far. The
 * rows that complete this run, and those of the last, incomplete run, are joined one after the other; the runs
 * between are scanned as those of a picture. */
#include "scan.cuh"

static const int band_threads = 256;

template <typename T> struct ScanState {
    T *group, *inside, *run; /* [column] each */
};

/* Less than a run of rows, the first of which is number `row` of its group; a thread per column. */
template <typename S, typename T>
__global__ static void __launch_bounds__(band_threads)
    partial_run_kernel(const __grid_constant__ ScanArgs a, HaloScanOp op, int row, T identity,
                       ScanState<T> state)
{
    const int64_t x = (int64_t)blockIdx.x * band_threads + threadIdx.x;
    if (x >= a.width * a.channels) return;
    T group = state.group[x], inside = state.inside[x], sum = row % HALO_SCAN_ROWS == 0 ? T() : state.run[x];
    const T before = scan_join(op, group, inside);
    for (int64_t y = 0; y < a.height; y++) {
        T v = (T) * ((const S *)(a.src + y * a.src_stride) + x);
        if (op == HALO_SCAN_SQUARES && sizeof(S) <= 4) v = v * v; /* else results of an earlier scan */
        const T was = sum;
        const bool begins = row % HALO_SCAN_ROWS == 0;
        sum = begins ? v : scan_join(op, was, v);
        const T made = !a.exclusive ? scan_join(op, before, sum) : begins ? before : scan_join(op, before, was);
        *((T *)(a.dst + y * a.dst_stride) + x) = scan_stored(made);
        row++;
    }
    state.run[x] = sum;
    if (row % HALO_SCAN_ROWS != 0) return;
    inside = scan_join(op, inside, sum);
    if (row == HALO_SCAN_GROUP_ROWS) {
        state.group[x] = scan_stored(scan_join(op, group, inside)); /* as it is published (scan.cuh) */
        inside = identity;
    }
    state.inside[x] = scan_stored(inside);
}

template <typename T>
__global__ static void __launch_bounds__(band_threads)
    begin_kernel(int64_t columns, T identity, ScanState<T> state)
{
    const int64_t x = (int64_t)blockIdx.x * band_threads + threadIdx.x;
    if (x < columns) state.group[x] = state.inside[x] = identity;
}

/* The rows from `from` on. */
static ScanArgs some_rows(const ScanArgs *args, int64_t from, int64_t rows)
{
    ScanArgs some = *args;
    some.src += from * args->src_stride;
    some.dst += from * args->dst_stride;
    some.height = rows;
    return some;
}

template <typename S, typename T>
static HaloStatus partial_run(HaloDevice *device, const ScanArgs *args, HaloScanOp op, int64_t y, T identity,
                              ScanState<T> state)
{
    if (args->height == 0) return HALO_OK;
    CUDA_LAUNCH(device, (partial_run_kernel<S, T>), cuda_ceil_div(args->width * args->channels, band_threads),
                band_threads, 0, *args, op, (int)(y % HALO_SCAN_GROUP_ROWS), identity, state);
    return HALO_OK;
}

template <typename S, typename T>
static HaloStatus launch(HaloDevice *device, const ScanArgs *args, HaloScanOp op, T identity, int64_t y0,
                         void *memory)
{
    const int64_t row = y0 % HALO_SCAN_ROWS, columns = args->width * args->channels;
    const int64_t head = cuda_min(args->height, (HALO_SCAN_ROWS - row) % HALO_SCAN_ROWS),
                  runs = (args->height - head) / HALO_SCAN_ROWS * HALO_SCAN_ROWS;
    ScanArgs first = some_rows(args, 0, head), most = some_rows(args, head, runs),
             last = some_rows(args, head + runs, args->height - head - runs);
    T *const values = (T *)memory;
    const ScanState<T> state = {values, values + columns, values + 2 * columns};
    if (y0 == 0)
        CUDA_LAUNCH(device, begin_kernel<T>, cuda_ceil_div(columns, band_threads), band_threads, 0, columns,
                    identity, state);
    CUDA_PASS((partial_run<S, T>(device, &first, op, y0, identity, state)));
    most.state = memory;
    most.runs_before = (int)((y0 + head) % HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS);
    if (runs > 0) CUDA_PASS(scan_y(device, &most, op));
    return partial_run<S, T>(device, &last, op, y0 + head + runs, identity, state);
}

HaloStatus scan_band(HaloDevice *device, const ScanArgs *args, HaloScanOp op, int64_t y0, void *state)
{
    const double real = halo_scan_identity(op);
    const int64_t integer = halo_scan_identity_i64(op);
    const bool reals = op == HALO_SCAN_PRODUCT;
    switch (args->dtype) {
    case HALO_U8:
        return reals ? launch<uint8_t, double>(device, args, op, real, y0, state)
                     : launch<uint8_t, int64_t>(device, args, op, integer, y0, state);
    case HALO_U16:
        return reals ? launch<uint16_t, double>(device, args, op, real, y0, state)
                     : launch<uint16_t, int64_t>(device, args, op, integer, y0, state);
    case HALO_F32: return launch<float, double>(device, args, op, real, y0, state);
    case HALO_I64: return launch<int64_t, int64_t>(device, args, op, integer, y0, state);
    case HALO_F64: return launch<double, double>(device, args, op, real, y0, state);
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "internal: no scan of %s along y", halo_dtype_name(args->dtype));
}
