/* The minimum and maximum of floats, and the number of NaN, infinities and zeros, of all channels in one
 * reading: all that the range of a histogram needs. Samples are read in packs, whatever the channels. */
#include "reduce_tree.cuh"

static const int extremes_threads = 512, extremes_blocks_each = 2; /* of a multiprocessor */
static const int extremes_at_once = 4, extremes_own = 4; /* loads of a thread in flight, samples of each */
static const int extremes_channels = 64;

/* The result of a channel. `low` is the key of the negated minimum; keys grow with their values, and all are
 * above 0. */
struct ChannelExtremes {
    unsigned low, high, nan, inf, zero, negative; /* `negative`: zeros with that sign */
};

struct ExtremesArgs {
    const float *data;
    int64_t pixels, packs; /* complete packs of 16 bytes */
    int channels;
    unsigned *arrival;
    ChannelExtremes *all; /* [channels], all 0 between launches */
    HaloMoments *result;  /* [channels], in host memory, and */
    int *unsure;          /* whether the sign of a zero is unknown */
};

/* ---- a thread -------------------------------------------------------------------------------------------- */

/* One sample of each load: all are of the same channel. */
struct ThreadExtremes {
    float low, high;
    unsigned nan, inf, zero, negative;

    __device__ __forceinline__ void take(float v)
    {
        low = fminf(low, v);
        high = fmaxf(high, v);
        nan += v != v;
        inf += halo_abs(v) == INFINITY;
        zero += v == 0.0f;
        negative += __float_as_uint(v) == 0x80000000u;
    }
};

CUDA_INLINE unsigned key_above_0(float v) { return (unsigned)extreme_key(v) ^ 0x80000000u; }
CUDA_INLINE float value_of_key(unsigned key) { return extreme_value((int)(key ^ 0x80000000u)); }

CUDA_INLINE void add_channel(ChannelExtremes *to, const ChannelExtremes &from)
{
    atomicMax(&to->low, from.low);
    atomicMax(&to->high, from.high);
    if (from.nan > 0) atomicAdd(&to->nan, from.nan);
    if (from.inf > 0) atomicAdd(&to->inf, from.inf);
    if (from.zero > 0) atomicAdd(&to->zero, from.zero);
    if (from.negative > 0) atomicAdd(&to->negative, from.negative);
}

/* If all lanes have the same channel, one lane adds for all. */
CUDA_INLINE void add_thread(ChannelExtremes *to, const ThreadExtremes &found, bool together)
{
    ChannelExtremes own = {key_above_0(-found.low), key_above_0(found.high), found.nan, found.inf, found.zero,
                           found.negative};
    if (together) {
        own.low = cuda_warp_max(own.low);
        own.high = cuda_warp_max(own.high);
        own.nan = cuda_warp_sum(own.nan);
        own.inf = cuda_warp_sum(own.inf);
        own.zero = cuda_warp_sum(own.zero);
        own.negative = cuda_warp_sum(own.negative);
    }
    if (!together || threadIdx.x % CUDA_WARP == 0) add_channel(to, own);
}

/* ---- all samples ----------------------------------------------------------------------------------------- */

/* The result of a channel. Returns whether the sign of a zero is unknown: that is the sign of the first zero,
 * which would have to be searched. */
CUDA_INLINE bool write_channel(const ExtremesArgs &a, int channel, const ChannelExtremes &all)
{
    HaloMoments m = halo_moments_none();
    bool unsure = false;
    m.count = (uint64_t)a.pixels;
    m.nan = all.nan;
    m.inf = all.inf;
    m.zero = all.zero;
    if (m.nan < m.count) {
        float end[2] = {-value_of_key(all.low), value_of_key(all.high)};
        for (float &v : end) {
            if (v != 0.0f) continue;
            v = all.negative == all.zero ? -0.0f : 0.0f;
            unsure = all.negative > 0 && all.negative < all.zero;
        }
        m.min = (double)end[0];
        m.max = (double)end[1];
    }
    a.result[channel] = m;
    return unsure;
}

/* A thread's samples are of the same channels in each load, since the threads of the grid are a multiple of the
 * channels. */
__global__ static void __launch_bounds__(extremes_threads)
    extremes_kernel(const __grid_constant__ ExtremesArgs a)
{
    __shared__ ChannelExtremes own[extremes_channels];
    __shared__ bool last;
    const int me = (int)threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * extremes_threads,
                  first = (int64_t)blockIdx.x * extremes_threads + me, samples = a.pixels * a.channels;
    ThreadExtremes found[extremes_own];
#pragma unroll
    for (ThreadExtremes &s : found) s = {INFINITY, -INFINITY, 0, 0, 0, 0};
    for (int i = me; i < a.channels; i += extremes_threads) own[i] = {};
    __syncthreads();
    for (int64_t u = first; u < a.packs; u += extremes_at_once * step) {
        float4 pack[extremes_at_once];
        const int there = (int)cuda_min(extremes_at_once, cuda_ceil_div(a.packs - u, step));
#pragma unroll
        for (int k = 0; k < extremes_at_once; k++)
            if (k < there) pack[k] = __ldg((const float4 *)a.data + u + k * step);
#pragma unroll
        for (int k = 0; k < extremes_at_once; k++) {
            if (k >= there) break;
            found[0].take(pack[k].x);
            found[1].take(pack[k].y);
            found[2].take(pack[k].z);
            found[3].take(pack[k].w);
        }
    }
    for (int i = 0; i < extremes_own; i++)
        add_thread(own + (first * extremes_own + i) % a.channels, found[i], extremes_own % a.channels == 0);
    const int64_t e = a.packs * extremes_own + first; /* the last incomplete pack */
    if (e < samples) {
        ThreadExtremes s = {INFINITY, -INFINITY, 0, 0, 0, 0};
        s.take(a.data[e]);
        add_thread(own + e % a.channels, s, false);
    }
    __syncthreads();
    for (int c = me; c < a.channels; c += extremes_threads) add_channel(a.all + c, own[c]);
    __syncthreads();
    if (me == 0) last = reduce_last(a.arrival, gridDim.x);
    __syncthreads();
    if (!last) return;
    bool unsure = false;
    for (int c = me; c < a.channels; c += extremes_threads) {
        const uint2 *const from = (const uint2 *)(a.all + c);
        const uint2 ends = __ldcg(from), odd = __ldcg(from + 1), zeros = __ldcg(from + 2);
        unsure = write_channel(a, c, {ends.x, ends.y, odd.x, odd.y, zeros.x, zeros.y}) || unsure;
        a.all[c] = {};
    }
    unsure = __syncthreads_or(unsure);
    if (me == 0) *a.unsure = unsure;
}

bool reduce_extremes_takes(unsigned want, int64_t pixels, int channels)
{
    return (want & ~(unsigned)HALO_WANT_EXTREMES) == 0 && pixels > 0 && pixels <= UINT32_MAX &&
           channels <= extremes_channels;
}

HaloStatus reduce_extremes(HaloDevice *device, const float *data, int64_t pixels, int channels,
                           HaloMoments *result, int *unsure)
{
    const int64_t arrivals = 2, words = channels * (int64_t)(sizeof(ChannelExtremes) / sizeof(unsigned)),
                  packs = pixels * channels / extremes_own;
    const int64_t most = (int64_t)device->properties.multiProcessorCount * extremes_blocks_each,
                  useful = cuda_ceil_div(packs, extremes_threads * extremes_at_once);
    ExtremesArgs args = {data, pixels, packs, channels, NULL, NULL, result, unsure};
    void *workspace;
    CUDA_PASS(reduce_workspace(device, 1, arrivals + words, &workspace, &args.arrival));
    args.all = (ChannelExtremes *)(args.arrival + arrivals);
    const int64_t blocks = cuda_ceil_div(cuda_max(1, cuda_min(most, useful)), channels) * channels;
    CUDA_LAUNCH(device, extremes_kernel, blocks, extremes_threads, 0, args);
    return HALO_OK;
}
