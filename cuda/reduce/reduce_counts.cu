/* Statistics of u8 and u16 with their product, which needs the histogram: that gives all but the positions of
 * the extremes, and those are mostly found long before the end. */
#include <stdlib.h>

#include "reduce.cuh"

static const int find_threads = 256, find_blocks_each = 4; /* per multiprocessor */
static const int find_packs = 8;                           /* of 16 bytes, a thread and tile */
static const int find_channels = 4;                        /* that whole packs are compared for */

struct FindArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t values;                  /* that samples can have */
    const unsigned long long *count; /* [channels][values] */
    unsigned long long *found;       /* [2][channels] the first pixel that has the least value, or the greatest, so far */
    unsigned *value;                 /* the same: these values */
};

/* ---- which values --------------------------------------------------------------------------------------- */

/* The least and greatest value of a channel, a channel a block. Counters may lie in host memory: few are looked at, most often. */
__global__ static void __launch_bounds__(find_threads) ends_kernel(const __grid_constant__ FindArgs a)
{
    __shared__ unsigned end[2];
    const int me = (int)threadIdx.x, channel = (int)blockIdx.x;
    const unsigned long long *const count = a.count + channel * a.values;
    if (me < 2) end[me] = ~0u;
    __syncthreads();
    for (int64_t from = 0; from < a.values; from += find_threads) {
        if (count[from + me] > 0) atomicMin(&end[0], (unsigned)from + me);
        if (count[a.values - 1 - from - me] > 0) atomicMin(&end[1], (unsigned)from + me);
        __syncthreads();
        const bool both = end[0] != ~0u && end[1] != ~0u;
        __syncthreads();
        if (both) break;
    }
    if (me >= 2) return;
    a.value[me * a.channels + channel] = me == 0 ? end[0] : (unsigned)a.values - 1 - end[1];
    a.found[me * a.channels + channel] = ~0ull;
}

/* ---- where ---------------------------------------------------------------------------------------------- */

__device__ __forceinline__ static unsigned equal(unsigned a, unsigned b, uint8_t) { return __vcmpeq4(a, b); }
__device__ __forceinline__ static unsigned equal(unsigned a, unsigned b, uint16_t) { return __vcmpeq2(a, b); }

template <typename S> __device__ __forceinline__ static bool any_equal(uint4 a, uint4 b)
{
    return (equal(a.x, b.x, S()) | equal(a.y, b.y, S()) | equal(a.z, b.z, S()) | equal(a.w, b.w, S())) != 0;
}

/* Sample `at` of the data is a candidate. Most come too late: a look costs less than an atomic. */
template <typename S> __device__ __forceinline__ static void offer(const FindArgs &a, int64_t at)
{
    const unsigned v = ((const S *)a.data)[at];
    const int channel = (int)(at % a.channels);
    const unsigned long long pixel = (unsigned long long)(at / a.channels);
    for (int side = 0; side < 2; side++) {
        const int i = side * a.channels + channel;
        if (v == a.value[i] && pixel < *(volatile unsigned long long *)&a.found[i])
            atomicMin(&a.found[i], pixel);
    }
}

/* Is there something that the tile from this pixel on could still be the first to have? */
__device__ __forceinline__ static bool still_wanted(const FindArgs &a, int64_t pixel)
{
    bool wanted = false;
    for (int i = (int)threadIdx.x; i < 2 * a.channels; i += find_threads)
        wanted = wanted || *(volatile unsigned long long *)&a.found[i] > (unsigned long long)pixel;
    return __syncthreads_or(wanted);
}

/* The values as they lie in packs of 16 bytes: those that begin with channel 0, 1, … */
template <typename S> struct Patterns {
    static constexpr int width = 16 / (int)sizeof(S);
    alignas(16) S at[2][find_channels][width];

    __device__ __forceinline__ void fill(const FindArgs &a)
    {
        for (int i = (int)threadIdx.x; i < 2 * find_channels * width; i += find_threads) {
            const int side = i / width / find_channels, phase = i / width % find_channels;
            at[side][phase][i % width] = (S)a.value[side * a.channels + (phase + i % width) % a.channels];
        }
        __syncthreads();
    }

    __device__ __forceinline__ uint4 of(int side, int phase) const { return *reinterpret_cast<const uint4 *>(at[side][phase]); }
};

/* Tiles in order, so that blocks end soon after everything is found. */
template <typename S>
__global__ static void __launch_bounds__(find_threads) find_kernel(const __grid_constant__ FindArgs a)
{
    constexpr int width = Patterns<S>::width;
    __shared__ Patterns<S> patterns;
    const int64_t samples = a.pixels * a.channels, tile = (int64_t)find_threads * find_packs * width;
    const bool packed = a.channels <= find_channels;
    if (packed) patterns.fill(a);
    for (int64_t start = blockIdx.x * tile; start < samples; start += gridDim.x * tile) {
        if (!still_wanted(a, start / a.channels)) return;
        for (int k = 0; k < find_packs; k++) {
            const int64_t first = start + (int64_t)(k * find_threads + (int)threadIdx.x) * width;
            bool look = first < samples;
            if (packed && first + width <= samples) {
                const uint4 pack = __ldg((const uint4 *)((const S *)a.data + first));
                const int phase = (int)(first % a.channels);
                look = any_equal<S>(pack, patterns.of(0, phase)) || any_equal<S>(pack, patterns.of(1, phase));
            }
            for (int i = 0; look && i < width && first + i < samples; i++) offer<S>(a, first + i);
        }
    }
}

/* ---- the host's side ------------------------------------------------------------------------------------ */

/* Moments of every channel but the positions; the count of pixels has its extremes where counts are not 0. */
static void from_counts(const uint64_t *counts, int64_t values, int channels, int64_t pixels, HaloMoments *out)
{
    for (int c = 0; c < channels; c++) {
        const uint64_t *const count = counts + c * values;
        int64_t low = 0, high = values - 1;
        while (low < high && count[low] == 0) low++;
        while (high > low && count[high] == 0) high--;
        out[c] = halo_moments_none();
        if (pixels == 0) continue;
        out[c].count = (uint64_t)pixels;
        out[c].min = (double)low;
        out[c].max = (double)high;
        halo_moments_from_counts(count, values, &out[c]);
    }
}

/* Queues the search for the places, which goes on from the counters where they are: the host need not see them first. */
static HaloStatus queue_find(HaloDevice *device, HaloDtype dtype, const FindArgs *a)
{
    const int64_t size = (int64_t)halo_dtype_size(dtype), tile = (int64_t)find_threads * find_packs * 16 / size;
    const int64_t tiles = cuda_ceil_div(a->pixels * a->channels, tile);
    const int64_t most = (int64_t)device->properties.multiProcessorCount * find_blocks_each;
    CUDA_LAUNCH(device, ends_kernel, a->channels, find_threads, 0, *a);
    if (dtype == HALO_U8)
        CUDA_LAUNCH(device, find_kernel<uint8_t>, cuda_min(tiles, most), find_threads, 0, *a);
    else
        CUDA_LAUNCH(device, find_kernel<uint16_t>, cuda_min(tiles, most), find_threads, 0, *a);
    return HALO_OK;
}

/* Brings counters home, and the places behind them, in one copy. */
static HaloStatus bring(HaloDevice *device, const CudaCounts *counts, int64_t known, int64_t found, uint64_t *to)
{
    char *const staged = (char *)device->staging + known;
    if (!counts->staged) return cuda_fetch(device, to, counts->count, counts->bytes + found);
    if (found > 0) CUDA_TRY(cudaMemcpyAsync(staged, counts->behind, (size_t)found, cudaMemcpyDeviceToHost, device->stream));
    CUDA_PASS(cuda_wait(device));
    memcpy(to, counts->count, (size_t)known);
    memcpy((char *)to + counts->bytes, staged, (size_t)found);
    return HALO_OK;
}

/* So many bytes are read again as fast as a search begins: then all but the product comes from that. */
static const int64_t again_most = (int64_t)1 << 28;

/* Bytes: counters and the other moments come to the host by themselves, one behind the other. */
static HaloStatus count_and_reduce(HaloDevice *device, const HaloBuf *src, const void *data, const HaloHist *every,
                                   HaloMoments *out)
{
    const int64_t pixels = src->shape.width * src->shape.height;
    const int channels = src->shape.channels;
    HaloMoments *const moments = (HaloMoments *)((uint64_t *)device->staging + channels * every->bins);
    CudaCounts counts;
    CUDA_PASS(reduce_integers(device, HALO_U8, data, pixels, channels, moments));
    CUDA_PASS(cuda_hist_queue(device, src, every, 0, &counts));
    CUDA_PASS(cuda_wait(device));
    memcpy(out, moments, (size_t)channels * sizeof *out);
    for (int c = 0; c < channels; c++)
        halo_product_from_counts((const uint64_t *)counts.count + c * every->bins, every->bins, &out[c].product,
                                 &out[c].product_exp);
    return HALO_OK;
}

HaloStatus reduce_counts(HaloDevice *device, const HaloBuf *src, const void *data, bool positions,
                         HaloMoments *out)
{
    const int64_t values = src->shape.dtype == HALO_U8 ? 256 : 65536, channels = src->shape.channels;
    const int64_t known = channels * values * (int64_t)sizeof(uint64_t), places = 2 * channels;
    const int64_t found = positions ? places * (int64_t)sizeof(uint64_t) : 0;
    const HaloHist every = {values, 0.0, (double)values, 0, NULL};
    FindArgs args = {data, src->shape.width * src->shape.height, (int)channels, values, NULL, NULL, NULL};
    CudaCounts counts;
    if (src->shape.dtype == HALO_U8 && channels <= 4 && args.pixels * channels <= again_most)
        return count_and_reduce(device, src, data, &every, out);
    CUDA_PASS(cuda_hist_queue(device, src, &every, found + places * (int64_t)sizeof(unsigned), &counts));
    args.count = counts.count;
    args.found = (unsigned long long *)counts.behind;
    args.value = (unsigned *)(args.found + places);
    if (positions) CUDA_PASS(queue_find(device, src->shape.dtype, &args));
    uint64_t *const here = (uint64_t *)malloc((size_t)(counts.bytes + found));
    if (here == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = bring(device, &counts, known, found, here);
    const uint64_t *const place = here + counts.bytes / (int64_t)sizeof *here;
    if (status == HALO_OK) from_counts(here, values, (int)channels, args.pixels, out);
    for (int c = 0; c < channels && positions && status == HALO_OK; c++) {
        out[c].min_at = (int64_t)place[c];
        out[c].max_at = (int64_t)place[channels + c];
    }
    free(here);
    return status;
}
