/* Scans along y, and along x before, of pictures narrower than a warp: a block has some runs of all columns,
 * which are contiguous in memory, and every thread has one run of one column. First the totals of all runs,
 * then the prefixes above them (scan_groups.cu), then the results. */
#include "scan.cuh"

static const int narrow_threads = 128;

/* In shared memory samples have the order of the picture, with a row skipped after every run, so that the
 * threads of a warp use different banks: run * 33 * columns + column is a thread's number plus a multiple
 * of 32. */
static const int narrow_samples = narrow_threads * (HALO_SCAN_ROWS + 1);

/* The run of a line of 32 samples of the block: at / columns by a factor, which is exact for up to 32 lines. */
CUDA_INLINE int narrow_run(int at, int factor) { return at * factor >> 16; }
CUDA_INLINE int narrow_factor(int columns) { return 65536 / columns + 1; }

template <typename S, typename T> CUDA_INLINE T narrow_value(HaloScanOp op, S sample)
{
    const T v = (T)sample;
    return op == HALO_SCAN_SQUARES && sizeof(S) <= 4 ? v * v : v; /* else the result of an earlier scan */
}

/* Scans a row along x, which is one run. */
template <typename T> CUDA_INLINE void narrow_row(T *row, const ScanArgs &a, HaloScanOp op, T identity)
{
    for (int c = 0; c < a.channels; c++) {
        T sum = row[c], before = identity;
        for (int i = c; i < (int)a.width * a.channels; i += a.channels) {
            if (i > c) sum = scan_join(op, sum, row[i]);
            const T made = scan_join(op, identity, sum);
            row[i] = a.exclusive ? before : made;
            before = made;
        }
    }
}

/* A block has `runs`. Computes their totals, or, if `finish`, the results from the prefixes above them. */
template <typename S, typename T>
__global__ static void __launch_bounds__(narrow_threads)
    narrow_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanGroups<T> c, HaloScanOp op,
                  T identity, int runs, bool finish)
{
    constexpr int together = 8;
    __shared__ T workspace[narrow_samples];
    const int columns = (int)c.columns, factor = narrow_factor(columns);
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t first_run = (int64_t)blockIdx.x * runs, first = first_run * HALO_SCAN_ROWS * columns;
    const int lines = runs * columns, count = (int)cuda_min(lines * CUDA_WARP, a.height * columns - first);
    const S *const from = (const S *)a.src + first;
    for (int line = warp; line < lines; line += narrow_threads / CUDA_WARP * together) {
        S sample[together];
#pragma unroll
        for (int k = 0; k < together; k++) {
            const int i = (line + k * (narrow_threads / CUDA_WARP)) * CUDA_WARP + lane;
            if (i < count) sample[k] = from[i];
        }
#pragma unroll
        for (int k = 0; k < together; k++) {
            const int at = line + k * (narrow_threads / CUDA_WARP), i = at * CUDA_WARP + lane;
            if (i < count) workspace[i + narrow_run(at, factor) * columns] = narrow_value<S, T>(op, sample[k]);
        }
    }
    __syncthreads();
    if (a.x_first) {
        const int rows = count / columns;
        for (int row = (int)threadIdx.x; row < rows; row += narrow_threads)
            narrow_row(workspace + (row + row / HALO_SCAN_ROWS) * columns, a, op, identity);
        __syncthreads();
    }

    const int run = (int)threadIdx.x / columns, x = (int)threadIdx.x - run * columns;
    const int64_t number = first_run * columns + threadIdx.x;
    const int rows = (int)cuda_min(HALO_SCAN_ROWS, a.height - (first_run + run) * HALO_SCAN_ROWS);
    if (run < runs && rows > 0) {
        T *const own = workspace + run * (HALO_SCAN_ROWS + 1) * columns + x;
        T sum = own[0];
        if (!finish) {
            for (int k = 1; k < rows; k++) sum = scan_join(op, sum, own[k * columns]);
            c.run[number] = sum;
        } else {
            const int64_t group = (first_run + run) / (HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS);
            const T above = scan_join(op, c.group[group * columns + x], c.run[number]);
            own[0] = a.exclusive ? above : scan_join(op, above, sum);
            for (int k = 1; k < rows; k++) {
                const T was = sum;
                sum = scan_join(op, was, own[k * columns]);
                own[k * columns] = scan_join(op, above, a.exclusive ? was : sum);
            }
        }
    }
    if (!finish) return;
    __syncthreads();
    T *const to = (T *)a.dst + first;
    for (int line = warp; line < lines; line += narrow_threads / CUDA_WARP) {
        const int i = line * CUDA_WARP + lane;
        if (i < count) to[i] = scan_stored(workspace[i + narrow_run(line, factor) * columns]);
    }
}

template <typename S, typename T>
static HaloStatus launch(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    ScanGroups<T> c;
    void *workspace;
    CUDA_PASS(scan_groups_workspace(device, args, 0, &workspace, &c));
    const int runs = narrow_threads / (int)c.columns;
    const int64_t blocks = cuda_ceil_div(c.runs, runs);
    T identity;
    if constexpr (std::is_same<T, double>::value)
        identity = halo_scan_identity(op);
    else
        identity = halo_scan_identity_i64(op);
    CUDA_LAUNCH(device, (narrow_kernel<S, T>), blocks, narrow_threads, 0, *args, c, op, identity, runs, false);
    CUDA_PASS(scan_groups(device, op, &c));
    CUDA_LAUNCH(device, (narrow_kernel<S, T>), blocks, narrow_threads, 0, *args, c, op, identity, runs, true);
    return HALO_OK;
}

bool scan_narrow_fits(const ScanArgs *args)
{
    const int64_t columns = args->width * args->channels;
    return columns < CUDA_WARP && args->src_stride == columns * (int64_t)halo_dtype_size(args->dtype) &&
           args->dst_stride == columns * 8;
}

/* The threads of longer rows use the same banks, and take longer than a pass of their own. */
bool scan_narrow_takes_x(const ScanArgs *args)
{
    return args->width * args->channels <= scan_narrow_most && (args->width > 1 || args->exclusive) &&
           scan_narrow_fits(args);
}

HaloStatus scan_narrow(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    const bool real = op == HALO_SCAN_PRODUCT;
    switch (args->dtype) {
    case HALO_U8:
        return real ? launch<uint8_t, double>(device, args, op) : launch<uint8_t, int64_t>(device, args, op);
    case HALO_U16:
        return real ? launch<uint16_t, double>(device, args, op) : launch<uint16_t, int64_t>(device, args, op);
    case HALO_F32: return launch<float, double>(device, args, op);
    case HALO_I64: return launch<int64_t, int64_t>(device, args, op);
    case HALO_F64: return launch<double, double>(device, args, op);
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along y", halo_dtype_name(args->dtype));
}
