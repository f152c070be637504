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
    int behind;               /* steps of rows below that windows need */
    int pitch;                /* of a channel's line of samples */
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

/* mean_run_sums of pairs, for windows that end in the run after the first or in the next: ends(k, true) is row
 * k of the latter. At which row of a batch that begins is known to the compiler: each has code of its own. */
template <int Run, typename Pair, typename Starts, typename Ends, typename Put>
CUDA_INLINE void fused_run_sums(int offset, Pair end, Starts starts, Ends ends, Put put)
{
    constexpr int half = Run < MEAN_KEPT ? Run : MEAN_KEPT, batch = half < 4 ? half : 4;
    Pair less(HALO_MEAN_NOTHING);
    const auto next_run = [&]() {
        less = end;
        end = Pair(HALO_MEAN_NOTHING);
    };
#pragma unroll
    for (int part = 0; part < Run; part += half) {
        asm volatile("" ::: "memory"); /* reload, do not keep in registers */
        Pair sum[half], start = starts(Run - 1);
#pragma unroll
        for (int k = Run - 2; k >= part + half; k--) start = starts(k) + start;
#pragma unroll
        for (int k = half - 1; k >= 0; k--) {
            if (part + k < Run - 1) start = starts(part + k) + start;
            sum[k] = start;
        }
#pragma unroll
        for (int first = 0; first < half; first += batch) {
            const int row = part + first, wrap = Run - offset - row;
            Pair made[batch];
            const auto add = [&](auto at) { /* the row that wraps; `batch`: none */
                constexpr int wraps = decltype(at)::value;
                Pair v[batch];
#pragma unroll
                for (int u = 0; u < batch; u++)
                    v[u] = ends(row + u, wraps == batch ? wrap <= 0 : u >= wraps);
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    if (u == wraps) next_run();
                    end = end + v[u];
                    made[u] = (sum[first + u] + less) + end;
                }
            };
            if (wrap == 0) next_run();
            switch (wrap) {
            case 1: add(std::integral_constant<int, 1>()); break;
            case 2: add(std::integral_constant<int, 2>()); break;
            case 3: add(std::integral_constant<int, (batch < 3 ? batch : 3)>()); break;
            default: add(std::integral_constant<int, batch>()); break;
            }
            put(row, made);
        }
    }
}

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
