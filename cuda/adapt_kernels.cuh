/* The kernels of adapt.cu: gathering the samples of a picture into cells side by side, and scattering the
 * results. */
#ifndef HALO_CUDA_ADAPT_KERNELS_CUH
#define HALO_CUDA_ADAPT_KERNELS_CUH

#include "common.cuh"

/* A band of rows and a group of channels, cell by cell. */
struct AdaptLayout {
    int64_t y;            /* the first row of the band, in the destination's rectangle */
    int channel;          /* the first of the group */
    int channels, strips; /* cells: the strips of a band, and in each its channels */
    int64_t rows;         /* of outputs of a strip */
    int64_t band;         /* rows of outputs of the band */
    int64_t pitch;        /* columns of a cell */
};

static const int adapt_threads = 256;
static const int adapt_rows = 256, adapt_cols = 64; /* of a cell, that a block takes at a time, at most */
static const int adapt_tile = 2048;                 /* samples of a block: rows, columns and channels */
static const int adapt_shared =
    3 * adapt_tile / 2; /* with rows of an odd number of samples, to avoid bank conflicts */

/* Where the samples of a block lie: in the picture they are ordered by row, column and channel, in the wide
 * picture by row, channel and column. */
struct AdaptArgs {
    char *image; /* the source or destination: the sample at its rectangle's origin */
    int64_t image_stride;
    int image_channels;
    char *wide; /* its first cell */
    int64_t wide_stride;
    AdaptLayout layout;
    int64_t cols, rows;            /* of a cell that are copied */
    int64_t end;                   /* rows from the band's first that exist */
    unsigned across, sets, strips; /* blocks in a row of a cell; groups of channels; strips */
    unsigned tile_cols, tile_channels;
    int tile_rows, lanes; /* lanes: threads in a row */
    /* of the source */
    int64_t x_first, y_first, x0, y0, width, height;
    HaloBorder border;
    float value;
    /* of the destination */
    HaloDtype dtype;
    HaloStore store;
    unsigned long long *clipped;
};

struct AdaptBlock {
    int64_t x, y; /* the first column and row in the cell */
    int64_t from; /* the strip's first row, counted from the band's */
    int channel;  /* the first, in the group */
    int cols, rows, channels;
    int64_t wide; /* the column of the first channel's first sample */
};

__device__ __forceinline__ static AdaptBlock adapt_block(const AdaptArgs &a)
{
    AdaptBlock b;
    const unsigned strip = blockIdx.x % a.strips, set = blockIdx.x / a.strips;
    b.channel = (int)(set % a.sets * a.tile_channels);
    b.x = (int64_t)(set / a.sets % a.across) * a.tile_cols;
    b.y = (int64_t)(set / a.sets / a.across) * a.tile_rows;
    b.from = strip * a.layout.rows;
    b.cols = (int)cuda_min(a.tile_cols, a.cols - b.x);
    b.rows = (int)cuda_min(a.tile_rows, a.rows - b.y);
    b.channels = min((int)a.tile_channels, a.layout.channels - b.channel);
    b.wide = ((int64_t)strip * a.layout.channels + b.channel) * a.layout.pitch + b.x;
    return b;
}

/* The rows of a block that a thread takes. */
struct AdaptRows {
    int first, end, step;
};

/* Calls f(column, channel, rows) for the places in a row of the block that are this thread's: neighbouring
 * threads take neighbours of the wide picture's row (`Planes`: column by column, then the next channel), or of
 * the image's. A thread stays at its place in all rows, so that it divides once. */
template <bool Planes, typename F>
__device__ __forceinline__ static void adapt_each(const AdaptArgs &a, const AdaptBlock &b, F f)
{
    const int channels = (int)a.tile_channels, cols = (int)a.tile_cols, line = cols * channels;
    const AdaptRows rows = {(int)threadIdx.x / a.lanes, b.rows, adapt_threads / a.lanes};
    if (rows.first >= rows.step) return;
    for (int e = (int)threadIdx.x % a.lanes; e < line; e += a.lanes) {
        const int outer = e / (Planes ? cols : channels), inner = e - outer * (Planes ? cols : channels);
        const int x = Planes ? inner : outer, c = Planes ? outer : inner;
        if (x < b.cols && c < b.channels) f(x, c, rows);
    }
}

/* A column of samples in rows `stride` bytes apart; moves on by a thread's step. */
template <typename T> struct AdaptColumn {
    char *at;
    int64_t jump;

    __device__ AdaptColumn(const char *data, int64_t stride, const AdaptRows &rows)
        : at((char *)data + rows.first * stride), jump(rows.step * stride)
    {
    }
    __device__ T *next()
    {
        T *const here = (T *)at;
        at += jump;
        return here;
    }
};

/* Where samples of one row are in the shared tile; an odd pitch avoids bank conflicts. */
__device__ __forceinline__ static int tile_at(const AdaptArgs &a, int x, int c)
{
    return c * (int)(a.tile_cols | 1) + x;
}
__device__ __forceinline__ static int tile_pitch(const AdaptArgs &a)
{
    return (int)(a.tile_channels * (a.tile_cols | 1));
}

/* S: samples of the source; T: the same, or f32. */
template <typename S, typename T>
__global__ static void __launch_bounds__(adapt_threads) gather_kernel(const __grid_constant__ AdaptArgs a)
{
    __shared__ T tile[adapt_shared];
    __shared__ int64_t row_at[adapt_rows], column_at[adapt_cols]; /* bytes; -1: the border's value */
    const AdaptBlock b = adapt_block(a);
    const T outside = (T)halo_border_value(a.border, a.value);
    const char *const wide = a.wide + b.y * a.wide_stride + b.wide * (int64_t)sizeof(T);
    for (int r = (int)threadIdx.x; r < b.rows; r += adapt_threads) {
        const int64_t row =
            b.from + b.y + r; /* from `end` on no output needs a row, and the source may not have it */
        const int64_t iy = row < a.end ? halo_border_index(a.y_first + row, a.height, a.border) : -1;
        row_at[r] = iy < 0 ? -1 : (iy - a.y0) * a.image_stride;
    }
    for (int x = (int)threadIdx.x; x < b.cols; x += adapt_threads) {
        const int64_t ix = halo_border_index(a.x_first + b.x + x, a.width, a.border);
        const int64_t sample = (ix - a.x0) * a.image_channels + a.layout.channel + b.channel;
        column_at[x] = ix < 0 ? -1 : sample * (int64_t)sizeof(S);
    }
    __syncthreads();
    const auto sample = [&](int64_t row, int64_t column) {
        return row < 0 || column < 0 ? outside : (T)__ldg((const S *)(a.image + row + column));
    };
    const auto put = [&](int x, int c, const AdaptRows &rows, auto value) {
        AdaptColumn<T> to(wide + (c * a.layout.pitch + x) * (int64_t)sizeof(T), a.wide_stride, rows);
#pragma unroll 4
        for (int r = rows.first; r < rows.end; r += rows.step) *to.next() = value(r);
    };
    if (a.tile_channels == 1) {
        adapt_each<true>(a, b, [&](int x, int c, const AdaptRows &rows) {
            const int64_t column = column_at[x];
            put(x, c, rows, [&](int r) { return sample(row_at[r], column); });
        });
        return;
    }
    adapt_each<false>(a, b, [&](int x, int c, const AdaptRows &rows) {
        const int64_t column = column_at[x] < 0 ? -1 : column_at[x] + c * (int64_t)sizeof(S);
        T *to = tile + tile_at(a, x, c) + rows.first * tile_pitch(a);
#pragma unroll 4
        for (int r = rows.first; r < rows.end; r += rows.step, to += rows.step * tile_pitch(a))
            *to = sample(row_at[r], column);
    });
    __syncthreads();
    adapt_each<true>(a, b, [&](int x, int c, const AdaptRows &rows) {
        const T *const from = tile + tile_at(a, x, c);
        put(x, c, rows, [&](int r) { return from[r * tile_pitch(a)]; });
    });
}

/* T: results in the wide picture. */
template <typename T>
__global__ static void __launch_bounds__(adapt_threads) scatter_kernel(const __grid_constant__ AdaptArgs a)
{
    __shared__ T tile[adapt_shared];
    AdaptBlock b = adapt_block(a);
    const char *const wide = a.wide + b.y * a.wide_stride + b.wide * (int64_t)sizeof(T);
    const int64_t first = b.from + b.y;
    b.rows = (int)cuda_max(0, cuda_min(b.rows, a.end - first)); /* rows that exist */
    unsigned clipped = 0;
    const auto results = [&](int x, int c, const AdaptRows &rows) {
        return AdaptColumn<const T>(wide + (c * a.layout.pitch + x) * (int64_t)sizeof(T), a.wide_stride, rows);
    };
    if (a.tile_channels > 1)
        adapt_each<true>(a, b, [&](int x, int c, const AdaptRows &rows) {
            auto from = results(x, c, rows);
            T *const to = tile + tile_at(a, x, c);
#pragma unroll 4
            for (int r = rows.first; r < rows.end; r += rows.step) to[r * tile_pitch(a)] = *from.next();
        });
    __syncthreads();
    cuda_typed(a.dtype, [&](auto zero) {
        using D = decltype(zero);
        const char *const image = a.image + (a.layout.y + first) * a.image_stride +
                                  (b.x * a.image_channels + a.layout.channel + b.channel) * (int64_t)sizeof(D);
        const auto store = [&](int x, int c, const AdaptRows &rows, auto result) {
            AdaptColumn<D> to(image + ((int64_t)x * a.image_channels + c) * (int64_t)sizeof(D), a.image_stride,
                              rows);
#pragma unroll 4
            for (int r = rows.first; r < rows.end; r += rows.step)
                *to.next() = cuda_sample<D>((float)result(r), a.store, &clipped);
        };
        if (a.tile_channels == 1)
            adapt_each<true>(a, b, [&](int x, int c, const AdaptRows &rows) {
                auto from = results(x, c, rows);
                store(x, c, rows, [&](int) { return *from.next(); });
            });
        else
            adapt_each<false>(a, b, [&](int x, int c, const AdaptRows &rows) {
                const T *const from = tile + tile_at(a, x, c);
                store(x, c, rows, [&](int r) { return from[r * tile_pitch(a)]; });
            });
    });
    __syncwarp();
    cuda_count_clipped(a.clipped, clipped);
}

#endif
