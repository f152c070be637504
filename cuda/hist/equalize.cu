/* Equalization, all of it on the device: blocks count the levels of their part of a tile (equalize_count.cu), a block makes
 * a tile's table, and every sample is looked up in the tables of the tiles around it (equalize_look.cu, equalize_words.cu). */
#include "equalize.cuh"

static const int table_threads = 1024, table_own = 4;

/* ---- tables --------------------------------------------------------------------------------------------- */

/* The sum over the warp's lanes up to this one. */
__device__ __forceinline__ static uint64_t sum_lanes(uint64_t v)
{
    const int lane = (int)threadIdx.x % CUDA_WARP;
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const uint64_t more = __shfl_up_sync(CUDA_ALL, (unsigned long long)v, d);
        if (lane >= d) v += more;
    }
    return v;
}

/* The sum over the block's threads before this one, and over all of them. */
__device__ __forceinline__ static uint64_t sum_before(uint64_t v, uint64_t *all)
{
    static_assert(table_threads == CUDA_WARP * CUDA_WARP, "a lane for each warp");
    __shared__ uint64_t sum[CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    const uint64_t upto = sum_lanes(v);
    __syncthreads(); /* the last call's sums have been read */
    if (lane == CUDA_WARP - 1) sum[warp] = upto;
    __syncthreads();
    const uint64_t warps = sum_lanes(sum[lane]);
    const uint64_t before = __shfl_sync(CUDA_ALL, (unsigned long long)warps, warp > 0 ? warp - 1 : 0);
    *all = __shfl_sync(CUDA_ALL, (unsigned long long)warps, CUDA_WARP - 1);
    return (warp > 0 ? before : 0) + upto - v;
}

/* A table a block, four neighbouring bins a thread. */
__global__ static void __launch_bounds__(table_threads) table_kernel(const __grid_constant__ EqualizeArgs a)
{
    __shared__ unsigned long long least; /* bin that counts */
    const int64_t bins = a.how.bins;
    const unsigned long long *const count = a.count + blockIdx.x * bins;
    float *const table = a.table + blockIdx.x * bins;
    const bool whole = a.dtype != HALO_F32;
    const float top = whole ? (float)(bins - 1) : a.how.white;
    uint64_t mine = 0, total, excess = 0, upto = 0, made;
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
    if (most < UINT64_MAX) {
        mine = 0;
        for (int64_t b = threadIdx.x; b < bins; b += table_threads) mine += count[b] > most ? count[b] - most : 0;
        sum_before(mine, &excess);
    }
    for (int64_t base = 0; base < bins; base += table_threads * table_own, upto += made) {
        const int64_t b = base + threadIdx.x * table_own;
        uint64_t counts[table_own];
        mine = 0;
#pragma unroll
        for (int i = 0; i < table_own; i++) {
            counts[i] = b + i < bins ? halo_equalize_count(count[b + i], most, excess, bins, b + i) : 0;
            mine += counts[i];
        }
        uint64_t here = upto + sum_before(mine, &made);
#pragma unroll
        for (int i = 0; i < table_own; i++) {
            here += counts[i];
            if (b + i < bins) table[b + i] = halo_equalize_level(here, first, total, top, whole);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

HaloStatus cuda_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize, HaloStore store)
{
    EqualizeArgs args = {};
    int64_t tiles, tables, entries, bytes, fours;
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
        !halo_mul(entries, (int64_t)(sizeof *args.count + sizeof *args.table), &bytes) ||
        !halo_mul(equalize_fours(&args), equalize->bins * (int64_t)sizeof *args.fours, &fours) || bytes > INT64_MAX - fours)
        return halo_fail(HALO_ERR_LIMIT, "%lld x %lld tables are too many", (long long)equalize->tiles_x,
                         (long long)equalize->tiles_y);
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_PARTIAL, fours + bytes, &scratch));
    args.fours = (float4 *)scratch; /* first, for their alignment */
    args.count = (unsigned long long *)((char *)scratch + fours);
    args.table = (float *)(args.count + entries);
    CUDA_TRY(cudaMemsetAsync(args.count, 0, (size_t)entries * sizeof *args.count, device->stream));
    CUDA_PASS(equalize_count(device, &args, tiles));
    CUDA_LAUNCH(device, table_kernel, tables, table_threads, 0, args);
    return equalize_look(device, &args);
}
