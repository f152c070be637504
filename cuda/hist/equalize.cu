/* Equalization, all of it on the device: blocks count the levels of their part of a tile, a block makes a
 * tile's table, and every sample is looked up in the tables of the tiles around it. */
#include "common.cuh"

static const int equalize_threads = 256, table_threads = 1024;
static const int byte_levels = 256;

struct EqualizeArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t width, height;
    int64_t row_blocks;
    int64_t parts; /* blocks that count a tile */
    int channels, alpha, sets;
    HaloDtype dtype;
    HaloEqualize how;
    HaloStore store;
    unsigned long long *count; /* [tiles][sets][bins] */
    float *table;              /* the same */
    unsigned long long *clipped;
};

/* ---- counting ------------------------------------------------------------------------------------------- */

/* Calls f with the set and the bin of every sample that counts, of the rows of its tile that are this block's.
 */
template <typename S, typename F> __device__ __forceinline__ static void each_sample(const EqualizeArgs &a, F f)
{
    const int64_t tile = blockIdx.x / a.parts, part = blockIdx.x % a.parts;
    const int64_t left = tile % a.how.tiles_x * a.how.tile_width,
                  top = tile / a.how.tiles_x * a.how.tile_height;
    const int64_t samples = a.how.tile_width * a.channels;
    for (int64_t j = part; j < a.how.tile_height; j += a.parts) {
        const int64_t y = halo_border_index(top + j, a.height, HALO_BORDER_MIRROR);
        const S *const row = (const S *)(a.src + y * a.src_stride);
        for (int64_t e = threadIdx.x; e < samples; e += equalize_threads) {
            const int c = (int)(e % a.channels);
            const int64_t x = halo_border_index(left + e / a.channels, a.width, HALO_BORDER_MIRROR);
            const float v = (float)row[x * a.channels + c];
            if (c == a.alpha || v != v) continue;
            f(a.how.joint ? 0 : c, halo_equalize_bin(v, a.dtype, a.how.white, a.how.bins));
        }
    }
}

/* In shared memory: a block is given fewer samples than 32 bits count. */
__global__ static void __launch_bounds__(equalize_threads)
    count_bytes_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(unsigned, counter);
    const int counters = a.sets * byte_levels;
    for (int i = (int)threadIdx.x; i < counters; i += equalize_threads) counter[i] = 0;
    __syncthreads();
    each_sample<uint8_t>(a, [&](int set, int64_t bin) { atomicAdd(counter + set * byte_levels + bin, 1u); });
    __syncthreads();
    unsigned long long *const to = a.count + blockIdx.x / a.parts * counters;
    for (int i = (int)threadIdx.x; i < counters; i += equalize_threads)
        if (counter[i] > 0) atomicAdd(to + i, (unsigned long long)counter[i]);
}

/* Lanes that meet in a counter add to it once. */
template <typename S>
__global__ static void __launch_bounds__(equalize_threads) count_kernel(const __grid_constant__ EqualizeArgs a)
{
    unsigned long long *const to = a.count + blockIdx.x / a.parts * a.sets * a.how.bins;
    each_sample<S>(a, [&](int set, int64_t bin) {
        const long long at = (long long)(set * a.how.bins + bin);
        const unsigned same = __match_any_sync(__activemask(), at);
        if (__ffs((int)same) - 1 == (int)(threadIdx.x % CUDA_WARP))
            atomicAdd(to + at, (unsigned long long)__popc(same));
    });
}

/* ---- tables --------------------------------------------------------------------------------------------- */

/* The sum over the block's threads before this one, and over all of them. */
__device__ __forceinline__ static uint64_t sum_before(uint64_t v, uint64_t *all)
{
    __shared__ uint64_t sum[table_threads];
    const int t = (int)threadIdx.x;
    __syncthreads(); /* the last call's sums have been read */
    sum[t] = v;
    for (int d = 1; d < table_threads; d *= 2) {
        __syncthreads();
        const uint64_t more = t >= d ? sum[t - d] : 0;
        __syncthreads();
        sum[t] += more;
    }
    __syncthreads();
    *all = sum[table_threads - 1];
    return sum[t] - v;
}

/* A table a block; each thread has neighbouring bins. */
__global__ static void __launch_bounds__(table_threads) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    __shared__ unsigned long long least; /* bin that counts */
    const int64_t bins = a.how.bins, each = cuda_ceil_div(bins, table_threads);
    const int64_t from = cuda_min(threadIdx.x * each, bins), to = cuda_min(from + each, bins);
    const unsigned long long *const count = a.count + blockIdx.x * bins;
    float *const table = a.table + blockIdx.x * bins;
    const bool whole = a.dtype != HALO_F32;
    const float top = whole ? (float)(bins - 1) : a.how.white;
    uint64_t mine = 0, total, excess, ignored;
    if (threadIdx.x == 0) least = (unsigned long long)bins;
    __syncthreads();
    for (int64_t b = from; b < to; b++) {
        if (mine == 0 && count[b] > 0) atomicMin(&least, (unsigned long long)b);
        mine += count[b];
    }
    sum_before(mine, &total);
    const uint64_t first = a.how.from_least && least < (unsigned long long)bins ? count[least] : 0;

    const uint64_t most = halo_equalize_most(a.how.limit, total, bins);
    mine = 0;
    for (int64_t b = from; b < to; b++) mine += count[b] > most ? count[b] - most : 0;
    sum_before(mine, &excess);
    mine = 0;
    for (int64_t b = from; b < to; b++) mine += halo_equalize_count(count[b], most, excess, bins, b);
    uint64_t upto = sum_before(mine, &ignored);
    for (int64_t b = from; b < to; b++) {
        upto += halo_equalize_count(count[b], most, excess, bins, b);
        table[b] = halo_equalize_level(upto, first, total, top, whole);
    }
}

/* ---- looking up ----------------------------------------------------------------------------------------- */

/* What the tables of tiles `before` and `behind` make of a level. */
__device__ __forceinline__ static float look_up(const float *table, int64_t before, int64_t behind, float share)
{
    return halo_mix(__ldg(table + before), __ldg(table + behind), share);
}

__device__ __forceinline__ static float equalized(const EqualizeArgs &a, float v, int64_t x, int64_t y, int c)
{
    int64_t left, right, up, down;
    float across, along;
    if (c == a.alpha || v != v) return v;
    halo_tiles_around(x, a.how.tile_width, a.how.tiles_x, a.how.mixed, &left, &right, &across);
    halo_tiles_around(y, a.how.tile_height, a.how.tiles_y, a.how.mixed, &up, &down, &along);
    const int64_t pitch = a.sets * a.how.bins, row = a.how.tiles_x * pitch;
    const float *const table =
        a.table + (a.how.joint ? 0 : c) * a.how.bins + halo_equalize_bin(v, a.dtype, a.how.white, a.how.bins);
    const float above = look_up(table + up * row, left * pitch, right * pitch, across);
    const float below = look_up(table + down * row, left * pitch, right * pitch, across);
    const float level = halo_mix(above, below, along);
    return level != level ? v : level;
}

template <typename S, typename D>
__global__ static void __launch_bounds__(equalize_threads)
    look_up_kernel(const __grid_constant__ EqualizeArgs a)
{
    const int64_t y = blockIdx.x / a.row_blocks;
    const int64_t e = (blockIdx.x % a.row_blocks) * equalize_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < a.width * a.channels) {
        const float v = (float)((const S *)(a.src + y * a.src_stride))[e];
        const float level = equalized(a, v, e / a.channels, y, (int)(e % a.channels));
        ((D *)(a.dst + y * a.dst_stride))[e] = cuda_sample<D>(level, a.store, &clipped);
    }
    cuda_count(a.clipped, clipped);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* Samples that a block counts at least, and at most: shared counters have 32 bits. */
static const int64_t part_least = 16384, part_most = (int64_t)1 << 31;

static HaloStatus launch_count(HaloDevice *device, EqualizeArgs *args, int64_t tiles)
{
    const int64_t samples = args->how.tile_width * args->how.tile_height * args->channels;
    const int64_t wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * 8, tiles);
    const int64_t useful = cuda_min(wanted, cuda_ceil_div(samples, part_least));
    args->parts = cuda_min(cuda_max(useful, cuda_ceil_div(samples, part_most)), args->how.tile_height);
    const int64_t shared = (int64_t)args->sets * byte_levels * (int64_t)sizeof(unsigned);
    const bool fits = shared <= CUDA_SHARED_DEFAULT && samples / args->parts < part_most;
    const int64_t blocks = tiles * args->parts;
    switch (args->dtype) {
    case HALO_U8:
        if (fits)
            CUDA_LAUNCH(device, count_bytes_kernel, blocks, equalize_threads, shared, *args);
        else
            CUDA_LAUNCH(device, (count_kernel<uint8_t>), blocks, equalize_threads, 0, *args);
        break;
    case HALO_U16: CUDA_LAUNCH(device, (count_kernel<uint16_t>), blocks, equalize_threads, 0, *args); break;
    default: CUDA_LAUNCH(device, (count_kernel<float>), blocks, equalize_threads, 0, *args); break;
    }
    return HALO_OK;
}

template <typename S> static HaloStatus launch_look_up(HaloDevice *device, EqualizeArgs *args, HaloDtype to)
{
    args->row_blocks = cuda_ceil_div(args->width * args->channels, equalize_threads);
    const int64_t blocks = args->row_blocks * args->height;
    switch (to) {
    case HALO_U8: CUDA_LAUNCH(device, (look_up_kernel<S, uint8_t>), blocks, equalize_threads, 0, *args); break;
    case HALO_U16:
        CUDA_LAUNCH(device, (look_up_kernel<S, uint16_t>), blocks, equalize_threads, 0, *args);
        break;
    default: CUDA_LAUNCH(device, (look_up_kernel<S, float>), blocks, equalize_threads, 0, *args); break;
    }
    return HALO_OK;
}

HaloStatus cuda_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize, HaloStore store)
{
    EqualizeArgs args = {};
    int64_t tiles, tables, entries, bytes;
    void *scratch;
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    args.src = (const char *)src->data;
    args.dst = (char *)dst->data;
    args.src_stride = src->stride;
    args.dst_stride = dst->stride;
    args.width = src->shape.width;
    args.height = src->shape.height;
    args.channels = src->shape.channels;
    args.alpha = dst->shape.alpha;
    args.sets = equalize->joint ? 1 : args.channels;
    args.dtype = src->shape.dtype;
    args.how = *equalize;
    args.store = store;
    args.clipped = device->clipped;
    if (!halo_mul(equalize->tiles_x, equalize->tiles_y, &tiles) || !halo_mul(tiles, args.sets, &tables) ||
        !halo_mul(tables, equalize->bins, &entries) ||
        !halo_mul(entries, (int64_t)(sizeof *args.count + sizeof *args.table), &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld tables are too many", (long long)equalize->tiles_x,
                         (long long)equalize->tiles_y);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, bytes, &scratch));
    args.count = (unsigned long long *)scratch;
    args.table = (float *)(args.count + entries);
    CUDA_TRY(cudaMemsetAsync(args.count, 0, (size_t)entries * sizeof *args.count, device->stream));
    CUDA_PASS(launch_count(device, &args, tiles));
    CUDA_LAUNCH(device, table_kernel, tables, table_threads, 0, args);
    switch (args.dtype) {
    case HALO_U8: return launch_look_up<uint8_t>(device, &args, dst->shape.dtype);
    case HALO_U16: return launch_look_up<uint16_t>(device, &args, dst->shape.dtype);
    default: return launch_look_up<float>(device, &args, dst->shape.dtype);
    }
}
