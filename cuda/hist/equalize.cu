/* Equalization, all of it on the device: blocks count the levels of their part of a tile (equalize_count.cu), a block makes
 * a tile's table, and every sample is looked up in the tables of the tiles around it (equalize_look.cu). */
#include "equalize.cuh"

static const int table_threads = 1024;

/* ---- tables --------------------------------------------------------------------------------------------- */

/* The sum over the block's threads before this one, and over all of them. */
__device__ __forceinline__ static uint64_t sum_before(uint64_t v, uint64_t *all)
{
    __shared__ uint64_t sum[table_threads / CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    uint64_t upto = v, before = 0;
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const uint64_t more = __shfl_up_sync(CUDA_ALL, (unsigned long long)upto, d);
        if (lane >= d) upto += more;
    }
    __syncthreads(); /* the last call's sums have been read */
    if (lane == CUDA_WARP - 1) sum[warp] = upto;
    __syncthreads();
    *all = 0;
    for (int w = 0; w < table_threads / CUDA_WARP; w++) {
        if (w == warp) before = *all;
        *all += sum[w];
    }
    return before + upto - v;
}

/* A table a block. */
__global__ static void __launch_bounds__(table_threads) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    __shared__ unsigned long long least; /* bin that counts */
    const int64_t bins = a.how.bins;
    const unsigned long long *const count = a.count + blockIdx.x * bins;
    float *const table = a.table + blockIdx.x * bins;
    const bool whole = a.dtype != HALO_F32;
    const float top = whole ? (float)(bins - 1) : a.how.white;
    uint64_t mine = 0, total, excess, upto = 0, made;
    int64_t lowest = bins;
    if (threadIdx.x == 0) least = (unsigned long long)bins;
    __syncthreads();
    for (int64_t b = threadIdx.x; b < bins; b += table_threads) {
        if (count[b] > 0) lowest = cuda_min(lowest, b);
        mine += count[b];
    }
    if (lowest < bins) atomicMin(&least, (unsigned long long)lowest);
    sum_before(mine, &total);
    const uint64_t first = a.how.from_least && least < (unsigned long long)bins ? count[least] : 0;

    const uint64_t most = halo_equalize_most(a.how.limit, total, bins);
    mine = 0;
    for (int64_t b = threadIdx.x; b < bins; b += table_threads) mine += count[b] > most ? count[b] - most : 0;
    sum_before(mine, &excess);
    for (int64_t base = 0; base < bins; base += table_threads, upto += made) {
        const int64_t b = base + threadIdx.x;
        const uint64_t counts = b < bins ? halo_equalize_count(count[b], most, excess, bins, b) : 0;
        const uint64_t before = sum_before(counts, &made);
        if (b < bins) table[b] = halo_equalize_level(upto + before + counts, first, total, top, whole);
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

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
    args.to = dst->shape.dtype;
    args.how = *equalize;
    args.scale = bin_scale(0.0, (double)equalize->white, equalize->bins);
    args.over_x = 1.0f / (float)equalize->tile_width;
    args.over_y = 1.0f / (float)equalize->tile_height;
    args.packed = cuda_aligned(src->data, src->stride, 16);
    args.stores = row_packs(dst->data, dst->stride, dst->shape.dtype, 4);
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
    CUDA_PASS(equalize_count(device, &args, tiles));
    CUDA_LAUNCH(device, table_kernel, tables, table_threads, 0, args);
    return equalize_look(device, &args);
}
