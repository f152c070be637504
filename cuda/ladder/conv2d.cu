/* conv2d: out(x, y) = sum over j, i of mask(i, j) * in(x + i - M/2, y + j - M/2), zeros outside, masks of 5x5
 * (timed) and 9x9. Samples are odd multiples of a half and masks small integers, so that every order of
 * additions gives the same bits. The worked example, 321 at row 2, column 2 of a 7x7 image, is among the
 * checks. The published `sum += mask * in` is written as the fma that compilers make of it; halo's build
 * forbids them to. */
#include "ladder.cuh"

namespace
{

constexpr int tile = 16, most = 9;
constexpr int wide = 32, lines = 8,
              each = wide / lines; /* the coarse tile is wide * wide, by wide * lines threads */

__constant__ float mask_constant[most * most];
__device__ float mask_global[most * most];

/* Every tap, and its mask value, from global memory, each with its test for the edges. */
template <int M>
__global__ void conv_1(const float *in, float *out, const float *mask, int64_t width, int64_t height)
{
    const int64_t x = (int64_t)blockIdx.x * tile + threadIdx.x, y = (int64_t)blockIdx.y * tile + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const int64_t u = x + i - M / 2, v = y + j - M / 2;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum = halo_fma(mask[j * M + i], in[v * width + u], sum);
        }
    out[y * width + x] = sum;
}

/* The mask in constant memory: one word for all lanes. Samples still come M * M times. */
template <int M> __global__ void conv_2(const float *in, float *out, int64_t width, int64_t height)
{
    const int64_t x = (int64_t)blockIdx.x * tile + threadIdx.x, y = (int64_t)blockIdx.y * tile + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const int64_t u = x + i - M / 2, v = y + j - M / 2;
            if (u >= 0 && u < width && v >= 0 && v < height)
                sum = halo_fma(mask_constant[j * M + i], in[v * width + u], sum);
        }
    out[y * width + x] = sum;
}

/* What the image is at (x, y): zero outside, the ghost cells. */
__device__ float cell(const float *in, int64_t x, int64_t y, int64_t width, int64_t height)
{
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0.0f;
}

/* Tiled: a block as large as the input tile, every thread loads one sample; the taps come from shared memory
 * without tests. The threads of the rim have nothing to sum: 144 of 400 at M = 5. */
template <int M> __global__ void conv_3(const float *in, float *out, int64_t width, int64_t height)
{
    constexpr int side = tile + M - 1;
    __shared__ float s[side][side];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int64_t x = (int64_t)blockIdx.x * tile + tx, y = (int64_t)blockIdx.y * tile + ty;
    s[ty][tx] = cell(in, x - M / 2, y - M / 2, width, height);
    __syncthreads();
    if (tx >= tile || ty >= tile || x >= width || y >= height) return;
    float sum = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) sum = halo_fma(mask_constant[j * M + i], s[ty + j][tx + i], sum);
    out[y * width + x] = sum;
}

/* Coarsened: a larger tile, whose halo weighs less, and several outputs a thread; the block loads the tile
 * together and no thread is idle. A word of shared memory is still read for every tap: the product keeps
 * samples in registers. */
template <int M> __global__ void conv_4(const float *in, float *out, int64_t width, int64_t height)
{
    constexpr int side = wide + M - 1;
    __shared__ float s[side][side];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    const int64_t x0 = (int64_t)blockIdx.x * wide, y0 = (int64_t)blockIdx.y * wide;
    for (int r = ty; r < side; r += lines)
        for (int c = tx; c < side; c += wide) s[r][c] = cell(in, x0 + c - M / 2, y0 + r - M / 2, width, height);
    __syncthreads();
    float sum[each] = {};
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++)
            for (int k = 0; k < each; k++)
                sum[k] = halo_fma(mask_constant[j * M + i], s[ty + k * lines + j][tx + i], sum[k]);
    for (int k = 0; k < each; k++) {
        const int64_t x = x0 + tx, y = y0 + ty + k * lines;
        if (x < width && y < height) out[y * width + x] = sum[k];
    }
}

/* ---- launches ------------------------------------------------------------------------------------------- */

const float *mask_of(int width)
{
    static const float five[] = {1, 2, 3, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5, 4, 3, 2, 3, 4, 3, 2, 1, 2, 3, 2, 1};
    static const float nine[] = {
        1,  2, 3, 4, 5, 4, 3, 2, 1,  2, -3, 4, 5, 6,  5, 4, 3, 2, 3, 4, 5, 6, -7, 6, 5, 4, 3,
        4,  5, 6, 7, 8, 7, 6, 5, -4, 5, 6,  7, 8, -9, 8, 7, 6, 5, 4, 5, 6, 7, 8,  7, 6, 5, 4,
        -3, 4, 5, 6, 7, 6, 5, 4, 3,  2, 3,  4, 5, -6, 5, 4, 3, 2, 1, 2, 3, 4, 5,  4, 3, 2, -1,
    };
    static_assert(sizeof nine == 81 * sizeof(float), "nine by nine");
    return width == 5 ? five : nine;
}

dim3 grid(const LadderRun *run, int side)
{
    return dim3(ladder_blocks(run->size.width, side), ladder_blocks(run->size.height, side));
}

HaloStatus from_global(LadderRun *run)
{
    void *mask;
    CUDA_TRY(cudaGetSymbolAddress(&mask, mask_global));
    const auto kernel = run->size.variant == 5 ? conv_1<5> : conv_1<9>;
    LADDER_LAUNCH(run, kernel, grid(run, tile), dim3(tile, tile), (const float *)run->in, (float *)run->out,
                  (const float *)mask, run->size.width, run->size.height);
    return HALO_OK;
}

using Kernel = void(const float *, float *, int64_t, int64_t);

HaloStatus launch(LadderRun *run, Kernel *kernel, int side, dim3 block)
{
    LADDER_LAUNCH(run, kernel, grid(run, side), block, (const float *)run->in, (float *)run->out,
                  run->size.width, run->size.height);
    return HALO_OK;
}

HaloStatus from_constant(LadderRun *run)
{
    return launch(run, run->size.variant == 5 ? conv_2<5> : conv_2<9>, tile, dim3(tile, tile));
}

HaloStatus tiled(LadderRun *run)
{
    const unsigned side = (unsigned)(tile + run->size.variant - 1);
    return launch(run, run->size.variant == 5 ? conv_3<5> : conv_3<9>, tile, dim3(side, side));
}

HaloStatus coarse(LadderRun *run)
{
    return launch(run, run->size.variant == 5 ? conv_4<5> : conv_4<9>, wide, dim3(wide, lines));
}

HaloStatus product(LadderRun *run)
{
    return ladder_product_conv(run, mask_of(run->size.variant), run->size.variant, run->size.variant);
}

/* ---- data ----------------------------------------------------------------------------------------------- */

const float example[7][7] = {{1, 2, 3, 4, 5, 6, 7}, {2, 3, 4, 5, 6, 7, 8}, {3, 4, 5, 6, 7, 8, 9},
                             {4, 5, 6, 7, 8, 5, 6}, {5, 6, 7, 8, 5, 6, 7}, {6, 7, 8, 9, 0, 1, 2},
                             {7, 8, 9, 0, 1, 2, 3}};
constexpr float example_at_2_2 = 321;

HaloStatus constants(HaloDevice *device, const LadderCase *size)
{
    const float *const mask = mask_of(size->variant);
    const size_t bytes = (size_t)(size->variant * size->variant) * sizeof(float);
    CUDA_TRY(cudaMemcpyToSymbolAsync(mask_constant, mask, bytes, 0, cudaMemcpyHostToDevice, device->stream));
    CUDA_TRY(cudaMemcpyToSymbolAsync(mask_global, mask, bytes, 0, cudaMemcpyHostToDevice, device->stream));
    return HALO_OK;
}

void fill(const LadderCase *size, void *in)
{
    float *const value = (float *)in;
    if (size->worked)
        memcpy(in, example, sizeof example);
    else
        for (int64_t i = 0; i < ladder_elements(size); i++)
            value[i] = (float)((int)(ladder_random(i) % 15) - 7) + 0.5f;
}

void expect(const LadderCase *size, const void *in, uint32_t *out)
{
    const float *const value = (const float *)in, *const mask = mask_of(size->variant);
    const int64_t w = size->width, h = size->height, m = size->variant, radius = m / 2;
    for (int64_t y = 0; y < h; y++)
        for (int64_t x = 0; x < w; x++) {
            const int64_t i0 = cuda_max(0, radius - x), i1 = cuda_min(m, w + radius - x);
            const int64_t j0 = cuda_max(0, radius - y), j1 = cuda_min(m, h + radius - y);
            float sum = 0;
            for (int64_t j = j0; j < j1; j++)
                for (int64_t i = i0; i < i1; i++)
                    sum += mask[j * m + i] * value[(y + j - radius) * w + x + i - radius];
            memcpy(&out[y * w + x], &sum, sizeof sum);
        }
    if (size->worked) memcpy(&out[2 * w + 2], &example_at_2_2, sizeof example_at_2_2);
}

/* How many taps a loaded sample serves: a tile of t*t outputs loads (t+m-1)^2 samples for t*t * m*m. */
constexpr double reuse(double t, double m) { return t * t * m * m / ((t + m - 1) * (t + m - 1)); }

#define PREDICTED(tile, mask)                                                                                 \
    {                                                                                                         \
        "reuse at tile " #tile ", mask " #mask, "predicted: tile^2*mask^2 / (tile+mask-1)^2", "", NULL, NULL, \
            NULL, 0, 0, 0, reuse(tile, mask)                                                                  \
    }

const LadderRung rungs[] = {
    {"1 basic", "every tap from global memory, the mask too", "a test for every tap; samples come 25 times",
     from_global},
    {"2 mask in constant memory", "all lanes read one word at once", "samples come 25 times", from_constant},
    {"3 tiled", "a block as large as the input tile, ghost cells", "the rim's threads idle during the sum",
     tiled, NULL, NULL, 0, 0, 0, reuse(tile, 5)},
    {"4 coarsened", "a larger tile, four outputs a thread", "a word of shared memory for every tap", coarse,
     NULL, NULL, 0, 0, 0, reuse(wide, 5)},
    PREDICTED(8, 5),
    PREDICTED(16, 5),
    PREDICTED(32, 5),
    PREDICTED(64, 5),
    PREDICTED(8, 9),
    PREDICTED(16, 9),
    PREDICTED(32, 9),
    PREDICTED(64, 9),
    {"halo conv", "the product: samples and taps in registers", "", product, NULL, NULL, 0, 1},
};

#define AWKWARD(mask)                                                                      \
    {0, 0, mask, false}, {1, 1, mask, false}, {31, 33, mask, false}, {33, 1, mask, false}, \
        {1, 33, mask, false}, {1009, 991, mask, false},                                    \
    {                                                                                      \
        1000003, 1, mask, false                                                            \
    }

const LadderCase sizes[] = {{7, 7, 5, true}, AWKWARD(5), AWKWARD(9), {8192, 8192, 5, false}};

} // namespace

const LadderFamily ladder_conv2d = {
    "conv2d",         4,    8,      true,      sizes, LADDER_COUNT(sizes),
    ladder_word_each, fill, expect, constants, rungs, LADDER_COUNT(rungs),
};
