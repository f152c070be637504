#include "leaf.h"

const void *cpu_leaf_samples(HaloDevice *device, const HaloBuf *src, int64_t first, int64_t n, int c,
                             int wanted, char *workspace)
{
    const HaloDtype dtype = src->shape.dtype;
    const int64_t width = src->shape.width, channels = src->shape.channels,
                  size = (int64_t)halo_dtype_size(dtype);
    const char *at = (const char *)halo_at(src, first % width, first / width) + c * size;
    const bool in_row = first % width + n <= width || src->stride == width * size;
    if (channels == 1 && in_row && (uintptr_t)at % (uintptr_t)size == 0) return at;
    for (int64_t done = 0; done < n;) {
        const int64_t x = (first + done) % width, y = (first + done) / width;
        const int64_t count = least(width - x, n - done);
        at = (const char *)halo_at(src, x, y) + c * size;
        device->kernels->reduce->gather[dtype](at, count, channels, wanted, workspace + done * size, HALO_LEAF);
        done += count;
    }
    return workspace;
}
