/* Statistics of f32 in two launches. The first makes leaves: a warp takes one of 4096 samples, each of its
 * threads the four lanes 4t to 4t + 3. The second joins them: a warp takes 32 neighbours, and who completes 32
 * of those joins them too. One launch, in which every leaf arrived at the tree by a fence and an atomic, took
 * 1.18 ms instead of 1.09 for 2^30 samples on an H200, but 24 us instead of 29 for 2^20. */
#include "reduce.cuh"

static const int batch = 4; /* loads of 16 bytes in flight while as many rows are worked on */
static const int blocks_each =
    5; /* per multiprocessor; 6 spill: 1.12 ms instead of 1.08 for 2^30 samples on an H200 */
static const int family = CUDA_WARP;

/* A leaf before its moments are made of it. n: samples that are not NaN. */
struct Leaf {
    double s, q, product;
    float k;
    int n, product_exp;
};

/* A node of the tree: its samples that are not NaN. */
struct Node {
    uint64_t n;
    double mean, m2, sum, product;
    int64_t product_exp;
};

/* What a thread gathers over all its leaves: order plays no part in it but for "the first wins". The extremes
 * are known by their leaf until the end, where the sample is looked for. */
struct Running {
    ReduceBest<float, 1> min;
    ReduceBest<float, -1> max;
    uint64_t inf, zero;

    static __device__ __forceinline__ Running none() { return {{INFINITY, -1}, {-INFINITY, -1}, 0, 0}; }
    __device__ __forceinline__ void join(const Running &other)
    {
        min.join(other.min);
        max.join(other.max);
        inf += other.inf;
        zero += other.zero;
    }
    __device__ __forceinline__ void join_warp()
    {
        min.join_warp();
        max.join_warp();
        inf = cuda_warp_sum(inf);
        zero = cuda_warp_sum(zero);
    }
};

struct FloatArgs {
    const float *data;
    int64_t pixels, leaves;
    int channels;
    int64_t blocks;    /* of a channel: that make leaves */
    int64_t joiners;   /* and that join them */
    int64_t nodes;     /* of a channel's tree above its leaves, the root last */
    Running *running;  /* [channels][blocks * warps] */
    Running *joined;   /* [channels][joiners] */
    Node *node;        /* [channels][nodes] */
    Leaf *leaf;        /* [channels][leaves] */
    unsigned *arrival; /* [channels][nodes + 2]: at every node, of the blocks, and leaves handed out */
    HaloMoments *result;
};

/* ---- a leaf --------------------------------------------------------------------------------------------- */

/* One thread's part of a leaf: four lanes. */
struct Lanes {
    double s[4], q[4], product[4];
    int product_exp; /* of the four: exponents add up in any order */
    unsigned nan, inf, zero;
    float low, high;
};

/* Moves a lane's exponent out of its product; 0, infinity and NaN stay. */
__device__ __forceinline__ static void normalise_lane(double *product, int *exponent)
{
    const int high = __double2hiint(*product), e = high >> 20 & 0x7ff;
    if ((unsigned)(e - 1) >= 0x7feu) return;
    *exponent += e - 1023;
    *product = __hiloint2double((high & (int)0x800fffff) | 0x3ff00000, __double2loint(*product));
}

/* Sums and products of a batch: row b has a sample of each lane. Rounding does not depend on the exponent, so
 * samples are multiplied as they are, and exponents are moved out before they can overflow: every fourth row.
 * `Special`: there may be NaN and infinities. */
template <bool Product, bool Special>
__device__ __forceinline__ static void take(const float v[batch][4], double k, Lanes *lanes)
{
#pragma unroll
    for (int b = 0; b < batch; b++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (Special) {
                lanes->nan += v[b][i] != v[b][i];
                lanes->inf += halo_abs(v[b][i]) == INFINITY;
                if (v[b][i] != v[b][i]) continue;
            }
            const double x = (double)v[b][i], d = x - k;
            lanes->s[i] += d;
            lanes->q[i] += d * d;
            if (Product) lanes->product[i] *= x;
        }
        if (Product && b % 4 == 3)
#pragma unroll
            for (int i = 0; i < 4; i++) normalise_lane(&lanes->product[i], &lanes->product_exp);
    }
}

/* Extremes and zeros of a batch. Is there a NaN or an infinity in it? */
__device__ __forceinline__ static bool survey(const float v[batch][4], Lanes *lanes)
{
    float test = 0.0f; /* 0 times anything else is 0 */
#pragma unroll
    for (int b = 0; b < batch; b++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            lanes->low = fminf(lanes->low, v[b][i]);
            lanes->high = fmaxf(lanes->high, v[b][i]);
            lanes->zero += v[b][i] == 0.0f;
            test = __fmaf_rn(v[b][i], 0.0f, test);
        }
    return test != test;
}

/* Lanes by adjacent pairs: twice in the thread, five times across the warp. */
template <bool Product> __device__ __forceinline__ static Leaf join_lanes(const Lanes *lanes, float k)
{
    Leaf leaf = {};
    leaf.k = k;
    leaf.n = HALO_LEAF - (int)cuda_warp_sum(lanes->nan);
    leaf.s = (lanes->s[0] + lanes->s[1]) + (lanes->s[2] + lanes->s[3]);
    leaf.q = (lanes->q[0] + lanes->q[1]) + (lanes->q[2] + lanes->q[3]);
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        leaf.s += __shfl_xor_sync(CUDA_ALL, leaf.s, d);
        leaf.q += __shfl_xor_sync(CUDA_ALL, leaf.q, d);
    }
    if (Product) { /* 128 mantissas do not overflow */
        leaf.product = (lanes->product[0] * lanes->product[1]) * (lanes->product[2] * lanes->product[3]);
        for (int d = 1; d < CUDA_WARP; d *= 2) leaf.product *= __shfl_xor_sync(CUDA_ALL, leaf.product, d);
        leaf.product_exp = cuda_warp_sum(lanes->product_exp);
    }
    return leaf;
}

/* A batch of a leaf, from its sample m on. Missing samples are NaN. `Line`: one channel, 16-byte loads. */
template <bool Line>
__device__ __forceinline__ static void load(const float *from, int channels, int count, int m,
                                            float v[batch][4])
{
    const int own = m + 4 * ((int)threadIdx.x % CUDA_WARP);
#pragma unroll
    for (int b = 0; b < batch; b++) {
        const int at = own + b * HALO_LANES;
        if (Line && count == HALO_LEAF) {
            *reinterpret_cast<float4 *>(v[b]) = __ldg(reinterpret_cast<const float4 *>(from + at));
            continue;
        }
#pragma unroll
        for (int i = 0; i < 4; i++) v[b][i] = at + i < count ? __ldg(from + (int64_t)(at + i) * channels) : NAN;
    }
}

template <bool Product>
__device__ __forceinline__ static void work(const float v[batch][4], double k, Lanes *lanes)
{
    if (__any_sync(CUDA_ALL, survey(v, lanes)))
        take<Product, true>(v, k, lanes);
    else
        take<Product, false>(v, k, lanes);
}

/* One leaf by one warp. The next batch is on its way while one is worked on. */
template <bool Line, bool Product>
__device__ __forceinline__ static Leaf reduce_leaf(const FloatArgs &a, int channel, int64_t number,
                                                   Running *run)
{
    constexpr int step = batch * HALO_LANES;
    const int64_t first = number * HALO_LEAF;
    const int count = (int)cuda_min(HALO_LEAF, a.pixels - first);
    const float *const from = a.data + first * a.channels + channel;
    float v[2][batch][4];
    load<Line>(from, a.channels, count, 0, v[0]);
    const float start = __ldg(from);
    const float k = start - start == 0.0f ? start : 0.0f;
    Lanes lanes = {{}, {}, {1.0, 1.0, 1.0, 1.0}, 0, 0, 0, 0, INFINITY, -INFINITY};
#pragma unroll 1
    for (int m = 0; m < HALO_LEAF; m += 2 * step) {
        load<Line>(from, a.channels, count, m + step, v[1]);
        work<Product>(v[0], (double)k, &lanes);
        if (m + 2 * step < HALO_LEAF) load<Line>(from, a.channels, count, m + 2 * step, v[0]);
        work<Product>(v[1], (double)k, &lanes);
    }
    const bool any = lanes.nan < HALO_LEAF / CUDA_WARP;
    if (lanes.low < run->min.value || (run->min.at < 0 && any)) run->min = {lanes.low, number};
    if (lanes.high > run->max.value || (run->max.at < 0 && any)) run->max = {lanes.high, number};
    run->inf += lanes.inf;
    run->zero += lanes.zero;
    return join_lanes<Product>(&lanes, k);
}

/* ---- the tree ------------------------------------------------------------------------------------------- */

template <bool Product> __device__ __forceinline__ static Node node_of(const Leaf &leaf)
{
    Node node = {(uint64_t)leaf.n, 0.0, 0.0, 0.0, 1.0, 0};
    const double n = (double)leaf.n, k = (double)leaf.k;
    if (leaf.n > 0) {
        node.mean = k + leaf.s / n;
        const double m2 = leaf.q - leaf.s * leaf.s / n;
        node.m2 = m2 < 0.0 ? 0.0 : m2;
        node.sum = k * n + leaf.s;
    }
    if (Product) halo_product_merge(&node.product, &node.product_exp, leaf.product, leaf.product_exp);
    return node;
}

__device__ __forceinline__ static HaloMoments moments_of(const Node &node)
{
    HaloMoments m = halo_moments_none();
    m.count = node.n;
    m.mean = node.mean;
    m.m2 = node.m2;
    m.sum = node.sum;
    m.product = node.product;
    m.product_exp = node.product_exp;
    return m;
}

__device__ __forceinline__ static Node joined(const Node &a, const Node &b)
{
    HaloMoments m = moments_of(a);
    const HaloMoments other = moments_of(b);
    halo_moments_merge(&m, &other);
    return {m.count, m.mean, m.m2, m.sum, m.product, m.product_exp};
}

__device__ __forceinline__ static Node node_down(const Node &node, int d)
{
    Node other;
    other.n = __shfl_down_sync(CUDA_ALL, node.n, d);
    other.mean = __shfl_down_sync(CUDA_ALL, node.mean, d);
    other.m2 = __shfl_down_sync(CUDA_ALL, node.m2, d);
    other.sum = __shfl_down_sync(CUDA_ALL, node.sum, d);
    other.product = __shfl_down_sync(CUDA_ALL, node.product, d);
    other.product_exp = __shfl_down_sync(CUDA_ALL, node.product_exp, d);
    return other;
}

/* The warp joins a family of 32 leaves. Where that completes a family of 32 such nodes it joins them, and so on
 * up: pairs of neighbours, then pairs of those, as docs/numerics.md says; what has no neighbour goes up as it
 * is. */
template <bool Product>
__device__ __forceinline__ static void climb(const FloatArgs &a, int channel, int64_t parent)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
    const Leaf *const leaf = a.leaf + channel * a.leaves;
    Node *const tree = a.node + channel * a.nodes;
    unsigned *const arrival = a.arrival + channel * (a.nodes + 2);
    int64_t count = a.leaves, base = 0, below = -1; /* where the level above begins in `tree`, and this one */
    for (;;) {
        const int here = (int)cuda_min(family, count - parent * family);
        const int64_t mine = parent * family + lane;
        Node node = {0, 0.0, 0.0, 0.0, 1.0, 0};
        if (lane < here) node = below < 0 ? node_of<Product>(leaf[mine]) : tree[below + mine];
        for (int d = 1; d < here; d *= 2) {
            const Node right = node_down(node, d);
            if (lane + d < here) node = joined(node, right);
        }
        if (lane == 0) tree[base + parent] = node;
        count = cuda_ceil_div(count, family);
        if (count == 1) return;
        below = base;
        base += count;
        parent /= family;
        const int64_t expected = cuda_min(family, count - parent * family);
        if (!__shfl_sync(CUDA_ALL, lane == 0 && reduce_last(arrival + base + parent, expected), 0)) return;
    }
}

/* ---- everything ----------------------------------------------------------------------------------------- */

/* The answer, by the block that arrived last; thread 0 has the totals. */
__device__ __forceinline__ static void conclude(const FloatArgs &a, int channel, const Running &total)
{
    __shared__ Running best;
    if (threadIdx.x == 0) best = total;
    __syncthreads();
    const int64_t low = best.min.at * HALO_LEAF, high = best.max.at * HALO_LEAF;
    const float *const data = a.data + channel;
    int min_at = 0, max_at = 0;
    if (low >= 0) {
        min_at = reduce_find(data + low * a.channels, a.channels, (int)cuda_min(HALO_LEAF, a.pixels - low),
                             best.min.value);
        max_at = reduce_find(data + high * a.channels, a.channels, (int)cuda_min(HALO_LEAF, a.pixels - high),
                             best.max.value);
    }
    if (threadIdx.x != 0) return;
    HaloMoments m = moments_of(a.node[(channel + 1) * a.nodes - 1]);
    m.nan = (uint64_t)a.pixels - m.count;
    m.count = (uint64_t)a.pixels;
    m.inf = total.inf;
    m.zero = total.zero;
    if (low >= 0) {
        m.min_at = low + min_at;
        m.max_at = high + max_at;
        m.min = (double)data[m.min_at * a.channels];
        m.max = (double)data[m.max_at * a.channels];
    }
    a.result[channel] = m;
}

template <bool Line, bool Product>
__global__ static void __launch_bounds__(reduce_threads, blocks_each)
    leaves_kernel(const __grid_constant__ FloatArgs a)
{
    const int channel = (int)(blockIdx.x % a.channels), warp = (int)threadIdx.x / CUDA_WARP;
    const int64_t block = blockIdx.x / a.channels, warps = a.blocks * reduce_warps;
    unsigned *const ticket = a.arrival + (channel + 1) * (a.nodes + 2) - 1;
    const bool leader = threadIdx.x % CUDA_WARP == 0;
    Running run = Running::none();
    /* Leaves are handed out as warps come for them, for some are much faster than others. */
    for (int64_t l = warp * a.blocks + block; l < a.leaves;) {
        const unsigned next = leader ? atomicAdd(ticket, 1u) : 0;
        const Leaf leaf = reduce_leaf<Line, Product>(a, channel, l, &run);
        if (leader) a.leaf[channel * a.leaves + l] = leaf;
        l = warps + __shfl_sync(CUDA_ALL, next, 0);
    }
    run.join_warp();
    if (leader) a.running[channel * warps + block * reduce_warps + warp] = run;
}

template <bool Product>
__global__ static void __launch_bounds__(reduce_threads) join_kernel(const __grid_constant__ FloatArgs a)
{
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t block = blockIdx.x / a.channels, warps = a.blocks * reduce_warps;
    const int64_t parent = block * reduce_warps + threadIdx.x / CUDA_WARP;
    unsigned *const arrival = a.arrival + channel * (a.nodes + 2) + a.nodes;
    Running run = Running::none();
    for (int64_t w = block * reduce_threads + threadIdx.x; w < warps; w += a.joiners * reduce_threads)
        run.join(a.running[channel * warps + w]);
    if (parent * family < a.leaves) climb<Product>(a, channel, parent);
    __syncthreads(); /* a warp's part of the tree comes before its block's arrival */
    if (!reduce_blocks(&run, a.joined + channel * a.joiners, block, a.joiners, arrival)) return;
    if (threadIdx.x == 0) arrival[1] = 0; /* the next launch's first ticket */
    conclude(a, channel, run);
}

HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, bool product,
                         HaloMoments *result)
{
    FloatArgs args = {};
    const int64_t most = cuda_max(1, device->properties.multiProcessorCount * blocks_each / channels);
    args.data = data;
    args.pixels = pixels;
    args.channels = channels;
    args.leaves = cuda_ceil_div(pixels, HALO_LEAF);
    args.blocks = cuda_min(most, args.leaves);
    args.joiners = cuda_ceil_div(args.leaves, family * reduce_warps);
    int64_t count = args.leaves;
    do {
        count = cuda_ceil_div(count, family);
        args.nodes += count;
    } while (count > 1);
    const int64_t running = args.blocks * reduce_warps * (int64_t)sizeof(Running),
                  joined = args.joiners * (int64_t)sizeof(Running), nodes = args.nodes * (int64_t)sizeof(Node);
    int64_t bytes;
    void *room;
    if (!halo_mul(running + joined + nodes + args.leaves * (int64_t)sizeof(Leaf), channels, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%d channels are too many for a reduction", channels);
    CUDA_PASS(reduce_room(device, bytes, (args.nodes + 2) * channels, &room, &args.arrival));
    args.running = (Running *)room;
    args.joined = (Running *)((char *)room + running * channels);
    args.node = (Node *)((char *)room + (running + joined) * channels);
    args.leaf = (Leaf *)((char *)room + (running + joined + nodes) * channels);
    args.result = result;
    const int64_t blocks = args.blocks * channels;
    if (channels == 1 && product)
        CUDA_LAUNCH(device, (leaves_kernel<true, true>), blocks, reduce_threads, 0, args);
    else if (channels == 1)
        CUDA_LAUNCH(device, (leaves_kernel<true, false>), blocks, reduce_threads, 0, args);
    else if (product)
        CUDA_LAUNCH(device, (leaves_kernel<false, true>), blocks, reduce_threads, 0, args);
    else
        CUDA_LAUNCH(device, (leaves_kernel<false, false>), blocks, reduce_threads, 0, args);
    if (product)
        CUDA_LAUNCH(device, join_kernel<true>, args.joiners * channels, reduce_threads, 0, args);
    else
        CUDA_LAUNCH(device, join_kernel<false>, args.joiners * channels, reduce_threads, 0, args);
    return HALO_OK;
}
