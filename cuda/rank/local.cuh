/* What is made of the samples of windows one by one. */
#ifndef HALO_CUDA_LOCAL_CUH
#define HALO_CUDA_LOCAL_CUH

#include "common.cuh"
#include "halo/local.h"
#include "halo/numerics.h"
#include "target.cuh"

HaloStatus cuda_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                      HaloStore store);

struct LocalArgs : CudaTarget {
    const char *src;                                 /* at the first sample that it holds, (x0, y0) */
    int64_t src_stride, src_x, src_y, width, height; /* of the picture */
    HaloDtype src_dtype;
    int channels;
    HaloWindow window;
    HaloLocalKind kind;
    bool flat;
    int64_t members;
    const HaloMember *member;
    HaloBins bins;
    const int64_t *information; /* of counts */
};

/* An output, and its window. */
struct LocalPlace {
    int64_t x, y;
    int c;
};

CUDA_INLINE float local_sample(const LocalArgs &a, const LocalPlace &p, int64_t i, int64_t j)
{
    int64_t u = p.x + a.window.ox + i, v = p.y + a.window.oy + j;
    if ((uint64_t)u >= (uint64_t)a.width) u = halo_border_index(u, a.width, a.window.border);
    if ((uint64_t)v >= (uint64_t)a.height) v = halo_border_index(v, a.height, a.window.border);
    if (u < 0 || v < 0) return halo_border_value(a.window.border, a.window.value);
    const char *const row = a.src + (v - a.src_y) * a.src_stride;
    const int64_t e = (u - a.src_x) * a.channels + p.c;
    float made = 0.0f;
    cuda_typed(a.src_dtype, [&](auto zero) { made = (float)((const decltype(zero) *)row)[e]; });
    return made;
}

/* Integers in the order of floats, -0 before +0. */
CUDA_INLINE int local_key(float v, int odd)
{
    const int bits = __float_as_int(v);
    return v != v ? odd : bits ^ (bits >> 31 & 0x7fffffff);
}

CUDA_INLINE float local_value(int key) { return __int_as_float(key ^ (key >> 31 & 0x7fffffff)); }

/* local_mad.cu: medians of distances from the median, of windows whose samples fit shared memory. */
bool local_mad_takes(const LocalArgs &a);
HaloStatus local_mad(HaloDevice *device, const LocalArgs &a);

#endif
