/* Resampling: what its files share. Tables are in device memory, and kernels look up what they need. */
#ifndef HALO_CUDA_RESAMPLE_CUH
#define HALO_CUDA_RESAMPLE_CUH

#include "common.cuh"
#include "halo/resample.h"
#include "point/quantise.cuh"

struct ResampleArgs {
    const char *src; /* its first sample is at (src_x, src_y) of the picture */
    char *dst;       /* likewise */
    HaloDtype src_dtype, dst_dtype;
    int64_t src_x, src_y, dst_x, dst_y;
    int64_t src_stride, dst_stride;
    int64_t src_cols;   /* pixels of a row of the source in the buffer */
    int64_t cols, rows; /* pixels of the destination's rectangle */
    int channels;
    HaloResampleAxis x, y; /* with tables on the device */
    HaloStore store;
    unsigned long long *clipped;
};

/* The row of the table for output i, and the first sample that it reads. */
CUDA_INLINE int64_t resample_row(const HaloResampleAxis &axis, int64_t i, int64_t *first)
{
    const int64_t k = i - axis.left, from_right = i - (axis.size - axis.right);
    if (k < 0 || from_right >= 0) {
        const int64_t row = k < 0 ? i : axis.left + axis.up + from_right;
        *first = axis.first[row];
        return row;
    }
    const int64_t turns = k / axis.up, row = axis.left + k - turns * axis.up;
    *first = axis.first[row] + turns * axis.down;
    return row;
}

/* The sum of the taps of element e, whose row of the source begins at `row`. Cut taps outside of the source are
 * left out. */
template <typename S> CUDA_INLINE float resample_horizontal(const ResampleArgs &a, int64_t e, const char *row)
{
    int64_t first;
    const int64_t taps = resample_row(a.x, a.dst_x + e / a.channels, &first);
    const float *const tap = a.x.tap + taps * a.x.taps;
    const S *const from = (const S *)row + (first - a.src_x) * a.channels + e % a.channels;
    int64_t begin = 0, end = a.x.count[taps];
    if (a.x.cut) {
        begin = cuda_max(0, -first);
        end = cuda_min(end, a.x.length - first);
    }
    float sum = 0.0f;
    for (int64_t j = begin; j < end; j++) sum = halo_fma(tap[j], (float)from[j * a.channels], sum);
    return sum;
}

/* Stores element e of row y, both counted in the destination's rectangle. */
CUDA_INLINE void resample_store(const ResampleArgs &a, int64_t e, int64_t y, float v, unsigned *clipped)
{
    cuda_typed(a.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)(a.dst + y * a.dst_stride))[e] = cuda_sample<D>(v, a.store, clipped);
    });
}

/* Stores a thread's outputs, neighbours from element `first` of a row on, at most `left`. */
template <int Own>
CUDA_INLINE void resample_store_own(const ResampleArgs &a, char *row, int64_t first, int left,
                                    const float v[Own], unsigned *clipped)
{
    float made[Own];
#pragma unroll
    for (int k = 0; k < Own; k++) made[k] = v[k];
    if (a.store.num != 1.0f || a.store.den != 1.0f)
#pragma unroll
        for (int k = 0; k < Own; k++) made[k] = halo_rescale(made[k], a.store);
    cuda_typed(a.dst_dtype, [&](auto zero) {
        using D = decltype(zero);
        constexpr int at_once = Own % 4 == 0 ? 4 : 2;
        D *const to = (D *)row + first;
        if (left == Own && sizeof(D) < sizeof(float) && (uintptr_t)to % (at_once * sizeof(D)) != 0) {
            uint32_t n[Own];
            if constexpr (sizeof(D) < sizeof(float)) cuda_round<D, Own>(made, n, clipped);
#pragma unroll
            for (int k = 0; k < Own; k++) to[k] = (D)n[k];
        } else if (left < Own || (uintptr_t)to % (at_once * sizeof(D)) != 0) {
#pragma unroll
            for (int k = 0; k < Own; k++)
                if (k < left) to[k] = cuda_sample<D>(made[k], {1.0f, 1.0f}, clipped);
        } else if constexpr (at_once == 4) {
#pragma unroll
            for (int k = 0; k < Own; k += 4) cuda_store_fours<D, 4, true>(to + k, made + k, clipped);
        } else if constexpr (sizeof(D) == sizeof(float)) {
#pragma unroll
            for (int k = 0; k < Own; k += 2)
                *reinterpret_cast<float2 *>(to + k) =
                    make_float2(cuda_canonical(made[k]), cuda_canonical(made[k + 1]));
        } else {
            uint32_t n[Own];
            cuda_round<D, Own>(made, n, clipped);
#pragma unroll
            for (int k = 0; k < Own; k += 2)
                *reinterpret_cast<CudaPack<D, 2> *>(to + k) = {(D)n[k], (D)n[k + 1]};
        }
    });
}

/* Rows of a slice, close to `usual`, so that all slices fill an integer number of rounds of the resident
 * blocks, `at_once` of them side by side: the last round must not be nearly empty. */
static inline int64_t resample_slice(int64_t rows, int64_t usual, int64_t at_once)
{
    const int64_t rounds = cuda_max(1, (rows + at_once * usual / 2) / (at_once * usual));
    return cuda_max(8, cuda_ceil_div(rows, rounds * at_once));
}

HaloStatus cuda_resample(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloResample *resample,
                         HaloStore store);

/* `area` at half the size (resample_area.cu), without the tables of `args`. */
bool resample_area_takes(const ResampleArgs *args, const HaloResample *host);
HaloStatus resample_area(HaloDevice *device, const ResampleArgs *args);

/* A single row, such as sound (resample_line.cu). */
bool resample_line_takes(const ResampleArgs *args, const HaloResample *host);
HaloStatus resample_line(HaloDevice *device, const ResampleArgs *args, const HaloResample *host);

/* Bytes to 3 : 2 or 2 : 1 by four taps (resample_turn.cu). `host` has the tables; those of `args` are on the
 * device when it runs. */
bool resample_turn_takes(const ResampleArgs *args, const HaloResample *host);
HaloStatus resample_turn(HaloDevice *device, const ResampleArgs *args, const HaloResample *host);

/* In one pass, where the outputs of a block need few taps and little of a row: to more rows (resample_up.cu),
 * or to fewer (resample_strip.cu). The first two do not read the tables of `args`; for the others these are on
 * the device, and `host` has them on the host. */
bool resample_up_takes(const ResampleArgs *args);
bool resample_strip_takes(const ResampleArgs *args, const HaloResample *host);
HaloStatus resample_up(HaloDevice *device, const ResampleArgs *args, const HaloResampleAxis *host);
HaloStatus resample_strip(HaloDevice *device, const ResampleArgs *args, const HaloResample *host);

#endif
