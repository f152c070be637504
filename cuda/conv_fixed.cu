/* Square masks of common sizes with their anchor anywhere: the loops over the taps are unrolled, so that every
 * tap is an operand of its fma, read from the kernel's parameters (constant memory). */
#include <cuda_pipeline.h>

#include "conv.cuh"

/* The sizes that have a kernel, how many rows of outputs a thread makes there, and the blocks that one
 * multiprocessor should have room for: what was fastest on an H200, see docs/performance.md. */
#define CONV_FIXED_SIZES(X) \
    X(3, 4, 5) X(5, 4, 5) X(7, 4, 4) X(9, 4, 4) X(11, 4, 3) X(13, 3, 3) X(15, 4, 3) X(31, 4, 2)

static const int lines = 8;

template <int Size> struct FixedArgs {
    ConvArgs conv;
    float tap[Size * Size];
};

/* A tile of samples begins `lead` columns before the first one needed, so that with the usual anchor, the
 * middle, its rows begin at a multiple of 4 samples and come in vectors. */
template <int Size, int Planes, int Rows> struct FixedTile {
    static constexpr int threads = ConvBlock<Planes>::groups * lines * Planes;
    static constexpr int rows = lines * Rows;
    static constexpr int staged_cols = ConvBlock<Planes>::cols + Size - 1, staged_rows = rows + Size - 1;
    static constexpr int lead = Planes == 1 ? (4 - Size / 2 % 4) % 4 : 0;
    static constexpr int vectors = (lead + staged_cols + 3) / 4;
    static constexpr int pitch = ConvBlock<Planes>::cols + (lead + Size - 1 + 3) / 4 * 4;
    static constexpr int plane = staged_rows * pitch;
    static constexpr int bytes = Planes * plane * (int)sizeof(float);
};

/* One channel of f32 goes to shared memory without passing through registers, all of it at once. */
__device__ __forceinline__ static void fixed_copy4(float *to, const float *from)
{
    __pipeline_memcpy_async(to, from, sizeof(float4));
}

template <typename S> __device__ __forceinline__ static void fixed_copy4(float *to, const S *from)
{
    const CudaPack<S, 4> v = *reinterpret_cast<const CudaPack<S, 4> *>(from);
    *reinterpret_cast<float4 *>(to) =
        make_float4((float)v.at[0], (float)v.at[1], (float)v.at[2], (float)v.at[3]);
}

/* Stages a tile that lies inside the image: `first` is its first sample. Sizes known beforehand keep the
 * arithmetic short and many loads under way. */
template <typename S, int Size, int Planes, int Rows>
__device__ __forceinline__ static void fixed_stage(const ConvSource &src, const S *first, float *tile)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    if (Planes == 1 && src.channels == 1 && cuda_aligned(first - Tile::lead, src.stride, 4 * sizeof(S))) {
#pragma unroll 6
        for (int e = (int)threadIdx.x; e < Tile::staged_rows * Tile::vectors; e += Tile::threads) {
            const int r = e / Tile::vectors, v = e % Tile::vectors;
            fixed_copy4(tile + r * Tile::pitch + 4 * v,
                        (const S *)((const char *)(first - Tile::lead) + r * src.stride) + 4 * v);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        return;
    }
    const bool packed = Planes % 2 == 0 && cuda_aligned(first, src.stride, Planes * sizeof(S));
#pragma unroll 6
    for (int e = (int)threadIdx.x; e < Tile::staged_rows * Tile::staged_cols; e += Tile::threads) {
        const int r = e / Tile::staged_cols, i = e % Tile::staged_cols;
        const S *const from = (const S *)((const char *)first + r * src.stride) + i * src.channels;
        float *const to = tile + r * Tile::pitch + Tile::lead + i;
        if constexpr (Planes % 2 == 0)
            if (packed) {
                const CudaPack<S, Planes> v = *reinterpret_cast<const CudaPack<S, Planes> *>(from);
#pragma unroll
                for (int c = 0; c < Planes; c++) to[c * Tile::plane] = (float)v.at[c];
                continue;
            }
#pragma unroll
        for (int c = 0; c < Planes; c++) to[c * Tile::plane] = (float)__ldg(from + c);
    }
}

/* Does the tile lie inside, the samples that vectors take along included? The rectangle of samples that the
 * source must hold begins at the first tile. */
template <int Size, int Planes, int Rows>
__device__ __forceinline__ static bool fixed_inside(const ConvArgs &a, const ConvPlace &p)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    const ConvSource &src = a.src;
    const int64_t x = a.x_first + p.x, y = a.y_first + p.y;
    return p.x >= Tile::lead && x >= Tile::lead &&
           x + Tile::staged_cols + 3 <= cuda_min(src.width, src.x_end) && y >= 0 &&
           y + Tile::staged_rows <= cuda_min(src.height, src.y_end);
}

template <int Size, int Planes, int Rows, int Blocks>
__global__ static void __launch_bounds__(ConvBlock<Planes>::groups *lines *Planes, Blocks)
    fixed_kernel(const __grid_constant__ FixedArgs<Size> args)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    constexpr int vectors = (Tile::lead + Size + 3 + 3) / 4; /* that cover the window of four outputs */
    CUDA_SHARED(float, tile);
    const ConvArgs &a = args.conv;
    const ConvPlace p = conv_place<Planes, lines>(a, Tile::rows);
    if (fixed_inside<Size, Planes, Rows>(a, p))
        cuda_typed(a.src.dtype, [&](auto zero) {
            using S = decltype(zero);
            const S *const row = (const S *)(a.src.data + (a.y_first + p.y - a.src.y0) * a.src.stride);
            fixed_stage<S, Size, Planes, Rows>(
                a.src, row + (a.x_first + p.x - a.src.x0) * a.src.channels + p.channel, tile);
        });
    else
        conv_stage<Planes>(a.src, p.channel, a.x_first + p.x, a.y_first + p.y, Tile::staged_cols,
                           Tile::staged_rows, tile + Tile::lead, Tile::pitch, Tile::plane);
    __syncthreads();

    float acc[Rows][4] = {};
    const float *const from = tile + p.plane * Tile::plane + p.line * Rows * Tile::pitch + 4 * p.group;
#pragma unroll
    for (int s = 0; s < Size + Rows - 1; s++) { /* rows of samples; output row r meets mask row s - r */
        float window[4 * vectors];
#pragma unroll
        for (int v = 0; v < vectors; v++) conv_load4(window + 4 * v, from + s * Tile::pitch + 4 * v);
#pragma unroll
        for (int r = 0; r < Rows; r++) {
            const int j = s - r;
            if (j < 0 || j >= Size) continue;
#pragma unroll
            for (int i = 0; i < Size; i++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    acc[r][x] = halo_fma(args.tap[j * Size + i], window[Tile::lead + x + i], acc[r][x]);
        }
    }
    conv_finish<Planes, Rows, lines>(a.dst, p, acc, tile);
}

template <int Planes, int Size, int Rows, int Blocks>
static HaloStatus launch_planes(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    static_assert(Tile::plane >= ConvBlock<Planes>::cols * Tile::rows, "the tile of outputs must fit, too");
    FixedArgs<Size> args;
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, ConvBlock<Planes>::cols);
    for (int i = 0; i < Size * Size; i++) args.tap[i] = tap[i];
    const int64_t tiles = args.conv.tiles_x * cuda_ceil_div(conv->dst.rows, Tile::rows);
    CUDA_LAUNCH(device, (fixed_kernel<Size, Planes, Rows, Blocks>), tiles * (conv->dst.channels / Planes),
                Tile::threads, Tile::bytes, args);
    return HALO_OK;
}

template <int Size, int Rows, int Blocks>
static HaloStatus launch(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (conv_planes(args->dst.channels)) {
    case 2: return launch_planes<2, Size, Rows, Blocks>(device, args, tap);
    case 3: return launch_planes<3, Size, Rows, Blocks>(device, args, tap);
    case 4: return launch_planes<4, Size, Rows, Blocks>(device, args, tap);
    default: return launch_planes<1, Size, Rows, Blocks>(device, args, tap);
    }
}

bool conv_fixed_takes(const HaloConv *conv)
{
#define TAKES(size, ...) || conv->width == size
    return conv->width == conv->height && (false CONV_FIXED_SIZES(TAKES));
#undef TAKES
}

HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->width) {
#define CASE(size, ...) \
    case size: return launch<size, __VA_ARGS__>(device, args, tap);
        CONV_FIXED_SIZES(CASE)
#undef CASE
    }
    return halo_fail(HALO_ERR_BUG, "no kernel for a mask of %dx%d", args->width, args->height);
}
