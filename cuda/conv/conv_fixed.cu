/* Masks of common widths with their anchor anywhere: the loop over the taps of a row is unrolled, and the taps
 * are read from the kernel's parameters (constant memory).
 *
 * The smallest square masks are unrolled whole: they come here where results are wider than samples. With more
 * taps the code would outgrow the instruction cache, so the loop over the rows is rolled there, and the mask
 * may have any height. */
#include <cuda_pipeline.h>

#include "conv_tile.cuh"

/* The widths that have a kernel. */
#define CONV_SQUARE_WIDTHS(X) X(3) X(5)
#define CONV_ROLLED_WIDTHS(X) X(7) X(9) X(11) X(13) X(15) X(21) X(31)

/* The rows and the quads of outputs that a thread makes, and the blocks that one multiprocessor should hold:
 * the fastest on an H200, see docs/tried/convolution.md. */
static const int fixed_rows = 4;
__host__ __device__ static constexpr int fixed_quads(int width, int planes)
{
    return planes == 1 && width <= 5 ? 1 : 2;
}
static constexpr int fixed_blocks(int width, int planes)
{
    return planes == 1 && width <= 5 ? 5 : planes == 1 && width <= 7 ? 4 : 3;
}

static const int rolled_pairs = 1024; /* of taps: 8 KB of parameters */
static const int rolled_part = 16;    /* taps of a row whose samples are in registers at a time */

/* Taps go in pairs, since constant memory is read 8 bytes at a time; every row begins with a new pair. */
template <int Pairs> struct FixedArgs {
    ConvArgs conv;
    float2 tap[Pairs];
};

/* A tile of samples begins `lead` columns before the first one needed, so that with the usual anchor, the
 * middle, its rows begin at a multiple of 4 samples and come in words. */
template <int Width, int Planes> struct FixedTile {
    static constexpr int quads_each = fixed_quads(Width, Planes);
    using Block = TileBlock<Planes, quads_each>;
    static constexpr int lead = (4 - Width / 2 % 4) % 4;
    static constexpr int quads = (lead + Block::cols + Width - 1 + 3) / 4, pitch = 4 * quads;
    static constexpr int rows = Block::lines * fixed_rows;
    static constexpr int pairs = (Width + 1) / 2;
    static constexpr int at_once = Block::threads / quads; /* rows that are staged at a time */
};

/* ---- staging -------------------------------------------------------------------------------------------- */

/* Four pixels, one word after the other, as a quad of every plane. */
template <typename S, int Planes>
__device__ __forceinline__ static void fixed_quads(float *to, int plane, const CudaWord<S> word[Planes])
{
    float v[4 * Planes];
#pragma unroll
    for (int w = 0; w < Planes; w++) {
        const float4 four = cuda_widen4(word[w]);
        v[4 * w] = four.x;
        v[4 * w + 1] = four.y;
        v[4 * w + 2] = four.z;
        v[4 * w + 3] = four.w;
    }
#pragma unroll
    for (int c = 0; c < Planes; c++)
        *reinterpret_cast<float4 *>(to + c * plane) =
            make_float4(v[c], v[Planes + c], v[2 * Planes + c], v[3 * Planes + c]);
}

/* A tile that lies inside, in words: `first` is its first sample. Every thread keeps to a column of quads and
 * has four rows under way; one channel of f32 goes to shared memory without passing through registers. */
template <typename S, int Planes, typename Tile>
__device__ __forceinline__ static void fixed_inner(const S *first, int64_t stride, int staged, float *tile,
                                                   int plane)
{
    constexpr int batch = 4;
    const int q = (int)threadIdx.x % Tile::quads, r0 = (int)threadIdx.x / Tile::quads;
    const char *const from = (const char *)(first + 4 * q * Planes);
    if (r0 >= Tile::at_once) return;
    for (int r = r0; r < staged; r += batch * Tile::at_once) {
        CudaWord<S> word[batch][Planes];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            const int at = r + k * Tile::at_once;
            const CudaWord<S> *const row = reinterpret_cast<const CudaWord<S> *>(from + at * stride);
            if (at >= staged) continue;
            if constexpr (Planes == 1 && sizeof(S) == sizeof(float)) {
                __pipeline_memcpy_async(tile + at * Tile::pitch + 4 * q, row, sizeof(float4));
            } else {
#pragma unroll
                for (int w = 0; w < Planes; w++) word[k][w] = __ldg(row + w);
            }
        }
        if constexpr (Planes > 1 || sizeof(S) < sizeof(float)) {
#pragma unroll
            for (int k = 0; k < batch; k++) {
                const int at = r + k * Tile::at_once;
                if (at < staged) fixed_quads<S, Planes>(tile + at * Tile::pitch + 4 * q, plane, word[k]);
            }
        }
    }
}

/* Any tile, sample by sample, each thread down a column; (x, y) is its first sample. Columns before the first
 * one that any output needs are not read: the source need not hold them. */
template <typename S, int Planes, typename Tile>
__device__ __forceinline__ static void fixed_outer(const ConvArgs &a, int64_t x, int64_t y, int staged,
                                                   float *tile, int plane)
{
    const ConvSource &src = a.src;
    constexpr int at_once = Tile::Block::threads / Tile::pitch;
    const int i = (int)threadIdx.x % Tile::pitch, r0 = (int)threadIdx.x / Tile::pitch;
    const float outside = halo_border_value(src.border, src.value);
    const bool needed = x + i >= a.x_first && x + i < src.x_end;
    if (r0 >= at_once) return;
    const int64_t column = needed ? halo_border_index(x + i, src.width, src.border) : -1;
    const S *const first = (const S *)src.data + (column - src.x0) * Planes;
#pragma unroll 1
    for (int r = r0; r < staged; r += at_once) {
        const int64_t iy = y + r < src.y_end ? halo_border_index(y + r, src.height, src.border) : -1;
        const S *const from = (const S *)((const char *)first + (iy - src.y0) * src.stride);
#pragma unroll
        for (int c = 0; c < Planes; c++)
            tile[c * plane + r * Tile::pitch + i] = iy >= 0 && column >= 0 ? (float)__ldg(from + c) : outside;
    }
}

/* The samples under the outputs from (ox, oy) on. */
template <int Planes, typename Tile>
__device__ __forceinline__ static void fixed_stage(const ConvArgs &a, const ConvPlace &p, int staged,
                                                   float *tile, int plane)
{
    const ConvSource &src = a.src;
    const int64_t x = a.x_first + p.x - Tile::lead, y = a.y_first + p.y;
    const bool inside = x >= src.x0 && x + Tile::pitch <= cuda_min(src.width, src.x_end) && y >= 0 &&
                        y + staged <= cuda_min(src.height, src.y_end);
    cuda_typed(src.dtype, [&](auto zero) {
        using S = decltype(zero);
        const S *const first = (const S *)(src.data + (y - src.y0) * src.stride) + (x - src.x0) * Planes;
        if (inside && cuda_aligned(first, src.stride, 4 * sizeof(S)))
            fixed_inner<S, Planes, Tile>(first, src.stride, staged, tile, plane);
        else
            fixed_outer<S, Planes, Tile>(a, x, y, staged, tile, plane);
    });
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* One row of samples from `from` on, under taps [first, first + Part): output row r takes them where use(r), by
 * the mask's row that begins at tap[-r * pairs]. */
template <int Width, int Quads, int Part, typename Tile, typename Use>
__device__ __forceinline__ static void fixed_part(float acc[fixed_rows][Quads][4], const float *from,
                                                  const float2 *tap, int first, Use use)
{
    constexpr int vectors = (Tile::lead + Part + 3 + 3) / 4, most = (Tile::lead + Width + 3 + 3) / 4;
    float window[Quads][4 * vectors];
#pragma unroll
    for (int q = 0; q < Quads; q++)
#pragma unroll
        for (int v = 0; v < vectors; v++)
            if (first / 4 + v < most)
                conv_load4(window[q] + 4 * v, from + 4 * Tile::Block::groups * q + first + 4 * v);
#pragma unroll
    for (int r = 0; r < fixed_rows; r++) {
        if (!use(r)) continue;
#pragma unroll
        for (int i = first; i < first + Part && i < Width; i++) {
            const float2 pair = tap[i / 2 - r * Tile::pairs];
#pragma unroll
            for (int q = 0; q < Quads; q++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    acc[r][q][x] =
                        halo_fma(i % 2 ? pair.y : pair.x, window[q][Tile::lead + x + i - first], acc[r][q][x]);
        }
    }
}

/* All rows of samples; output row r meets mask row s - r. */
template <int Width, int Quads, bool Rolled, typename Tile>
__device__ __forceinline__ static void fixed_sums(float acc[fixed_rows][Quads][4], const float *from,
                                                  const float2 *tap, int height)
{
    constexpr int part = Rolled && Width > rolled_part ? rolled_part : Width;
    const auto line = [&](int s, auto use) {
#pragma unroll
        for (int first = 0; first < Width; first += part)
            fixed_part<Width, Quads, part, Tile>(acc, from + s * Tile::pitch, tap + s * Tile::pairs, first,
                                                 use);
    };
    if constexpr (Rolled) {
#pragma unroll 1
        for (int s = 0; s < height + fixed_rows - 1; s++)
            if (Width <= rolled_part && s >= fixed_rows - 1 && s < height)
                line(s, [](int) { return true; });
            else
                line(s, [&](int r) { return s >= r && s - r < height; });
    } else {
#pragma unroll
        for (int s = 0; s < Width + fixed_rows - 1; s++)
            line(s, [&](int r) { return s >= r && s - r < Width; });
    }
}

template <int Width, int Planes, bool Rolled, int Pairs>
__global__ static void __launch_bounds__(FixedTile<Width, Planes>::Block::threads, fixed_blocks(Width, Planes))
    fixed_kernel(const __grid_constant__ FixedArgs<Pairs> args)
{
    using Tile = FixedTile<Width, Planes>;
    constexpr int quads = Tile::quads_each;
    CUDA_SHARED(float, tile);
    const ConvArgs &a = args.conv;
    const ConvPlace p = tile_place<Planes, quads>(a, Tile::rows);
    const int height = Rolled ? a.height : Width;
    const int staged = Tile::rows + height - 1, plane = staged * Tile::pitch;
    fixed_stage<Planes, Tile>(a, p, staged, tile, plane);
    float acc[fixed_rows][quads][4] = {};
    fixed_sums<Width, quads, Rolled, Tile>(
        acc, tile + p.plane * plane + p.line * fixed_rows * Tile::pitch + 4 * p.group, args.tap, height);
    tile_finish<Planes, fixed_rows, quads>(a.dst, p, acc, tile);
}

/* ---- launching ------------------------------------------------------------------------------------------ */

template <int Width, int Planes> static int64_t fixed_bytes(int64_t height)
{
    using Tile = FixedTile<Width, Planes>;
    return Planes * (Tile::rows + height - 1) * Tile::pitch * (int64_t)sizeof(float);
}

template <int Planes, int Width, bool Rolled>
static HaloStatus launch_planes(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    using Tile = FixedTile<Width, Planes>;
    constexpr int pairs = Rolled ? rolled_pairs : Tile::pairs * Width;
    FixedArgs<pairs> args = {};
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, Tile::Block::cols);
    for (int j = 0; j < conv->height; j++)
        for (int i = 0; i < Width; i++) {
            float2 *const pair = &args.tap[j * Tile::pairs + i / 2];
            *(i % 2 ? &pair->y : &pair->x) = tap[j * Width + i];
        }
    const int64_t tiles = args.conv.tiles_x * cuda_ceil_div(conv->dst.rows, Tile::rows);
    const int64_t bytes = fixed_bytes<Width, Planes>(conv->height);
    CUDA_LAUNCH(device, (fixed_kernel<Width, Planes, Rolled, pairs>), tiles, Tile::Block::threads,
                (size_t)bytes, args);
    return HALO_OK;
}

template <int Width, bool Rolled>
static HaloStatus launch(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->dst.channels) {
    case 2: return launch_planes<2, Width, Rolled>(device, args, tap);
    case 3: return launch_planes<3, Width, Rolled>(device, args, tap);
    case 4: return launch_planes<4, Width, Rolled>(device, args, tap);
    default: return launch_planes<1, Width, Rolled>(device, args, tap);
    }
}

/* Do the taps fit the parameters, and the samples shared memory? */
template <int Width> static bool rolled_takes(const HaloDevice *device, int planes, int64_t height)
{
    const int64_t bytes = planes == 1   ? fixed_bytes<Width, 1>(height)
                          : planes == 2 ? fixed_bytes<Width, 2>(height)
                          : planes == 3 ? fixed_bytes<Width, 3>(height)
                                        : fixed_bytes<Width, 4>(height);
    return height * ((Width + 1) / 2) <= rolled_pairs && bytes <= (int64_t)device->shared_most;
}

bool conv_fixed_takes(const HaloDevice *device, const HaloBuf *dst, const HaloConv *conv)
{
    if (conv->window.height > rolled_pairs) return false; /* and so the arithmetic above is safe */
    switch (conv->window.width) {
#define SQUARE(width) \
    case width: return conv->window.height == width;
        CONV_SQUARE_WIDTHS(SQUARE)
#undef SQUARE
#define ROLLED(width) \
    case width: return rolled_takes<width>(device, dst->shape.channels, conv->window.height);
        CONV_ROLLED_WIDTHS(ROLLED)
#undef ROLLED
    default: return false;
    }
}

HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->width) {
#define SQUARE(width) \
    case width: return launch<width, false>(device, args, tap);
        CONV_SQUARE_WIDTHS(SQUARE)
#undef SQUARE
#define ROLLED(width) \
    case width: return launch<width, true>(device, args, tap);
        CONV_ROLLED_WIDTHS(ROLLED)
#undef ROLLED
    }
    return halo_fail(HALO_ERR_BUG, "internal: no kernel for a mask of %dx%d", args->width, args->height);
}
