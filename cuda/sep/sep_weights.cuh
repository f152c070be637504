/* Separable masks that ignore NaN: weighted sums of the samples and of 1 for each of them, by the same two
 * passes, then one division. */
#ifndef HALO_CUDA_SEP_WEIGHTS_CUH
#define HALO_CUDA_SEP_WEIGHTS_CUH

#include <math.h>

#include "sep.cuh"

struct SepWeights {
    float total; /* the sum of all taps; where it is 0, samples are counted instead */
    float row;   /* what a whole row weighs, or counts */
    bool every;  /* the total is not finite: every output is recomputed */
};

static inline SepWeights sep_weights(const HaloSep *sep)
{
    float row = 0.0f;
    for (int64_t k = 0; k < sep->window.width; k++) row = row + sep->tap_x[k];
    const float total = halo_column_weight(sep->tap_y, sep->window.height, row);
    return {total, total == 0.0f ? (float)sep->window.width : row, !isfinite(total)};
}

/* Both sums. */
struct alignas(8) SepSum {
    float acc, weight;

    __device__ __forceinline__ void take(const SepWeights &weights, float tap, SepSum v)
    {
        acc = halo_fma(tap, v.acc, acc);
        weight = halo_fma(weights.total == 0.0f ? 1.0f : tap, v.weight, weight);
    }

    __device__ __forceinline__ float value(const SepWeights &weights) const
    {
        if (weights.total != 0.0f) return acc * (weights.total / weight);
        return weight == 0.0f ? nanf("") : acc;
    }
};

/* A sample, as the row pass takes it. */
__device__ __forceinline__ static SepSum sep_sample(float v)
{
    return v != v ? SepSum{0.0f, 0.0f} : SepSum{v, 1.0f};
}

/* A sample outside, as the column pass takes it. */
__device__ __forceinline__ static SepSum sep_outside(const SepWeights &weights, float v)
{
    return v != v ? SepSum{0.0f, 0.0f} : SepSum{v, weights.row};
}

__host__ __device__ static inline int64_t sep_even(int64_t n) { return n + n % 2; }

/* The taps in device memory. */
static HaloStatus sep_taps(HaloDevice *device, const HaloSep *sep, const float **across, const float **down)
{
    const size_t wide = (size_t)sep->window.width * sizeof(float),
                 high = (size_t)sep->window.height * sizeof(float);
    void *workspace;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_TAPS, (int64_t)(wide + high), &workspace));
    CUDA_TRY(cudaMemcpyAsync(workspace, sep->tap_x, wide, cudaMemcpyHostToDevice, device->stream));
    CUDA_TRY(
        cudaMemcpyAsync((char *)workspace + wide, sep->tap_y, high, cudaMemcpyHostToDevice, device->stream));
    *across = (const float *)workspace;
    *down = *across + sep->window.width;
    return HALO_OK;
}

#endif
