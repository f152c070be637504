/* Sums of a few values, as all kernels of means add them: docs/numerics.md, "Means of windows". */
#ifndef HALO_CUDA_MEAN_SUMS_CUH
#define HALO_CUDA_MEAN_SUMS_CUH

#include "mean.cuh"

/* The sum of the window of value(0), value(1), …, whose first is at this position: at most 2 * HALO_MEAN_RUN
 * values, so that at most one complete run lies between. Runs are powers of two. */
template <typename F> __device__ __forceinline__ double mean_window(int position, int window, F value)
{
    if (window == 1) return value(0);
    const int run = min(HALO_MEAN_RUN, 1 << (31 - __clz(window - 1))), place = position & (run - 1);
    const int end = run - place, last = ((place + window - 1) & -run) - place;
    double sum = value(end - 1), later = value(last);
#pragma unroll 4
    for (int i = end - 2; i >= 0; i--) sum = value(i) + sum;
    if (last > end) {
        double total = value(end);
#pragma unroll 4
        for (int i = end + 1; i < last; i++) total = total + value(i);
        sum = sum + total;
    }
#pragma unroll 4
    for (int i = last + 1; i < window; i++) later = later + value(i);
    return sum + later;
}

/* The sum of the first `offset` samples of a run, at most Run - 1: ends(i) is sample i. Loads are issued ahead
 * of the sums. T is double, or adds like one. */
template <int Run, typename T = double, typename Ends> CUDA_INLINE T mean_ahead(int offset, Ends ends)
{
    constexpr int batch = Run < 4 ? Run : 4;
    T end = T(HALO_MEAN_NOTHING);
    int i = 0;
#pragma unroll 1
    for (; i + batch <= offset; i += batch) {
        T v[batch];
#pragma unroll
        for (int u = 0; u < batch; u++) v[u] = ends(i + u);
#pragma unroll
        for (int u = 0; u < batch; u++) end = end + v[u];
    }
#pragma unroll 1
    for (; i < offset; i++) end = end + ends(i);
    return end;
}

/* The sums of the samples starts(k) of a run to its end, for `Half` of its rows from `part` on. */
template <int Run, int Half, typename T, typename Starts>
CUDA_INLINE void mean_suffix_sums(int part, Starts starts, T sum[Half])
{
    asm volatile("" ::: "memory"); /* reload, do not keep in registers */
    T start = starts(Run - 1);
#pragma unroll
    for (int k = Run - 2; k >= part + Half; k--) start = starts(k) + start;
#pragma unroll
    for (int k = Half - 1; k >= 0; k--) {
        if (part + k < Run - 1) start = starts(part + k) + start;
        sum[k] = start;
    }
}

/* The sums of the windows that begin in a run: calls put(k, sums) for groups of its rows, which begin at
 * starts(k) and end at ends(k). Row 0 ends `offset` samples into a run, whose sum is in *end; row `Run -
 * offset` ends in the next run. `less` is the sum between the two runs, `more` has one run more, for windows
 * that end in the next. `next`: windows end in the run after the first, whose sum then becomes the sum between.
 * Suffix sums of a long run are kept for half of its rows at a time, and computed twice for the second half:
 * registers cost more than additions. Rows from `upto` on are not needed. */
template <int Run, typename T, typename Starts, typename Ends, typename Put>
CUDA_INLINE void mean_run_sums(int offset, bool next, T less, T more, Starts starts, Ends ends, T *end, Put put,
                               int upto = Run)
{
    constexpr int half = Run < MEAN_KEPT ? Run : MEAN_KEPT, most = std::is_arithmetic<T>::value ? 8 : 4,
                  batch = half < most ? half : most;
    const int wrap = Run - offset;
#pragma unroll
    for (int part = 0; part < Run; part += half) {
        if (part > 0 && part >= upto) return;
        T sum[half];
        mean_suffix_sums<Run, half>(part, starts, sum);
#pragma unroll
        for (int first = 0; first < half; first += batch) {
            const int row = part + first;
            T v[batch];
#pragma unroll
            for (int u = 0; u < batch; u++) v[u] = ends(row + u);
            const auto next_run = [&]() {
                less = next ? *end : more;
                *end = T(HALO_MEAN_NOTHING);
            };
            if (row < wrap && wrap < row + batch) { /* rare: look at every row */
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    if (row + u == wrap) next_run();
                    *end = *end + v[u];
                    sum[first + u] = (sum[first + u] + less) + *end;
                }
            } else {
                if (row == wrap) next_run();
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    *end = *end + v[u];
                    sum[first + u] = (sum[first + u] + less) + *end;
                }
            }
            T some[batch];
#pragma unroll
            for (int u = 0; u < batch; u++) some[u] = sum[first + u];
            put(row, some);
        }
    }
}

#endif
