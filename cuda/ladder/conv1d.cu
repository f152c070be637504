/* conv1d: out[i] = sum over j of mask[j] * in[i + j - width/2], zeros outside, masks of 5 (timed) and 9 taps.
 * Samples are odd multiples of a half and masks small integers, so that every order of additions gives the same
 * bits. The published `sum += mask * in` is written as the fma that compilers make of it; halo's build forbids
 * them to. */
#include "ladder.cuh"

namespace
{

constexpr int tile = 256, most = 9; /* outputs a block; the widest mask */

__constant__ float mask_constant[most];
__device__ float mask_global[most];

/* Every tap, and its mask value, from global memory, each with its test for the ends. */
__global__ void conv_1(const float *in, float *out, const float *mask, int width, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * tile + threadIdx.x, first = i - width / 2;
    float sum = 0;
    for (int j = 0; j < width; j++)
        if (first + j >= 0 && first + j < n) sum = halo_fma(mask[j], in[first + j], sum);
    if (i < n) out[i] = sum;
}

/* The mask in constant memory: all lanes read the same word at once. Samples still come `width` times, from
 * the caches at best. */
__global__ void conv_2(const float *in, float *out, int width, int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * tile + threadIdx.x, first = i - width / 2;
    float sum = 0;
    for (int j = 0; j < width; j++)
        if (first + j >= 0 && first + j < n) sum = halo_fma(mask_constant[j], in[first + j], sum);
    if (i < n) out[i] = sum;
}

/* Tiled: the last threads load the left halo, all the centre, the first the right halo, zeros beyond the ends;
 * every sample is then read from memory about once. Three loads a thread, two of them for a few threads. As
 * published the centre is loaded and the output stored without a test, past the end unless n is a multiple of
 * the tile. */
__global__ void conv_3(const float *in, float *out, int width, int64_t n)
{
    __shared__ float s[tile + most - 1];
    const int t = (int)threadIdx.x, radius = width / 2;
    const int64_t i = (int64_t)blockIdx.x * tile + t, left = i - tile, right = i + tile;
    if (t >= tile - radius) s[t - (tile - radius)] = left >= 0 ? in[left] : 0.0f;
    s[radius + t] = i < n ? in[i] : 0.0f;
    if (t < radius) s[radius + tile + t] = right < n ? in[right] : 0.0f;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < width; j++) sum = halo_fma(mask_constant[j], s[t + j], sum);
    if (i < n) out[i] = sum;
}

/* Tiled without halos: taps inside the tile come from shared memory, the others from global memory, where the
 * neighbouring blocks have just brought them into the cache. Simple to load; a test for every tap. */
__global__ void conv_4(const float *in, float *out, int width, int64_t n)
{
    __shared__ float s[tile];
    const int t = (int)threadIdx.x, radius = width / 2;
    const int64_t begin = (int64_t)blockIdx.x * tile, i = begin + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < width; j++) {
        const int64_t at = i - radius + j;
        if (at < 0 || at >= n) continue;
        sum = halo_fma(mask_constant[j], at >= begin && at < begin + tile ? s[at - begin] : in[at], sum);
    }
    if (i < n) out[i] = sum;
}

/* ---- launches ------------------------------------------------------------------------------------------- */

const float *mask_of(int width)
{
    static const float five[] = {1, 2, 3, -2, 1}, nine[] = {1, -2, 3, 4, 5, -4, 3, 2, 1};
    return width == 5 ? five : nine;
}

HaloStatus from_global(LadderRun *run)
{
    void *mask;
    CUDA_TRY(cudaGetSymbolAddress(&mask, mask_global));
    LADDER_LAUNCH(run, conv_1, ladder_blocks(run->n, tile), tile, (const float *)run->in, (float *)run->out,
                  (const float *)mask, run->size.variant, run->n);
    return HALO_OK;
}

using Kernel = void(const float *, float *, int, int64_t);

template <Kernel *K> HaloStatus from_constant(LadderRun *run)
{
    LADDER_LAUNCH(run, K, ladder_blocks(run->n, tile), tile, (const float *)run->in, (float *)run->out,
                  run->size.variant, run->n);
    return HALO_OK;
}

HaloStatus product(LadderRun *run)
{
    return ladder_product_conv(run, mask_of(run->size.variant), run->size.variant, 1);
}

/* ---- data ----------------------------------------------------------------------------------------------- */

HaloStatus constants(HaloDevice *device, const LadderCase *size)
{
    const float *const mask = mask_of(size->variant);
    const size_t bytes = (size_t)size->variant * sizeof(float);
    CUDA_TRY(cudaMemcpyToSymbolAsync(mask_constant, mask, bytes, 0, cudaMemcpyHostToDevice, device->stream));
    CUDA_TRY(cudaMemcpyToSymbolAsync(mask_global, mask, bytes, 0, cudaMemcpyHostToDevice, device->stream));
    return HALO_OK;
}

void fill(const LadderCase *size, void *in)
{
    float *const value = (float *)in;
    for (int64_t i = 0; i < ladder_elements(size); i++)
        value[i] = (float)((int)(ladder_random(i) % 15) - 7) + 0.5f;
}

void expect(const LadderCase *size, const void *in, uint32_t *out)
{
    const float *const value = (const float *)in, *const mask = mask_of(size->variant);
    const int64_t n = ladder_elements(size), radius = size->variant / 2;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = cuda_max(0, radius - i), to = cuda_min(size->variant, n + radius - i);
        float sum = 0;
        for (int64_t j = from; j < to; j++) sum += mask[j] * value[i + j - radius];
        memcpy(&out[i], &sum, sizeof sum);
    }
}

/* How many taps a loaded sample serves in the end: a tile of `t` outputs loads t + m - 1 samples for t * m. */
constexpr double reuse(double t, double m) { return t * m / (t + m - 1); }

#define PREDICTED(tile, mask)                                                                                 \
    {                                                                                                         \
        "reuse at tile " #tile ", mask " #mask, "predicted: tile*mask / (tile+mask-1)", "", NULL, NULL, NULL, \
            0, 0, 0, reuse(tile, mask)                                                                        \
    }

const LadderRung rungs[] = {
    {"1 basic", "every tap from global memory, the mask too", "a test for every tap; samples come 5 times",
     from_global},
    {"2 mask in constant memory", "all lanes read one word at once", "samples come 5 times",
     from_constant<conv_2>},
    {"3 tiled with halos", "left halo, centre and right halo in shared memory",
     "as published loads and stores past the end", from_constant<conv_3>, NULL, NULL, 0, 0, 0, reuse(tile, 5)},
    {"4 tiled, halos from cache", "taps outside the tile from global memory", "a test for every tap",
     from_constant<conv_4>},
    PREDICTED(16, 5),
    PREDICTED(32, 5),
    PREDICTED(64, 5),
    PREDICTED(128, 5),
    PREDICTED(256, 5),
    PREDICTED(16, 9),
    PREDICTED(32, 9),
    PREDICTED(64, 9),
    PREDICTED(128, 9),
    PREDICTED(256, 9),
    {"halo conv", "the product", "", product, NULL, NULL, 0, 1},
};

const LadderCase sizes[] = {LADDER_AWKWARD(5), LADDER_AWKWARD(9), {(int64_t)1 << 26, 1, 5, false}};

} // namespace

const LadderFamily ladder_conv1d = {
    "conv1d",         4,    8,      true,      sizes, LADDER_COUNT(sizes),
    ladder_word_each, fill, expect, constants, rungs, LADDER_COUNT(rungs),
};
