/* Statistics of many small groups of a row of pixels, in one launch: a warp has a group, or, of several
 * channels, one channel of it. Lane 32 j + t of a leaf belongs to thread t. docs/numerics.md has the order of
 * sums. */
#include "reduce_leaf.cuh"

static const int group_warps = 8, group_lanes = HALO_LANES / CUDA_WARP, group_rows = 4;
/* Nodes of the binary counter of a group's leaves. */
static const int group_nodes = 5;
static_assert(HALO_GROUP_MOST / HALO_LEAF < 1 << group_nodes, "leaves of a group");

struct GroupSums {
    const void *data;
    const long long *begin;
    int64_t groups;
    int channels;
    HaloMoments *out;
};

/* A group's samples of one channel: `apart` samples from one pixel to the next. */
template <typename T> struct GroupSamples {
    const T *at;
    int64_t apart;
    int n, lane;
};

/* The first of equals stays, since places rise. */
CUDA_INLINE void see(Extremes *best, float v, int at)
{
    const int key[2] = {extreme_key(v), extreme_key(-v)};
#pragma unroll
    for (int e = 0; e < 2; e++) {
        if (key[e] >= best->key[e]) continue;
        best->key[e] = key[e];
        best->at[e] = at;
    }
}

/* ---- integers -------------------------------------------------------------------------------------------- */

template <bool Product, typename T>
CUDA_INLINE void measure_group(const GroupSamples<T> &g, HaloMoments *m)
{
    uint64_t sum = 0, squares = 0;
    unsigned zero = 0, least = 65535, most = 0;
#pragma unroll 4
    for (int i = g.lane; i < g.n; i += CUDA_WARP) {
        const unsigned v = g.at[i * g.apart];
        sum += v;
        squares += (uint64_t)v * v;
        zero += v == 0;
        least = min(least, v);
        most = max(most, v);
    }
    m->isum = cuda_warp_sum(sum);
    m->isq_lo = cuda_warp_sum(squares);
    m->zero = cuda_warp_sum(zero);
    m->min = (double)(65535 - cuda_warp_max(65535 - least));
    m->max = (double)cuda_warp_max(most);
}

/* ---- floats ---------------------------------------------------------------------------------------------- */

/* Joins the lanes of a leaf in adjacent pairs: all threads have the result. */
template <bool Product> CUDA_INLINE Leaf join_lanes(Lanes<group_lanes> lanes)
{
    static_assert(group_lanes == 4, "two rounds of pairs");
#pragma unroll
    for (int j = 0; j < group_lanes; j++)
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            lanes.s[j] += __shfl_xor_sync(CUDA_ALL, lanes.s[j], d);
            lanes.q[j] += __shfl_xor_sync(CUDA_ALL, lanes.q[j], d);
            if (Product) lanes.product[j] *= __shfl_xor_sync(CUDA_ALL, lanes.product[j], d);
        }
    Leaf leaf = {};
    leaf.s = (lanes.s[0] + lanes.s[1]) + (lanes.s[2] + lanes.s[3]);
    leaf.q = (lanes.q[0] + lanes.q[1]) + (lanes.q[2] + lanes.q[3]);
    if (!Product) return leaf;
    leaf.product = (lanes.product[0] * lanes.product[1]) * (lanes.product[2] * lanes.product[3]);
    leaf.product_exp = cuda_warp_sum(lanes.product_exp);
    return leaf;
}

/* Samples [first, first + count) of a group. */
template <bool Product>
CUDA_INLINE Node group_leaf(const GroupSamples<float> &g, int first, int count, Part *all)
{
    Lanes<group_lanes> lanes = Lanes<group_lanes>::none();
    const float start = g.at[first * g.apart], k = start - start == 0.0f ? start : 0.0f;
    int read = 0;
    for (int from = 0; from < count; from += group_rows * HALO_LANES) {
        float v[group_rows][group_lanes];
#pragma unroll
        for (int r = 0; r < group_rows; r++)
#pragma unroll
            for (int j = 0; j < group_lanes; j++) {
                const int i = from + r * HALO_LANES + j * CUDA_WARP + g.lane;
                v[r][j] = i < count ? g.at[(first + i) * g.apart] : NAN;
                all->zero += v[r][j] == 0.0f;
                if (v[r][j] == v[r][j]) see(&all->best, v[r][j], first + i);
            }
        take<Product, true>(v, (double)k, &lanes);
        read += group_rows * HALO_LANES;
    }
    Leaf leaf = join_lanes<Product>(lanes);
    leaf.k = k;
    leaf.n = read - (int)cuda_warp_sum(lanes.nan); /* what was not there counts as NaN */
    all->inf += lanes.inf;
    return node_of<Product>(leaf);
}

template <bool Product> CUDA_INLINE Node join_nodes(const Node &left, const Node &right)
{
    Node joined = left;
    joined.means = halo_means_merge(left.means, right.means);
    if (Product) halo_product_merge(&joined.product, &joined.product_exp, right.product, right.product_exp);
    return joined;
}

/* Leaves join like a binary counter. */
template <bool Product> CUDA_INLINE void measure_group(const GroupSamples<float> &g, HaloMoments *m)
{
    Node node[group_nodes];
    int nodes = 0;
    Part all = Part::none();
    for (int first = 0, leaf = 0; first < g.n; first += HALO_LEAF, leaf++) {
        Node made = group_leaf<Product>(g, first, (int)cuda_min(HALO_LEAF, g.n - first), &all);
        for (int left = leaf; left & 1; left >>= 1) made = join_nodes<Product>(node[--nodes], made);
        node[nodes++] = made;
    }
    if (nodes > 0) all.node = node[--nodes];
    while (nodes > 0) all.node = join_nodes<Product>(node[--nodes], all.node);
    all.join_warp();
    m->nan = (uint64_t)g.n - (uint64_t)all.node.means.n;
    m->inf = all.inf;
    m->zero = all.zero;
    m->sum = all.node.means.sum;
    m->mean = all.node.means.mean;
    m->m2 = all.node.means.m2;
    m->product = all.node.product;
    m->product_exp = all.node.product_exp;
    if (all.best.at[0] == reduce_none) return;
    m->min = (double)g.at[all.best.at[0] * g.apart]; /* a key does not distinguish zeros */
    m->max = (double)g.at[all.best.at[1] * g.apart];
}

/* ---- all ------------------------------------------------------------------------------------------------- */

template <bool Product, typename T>
__global__ static void __launch_bounds__(group_warps *CUDA_WARP)
    groups_kernel(const __grid_constant__ GroupSums a)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t number = (int64_t)blockIdx.x * group_warps + threadIdx.x / CUDA_WARP;
    if (number >= a.groups * a.channels) return;
    const int64_t group = number / a.channels, first = a.begin[group], n = a.begin[group + 1] - first;
    const T *const at = (const T *)a.data + first * a.channels + number % a.channels;
    HaloMoments m = halo_moments_none();
    m.count = (uint64_t)n;
    if (n > 0) measure_group<Product>(GroupSamples<T>{at, a.channels, (int)n, lane}, &m);
    if (lane == 0) a.out[number] = m;
}

template <typename T> static HaloStatus launch(HaloDevice *device, const GroupSums &a, bool product)
{
    const int64_t blocks = cuda_ceil_div(a.groups * a.channels, group_warps);
    if (product && std::is_same<T, float>::value)
        CUDA_LAUNCH(device, (groups_kernel<true, T>), blocks, group_warps * CUDA_WARP, 0, a);
    else
        CUDA_LAUNCH(device, (groups_kernel<false, T>), blocks, group_warps * CUDA_WARP, 0, a);
    return HALO_OK;
}

HaloStatus cuda_reduce_groups(HaloDevice *device, const HaloBuf *src, const int64_t *begin, int64_t groups,
                              unsigned want, HaloMoments *out)
{
    const int channels = src->shape.channels;
    const int64_t places = cuda_ceil_div((groups + 1) * (int64_t)sizeof(long long), 256) * 256,
                  bytes = groups * channels * (int64_t)sizeof *out;
    char *there;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, places + bytes, (void **)&there));
    GroupSums a = {src->data, (const long long *)there, groups, channels, (HaloMoments *)(there + places)};
    CUDA_TRY(cudaMemcpyAsync(there, begin, (size_t)(groups + 1) * sizeof *begin, cudaMemcpyHostToDevice,
                             device->stream));
    const bool product = (want & HALO_WANT_PRODUCT) != 0;
    switch (src->shape.dtype) {
    case HALO_U8: CUDA_PASS(launch<uint8_t>(device, a, product)); break;
    case HALO_U16: CUDA_PASS(launch<uint16_t>(device, a, product)); break;
    default: CUDA_PASS(launch<float>(device, a, product)); break;
    }
    CUDA_PASS(cuda_fetch(device, out, a.out, bytes));
    for (int64_t i = 0; i < groups * channels; i++) reduce_keep_wanted(&out[i], want);
    return HALO_OK;
}
