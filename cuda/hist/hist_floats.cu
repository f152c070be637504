/* Histograms of floats: in few bins, which single precision mostly tells; in many bins by counters of 16 bits; and in parts, of
 * which few samples lie in any. */
#include "hist.cuh"

/* ---- few bins ------------------------------------------------------------------------------------------- */

/* One channel a block; `Line`: there is one in all. What single precision does not tell goes by itself. */
template <bool Line> __global__ static void __launch_bounds__(hist_threads, 2) quick_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channels = Line ? 1 : a.channels, channel = Line ? 0 : (int)(blockIdx.x % channels);
    const int bins = (int)a.how.bins, copy = (int)threadIdx.x & (a.copies - 1);
    const int64_t block = blockIdx.x / channels, chunk = (int64_t)hist_at_once * hist_threads, chunks = a.pixels / chunk;
    const float *const data = (const float *)a.data + channel;
    Outside outside = {};
    const auto take = [&](float v) {
        const int bin = bin_of(a.scale, (double)v);
        if (bin < 0)
            outside.add(bin);
        else
            atomicAdd(counter + bin * a.copies + copy, 1u);
    };
    clear_shared(counter, bins * a.copies);
    for (int64_t c = block; c < chunks; c += a.blocks) {
        const float *const from = data + (c * chunk + threadIdx.x) * channels;
        float v[hist_at_once];
        unsigned left = 0;
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) v[i] = __ldg(from + i * hist_threads * channels);
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) {
            int bin;
            if (bin_quick(a.scale, v[i], &bin))
                atomicAdd(counter + bin * a.copies + copy, 1u);
            else
                left |= 1u << i;
        }
        for (; left != 0; left &= left - 1) {
            const int i = __ffs((int)left) - 1;
            take(i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3]);
        }
    }
    for (int64_t p = chunks * chunk + block * hist_threads + threadIdx.x; p < a.pixels; p += a.blocks * hist_threads)
        take(__ldg(data + p * channels));
    flush_shared(counter, bins, a.copies, a.count + channel * a.how.bins);
    outside.flush(a, channel);
}

/* ---- many bins ------------------------------------------------------------------------------------------ */

/* Counters of 16 bits, one channel a block. */
__global__ static void __launch_bounds__(hist_threads) floats_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), words = (int)(a.how.bins + 1) / 2;
    const int64_t step = a.blocks * hist_threads;
    const float *const data = (const float *)a.data + channel;
    unsigned long long *const to = a.count + channel * a.how.bins;
    Outside outside = {};
    clear_shared(counter, words);
    for (int64_t p = blockIdx.x / a.channels * hist_threads + threadIdx.x; p < a.pixels; p += hist_at_once * step) {
        int bin[hist_at_once];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) { /* what lies behind the last counts nowhere */
            bin[i] = p + i * step < a.pixels ? bin_of(a.scale, __ldg(data + (p + i * step) * a.channels)) : -4;
            if (bin[i] < 0) outside.add(bin[i]);
        }
        count_words<hist_at_once>(counter, bin, to);
    }
    flush_words(counter, words, to);
    outside.flush(a, channel);
}

/* ---- parts ---------------------------------------------------------------------------------------------- */

/* Cells of equal width from the least part's beginning to the greatest's end. */
static const int part_cells = 2048;
static const uint8_t part_none = 255;

/* The parts in order: where they begin and end, and how bins are found in them. `cells` is how many of them there are to 1; 0
 * where that is no use. */
struct PartArgs {
    float lo[HALO_MAX_PARTS], hi[HALO_MAX_PARTS], cells;
    int first[HALO_MAX_PARTS];
    BinScale scale[HALO_MAX_PARTS];
};

/* For each cell the first part that reaches into it, or its neighbours: a sample's cell is rounded. */
__device__ __forceinline__ static void find_near(const HistArgs &a, const PartArgs &parts, uint8_t *near)
{
    for (int i = (int)threadIdx.x; i < part_cells; i += hist_threads) {
        const float width = 1.0f / parts.cells, left = parts.lo[0] + (float)(i - 1) * width, right = left + 3.0f * width;
        int k = 0;
        if (parts.cells > 0.0f)
            while (k < a.how.parts && parts.hi[k] < left) k++;
        near[i] = parts.cells > 0.0f && (k == a.how.parts || parts.lo[k] > right) ? part_none : (uint8_t)k;
    }
    __syncthreads();
}

/* One channel a block. */
__global__ static void __launch_bounds__(hist_threads, 2)
    parts_kernel(const __grid_constant__ HistArgs a, const __grid_constant__ PartArgs parts)
{
    CUDA_SHARED(unsigned, counter);
    const int channels = a.channels, channel = (int)(blockIdx.x % channels), bins = (int)a.how.bins;
    const int64_t block = blockIdx.x / channels, chunk = (int64_t)hist_at_once * hist_threads;
    const float *const data = (const float *)a.data + channel;
    const float least = parts.lo[0], most = parts.hi[a.how.parts - 1];
    uint8_t *const near = (uint8_t *)(counter + bins);
    find_near(a, parts, near);
    clear_shared(counter, bins);
    for (int64_t at = block * chunk + threadIdx.x; at < a.pixels; at += a.blocks * chunk) {
        const float *const from = data + at * channels;
        const int there = (int)cuda_min(chunk, a.pixels - at);
        float v[hist_at_once];
        int first[hist_at_once];
        unsigned left = 0;
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) v[i] = i * hist_threads < there ? __ldg(from + i * hist_threads * channels) : nanf("");
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) {
            const float cell = fminf((v[i] - least) * parts.cells, (float)(part_cells - 1)) + 8388608.0f;
            first[i] = v[i] >= least && v[i] <= most ? near[__float_as_uint(cell) & (part_cells - 1)] : part_none;
            left |= (unsigned)(first[i] != part_none) << i;
        }
        for (; left != 0; left &= left - 1) {
            const int i = __ffs((int)left) - 1;
            const float x = i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3];
            int k = i == 0 ? first[0] : i == 1 ? first[1] : i == 2 ? first[2] : first[3];
            while (k + 1 < a.how.parts && parts.lo[k + 1] <= x) k++;
            if (x >= parts.lo[k] && x <= parts.hi[k]) atomicAdd(counter + parts.first[k] + bin_of(parts.scale[k], x), 1u);
        }
    }
    flush_shared(counter, bins, 1, a.count + channel * a.how.bins);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* More bins than these are counted in 16 bits. */
static const int64_t quick_most = 8192;

static HaloStatus launch_quick(HaloDevice *device, HistArgs *args)
{
    args->copies = CUDA_WARP;
    while (args->copies > 1 && args->how.bins * args->copies > quick_most) args->copies /= 2;
    const int64_t shared = args->how.bins * args->copies * (int64_t)sizeof(unsigned);
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    if (args->channels == 1)
        CUDA_LAUNCH(device, quick_kernel<true>, args->blocks, hist_threads, (size_t)shared, *args);
    else
        CUDA_LAUNCH(device, quick_kernel<false>, args->blocks * args->channels, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}

HaloStatus hist_floats(HaloDevice *device, HistArgs *args)
{
    const int64_t bins = args->how.bins, shared = (bins + 1) / 2 * (int64_t)sizeof(unsigned);
    if (bins <= quick_most && args->scale.quick >= 0.0f) return launch_quick(device, args);
    if (bins <= quick_most || bins > word_bins || shared > (int64_t)device->properties.sharedMemPerBlockOptin)
        return hist_windows(device, HALO_F32, args);
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    CUDA_LAUNCH(device, floats_kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}

/* The parts in their order: they have no float in common. */
static void sort_parts(const HaloHist *how, const HaloHistPart *sorted[HALO_MAX_PARTS])
{
    for (int k = 0; k < how->parts; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1]->lo > how->part[k].lo; at--) sorted[at] = sorted[at - 1];
        sorted[at] = &how->part[k];
    }
}

HaloStatus hist_parts(HaloDevice *device, HistArgs *args)
{
    const int64_t shared = args->how.bins * (int64_t)sizeof(unsigned) + part_cells;
    const HaloHistPart *sorted[HALO_MAX_PARTS];
    PartArgs parts;
    sort_parts(&args->how, sorted);
    for (int k = 0; k < args->how.parts; k++) {
        parts.lo[k] = (float)sorted[k]->lo;
        parts.hi[k] = (float)sorted[k]->hi;
        parts.first[k] = (int)sorted[k]->first;
        parts.scale[k] = bin_scale(sorted[k]->lo, sorted[k]->hi, sorted[k]->bins);
    }
    const double range = sorted[args->how.parts - 1]->hi - sorted[0]->lo;
    parts.cells = range > 1e-30 && range < 1e30 ? (float)(part_cells / range) : 0.0f;
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    CUDA_LAUNCH(device, parts_kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args, parts);
    return HALO_OK;
}
