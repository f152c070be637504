/* Variances of small windows in one pass: what a launch is told, sums in pairs, and what becomes of them. */
#ifndef HALO_CUDA_MEAN_ONCE_CUH
#define HALO_CUDA_MEAN_ONCE_CUH

#include "sums.cuh"

/* Rows of a step: whole runs, and not too few between two barriers. */
__host__ __device__ constexpr static int step_of(int run) { return run < 8 ? 8 : run; }

struct DeviationOnce {
    MeanSource source;
    MeanTarget target;
    int width, height;        /* of windows */
    int64_t x, y, cols, rows; /* outputs */
    int64_t begin;            /* the first strip's first row: whole steps */
    unsigned tiles;           /* side by side */
    int runs, steps;          /* of outputs of a block */
    int behind;               /* steps that windows reach below that which they begin in */
    int pitch, ring_pitch;    /* of a channel's line: samples, sums in the ring */
    double count, inverse;
    bool root;
    bool plain; /* results are stored as they are */
};

/* A sum, and that of the squares. */
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

/* sum / count, rounded once: the quotient by the inverse, corrected twice as in mean_divided. */
__device__ __forceinline__ static double quotient(double sum, const DeviationOnce &a)
{
    double q = sum * a.inverse;
    q = fma(fma(-q, a.count, sum), a.inverse, q);
    return fma(fma(-q, a.count, sum), a.inverse, q);
}

/* Of what is normal and above 0 the root, good to 36 bits, if it says so: the GPU guesses by the upper word,
 * and a step of Newton's mends that by a remainder, which tells how far off it was. */
__device__ __forceinline__ static bool quick_root(double *v)
{
    double inverse;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(*v));
    const double guess = *v * inverse, rest = fma(-guess, guess, *v);
    const bool good = (__double2hiint(rest) & INT32_MAX) <= __double2hiint(*v) - (18 << 20);
    *v = fma(rest, 0.5 * inverse, guess);
    return good;
}

/* What is subtracted is rounded as defined. From there on few digits of f64 are enough to round to f32, unless
 * the result lies near the middle between two of them, or is less than normal: those few are made anew. */
template <int Count, typename V>
__device__ __forceinline__ static void deviations(const DeviationOnce &a, const SumPair<V> (&of)[Count],
                                                  float (&made)[Count])
{
    const unsigned off = a.root ? 1u << 16 : 4u; /* last digits */
    double result[Count];
    bool some[Count], good[Count];
    unsigned anew = 0;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const double sum = (double)of[i].sum, apart = (double)of[i].squares - quotient(sum * sum, a);
        result[i] = apart * a.inverse; /* off by two last digits */
        some[i] = !(apart <= 0.0);
        good[i] = true;
    }
    if (a.root)
#pragma unroll
        for (int i = 0; i < Count; i++) good[i] = quick_root(&result[i]);
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const unsigned low = (unsigned)__double2loint(result[i]), high = (unsigned)__double2hiint(result[i]);
        const bool near = (low - (0x10000000u - off)) * 8u <= off * 2u * 8u || high < 0x38100000u;
        made[i] = some[i] ? (float)result[i] : 0.0f;
        anew |= (unsigned)(some[i] && (near || !good[i])) << i;
    }
    if (anew == 0) return;
#pragma unroll
    for (int i = 0; i < Count; i++)
        if (anew >> i & 1) made[i] = deviation_exact((double)of[i].sum, (double)of[i].squares, a.count, a.root);
}

#endif
