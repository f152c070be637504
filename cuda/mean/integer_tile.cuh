/* A tile of integers: the columns of its threads, and where their sums lie in a row of shared memory, channel
 * by channel. Columns outside the picture copy their sums from columns of the tile. */
#ifndef HALO_CUDA_MEAN_INTEGER_TILE_CUH
#define HALO_CUDA_MEAN_INTEGER_TILE_CUH

#include "integer.cuh"

static const int integer_rows = integer_threads / CUDA_WARP; /* of a step: one per warp */
static const int integer_piece = 32;                         /* pixels of a line that a lane adds up */
static const int integer_gap =
    4; /* words skipped after every piece: lanes, which are a piece apart, use different banks */

struct MeanInteger {
    MeanSource source;
    IntegerMeans means;
    int width, height;
    int64_t x, y, cols, rows; /* outputs */
    int lead;                 /* samples before the windows' first, so that words are aligned */
    int tile, strip;          /* columns and rows of outputs of a block */
    unsigned tiles;
    int lanes, lines; /* of a warp: lanes of a line, each of which adds up a piece; lines at once */
    CudaDivisor channels;
    bool words; /* are rows of the source aligned to words? */
};

/* ---- places of sums -------------------------------------------------------------------------------------- */

/* The place of a pixel in a line. */
CUDA_INLINE int line_at(int pixel) { return pixel + pixel / integer_piece * integer_gap; }

/* A line has the sums of one channel of a row. */
__host__ CUDA_INLINE int line_pitch(const MeanInteger &a) { return a.lanes * (integer_piece + integer_gap); }
template <int Words> static constexpr int row_pitch = Words *CUDA_WARP *(integer_piece + integer_gap);

/* With one channel the lead has places, so that four sums are stored at once. */
CUDA_INLINE int line_lead(const MeanInteger &a) { return a.source.channels == 1 ? a.lead : 0; }

/* The place of a pixel's sums in a row. */
CUDA_INLINE int place_of(const MeanInteger &a, int pixel, int channel)
{
    return channel * line_pitch(a) + line_at(line_lead(a) + pixel);
}

/* Where the sums of a thread's columns go; -1: no window holds the column. */
template <int Words> CUDA_INLINE void find_places(const MeanInteger &a, int (&place)[4 * Words])
{
    const int channels = a.source.channels, pixels = a.lanes * integer_piece;
#pragma unroll
    for (int i = 0; i < 4 * Words; i++) {
        const int sample = 4 * ((int)threadIdx.x + i / 4 * integer_threads) + i % 4 - a.lead + line_lead(a);
        const int pixel = sample < 0 ? -1 : a.channels.over(sample);
        const bool there = pixel >= 0 && pixel < pixels;
        place[i] = there ? (sample - pixel * channels) * line_pitch(a) + line_at(pixel) : -1;
    }
}

template <int Words, bool One>
CUDA_INLINE void store_sums(const int (&place)[4 * Words], const uint32_t (&sum)[4 * Words], uint32_t *row)
{
#pragma unroll
    for (int i = 0; i < 4 * Words; i++)
        if constexpr (!One) {
            if (place[i] >= 0) row[place[i]] = sum[i];
        } else if (i % 4 == 0 && place[i] >= 0) {
            *(uint4 *)(row + place[i]) = make_uint4(sum[i], sum[i + 1], sum[i + 2], sum[i + 3]);
        }
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* A thread's sample, of those under windows of `cols` outputs from position x on. */
struct IntegerSample {
    int pixel, channel;
    bool needed, inside;
    int64_t column; /* of the source; -1: the border's own value */
};

CUDA_INLINE IntegerSample sample_of(const MeanInteger &a, int64_t x, int cols, int i)
{
    const MeanSource &s = a.source;
    const int sample = 4 * ((int)threadIdx.x + i / 4 * integer_threads) + i % 4 - a.lead;
    IntegerSample of;
    of.pixel = sample < 0 ? -1 : a.channels.over(sample);
    of.channel = sample - of.pixel * s.channels;
    of.needed = of.pixel >= 0 && of.pixel < cols + a.width - 1;
    const int64_t position = x + s.ox + of.pixel;
    of.column = of.needed ? halo_border_index(position, s.width, s.border) : -1;
    of.inside = of.needed && of.column == position;
    return of;
}

/* What replaces a sample outside. */
static const int no_sample = -1, own_value = -2;

/* Finds the columns of a thread. Words are read if all of them are in memory, and if columns outside equal
 * columns of the tile: then `at` has the places of their sums. Are there any such? */
template <typename S, int Words>
CUDA_INLINE bool find_columns(const MeanInteger &a, int64_t x, int cols, int (&at)[4 * Words],
                              IntegerColumns<S, Words> *c)
{
    const MeanSource &s = a.source;
    const int64_t begin = (x + s.ox - s.x0) * s.channels - a.lead; /* in samples of the buffer's row */
    bool as_words = a.words, beside = false;
#pragma unroll
    for (int j = 0; j < Words; j++) {
        const int64_t word = begin + 4 * ((int)threadIdx.x + j * integer_threads);
        bool any = false;
#pragma unroll 1
        for (int i = 4 * j; i < 4 * j + 4; i++) {
            const IntegerSample of = sample_of(a, x, cols, i);
            const int64_t pixel = of.column - x - s.ox;
            any = any || of.inside;
            beside = beside || of.needed != of.inside;
            as_words = as_words && (of.inside || of.column < 0 || (pixel >= 0 && pixel < cols + a.width - 1));
        }
        as_words = as_words && (!any || (word >= 0 && word + 4 <= s.held * s.channels));
        c->word[j] = s.data + (any ? word : begin & 3) * (int64_t)sizeof(S); /* any word if none is needed */
    }
    integer_repeat((unsigned)s.outside, &c->outside);
    c->at = at;
    c->as_words = __syncthreads_and(as_words);
    beside = __syncthreads_or(beside);
#pragma unroll 1
    for (int i = 0; i < 4 * Words; i++) {
        const IntegerSample of = sample_of(a, x, cols, i);
        if (!c->as_words)
            at[i] = of.column < 0 ? no_sample : (int)((of.column - s.x0) * s.channels) + of.channel;
        else if (!of.needed || of.inside)
            at[i] = no_sample;
        else
            at[i] = of.column < 0 ? own_value : place_of(a, (int)(of.column - x - s.ox), of.channel);
    }
    return c->as_words && beside;
}

/* Fills in the sums of columns outside, for all rows of a step. */
template <int Words, bool One>
CUDA_INLINE void fill_outside(const MeanInteger &a, const int (&at)[4 * Words], const int (&place)[4 * Words],
                              uint32_t *sums)
{
    const uint32_t own = (uint32_t)a.source.outside * (uint32_t)a.height;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4 * Words; i++) {
        const int from = at[i], to = One ? place[i / 4 * 4] + i % 4 : place[i];
        if (from == no_sample) continue;
        uint32_t v[integer_rows];
#pragma unroll
        for (int k = 0; k < integer_rows; k++)
            v[k] = from == own_value ? own : sums[k * row_pitch<Words> + from];
#pragma unroll
        for (int k = 0; k < integer_rows; k++) sums[k * row_pitch<Words> + to] = v[k];
    }
}

#endif
