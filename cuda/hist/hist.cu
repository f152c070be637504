/* Histograms. Every block counts in shared memory and adds its counters to the result's at the end: bytes in
 * a copy of the counters for each lane of a warp, so that no two lanes ever meet in a bank; 16-bit samples in
 * counters of 16 bits; everything else in as many copies as fit, a window of the bins at a time; and too many
 * bins for that straight in global memory. */
#include "bins.cuh"
#include "reduce/reduce.cuh"

static const int hist_threads = 1024;
static const int hist_at_once = 4; /* samples of a thread that are loaded together, where they come one by one */
static const int byte_values = 256, word_values = word_bins;

struct HistArgs {
    const void *data;
    int64_t pixels;
    int channels;
    int64_t blocks; /* of a channel, or of all */
    int copies;     /* of the counters; a power of two */
    int window;     /* bins a block counts; 0: all of them, in global memory */
    int windows;
    HaloHist how;
    BinScale scale; /* of floats */
    unsigned long long *count; /* [channels][bins], then below, above and nan: [channels] each */
    unsigned *arrival;         /* bytes: of blocks; `count` is all 0 between launches */
    unsigned long long *result;
};

/* A block counts in 32 bits: it must not be given more samples than those hold. */
static const int64_t block_samples_most = (int64_t)1 << 31;

/* ---- bytes, up to four channels ------------------------------------------------------------------------- */

/* The block that is done last hands the counters to the host and leaves them at 0. */
__device__ __forceinline__ static void hand_over(const HistArgs &a, int counters)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) last = reduce_last(a.arrival, a.blocks);
    __syncthreads();
    if (!last) return;
    for (int i = (int)threadIdx.x; i < counters; i += hist_threads) {
        a.result[i] = __ldcg(a.count + i);
        a.count[i] = 0;
    }
}

/* A thread takes as many 16-byte packs as there are channels: whole pixels, in packs that follow one another,
 * or, where each has whole pixels, in such as let neighbouring threads read neighbours. The counter of value v
 * of channel c in copy i is at (c * 256 + v) * copies + i. */
template <int Channels>
__global__ static void __launch_bounds__(hist_threads) bytes_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int width = 16;
    constexpr bool whole = Channels > 1 && width % Channels == 0;
    CUDA_SHARED(unsigned, counter);
    const int copies = a.copies, copy = (int)threadIdx.x & (copies - 1);
    const int64_t units = a.pixels / width, step = a.blocks * hist_threads;
    const int64_t first = (int64_t)blockIdx.x * hist_threads + threadIdx.x;
    const uint4 *const packs = (const uint4 *)a.data;
    clear_shared(counter, Channels * byte_values * copies);
    for (int64_t u = first; u < units; u += step) {
        uint8_t sample[Channels * width];
        const int64_t tile = u - (int)threadIdx.x;
        const bool apart = whole && tile + hist_threads <= units;
        const uint4 *const from = packs + (apart ? tile * Channels + threadIdx.x : u * Channels);
#pragma unroll
        for (int k = 0; k < Channels; k++) {
            const uint4 pack = __ldg(from + (apart ? k * hist_threads : k));
            memcpy(sample + k * width, &pack, sizeof pack);
        }
#pragma unroll
        for (int e = 0; e < Channels * width; e++)
            atomicAdd(counter + (e % Channels * byte_values + sample[e]) * copies + copy, 1u);
    }
    for (int64_t p = units * width + first; p < a.pixels; p += step)
        for (int c = 0; c < Channels; c++)
            atomicAdd(counter + (c * byte_values + ((const uint8_t *)a.data)[p * Channels + c]) * copies + copy,
                      1u);
    flush_shared(counter, Channels * byte_values, copies, a.count);
    hand_over(a, Channels * byte_values);
}

/* ---- 16 bits -------------------------------------------------------------------------------------------- */

/* One channel a block. `Line`: one channel in all, 16-byte loads. */
template <bool Line>
__global__ static void __launch_bounds__(hist_threads) words_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int width = Line ? 8 : 1;
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), lane = (int)threadIdx.x % CUDA_WARP;
    const int64_t units = a.pixels / width, step = a.blocks * hist_threads;
    const int64_t first = blockIdx.x / a.channels * hist_threads + threadIdx.x;
    const uint16_t *const data = (const uint16_t *)a.data + channel;
    unsigned long long *const to = a.count + channel * word_values;
    clear_shared(counter, word_values / 2);
#pragma unroll 2
    for (int64_t u = first; u < units; u += step) {
        alignas(16) uint16_t sample[width];
        if (Line)
            *reinterpret_cast<uint4 *>(sample) = __ldg((const uint4 *)data + u);
        else
            sample[0] = __ldg(data + u * a.channels);
        /* Atomics of one word wait for each other: where the warp has a single value, one counts for all. */
        if (Line && u - lane + CUDA_WARP <= units && all_same<2>(*reinterpret_cast<const uint4 *>(sample), true)) {
            if (lane == 0) count_word(counter, sample[0], CUDA_WARP * width, to);
            continue;
        }
        int value[width];
#pragma unroll
        for (int e = 0; e < width; e++) value[e] = sample[e];
        count_words<width>(counter, value, to);
    }
    for (int64_t p = units * width + first; p < a.pixels; p += step)
        count_word(counter, data[p * a.channels], 1, to);
    flush_words(counter, word_values / 2, to);
}

/* ---- anything ------------------------------------------------------------------------------------------- */

/* Integers are their own bins. */
template <typename S> __device__ __forceinline__ static int hist_bin(S v, const BinScale &) { return v; }
template <> __device__ __forceinline__ int hist_bin<float>(float v, const BinScale &scale) { return bin_of(scale, v); }

/* Floats that no bin holds: how many are below, above, and NaN. */
struct Outside {
    unsigned count[3];

    __device__ __forceinline__ void add(int bin)
    {
#pragma unroll
        for (int i = 0; i < 3; i++) count[i] += bin == -1 - i;
    }

    __device__ __forceinline__ void flush(const HistArgs &a, int channel) const
    {
        for (int i = 0; i < 3; i++) cuda_count(a.count + a.channels * a.how.bins + i * a.channels + channel, count[i]);
    }
};

/* Floats in many bins: counters of 16 bits, one channel a block. */
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

/* Floats in parts: where they begin and end, and how bins are found in them. */
struct PartArgs {
    float lo[HALO_MAX_PARTS], hi[HALO_MAX_PARTS];
    int first[HALO_MAX_PARTS];
    BinScale scale[HALO_MAX_PARTS];
};

/* One channel a block. Few samples lie in a part. */
__global__ static void __launch_bounds__(hist_threads)
    parts_kernel(const __grid_constant__ HistArgs a, const __grid_constant__ PartArgs parts)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), bins = (int)a.how.bins;
    const int64_t step = a.blocks * hist_threads;
    const float *const data = (const float *)a.data + channel;
    clear_shared(counter, bins);
    for (int64_t p = blockIdx.x / a.channels * hist_threads + threadIdx.x; p < a.pixels; p += hist_at_once * step) {
        float v[hist_at_once];
        int in[hist_at_once];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) {
            v[i] = p + i * step < a.pixels ? __ldg(data + (p + i * step) * a.channels) : nanf("");
            in[i] = -1;
        }
#pragma unroll 1
        for (int k = 0; k < a.how.parts; k++)
#pragma unroll
            for (int i = 0; i < hist_at_once; i++) in[i] = v[i] >= parts.lo[k] && v[i] <= parts.hi[k] ? k : in[i];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++)
            if (in[i] >= 0) atomicAdd(counter + parts.first[in[i]] + bin_of(parts.scale[in[i]], v[i]), 1u);
    }
    flush_shared(counter, bins, 1, a.count + channel * a.how.bins);
}

/* One channel and one window of the bins a block. */
template <typename S>
__global__ static void __launch_bounds__(hist_threads) window_kernel(const __grid_constant__ HistArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels);
    const int window = (int)(blockIdx.x / a.channels % a.windows);
    const int64_t block = blockIdx.x / a.channels / a.windows, step = a.blocks * hist_threads;
    const int start = window * a.window;
    const int bins = (int)cuda_min(a.window, a.how.bins - start), copy = (int)threadIdx.x & (a.copies - 1);
    const S *const data = (const S *)a.data + channel;
    unsigned long long *const count = a.count + channel * a.how.bins;
    Outside outside = {};
    const auto take = [&](S sample) {
        const int bin = hist_bin<S>(sample, a.scale);
        if (bin < 0)
            outside.add(bin);
        else if (a.window == 0)
            atomicAdd(count + bin, 1ull);
        else if ((unsigned)(bin - start) < (unsigned)bins)
            atomicAdd(counter + (bin - start) * a.copies + copy, 1u);
    };
    if (a.window > 0) clear_shared(counter, bins * a.copies);
    const int64_t first = block * hist_threads + threadIdx.x, stride = step * a.channels;
    const S *from = data + first * a.channels;
    int64_t left = first < a.pixels ? (a.pixels - first - 1) / step + 1 : 0;
    for (; left >= hist_at_once; left -= hist_at_once, from += hist_at_once * stride) {
        S sample[hist_at_once];
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) sample[i] = __ldg(from + i * stride);
#pragma unroll
        for (int i = 0; i < hist_at_once; i++) take(sample[i]);
    }
    for (; left > 0; left--, from += stride) take(__ldg(from));
    if (a.window > 0) flush_shared(counter, bins, a.copies, count + start);
    if (window == 0) outside.flush(a, channel);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* How many blocks of `shared` bytes keep the GPU busy, `kinds` of them side by side. */
static int64_t blocks_for(const HaloDevice *device, int64_t samples, int64_t kinds, int64_t shared)
{
    const cudaDeviceProp *const p = &device->properties;
    const int64_t by_threads = p->maxThreadsPerMultiProcessor / hist_threads;
    const int64_t by_shared =
        (int64_t)p->sharedMemPerMultiprocessor / (shared + (int64_t)p->reservedSharedMemPerBlock);
    const int64_t most = p->multiProcessorCount * cuda_max(1, cuda_min(by_threads, by_shared)) / kinds;
    const int64_t useful = cuda_ceil_div(samples, hist_threads * 16),
                  least = cuda_ceil_div(samples, block_samples_most);
    return cuda_max(cuda_max(1, least), cuda_min(most, useful));
}

/* Copies of `counters` counters: a power of two, at most one a lane; 0 where not even one fits. */
static int copies_for(const HaloDevice *device, int64_t counters)
{
    int copies = CUDA_WARP;
    while (copies > 0 &&
           counters * copies * (int64_t)sizeof(unsigned) > (int64_t)device->properties.sharedMemPerBlockOptin)
        copies /= 2;
    return copies;
}

static HaloStatus hist_bytes(HaloDevice *device, HistArgs *args, HaloHistogram *out)
{
    const int64_t counters = (int64_t)byte_values * args->channels;
    const int64_t bytes = counters * (int64_t)sizeof *args->count;
    void *unused;
    unsigned *cleared;
    /* The counters come first: they need their alignment. */
    CUDA_PASS(reduce_room(device, 1, 2 * counters + 1, &unused, &cleared));
    args->count = (unsigned long long *)cleared;
    args->arrival = cleared + 2 * counters;
    args->result = (unsigned long long *)device->staging;
    args->copies = copies_for(device, counters);
    const int64_t shared = counters * args->copies * (int64_t)sizeof(unsigned);
    args->blocks = blocks_for(device, args->pixels * args->channels, 1, shared);
    switch (args->channels) {
    case 1: CUDA_LAUNCH(device, bytes_kernel<1>, args->blocks, hist_threads, shared, *args); break;
    case 2: CUDA_LAUNCH(device, bytes_kernel<2>, args->blocks, hist_threads, shared, *args); break;
    case 3: CUDA_LAUNCH(device, bytes_kernel<3>, args->blocks, hist_threads, shared, *args); break;
    default: CUDA_LAUNCH(device, bytes_kernel<4>, args->blocks, hist_threads, shared, *args); break;
    }
    CUDA_PASS(cuda_wait(device));
    memcpy(out->count, device->staging, (size_t)bytes);
    return HALO_OK;
}

static const int words_shared = word_values * 2;

static HaloStatus launch_words(HaloDevice *device, HistArgs *args)
{
    args->blocks = blocks_for(device, args->pixels, args->channels, words_shared);
    const int64_t blocks = args->blocks * args->channels;
    if (args->channels == 1)
        CUDA_LAUNCH(device, words_kernel<true>, blocks, hist_threads, words_shared, *args);
    else
        CUDA_LAUNCH(device, words_kernel<false>, blocks, hist_threads, words_shared, *args);
    return HALO_OK;
}

/* More windows than this cost more than counting in global memory does. */
static const int windows_most = 8;

template <typename S> static HaloStatus launch_windows(HaloDevice *device, HistArgs *args)
{
    /* Many copies where they are cheap: up to half of what a block may have. */
    const int64_t bins = args->how.bins, room = (int64_t)device->properties.sharedMemPerBlockOptin / 4;
    args->windows = (int)cuda_min(cuda_ceil_div(bins, room), windows_most + 1);
    args->window = args->windows <= windows_most ? (int)cuda_ceil_div(bins, args->windows) : 0;
    if (args->window == 0) args->windows = 1;
    args->copies = CUDA_WARP;
    while (args->copies > 1 && (int64_t)args->window * args->copies > 8192) args->copies /= 2;
    const int64_t shared = (int64_t)args->window * args->copies * (int64_t)sizeof(unsigned);
    const int64_t kinds = (int64_t)args->channels * args->windows;
    args->blocks = blocks_for(device, args->pixels, kinds, shared);
    CUDA_LAUNCH(device, window_kernel<S>, args->blocks * kinds, hist_threads, shared, *args);
    return HALO_OK;
}

static HaloStatus launch_parts(HaloDevice *device, HistArgs *args)
{
    const int64_t shared = args->how.bins * (int64_t)sizeof(unsigned);
    PartArgs parts;
    for (int k = 0; k < args->how.parts; k++) {
        const HaloHistPart *const part = &args->how.part[k];
        parts.lo[k] = (float)part->lo;
        parts.hi[k] = (float)part->hi;
        parts.first[k] = (int)part->first;
        parts.scale[k] = bin_scale(part->lo, part->hi, part->bins);
    }
    args->blocks = blocks_for(device, args->pixels, args->channels, shared);
    CUDA_LAUNCH(device, parts_kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args, parts);
    return HALO_OK;
}

/* Fewer bins are counted in 32 bits, several times over. */
static const int64_t floats_least = 8192;

static HaloStatus launch_floats(HaloDevice *device, HistArgs *args)
{
    const int64_t bins = args->how.bins, shared = (bins + 1) / 2 * (int64_t)sizeof(unsigned);
    if (bins <= floats_least || bins > word_bins || shared > (int64_t)device->properties.sharedMemPerBlockOptin)
        return launch_windows<float>(device, args);
    args->blocks = blocks_for(device, args->pixels, args->channels, shared);
    CUDA_LAUNCH(device, floats_kernel, args->blocks * args->channels, hist_threads, (size_t)shared, *args);
    return HALO_OK;
}

static HaloStatus launch(HaloDevice *device, HaloDtype dtype, HistArgs *args)
{
    switch (dtype) {
    case HALO_U8: return launch_windows<uint8_t>(device, args);
    case HALO_U16:
        return device->properties.sharedMemPerBlockOptin >= words_shared
                   ? launch_words(device, args)
                   : launch_windows<uint16_t>(device, args);
    default: return args->how.parts > 0 ? launch_parts(device, args) : launch_floats(device, args);
    }
}

HaloStatus cuda_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    CUDA_PASS(cuda_use(device));
    return cuda_hist_within(device, src, hist, out);
}

HaloStatus cuda_hist_within(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    const int channels = src->shape.channels;
    const int64_t counters = channels * hist->bins;
    HistArgs args = {};
    int64_t bytes;
    void *count;
    if (src->shape.dtype != HALO_F32 && hist->bins != (src->shape.dtype == HALO_U8 ? 256 : 65536))
        return halo_fail(HALO_ERR_BUG, "a histogram of integers counts every value, not %lld bins",
                         (long long)hist->bins);
    if (hist->parts > 0 && (src->shape.dtype != HALO_F32 || hist->parts > HALO_MAX_PARTS || hist->bins > HALO_MAX_PART_BINS))
        return halo_fail(HALO_ERR_BUG, "a histogram in %d parts of %lld bins was asked for", hist->parts, (long long)hist->bins);
    if (!halo_mul(counters + 3 * (int64_t)channels, (int64_t)sizeof(unsigned long long), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld bins of %d channels are too many", (long long)hist->bins,
                         channels);
    CUDA_PASS(cuda_flat(device, src, &args.data));
    args.pixels = src->shape.width * src->shape.height;
    args.channels = channels;
    args.how = *hist;
    args.scale = bin_scale(hist->lo, hist->hi, hist->bins);
    if (src->shape.dtype == HALO_U8 && channels <= 4) return hist_bytes(device, &args, out);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &count));
    CUDA_TRY(cudaMemsetAsync(count, 0, (size_t)bytes, device->stream));
    args.count = (unsigned long long *)count;
    CUDA_PASS(launch(device, src->shape.dtype, &args));
    if (src->shape.dtype != HALO_F32 || hist->parts > 0) /* every integer has its bin; floats in none are not counted */
        return cuda_fetch(device, out->count, args.count, counters * (int64_t)sizeof(unsigned long long));
    const size_t each = (size_t)channels * sizeof *out->below;
    uint64_t *const all = (uint64_t *)malloc((size_t)bytes); /* one copy, for each is waited for */
    if (all == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bins", (long long)counters);
    const HaloStatus status = cuda_fetch(device, all, args.count, bytes);
    memcpy(out->count, all, (size_t)counters * sizeof *all);
    memcpy(out->below, all + counters, each);
    memcpy(out->above, all + counters + channels, each);
    memcpy(out->nan, all + counters + 2 * channels, each);
    free(all);
    return status;
}
