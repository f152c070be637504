/* Mixes channels, and applies gains along time: a thread computes one sample. */
#include "mix.cuh"
#include "rows.cuh"

#include <stdlib.h>
#include <string.h>

#include "halo/fade.h"
#include "halo/mix.h"

static const int mix_threads = 256;

/* The samples of the destination's rectangle, and those at the same positions of the source. */
struct MixPlaces {
    const char *src; /* the source's sample at the destination's first */
    char *dst;
    HaloDtype src_dtype, dst_dtype;
    int64_t src_stride, dst_stride;
    int64_t row_blocks, n; /* samples of a row */
    int src_channels, channels;
    HaloStore store;
    unsigned long long *clipped;
};

static MixPlaces places_of(const HaloDevice *device, const HaloBuf *src, HaloBuf *dst, HaloStore store)
{
    MixPlaces p = {};
    p.src = (const char *)halo_at(src, dst->x0, dst->y0);
    p.dst = (char *)dst->data;
    p.src_dtype = src->shape.dtype;
    p.dst_dtype = dst->shape.dtype;
    p.src_stride = src->stride;
    p.dst_stride = dst->stride;
    p.n = dst->cols * dst->shape.channels;
    p.row_blocks = cuda_ceil_div(p.n, mix_threads);
    p.src_channels = src->shape.channels;
    p.channels = dst->shape.channels;
    p.store = store;
    p.clipped = device->clipped;
    return p;
}

CUDA_INLINE float get(const MixPlaces &p, int64_t y, int64_t e)
{
    return row_sample(p.src + y * p.src_stride, p.src_dtype, e);
}

CUDA_INLINE void put(const MixPlaces &p, int64_t y, int64_t e, float v, unsigned *clipped)
{
    cuda_typed(p.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)(p.dst + y * p.dst_stride))[e] = cuda_sample<D>(v, p.store, clipped);
    });
}

/* ---- channels -------------------------------------------------------------------------------------------- */

/* begin: [channels + 1], then the terms. */
__global__ static void __launch_bounds__(mix_threads)
    mix_kernel(const __grid_constant__ MixPlaces p, const int *begin, const HaloMixTerm *term)
{
    const int64_t y = blockIdx.x / p.row_blocks, e = (blockIdx.x % p.row_blocks) * mix_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < p.n) {
        const int64_t pixel = e / p.channels, from = pixel * p.src_channels;
        const int c = (int)(e - pixel * p.channels), first = begin[c], end = begin[c + 1];
        float sum = 0.0f;
        for (int t = first; t < end; t++)
            sum = halo_mix_add(term[t], get(p, y, from + term[t].channel), t == first, sum);
        put(p, y, e, sum, &clipped);
    }
    cuda_count_clipped(p.clipped, clipped);
}

HaloStatus cuda_mix(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloMix *mix, HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    const size_t begins = (sizeof(int) * (size_t)(mix->channels + 1) + 7) / 8 * 8; /* terms are aligned */
    const size_t terms = sizeof(HaloMixTerm) * (size_t)mix->begin[mix->channels], bytes = begins + terms;
    void *there;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, (int64_t)bytes, &there));
    char *const host = (char *)malloc(bytes);
    if (host == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    memcpy(host, mix->begin, sizeof(int) * (size_t)(mix->channels + 1));
    memcpy(host + begins, mix->term, terms);
    const cudaError_t error = cudaMemcpyAsync(there, host, bytes, cudaMemcpyHostToDevice, device->stream);
    free(host); /* pageable memory has been copied by now */
    if (error != cudaSuccess) return cuda_fail(error, "cudaMemcpyAsync");
    const MixPlaces p = places_of(device, src, dst, store);
    CUDA_LAUNCH(device, mix_kernel, p.row_blocks * dst->rows, mix_threads, 0, p, (const int *)there,
                (const HaloMixTerm *)((const char *)there + begins));
    return HALO_OK;
}

/* ---- gains ----------------------------------------------------------------------------------------------- */

struct FadeArgs {
    int64_t x, width; /* of the rectangle, and of the sound */
    int64_t in, out;
    const float *gain;
};

__global__ static void __launch_bounds__(mix_threads)
    fade_kernel(const __grid_constant__ MixPlaces p, const __grid_constant__ FadeArgs a)
{
    const int64_t y = blockIdx.x / p.row_blocks, e = (blockIdx.x % p.row_blocks) * mix_threads + threadIdx.x;
    unsigned clipped = 0;
    if (e < p.n) {
        const int64_t x = a.x + e / p.channels, left = a.width - 1 - x;
        float v = get(p, y, e);
        if (x < a.in) v = v * halo_fade_gain(a.gain, x, a.in);
        if (left < a.out) v = v * halo_fade_gain(a.gain, left, a.out);
        put(p, y, e, v, &clipped);
    }
    cuda_count_clipped(p.clipped, clipped);
}

HaloStatus cuda_fade(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloFade *fade,
                     HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    const size_t bytes = sizeof(float) * (HALO_FADE_PLACES + 1);
    void *there;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, (int64_t)bytes, &there));
    CUDA_TRY(cudaMemcpyAsync(there, fade->gain, bytes, cudaMemcpyHostToDevice, device->stream));
    const MixPlaces p = places_of(device, src, dst, store);
    const FadeArgs a = {dst->x0, dst->shape.width, fade->in, fade->out, (const float *)there};
    CUDA_LAUNCH(device, fade_kernel, p.row_blocks * dst->rows, mix_threads, 0, p, a);
    return HALO_OK;
}
