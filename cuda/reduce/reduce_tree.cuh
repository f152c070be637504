/* The tree above leaves of f32, for reduce_float.cu and reduce_small.cu. docs/numerics.md has the order. */
#ifndef HALO_CUDA_REDUCE_TREE_CUH
#define HALO_CUDA_REDUCE_TREE_CUH

#include "reduce.cuh"

/* Orders as floats do, -0 like 0. Otherwise its own inverse. */
CUDA_INLINE int extreme_key(float v)
{
    const int bits = __float_as_int(__fadd_rn(v, 0.0f));
    return bits ^ (bits >> 31 & INT_MAX);
}

CUDA_INLINE float extreme_value(int key) { return __int_as_float(key ^ (key >> 31 & INT_MAX)); }

/* A node of the tree: its samples that are not NaN. */
struct Node {
    HaloMeans means;
    double product;
    int64_t product_exp;

    static __device__ __forceinline__ Node none() { return {{0.0, 0.0, 0.0, 0.0}, 1.0, 0}; }
};

/* A node, and values that can be joined in any order. */
struct alignas(16) Part {
    Node node;
    Extremes best;
    uint64_t inf, zero;

    static __device__ __forceinline__ Part none() { return {Node::none(), Extremes::none(), 0, 0}; }

    /* Joins all but the node over the lanes, for all of them. */
    __device__ __forceinline__ void join_warp()
    {
        best.join_warp();
        inf = cuda_warp_sum(inf);
        zero = cuda_warp_sum(zero);
    }
};

/* ---- joining --------------------------------------------------------------------------------------------- */

template <bool Product> CUDA_INLINE Node node_down(const Node &node, int d)
{
    Node other = Node::none();
    other.means.n = __shfl_down_sync(CUDA_ALL, node.means.n, d);
    other.means.sum = __shfl_down_sync(CUDA_ALL, node.means.sum, d);
    other.means.mean = __shfl_down_sync(CUDA_ALL, node.means.mean, d);
    other.means.m2 = __shfl_down_sync(CUDA_ALL, node.means.m2, d);
    if (Product) {
        other.product = __shfl_down_sync(CUDA_ALL, node.product, d);
        other.product_exp = __shfl_down_sync(CUDA_ALL, node.product_exp, d);
    }
    return other;
}

/* A warp joins `here` neighbours, lane i has the i-th: pairs, then pairs of those; a node without a neighbour
 * goes up unchanged. Lane 0 has the result. */
template <bool Product> CUDA_INLINE Node join_family(Node node, int here)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    for (int d = 1; d < here; d *= 2) {
        const Node right = node_down<Product>(node, d);
        if (lane % (2 * d) != 0 || lane + d >= here) continue; /* other lanes would divide for nothing */
        node.means = halo_means_merge(node.means, right.means);
        if (Product) halo_product_merge(&node.product, &node.product_exp, right.product, right.product_exp);
    }
    return node;
}

/* The number of nodes in join_block()'s workspace. */
static inline int64_t join_workspace(int64_t count)
{
    int64_t nodes = 0;
    do {
        count = cuda_ceil_div(count, CUDA_WARP);
        nodes += count;
    } while (count > 1);
    return nodes;
}

/* A block of `Threads` joins `count` parts, in families of 32, then families of those, and so on; thread 0 has
 * the result. All levels are one loop, since instructions that run for the first time are slow to load. */
template <bool Product, int Threads>
CUDA_INLINE Part join_block(const Part *part, int64_t count, Node *workspace)
{
    constexpr int warps = Threads / CUDA_WARP;
    __shared__ Part warp_part[warps];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const Node *below = NULL;
    Part all = Part::none();
    for (;;) {
        const int64_t families = cuda_ceil_div(count, CUDA_WARP);
        for (int64_t f = warp; f < families; f += warps) {
            const int64_t i = f * CUDA_WARP + lane;
            Node node = Node::none();
            if (i < count && below == NULL) {
                const Part one = part[i];
                node = one.node;
                all.best.join(one.best);
                all.inf += one.inf;
                all.zero += one.zero;
            } else if (i < count) {
                node = below[i];
            }
            all.node = join_family<Product>(node, (int)cuda_min(CUDA_WARP, count - f * CUDA_WARP));
            if (lane == 0) workspace[f] = all.node;
        }
        if (below == NULL) {
            all.join_warp();
            if (lane == 0) warp_part[warp] = all;
        }
        __syncthreads();
        if (families == 1) break;
        below = workspace;
        workspace += families;
        count = families;
    }
    if (warp != 0) return all;
    const Node node = all.node;
    all = lane < warps ? warp_part[lane] : Part::none();
    all.node = node;
    all.join_warp();
    return all;
}

/* ---- the result ------------------------------------------------------------------------------------------ */

/* Writes the first thread's result for a channel that begins at `data`; `at`: the extremes' pixels, -1 where
 * there is none. One warp calls it. */
CUDA_INLINE void write_answer(const float *data, int channels, int64_t pixels, const Part &all,
                              const int64_t at[2], HaloMoments *result)
{
    __shared__ HaloMoments m;
    if (threadIdx.x == 0) {
        const HaloMeans means = all.node.means;
        m = halo_moments_none();
        m.count = (uint64_t)pixels;
        m.nan = (uint64_t)pixels - (uint64_t)means.n;
        m.inf = all.inf;
        m.zero = all.zero;
        m.sum = means.sum;
        m.mean = means.mean;
        m.m2 = means.m2;
        m.product = all.node.product;
        m.product_exp = all.node.product_exp;
        m.min_at = at[0];
        m.max_at = at[1];
        if (at[0] >= 0) { /* a key does not distinguish zeros */
            const float low = extreme_value(all.best.key[0]), high = -extreme_value(all.best.key[1]);
            m.min = (double)(low == 0.0f ? data[at[0] * channels] : low);
            m.max = (double)(high == 0.0f ? data[at[1] * channels] : high);
        }
    }
    __syncwarp();
    static_assert(sizeof m % 8 == 0, "complete words");
    /* Host memory may be slow: all words at once. */
    for (int i = (int)threadIdx.x; i < (int)sizeof m / 8; i += CUDA_WARP)
        reinterpret_cast<uint64_t *>(result)[i] = reinterpret_cast<const uint64_t *>(&m)[i];
}

#endif
