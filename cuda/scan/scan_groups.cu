/* The prefixes above the runs of narrow, tall images, from the totals of all runs: within all groups of
 * runs at once, and then across groups. In one pass the bands of a scan would wait for one another there
 * (scan_y.cu). */
#include "scan.cuh"

static const int group_runs = HALO_SCAN_GROUP_ROWS / HALO_SCAN_ROWS, group_threads = 256;
static const int ahead = 16; /* loaded ahead of joining */

/* One thread per column of a group: totals become P, and the last P joined with its total is the group's own
 * total. */
template <typename Kind>
__global__ static void __launch_bounds__(group_threads)
    within_groups_kernel(const __grid_constant__ ScanGroups<typename Kind::Value> c)
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
        for (int i = 0; i < ahead; i++)
            total[i] = first + r + i < c.runs ? at[(r + i) * c.columns] : Kind::identity();
#pragma unroll
        for (int i = 0; i < ahead; i++) {
            if (first + r + i < c.runs) at[(r + i) * c.columns] = inside;
            inside = Kind::join(inside, total[i]);
        }
    }
    c.group[number] = inside;
}

/* The same for less than a warp of columns, whose groups are contiguous: through shared memory, with a row
 * skipped after every group, so that lanes use different banks. A block has `together` groups; a lane of its
 * first warp has a column of one. */
template <typename Kind>
__global__ static void __launch_bounds__(group_threads)
    narrow_groups_kernel(const __grid_constant__ ScanGroups<typename Kind::Value> c, int together)
{
    using T = typename Kind::Value;
    __shared__ T workspace[(group_runs + 1) * CUDA_WARP];
    const int me = (int)threadIdx.x, columns = (int)c.columns, values = group_runs * columns;
    const int64_t first = (int64_t)blockIdx.x * together;
    T *const run = c.run + first * values;
    const int count = (int)cuda_min(together * values, c.runs * columns - first * values);
#pragma unroll 8
    for (int i = me; i < count; i += group_threads) workspace[i + i / values * columns] = run[i];
    __syncthreads();
    const int group = me / columns;
    if (group < together && first + group < c.groups) {
        T *const own = workspace + me + group * values;
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
    for (int i = me; i < count; i += group_threads) run[i] = workspace[i + i / values * columns];
}

/* Groups that a warp joins at a time, while the other warps load the next ones and store the previous ones; and
 * the share of each of these. */
static const int across_groups = 96, across_others = 8, across_each = across_groups / across_others;
static const int across_threads = (1 + across_others) * CUDA_WARP;

/* The prefix above the first group is the identity, and above the next that joined with its total. */
template <typename Kind>
__global__ static void __launch_bounds__(across_threads)
    across_groups_kernel(const __grid_constant__ ScanGroups<typename Kind::Value> c)
{
    using T = typename Kind::Value;
    __shared__ T workspace[2][across_groups][CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t x = (int64_t)blockIdx.x * CUDA_WARP + lane, chunks = cuda_ceil_div(c.groups, across_groups);
    T above = Kind::identity();
#pragma unroll 1
    for (int64_t k = -1; k <= chunks; k++) { /* joins chunk k, loads k + 1, stores k - 1 */
        T(*const here)[CUDA_WARP] = workspace[k & 1], (*const there)[CUDA_WARP] = workspace[(k + 1) & 1];
        if (warp == 0 && k >= 0 && k < chunks)
#pragma unroll 1
            for (int r = 0; r < across_groups; r += ahead) {
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
            const int first = (warp - 1) * across_each;
            const int64_t before = (k - 1) * across_groups + first, next = (k + 1) * across_groups + first;
            T own[across_each];
#pragma unroll
            for (int i = 0; i < across_each; i++)
                if (next + i < c.groups) own[i] = __ldcg(c.group + (next + i) * c.columns + x);
#pragma unroll
            for (int i = 0; i < across_each; i++) {
                if (before >= 0 && before + i < c.groups)
                    c.group[(before + i) * c.columns + x] = there[first + i][lane];
                if (next + i < c.groups) there[first + i][lane] = own[i];
            }
        }
        __syncthreads();
    }
}

template <typename T>
HaloStatus scan_groups_workspace(HaloDevice *device, const ScanArgs *args, int64_t ahead, void **workspace,
                                 ScanGroups<T> *c)
{
    int64_t values, bytes;
    c->columns = args->width * args->channels;
    c->runs = cuda_ceil_div(args->height, HALO_SCAN_ROWS);
    c->groups = cuda_ceil_div(c->runs, group_runs);
    if (!halo_mul(c->runs + c->groups, c->columns, &values) || !halo_mul(values, (int64_t)sizeof(T), &bytes) ||
        bytes > INT64_MAX - ahead)
        return halo_fail(HALO_ERR_LIMIT, "the scan is too large: use --device cpu");
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, ahead + bytes, workspace));
    c->run = (T *)((char *)*workspace + ahead);
    c->group = c->run + c->runs * c->columns;
    return HALO_OK;
}

template <typename Kind>
static HaloStatus launch_groups(HaloDevice *device, const ScanGroups<typename Kind::Value> *c)
{
    const int64_t together = CUDA_WARP / c->columns;
    if (together > 1)
        CUDA_LAUNCH(device, (narrow_groups_kernel<Kind>), cuda_ceil_div(c->groups, together), group_threads, 0,
                    *c, (int)together);
    else
        CUDA_LAUNCH(device, (within_groups_kernel<Kind>), cuda_ceil_div(c->groups * c->columns, group_threads),
                    group_threads, 0, *c);
    CUDA_LAUNCH(device, (across_groups_kernel<Kind>), cuda_ceil_div(c->columns, CUDA_WARP), across_threads, 0,
                *c);
    return HALO_OK;
}

/* Squares are already sums, products are in f64, and f32 are minima and maxima. */
template <typename T> HaloStatus scan_groups(HaloDevice *device, HaloScanOp op, const ScanGroups<T> *c)
{
    if constexpr (std::is_same<T, float>::value)
        return launch_groups<ScanLeast>(device, c);
    else
        switch (op) {
        case HALO_SCAN_MIN: return launch_groups<ScanKind<T, HALO_SCAN_MIN>>(device, c);
        case HALO_SCAN_MAX: return launch_groups<ScanKind<T, HALO_SCAN_MAX>>(device, c);
        case HALO_SCAN_PRODUCT:
            return launch_groups<ScanKind<double, HALO_SCAN_PRODUCT>>(device, (const ScanGroups<double> *)c);
        default: return launch_groups<ScanKind<T, HALO_SCAN_SUM>>(device, c);
        }
}

template HaloStatus scan_groups_workspace(HaloDevice *, const ScanArgs *, int64_t, void **,
                                          ScanGroups<float> *);
template HaloStatus scan_groups_workspace(HaloDevice *, const ScanArgs *, int64_t, void **,
                                          ScanGroups<double> *);
template HaloStatus scan_groups_workspace(HaloDevice *, const ScanArgs *, int64_t, void **,
                                          ScanGroups<int64_t> *);
template HaloStatus scan_groups(HaloDevice *, HaloScanOp, const ScanGroups<float> *);
template HaloStatus scan_groups(HaloDevice *, HaloScanOp, const ScanGroups<double> *);
template HaloStatus scan_groups(HaloDevice *, HaloScanOp, const ScanGroups<int64_t> *);
