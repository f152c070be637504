/* Non-maximum suppression: a block computes the magnitudes of its pixels and their neighbours, in shared
 * memory. */
#include "morphology.cuh"
#include "target.cuh"

static const int suppress_width = 32, suppress_height = 8;

struct SuppressArgs : CudaTarget {
    const char *gx, *gy; /* at the picture's first pixel, whether it is there or not */
    int64_t gx_stride, gy_stride;
    HaloDtype gx_dtype, gy_dtype;
    int64_t width, height; /* of the picture */
    unsigned row_tiles;
};

CUDA_INLINE float gradient_at(const char *first, int64_t stride, HaloDtype dtype, int64_t x, int64_t y)
{
    return region_sample(first + y * stride, dtype, x);
}

/* 0 outside of the picture. */
CUDA_INLINE float magnitude_at(const SuppressArgs &a, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= a.width || y >= a.height) return 0.0f;
    return halo_magnitude(gradient_at(a.gx, a.gx_stride, a.gx_dtype, x, y),
                          gradient_at(a.gy, a.gy_stride, a.gy_dtype, x, y));
}

__global__ static void __launch_bounds__(suppress_width *suppress_height)
    suppress_kernel(const __grid_constant__ SuppressArgs a)
{
    __shared__ float m[suppress_height + 2][suppress_width + 2];
    const int column = (int)threadIdx.x % suppress_width, row = (int)threadIdx.x / suppress_width;
    const int64_t left = (int64_t)(blockIdx.x % a.row_tiles) * suppress_width,
                  top = (int64_t)(blockIdx.x / a.row_tiles) * suppress_height;
    for (int i = (int)threadIdx.x; i < (suppress_height + 2) * (suppress_width + 2);
         i += suppress_width * suppress_height) {
        const int r = i / (suppress_width + 2), k = i % (suppress_width + 2);
        /* no further than the neighbours of what is computed: the sources may have no more */
        const bool needed = left + k <= a.cols + 1 && top + r <= a.rows + 1;
        m[r][k] = needed ? magnitude_at(a, a.x0 + left + k - 1, a.y0 + top + r - 1) : 0.0f;
    }
    __syncthreads();
    unsigned clipped = 0;
    if (left + column < a.cols && top + row < a.rows) {
        const int r = row + 1, k = column + 1;
        const int64_t x = a.x0 + left + column, y = a.y0 + top + row;
        const float ring[8] = {m[r][k - 1], m[r - 1][k - 1], m[r - 1][k], m[r - 1][k + 1],
                               m[r][k + 1], m[r + 1][k + 1], m[r + 1][k], m[r + 1][k - 1]};
        const float made = halo_suppress(gradient_at(a.gx, a.gx_stride, a.gx_dtype, x, y),
                                         gradient_at(a.gy, a.gy_stride, a.gy_dtype, x, y), m[r][k], ring);
        cuda_store(a, top + row, left + column, made, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

HaloStatus cuda_suppress(HaloDevice *device, const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst,
                         HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->shape.channels != 1 || gx->shape.channels != 1 || gy->shape.channels != 1)
        return halo_fail(HALO_ERR_BUG, "internal: gradients of colours");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    SuppressArgs a = {};
    a.gx = cuda_first_of(gx);
    a.gy = cuda_first_of(gy);
    a.gx_stride = gx->stride;
    a.gy_stride = gy->stride;
    a.gx_dtype = gx->shape.dtype;
    a.gy_dtype = gy->shape.dtype;
    a.width = gx->shape.width;
    a.height = gx->shape.height;
    static_cast<CudaTarget &>(a) = cuda_target(device, dst, store);
    a.row_tiles = (unsigned)cuda_ceil_div(dst->cols, suppress_width);
    CUDA_LAUNCH(device, suppress_kernel, a.row_tiles * cuda_ceil_div(dst->rows, suppress_height),
                suppress_width * suppress_height, 0, a);
    return HALO_OK;
}
