/* Histograms: the choice of a kernel, and those for bytes, in a copy of the counters for each lane of a warp, so that no two lanes
 * ever meet in a bank, and for 16-bit samples, in counters of 16 bits. hist_any.cu has the others. */
#include "hist.cuh"
#include "reduce/reduce.cuh"

static const int byte_values = 256, word_values = word_bins;

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

/* One channel a block, eight samples a thread: of the only channel (`Line`) neighbours, in a load of 16 bytes, else such as let
 * neighbouring threads read neighbouring pixels. */
template <bool Line>
__global__ static void __launch_bounds__(hist_threads) words_kernel(const __grid_constant__ HistArgs a)
{
    constexpr int width = 8;
    CUDA_SHARED(unsigned, counter);
    const int channel = (int)(blockIdx.x % a.channels), me = (int)threadIdx.x, lane = me % CUDA_WARP;
    const int64_t units = Line ? a.pixels / width : a.pixels / (width * hist_threads) * hist_threads,
                  step = a.blocks * hist_threads;
    const int64_t first = blockIdx.x / a.channels * hist_threads + me;
    const uint16_t *const data = (const uint16_t *)a.data + channel;
    unsigned *const to = a.word_count + channel * word_values;
    clear_shared(counter, word_values / 2);
#pragma unroll Line ? 2 : 1
    for (int64_t u = first; u < units; u += step) {
        alignas(16) uint16_t sample[width];
        if (Line)
            *reinterpret_cast<uint4 *>(sample) = __ldg((const uint4 *)data + u);
        else
#pragma unroll
            for (int e = 0; e < width; e++) sample[e] = __ldg(data + ((u - me) * width + e * hist_threads + me) * a.channels);
        /* Atomics of one word wait for each other: where the warp has a single value, one counts for all. */
        if (u - lane + CUDA_WARP <= units && all_same<2>(*reinterpret_cast<const uint4 *>(sample), true)) {
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

/* ---- launches ------------------------------------------------------------------------------------------- */

/* Copies of `counters` counters: a power of two, at most one a lane; 0 where not even one fits. */
static int copies_for(const HaloDevice *device, int64_t counters)
{
    int copies = CUDA_WARP;
    while (copies > 0 &&
           counters * copies * (int64_t)sizeof(unsigned) > (int64_t)device->properties.sharedMemPerBlockOptin)
        copies /= 2;
    return copies;
}

static HaloStatus hist_bytes(HaloDevice *device, HistArgs *args, int64_t room, void **behind)
{
    const int64_t counters = (int64_t)byte_values * args->channels;
    unsigned *cleared;
    /* The counters come first: they need their alignment. */
    CUDA_PASS(reduce_room(device, cuda_max(1, room), 2 * counters + 1, behind, &cleared));
    args->count = (unsigned long long *)cleared;
    args->arrival = cleared + 2 * counters;
    args->result = (unsigned long long *)device->staging;
    args->copies = copies_for(device, counters);
    const int64_t shared = counters * args->copies * (int64_t)sizeof(unsigned);
    args->blocks = hist_blocks(device, args->pixels * args->channels, 1, shared);
    switch (args->channels) {
    case 1: CUDA_LAUNCH(device, bytes_kernel<1>, args->blocks, hist_threads, shared, *args); break;
    case 2: CUDA_LAUNCH(device, bytes_kernel<2>, args->blocks, hist_threads, shared, *args); break;
    case 3: CUDA_LAUNCH(device, bytes_kernel<3>, args->blocks, hist_threads, shared, *args); break;
    default: CUDA_LAUNCH(device, bytes_kernel<4>, args->blocks, hist_threads, shared, *args); break;
    }
    return HALO_OK;
}

static const int words_shared = word_values * 2;

static HaloStatus launch_words(HaloDevice *device, HistArgs *args)
{
    args->blocks = hist_blocks(device, args->pixels, args->channels, words_shared);
    const int64_t blocks = args->blocks * args->channels;
    if (args->channels == 1)
        CUDA_LAUNCH(device, words_kernel<true>, blocks, hist_threads, words_shared, *args);
    else
        CUDA_LAUNCH(device, words_kernel<false>, blocks, hist_threads, words_shared, *args);
    return HALO_OK;
}

static bool words_takes(const HaloDevice *device, HaloDtype dtype, int64_t pixels)
{
    return dtype == HALO_U16 && device->properties.sharedMemPerBlockOptin >= words_shared && pixels <= UINT32_MAX;
}

static HaloStatus launch(HaloDevice *device, HaloDtype dtype, HistArgs *args)
{
    if (args->word_count != NULL) return launch_words(device, args);
    return dtype == HALO_F32 ? hist_floats(device, args) : hist_windows(device, dtype, args);
}

/* Samples that lie in parts are kept for the next histogram, whose parts may lie in these: of so many of a channel, and channels.
 */
static const int64_t kept_most = 65536, kept_channels = 4;

/* The kept lie behind the most counters that there can be, so that those of the next histogram do not reach them. */
static HaloStatus queue_parts(HaloDevice *device, HistArgs *args, int64_t bytes, CudaCounts *counts)
{
    const int64_t channels = args->channels, all = channels * (HALO_MAX_PART_BINS + 3) * (int64_t)sizeof *args->count;
    const int64_t most = cuda_ceil_div(all, 16) * 16,
                  entries = channels <= kept_channels ? kept_channels + channels * kept_most : 0;
    PartKept kept = {};
    void *room;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, most + entries * (int64_t)sizeof(float), &room));
    const bool had = args->how.again && device->kept == args->data;
    counts->count = args->count = (unsigned long long *)room;
    args->how.again = had;
    if (entries > 0) {
        kept.room = kept_most;
        kept.count = (unsigned *)((char *)room + most);
        kept.sample = (float *)(kept.count + kept_channels); /* which 16 bytes hold */
        if (!had) CUDA_TRY(cudaMemsetAsync(kept.count, 0, (size_t)channels * sizeof *kept.count, device->stream));
    }
    CUDA_TRY(cudaMemsetAsync(room, 0, (size_t)bytes, device->stream));
    CUDA_PASS(hist_parts(device, args, &kept));
    device->kept = entries > 0 ? args->data : NULL;
    return HALO_OK;
}

HaloStatus cuda_hist_queue(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, int64_t behind, CudaCounts *counts)
{
    const int channels = src->shape.channels;
    const int64_t counters = channels * hist->bins, outside = src->shape.dtype == HALO_F32 ? 3 * (int64_t)channels : 0;
    HistArgs args = {};
    int64_t bytes;
    void *room;
    if (src->shape.dtype != HALO_F32 && hist->bins != (src->shape.dtype == HALO_U8 ? 256 : 65536))
        return halo_fail(HALO_ERR_BUG, "a histogram of integers counts every value, not %lld bins",
                         (long long)hist->bins);
    if (hist->parts > 0 && (src->shape.dtype != HALO_F32 || hist->parts > HALO_MAX_PARTS || hist->bins > HALO_MAX_PART_BINS))
        return halo_fail(HALO_ERR_BUG, "a histogram in %d parts of %lld bins was asked for", hist->parts, (long long)hist->bins);
    if (!halo_mul(counters + outside, (int64_t)sizeof(unsigned long long), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld bins of %d channels are too many", (long long)hist->bins,
                         channels);
    CUDA_PASS(cuda_flat(device, src, &args.data));
    args.pixels = src->shape.width * src->shape.height;
    args.channels = channels;
    args.how = *hist;
    args.scale = bin_scale(hist->lo, hist->hi, hist->bins);
    counts->staged = src->shape.dtype == HALO_U8 && channels <= 4;
    counts->words = words_takes(device, src->shape.dtype, args.pixels);
    if (counts->words) bytes = counters * (int64_t)sizeof *args.word_count;
    counts->bytes = bytes;
    if (counts->staged) {
        counts->count = device->staging;
        return hist_bytes(device, &args, behind, &counts->behind);
    }
    if (hist->parts > 0) return queue_parts(device, &args, bytes, counts);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes + behind, &room));
    counts->count = room;
    counts->behind = (char *)room + bytes;
    CUDA_TRY(cudaMemsetAsync(room, 0, (size_t)bytes, device->stream));
    if (counts->words)
        args.word_count = (unsigned *)room;
    else
        args.count = (unsigned long long *)room;
    return launch(device, src->shape.dtype, &args);
}

HaloStatus cuda_hist_fetch(HaloDevice *device, const CudaCounts *counts, int64_t counters, int64_t behind, uint64_t *to)
{
    const int64_t known = counters * (int64_t)sizeof *to;
    if (counts->staged) {
        char *const staged = (char *)device->staging + known;
        if (behind > 0) CUDA_TRY(cudaMemcpyAsync(staged, counts->behind, (size_t)behind, cudaMemcpyDeviceToHost, device->stream));
        CUDA_PASS(cuda_wait(device));
        memcpy(to, device->staging, (size_t)(known + behind));
        return HALO_OK;
    }
    if (!counts->words) return cuda_fetch(device, to, counts->count, known + behind);
    /* What comes lies at the end of its room, and is read before it is written over. */
    const uint32_t *const from = (const uint32_t *)(to + counters) - counters;
    CUDA_PASS(cuda_fetch(device, (void *)from, counts->count, counts->bytes + behind));
    for (int64_t i = 0; i < counters; i++) to[i] = from[i];
    return HALO_OK;
}

HaloStatus cuda_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    const int channels = src->shape.channels;
    const int64_t counters = channels * hist->bins, known = counters * (int64_t)sizeof *out->count;
    CudaCounts counts;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_hist_queue(device, src, hist, 0, &counts));
    if (src->shape.dtype != HALO_F32 || hist->parts > 0) /* every integer has its bin; floats in none are not counted */
        return cuda_hist_fetch(device, &counts, counters, 0, out->count);
    const size_t each = (size_t)channels * sizeof *out->below;
    uint64_t *const all = (uint64_t *)malloc((size_t)counts.bytes); /* one copy, for each is waited for */
    if (all == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bins", (long long)counters);
    const HaloStatus status = cuda_fetch(device, all, counts.count, counts.bytes);
    memcpy(out->count, all, (size_t)known);
    memcpy(out->below, all + counters, each);
    memcpy(out->above, all + counters + channels, each);
    memcpy(out->nan, all + counters + 2 * channels, each);
    free(all);
    return status;
}
