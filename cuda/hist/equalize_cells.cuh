/* Equalization: where samples are looked up. Samples between the same four centres of tiles are a cell. */
#ifndef HALO_CUDA_EQUALIZE_CELLS_CUH
#define HALO_CUDA_EQUALIZE_CELLS_CUH

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

static inline int64_t cells_in(const EqualizeArgs *args)
{
    return cells_of(args->how.tiles_x, args->how.mixed) * cells_of(args->how.tiles_y, args->how.mixed);
}

/* Do a cell's tables fit into shared memory, four levels side by side? */
static inline bool look_in_shared(const EqualizeArgs *args)
{
    return args->dtype == HALO_U8 && args->sets * byte_levels * (int64_t)sizeof(float4) <= CUDA_SHARED_DEFAULT;
}

/* Do 32 bits hold rows, and the elements of one? */
static inline bool look_narrow(const EqualizeArgs *args)
{
    return args->width * args->channels < INT32_MAX / 2 && args->height < INT32_MAX / 2;
}

/* ---- between four levels -------------------------------------------------------------------------------- */

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

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* Calls f(y, e) with packs of four elements of the cell's rows, those that the thread takes: warps go over packs of a row side by
 * side, then over those of the next. I: a type that holds the elements of a row, and rows. */
template <typename I, typename F>
__device__ __forceinline__ static void look_over(const EqualizeArgs &a, const LookSpan &across, const LookSpan &along, int64_t part, F f)
{
    const I to = (I)(across.to * a.channels), first = (I)(across.from * a.channels) / 4, bottom = (I)along.to;
    if (across.to <= across.from) return;
    const I chunks = ((to + 3) / 4 - first + CUDA_WARP - 1) / CUDA_WARP;
    const int64_t warps = look_threads / CUDA_WARP, start = part * warps + threadIdx.x / CUDA_WARP, step = a.parts * warps;
    I y = (I)cuda_min(along.from + start / chunks, bottom), chunk = (I)(start % chunks);
    const I down = (I)cuda_min(step / chunks, bottom), further = (I)(step % chunks);
    while (y < bottom) {
        const I e = (first + chunk * CUDA_WARP + (I)(threadIdx.x % CUDA_WARP)) * 4;
        if (e < to) f(y, e);
        y += down;
        chunk += further;
        if (chunk >= chunks) chunk -= chunks, y++;
    }
}

/* Stores those of four samples that are the cell's, elements [from, to). */
__device__ __forceinline__ static void look_store(const EqualizeArgs &a, char *row, int64_t e, int from, int to, float v[4],
                                                  unsigned *clipped)
{
    if (from == 0 && to == 4)
        row_store<4>(row, a.to, e, 4, a.stores, v, a.store, clipped);
    else
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (i >= from && i < to) row_store<1>(row, a.to, e + i, 1, false, v + i, a.store, clipped);
}

#endif
