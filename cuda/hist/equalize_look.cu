/* Equalization of bytes: every sample is looked up in the tables of the tiles around it, which each block brings to shared memory
 * for its cell, a value's four levels side by side. What they do not fit into, and other samples: equalize_words.cu. */
#include "equalize_cells.cuh"

/* ---- looking up ----------------------------------------------------------------------------------------- */

/* What the tables above left and right and below left and right make of a level. */
__device__ __forceinline__ static float4 look_levels(const EqualizeArgs &a, const LookSpan &x, const LookSpan &y, int64_t entry)
{
    const int64_t pitch = a.sets * a.how.bins, row = a.how.tiles_x * pitch;
    const float *const above = a.table + y.before * row + entry, *const below = a.table + y.behind * row + entry;
    return make_float4(__ldg(above + x.before * pitch), __ldg(above + x.behind * pitch), __ldg(below + x.before * pitch),
                       __ldg(below + x.behind * pitch));
}

/* Four neighbouring elements of row y, from e on, of which [from, to) are the cell's. */
template <typename I>
__device__ __forceinline__ static void look_pack(const EqualizeArgs &a, const float4 *tables, I y, I e, int from, int to, float down,
                                                 unsigned *clipped)
{
    float v[4];
    I x = a.channels == 1 ? e : e / a.channels;
    int c = (int)(e - x * a.channels);
    const int count = (int)min((I)(a.width * a.channels) - e, (I)4);
    const uint8_t *const bytes = (const uint8_t *)a.src + (int64_t)y * a.src_stride + e;
    uint32_t word = 0;
    if (a.packed && count == 4)
        word = *(const uint32_t *)bytes;
    else
        for (int i = 0; i < count; i++) word |= (uint32_t)bytes[i] << 8 * i;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t bin = word >> 8 * i & 255;
        v[i] = (float)bin;
        if (c != a.alpha) v[i] = look_up(a, v[i], tables[(a.how.joint ? 0 : c) * byte_levels + bin], x, down);
        if (++c >= a.channels) c = 0, x++;
    }
    look_store(a, a.dst + (int64_t)y * a.dst_stride, e, from, to, v, clipped);
}

template <typename I> __global__ static void __launch_bounds__(look_threads) look_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(float4, tables);
    const HaloEqualize &how = a.how;
    const int64_t cell = blockIdx.x / a.parts, part = blockIdx.x - cell * a.parts, cells_x = cells_of(how.tiles_x, how.mixed);
    const LookSpan across = cell_span(cell % cells_x, a.width, how.tile_width, how.tiles_x, how.mixed),
                   along = cell_span(cell / cells_x, a.height, how.tile_height, how.tiles_y, how.mixed);
    const I left = (I)(across.from * a.channels), right = (I)(across.to * a.channels);
    unsigned clipped = 0;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < a.sets * byte_levels; i += look_threads) tables[i] = look_levels(a, across, along, i);
    __syncthreads();
    look_over<I>(a, across, along, part, [&](I y, I e) {
        look_pack<I>(a, tables, y, e, (int)max(left - e, (I)0), (int)min(right - e, (I)4), look_share(a, y, a.over_y), &clipped);
    });
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launch --------------------------------------------------------------------------------------------- */

/* Samples that a block looks up at least: it brings tables first. */
static const int64_t look_least = 8192;

HaloStatus equalize_look(HaloDevice *device, EqualizeArgs *args)
{
    const int64_t cells = cells_in(args), samples = args->width * args->height * args->channels;
    const int64_t wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * 32, cells);
    args->parts = cuda_max(1, cuda_min(wanted, samples / cells / look_least));
    if (!look_in_shared(args)) return equalize_words(device, args);
    const auto kernel = look_narrow(args) ? look_kernel<int> : look_kernel<int64_t>;
    CUDA_LAUNCH(device, kernel, cells * args->parts, look_threads, args->sets * byte_levels * sizeof(float4), *args);
    return HALO_OK;
}
