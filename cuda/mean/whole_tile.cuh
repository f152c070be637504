/* A tile of whole numbers: which columns its threads have, and where the sums of these lie in a row of shared
 * memory, channel by channel. What lies beside the picture has sums that the tile has anyhow, and takes them
 * from there. */
#ifndef HALO_CUDA_MEAN_WHOLE_TILE_CUH
#define HALO_CUDA_MEAN_WHOLE_TILE_CUH

#include "whole.cuh"

static const int whole_rows = whole_threads / CUDA_WARP; /* of a step: one for each warp */
static const int whole_piece = 32;                       /* pixels of a line that a lane adds up */
static const int whole_gap =
    4; /* left out behind every piece, so that the lanes of a warp, a piece apart, meet other banks */

struct MeanWhole {
    MeanSource source;
    WholeMeans means;
    int width, height;
    int64_t x, y, cols, rows; /* outputs */
    int lead;                 /* samples before the first that a window holds, so that words are read whole */
    int tile, strip;          /* columns and rows of outputs of a block */
    unsigned tiles;
    int lanes, lines; /* of a warp: each adds up a piece of a line; so many lines at once */
    CudaDivisor channels;
    bool words; /* can they be read whole? */
};

/* ---- where sums are -------------------------------------------------------------------------------------- */

/* Where a pixel is in a line. */
__device__ __forceinline__ static int line_at(int pixel) { return pixel + pixel / whole_piece * whole_gap; }

/* A line is the sums of one channel of a row. */
__host__ __device__ __forceinline__ static int line_pitch(const MeanWhole &a)
{
    return a.lanes * (whole_piece + whole_gap);
}
template <int Words> static constexpr int row_pitch = Words *CUDA_WARP *(whole_piece + whole_gap);

/* Of one channel the lead has places, so that four sums are stored at once. */
__device__ __forceinline__ static int line_lead(const MeanWhole &a)
{
    return a.source.channels == 1 ? a.lead : 0;
}

/* Where a pixel of the windows has its sums in a row. */
__device__ __forceinline__ static int place_of(const MeanWhole &a, int pixel, int channel)
{
    return channel * line_pitch(a) + line_at(line_lead(a) + pixel);
}

/* Where the sums of a thread's columns go; -1: no window holds the column. */
template <int Words>
__device__ __forceinline__ static void find_places(const MeanWhole &a, int (&place)[4 * Words])
{
    const int channels = a.source.channels, pixels = a.lanes * whole_piece;
#pragma unroll
    for (int i = 0; i < 4 * Words; i++) {
        const int sample = 4 * ((int)threadIdx.x + i / 4 * whole_threads) + i % 4 - a.lead + line_lead(a);
        const int pixel = sample < 0 ? -1 : a.channels.over(sample);
        const bool there = pixel >= 0 && pixel < pixels;
        place[i] = there ? (sample - pixel * channels) * line_pitch(a) + line_at(pixel) : -1;
    }
}

template <int Words, bool One>
__device__ __forceinline__ static void store_sums(const int (&place)[4 * Words],
                                                  const uint32_t (&sum)[4 * Words], uint32_t *row)
{
#pragma unroll
    for (int i = 0; i < 4 * Words; i++)
        if constexpr (!One) {
            if (place[i] >= 0) row[place[i]] = sum[i];
        } else if (i % 4 == 0 && place[i] >= 0) {
            *(uint4 *)(row + place[i]) = make_uint4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
        }
}

/* ---- which columns --------------------------------------------------------------------------------------- */

/* A sample of a thread's, of those under windows of `cols` outputs from position x on. */
struct WholeSample {
    int pixel, channel;
    bool needed, inside;
    int64_t column; /* of the source; -1: outside, where the border has a value of its own */
};

__device__ __forceinline__ static WholeSample sample_of(const MeanWhole &a, int64_t x, int cols, int i)
{
    const MeanSource &s = a.source;
    const int sample = 4 * ((int)threadIdx.x + i / 4 * whole_threads) + i % 4 - a.lead;
    WholeSample of;
    of.pixel = sample < 0 ? -1 : a.channels.over(sample);
    of.channel = sample - of.pixel * s.channels;
    of.needed = of.pixel >= 0 && of.pixel < cols + a.width - 1;
    const int64_t position = x + s.ox + of.pixel;
    of.column = of.needed ? halo_border_index(position, s.width, s.border) : -1;
    of.inside = of.needed && of.column == position;
    return of;
}

/* What becomes of a sample that lies outside. */
static const int no_sample = -1, own_value = -2;

/* The columns of a thread. All is read as words if these are in memory, and if what lies outside has sums that
 * the block makes: then `at` has their places. Is there any such? */
template <typename S, int Words>
__device__ __forceinline__ static bool find_columns(const MeanWhole &a, int64_t x, int cols,
                                                    int (&at)[4 * Words], WholeColumns<S, Words> *c)
{
    const MeanSource &s = a.source;
    const int64_t begin = (x + s.ox - s.x0) * s.channels - a.lead; /* in samples of the buffer's row */
    bool whole = a.words, beside = false;
#pragma unroll
    for (int j = 0; j < Words; j++) {
        const int64_t word = begin + 4 * ((int)threadIdx.x + j * whole_threads);
        bool any = false;
#pragma unroll 1
        for (int i = 4 * j; i < 4 * j + 4; i++) {
            const WholeSample of = sample_of(a, x, cols, i);
            const int64_t pixel = of.column - x - s.ox;
            any = any || of.inside;
            beside = beside || of.needed != of.inside;
            whole = whole && (of.inside || of.column < 0 || (pixel >= 0 && pixel < cols + a.width - 1));
        }
        whole = whole && (!any || (word >= 0 && word + 4 <= s.held * s.channels));
        c->word[j] = s.data + (any ? word : begin & 3) * (int64_t)sizeof(S); /* of none, any */
    }
    whole_repeat((unsigned)s.outside, &c->outside);
    c->at = at;
    c->whole = __syncthreads_and(whole);
    beside = __syncthreads_or(beside);
#pragma unroll 1
    for (int i = 0; i < 4 * Words; i++) {
        const WholeSample of = sample_of(a, x, cols, i);
        if (!c->whole)
            at[i] = of.column < 0 ? no_sample : (int)((of.column - s.x0) * s.channels) + of.channel;
        else if (!of.needed || of.inside)
            at[i] = no_sample;
        else
            at[i] = of.column < 0 ? own_value : place_of(a, (int)(of.column - x - s.ox), of.channel);
    }
    return c->whole && beside;
}

/* The sums of what lies outside, of all rows of a step. */
template <int Words, bool One>
__device__ __forceinline__ static void fill_outside(const MeanWhole &a, const int (&at)[4 * Words],
                                                    const int (&place)[4 * Words], uint32_t *sums)
{
    const uint32_t own = (uint32_t)a.source.outside * (uint32_t)a.height;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4 * Words; i++) {
        const int from = at[i], to = One ? place[i / 4 * 4] + i % 4 : place[i];
        if (from == no_sample) continue;
        uint32_t v[whole_rows];
#pragma unroll
        for (int k = 0; k < whole_rows; k++) v[k] = from == own_value ? own : sums[k * row_pitch<Words> + from];
#pragma unroll
        for (int k = 0; k < whole_rows; k++) sums[k * row_pitch<Words> + to] = v[k];
    }
}

#endif
