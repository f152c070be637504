/* Equalization: merges the four tables around a cell into quads, so that a sample needs one lookup, not four;
 * and looks up, sample by sample, what equalize_lookup.cu does not support: pictures beyond 32 bits, tables
 * that may lack levels. */
#include "equalize_cells.cuh"

static const int quads_threads = 256, any_threads = 256;
static const int quads_part = 4096; /* levels of a block: finding its tables takes longer than a level */

CUDA_INLINE uint2 quad_u16(const float4 &quad)
{
    return make_uint2((unsigned)quad.x | (unsigned)quad.y << 16, (unsigned)quad.z | (unsigned)quad.w << 16);
}

/* A warp has complete groups of levels. */
CUDA_INLINE void store_packed(PackedQuads *to, int bin, const uint2 &quad)
{
    const uint2 base = make_uint2(__shfl_sync(CUDA_ALL, quad.x, 0, packed_group),
                                  __shfl_sync(CUDA_ALL, quad.y, 0, packed_group));
    const unsigned x = quad.x - base.x, y = quad.y - base.y; /* neither half borrows: levels do not decrease */
    const unsigned beyond = (x & 0xffffu) | x >> 16 << 6 | (y & 0xffffu) << 12 | y >> 16 << 18;
    to->low[bin] = (uint16_t)beyond;
    to->high[bin] = (uint8_t)(beyond >> 16);
    if (bin % packed_group == 0) to->base[bin / packed_group] = base;
}

/* Merges the four tables around a cell; `parts` blocks for each. */
__global__ static void __launch_bounds__(quads_threads)
    quads_kernel(const __grid_constant__ EqualizeArgs a, unsigned parts)
{
    const int64_t bins = a.how.bins, entry = blockIdx.x / parts,
                  from = (blockIdx.x - entry * parts) * quads_part;
    const int64_t cell = entry / a.sets, set = entry - cell * a.sets, tiles_x = a.how.tiles_x,
                  tiles_y = a.how.tiles_y;
    const int64_t cells_x = cells_of(tiles_x, true), y = cell / cells_x, x = cell - y * cells_x;
    const auto table = [&](int64_t tx, int64_t ty) {
        tx = cuda_max(0, cuda_min(tx, tiles_x - 1));
        ty = cuda_max(0, cuda_min(ty, tiles_y - 1));
        return a.table + ((ty * tiles_x + tx) * a.sets + set) * bins;
    };
    const float *const level[4] = {table(x - 1, y - 1), table(x, y - 1), table(x - 1, y), table(x, y)};
    const int to = (int)cuda_min(bins, from + quads_part);
#pragma unroll 4
    for (int bin = (int)from + (int)threadIdx.x; bin < to; bin += quads_threads) {
        const float4 quad = make_float4(__ldg(level[0] + bin), __ldg(level[1] + bin), __ldg(level[2] + bin),
                                        __ldg(level[3] + bin));
        if (a.form == QUADS_F32)
            ((float4 *)a.quads)[entry * bins + bin] = quad;
        else if (a.form == QUADS_U16)
            ((uint2 *)a.quads)[entry * bins + bin] = quad_u16(quad);
        else
            store_packed((PackedQuads *)a.quads + entry, bin, quad_u16(quad));
    }
}

/* ---- sample by sample ------------------------------------------------------------------------------------ */

/* A thread looks up element e of row y. */
CUDA_INLINE void look_element(const EqualizeArgs &a, const LookCell &cell, int64_t y, int64_t e,
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
            const float4 quad = ((const float4 *)a.quads)[at];
            const float horizontal = look_share(a, x, a.over_x);
            made = halo_mix(halo_mix(quad.x, quad.y, horizontal), halo_mix(quad.z, quad.w, horizontal),
                            look_share(a, y, a.over_y));
        } else {
            made = a.table[at];
        }
        if (made == made) v = made;
    }
    row_store<1>(a.dst + y * a.dst_stride, a.to, e, 1, false, &v, a.store, clipped);
}

__global__ static void __launch_bounds__(any_threads) any_kernel(const __grid_constant__ EqualizeArgs a)
{
    const LookCell cell(a, a.how.mixed);
    const int64_t from = cell.horizontal.from * a.channels, width = cell.horizontal.to * a.channels - from;
    const int64_t elements = width * (cell.vertical.to - cell.vertical.from), step = a.parts * any_threads;
    unsigned clipped = 0;
    for (int64_t i = (int64_t)cell.part * any_threads + threadIdx.x; i < elements; i += step)
        look_element(a, cell, cell.vertical.from + i / width, from + i % width, &clipped);
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* Bytes are looked up in the tables themselves. */
static int64_t quads_in(const EqualizeArgs *args)
{
    const bool bytes = args->dtype == HALO_U8 && args->fast;
    return args->how.mixed && !bytes ? cells_in(args) * args->sets : 0;
}

int64_t equalize_quads_bytes(const EqualizeArgs *args)
{
    const int64_t each = args->form == QUADS_F32 ? sizeof(float4) : sizeof(uint2);
    int64_t bytes;
    if (args->form == QUADS_PACKED) return quads_in(args) * (int64_t)sizeof(PackedQuads);
    return halo_mul(quads_in(args), args->how.bins, &bytes) && halo_mul(bytes, each, &bytes) ? bytes : -1;
}

HaloStatus equalize_make_quads(HaloDevice *device, const EqualizeArgs *args)
{
    const int64_t quads = quads_in(args), parts = cuda_ceil_div(args->how.bins, quads_part);
    if (quads > 0) CUDA_LAUNCH(device, quads_kernel, quads * parts, quads_threads, 0, *args, (unsigned)parts);
    return HALO_OK;
}

HaloStatus equalize_any(HaloDevice *device, EqualizeArgs *args)
{
    const int64_t cells = cells_in(args),
                  wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * 32, cells);
    args->parts =
        cuda_max(1, cuda_min(wanted, args->width * args->height * args->channels / cells / any_threads));
    CUDA_LAUNCH(device, any_kernel, cells * args->parts, any_threads, 0, *args);
    return HALO_OK;
}
