/* Where kernels that make pixels one by one store them. */
#ifndef HALO_CUDA_TARGET_CUH
#define HALO_CUDA_TARGET_CUH

#include "common.cuh"

/* The rectangle that is computed, and how its samples are stored. Parameters of kernels extend it. */
struct CudaTarget {
    char *dst; /* at the first pixel of the rectangle */
    int64_t dst_stride, x0, y0, cols, rows;
    HaloDtype dtype;
    HaloStore store;
    unsigned long long *clipped;
};

static inline CudaTarget cuda_target(const HaloDevice *device, const HaloBuf *dst, HaloStore store)
{
    return {(char *)dst->data, dst->stride,      dst->x0, dst->y0,        dst->cols,
            dst->rows,         dst->shape.dtype, store,   device->clipped};
}

/* Stores what v becomes as sample `e` of a row of the rectangle. */
CUDA_INLINE void cuda_store(const CudaTarget &a, int64_t row, int64_t e, float v, unsigned *clipped)
{
    cuda_typed(a.dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)(a.dst + row * a.dst_stride))[e] = cuda_sample<D>(v, a.store, clipped);
    });
}

/* The address that the first pixel of the whole would have, whether it is there or not. */
static inline const char *cuda_first_of(const HaloBuf *src)
{
    return (const char *)src->data - src->y0 * src->stride -
           src->x0 * src->shape.channels * cuda_size(src->shape.dtype);
}

#endif
