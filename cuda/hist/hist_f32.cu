/* Histograms of floats: few bins, mostly told by single precision; many bins, in packed counters of 16 bits;
 * and parts, which few samples lie in. */
#include "hist.cuh"

/* ---- few bins -------------------------------------------------------------------------------------------- */

/* Four samples of a thread: neighbours if `Line`, else strided so that neighbouring threads read neighbouring
 * pixels. */
template <bool Line> CUDA_INLINE void load_four(const float *chunk, int channels, float v[hist_at_once])
{
    static_assert(hist_at_once == 4, "a float4");
    if (Line) {
        const float4 four = __ldg((const float4 *)chunk + threadIdx.x);
        v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    } else {
#pragma unroll
        for (int i = 0; i < hist_at_once; i++)
            v[i] = __ldg(chunk + (i * hist_threads + threadIdx.x) * channels);
    }
}

/* A block counts one channel; `Line`: there is only one. Samples of uncertain bin are first counted after the
 * bins, without a branch, and then exactly. */
template <bool Line>
__global__ static void __launch_bounds__(hist_threads, 2) few_bins_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channels = Line ? 1 : a.channels, channel = Line ? 0 : (int)(blockIdx.x % channels);
    const unsigned bins = (unsigned)a.how.bins, copies = (unsigned)a.copies, copy = threadIdx.x & (copies - 1);
    const int block = (int)(blockIdx.x / channels), chunk = hist_at_once * hist_threads,
              chunks = (int)(a.pixels / chunk);
    const float *const data = (const float *)a.data + channel;
    Outside outside = {};
    const auto take = [&](float v) {
        const int bin = bin_of(a.scale, (double)v);
        if (bin < 0)
            outside.add(bin);
        else
            atomicAdd(counter + (unsigned)bin * copies + copy, 1u);
    };
    clear_shared(counter, (int)(bins * copies));
    for (int c = block; c < chunks; c += (int)a.blocks) {
        float v[hist_at_once];
        unsigned left = 0;
        load_four<Line>(data + (int64_t)c * chunk * channels, channels, v);
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) {
            const unsigned bin = bin_fast(a.scale, v[i]);
            atomicAdd(counter + bin * copies + copy, 1u);
            left |= (unsigned)(bin == bins) << i;
        }
        for (; left != 0; left &= left - 1) {
            const int i = __ffs((int)left) - 1;
            take(i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3]);
        }
    }
    for (int64_t p = (int64_t)chunks * chunk + block * hist_threads + threadIdx.x; p < a.pixels;
         p += a.blocks * hist_threads)
        take(__ldg(data + p * channels));
    flush_shared(counter, (int)bins, a.copies, a.count + channel * a.how.bins);
    outside.flush(a, channel);
    hand_to_host(a);
}

/* ---- many bins ------------------------------------------------------------------------------------------- */

/* Packed counters of 16 bits, one channel per block. */
__global__ static void __launch_bounds__(hist_threads) f32_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), words = (int)(a.how.bins + 1) / 2;
    const int64_t step = a.blocks * hist_threads;
    const float *const data = (const float *)a.data + channel;
    unsigned long long *const to = a.count + channel * a.how.bins;
    Outside outside = {};
    clear_shared(counter, words);
    for (int64_t p = blockIdx.x / a.channels * hist_threads + threadIdx.x; p < a.pixels;
         p += hist_at_once * step) {
        int bin[hist_at_once];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) { /* samples after the last count nowhere */
            bin[i] = p + i * step < a.pixels ? bin_of(a.scale, __ldg(data + (p + i * step) * a.channels)) : -4;
            if (bin[i] < 0) outside.add(bin[i]);
        }
        packed_count_all<hist_at_once>(counter, bin, to);
    }
    packed_flush(counter, words, to);
    outside.flush(a, channel);
    hand_to_host(a);
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* Cells of equal width from the start of the lowest part, which is the middle of the first cell, to the end of
 * the highest. */
static const int part_cells = 8192;
static const float cell_reach = 0.5625f;
static const uint8_t part_none = 255;

/* The parts in order: their ends, and their bins. `cells` is the number of cells per unit, counted from
 * `base`; 0 where that is not usable. */
struct PartArgs {
    float lo[HALO_MAX_PARTS], hi[HALO_MAX_PARTS], base, cells;
    int first[HALO_MAX_PARTS];
    BinScale scale[HALO_MAX_PARTS];
    PartKept kept;
    bool again; /* read the kept samples, if all of them are there */
};

/* Samples that a block keeps: how many it found, where they go, and the first of them. */
static const int part_found = 1024;
struct PartFound {
    unsigned count, begin;
    float sample[part_found];
};

/* Keeps the block's samples in the channel after those of other blocks; if they do not fit, the count says so.
 * All threads call it. */
CUDA_INLINE void keep_found(const PartKept &kept, int channel, PartFound *found)
{
    const unsigned n = found->count;
    if (threadIdx.x == 0 && n > 0)
        found->begin = atomicAdd(kept.count + channel, n <= (unsigned)part_found ? n : (unsigned)kept.most + 1);
    __syncthreads();
    const unsigned begin = n > 0 ? found->begin : 0;
    if (n > (unsigned)part_found || n > (unsigned)kept.most - min(begin, (unsigned)kept.most)) return;
    for (unsigned i = threadIdx.x; i < n; i += hist_threads)
        kept.sample[channel * kept.most + begin + i] = found->sample[i];
}

/* For each cell, the first part that reaches into it. A sample lies in the cell with the nearest middle; its
 * rounding errors are less than a sixteenth, by which cells are extended. */
CUDA_INLINE void fill_cells(const HistArgs &a, const PartArgs &parts, uint8_t *cell_part)
{
    if (threadIdx.x == 0) cell_part[part_cells] = part_none;
    for (int i = (int)threadIdx.x; i < part_cells; i += hist_threads) {
        const float width = 1.0f / parts.cells, left = parts.lo[0] + ((float)i - cell_reach) * width,
                    right = parts.lo[0] + ((float)i + cell_reach) * width;
        int k = 0;
        if (parts.cells > 0.0f)
            while (k < a.how.parts && parts.hi[k] < left) k++;
        cell_part[i] = parts.cells > 0.0f && (k == a.how.parts || parts.lo[k] > right) ? part_none : (uint8_t)k;
    }
    __syncthreads();
}

/* Four samples of a chunk of which so many exist; others are NaN. */
CUDA_INLINE void load_parts(const float *chunk, int channels, int there, float v[hist_at_once])
{
    if (there == hist_at_once * hist_threads && channels == 1) {
        load_four<true>(chunk, 1, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < hist_at_once; i++) {
        const int at = i * hist_threads + (int)threadIdx.x;
        v[i] = at < there ? __ldg(chunk + at * channels) : nanf("");
    }
}

/* The first part that reaches into the cell of v. Outside, and for NaN, the bits are beyond all cells. */
CUDA_INLINE int part_of_cell(const PartArgs &parts, const uint8_t *cell_part, float v)
{
    const float cell = (v - parts.base) * parts.cells + 8388608.0f;
    return cell_part[min(__float_as_uint(cell) - 0x4b000000u, (unsigned)part_cells)];
}

/* One channel per block. `One`: there is one part, which is compared directly. */
template <bool One>
__global__ static void __launch_bounds__(hist_threads, 2)
    parts_kernel(const __grid_constant__ HistArgs a, const __grid_constant__ PartArgs parts)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), bins = (int)a.how.bins;
    const int block = (int)(blockIdx.x / a.channels), chunk = hist_at_once * hist_threads;
    const unsigned kept = parts.again ? parts.kept.count[channel] : 0;
    const bool few = parts.again && kept <= (unsigned)parts.kept.most,
               keeps = parts.kept.most > 0 && !parts.again;
    const int channels = few ? 1 : a.channels;
    const int64_t samples = few ? kept : a.pixels;
    const float *const data =
        few ? parts.kept.sample + channel * parts.kept.most : (const float *)a.data + channel;
    PartFound *const found = (PartFound *)(counter + bins);
    uint8_t *const cell_part = (uint8_t *)(found + 1);
    const int chunks = (int)cuda_ceil_div(samples, chunk);
    if (block >= chunks) {
        hand_to_host(a);
        return;
    }
    if (threadIdx.x == 0) found->count = 0;
    if (!One) fill_cells(a, parts, cell_part);
    clear_shared(counter, bins);
    for (int c = block; c < chunks; c += (int)a.blocks) {
        float v[hist_at_once];
        unsigned left = 0;
        load_parts(data + (int64_t)c * chunk * channels, channels,
                   (int)cuda_min(chunk, samples - (int64_t)c * chunk), v);
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) {
            const bool may = One ? v[i] >= parts.lo[0] && v[i] <= parts.hi[0]
                                 : part_of_cell(parts, cell_part, v[i]) != part_none;
            left |= (unsigned)may << i;
        }
        for (; left != 0; left &= left - 1) { /* rare */
            const int i = __ffs((int)left) - 1;
            const float x = i == 0 ? v[0] : i == 1 ? v[1] : i == 2 ? v[2] : v[3];
            int k = One ? 0 : part_of_cell(parts, cell_part, x);
            while (!One && k + 1 < a.how.parts && parts.lo[k + 1] <= x) k++;
            if (!One && !(x >= parts.lo[k] && x <= parts.hi[k])) continue;
            atomicAdd(counter + parts.first[k] + bin_of(parts.scale[k], x), 1u);
            if (!keeps) continue;
            const unsigned place = atomicAdd(&found->count, 1u);
            if (place < (unsigned)part_found) found->sample[place] = x;
        }
    }
    flush_shared(counter, bins, 1, a.count + channel * a.how.bins);
    if (keeps) keep_found(parts.kept, channel, found);
    hand_to_host(a);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* More bins than these use packed counters. */
static const int64_t few_bins_most = 8192;

static HaloStatus launch_few_bins(HaloDevice *device, HistArgs *args)
{
    args->copies = CUDA_WARP;
    while (args->copies > 1 && args->how.bins * args->copies > few_bins_most) args->copies /= 2;
    const int64_t shared = (args->how.bins + 1) * args->copies * (int64_t)sizeof(unsigned);
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    if (args->channels == 1)
        CUDA_LAUNCH(device, few_bins_kernel<true>, args->blocks, hist_threads, (size_t)shared, *args);
    else
        CUDA_LAUNCH(device, few_bins_kernel<false>, args->blocks * args->channels, hist_threads, (size_t)shared,
                    *args);
    return HALO_OK;
}

HaloStatus hist_f32(HaloDevice *device, HistArgs *args)
{
    const int64_t bins = args->how.bins, shared = (bins + 1) / 2 * (int64_t)sizeof(unsigned);
    if (hist_f32_channels_takes(args)) return hist_f32_channels(device, args);
    if (bins <= few_bins_most && args->scale.fast >= 0.0f) return launch_few_bins(device, args);
    if (bins <= few_bins_most || bins > u16_bins || shared > (int64_t)device->properties.sharedMemPerBlockOptin)
        return hist_windows(device, HALO_F32, args);
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    CUDA_LAUNCH(device, f32_kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}

/* Sorts the parts, which do not overlap. */
static void sort_parts(const HaloHist *how, const HaloHistPart *sorted[HALO_MAX_PARTS])
{
    for (int k = 0; k < how->parts; k++) {
        int at = k;
        for (; at > 0 && sorted[at - 1]->lo > how->part[k].lo; at--) sorted[at] = sorted[at - 1];
        sorted[at] = &how->part[k];
    }
}

HaloStatus hist_parts(HaloDevice *device, HistArgs *args, const PartKept *kept)
{
    const int64_t shared =
        args->how.bins * (int64_t)sizeof(unsigned) + (int64_t)sizeof(PartFound) + part_cells + 1;
    const HaloHistPart *sorted[HALO_MAX_PARTS];
    PartArgs parts;
    parts.kept = *kept;
    parts.again = args->how.again && kept->most > 0;
    sort_parts(&args->how, sorted);
    for (int k = 0; k < args->how.parts; k++) {
        parts.lo[k] = (float)sorted[k]->lo;
        parts.hi[k] = (float)sorted[k]->hi;
        parts.first[k] = (int)sorted[k]->first;
        parts.scale[k] = bin_scale(sorted[k]->lo, sorted[k]->hi, sorted[k]->bins);
    }
    const double range = sorted[args->how.parts - 1]->hi - sorted[0]->lo;
    parts.cells = range > 1e-30 && range < 1e30 ? (float)((part_cells - 1) / range) : 0.0f;
    parts.base = parts.cells > 0.0f ? parts.lo[0] : 0.0f; /* differences may be infinite in a wide range */
    args->blocks = hist_blocks(device, args->pixels, args->channels, shared);
    const auto kernel = args->how.parts == 1 ? parts_kernel<true> : parts_kernel<false>;
    CUDA_LAUNCH(device, kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args, parts);
    return HALO_OK;
}
