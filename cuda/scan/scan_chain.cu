/* What lies above the runs of few columns of many rows, from the totals of all runs: within every group of runs at once, and
 * then from group to group. Bands of a scan in one pass would wait for one another there (scan_y.cu). */
#include "scan.cuh"

static const int group_runs = HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS, group_threads = 256;
static const int ahead = 16; /* loaded before any of them is joined */

/* A thread a column of a group: totals become P, and the last of these the group's own total. */
template <typename Kind>
__global__ static void __launch_bounds__(group_threads)
    groups_kernel(const __grid_constant__ ScanChain<typename Kind::Value> c)
{
    using T = typename Kind::Value;
    const int64_t number = (int64_t)blockIdx.x * group_threads + threadIdx.x, group = number / c.columns;
    if (group >= c.groups) return;
    const int64_t first = group * group_runs, x = number - group * c.columns;
    T *const at = c.run + first * c.columns + x;
    T inside = Kind::identity();
#pragma unroll 1
    for (int r = 0; r < group_runs; r += ahead) {
        T total[ahead];
#pragma unroll
        for (int i = 0; i < ahead; i++) total[i] = first + r + i < c.runs ? at[(r + i) * c.columns] : Kind::identity();
#pragma unroll
        for (int i = 0; i < ahead; i++) {
            if (first + r + i < c.runs) at[(r + i) * c.columns] = inside;
            inside = Kind::join(inside, total[i]);
        }
    }
    c.group[number] = inside;
}

/* The same of less than a warp of columns, whose groups lie behind one another: by way of shared memory, with one more row behind
 * every group, so that no two lanes meet in a bank. A block has `together` groups, a lane of its first warp a column of one. */
template <typename Kind>
__global__ static void __launch_bounds__(group_threads)
    narrow_groups_kernel(const __grid_constant__ ScanChain<typename Kind::Value> c, int together)
{
    using T = typename Kind::Value;
    __shared__ T room[(group_runs + 1) * CUDA_WARP];
    const int me = (int)threadIdx.x, columns = (int)c.columns, values = group_runs * columns;
    const int64_t first = (int64_t)blockIdx.x * together;
    T *const run = c.run + first * values;
    const int count = (int)cuda_min(together * values, c.runs * columns - first * values);
#pragma unroll 8
    for (int i = me; i < count; i += group_threads) room[i + i / values * columns] = run[i];
    __syncthreads();
    const int group = me / columns;
    if (group < together && first + group < c.groups) {
        T *const own = room + me + group * values;
        const int runs = (int)cuda_min(group_runs, c.runs - (first + group) * group_runs);
        T inside = Kind::identity();
#pragma unroll 4
        for (int r = 0; r < runs; r++) {
            const T total = own[r * columns];
            own[r * columns] = inside;
            inside = Kind::join(inside, total);
        }
        c.group[first * columns + me] = inside;
    }
    __syncthreads();
    for (int i = me; i < count; i += group_threads) run[i] = room[i + i / values * columns];
}

/* Groups that a warp joins at a time, while the others bring those that come next and store those before; those of each of them. */
static const int chain_groups = 96, chain_others = 8, chain_each = chain_groups / chain_others;
static const int chain_threads = (1 + chain_others) * CUDA_WARP;

/* What lies above the first group is the identity, and what lies above the next is that joined with its total. */
template <typename Kind>
__global__ static void __launch_bounds__(chain_threads)
    chain_kernel(const __grid_constant__ ScanChain<typename Kind::Value> c)
{
    using T = typename Kind::Value;
    __shared__ T room[2][chain_groups][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t x = (int64_t)blockIdx.x * CUDA_WARP + lane, chunks = cuda_ceil_div(c.groups, chain_groups);
    T above = Kind::identity();
#pragma unroll 1
    for (int64_t k = -1; k <= chunks; k++) { /* chunk k is joined, k + 1 comes and k - 1 goes */
        T(*const here)[CUDA_WARP] = room[k & 1], (*const there)[CUDA_WARP] = room[(k + 1) & 1];
        if (warp == 0 && k >= 0 && k < chunks)
#pragma unroll 1
            for (int r = 0; r < chain_groups; r += ahead) {
                T own[ahead];
#pragma unroll
                for (int i = 0; i < ahead; i++) own[i] = here[r + i][lane];
#pragma unroll
                for (int i = 0; i < ahead; i++) {
                    here[r + i][lane] = above;
                    above = Kind::join(above, own[i]);
                }
            }
        if (warp > 0 && x < c.columns) {
            const int first = (warp - 1) * chain_each;
            const int64_t before = (k - 1) * chain_groups + first, next = (k + 1) * chain_groups + first;
            T own[chain_each];
#pragma unroll
            for (int i = 0; i < chain_each; i++)
                if (next + i < c.groups) own[i] = __ldcg(c.group + (next + i) * c.columns + x);
#pragma unroll
            for (int i = 0; i < chain_each; i++) {
                if (before >= 0 && before + i < c.groups) c.group[(before + i) * c.columns + x] = there[first + i][lane];
                if (next + i < c.groups) there[first + i][lane] = own[i];
            }
        }
        __syncthreads();
    }
}

template <typename T>
HaloStatus scan_chain_room(HaloDevice *device, const ScanArgs *args, int64_t ahead, void **room, ScanChain<T> *c)
{
    int64_t values, bytes;
    c->columns = args->width * args->channels;
    c->runs = cuda_ceil_div(args->height, HALO_SCAN_ROWS);
    c->groups = cuda_ceil_div(c->runs, group_runs);
    if (!halo_mul(c->runs + c->groups, c->columns, &values) || !halo_mul(values, (int64_t)sizeof(T), &bytes) ||
        bytes > INT64_MAX - ahead)
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, ahead + bytes, room));
    c->run = (T *)((char *)*room + ahead);
    c->group = c->run + c->runs * c->columns;
    return HALO_OK;
}

template <typename Kind> static HaloStatus launch_chain(HaloDevice *device, const ScanChain<typename Kind::Value> *c)
{
    const int64_t together = CUDA_WARP / c->columns;
    if (together > 1)
        CUDA_LAUNCH(device, (narrow_groups_kernel<Kind>), cuda_ceil_div(c->groups, together), group_threads, 0, *c, (int)together);
    else
        CUDA_LAUNCH(device, (groups_kernel<Kind>), cuda_ceil_div(c->groups * c->columns, group_threads), group_threads, 0, *c);
    CUDA_LAUNCH(device, (chain_kernel<Kind>), cuda_ceil_div(c->columns, CUDA_WARP), chain_threads, 0, *c);
    return HALO_OK;
}

/* Squares are sums by now, there are no products of integers, and minima and maxima alone come as f32. */
template <typename T> HaloStatus scan_chain(HaloDevice *device, HaloScanOp op, const ScanChain<T> *c)
{
    if constexpr (std::is_same<T, float>::value)
        return launch_chain<ScanLeast>(device, c);
    else
        switch (op) {
        case HALO_SCAN_MIN: return launch_chain<ScanKind<T, HALO_SCAN_MIN>>(device, c);
        case HALO_SCAN_MAX: return launch_chain<ScanKind<T, HALO_SCAN_MAX>>(device, c);
        case HALO_SCAN_PRODUCT: return launch_chain<ScanKind<double, HALO_SCAN_PRODUCT>>(device, (const ScanChain<double> *)c);
        default: return launch_chain<ScanKind<T, HALO_SCAN_SUM>>(device, c);
        }
}

template HaloStatus scan_chain_room(HaloDevice *, const ScanArgs *, int64_t, void **, ScanChain<float> *);
template HaloStatus scan_chain_room(HaloDevice *, const ScanArgs *, int64_t, void **, ScanChain<double> *);
template HaloStatus scan_chain_room(HaloDevice *, const ScanArgs *, int64_t, void **, ScanChain<int64_t> *);
template HaloStatus scan_chain(HaloDevice *, HaloScanOp, const ScanChain<float> *);
template HaloStatus scan_chain(HaloDevice *, HaloScanOp, const ScanChain<double> *);
template HaloStatus scan_chain(HaloDevice *, HaloScanOp, const ScanChain<int64_t> *);
