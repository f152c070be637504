/* Bilateral filters of any number of channels, from global memory: all channels of a pixel determine its
 * weight, so they cannot be computed one by one. */
#include "bilateral.cuh"

static const int bilateral_together = 4; /* channels that share a thread */

/* A thread makes some channels of a pixel, and all weights for them. */
template <typename S>
__global__ static void __launch_bounds__(bilateral_threads)
    channels_kernel(const __grid_constant__ BilateralArgs a, int parts)
{
    const ConvSource &src = a.all.src;
    const int channels = src.channels;
    const int64_t e = (int64_t)(blockIdx.x % a.all.tiles_x) * bilateral_threads + threadIdx.x, x = e / parts,
                  y = blockIdx.x / a.all.tiles_x;
    const int first = (int)(e % parts) * bilateral_together, count = min(bilateral_together, channels - first);
    const float outside = halo_border_value(src.border, src.value) * a.scale;
    unsigned clipped = 0;
    if (x < a.all.dst.cols) {
        const auto pixel = [&](int64_t px, int64_t py) -> const S * {
            const int64_t ix = halo_border_index(px, src.width, src.border),
                          iy = halo_border_index(py, src.height, src.border);
            if (ix < 0 || iy < 0) return NULL;
            return (const S *)(src.data + (iy - src.y0) * src.stride) + (ix - src.x0) * channels;
        };
        const auto sample = [&](const S *at, int c) { return at ? (float)__ldg(at + c) * a.scale : outside; };
        const S *const middle =
            pixel(a.all.x_first + x + a.all.width / 2, a.all.y_first + y + a.all.height / 2);
        float sum[bilateral_together] = {}, weight = 0.0f;
        for (int j = 0; j < a.all.height; j++)
            for (int i = a.span[j].x; i < a.span[j].y; i++) {
                const S *const at = pixel(a.all.x_first + x + i, a.all.y_first + y + j);
                float rest = __ldg(a.start + (int64_t)j * a.start_pitch + i);
                for (int c = 0; c < channels; c++) {
                    const float d = sample(at, c) - sample(middle, c);
                    rest = halo_fma(-d, d, rest);
                }
                const float w = halo_bilateral_weight(rest, a.bend);
                const bool left_out = a.nan_ignore && rest != rest;
#pragma unroll
                for (int k = 0; k < bilateral_together; k++)
                    if (k < count)
                        sum[k] = halo_fma(
                            w, left_out ? 0.0f : sample(at, first + k) - sample(middle, first + k), sum[k]);
                weight = weight + w;
            }
        char *const row = a.all.dst.data + y * a.all.dst.stride;
        cuda_typed(a.all.dst.dtype, [&](auto zero) {
            using D = decltype(zero);
#pragma unroll
            for (int k = 0; k < bilateral_together; k++)
                if (k < count)
                    ((D *)row)[x * channels + first + k] = cuda_sample<D>(
                        (sample(middle, first + k) + sum[k] / weight) * a.unscale, a.all.dst.store, &clipped);
        });
    }
    cuda_count_clipped(a.all.dst.clipped, clipped);
}

HaloStatus bilateral_channels(HaloDevice *device, BilateralArgs *args)
{
    const int parts = (int)cuda_ceil_div(args->all.src.channels, bilateral_together);
    args->all.tiles_x = cuda_ceil_div(args->all.dst.cols * parts, bilateral_threads);
    const int64_t blocks = args->all.tiles_x * args->all.dst.rows;
    switch (args->all.src.dtype) {
    case HALO_U8:
        CUDA_LAUNCH(device, (channels_kernel<uint8_t>), blocks, bilateral_threads, 0, *args, parts);
        break;
    case HALO_U16:
        CUDA_LAUNCH(device, (channels_kernel<uint16_t>), blocks, bilateral_threads, 0, *args, parts);
        break;
    default: CUDA_LAUNCH(device, (channels_kernel<float>), blocks, bilateral_threads, 0, *args, parts); break;
    }
    return HALO_OK;
}
