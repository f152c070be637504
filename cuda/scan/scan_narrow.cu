/* Scans along y, and along x before, of pictures that are narrower than a warp: a block has some runs of all columns, which lie
 * behind one another in memory, and every thread one run of one column. First the totals of all runs, then what lies above them
 * (scan_chain.cu), then the results. */
#include "scan.cuh"

static const int narrow_threads = 128;

/* Samples lie in shared memory as in the picture, with one more row behind every run: what the threads of a warp take at a time is
 * in banks of its own, since run · 33 · columns + column is a thread's number but for multiples of 32. */
static const int narrow_room = narrow_threads * (HALO_SCAN_ROWS + 1);

/* The run that a line of 32 samples of the block belongs to: at / columns by a factor, which tells that of so few lines exactly. */
__device__ __forceinline__ static int narrow_run(int at, int factor) { return at * factor >> 16; }
__device__ __forceinline__ static int narrow_factor(int columns) { return 65536 / columns + 1; }

template <typename S, typename T> __device__ __forceinline__ static T narrow_value(HaloScanOp op, S sample)
{
    const T v = (T)sample;
    return op == HALO_SCAN_SQUARES && sizeof(S) <= 4 ? v * v : v; /* else results of an earlier scan */
}

/* A row along x, where nothing stands before its one run. */
template <typename T>
__device__ __forceinline__ static void narrow_row(T *row, const ScanArgs &a, HaloScanOp op, T identity)
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

/* `runs` of a block. The totals of runs, or, once what lies above them is known, the results. */
template <typename S, typename T>
__global__ static void __launch_bounds__(narrow_threads)
    narrow_kernel(const __grid_constant__ ScanArgs a, const __grid_constant__ ScanChain<T> c, HaloScanOp op, T identity, int runs,
                  bool finish)
{
    constexpr int together = 8;
    __shared__ T room[narrow_room];
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
            if (i < count) room[i + narrow_run(at, factor) * columns] = narrow_value<S, T>(op, sample[k]);
        }
    }
    __syncthreads();
    if (a.along) {
        const int rows = count / columns;
        for (int row = (int)threadIdx.x; row < rows; row += narrow_threads)
            narrow_row(room + (row + row / HALO_SCAN_ROWS) * columns, a, op, identity);
        __syncthreads();
    }

    const int run = (int)threadIdx.x / columns, x = (int)threadIdx.x - run * columns;
    const int64_t number = first_run * columns + threadIdx.x;
    const int rows = (int)cuda_min(HALO_SCAN_ROWS, a.height - (first_run + run) * HALO_SCAN_ROWS);
    if (run < runs && rows > 0) {
        T *const own = room + run * (HALO_SCAN_ROWS + 1) * columns + x;
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
        if (i < count) to[i] = scan_stored(room[i + narrow_run(line, factor) * columns]);
    }
}

template <typename S, typename T> static HaloStatus launch(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    ScanChain<T> c;
    void *room;
    CUDA_PASS(scan_chain_room(device, args, 0, &room, &c));
    const int runs = narrow_threads / (int)c.columns;
    const int64_t blocks = cuda_ceil_div(c.runs, runs);
    T identity;
    if constexpr (std::is_same<T, double>::value)
        identity = halo_scan_identity(op);
    else
        identity = halo_scan_identity_i64(op);
    CUDA_LAUNCH(device, (narrow_kernel<S, T>), blocks, narrow_threads, 0, *args, c, op, identity, runs, false);
    CUDA_PASS(scan_chain(device, op, &c));
    CUDA_LAUNCH(device, (narrow_kernel<S, T>), blocks, narrow_threads, 0, *args, c, op, identity, runs, true);
    return HALO_OK;
}

bool scan_narrow_fits(const ScanArgs *args)
{
    const int64_t columns = args->width * args->channels;
    return columns < CUDA_WARP && args->src_stride == columns * (int64_t)halo_dtype_size(args->dtype) &&
           args->dst_stride == columns * 8;
}

/* Rows of eight samples and more meet in banks, and take longer than a pass of their own. */
bool scan_narrow_along(const ScanArgs *args)
{
    return args->width * args->channels <= scan_narrow_most && (args->width > 1 || args->exclusive) && scan_narrow_fits(args);
}

HaloStatus scan_narrow(HaloDevice *device, const ScanArgs *args, HaloScanOp op)
{
    const bool real = op == HALO_SCAN_PRODUCT;
    switch (args->dtype) {
    case HALO_U8: return real ? launch<uint8_t, double>(device, args, op) : launch<uint8_t, int64_t>(device, args, op);
    case HALO_U16: return real ? launch<uint16_t, double>(device, args, op) : launch<uint16_t, int64_t>(device, args, op);
    case HALO_F32: return launch<float, double>(device, args, op);
    case HALO_I64: return launch<int64_t, int64_t>(device, args, op);
    case HALO_F64: return launch<double, double>(device, args, op);
    default: break;
    }
    return halo_fail(HALO_ERR_BUG, "no scan of %s along y", halo_dtype_name(args->dtype));
}
