/* From control points to rows of the result (halo/sep_fast.h). A thread goes down four neighbouring numbers;
 * the six control points around a row are in its registers. */
#include "fast.cuh"

/* The spans that a thread's numbers lie in. */
struct FromPlace {
    int at[fast_own]; /* floats into a row of the rest */
    float way[fast_own];
};

__device__ static FromPlace from_place(const FastInterpolate &args, int64_t e)
{
    FromPlace p = {};
#pragma unroll
    for (int i = 0; i < fast_own; i++) {
        const int64_t pixel = (e + i) / args.channels, c = (e + i) % args.channels;
        const int64_t x = args.x + cuda_min(pixel, args.dst.cols / args.channels - 1) - args.span / 2 -
                          args.first * args.span;
        p.at[i] = (int)(c * args.rest.plane + x / args.span);
        p.way[i] = ((float)(x % args.span) + 0.5f) / (float)args.span;
    }
    return p;
}

/* The residual of a row while it is loaded. One: a channel, whose four numbers lie in one span, or two
 * neighbouring ones. */
template <bool One> struct FromRest {
    float at[One ? 3 : 2 * fast_own];
};

__device__ __forceinline__ static void from_load(const float *row, const FromPlace &p, FromRest<true> &rest)
{
    const float *const at = row + p.at[0];
    rest.at[0] = __ldg(at);
    rest.at[1] = __ldg(at + 1);
    rest.at[2] = p.at[fast_own - 1] > p.at[0] ? __ldg(at + 2) : 0.0f;
}

__device__ __forceinline__ static void from_load(const float *row, const FromPlace &p, FromRest<false> &rest)
{
#pragma unroll
    for (int i = 0; i < fast_own; i++) {
        rest.at[2 * i] = __ldg(row + p.at[i]);
        rest.at[2 * i + 1] = __ldg(row + p.at[i] + 1);
    }
}

template <bool One>
__device__ __forceinline__ static void from_rest(const FromRest<One> &rest, const FromPlace &p,
                                                 float sum[fast_own])
{
#pragma unroll
    for (int i = 0; i < fast_own; i++) {
        const bool next = One && p.at[i] > p.at[0];
        const float here = One ? (next ? rest.at[1] : rest.at[0]) : rest.at[2 * i];
        const float there = One ? (next ? rest.at[2] : rest.at[1]) : rest.at[2 * i + 1];
        sum[i] = halo_fma(p.way[i], there - here, here);
    }
}

template <typename D, bool Rest, bool One>
__global__ static void __launch_bounds__(fast_threads, fast_blocks)
    from_kernel(const __grid_constant__ FastInterpolate args)
{
    const int64_t e = ((int64_t)(blockIdx.x % args.tiles_x) * fast_threads + threadIdx.x) * fast_own;
    const int64_t top = (int64_t)(blockIdx.x / args.tiles_x) * args.each,
                  bottom = cuda_min(top + args.each, args.dst.rows);
    unsigned clipped = 0;
    if (e < args.dst.cols) {
        const FromPlace place = from_place(args, e);
        const int64_t cell = (args.y + top) / args.step - args.y / args.step;
        const float *control = args.smooth.data + cell * args.smooth.stride + e,
                    *rest = args.rest.data + top * args.rest.stride;
        const float *const last = args.smooth.data + (args.smooth.rows - 1) * args.smooth.stride + e;
        int phase = (int)((args.y + top) % args.step);
        char *to = args.dst.data + top * args.dst.stride + e * (int64_t)sizeof(D);
        const bool usual = conv_plain(args.dst) && e + fast_own <= args.dst.cols &&
                           cuda_aligned(args.dst.data, args.dst.stride, sizeof(CudaWord<D>));
        float v[HALO_SEP_SUPPORT + 1][fast_own]; /* the last one is not in use yet */
#pragma unroll
        for (int w = 0; w <= HALO_SEP_SUPPORT; w++, control += args.smooth.stride)
            conv_load4(v[w], control < last ? control : last);
        FromRest<One> next = {};
        if (Rest) from_load(rest, place, next);
#pragma unroll 1
        for (int64_t y = top; y < bottom; y++) {
            const float4 low = args.taps.at[2 * phase], high = args.taps.at[2 * phase + 1];
            const float t[HALO_SEP_SUPPORT] = {low.x, low.y, low.z, low.w, high.x, high.y};
            float sum[fast_own] = {};
            if (Rest) {
                from_rest(next, place, sum);
                if (y + 1 < bottom) rest += args.rest.stride;
                from_load(rest, place, next);
            }
#pragma unroll
            for (int w = 0; w < HALO_SEP_SUPPORT; w++)
#pragma unroll
                for (int i = 0; i < fast_own; i++) sum[i] = halo_fma(t[w], v[w][i], sum[i]);
            if (usual)
                *reinterpret_cast<CudaWord<D> *>(to) = cuda_quantise4<D>(sum, &clipped);
            else
                conv_store4<D>(args.dst, 0, e, y, sum, &clipped);
            to += args.dst.stride;
            if (++phase < args.step) continue;
            phase = 0;
#pragma unroll
            for (int w = 0; w < HALO_SEP_SUPPORT; w++)
#pragma unroll
                for (int i = 0; i < fast_own; i++) v[w][i] = v[w + 1][i];
            conv_load4(v[HALO_SEP_SUPPORT], control < last ? control : last);
            control += args.smooth.stride;
        }
    }
    cuda_count_clipped(args.dst.clipped, clipped);
}

template <typename D> static HaloStatus launch(HaloDevice *device, const FastInterpolate *args, int64_t blocks)
{
    if (args->rest.rows == 0)
        CUDA_LAUNCH(device, (from_kernel<D, false, true>), blocks, fast_threads, 0, *args);
    else if (args->channels == 1)
        CUDA_LAUNCH(device, (from_kernel<D, true, true>), blocks, fast_threads, 0, *args);
    else
        CUDA_LAUNCH(device, (from_kernel<D, true, false>), blocks, fast_threads, 0, *args);
    return HALO_OK;
}

HaloStatus fast_interpolate(HaloDevice *device, const FastInterpolate *given)
{
    FastInterpolate args = *given;
    args.tiles_x = cuda_ceil_div(args.dst.cols, fast_threads * fast_own);
    const int64_t blocks = args.tiles_x * cuda_ceil_div(args.dst.rows, args.each);
    switch (args.dst.dtype) {
    case HALO_U8: return launch<uint8_t>(device, &args, blocks);
    case HALO_U16: return launch<uint16_t>(device, &args, blocks);
    default: return launch<float>(device, &args, blocks);
    }
}
