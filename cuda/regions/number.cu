/* Numbers the regions that stay, in raster order of their roots, by a sum over words. */
#include "number.cuh"

int64_t cuda_region_number_bytes(const RegionBits *bits)
{
    return (cuda_ceil_div(bits->words, sum_stretch) + 1) * (int64_t)sizeof(unsigned);
}

/* ---- conditions ------------------------------------------------------------------------------------------ */

struct KeepArgs {
    int64_t least, most;
    bool inside, seeded;
};

CUDA_INLINE bool is_kept(const RegionUnion &u, const KeepArgs &a, unsigned node)
{
    const unsigned w = node / region_runs, k = node % region_runs;
    const unsigned mark = u.mark != NULL ? u.mark[w] >> k : 0;
    if (a.inside && (mark & 1)) return false;
    if (a.seeded && !(mark & 0x10000)) return false;
    if (!u.areas) return true;
    const int64_t pixels = u.value[node];
    return pixels >= a.least && (a.most <= 0 || pixels <= a.most);
}

__global__ static void __launch_bounds__(region_threads)
    keep_kernel(const __grid_constant__ RegionUnion u, const __grid_constant__ KeepArgs a)
{
    const unsigned w = blockIdx.x * region_threads + threadIdx.x;
    if (w >= u.bits.words) return;
    const unsigned roots = u.kept[w];
    unsigned kept = roots;
    for (unsigned left = roots; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__ffs((int)left) - 1;
        if (!is_kept(u, a, w * region_runs + k)) kept &= ~(1u << k);
    }
    if (kept != roots) u.kept[w] = kept;
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* The sum of `v` over the threads before, and, in *all, over all of the block. */
CUDA_INLINE unsigned sum_before(unsigned v, unsigned *all)
{
    __shared__ unsigned of_warp[CUDA_WARP];
    const int lane = (int)threadIdx.x % CUDA_WARP, warp = (int)threadIdx.x / CUDA_WARP;
    unsigned sum = v;
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) {
        const unsigned less = __shfl_up_sync(CUDA_ALL, sum, d);
        if (lane >= d) sum += less;
    }
    __syncthreads();
    if (lane == CUDA_WARP - 1) of_warp[warp] = sum;
    __syncthreads();
    unsigned before = 0, total = 0;
    for (int i = 0; i < (int)blockDim.x / CUDA_WARP; i++) {
        if (i < warp) before += of_warp[i];
        total += of_warp[i];
    }
    *all = total;
    return before + sum - v;
}

/* Within blocks; sum[block + 1] becomes that of the block. */
__global__ static void __launch_bounds__(region_threads)
    count_kernel(const unsigned *bits, unsigned words, unsigned *before, unsigned *sum)
{
    constexpr int each = sum_stretch / region_threads;
    const unsigned first = blockIdx.x * sum_stretch + threadIdx.x * each;
    unsigned own[each], count = 0, all;
#pragma unroll
    for (int i = 0; i < each; i++) {
        own[i] = count;
        count += first + i < words ? (unsigned)__popc(bits[first + i]) : 0;
    }
    const unsigned above = sum_before(count, &all);
#pragma unroll
    for (int i = 0; i < each; i++)
        if (first + i < words) before[first + i] = above + own[i];
    if (threadIdx.x == 0) sum[blockIdx.x + 1] = all;
}

/* Across blocks, by one. */
__global__ static void __launch_bounds__(1024) count_blocks_kernel(unsigned *sum, int64_t blocks)
{
    unsigned above = 0;
    if (threadIdx.x == 0) sum[0] = 0;
    for (int64_t first = 0; first < blocks; first += 1024) {
        const int64_t i = first + threadIdx.x;
        const unsigned own = i < blocks ? sum[i + 1] : 0;
        unsigned all;
        const unsigned before = sum_before(own, &all);
        if (i < blocks) sum[i + 1] = above + before + own;
        above += all;
    }
}

static HaloStatus count_bits(HaloDevice *device, const RegionUnion &u, const unsigned *bits,
                             const RegionNumbers &n)
{
    CUDA_LAUNCH(device, count_kernel, n.blocks, region_threads, 0, bits, u.bits.words, u.before, n.sum);
    CUDA_LAUNCH(device, count_blocks_kernel, 1, 1024, 0, n.sum, n.blocks);
    return HALO_OK;
}

/* ---- the largest ----------------------------------------------------------------------------------------- */

/* Counts the digits of the pixels of regions whose higher digits are those selected. */
__global__ static void __launch_bounds__(region_threads)
    digits_kernel(const __grid_constant__ RegionUnion u, RegionSelect *select, int shift)
{
    __shared__ unsigned count[region_threads];
    const unsigned first = blockIdx.x * sum_stretch + threadIdx.x, pixels = select->pixels;
    count[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned w = first; w < min(first + sum_stretch, u.bits.words); w += region_threads)
        for (unsigned left = u.kept[w]; left != 0; left &= left - 1) {
            const unsigned area = u.value[w * region_runs + (unsigned)__ffs((int)left) - 1];
            if ((uint64_t)(area ^ pixels) >> (shift + 8) == 0) atomicAdd(count + (area >> shift & 255), 1u);
        }
    __syncthreads();
    if (count[threadIdx.x] != 0) atomicAdd(select->count + threadIdx.x, count[threadIdx.x]);
}

/* The digit of the last of those that stay; where there are fewer it is 0, and all of them stay. */
__global__ static void select_kernel(RegionSelect *select, int shift)
{
    if (threadIdx.x > 0) return;
    unsigned digit = 255;
    while (digit > 0 && select->count[digit] < select->left) select->left -= select->count[digit--];
    select->pixels |= digit << shift;
    for (int i = 0; i < 256; i++) select->count[i] = 0;
}

/* `last`: those of as many pixels as the last; `kept`: those with more. */
__global__ static void __launch_bounds__(region_threads)
    split_kernel(const __grid_constant__ RegionUnion u, const RegionSelect *select, unsigned *last)
{
    const unsigned w = blockIdx.x * region_threads + threadIdx.x, pixels = select->pixels;
    if (w >= u.bits.words) return;
    unsigned more = 0, equal = 0;
    for (unsigned left = u.kept[w]; left != 0; left &= left - 1) {
        const unsigned k = (unsigned)__ffs((int)left) - 1, area = u.value[w * region_runs + k];
        if (area > pixels) more |= 1u << k;
        if (area == pixels) equal |= 1u << k;
    }
    u.kept[w] = more;
    last[w] = equal;
}

/* The first of `last` stay, too. */
__global__ static void __launch_bounds__(region_threads)
    first_kernel(const __grid_constant__ RegionUnion u, const RegionSelect *select, const unsigned *last,
                 const unsigned *sum)
{
    const unsigned w = blockIdx.x * region_threads + threadIdx.x;
    if (w >= u.bits.words || last[w] == 0) return;
    uint64_t rank = (uint64_t)sum[w / sum_stretch] + u.before[w];
    unsigned kept = u.kept[w];
    for (unsigned left = last[w]; left != 0; left &= left - 1)
        if (rank++ < select->left) kept |= left & (0u - left);
    u.kept[w] = kept;
}

/* The marks have been used: their memory is for the regions that have as many pixels as the last one. */
static HaloStatus keep_largest(HaloDevice *device, const RegionUnion &u, const HaloRegions *how,
                               const RegionNumbers &n)
{
    const int64_t blocks = cuda_ceil_div(u.bits.words, region_threads);
    const unsigned long long left = (unsigned long long)how->largest;
    CUDA_TRY(cudaMemsetAsync(n.select, 0, sizeof *n.select, device->stream));
    CUDA_TRY(cudaMemcpyAsync(&n.select->left, &left, sizeof left, cudaMemcpyHostToDevice, device->stream));
    for (int shift = 24; shift >= 0; shift -= 8) {
        CUDA_LAUNCH(device, digits_kernel, n.blocks, region_threads, 0, u, n.select, shift);
        CUDA_LAUNCH(device, select_kernel, 1, CUDA_WARP, 0, n.select, shift);
    }
    CUDA_LAUNCH(device, split_kernel, blocks, region_threads, 0, u, n.select, u.mark);
    CUDA_PASS(count_bits(device, u, u.mark, n));
    CUDA_LAUNCH(device, first_kernel, blocks, region_threads, 0, u, n.select, u.mark, n.sum);
    return HALO_OK;
}

HaloStatus cuda_region_number(HaloDevice *device, const RegionUnion *regions, const HaloRegions *how,
                              const RegionNumbers *numbers)
{
    const RegionUnion &u = *regions;
    const KeepArgs keep = {how->least, how->most, how->inside, how->seeded};
    const bool all = how->least <= 1 && how->most <= 0 && !how->inside && !how->seeded;
    if (!all)
        CUDA_LAUNCH(device, keep_kernel, cuda_ceil_div(u.bits.words, region_threads), region_threads, 0, u,
                    keep);
    if (how->largest > 0) CUDA_PASS(keep_largest(device, u, how, *numbers));
    return count_bits(device, u, u.kept, *numbers);
}
