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
    unsigned *value;           /* [2][channels] the least, then the greatest */
    unsigned long long *found; /* [2][channels] the first pixel that has it, so far */
    /* The values as they lie in packs: those that begin with channel 0, 1, … */
    uint4 least[find_channels], greatest[find_channels];
};

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

/* Tiles in order, so that blocks end soon after everything is found. */
template <typename S>
__global__ static void __launch_bounds__(find_threads) find_kernel(const __grid_constant__ FindArgs a)
{
    constexpr int width = 16 / (int)sizeof(S);
    const int64_t samples = a.pixels * a.channels, tile = (int64_t)find_threads * find_packs * width;
    const bool packed = a.channels <= find_channels;
    for (int64_t start = blockIdx.x * tile; start < samples; start += gridDim.x * tile) {
        if (!still_wanted(a, start / a.channels)) return;
        for (int k = 0; k < find_packs; k++) {
            const int64_t first = start + (int64_t)(k * find_threads + (int)threadIdx.x) * width;
            bool look = first < samples;
            if (packed && first + width <= samples) {
                const uint4 pack = __ldg((const uint4 *)((const S *)a.data + first));
                const int phase = (int)(first % a.channels);
                look = any_equal<S>(pack, a.least[phase]) || any_equal<S>(pack, a.greatest[phase]);
            }
            for (int i = 0; look && i < width && first + i < samples; i++) offer<S>(a, first + i);
        }
    }
}

/* ---- the host's side ------------------------------------------------------------------------------------ */

/* Moments of every channel but the positions; the count of pixels has its extremes where counts are not 0. */
static void from_counts(const HaloHistogram *counts, int64_t pixels, HaloMoments *out)
{
    for (int c = 0; c < counts->channels; c++) {
        const uint64_t *const count = counts->count + c * counts->bins;
        int64_t low = 0, high = counts->bins - 1;
        while (low < high && count[low] == 0) low++;
        while (high > low && count[high] == 0) high--;
        out[c] = halo_moments_none();
        if (pixels == 0) continue;
        out[c].count = (uint64_t)pixels;
        out[c].min = (double)low;
        out[c].max = (double)high;
        halo_moments_from_counts(count, counts->bins, &out[c]);
    }
}

template <typename S> static uint4 pattern(const HaloMoments *m, int channels, int phase, bool greatest)
{
    S at[16 / sizeof(S)];
    uint4 pack;
    for (int i = 0; i < (int)(16 / sizeof(S)); i++) {
        const HaloMoments *const of = &m[(phase + i) % channels];
        at[i] = (S)(greatest ? of->max : of->min);
    }
    memcpy(&pack, at, sizeof pack);
    return pack;
}

/* What goes to the device and comes back, for each channel: found first of the least and of the greatest. */
template <typename S>
static HaloStatus find_positions(HaloDevice *device, FindArgs *a, unsigned long long *found, HaloMoments *m)
{
    const int64_t entries = 2 * (int64_t)a->channels, found_bytes = entries * (int64_t)sizeof *found;
    const int64_t bytes = found_bytes + entries * (int64_t)sizeof *a->value;
    const int64_t tile = (int64_t)find_threads * find_packs * 16 / (int64_t)sizeof(S);
    unsigned *const value = (unsigned *)(found + entries);
    void *room;
    for (int c = 0; c < a->channels; c++) {
        found[c] = found[a->channels + c] = ~0ull;
        value[c] = (unsigned)m[c].min;
        value[a->channels + c] = (unsigned)m[c].max;
    }
    for (int phase = 0; phase < a->channels && phase < find_channels; phase++) {
        a->least[phase] = pattern<S>(m, a->channels, phase, false);
        a->greatest[phase] = pattern<S>(m, a->channels, phase, true);
    }
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &room));
    CUDA_TRY(cudaMemcpyAsync(room, found, (size_t)bytes, cudaMemcpyHostToDevice, device->stream));
    a->found = (unsigned long long *)room;
    a->value = (unsigned *)(a->found + entries);
    const int64_t tiles = cuda_ceil_div(a->pixels * a->channels, tile);
    const int64_t most = (int64_t)device->properties.multiProcessorCount * find_blocks_each;
    CUDA_LAUNCH(device, find_kernel<S>, cuda_min(tiles, most), find_threads, 0, *a);
    CUDA_PASS(cuda_fetch(device, found, room, found_bytes));
    for (int c = 0; c < a->channels; c++) {
        m[c].min_at = (int64_t)found[c];
        m[c].max_at = (int64_t)found[a->channels + c];
    }
    return HALO_OK;
}

static HaloStatus find(HaloDevice *device, HaloDtype dtype, FindArgs *a, HaloMoments *m)
{
    const size_t each = 2 * (sizeof *a->found + sizeof *a->value);
    unsigned long long *const found = (unsigned long long *)calloc((size_t)a->channels, each);
    if (found == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    const HaloStatus status = dtype == HALO_U8 ? find_positions<uint8_t>(device, a, found, m)
                                               : find_positions<uint16_t>(device, a, found, m);
    free(found);
    return status;
}

HaloStatus reduce_counts(HaloDevice *device, const HaloBuf *src, const void *data, bool positions,
                         HaloMoments *out)
{
    const int64_t values = src->shape.dtype == HALO_U8 ? 256 : 65536;
    const HaloHist every = {values, 0.0, (double)values, 0, NULL};
    FindArgs args = {};
    HaloHistogram counts;
    args.data = data;
    args.pixels = src->shape.width * src->shape.height;
    args.channels = src->shape.channels;
    CUDA_PASS(halo_histogram_alloc(&counts, args.channels, values, every.lo, every.hi));
    const HaloStatus status = cuda_hist_within(device, src, &every, &counts);
    if (status == HALO_OK) from_counts(&counts, args.pixels, out);
    halo_histogram_free(&counts);
    return status == HALO_OK && positions ? find(device, src->shape.dtype, &args, out) : status;
}
