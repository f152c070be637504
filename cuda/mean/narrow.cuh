/* Horizontal sums of narrow images: a block stages complete lines as they lie in memory, and finds the column
 * of each position of a window once for all of them. A thread computes the outputs that begin in one run of a
 * line; the threads of a warp take the same run of different lines, and look up the same positions together. */
#ifndef HALO_CUDA_MEAN_NARROW_CUH
#define HALO_CUDA_MEAN_NARROW_CUH

#include "horizontal_lines.cuh"
#include "point/quantise.cuh"

struct MeanNarrow {
    MeanHorizontal horizontal;
    int lines;                      /* staged at a time */
    int runs, positions;            /* of a line: of its outputs, and of all its windows */
    int pitch, sums_pitch;          /* of a line in shared memory: of samples, of results */
    int held, outputs;              /* samples of a line in the buffer, and results */
    bool words;                     /* loaded four at a time? */
    CudaDivisor pieces, of_outputs; /* of a line: loads, and outputs */
};

/* ---- samples --------------------------------------------------------------------------------------------- */

/* Where positions from the first run's first sample on lie in a staged line; the border's own value lies after
 * all samples. */
template <int Run> CUDA_INLINE void find_positions(const MeanNarrow &a, int *place)
{
    const MeanHorizontal &l = a.horizontal;
    const MeanSource &s = l.source;
    for (int i = (int)threadIdx.x; i < a.positions; i += (int)blockDim.x) {
        const int64_t position = l.x / Run * Run + i;
        const bool needed = position >= l.x && position < l.x + l.cols + l.window - 1;
        const int64_t column = needed ? halo_border_index(position + s.ox, s.width, s.border) : -1;
        place[i] = column < 0 ? a.held : (int)(column - s.x0) * s.channels;
    }
}

/* Four samples, or one. */
template <typename S> CUDA_INLINE void fetch_piece(float *to, const S *from, bool words)
{
    if constexpr (sizeof(S) == sizeof(float)) {
        mean_fetch(to, from); /* asynchronous */
    } else if (words) {
        const float4 four = cuda_widen4(__ldg(reinterpret_cast<const CudaWord<S> *>(from)));
        to[0] = four.x;
        to[1] = four.y;
        to[2] = four.z;
        to[3] = four.w;
    } else {
        *to = (float)__ldg(from);
    }
}

/* Stages `lines` lines from position y on. */
template <typename S> CUDA_INLINE void stage_lines(const MeanNarrow &a, int64_t y, int lines, float *tile)
{
    const MeanSource &s = a.horizontal.source;
    const float outside = counted(s, s.outside);
    const int64_t first = y + s.oy;
    const int threads = (int)blockDim.x, pieces = (int)a.pieces.n, each = a.words ? 4 : 1;
    const auto at = [&](int64_t row, int e) { return (const S *)(s.data + (row - s.y0) * s.stride) + e; };
    if (first >= 0 && first + lines <= s.height && !s.ignores && !s.counts) {
#pragma unroll 4
        for (int i = (int)threadIdx.x; i < lines * pieces; i += threads) {
            const int l = a.pieces.over(i), e = each * (i - l * pieces);
            fetch_piece(tile + l * a.pitch + e, at(first + l, e), a.words);
        }
    } else {
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < lines * a.held; i += threads) {
            const int l = i / a.held, e = i - l * a.held;
            const int64_t row = halo_border_index(first + l, s.height, s.border);
            tile[l * a.pitch + e] = row < 0 ? outside : counted(s, (float)__ldg(at(row, e)));
        }
    }
    for (int i = (int)threadIdx.x; i < lines * s.channels; i += threads)
        tile[i / s.channels * a.pitch + a.held + i % s.channels] = outside;
    mean_fetched();
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* The sums of the windows that begin in run j, of type V; value(i) is at position i. */
template <int Run, typename V, typename Value, typename Put>
CUDA_INLINE void sum_run(const MeanHorizontal &a, int64_t run, int j, int upto, Value value, Put put)
{
    const int ahead = (int)((a.window - 1) / Run), offset = (int)((a.window - 1) % Run), first = j * Run,
              last = first + ahead * Run;
    const auto total = [&](int i) {
        V sum = value(i);
#pragma unroll 4
        for (int k = 1; k < Run; k++) sum = sum + value(i + k);
        return (double)sum;
    };
    const auto between = [&](int runs) {
        if (runs < 1) return V(HALO_MEAN_NOTHING);
        return (V)mean_window((int)(run + 1), runs, [&](int i) { return total(first + (i + 1) * Run); });
    };
    V end = mean_ahead<Run, V>(offset, [&](int i) { return value(last + i); });
    const V less = between(ahead - 1);
    const V more = ahead == 1 || offset == 0 || upto <= Run - offset ? V(HALO_MEAN_NOTHING) : between(ahead);
    mean_run_sums<Run>(
        offset, ahead == 1, less, more, [&](int k) { return value(first + k); },
        [&](int k) { return value(last + offset + k); }, &end, put, upto);
}

/* The results of staged lines: sums, means, or scaled sums between the passes. V: the type of sums; f32 where
 * it holds all of them. */
template <int Run, typename V, typename Made>
CUDA_INLINE void sum_lines(const MeanNarrow &a, const int *place, const float *tile, int lines, Made *sums)
{
    constexpr bool doubles = sizeof(Made) == sizeof(double);
    const MeanHorizontal &horizontal = a.horizontal;
    const int64_t begun = horizontal.x / Run;
    const int channels = horizontal.source.channels, rows = lines * channels,
              lead = (int)(horizontal.x - begun * Run);
#pragma unroll 1
    for (int item = (int)threadIdx.x; item < rows * a.runs; item += (int)blockDim.x) {
        const int j = item / rows, row = item - j * rows, line = channels == 1 ? row : row / channels,
                  channel = row - line * channels;
        const int upto = (int)cuda_min(Run, lead + horizontal.cols - j * Run), from = j == 0 ? lead : 0;
        const float *const samples = tile + line * a.pitch + channel;
        Made *const to = sums + line * a.sums_pitch + (j * Run - lead) * channels + channel;
        const auto value = [&](int i) {
            return doubles ? (V)term(horizontal, samples[place[i]]) : (V)samples[place[i]];
        };
        const auto put = [&](int k, auto &of) {
            constexpr int count = sizeof of / sizeof *of;
            double sum[count];
            Made made[count];
#pragma unroll
            for (int u = 0; u < count; u++) sum[u] = of[u];
            make<count>(horizontal.target, sum, made);
#pragma unroll
            for (int u = 0; u < count; u++)
                if (k + u >= from && k + u < upto) to[(k + u) * channels] = made[u];
        };
        if (horizontal.window == 1) {
            V sum[1] = {value(j)};
            put(0, sum);
        } else {
            sum_run<Run, V>(horizontal, begun + j, j, upto, value, put);
        }
    }
}

/* ---- laying out ------------------------------------------------------------------------------------------ */

/* Loads integers four at a time where lines are aligned. */
static inline void narrow_pieces(MeanNarrow *a)
{
    const MeanSource &s = a->horizontal.source;
    const size_t four = 4 * halo_dtype_size(s.dtype);
    a->words = s.dtype != HALO_F32 && a->held % 4 == 0 && cuda_aligned(s.data, s.stride, four);
    a->pieces = cuda_divisor(a->words ? a->held / 4 : a->held);
}

/* Does f32 hold the sums? Used for long windows only, where it saves time. */
template <int Run> static bool narrow_exact(const MeanHorizontal *a)
{
    return Run == HALO_MEAN_RUN && a->window * mean_white(a->source) <= mean_exact;
}

/* All but the lines of a block. */
static inline MeanNarrow narrow_of(const MeanHorizontal *args, int run)
{
    MeanNarrow a = {};
    const int channels = args->source.channels;
    a.horizontal = *args;
    a.held = (int)args->source.held * channels;
    a.outputs = (int)args->cols * channels;
    a.of_outputs = cuda_divisor(a.outputs);
    narrow_pieces(&a);
    a.runs = (int)((args->x + args->cols - 1) / run - args->x / run + 1);
    a.positions = (a.runs + (int)((args->window - 1) / run) + 1) * run;
    a.pitch = (a.held + channels) | 1; /* odd: threads of a warp use different banks */
    a.sums_pitch = a.outputs | 1;
    return a;
}

#endif
