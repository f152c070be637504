/* What the convolutions share: what is to be computed, and storing. Every output has one accumulator that takes
 * the taps in row-major order. */
#ifndef HALO_CUDA_CONV_CUH
#define HALO_CUDA_CONV_CUH

#include "halo/combine.h"
#include "point/quantise.cuh"

/* ---- what to compute ------------------------------------------------------------------------------------ */

struct ConvSource {
    const char *data; /* the sample at (x0, y0) */
    int64_t stride, x0, y0;
    int64_t width, height; /* of the whole */
    int64_t x_end, y_end;  /* columns and rows from here on are needed by no output: never read */
    int channels;
    HaloDtype dtype;
    HaloBorder border;
    float value;
};

/* What a walk (walk.cuh) makes of its result and the sample of the source that lies in the same place: how.kind
 * is UNSHARP, ADD, DIFFERENCE or KEEP. */
struct ConvWith {
    bool on;
    HaloCombine how;
    int64_t x0, y0, width, height; /* of the destination, and of the whole: KEEP has margins */
};

/* Points behind a walk's results, which are its alone: neither curves nor alpha (conv_points). */
struct ConvPoints {
    int count;
    HaloPoint point[HALO_MAX_POINTS];
};

struct ConvTarget {
    char *data;
    int64_t stride, cols, rows;
    int channels;
    HaloDtype dtype;
    bool affine;
    float scale, bias;
    HaloStore store;
    ConvWith with;
    ConvPoints points;
    unsigned long long *clipped;
};

/* Are results stored as they are, but for rounding? */
static inline __host__ __device__ bool conv_plain(const ConvTarget &dst)
{
    return !dst.affine && dst.store.num == 1.0f && dst.store.den == 1.0f;
}

struct ConvArgs {
    ConvSource src;
    ConvTarget dst;
    int64_t x_first, y_first; /* the sample under the first tap of the first output */
    int64_t tiles_x;
    int width, height; /* of the mask */
};

/* A buffer of this shape that has no samples, for what asks before there are any. */
static inline HaloBuf conv_outline(const HaloShape *shape)
{
    HaloBuf outline = {};
    outline.shape = *shape;
    outline.rows = shape->height;
    return outline;
}

ConvArgs conv_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store);

/* Adds the points of a map to what is stored; NULL: none. Is the map's result made so? */
void conv_points(ConvArgs *args, const HaloMap *map);
bool conv_points_suit(const HaloMap *map, const HaloShape *shape);

/* A mask of a walk over the source, and points behind it. */
bool conv_points_takes(const HaloShape *src, const HaloShape *dst, const HaloConv *conv);
HaloStatus conv_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                            const HaloMap *points, HaloStore store);

/* The extremes of what a mask of 3 x 3 makes of one channel of bytes or floats, which is not kept: `made` has
 * no data. */
bool conv_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloConv *conv);
HaloStatus conv_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloConv *conv,
                         float found[2]);

/* The kernels of the other files; conv.cu chooses. */
bool conv_fixed_takes(const HaloDevice *device, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_walk_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_walk(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_short_takes(const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_short(HaloDevice *device, const ConvArgs *args, const float *tap);
HaloStatus conv_line(HaloDevice *device, const ConvArgs *args, const float *tap);
/* Pictures of one row or column; and one column under a mask of one as a row. */
bool conv_thin_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_thin(HaloDevice *device, const HaloBuf *src, const ConvArgs *args, const float *tap);
bool conv_thin_turns(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv, HaloBuf *row_src,
                     HaloBuf *row_dst, HaloConv *row);

/* ---- the shape of a block ------------------------------------------------------------------------------- */

__host__ __device__ static inline int conv_round4(int n) { return (n + 3) / 4 * 4; }

/* Where a block and a thread stand: `line` is the thread's group of rows. */
struct ConvPlace {
    int64_t x, y; /* the tile's first output, counted in the destination's rectangle */
    int plane;    /* the thread's channel */
    int group, line;
};

/* 16 bytes of shared memory into four registers. */
__device__ __forceinline__ void conv_load4(float *to, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = v.w;
}

/* ---- storing -------------------------------------------------------------------------------------------- */

__device__ __forceinline__ float conv_affine(const ConvTarget &dst, float acc)
{
    return dst.affine ? halo_fma(acc, dst.scale, dst.bias) : acc;
}

/* One channel: four pixels from (x, y) on, in one access where that is possible. What is asked for beyond the
 * chains is asked for rarely, so one branch tells. */
template <typename D>
__device__ __forceinline__ void conv_store4(const ConvTarget &dst, int channel, int64_t x, int64_t y,
                                            const float acc[4], unsigned *clipped)
{
    D *const to = (D *)(dst.data + y * dst.stride) + x * dst.channels + channel;
    float v[4] = {acc[0], acc[1], acc[2], acc[3]};
    if (!conv_plain(dst)) {
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = cuda_rescale(conv_affine(dst, v[i]), dst.store);
    }
    if (dst.channels == 1 && x + 4 <= dst.cols && cuda_aligned(dst.data, dst.stride, 4 * sizeof(D))) {
        *reinterpret_cast<CudaWord<D> *>(to) = cuda_quantise4<D>(v, clipped);
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (x + i < dst.cols) to[i * dst.channels] = cuda_sample<D>(v[i], {1.0f, 1.0f}, clipped);
}

#endif
