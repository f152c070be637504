/* Masks that ignore NaN. A NaN makes NaN of every output whose window holds it, and where there is none all
 * taps count. So outputs are first computed as usual, and a fix-up pass recomputes those that are NaN. */
#ifndef HALO_CUDA_CONV_FIXUP_CUH
#define HALO_CUDA_CONV_FIXUP_CUH

#include "conv.cuh"

/* Bytes of a band where the destination cannot hold NaN. */
static const int64_t fixup_bytes = (int64_t)256 << 20;

/* make(made) computes f32 outputs without scaling; fixup(band, made) stores them into rows of the destination,
 * and recomputes those that are NaN. Both may be the same place. */
template <typename Make, typename Fixup>
static HaloStatus conv_fixup(HaloDevice *device, HaloBuf *dst, bool affine, HaloStore store, Make make,
                             Fixup fixup)
{
    if (dst->shape.dtype == HALO_F32 && !affine && store.num == 1.0f && store.den == 1.0f) {
        CUDA_PASS(make(dst));
        return fixup(dst, dst);
    }
    HaloBuf made = *dst, band = *dst;
    made.shape.dtype = HALO_F32;
    made.stride = cuda_ceil_div(halo_row_bytes(&made), 64) * 64;
    const int64_t most = cuda_max(1, cuda_min(dst->rows, fixup_bytes / made.stride));
    made.rows = cuda_min(most, dst->rows);
    const HaloStatus status = cuda_scratch(device, CUDA_SCRATCH_FLAT, most * made.stride, &made.data);
    if (device->asking) return make(&made); /* a workspace query continues with the rest */
    CUDA_PASS(status);
    for (int64_t y = 0; y < dst->rows; y += most) {
        band.y0 = made.y0 = dst->y0 + y;
        band.rows = made.rows = cuda_min(most, dst->rows - y);
        band.data = (char *)dst->data + y * dst->stride;
        CUDA_PASS(make(&made));
        CUDA_PASS(fixup(&band, &made));
    }
    return HALO_OK;
}

/* Accumulates the samples that are not NaN; `total` is the sum of all taps, in their order. */
struct FixupSum {
    float acc, weight;
    bool any;

    __device__ __forceinline__ void take(float tap, float v)
    {
        if (v != v) return;
        any = true;
        weight = weight + tap;
        acc = halo_fma(tap, v, acc);
    }

    __device__ __forceinline__ float value(float total) const
    {
        if (!any) return nanf("");
        return total == 0.0f ? acc : acc * (total / weight);
    }
};

#endif
