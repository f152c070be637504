/* Equalization of what has more levels than shared memory holds: tables stay in global memory. Where tiles are mixed the four that
 * lie around a cell are joined first, a level's four results side by side: a sample asks once, not four times. */
#include "equalize_cells.cuh"

static const int fours_threads = 256;

/* The four tables around a cell as one; `across` blocks for each. */
__global__ static void __launch_bounds__(fours_threads) fours_kernel(const __grid_constant__ EqualizeArgs a, unsigned across)
{
    const int64_t bins = a.how.bins, entry = blockIdx.x / across, bin = (blockIdx.x - entry * across) * fours_threads + threadIdx.x;
    const int64_t cell = entry / a.sets, set = entry - cell * a.sets, tiles_x = a.how.tiles_x, tiles_y = a.how.tiles_y;
    const int64_t cells_x = cells_of(tiles_x, true), x = cell % cells_x, y = cell / cells_x;
    const auto level = [&](int64_t tx, int64_t ty) {
        tx = cuda_max(0, cuda_min(tx, tiles_x - 1));
        ty = cuda_max(0, cuda_min(ty, tiles_y - 1));
        return a.table[((ty * tiles_x + tx) * a.sets + set) * bins + bin];
    };
    if (bin < bins) a.fours[entry * bins + bin] = make_float4(level(x - 1, y - 1), level(x, y - 1), level(x - 1, y), level(x, y));
}

/* Four neighbouring elements of row y, from e on, of which [from, to) are the cell's. Its tables begin with entry `tables`. */
template <typename S, typename I>
__device__ __forceinline__ static void look_pack(const EqualizeArgs &a, int64_t tables, I y, I e, int from, int to, unsigned *clipped)
{
    const float down = look_share(a, y, a.over_y);
    float v[4];
    int bin[4]; /* negative: stays */
    I x = a.channels == 1 ? e : e / a.channels, at[4];
    int c = (int)(e - x * a.channels);
    const S *const row = (const S *)(a.src + (int64_t)y * a.src_stride) + e;
    const int count = (int)min((I)(a.width * a.channels) - e, (I)4);
    if (a.packed && count == 4)
        cuda_load_fours<S, 4>(v, row);
    else
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = i < count ? (float)row[i] : 0.0f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        at[i] = x;
        bin[i] = c == a.alpha || v[i] != v[i] ? -1 : (a.how.joint ? 0 : c * (int)a.how.bins) + equalize_bin(a, v[i]);
        if (++c >= a.channels) c = 0, x++;
    }
    if (a.how.mixed) {
        float4 four[4];
#pragma unroll
        for (int i = 0; i < 4; i++) four[i] = __ldg(a.fours + tables + max(bin[i], 0));
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (bin[i] >= 0) v[i] = look_up(a, v[i], four[i], at[i], down);
    } else {
        float level[4];
#pragma unroll
        for (int i = 0; i < 4; i++) level[i] = __ldg(a.table + tables + max(bin[i], 0));
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (bin[i] >= 0 && level[i] == level[i]) v[i] = level[i];
    }
    look_store(a, a.dst + (int64_t)y * a.dst_stride, e, from, to, v, clipped);
}

template <typename S, typename I> __global__ static void __launch_bounds__(look_threads, 4) words_kernel(const __grid_constant__ EqualizeArgs a)
{
    const HaloEqualize &how = a.how;
    const int64_t cell = blockIdx.x / a.parts, part = blockIdx.x - cell * a.parts, cells_x = cells_of(how.tiles_x, how.mixed);
    const LookSpan across = cell_span(cell % cells_x, a.width, how.tile_width, how.tiles_x, how.mixed),
                   along = cell_span(cell / cells_x, a.height, how.tile_height, how.tiles_y, how.mixed);
    const I left = (I)(across.from * a.channels), right = (I)(across.to * a.channels);
    unsigned clipped = 0;
    look_over<I>(a, across, along, part, [&](I y, I e) {
        look_pack<S, I>(a, cell * a.sets * how.bins, y, e, (int)max(left - e, (I)0), (int)min(right - e, (I)4), &clipped);
    });
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launch --------------------------------------------------------------------------------------------- */

int64_t equalize_fours(const EqualizeArgs *args)
{
    return args->how.mixed && !look_in_shared(args) ? cells_in(args) * args->sets : 0;
}

HaloStatus equalize_words(HaloDevice *device, EqualizeArgs *args)
{
    const int64_t fours = equalize_fours(args), blocks = cells_in(args) * args->parts;
    if (fours > 0) {
        const int64_t across = cuda_ceil_div(args->how.bins, fours_threads);
        CUDA_LAUNCH(device, fours_kernel, fours * across, fours_threads, 0, *args, (unsigned)across);
    }
    return row_type(args->dtype, [&](auto zero) {
        using S = decltype(zero);
        const auto kernel = look_narrow(args) ? words_kernel<S, int> : words_kernel<S, int64_t>;
        CUDA_LAUNCH(device, kernel, blocks, look_threads, 0, *args);
        return HALO_OK;
    });
}
