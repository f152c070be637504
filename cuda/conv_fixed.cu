/* Square masks of common sizes with their anchor anywhere: the loops over the taps are unrolled, so that every
 * tap is an operand of its fma, read from the kernel's parameters (constant memory). */
#include "conv.cuh"

/* The sizes that have a kernel, and how many rows of outputs a thread makes there: as many as the unrolled
 * code and its registers bear. */
#define CONV_FIXED_SIZES(X) X(3, 4) X(5, 4) X(7, 4) X(9, 4) X(11, 4) X(13, 3) X(15, 3) X(31, 2)

static const int lines = 8;

template <int Size> struct FixedArgs {
    ConvArgs conv;
    float tap[Size * Size];
};

template <int Size, int Planes, int Rows> struct FixedTile {
    static constexpr int rows = lines * Rows;
    static constexpr int pitch = ConvBlock<Planes>::cols + (Size + 3) / 4 * 4;
    static constexpr int plane = (rows + Size - 1) * pitch;
    static constexpr int bytes = Planes * plane * (int)sizeof(float);
};

template <int Size, int Planes, int Rows>
__global__ static void __launch_bounds__(ConvBlock<Planes>::groups *lines *Planes, 3)
    fixed_kernel(const __grid_constant__ FixedArgs<Size> args)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    constexpr int vectors = (Size + 3 + 3) / 4; /* that cover the window of four outputs */
    CUDA_SHARED(float, tile);
    const ConvArgs &a = args.conv;
    const ConvPlace p = conv_place<Planes, lines>(a, Tile::rows);
    conv_stage<Planes>(a.src, p.channel, a.x_first + p.x, a.y_first + p.y, ConvBlock<Planes>::cols + Size - 1,
                       Tile::rows + Size - 1, tile, Tile::pitch, Tile::plane);
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
                    acc[r][x] = halo_fma(args.tap[j * Size + i], window[x + i], acc[r][x]);
        }
    }
    conv_finish<Planes, Rows, lines>(a.dst, p, acc, tile);
}

template <int Planes, int Size, int Rows>
static HaloStatus launch_planes(HaloDevice *device, const ConvArgs *conv, const float *tap)
{
    using Tile = FixedTile<Size, Planes, Rows>;
    static_assert(Tile::plane >= ConvBlock<Planes>::cols * Tile::rows, "the tile of outputs must fit, too");
    FixedArgs<Size> args;
    args.conv = *conv;
    args.conv.tiles_x = cuda_ceil_div(conv->dst.cols, ConvBlock<Planes>::cols);
    for (int i = 0; i < Size * Size; i++) args.tap[i] = tap[i];
    const int64_t tiles = args.conv.tiles_x * cuda_ceil_div(conv->dst.rows, Tile::rows);
    CUDA_LAUNCH(device, (fixed_kernel<Size, Planes, Rows>), tiles * (conv->dst.channels / Planes),
                ConvBlock<Planes>::groups * lines * Planes, Tile::bytes, args);
    return HALO_OK;
}

template <int Size, int Rows>
static HaloStatus launch(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (conv_planes(args->dst.channels)) {
    case 2: return launch_planes<2, Size, Rows>(device, args, tap);
    case 3: return launch_planes<3, Size, Rows>(device, args, tap);
    case 4: return launch_planes<4, Size, Rows>(device, args, tap);
    default: return launch_planes<1, Size, Rows>(device, args, tap);
    }
}

bool conv_fixed_takes(const HaloConv *conv)
{
#define TAKES(size, rows) || conv->width == size
    return conv->width == conv->height && (false CONV_FIXED_SIZES(TAKES));
#undef TAKES
}

HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap)
{
    switch (args->width) {
#define CASE(size, rows) \
    case size: return launch<size, rows>(device, args, tap);
        CONV_FIXED_SIZES(CASE)
#undef CASE
    }
    return halo_fail(HALO_ERR_BUG, "no kernel for a mask of %dx%d", args->width, args->height);
}
