/* Colours in other coordinates, and through tables: a thread computes four pixels of three or four channels,
 * which lie side by side, or one pixel of any. */
#include "color.cuh"
#include "rows.cuh"

#include "halo/spaces.h"

static const int color_pixels = 4;

struct ColorArgs {
    const char *src; /* the source's pixel at the destination's first */
    char *dst;
    HaloDtype src_dtype, dst_dtype;
    int64_t src_stride, dst_stride, cols;
    int channels, alpha;
    bool src_packed, dst_packed;
    unsigned across; /* blocks in a row */
    HaloColor color; /* its values are on the device */
    HaloStore store;
    unsigned long long *clipped;
};

/* ---- a pixel --------------------------------------------------------------------------------------------- */

/* Three of the four values of an entry are used: one load. */
CUDA_INLINE void color_cube(const HaloColor &color, float v[3])
{
    const float r = halo_table_place(&color, 0, v[0]), g = halo_table_place(&color, 1, v[1]),
                b = halo_table_place(&color, 2, v[2]);
    const float sum = r + g + b;
    if (sum != sum) {
        v[0] = v[1] = v[2] = sum;
        return;
    }
    const HaloTetrahedron t = halo_tetrahedron(color.size, r, g, b);
    const float4 *const entry = (const float4 *)color.value;
    float4 at[4];
#pragma unroll
    for (int k = 0; k < 4; k++) at[k] = __ldg(entry + t.corner[k]);
    v[0] = t.weight[0] * at[0].x;
    v[1] = t.weight[0] * at[0].y;
    v[2] = t.weight[0] * at[0].z;
#pragma unroll
    for (int k = 1; k < 4; k++) {
        v[0] = halo_fma(t.weight[k], at[k].x, v[0]);
        v[1] = halo_fma(t.weight[k], at[k].y, v[1]);
        v[2] = halo_fma(t.weight[k], at[k].z, v[2]);
    }
}

template <HaloColorKind Kind> CUDA_INLINE void color_three(const HaloColor &color, float v[3])
{
    if constexpr (Kind == HALO_COLOR_CUBE) {
        color_cube(color, v);
    } else if constexpr (Kind == HALO_COLOR_GAINS) {
#pragma unroll
        for (int c = 0; c < 3; c++) v[c] = v[c] * color.scale[c];
    } else {
        const HaloTriple made =
            halo_space_convert(&color, halo_triple((double)v[0], (double)v[1], (double)v[2]));
        v[0] = (float)made.x;
        v[1] = (float)made.y;
        v[2] = (float)made.z;
    }
}

/* ---- pixels side by side: three channels, or four, the last of which is alpha ---------------------------- */

template <HaloColorKind Kind, int Channels>
__global__ static void __launch_bounds__(rows_threads) color_kernel(const __grid_constant__ ColorArgs a)
{
    constexpr int count = color_pixels * Channels;
    const RowPlace p = row_place(a.across, color_pixels);
    unsigned clipped = 0;
    if (p.at < a.cols) {
        const int left = (int)cuda_min(color_pixels, a.cols - p.at) * Channels;
        float v[count];
        row_load<count>(v, a.src + p.y * a.src_stride, a.src_dtype, p.at * Channels, left, a.src_packed);
#pragma unroll
        for (int k = 0; k < color_pixels; k++) {
            color_three<Kind>(a.color, v + k * Channels);
            if (Channels == 4) {
                const float white = halo_color_alpha(&a.color);
                if (white != 1.0f) v[k * Channels + Channels - 1] = v[k * Channels + Channels - 1] / white;
            }
        }
        row_store<count>(a.dst + p.y * a.dst_stride, a.dst_dtype, p.at * Channels, left, a.dst_packed, v,
                         a.store, &clipped);
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- any channels ---------------------------------------------------------------------------------------- */

CUDA_INLINE void color_put(const ColorArgs &a, int64_t y, int64_t e, float v, unsigned *clipped)
{
    cuda_typed(a.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)(a.dst + y * a.dst_stride))[e] = cuda_sample<D>(v, a.store, clipped);
    });
}

/* A channel between or before which alpha may lie. */
CUDA_INLINE int color_channel(const ColorArgs &a, int k) { return k + (a.alpha >= 0 && k >= a.alpha); }

template <HaloColorKind Kind>
__global__ static void __launch_bounds__(rows_threads) color_any_kernel(const __grid_constant__ ColorArgs a)
{
    const RowPlace p = row_place(a.across, 1);
    unsigned clipped = 0;
    if (p.at < a.cols) {
        const char *const row = a.src + p.y * a.src_stride;
        const int64_t first = p.at * a.channels;
        const int colours = a.channels - (a.alpha >= 0);
        if constexpr (Kind == HALO_COLOR_CURVES) {
            for (int k = 0; k < colours; k++) {
                const int64_t e = first + color_channel(a, k);
                const int column = a.color.columns > 1 ? k : 0;
                const float v = row_sample(row, a.src_dtype, e);
                color_put(a, p.y, e,
                          halo_table_curve(&a.color, a.color.value + (int64_t)column * a.color.size,
                                           column < 3 ? column : 0, v),
                          &clipped);
            }
        } else {
            float v[3];
#pragma unroll
            for (int k = 0; k < 3; k++) v[k] = row_sample(row, a.src_dtype, first + color_channel(a, k));
            color_three<Kind>(a.color, v);
#pragma unroll
            for (int k = 0; k < 3; k++) color_put(a, p.y, first + color_channel(a, k), v[k], &clipped);
        }
        if (a.alpha >= 0) {
            const float v = row_sample(row, a.src_dtype, first + a.alpha), white = halo_color_alpha(&a.color);
            color_put(a, p.y, first + a.alpha, white != 1.0f ? v / white : v, &clipped);
        }
    }
    cuda_count_clipped(a.clipped, clipped);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

template <HaloColorKind Kind> static HaloStatus launch(HaloDevice *device, ColorArgs &a, int64_t rows)
{
    const bool packs = a.channels == 3 || (a.channels == 4 && a.alpha == 3);
    a.across = (unsigned)row_blocks(a.cols, packs ? color_pixels : 1);
    const int64_t blocks = a.across * rows;
    a.src_packed = row_packs(a.src, a.src_stride, a.src_dtype, color_pixels * a.channels);
    a.dst_packed = row_packs(a.dst, a.dst_stride, a.dst_dtype, color_pixels * a.channels);
    if constexpr (Kind != HALO_COLOR_CURVES) {
        if (packs && a.channels == 3 && a.alpha < 0) {
            CUDA_LAUNCH(device, (color_kernel<Kind, 3>), blocks, rows_threads, 0, a);
            return HALO_OK;
        }
        if (packs && a.channels == 4) {
            CUDA_LAUNCH(device, (color_kernel<Kind, 4>), blocks, rows_threads, 0, a);
            return HALO_OK;
        }
    }
    a.across = (unsigned)row_blocks(a.cols, 1);
    CUDA_LAUNCH(device, (color_any_kernel<Kind>), a.across * rows, rows_threads, 0, a);
    return HALO_OK;
}

static HaloStatus upload_table(HaloDevice *device, HaloColor *color)
{
    const int64_t size = color->size;
    const int64_t values = color->kind == HALO_COLOR_CUBE ? 4 * size * size * size : size * color->columns;
    void *there;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, values * (int64_t)sizeof(float), &there));
    CUDA_TRY(cudaMemcpyAsync(there, color->value, (size_t)values * sizeof(float), cudaMemcpyHostToDevice,
                             device->stream));
    color->value = (float *)there;
    return HALO_OK;
}

HaloStatus cuda_color(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloColor *color,
                      HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    ColorArgs a = {};
    a.color = *color;
    if (color->kind == HALO_COLOR_CUBE || color->kind == HALO_COLOR_CURVES)
        CUDA_PASS(upload_table(device, &a.color));
    a.src = (const char *)halo_at(src, dst->x0, dst->y0);
    a.dst = (char *)dst->data;
    a.src_dtype = src->shape.dtype;
    a.dst_dtype = dst->shape.dtype;
    a.src_stride = src->stride;
    a.dst_stride = dst->stride;
    a.cols = dst->cols;
    a.channels = dst->shape.channels;
    a.alpha = dst->shape.alpha;
    a.store = store;
    a.clipped = device->clipped;
    switch (color->kind) {
    case HALO_COLOR_CONVERT: return launch<HALO_COLOR_CONVERT>(device, a, dst->rows);
    case HALO_COLOR_GAINS: return launch<HALO_COLOR_GAINS>(device, a, dst->rows);
    case HALO_COLOR_CURVES: return launch<HALO_COLOR_CURVES>(device, a, dst->rows);
    default: return launch<HALO_COLOR_CUBE>(device, a, dst->rows);
    }
}
