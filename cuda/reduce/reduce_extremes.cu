/* The minimum and maximum of floats, and how many are NaN, infinite or zero, of every channel in one reading of the samples as they
 * lie: all that the range of a histogram asks for. */
#include "reduce_tree.cuh"

static const int extremes_threads = 512, extremes_blocks_each = 2; /* of a multiprocessor */
static const int extremes_at_once = 4, extremes_own = 4;           /* loads of a thread that are under way, samples of each */
static const int extremes_channels = 64;

/* What is known of a channel. Keys grow with what they are of, `low` with the negated least; 0 is below all of them. */
struct Survey {
    unsigned low, high, nan, inf, zero, negative; /* the last: zeros with that sign */
};

struct ExtremesArgs {
    const float *data;
    int64_t pixels, packs; /* of 16 bytes, that are whole */
    int channels;
    unsigned *arrival;
    Survey *all;         /* [channels], all 0 between launches */
    HaloMoments *result; /* [channels], and */
    int *unsure;         /* whether a zero's sign is not known: where the host sees them */
};

/* ---- a thread ------------------------------------------------------------------------------------------- */

/* One sample of each load: they are all of one channel. */
struct Seen {
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

__device__ __forceinline__ static unsigned key_above_0(float v) { return (unsigned)extreme_key(v) ^ 0x80000000u; }
__device__ __forceinline__ static float value_of_key(unsigned key) { return extreme_value((int)(key ^ 0x80000000u)); }

__device__ __forceinline__ static void add_survey(Survey *to, const Survey &from)
{
    atomicMax(&to->low, from.low);
    atomicMax(&to->high, from.high);
    if (from.nan > 0) atomicAdd(&to->nan, from.nan);
    if (from.inf > 0) atomicAdd(&to->inf, from.inf);
    if (from.zero > 0) atomicAdd(&to->zero, from.zero);
    if (from.negative > 0) atomicAdd(&to->negative, from.negative);
}

/* Of lanes that have one channel, one adds for all. */
__device__ __forceinline__ static void add_seen(Survey *to, const Seen &seen, bool together)
{
    Survey own = {key_above_0(-seen.low), key_above_0(seen.high), seen.nan, seen.inf, seen.zero, seen.negative};
    if (together) {
        own.low = cuda_warp_max(own.low);
        own.high = cuda_warp_max(own.high);
        own.nan = cuda_warp_sum(own.nan);
        own.inf = cuda_warp_sum(own.inf);
        own.zero = cuda_warp_sum(own.zero);
        own.negative = cuda_warp_sum(own.negative);
    }
    if (!together || threadIdx.x % CUDA_WARP == 0) add_survey(to, own);
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* The answer for a channel; is the sign of a zero not known? The first would have to be looked for. */
__device__ __forceinline__ static bool write_survey(const ExtremesArgs &a, int channel, const Survey &all)
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

/* A thread's samples are of the same channels in each load: the threads of the grid are a multiple of these. */
__global__ static void __launch_bounds__(extremes_threads) extremes_kernel(const __grid_constant__ ExtremesArgs a)
{
    __shared__ Survey own[extremes_channels];
    __shared__ bool last;
    const int me = (int)threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * extremes_threads, first = (int64_t)blockIdx.x * extremes_threads + me,
                  samples = a.pixels * a.channels;
    Seen seen[extremes_own];
#pragma unroll
    for (Seen &s : seen) s = {INFINITY, -INFINITY, 0, 0, 0, 0};
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
            seen[0].take(pack[k].x);
            seen[1].take(pack[k].y);
            seen[2].take(pack[k].z);
            seen[3].take(pack[k].w);
        }
    }
    for (int i = 0; i < extremes_own; i++)
        add_seen(own + (first * extremes_own + i) % a.channels, seen[i], extremes_own % a.channels == 0);
    const int64_t e = a.packs * extremes_own + first; /* the last few */
    if (e < samples) {
        Seen s = {INFINITY, -INFINITY, 0, 0, 0, 0};
        s.take(a.data[e]);
        add_seen(own + e % a.channels, s, false);
    }
    __syncthreads();
    for (int c = me; c < a.channels; c += extremes_threads) add_survey(a.all + c, own[c]);
    __syncthreads();
    if (me == 0) last = reduce_last(a.arrival, gridDim.x);
    __syncthreads();
    if (!last) return;
    bool unsure = false;
    for (int c = me; c < a.channels; c += extremes_threads) {
        const uint2 *const from = (const uint2 *)(a.all + c);
        const uint2 ends = __ldcg(from), odd = __ldcg(from + 1), zeros = __ldcg(from + 2);
        unsure = write_survey(a, c, {ends.x, ends.y, odd.x, odd.y, zeros.x, zeros.y}) || unsure;
        a.all[c] = {};
    }
    unsure = __syncthreads_or(unsure);
    if (me == 0) *a.unsure = unsure;
}

bool reduce_extremes_takes(unsigned want, int64_t pixels, int channels)
{
    return (want & ~(unsigned)HALO_WANT_EXTREMES) == 0 && pixels > 0 && pixels <= UINT32_MAX && channels <= extremes_channels;
}

HaloStatus reduce_extremes(HaloDevice *device, const float *data, int64_t pixels, int channels, HaloMoments *result, int *unsure)
{
    const int64_t arrivals = 2, words = channels * (int64_t)(sizeof(Survey) / sizeof(unsigned)), packs = pixels * channels / extremes_own;
    const int64_t most = (int64_t)device->properties.multiProcessorCount * extremes_blocks_each,
                  useful = cuda_ceil_div(packs, extremes_threads * extremes_at_once);
    ExtremesArgs args = {data, pixels, packs, channels, NULL, NULL, result, unsure};
    void *workspace;
    CUDA_PASS(reduce_workspace(device, 1, arrivals + words, &workspace, &args.arrival));
    args.all = (Survey *)(args.arrival + arrivals);
    const int64_t blocks = cuda_ceil_div(cuda_max(1, cuda_min(most, useful)), channels) * channels;
    CUDA_LAUNCH(device, extremes_kernel, blocks, extremes_threads, 0, args);
    return HALO_OK;
}
