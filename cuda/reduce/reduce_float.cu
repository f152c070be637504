/* Statistics of f32 in two launches: a warp sums up a leaf of 4096 samples, each of its threads four lanes, and
 * a block joins four neighbours; then blocks join 512 of those, and the last block joins the blocks. Slower:
 * warps that go from leaf to leaf with loads ahead (2^30 samples on an H200: 1.02 ms for 0.97), and one launch,
 * in which every leaf arrives at the tree (1.18). */
#include "reduce_leaf.cuh"

static const int group_leaves = 4; /* that a block makes and joins */
static const int group_threads = group_leaves * CUDA_WARP;
static const int join_threads = 512, join_parts = join_threads;

/* Loads of 16 bytes in flight while as many rows are processed, and the least number of warps per
 * multiprocessor: products need registers. */
__host__ __device__ static constexpr int batch_of(bool product) { return product ? 4 : 2; }
__host__ __device__ static constexpr int warps_of(bool product) { return product ? 24 : 32; }
/* Neighbouring channels that a block reads together, so that samples are loaded from memory once. */
__host__ __device__ static constexpr int most_planes(bool product) { return product ? 3 : 4; }

struct FloatArgs {
    const float *data;
    int64_t pixels, leaves, groups, blocks; /* of a channel; `blocks` join the groups */
    int channels, planes;
    Part *group;       /* [channels][groups]; the extremes of groups and blocks are known by their leaf */
    Part *block;       /* [channels][blocks] */
    unsigned *arrival; /* [channels] */
    HaloMoments *result;
};

/* ---- a leaf ---------------------------------------------------------------------------------------------- */

/* Lanes by adjacent pairs. `Line`: a thread has lanes 4t to 4t + 3, so twice in the thread, five times across
 * the warp; else t, t + 32, t + 64, t + 96, so that neighbouring threads read neighbouring pixels. */
template <bool Line, typename F> CUDA_INLINE double join_pairs(const double v[4], F f)
{
    const auto warp = [&](double w) {
        for (int d = 1; d < CUDA_WARP; d *= 2) w = f(w, __shfl_xor_sync(CUDA_ALL, w, d));
        return w;
    };
    if (Line) return warp(f(f(v[0], v[1]), f(v[2], v[3])));
    return f(f(warp(v[0]), warp(v[1])), f(warp(v[2]), warp(v[3])));
}

template <bool Line, bool Product> CUDA_INLINE Leaf join_lanes(const Lanes<4> *lanes, float k)
{
    const auto plus = [](double a, double b) { return a + b; };
    const auto times = [](double a, double b) { return a * b; }; /* 128 mantissas do not overflow */
    Leaf leaf = {};
    leaf.k = k;
    leaf.n = HALO_LEAF - (int)cuda_warp_sum(lanes->nan);
    leaf.s = join_pairs<Line>(lanes->s, plus);
    leaf.q = join_pairs<Line>(lanes->q, plus);
    if (Product) {
        leaf.product = join_pairs<Line>(lanes->product, times);
        leaf.product_exp = cuda_warp_sum(lanes->product_exp);
    }
    return leaf;
}

/* A batch of a leaf, from its sample m on. Missing samples are NaN. `Line`: one channel, 16-byte loads. */
template <bool Line, int Batch>
CUDA_INLINE void load(const float *from, int channels, int count, int m, float (&v)[Batch][4])
{
    const int lane = (int)threadIdx.x % CUDA_WARP, own = m + (Line ? 4 * lane : lane);
#pragma unroll
    for (int b = 0; b < Batch; b++) {
        const int first = own + b * HALO_LANES;
        if (Line && count == HALO_LEAF) {
            *reinterpret_cast<float4 *>(v[b]) = __ldg(reinterpret_cast<const float4 *>(from + first));
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int at = first + (Line ? i : CUDA_WARP * i);
            v[b][i] = at < count ? __ldg(from + (int64_t)at * channels) : NAN;
        }
    }
}

template <bool Product, int Batch> CUDA_INLINE void work(const float (&v)[Batch][4], double k, Lanes<4> *lanes)
{
    if (__any_sync(CUDA_ALL, survey(v, lanes)))
        take<Product, true>(v, k, lanes);
    else
        take<Product, false>(v, k, lanes);
}

/* One leaf by one warp. The next batch is in flight while one is processed. */
template <bool Line, bool Product> CUDA_INLINE Part reduce_leaf(const FloatArgs &a, int channel, int64_t number)
{
    constexpr int batch = batch_of(Product), step = batch * HALO_LANES;
    static_assert(!Product || batch % 4 == 0, "exponents are moved out in time");
    const int64_t first = number * HALO_LEAF;
    const int count = (int)cuda_min(HALO_LEAF, a.pixels - first);
    const float *const from = a.data + first * a.channels + channel;
    float v[2][batch][4];
    load<Line>(from, a.channels, count, 0, v[0]);
    const float start = __ldg(from);
    const float k = start - start == 0.0f ? start : 0.0f;
    Lanes<4> lanes = Lanes<4>::none();
#pragma unroll 1
    for (int m = 0; m < HALO_LEAF; m += 2 * step) {
        load<Line>(from, a.channels, count, m + step, v[1]);
        work<Product>(v[0], (double)k, &lanes);
        if (m + 2 * step < HALO_LEAF) load<Line>(from, a.channels, count, m + 2 * step, v[0]);
        work<Product>(v[1], (double)k, &lanes);
    }
    const Leaf leaf = join_lanes<Line, Product>(&lanes, k);
    Part part = {node_of<Product>(leaf), Extremes::none(), cuda_warp_sum(lanes.inf), cuda_warp_sum(lanes.zero)};
    if (leaf.n > 0)
        part.best = {{cuda_warp_min(extreme_key(lanes.low)), cuda_warp_min(extreme_key(-lanes.high))},
                     {(int)number, (int)number}};
    return part;
}

/* A block has a group of a channel, or of each of `planes` neighbouring ones. `Line`: there is one channel. */
template <bool Line, bool Product>
__global__ static void __launch_bounds__(Line ? group_threads : group_threads *most_planes(Product),
                                         warps_of(Product) / group_leaves / (Line ? 1 : most_planes(Product)))
    leaves_kernel(const __grid_constant__ FloatArgs a)
{
    __shared__ Part parts[Line ? 1 : most_planes(Product)][group_leaves];
    const int warp = (int)threadIdx.x / CUDA_WARP, lane = (int)threadIdx.x % CUDA_WARP;
    const int sets = Line ? 1 : a.channels / a.planes, first = (int)(blockIdx.x % sets) * a.planes;
    const int64_t number = (int64_t)(blockIdx.x / sets) * group_leaves + warp % group_leaves;
    if (number < a.leaves) {
        const Part part = reduce_leaf<Line, Product>(a, Line ? 0 : first + warp / group_leaves, number);
        if (lane == 0) parts[warp / group_leaves][warp % group_leaves] = part;
    }
    __syncthreads();
    if (warp >= (Line ? 1 : a.planes)) return;
    const int here = (int)cuda_min(group_leaves, a.leaves - (int64_t)(blockIdx.x / sets) * group_leaves);
    Part all = lane < here ? parts[warp][lane] : Part::none();
    all.node = join_family<Product>(all.node, here);
    all.join_warp();
    if (lane == 0) a.group[(first + warp) * a.groups + blockIdx.x / sets] = all;
}

/* ---- the tree -------------------------------------------------------------------------------------------- */

/* Where in their leaves the extremes are, -1 where there is none: both at once, since one memory access takes
 * longer than all else. All threads of the block call it; thread 0 has `best`. */
CUDA_INLINE void find_extremes(const FloatArgs &a, int channel, const Extremes &best, int64_t at[2])
{
    constexpr int each = HALO_LEAF / join_threads;
    __shared__ Extremes sought;
    __shared__ int found[2];
    if (threadIdx.x == 0) sought = best;
    if (threadIdx.x < 2) found[threadIdx.x] = HALO_LEAF;
    __syncthreads();
    at[0] = at[1] = -1;
    if (sought.at[0] == reduce_none) return;
    float v[2][each];
    for (int e = 0; e < 2; e++) {
        at[e] = (int64_t)sought.at[e] * HALO_LEAF;
#pragma unroll
        for (int i = 0; i < each; i++) {
            const int64_t pixel = at[e] + i * join_threads + threadIdx.x;
            v[e][i] = pixel < a.pixels ? __ldg(a.data + pixel * a.channels + channel) : NAN;
        }
    }
    for (int e = 0; e < 2; e++)
#pragma unroll
        for (int i = 0; i < each; i++)
            if (extreme_key(e == 0 ? v[e][i] : -v[e][i]) == sought.key[e])
                atomicMin(&found[e], i * join_threads + (int)threadIdx.x);
    __syncthreads();
    for (int e = 0; e < 2; e++) at[e] += found[e];
}

/* Blocks join groups, and the last one joins the blocks. */
template <bool Product>
__global__ static void __launch_bounds__(join_threads) join_kernel(const __grid_constant__ FloatArgs a)
{
    CUDA_SHARED(Node, workspace);
    __shared__ bool last;
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, first = block * join_parts;
    Part *const blocks = a.block + channel * a.blocks;
    const Part *from = a.group + channel * a.groups + first;
    int64_t count = cuda_min(join_parts, a.groups - first);
    for (;;) {
        const Part all = join_block<Product, join_threads>(from, count, workspace);
        if (from == blocks) {
            int64_t at[2];
            find_extremes(a, channel, all.best, at);
            if (threadIdx.x < CUDA_WARP)
                write_answer(a.data + channel, a.channels, a.pixels, all, at, a.result + channel);
            return;
        }
        if (threadIdx.x == 0) {
            blocks[block] = all;
            last = reduce_last(a.arrival + channel, a.blocks);
        }
        __syncthreads();
        if (!last) return;
        from = blocks;
        count = a.blocks;
    }
}

HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                         HaloMoments *result)
{
    const int64_t leaves = cuda_ceil_div(pixels, HALO_LEAF), groups = cuda_ceil_div(leaves, group_leaves),
                  blocks = cuda_ceil_div(groups, join_parts);
    const int planes = channels <= most_planes(product) ? channels : channels % 2 == 0 ? 2 : 1;
    if (reduce_small_takes(leaves)) return reduce_small(device, data, pixels, channels, product, result);
    FloatArgs args = {data, pixels, leaves, groups, blocks, channels, planes, NULL, NULL, NULL, result};
    int64_t bytes;
    void *workspace;
    if (leaves > INT_MAX || !halo_mul((groups + blocks) * (int64_t)sizeof(Part), channels, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "too large for a reduction on the GPU: use --device cpu");
    CUDA_PASS(reduce_workspace(device, bytes, channels, &workspace, &args.arrival));
    args.group = (Part *)workspace;
    args.block = args.group + groups * channels;
    const int64_t grid = groups * (channels / planes);
    const int threads = group_threads * planes;
    if (channels == 1 && product)
        CUDA_LAUNCH(device, (leaves_kernel<true, true>), grid, threads, 0, args);
    else if (channels == 1)
        CUDA_LAUNCH(device, (leaves_kernel<true, false>), grid, threads, 0, args);
    else if (product)
        CUDA_LAUNCH(device, (leaves_kernel<false, true>), grid, threads, 0, args);
    else
        CUDA_LAUNCH(device, (leaves_kernel<false, false>), grid, threads, 0, args);
    const size_t shared = (size_t)join_workspace(cuda_max(blocks, join_parts)) * sizeof(Node);
    if (product)
        CUDA_LAUNCH(device, join_kernel<true>, blocks * channels, join_threads, shared, args);
    else
        CUDA_LAUNCH(device, join_kernel<false>, blocks * channels, join_threads, shared, args);
    return HALO_OK;
}
