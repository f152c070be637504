/* Statistics of f32: a warp takes a leaf of 4096 samples, each of its threads the four lanes 4t to 4t + 3; a
 * block joins a run of 2^k leaves. One pass. */
#include "reduce.cuh"

static const int leaves_most = 64; /* of a block; a power of two, at least one a warp */
static const int batch = 8;        /* loads of 16 bytes in flight */

struct FloatArgs {
    const float *data;
    int64_t pixels;
    int channels;
    int leaves; /* of a block */
    int64_t groups;
    HaloMoments *partial;
};

/* A leaf before its moments are made of it. */
struct Leaf {
    double k, s, q, product;
    int64_t product_exp;
    unsigned nan;
};

/* What a thread gathers over all its leaves: order plays no part in it but for "the first wins". */
struct Running {
    ReduceBest<float, 1> min;
    ReduceBest<float, -1> max;
    unsigned inf, zero;
};

/* One thread's four lanes. */
struct Lanes {
    double s[4], q[4], product[4];
    int product_exp[4];
};

/* Four samples, from leaf position `at` on: one in each lane. `pixel` is the first one's number. */
template <bool Extremes, bool Moments, bool Product>
__device__ __forceinline__ static void take(const float v[4], int64_t pixel, double k, Lanes *lanes,
                                            unsigned *nan, Running *run)
{
    if (Extremes) { /* rarely does one of four improve on all before */
        const float low = fminf(fminf(v[0], v[1]), fminf(v[2], v[3]));
        const float high = fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3]));
        if (low < run->min.value || run->min.at < 0)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (v[i] < run->min.value || (run->min.at < 0 && v[i] == v[i])) run->min = {v[i], pixel + i};
        if (high > run->max.value || run->max.at < 0)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (v[i] > run->max.value || (run->max.at < 0 && v[i] == v[i])) run->max = {v[i], pixel + i};
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const bool real = v[i] == v[i];
        *nan += !real;
        run->inf += halo_abs(v[i]) == INFINITY;
        run->zero += v[i] == 0.0f;
        if (Moments && real) {
            const double d = (double)v[i] - k;
            lanes->s[i] += d;
            lanes->q[i] += d * d;
        }
        if (Product && real) {
            int64_t exponent;
            lanes->product[i] *= halo_normalise((double)v[i], &exponent);
            lanes->product_exp[i] += (int)exponent;
        }
    }
}

/* Lanes by adjacent pairs: twice in the thread, five times across the warp. */
template <bool Moments, bool Product>
__device__ __forceinline__ static void join_lanes(const Lanes *lanes, unsigned nan, double k, Leaf *leaf)
{
    leaf->k = k;
    leaf->nan = cuda_warp_sum(nan);
    if (Moments) {
        leaf->s = (lanes->s[0] + lanes->s[1]) + (lanes->s[2] + lanes->s[3]);
        leaf->q = (lanes->q[0] + lanes->q[1]) + (lanes->q[2] + lanes->q[3]);
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            leaf->s += __shfl_xor_sync(CUDA_ALL, leaf->s, d);
            leaf->q += __shfl_xor_sync(CUDA_ALL, leaf->q, d);
        }
    }
    if (Product) {
        double m[2] = {lanes->product[0], lanes->product[2]};
        int64_t e[2] = {lanes->product_exp[0], lanes->product_exp[2]};
        halo_product_merge(&m[0], &e[0], lanes->product[1], lanes->product_exp[1]);
        halo_product_merge(&m[1], &e[1], lanes->product[3], lanes->product_exp[3]);
        halo_product_merge(&m[0], &e[0], m[1], e[1]);
        for (int d = 1; d < CUDA_WARP; d *= 2) {
            const double other = __shfl_xor_sync(CUDA_ALL, m[0], d);
            const int64_t other_exp = __shfl_xor_sync(CUDA_ALL, e[0], d);
            halo_product_merge(&m[0], &e[0], other, other_exp);
        }
        leaf->product = m[0];
        leaf->product_exp = e[0];
    }
}

/* One leaf by one warp: `count` samples from pixel `first` on. Missing samples are NaN, taken out of the count
 * at the end. `Line`: one channel, 16-byte loads. */
template <bool Line, bool Extremes, bool Moments, bool Product>
__device__ __forceinline__ static void reduce_leaf(const FloatArgs &a, int channel, int64_t first, int count,
                                                   Running *run, Leaf *leaf)
{
    const int own = 4 * ((int)threadIdx.x % CUDA_WARP);
    const float *const from = a.data + first * a.channels + channel;
    const float start = __ldg(from);
    const double k = start - start == 0.0f ? (double)start : 0.0;
    unsigned nan = 0;
    Lanes lanes = {};
    if (Product)
        for (int i = 0; i < 4; i++) lanes.product[i] = 1.0;
    for (int m = 0; m < HALO_LEAF; m += batch * HALO_LANES) {
        float v[batch][4];
#pragma unroll
        for (int b = 0; b < batch; b++) {
            const int at = m + b * HALO_LANES + own;
            if (Line && count == HALO_LEAF) {
                *reinterpret_cast<float4 *>(v[b]) = __ldg(reinterpret_cast<const float4 *>(from + at));
                continue;
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[b][i] = at + i < count ? __ldg(from + (int64_t)(at + i) * a.channels) : NAN;
        }
#pragma unroll
        for (int b = 0; b < batch; b++)
            take<Extremes, Moments, Product>(v[b], first + m + b * HALO_LANES + own, k, &lanes, &nan, run);
    }
    join_lanes<Moments, Product>(&lanes, nan, k, leaf);
    leaf->nan -= (unsigned)(HALO_LEAF - count);
}

/* The moments of a leaf of `count` samples. */
template <bool Moments, bool Product> __device__ static HaloMoments leaf_moments(const Leaf *leaf, int count)
{
    HaloMoments m = halo_moments_none();
    const double n = (double)(count - (int)leaf->nan);
    m.count = (uint64_t)count;
    m.nan = leaf->nan;
    if (Moments && n > 0.0) {
        m.mean = leaf->k + leaf->s / n;
        const double m2 = leaf->q - leaf->s * leaf->s / n;
        m.m2 = m2 < 0.0 ? 0.0 : m2;
        m.sum = leaf->k * n + leaf->s;
    }
    if (Product) {
        m.product = leaf->product;
        m.product_exp = leaf->product_exp;
    }
    return m;
}

/* Extremes and counts of the block, put into its total by thread 0. */
__device__ static void join_running(Running run, HaloMoments *total)
{
    __shared__ Running warp[reduce_warps];
    run.min.join_warp();
    run.max.join_warp();
    run.inf = cuda_warp_sum(run.inf);
    run.zero = cuda_warp_sum(run.zero);
    if (threadIdx.x % CUDA_WARP == 0) warp[threadIdx.x / CUDA_WARP] = run;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int w = 1; w < reduce_warps; w++) {
        if (warp[w].min.beats(run.min)) run.min = warp[w].min;
        if (warp[w].max.beats(run.max)) run.max = warp[w].max;
        run.inf += warp[w].inf;
        run.zero += warp[w].zero;
    }
    total->inf = run.inf;
    total->zero = run.zero;
    total->min_at = run.min.at;
    total->max_at = run.max.at;
    if (run.min.at >= 0) total->min = (double)run.min.value;
    if (run.max.at >= 0) total->max = (double)run.max.value;
}

template <bool Line, bool Extremes, bool Moments, bool Product>
__global__ static void __launch_bounds__(reduce_threads, Product ? 2 : 3)
    float_kernel(const __grid_constant__ FloatArgs a)
{
    __shared__ Leaf leaf[leaves_most];
    __shared__ HaloMoments node[leaves_most];
    const int channel = (int)(blockIdx.x % a.channels);
    const int64_t group = blockIdx.x / a.channels, start = group * a.leaves * HALO_LEAF;
    const int64_t left = a.pixels - start;
    const int leaves = (int)cuda_min(a.leaves, cuda_ceil_div(left, HALO_LEAF));
    Running run = {{INFINITY, -1}, {-INFINITY, -1}, 0, 0};
    for (int l = (int)threadIdx.x / CUDA_WARP; l < leaves; l += reduce_warps) {
        Leaf made = {};
        reduce_leaf<Line, Extremes, Moments, Product>(a, channel, start + (int64_t)l * HALO_LEAF,
                                                      (int)cuda_min(HALO_LEAF, left - (int64_t)l * HALO_LEAF),
                                                      &run, &made);
        if (threadIdx.x % CUDA_WARP == 0) leaf[l] = made;
    }
    __syncthreads();
    for (int l = (int)threadIdx.x; l < leaves; l += reduce_threads)
        node[l] =
            leaf_moments<Moments, Product>(&leaf[l], (int)cuda_min(HALO_LEAF, left - (int64_t)l * HALO_LEAF));
    reduce_tree(node, leaves);
    join_running(run, &node[0]);
    if (threadIdx.x == 0) a.partial[channel * a.groups + group] = node[0];
}

template <bool Line> static HaloStatus launch(HaloDevice *device, const FloatArgs *args, unsigned want)
{
    const int64_t blocks = args->groups * args->channels;
    if (want & HALO_WANT_PRODUCT)
        CUDA_LAUNCH(device, (float_kernel<Line, true, true, true>), blocks, reduce_threads, 0, *args);
    else if (want & HALO_WANT_MOMENTS)
        CUDA_LAUNCH(device, (float_kernel<Line, true, true, false>), blocks, reduce_threads, 0, *args);
    else if (want & (HALO_WANT_EXTREMES | HALO_WANT_POSITIONS))
        CUDA_LAUNCH(device, (float_kernel<Line, true, false, false>), blocks, reduce_threads, 0, *args);
    else
        CUDA_LAUNCH(device, (float_kernel<Line, false, false, false>), blocks, reduce_threads, 0, *args);
    return HALO_OK;
}

HaloStatus reduce_floats(HaloDevice *device, const float *data, int64_t pixels, int channels, unsigned want,
                         HaloMoments **partial, int64_t *count)
{
    FloatArgs args;
    const int64_t leaves = cuda_ceil_div(pixels, HALO_LEAF);
    args.data = data;
    args.pixels = pixels;
    args.channels = channels;
    /* Long runs mean fewer partial results; but every multiprocessor should have several blocks. */
    args.leaves = leaves_most;
    while (args.leaves > reduce_warps &&
           cuda_ceil_div(leaves, args.leaves) * channels < 4 * device->properties.multiProcessorCount)
        args.leaves /= 2;
    args.groups = *count = cuda_ceil_div(leaves, args.leaves);
    CUDA_PASS(reduce_room(device, *count, channels, partial));
    args.partial = *partial;
    return channels == 1 ? launch<true>(device, &args, want) : launch<false>(device, &args, want);
}
