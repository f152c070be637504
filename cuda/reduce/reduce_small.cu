/* Statistics of f32 with few leaves, in one launch, since two launches take longer. 128 threads sum up a leaf,
 * one lane each, and the last block joins all leaves. */
#include "reduce_leaf.cuh"

static const int64_t small_most = 512;                /* 2^22 samples are faster in two launches */
static const int small_rows = HALO_LEAF / HALO_LANES; /* samples of a lane */
static const int small_leaves = 2;                    /* of a block */
static const int small_threads = small_leaves * HALO_LANES;
static const int leaf_warps = HALO_LANES / CUDA_WARP;

struct SmallArgs {
    const float *data;
    int64_t pixels;
    int channels, leaves;
    Part *part;        /* [channels][leaves]; its extremes are known by their pixels */
    unsigned *arrival; /* [channels] */
    HaloMoments *result;
};

/* A warp's part of a leaf; extremes by their keys. */
struct WarpPart {
    Leaf leaf;
    int key[2];
    unsigned inf, zero;
};

/* ---- a leaf ---------------------------------------------------------------------------------------------- */

/* Joins lanes in adjacent pairs: a warp has 32 neighbours. */
template <bool Product> CUDA_INLINE Leaf join_warp(const Lanes<1> &lanes)
{
    Leaf leaf = {lanes.s[0], lanes.q[0], lanes.product[0], 0.0f, 0, 0};
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        leaf.s += __shfl_xor_sync(CUDA_ALL, leaf.s, d);
        leaf.q += __shfl_xor_sync(CUDA_ALL, leaf.q, d);
        if (Product) leaf.product *= __shfl_xor_sync(CUDA_ALL, leaf.product, d);
    }
    if (Product) leaf.product_exp = cuda_warp_sum(lanes.product_exp);
    return leaf;
}

/* Joins the warps of a leaf. */
template <bool Product> CUDA_INLINE Part join_warps(const WarpPart w[leaf_warps], float k)
{
    static_assert(leaf_warps == 4, "two rounds of pairs");
    Leaf leaf = {};
    Part part = {};
    leaf.s = (w[0].leaf.s + w[1].leaf.s) + (w[2].leaf.s + w[3].leaf.s);
    leaf.q = (w[0].leaf.q + w[1].leaf.q) + (w[2].leaf.q + w[3].leaf.q);
    if (Product)
        leaf.product = (w[0].leaf.product * w[1].leaf.product) * (w[2].leaf.product * w[3].leaf.product);
    leaf.k = k;
    for (int i = 0; i < leaf_warps; i++) {
        leaf.n += w[i].leaf.n;
        leaf.product_exp += w[i].leaf.product_exp;
        part.inf += w[i].inf;
        part.zero += w[i].zero;
    }
    part.node = node_of<Product>(leaf);
    return part;
}

/* A leaf by the 128 threads of one half of the block; its first thread returns the leaf. `warp` and `at` are
 * shared by the half. All threads of the block call it. */
template <bool Product>
CUDA_INLINE Part small_leaf(const SmallArgs &a, int channel, int number, WarpPart warp[leaf_warps], int at[2])
{
    const int t = (int)threadIdx.x % HALO_LANES;
    const int64_t first = (int64_t)number * HALO_LEAF;
    const int count = (int)cuda_max(0, cuda_min(HALO_LEAF, a.pixels - first));
    const float *const from = a.data + first * a.channels + channel;
    float v[small_rows][1];
#pragma unroll
    for (int r = 0; r < small_rows; r++) {
        const int i = r * HALO_LANES + t;
        v[r][0] = i < count ? __ldg(from + (int64_t)i * a.channels) : NAN;
    }
    const float start = count > 0 ? __ldg(from) : 0.0f;
    const float k = start - start == 0.0f ? start : 0.0f;
    Lanes<1> lanes = Lanes<1>::none();
    const bool special = __any_sync(CUDA_ALL, survey(v, &lanes));
    if (special)
        take<Product, true>(v, (double)k, &lanes);
    else
        take<Product, false>(v, (double)k, &lanes);
    WarpPart own;
    own.leaf = join_warp<Product>(lanes);
    own.leaf.n = CUDA_WARP * small_rows - (special ? (int)cuda_warp_sum(lanes.nan) : 0);
    own.inf = special ? cuda_warp_sum(lanes.inf) : 0;
    own.zero = cuda_warp_sum(lanes.zero);
    const int key[2] = {extreme_key(lanes.low), extreme_key(-lanes.high)};
    for (int e = 0; e < 2; e++) own.key[e] = cuda_warp_min(key[e]);
    if (threadIdx.x % CUDA_WARP == 0) warp[t / CUDA_WARP] = own;
    if (t < 2) at[t] = reduce_none;
    __syncthreads();
    int best[2];
    for (int e = 0; e < 2; e++) {
        best[e] = min(min(warp[0].key[e], warp[1].key[e]), min(warp[2].key[e], warp[3].key[e]));
        if (key[e] != best[e]) continue;
        int row = small_rows;
#pragma unroll
        for (int r = small_rows - 1; r >= 0; r--)
            if (v[r][0] == (e == 0 ? lanes.low : lanes.high)) row = r;
        if (row < small_rows) atomicMin(&at[e], row * HALO_LANES + t);
    }
    Part part = {};
    if (t == 0) part = join_warps<Product>(warp, k);
    __syncthreads();
    for (int e = 0; e < 2; e++) {
        part.best.at[e] = at[e] == reduce_none ? reduce_none : number * HALO_LEAF + at[e];
        part.best.key[e] = at[e] == reduce_none ? reduce_none : best[e];
    }
    return part;
}

/* ---- all leaves ------------------------------------------------------------------------------------------ */

template <bool Product>
__global__ static void __launch_bounds__(small_threads) small_kernel(const __grid_constant__ SmallArgs a)
{
    CUDA_SHARED(Node, workspace);
    __shared__ WarpPart warp[small_leaves][leaf_warps];
    __shared__ int at[small_leaves][2];
    __shared__ bool last;
    const int half = (int)threadIdx.x / HALO_LANES, channel = (int)(blockIdx.x % a.channels);
    const int number = (int)(blockIdx.x / a.channels) * small_leaves + half;
    Part *const parts = a.part + (int64_t)channel * a.leaves;
    if (threadIdx.x == 0) last = false;
    const Part part = small_leaf<Product>(a, channel, number, warp[half], at[half]);
    if (threadIdx.x % HALO_LANES == 0 && number < a.leaves) {
        parts[number] = part;
        if (reduce_last(a.arrival + channel, a.leaves)) last = true;
    }
    __syncthreads();
    if (!last) return;
    const Part all = join_block<Product, small_threads>(parts, a.leaves, workspace);
    if (threadIdx.x >= CUDA_WARP) return;
    const int64_t place[2] = {all.best.at[0] == reduce_none ? -1 : all.best.at[0],
                              all.best.at[1] == reduce_none ? -1 : all.best.at[1]};
    write_answer(a.data + channel, a.channels, a.pixels, all, place, a.result + channel);
}

bool reduce_small_takes(int64_t leaves) { return leaves > 0 && leaves <= small_most; }

HaloStatus reduce_small(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                        HaloMoments *result)
{
    SmallArgs args = {data, pixels, channels, (int)cuda_ceil_div(pixels, HALO_LEAF), NULL, NULL, result};
    int64_t bytes;
    void *workspace;
    if (!halo_mul(args.leaves * (int64_t)sizeof(Part), channels, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many for a reduction: use --device cpu",
                         channels);
    CUDA_PASS(reduce_workspace(device, bytes, channels, &workspace, &args.arrival));
    args.part = (Part *)workspace;
    const int64_t blocks = cuda_ceil_div(args.leaves, small_leaves) * channels;
    const size_t shared = (size_t)join_workspace(args.leaves) * sizeof(Node);
    if (product)
        CUDA_LAUNCH(device, small_kernel<true>, blocks, small_threads, shared, args);
    else
        CUDA_LAUNCH(device, small_kernel<false>, blocks, small_threads, shared, args);
    return HALO_OK;
}
