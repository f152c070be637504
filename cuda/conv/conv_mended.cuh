/* Masks that leave NaN out. A NaN makes NaN of every output whose window holds it, and where there is none all
 * taps take part and weigh what they always do. So outputs are made as if nothing were left out, and those that
 * are NaN are made anew. */
#ifndef HALO_CUDA_CONV_MENDED_CUH
#define HALO_CUDA_CONV_MENDED_CUH

#include "conv.cuh"

/* About how much is made at a time where the destination does not show what is NaN. */
static const int64_t mended_bytes = (int64_t)256 << 20;

/* make(made) makes outputs as f32, as they come from the chains; mend(band, made) stores them, or where they
 * are NaN others, in some rows of the destination, unless both are the same place and it holds them. */
template <typename Make, typename Mend>
static HaloStatus conv_mended(HaloDevice *device, HaloBuf *dst, bool affine, HaloStore store, Make make,
                              Mend mend)
{
    if (dst->shape.dtype == HALO_F32 && !affine && store.num == 1.0f && store.den == 1.0f) {
        CUDA_PASS(make(dst));
        return mend(dst, dst);
    }
    HaloBuf made = *dst, band = *dst;
    made.shape.dtype = HALO_F32;
    made.stride = cuda_ceil_div(halo_row_bytes(&made), 64) * 64;
    const int64_t most = cuda_max(1, cuda_min(dst->rows, mended_bytes / made.stride));
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_FLAT, most * made.stride, &made.data));
    for (int64_t y = 0; y < dst->rows; y += most) {
        band.y0 = made.y0 = dst->y0 + y;
        band.rows = made.rows = cuda_min(most, dst->rows - y);
        band.data = (char *)dst->data + y * dst->stride;
        CUDA_PASS(make(&made));
        CUDA_PASS(mend(&band, &made));
    }
    return HALO_OK;
}

/* What a chain of taps makes of what is not NaN; `total` is the sum of all taps, in their order. */
struct MendedSum {
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
