/* Equalization: cells. Samples between the same four centres of tiles are a cell. */
#ifndef HALO_CUDA_EQUALIZE_CELLS_CUH
#define HALO_CUDA_EQUALIZE_CELLS_CUH

#include "equalize.cuh"

/* ---- cells ----------------------------------------------------------------------------------------------- */

/* Along one axis: samples [from, to), and the tiles before and after. */
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

/* The first sample whose tiles have at least this key, which never decreases. */
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

/* Cells of an axis: mixed tiles have one more before the first centre, and one after the last. */
static __host__ __device__ int64_t cells_of(int64_t tiles, bool mixed)
{
    return mixed && tiles > 1 ? tiles + 1 : tiles;
}

/* The key of a cell: the sum of its two tiles. Cell k has tiles k and k, or, mixed, k - 1 and k; before the
 * first centre and after the last both are the same. */
CUDA_INLINE int64_t span_key(int64_t k, int64_t tiles, bool mixed)
{
    return !mixed ? 2 * k : k == 0 ? 0 : k < tiles ? 2 * k - 1 : 2 * tiles - 2;
}

static inline int64_t cells_in(const EqualizeArgs *args)
{
    return cells_of(args->how.tiles_x, args->how.mixed) * cells_of(args->how.tiles_y, args->how.mixed);
}

/* Do 32 bits hold rows, and elements of a row? */
static inline bool look_fits_32(const EqualizeArgs *args)
{
    return args->width * args->channels < INT32_MAX / 2 && args->height < INT32_MAX / 2;
}

/* Blocks per cell: in all so many per multiprocessor, as long as each looks up at least so many samples, since
 * it loads tables first. */
static inline void look_share_out(const HaloDevice *device, EqualizeArgs *args, int64_t each, int64_t least)
{
    const int64_t cells = cells_in(args), samples = args->width * args->height * args->channels;
    const int64_t wanted = cuda_ceil_div((int64_t)device->properties.multiProcessorCount * each, cells);
    args->parts = cuda_max(1, cuda_min(wanted, samples / cells / least));
}

/* The cell that a block works on, and its part of it. */
struct LookCell {
    int64_t number;
    int part;
    LookSpan horizontal, vertical;

    /* Called by all threads of the block; four of them search the ends of the cell, since that takes a
     * while. */
    __device__ __forceinline__ LookCell(const EqualizeArgs &a, bool mixed)
    {
        __shared__ int64_t edge[4]; /* horizontal from, to; vertical from, to */
        const HaloEqualize &how = a.how;
        const int64_t cells_x = cells_of(how.tiles_x, mixed), cells_y = cells_of(how.tiles_y, mixed);
        number = blockIdx.x / a.parts;
        part = (int)(blockIdx.x - number * a.parts);
        const int64_t x = number % cells_x, y = number / cells_x;
        if (threadIdx.x < 4) {
            const bool down = threadIdx.x >= 2;
            const int64_t k = (down ? y : x) + threadIdx.x % 2, cells = down ? cells_y : cells_x,
                          tiles = down ? how.tiles_y : how.tiles_x;
            const int64_t length = down ? a.height : a.width, size = down ? how.tile_height : how.tile_width;
            edge[threadIdx.x] = k == 0 ? 0
                                : k >= cells
                                    ? length
                                    : cell_begin(span_key(k, tiles, mixed), length, size, tiles, mixed);
        }
        __syncthreads();
        const int64_t key_x = span_key(x, how.tiles_x, mixed), key_y = span_key(y, how.tiles_y, mixed);
        horizontal = {edge[0], edge[1], key_x / 2, (key_x + 1) / 2};
        vertical = {edge[2], edge[3], key_y / 2, (key_y + 1) / 2};
    }
};

/* ---- samples of a cell ----------------------------------------------------------------------------------- */

/* halo_tiles_around's share; `over` is 1 over the tiles' size. */
template <typename I> CUDA_INLINE float look_share(const EqualizeArgs &a, I at, float over)
{
    if (!a.how.mixed) return 0.0f;
    const float place = (float)at * over - 0.5f;
    return place - (place < 0.0f ? -1.0f : truncf(place));
}

/* Stores those of four samples that are in the cell: elements [from, to). */
CUDA_INLINE void look_store(const EqualizeArgs &a, char *row, int64_t e, int from, int to, float v[4],
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
