/* Equalization: every sample is looked up in the tables of the tiles around it. Samples between the same four centres are a
 * cell: of bytes each block brings the tables of its cell to shared memory, a value's four levels side by side. */
#include "equalize.cuh"

static const int look_threads = 256;

/* ---- cells ---------------------------------------------------------------------------------------------- */

/* Along one axis: samples [from, to), and the tiles before and behind. */
struct LookSpan {
    int64_t from, to, before, behind;
};

__device__ static int64_t cell_key(int64_t at, int64_t size, int64_t tiles, bool mixed)
{
    int64_t before, behind;
    float share;
    halo_tiles_around(at, size, tiles, mixed, &before, &behind, &share);
    return before + behind;
}

/* The first sample from which on tiles have at least this key, which never decreases. */
__device__ static int64_t cell_begin(int64_t key, int64_t length, int64_t size, int64_t tiles, bool mixed)
{
    int64_t from = 0, to = length;
    while (from < to) {
        const int64_t at = from + (to - from) / 2;
        if (cell_key(at, size, tiles, mixed) < key)
            from = at + 1;
        else
            to = at;
    }
    return from;
}

/* Cells of an axis: where tiles are mixed one lies before the first centre, and one behind the last. */
static __host__ __device__ int64_t cells_of(int64_t tiles, bool mixed) { return mixed && tiles > 1 ? tiles + 1 : tiles; }

/* Cell k has tiles k and k, or, mixed, k - 1 and k; before the first centre and behind the last both are one. */
__device__ static LookSpan cell_span(int64_t cell, int64_t length, int64_t size, int64_t tiles, bool mixed)
{
    const auto key = [&](int64_t k) {
        return !mixed ? 2 * k : k == 0 ? 0 : k < tiles ? 2 * k - 1 : 2 * tiles - 2;
    };
    const auto begin = [&](int64_t k) {
        return k == 0 ? 0 : k < cells_of(tiles, mixed) ? cell_begin(key(k), length, size, tiles, mixed) : length;
    };
    return {begin(cell), begin(cell + 1), key(cell) / 2, (key(cell) + 1) / 2};
}

/* ---- looking up ----------------------------------------------------------------------------------------- */

/* What the tables above left and right and below left and right make of a level. */
__device__ __forceinline__ static float4 look_levels(const EqualizeArgs &a, const LookSpan &x, const LookSpan &y, int64_t entry)
{
    const int64_t pitch = a.sets * a.how.bins, row = a.how.tiles_x * pitch;
    const float *const above = a.table + y.before * row + entry, *const below = a.table + y.behind * row + entry;
    if (x.before == x.behind && y.before == y.behind) {
        const float level = __ldg(above + x.before * pitch);
        return make_float4(level, level, level, level);
    }
    return make_float4(__ldg(above + x.before * pitch), __ldg(above + x.behind * pitch), __ldg(below + x.before * pitch),
                       __ldg(below + x.behind * pitch));
}

/* halo_tiles_around's share; `over` is 1 over the tiles' size. */
template <typename I> __device__ __forceinline__ static float look_share(const EqualizeArgs &a, I at, float over)
{
    if (!a.how.mixed) return 0.0f;
    const float place = (float)at * over - 0.5f;
    return place - (place < 0.0f ? -1.0f : truncf(place));
}

__device__ __forceinline__ static float look_mix(const float4 &level, float across, float along)
{
    return halo_mix(halo_mix(level.x, level.y, across), halo_mix(level.z, level.w, across), along);
}

/* What becomes of sample v, whose levels are four. */
template <typename I>
__device__ __forceinline__ static float look_up(const EqualizeArgs &a, float v, const float4 &level, I x, float down)
{
    const float mix = look_mix(level, look_share(a, x, a.over_x), down);
    return mix != mix ? v : mix;
}

/* Four neighbouring elements of row y, from e on, of which [from, to) are the cell's. */
template <bool Bytes, typename I>
__device__ __forceinline__ static void look_pack(const EqualizeArgs &a, const LookSpan &across, const LookSpan &along,
                                                 const float4 *tables, I y, I e, int from, int to, float down, unsigned *clipped)
{
    float v[4];
    char *const out = a.dst + (int64_t)y * a.dst_stride;
    I x = a.channels == 1 ? e : e / a.channels;
    int c = (int)(e - x * a.channels);
    const int count = (int)min((I)(a.width * a.channels) - e, (I)4);
    const uint8_t *const bytes = (const uint8_t *)a.src + (int64_t)y * a.src_stride + e;
    uint32_t word = 0;
    if (!Bytes)
        row_load<4>(v, a.src + (int64_t)y * a.src_stride, a.dtype, e, count, a.packed);
    else if (a.packed && count == 4)
        word = *(const uint32_t *)bytes;
    else
        for (int i = 0; i < count; i++) word |= (uint32_t)bytes[i] << 8 * i;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int set = a.how.joint ? 0 : c;
        if (Bytes) {
            const uint32_t bin = word >> 8 * i & 255;
            v[i] = (float)bin;
            if (c != a.alpha) v[i] = look_up(a, v[i], tables[set * byte_levels + bin], x, down);
        } else if (c != a.alpha && v[i] == v[i]) {
            v[i] = look_up(a, v[i], look_levels(a, across, along, set * a.how.bins + equalize_bin(a, v[i])), x, down);
        }
        if (++c >= a.channels) c = 0, x++;
    }
    if (from == 0 && to == 4)
        row_store<4>(out, a.to, e, 4, a.stores, v, a.store, clipped);
    else
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i >= from && i < to) row_store<1>(out, a.to, e + i, 1, false, v + i, a.store, clipped);
}

/* I: a type that holds the elements of a row, and rows. */
template <bool Bytes, typename I>
__global__ static void __launch_bounds__(look_threads) look_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(float4, tables);
    const HaloEqualize &how = a.how;
    const int64_t cell = blockIdx.x / a.parts, part = blockIdx.x - cell * a.parts, cells_x = cells_of(how.tiles_x, how.mixed);
    const LookSpan across = cell_span(cell % cells_x, a.width, how.tile_width, how.tiles_x, how.mixed),
                   along = cell_span(cell / cells_x, a.height, how.tile_height, how.tiles_y, how.mixed);
    if (Bytes) {
        for (int i = (int)threadIdx.x; i < a.sets * byte_levels; i += look_threads) tables[i] = look_levels(a, across, along, i);
        __syncthreads();
    }
    /* Warps take packs of a row side by side, then those of the next. */
    const I from = (I)(across.from * a.channels), to = (I)(across.to * a.channels), first = from / 4, bottom = (I)along.to;
    const I chunks = to > from ? ((to + 3) / 4 - first + CUDA_WARP - 1) / CUDA_WARP : 0;
    const int64_t warps = look_threads / CUDA_WARP, start = part * warps + threadIdx.x / CUDA_WARP, step = a.parts * warps;
    unsigned clipped = 0;
    if (chunks > 0) {
        I y = (I)cuda_min(along.from + start / chunks, bottom), chunk = (I)(start % chunks);
        const I down = (I)cuda_min(step / chunks, bottom), further = (I)(step % chunks);
        while (y < bottom) {
            const I e = (first + chunk * CUDA_WARP + (I)(threadIdx.x % CUDA_WARP)) * 4;
            if (e < to)
                look_pack<Bytes, I>(a, across, along, tables, y, e, (int)max(from - e, (I)0), (int)min(to - e, (I)4),
                                    look_share(a, y, a.over_y), &clipped);
            y += down;
            chunk += further;
            if (chunk >= chunks) chunk -= chunks, y++;
        }
    }
    __syncwarp();
    cuda_count(a.clipped, clipped);
}

/* ---- launch --------------------------------------------------------------------------------------------- */

/* Samples that a block looks up at least: it brings tables first. */
static const int64_t look_least = 8192;

HaloStatus equalize_look(HaloDevice *device, EqualizeArgs *args)
{
    const HaloEqualize *const how = &args->how;
    const int64_t cells = cells_of(how->tiles_x, how->mixed) * cells_of(how->tiles_y, how->mixed);
    const int64_t samples = args->width * args->height * args->channels, shared = args->sets * byte_levels * (int64_t)sizeof(float4);
    const int64_t wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * 32, cells);
    args->parts = cuda_max(1, cuda_min(wanted, samples / cells / look_least));
    const bool bytes = args->dtype == HALO_U8 && shared <= CUDA_SHARED_DEFAULT;
    const bool narrow = args->width * args->channels < INT32_MAX / 2 && args->height < INT32_MAX / 2;
    const auto kernel = bytes ? (narrow ? look_kernel<true, int> : look_kernel<true, int64_t>)
                              : (narrow ? look_kernel<false, int> : look_kernel<false, int64_t>);
    CUDA_LAUNCH(device, kernel, cells * args->parts, look_threads, (size_t)(bytes ? shared : 0), *args);
    return HALO_OK;
}
