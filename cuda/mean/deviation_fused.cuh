/* Variances of small windows in one pass: parameters, pairs of sums, and results. */
#ifndef HALO_CUDA_MEAN_DEVIATION_FUSED_CUH
#define HALO_CUDA_MEAN_DEVIATION_FUSED_CUH

#include "sums.cuh"

/* Rows of a step: complete runs, and not too few between two barriers. */
__host__ __device__ constexpr static int fused_step(int run) { return run < 8 ? 8 : run; }

struct DeviationFused {
    MeanSource source;
    MeanTarget target;
    int width, height;        /* of windows */
    int64_t x, y, cols, rows; /* outputs */
    int64_t begin;            /* the first strip's first row: a multiple of steps */
    unsigned tiles;           /* side by side */
    int runs, steps;          /* of a block: runs across, steps of outputs */
    int behind;               /* steps of rows below that windows need */
    int pitch, ring_pitch;    /* of a channel's line: of samples, of sums in the ring */
    double count, inverse;
    bool root;
    bool plain; /* results are not scaled */
};

/* A sum, and the sum of squares. */
template <typename V> struct SumPair {
    V sum, squares;
    SumPair() = default;
    __device__ __forceinline__ explicit SumPair(double both) : sum((V)both), squares((V)both) {}
    __device__ __forceinline__ SumPair(V s, V q) : sum(s), squares(q) {}
    __device__ __forceinline__ SumPair operator+(const SumPair &b) const
    {
        return {sum + b.sum, squares + b.squares};
    }
};

/* ---- from sums to deviations ----------------------------------------------------------------------------- */

__device__ __noinline__ static float deviation_exact(double sum, double squares, double count, bool root)
{
    const double variance = halo_variance(sum, squares, count);
    return (float)(root ? sqrt(variance) : variance);
}

/* sum / count, rounded once: the product by the inverse, corrected twice as in mean_divided. */
CUDA_INLINE double quotient(double sum, const DeviationFused &a)
{
    double q = sum * a.inverse;
    q = fma(fma(-q, a.count, sum), a.inverse, q);
    return fma(fma(-q, a.count, sum), a.inverse, q);
}

/* The root of a normal value above 0, to 36 bits; false if it is not that accurate: the GPU approximates it
 * from the upper word, and a step of Newton's method corrects it by a remainder, which shows the error. */
CUDA_INLINE bool approximate_root(double *v)
{
    double inverse;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(*v));
    const double guess = *v * inverse, rest = fma(-guess, guess, *v);
    const bool good = (__double2hiint(rest) & INT32_MAX) <= __double2hiint(*v) - (18 << 20);
    *v = fma(rest, 0.5 * inverse, guess);
    return good;
}

/* The difference is rounded as defined. After it few digits of f64 suffice to round to f32, unless the result
 * lies close to the middle between two floats, or is subnormal: those few are computed exactly. */
template <int Count, typename V>
CUDA_INLINE void deviations(const DeviationFused &a, const SumPair<V> (&of)[Count], float (&made)[Count])
{
    const unsigned off = a.root ? 1u << 16 : 4u; /* ulp */
    double result[Count];
    bool some[Count], good[Count];
    unsigned inexact = 0;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const double sum = (double)of[i].sum, apart = (double)of[i].squares - quotient(sum * sum, a);
        result[i] = apart * a.inverse; /* off by 2 ulp */
        some[i] = !(apart <= 0.0);
        good[i] = true;
    }
    if (a.root)
#pragma unroll
        for (int i = 0; i < Count; i++) good[i] = approximate_root(&result[i]);
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const unsigned low = (unsigned)__double2loint(result[i]), high = (unsigned)__double2hiint(result[i]);
        const bool close = (low - (0x10000000u - off)) * 8u <= off * 2u * 8u || high < 0x38100000u;
        made[i] = some[i] ? (float)result[i] : 0.0f;
        inexact |= (unsigned)(some[i] && (close || !good[i])) << i;
    }
    if (inexact == 0) return;
#pragma unroll
    for (int i = 0; i < Count; i++)
        if (inexact >> i & 1)
            made[i] = deviation_exact((double)of[i].sum, (double)of[i].squares, a.count, a.root);
}

#endif
