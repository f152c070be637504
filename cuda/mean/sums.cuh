/* Sums of few, as all kernels of means make them: docs/numerics.md, "Means of windows". */
#ifndef HALO_CUDA_MEAN_SUMS_CUH
#define HALO_CUDA_MEAN_SUMS_CUH

#include "mean.cuh"

/* The sum of the window of value(0), value(1), …, of which the first has this position: at most twice
 * HALO_MEAN_RUN of them, so that one whole run lies between. Runs are powers of two. */
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

/* The sum of the first `offset` samples of a run, at most Run - 1: ends(i) is sample i. Loads go ahead of the
 * sums. T: of a double, or of whatever adds like one. */
template <int Run, typename T = double, typename Ends>
__device__ __forceinline__ static T mean_ahead(int offset, Ends ends)
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

/* The sums of the windows that begin in a run: put(k, sum) of some of its rows, from k on, which are starts(k)
 * and end in ends(k). Row 0 ends `offset` samples into a run, and these are summed in *end; row `Run - offset`
 * begins the next. `less` lies between the two runs, `more` is one run more, for windows that end in the next;
 * where `next`, they end in the run behind the first, and the sum over that is what comes to lie between. Of a
 * long run the sums from its rows to its last are kept for a half at a time, and made twice for the second:
 * registers are dearer than additions. Rows from `upto` on are not asked for. */
template <int Run, typename T, typename Starts, typename Ends, typename Put>
__device__ __forceinline__ static void mean_run_sums(int offset, bool next, T less, T more, Starts starts,
                                                     Ends ends, T *end, Put put, int upto = Run)
{
    constexpr int half = Run < MEAN_KEPT ? Run : MEAN_KEPT, most = std::is_arithmetic<T>::value ? 8 : 4,
                  batch = half < most ? half : most;
    const int turn = Run - offset;
#pragma unroll
    for (int part = 0; part < Run; part += half) {
        if (part > 0 && part >= upto) return;
        asm volatile("" ::: "memory"); /* what is read again is not kept instead */
        T sum[half], start = starts(Run - 1);
#pragma unroll
        for (int k = Run - 2; k >= part + half; k--) start = starts(k) + start;
#pragma unroll
        for (int k = half - 1; k >= 0; k--) {
            if (part + k < Run - 1) start = starts(part + k) + start;
            sum[k] = start;
        }
#pragma unroll
        for (int first = 0; first < half; first += batch) {
            const int row = part + first;
            T v[batch];
#pragma unroll
            for (int u = 0; u < batch; u++) v[u] = ends(row + u);
            const auto turns = [&]() {
                less = next ? *end : more;
                *end = T(HALO_MEAN_NOTHING);
            };
            if (row < turn && turn < row + batch) { /* few ask for every row */
#pragma unroll
                for (int u = 0; u < batch; u++) {
                    if (row + u == turn) turns();
                    *end = *end + v[u];
                    sum[first + u] = (sum[first + u] + less) + *end;
                }
            } else {
                if (row == turn) turns();
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
