/* What all convolutions share: their arguments, and storing. Every output has one accumulator that takes the
 * taps in row-major order. */
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

/* How a rolling kernel (rolling.cuh) combines its result with the source sample at the same place: how.kind is
 * UNSHARP, ADD, DIFFERENCE or KEEP. */
struct ConvWith {
    bool on;
    HaloCombine how;
    int64_t x0, y0, width, height; /* of the destination, and of the whole: KEEP has margins */
};

/* Point operations on the results of a rolling kernel (conv_set_points): neither curves nor alpha. */
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

/* A buffer of this shape without samples, for decisions that are made before there are any. */
static inline HaloBuf conv_outline(const HaloShape *shape)
{
    HaloBuf outline = {};
    outline.shape = *shape;
    outline.rows = shape->height;
    return outline;
}

ConvArgs conv_args(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv, HaloStore store);

/* conv_set_points adds the point operations of a map to the store (NULL: none); conv_points_suit: can it? */
void conv_set_points(ConvArgs *args, const HaloMap *map);
bool conv_points_suit(const HaloMap *map, const HaloShape *shape);

/* A mask that has a rolling kernel, followed by point operations. */
bool conv_points_takes(const HaloShape *src, const HaloShape *dst, const HaloConv *conv);
HaloStatus conv_then_points(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloConv *conv,
                            const HaloMap *points, HaloStore store);

/* The minimum and maximum of the result of a 3 x 3 mask over one channel of u8 or f32, which is not stored:
 * `made` has no data. */
bool conv_extremes_takes(const HaloShape *src, const HaloShape *made, const HaloConv *conv);
HaloStatus conv_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloConv *conv,
                         float found[2]);

/* The kernels of the other files; conv.cu chooses. */
bool conv_fixed_takes(const HaloDevice *device, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_fixed(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_rolling_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_rolling(HaloDevice *device, const ConvArgs *args, const float *tap);
bool conv_short_takes(const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_short(HaloDevice *device, const ConvArgs *args, const float *tap);
HaloStatus conv_line(HaloDevice *device, const ConvArgs *args, const float *tap);
/* Images of one row or one column; and one column under a mask of one column, as a row. */
bool conv_single_takes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv);
HaloStatus conv_single(HaloDevice *device, const HaloBuf *src, const ConvArgs *args, const float *tap);
bool conv_single_transposes(const HaloBuf *src, const HaloBuf *dst, const HaloConv *conv, HaloBuf *row_src,
                            HaloBuf *row_dst, HaloConv *row);

/* ---- the shape of a block ------------------------------------------------------------------------------- */

__host__ __device__ static inline int conv_round4(int n) { return (n + 3) / 4 * 4; }

/* The position of a block and a thread; `line` is the thread's group of rows. */
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

/* Stores four pixels of one channel from (x, y) on, in one access where possible. Scaling is rare, so one
 * branch decides. */
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
