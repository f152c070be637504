/* Variances of small windows in one pass: parameters, pairs of sums, and results. */
#ifndef HALO_CUDA_MEAN_DEVIATION_FUSED_CUH
#define HALO_CUDA_MEAN_DEVIATION_FUSED_CUH

#include "divisor.cuh"
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
    CudaDivisor by_runs, by_channels;
    int behind; /* steps of rows below that windows need */
    int pitch;  /* of a channel's line of samples */
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

/* ---- sums of runs ---------------------------------------------------------------------------------------- */

/* The place of sum `x` of a row in the ring: runs lie apart by a power of two, so the bits of the run's number
 * are XORed with those of the place in it, as far as it takes threads that write to neighbouring runs to use
 * different banks. */
template <int Run, typename Pair> CUDA_INLINE int fused_swizzle(int x)
{
    constexpr int units = 128 / (int)sizeof(Pair);
    return x / (Run > units ? Run : units) & ((Run < units ? Run : units) - 1);
}

/* mean_ahead of pairs: 1, 2, 4 … samples without a loop. */
template <int Run, typename Pair, typename Ends> CUDA_INLINE Pair fused_ahead(int offset, Ends ends)
{
    Pair end(HALO_MEAN_NOTHING);
    int i = 0;
#pragma unroll
    for (int some = Run / 2; some > 0; some /= 2)
        if (offset & some) {
#pragma unroll
            for (int u = 0; u < some; u++) end = end + ends(i + u);
            i += some;
        }
    return end;
}

/* mean_run_sums of pairs, for windows that end in the run after the first or in the next: ends(k, after) is row
 * k, of the latter if `after` says so. At which row of a batch that begins is known to the compiler: each has
 * code of its own, and the sum between the two runs is added only where there is one. */
template <int Run, typename Pair, typename Starts, typename Ends, typename Put>
CUDA_INLINE void fused_run_sums(int offset, Pair end, Starts starts, Ends ends, Put put)
{
    constexpr int half = Run < MEAN_KEPT ? Run : MEAN_KEPT, batch = half < 4 ? half : 4;
    Pair less(HALO_MEAN_NOTHING);
#pragma unroll
    for (int part = 0; part < Run; part += half) {
        Pair sum[half];
        mean_suffix_sums<Run, half>(part, starts, sum);
#pragma unroll
        for (int first = 0; first < half; first += batch) {
            const int row = part + first, wrap = Run - offset - row;
            Pair made[batch];
            const auto add = [&](auto at) { /* the row that wraps; `batch`: none, -1: one before these */
                                            constexpr int wraps = decltype(at)::value;
                                            Pair v[batch];
#pragma unroll
                                            for (int u = 0; u < batch; u++) v[u] = ends(row + u, u >= wraps);
#pragma unroll
                                            for (int u = 0; u < batch; u++) {
                                                if (u == wraps) {
                                                    less = end;
                                                    end = Pair(HALO_MEAN_NOTHING);
                                                }
                                                end = end + v[u];
                                                made[u] = u < wraps ? sum[first + u] + end
                                                                    : (sum[first + u] + less) + end;
                                            }
            };
            switch (wrap) {
            case 0: add(std::integral_constant<int, 0>()); break;
            case 1: add(std::integral_constant<int, 1>()); break;
            case 2: add(std::integral_constant<int, 2>()); break;
            case 3: add(std::integral_constant<int, (batch < 3 ? batch : 3)>()); break;
            default:
                if (wrap > 0)
                    add(std::integral_constant<int, batch>());
                else
                    add(std::integral_constant<int, -1>());
            }
            put(row, made);
        }
    }
}

/* ---- from sums to deviations ----------------------------------------------------------------------------- */

/* sum / count, rounded once: the product by the inverse, corrected twice as in mean_divided. */
CUDA_INLINE double quotient(double sum, const DeviationFused &a)
{
    double q = sum * a.inverse;
    q = fma(fma(-q, a.count, sum), a.inverse, q);
    return fma(fma(-q, a.count, sum), a.inverse, q);
}

__device__ __noinline__ static float deviation_exact(const DeviationFused &a, double sum, double squares)
{
    const double variance = halo_variance(sum, squares, a.count);
    return halo_canonical((float)(a.root ? sqrt(variance) : variance));
}

/* Replaces a normal value above 0 by its root, to 36 bits: the GPU approximates it from the upper word, and a
 * step of Newton's method corrects it by a remainder, which shows the error. *worst becomes at least -(18 <<
 * 20), if it is not that accurate. */
CUDA_INLINE void approximate_root(double *v, int *worst)
{
    double inverse;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(*v));
    const double guess = *v * inverse, rest = fma(-guess, guess, *v);
    *worst = __viaddmax_s32(__double2hiint(rest) & INT32_MAX, -__double2hiint(*v), *worst);
    *v = fma(rest, 0.5 * inverse, guess);
}

/* The difference is rounded as defined. After it few digits of f64 suffice to round to f32, unless the result
 * lies close to the middle between two floats, or is subnormal, 0 or NaN: those few are computed exactly. What
 * says so is tested for all results together. */
template <int Count, typename V>
CUDA_INLINE void deviations(const DeviationFused &a, const SumPair<V> (&of)[Count], float (&made)[Count])
{
    const unsigned off = a.root ? 1u << 16 : 4u; /* ulp */
    const unsigned middle = (off - 0x10000000u) * 8u, least = 0x38100000, finite = 0x7ff00000 - least;
    double result[Count];
#pragma unroll
    for (int i = 0; i < Count; i++) {
        const double sum = (double)of[i].sum, apart = (double)of[i].squares - quotient(sum * sum, a);
        result[i] = apart * a.inverse; /* off by 2 ulp */
    }
    int worst = INT32_MIN;
    if (a.root)
#pragma unroll
        for (int i = 0; i < Count; i++) approximate_root(&result[i], &worst);
    const bool rough = worst > -(18 << 20);
    const auto close = [&](int i) {
        return (unsigned)__double2loint(result[i]) * 8u + middle <= off * 2u * 8u;
    };
    bool inexact = rough;
    unsigned most = 0;
#pragma unroll
    for (int i = 0; i < Count; i++) {
        inexact |= close(i);
        most = __viaddmax_u32((unsigned)__double2hiint(result[i]), 0u - least, most);
        made[i] = (float)result[i];
    }
    if (!inexact && most < finite) return;
#pragma unroll
    for (int i = 0; i < Count; i++)
        if (rough || close(i) || (unsigned)__double2hiint(result[i]) - least >= finite) {
            const double sum = (double)of[i].sum, squares = (double)of[i].squares;
            const bool constant = squares - quotient(sum * sum, a) <= 0.0; /* often, in a drawing */
            made[i] = constant ? 0.0f : deviation_exact(a, sum, squares);
        }
}

#endif
