/* From sums to means: quotients, rounded as defined. */
#ifndef HALO_CUDA_MEAN_QUOTIENTS_CUH
#define HALO_CUDA_MEAN_QUOTIENTS_CUH

#include "common.cuh"

/* Sums become means: sum / count, or sum * scale over counts per window. */
struct MeanFinish {
    double count, inverse; /* the rounded inverse */
    double scale;
    const double *counts; /* [rows][n] from the target's first row; NULL: `count` */
};

/* sum / count, rounded once, and then to f32: the product by the inverse is corrected twice by its remainder.
 * P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990. Sums are of
 * f32, so none is too small. */
__device__ __noinline__ static float mean_divided(double sum, double count, double inverse)
{
    const double first = sum * inverse;
    double q = fma(fma(-first, count, sum), inverse, first);
    q = fma(fma(-q, count, sum), inverse, q);
    return (float)q;
}

/* The same for several sums. The product by the inverse is off by less than 3 ulp, which changes the f32 only
 * if it lies as close to the middle between two of them, or is subnormal; only those are divided exactly. -0
 * keeps its sign, infinities and NaN stay. */
template <int Count>
CUDA_INLINE void mean_quotients(const double sum[Count], const MeanFinish &f, float mean[Count])
{
    bool close = false;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const double q = sum[i] * f.inverse;
        const unsigned low = (unsigned)__double2loint(q), high = (unsigned)__double2hiint(q);
        close |= (low - (0x10000000u - 4u)) * 8u <= 8u * 8u || high * 2u - 1u < 0x38100000u * 2u - 1u;
        mean[i] = (float)q;
    }
    if (!close) return;
#pragma unroll 1
    for (int i = 0; i < Count; i++) {
        double s = sum[0];
#pragma unroll
        for (int k = 1; k < Count; k++) s = i == k ? sum[k] : s;
        const float m = s == 0.0 || s - s != 0.0 ? (float)(s * f.inverse) : mean_divided(s, f.count, f.inverse);
#pragma unroll
        for (int k = 0; k < Count; k++) mean[k] = i == k ? m : mean[k];
    }
}

/* The same over a count per window. */
__device__ __noinline__ static float mean_over(double sum, double count)
{
    return count == 0.0 ? halo_canonical(NAN) : (float)(sum / count);
}

CUDA_INLINE float mean_counted(double sum, const MeanFinish &f, double count)
{
    return mean_over(sum * f.scale, count);
}

#endif
