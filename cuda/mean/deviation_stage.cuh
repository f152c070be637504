/* Variances of small windows in one pass: how the lines of a step get into shared memory. */
#ifndef HALO_CUDA_MEAN_DEVIATION_STAGE_CUH
#define HALO_CUDA_MEAN_DEVIATION_STAGE_CUH

#include "deviation_fused.cuh"

/* A sample of a line: its offset in a row of the source, in bytes, and its place in the tile. */
struct StagedSample {
    unsigned from;
    int to;
};

CUDA_INLINE int samples_of(const DeviationFused &a, int run)
{
    return (a.runs * run + a.width - 1) * a.source.channels;
}

/* The source's column of a pixel of lines that begin at x; -1: outside, or in no window and not read. */
CUDA_INLINE int64_t column_of(const DeviationFused &a, int64_t x, int pixel)
{
    const int64_t position = x + pixel;
    const bool needed = position >= a.x && position < a.x + a.cols + a.width - 1;
    return needed ? halo_border_index(position + a.source.ox, a.source.width, a.source.border) : -1;
}

/* For all lines of the block. Samples outside are read from the first column. Are there none? */
template <int Run> CUDA_INLINE bool find_samples(const DeviationFused &a, int64_t x, StagedSample *found)
{
    const MeanSource &s = a.source;
    const int64_t size = cuda_size(s.dtype);
    bool inside = true;
    for (int i = (int)threadIdx.x; i < samples_of(a, Run); i += mean_threads) {
        const int pixel = i / s.channels, channel = i - pixel * s.channels;
        const int64_t column = column_of(a, x, pixel);
        found[i].from = (unsigned)(((column < 0 ? 0 : column - s.x0) * s.channels + channel) * size);
        found[i].to = channel * a.pitch + mean_padded(Run, pixel);
        inside = inside && column >= 0;
    }
    return __syncthreads_and(inside);
}

/* Does a block need the source's columns as they are, side by side? */
template <int Run> CUDA_INLINE bool all_within(const DeviationFused &a, int64_t x)
{
    const MeanSource &s = a.source;
    const int64_t end = x + samples_of(a, Run);
    return s.channels == 1 && x >= a.x && end < a.x + a.cols + a.width && x + s.ox >= 0 &&
           end + s.ox <= s.width;
}

/* Stages a warp's lines of a single channel; sample i has the offset from(i). */
template <int Run, typename S, int Lines, typename From>
CUDA_INLINE void stage_single(const char *const (&row)[Lines], int count, float *own, int apart, From from)
{
    constexpr int most = (mean_threads + 2 * Run - 1 + CUDA_WARP - 1) / CUDA_WARP,
                  sure = mean_threads / CUDA_WARP;
    const int lane = (int)(threadIdx.x % CUDA_WARP);
    float *const to = own + mean_padded(Run, lane);
    S v[most][Lines];
#pragma unroll
    for (int k = 0; k < most; k++)
        if (k < sure || lane + k * CUDA_WARP < count) {
            const unsigned offset = from(lane + k * CUDA_WARP);
#pragma unroll
            for (int l = 0; l < Lines; l++)
                if constexpr (sizeof(S) < sizeof(float))
                    v[k][l] = __ldg((const S *)(row[l] + offset));
                else
                    mean_fetch(to + l * apart + mean_padded(Run, k * CUDA_WARP),
                               (const float *)(row[l] + offset));
        }
    if constexpr (sizeof(S) < sizeof(float))
#pragma unroll
        for (int k = 0; k < most; k++)
            if (k < sure || lane + k * CUDA_WARP < count)
#pragma unroll
                for (int l = 0; l < Lines; l++)
                    to[l * apart + mean_padded(Run, k * CUDA_WARP)] = (float)v[k][l];
}

/* Stages a warp's lines of a step; a few samples of each are in flight at a time. */
template <typename S, int Lines>
CUDA_INLINE void stage_lines(const char *const (&row)[Lines], const StagedSample *found, int count, float *own,
                             int apart)
{
    constexpr int batch = 5;
#pragma unroll 1
    for (int first = (int)threadIdx.x % CUDA_WARP; first < count; first += batch * CUDA_WARP) {
        S v[batch][Lines];
        int to[batch];
#pragma unroll
        for (int k = 0; k < batch; k++) {
            if (first + k * CUDA_WARP >= count) continue;
            const StagedSample sample = found[first + k * CUDA_WARP];
            to[k] = sample.to;
#pragma unroll
            for (int l = 0; l < Lines; l++)
                if constexpr (sizeof(S) < sizeof(float))
                    v[k][l] = __ldg((const S *)(row[l] + sample.from));
                else
                    mean_fetch(own + l * apart + sample.to, (const float *)(row[l] + sample.from));
        }
        if constexpr (sizeof(S) < sizeof(float))
#pragma unroll
            for (int k = 0; k < batch; k++)
#pragma unroll
                for (int l = 0; l < Lines; l++)
                    if (first + k * CUDA_WARP < count) own[l * apart + to[k]] = (float)v[k][l];
    }
}

/* Where a column is outside, or a row (a bit per line), samples have a fixed value. */
template <int Run, int Lines>
__device__ __noinline__ static void stage_outside(const DeviationFused &a, int64_t x, const StagedSample *found,
                                                  unsigned outside, float *own, int apart)
{
    mean_fetched();
#pragma unroll 1
    for (int i = (int)threadIdx.x % CUDA_WARP; i < samples_of(a, Run); i += CUDA_WARP) {
        const bool all = column_of(a, x, i / a.source.channels) < 0;
#pragma unroll
        for (int l = 0; l < Lines; l++)
            if (all || (outside >> l & 1)) own[l * apart + found[i].to] = a.source.outside;
    }
}

/* Stages the lines of a step from position y on; `inside`: no column is outside; `within`: as all_within says.
 * Rows outside, and rows in no window, are read from the first row. */
template <int Run, typename S>
CUDA_INLINE void stage_step(const DeviationFused &a, int64_t x, int64_t y, const StagedSample *found,
                            bool inside, bool within, float *tile)
{
    constexpr int warps = mean_threads / CUDA_WARP, lines = fused_step(Run) / warps;
    const MeanSource &s = a.source;
    const int warp = (int)threadIdx.x / CUDA_WARP, count = samples_of(a, Run),
              apart = warps * s.channels * a.pitch;
    const int64_t top = y + s.oy;
    float *const own = tile + warp * s.channels * a.pitch;
    const char *row[lines];
    unsigned outside = 0; /* a bit per line */
    if (top >= 0 && top + fused_step(Run) <= s.height && y >= a.y &&
        y + fused_step(Run) < a.y + a.rows + a.height) {
        row[0] = s.data + (top + warp - s.y0) * s.stride;
#pragma unroll
        for (int l = 1; l < lines; l++) row[l] = row[l - 1] + warps * s.stride;
    } else {
#pragma unroll 1
        for (int l = 0; l < lines; l++) {
            const int64_t position = y + warp + l * warps;
            const bool needed = position >= a.y && position < a.y + a.rows + a.height - 1;
            const int64_t from = needed ? halo_border_index(position + s.oy, s.height, s.border) : -1;
#pragma unroll
            for (int i = 0; i < lines; i++)
                if (i == l) row[i] = s.data + (from < 0 ? 0 : from - s.y0) * s.stride;
            outside |= (unsigned)(from < 0) << l;
        }
    }
    if (within) {
#pragma unroll
        for (int l = 0; l < lines; l++) row[l] += found->from;
        stage_single<Run, S>(row, count, own, apart, [](int i) { return i * (unsigned)sizeof(S); });
    } else if (s.channels == 1) {
        stage_single<Run, S>(row, count, own, apart, [&](int i) { return found[i].from; });
    } else {
        stage_lines<S>(row, found, count, own, apart);
    }
    if (!inside || outside != 0) stage_outside<Run, lines>(a, x, found, outside, own, apart);
}

#endif
