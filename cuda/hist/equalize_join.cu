/* Equalization: the tables around a cell as one, a level's four results side by side, so that a sample asks once, not four times;
 * and, sample by sample, what equalize_quick.cu leaves: pictures beyond 32 bits, tiles that may lack levels. */
#include "equalize_cells.cuh"

static const int fours_threads = 256, rest_threads = 256;
static const int fours_part = 4096; /* levels of a block: where its tables lie takes longer to find than a level does */

__device__ __forceinline__ static uint2 whole_four(const float4 &four)
{
    return make_uint2((unsigned)four.x | (unsigned)four.y << 16, (unsigned)four.z | (unsigned)four.w << 16);
}

/* Warps have whole groups of levels. */
__device__ __forceinline__ static void store_near(NearFours *to, int bin, const uint2 &four)
{
    const uint2 base = make_uint2(__shfl_sync(CUDA_ALL, four.x, 0, near_group), __shfl_sync(CUDA_ALL, four.y, 0, near_group));
    const unsigned x = four.x - base.x, y = four.y - base.y; /* no half borrows: levels do not decrease */
    const unsigned beyond = (x & 0xffffu) | x >> 16 << 6 | (y & 0xffffu) << 12 | y >> 16 << 18;
    to->low[bin] = (uint16_t)beyond;
    to->high[bin] = (uint8_t)(beyond >> 16);
    if (bin % near_group == 0) to->base[bin / near_group] = base;
}

/* The four tables around a cell as one; `parts` blocks for each. */
__global__ static void __launch_bounds__(fours_threads) fours_kernel(const __grid_constant__ EqualizeArgs a, unsigned parts)
{
    const int64_t bins = a.how.bins, entry = blockIdx.x / parts, from = (blockIdx.x - entry * parts) * fours_part;
    const int64_t cell = entry / a.sets, set = entry - cell * a.sets, tiles_x = a.how.tiles_x, tiles_y = a.how.tiles_y;
    const int64_t cells_x = cells_of(tiles_x, true), y = cell / cells_x, x = cell - y * cells_x;
    const auto table = [&](int64_t tx, int64_t ty) {
        tx = cuda_max(0, cuda_min(tx, tiles_x - 1));
        ty = cuda_max(0, cuda_min(ty, tiles_y - 1));
        return a.table + ((ty * tiles_x + tx) * a.sets + set) * bins;
    };
    const float *const level[4] = {table(x - 1, y - 1), table(x, y - 1), table(x - 1, y), table(x, y)};
    const int to = (int)cuda_min(bins, from + fours_part);
#pragma unroll 4
    for (int bin = (int)from + (int)threadIdx.x; bin < to; bin += fours_threads) {
        const float4 four = make_float4(__ldg(level[0] + bin), __ldg(level[1] + bin), __ldg(level[2] + bin), __ldg(level[3] + bin));
        if (a.form == FOURS_FLOATS)
            ((float4 *)a.fours)[entry * bins + bin] = four;
        else if (a.form == FOURS_WHOLE)
            ((uint2 *)a.fours)[entry * bins + bin] = whole_four(four);
        else
            store_near((NearFours *)a.fours + entry, bin, whole_four(four));
    }
}

/* ---- the rest ------------------------------------------------------------------------------------------- */

/* Element e of row y, an element a thread. */
__device__ __forceinline__ static void look_element(const EqualizeArgs &a, const LookCell &cell, int64_t y, int64_t e,
                                                    unsigned *clipped)
{
    const int64_t x = e / a.channels;
    const int c = (int)(e - x * a.channels);
    float v;
    row_load<1>(&v, a.src + y * a.src_stride, a.dtype, e, 1, false);
    if (c != a.alpha && v == v) {
        const int64_t at = (cell.number * a.sets + (a.how.joint ? 0 : c)) * a.how.bins + equalize_bin(a, v);
        float made;
        if (a.how.mixed) {
            const float4 four = ((const float4 *)a.fours)[at];
            const float across = look_share(a, x, a.over_x);
            made = halo_mix(halo_mix(four.x, four.y, across), halo_mix(four.z, four.w, across), look_share(a, y, a.over_y));
        } else {
            made = a.table[at];
        }
        if (made == made) v = made;
    }
    row_store<1>(a.dst + y * a.dst_stride, a.to, e, 1, false, &v, a.store, clipped);
}

__global__ static void __launch_bounds__(rest_threads) rest_kernel(const __grid_constant__ EqualizeArgs a)
{
    const LookCell cell(a, a.how.mixed);
    const int64_t from = cell.across.from * a.channels, width = cell.across.to * a.channels - from;
    const int64_t elements = width * (cell.along.to - cell.along.from), step = a.parts * rest_threads;
    unsigned clipped = 0;
    for (int64_t i = (int64_t)cell.part * rest_threads + threadIdx.x; i < elements; i += step)
        look_element(a, cell, cell.along.from + i / width, from + i % width, &clipped);
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launches ------------------------------------------------------------------------------------------- */

/* Bytes look in the tables themselves. */
static int64_t fours_in(const EqualizeArgs *args)
{
    const bool bytes = args->dtype == HALO_U8 && args->quick;
    return args->how.mixed && !bytes ? cells_in(args) * args->sets : 0;
}

int64_t equalize_fours(const EqualizeArgs *args)
{
    const int64_t each = args->form == FOURS_FLOATS ? sizeof(float4) : sizeof(uint2);
    int64_t bytes;
    if (args->form == FOURS_NEAR) return fours_in(args) * (int64_t)sizeof(NearFours);
    return halo_mul(fours_in(args), args->how.bins, &bytes) && halo_mul(bytes, each, &bytes) ? bytes : -1;
}

HaloStatus equalize_join(HaloDevice *device, const EqualizeArgs *args)
{
    const int64_t fours = fours_in(args), parts = cuda_ceil_div(args->how.bins, fours_part);
    if (fours > 0) CUDA_LAUNCH(device, fours_kernel, fours * parts, fours_threads, 0, *args, (unsigned)parts);
    return HALO_OK;
}

HaloStatus equalize_rest(HaloDevice *device, EqualizeArgs *args)
{
    const int64_t cells = cells_in(args), wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * 32, cells);
    args->parts = cuda_max(1, cuda_min(wanted, args->width * args->height * args->channels / cells / rest_threads));
    CUDA_LAUNCH(device, rest_kernel, cells * args->parts, rest_threads, 0, *args);
    return HALO_OK;
}
