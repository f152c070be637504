/* Sums along many lines of few samples: a block stages some of them as they lie in memory, and finds once where
 * the border has each position of a window among the samples of a line. A thread makes the outputs that begin
 * in one run of a line; a warp's threads have the same run of as many lines, and look at the same position
 * together. */
#ifndef HALO_CUDA_MEAN_NARROW_CUH
#define HALO_CUDA_MEAN_NARROW_CUH

#include "along_lines.cuh"
#include "point/quantise.cuh"

struct MeanNarrow {
    MeanAlong along;
    int lines;                      /* staged at a time */
    int runs, positions;            /* of a line: of its outputs, and of all their windows */
    int pitch, sums_pitch;          /* of a line in shared memory: samples, what is made of them */
    int held, outputs;              /* samples of a line that are there, and those made of it */
    bool words;                     /* are those staged by four? */
    CudaDivisor pieces, of_outputs; /* of a line: what is staged at a time, and outputs */
};

/* ---- samples --------------------------------------------------------------------------------------------- */

/* Where positions from the first run's first sample on lie in a staged line; behind all samples is what lies
 * outside. */
template <int Run> __device__ __forceinline__ static void find_positions(const MeanNarrow &a, int *place)
{
    const MeanAlong &l = a.along;
    const MeanSource &s = l.source;
    for (int i = (int)threadIdx.x; i < a.positions; i += (int)blockDim.x) {
        const int64_t position = l.x / Run * Run + i;
        const bool needed = position >= l.x && position < l.x + l.cols + l.window - 1;
        const int64_t column = needed ? halo_border_index(position + s.ox, s.width, s.border) : -1;
        place[i] = column < 0 ? a.held : (int)(column - s.x0) * s.channels;
    }
}

/* Four samples, or one. */
template <typename S> __device__ __forceinline__ static void fetch_piece(float *to, const S *from, bool words)
{
    if constexpr (sizeof(S) == sizeof(float)) {
        mean_fetch(to, from); /* arrives by itself */
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

/* `lines` of them from position y on. */
template <typename S>
__device__ __forceinline__ static void stage_lines(const MeanNarrow &a, int64_t y, int lines, float *tile)
{
    const MeanSource &s = a.along.source;
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

/* The sums of the windows that begin in run j, of type V; value(i) lies at position i. */
template <int Run, typename V, typename Value, typename Put>
__device__ __forceinline__ static void sum_run(const MeanAlong &a, int64_t run, int j, int upto, Value value,
                                               Put put)
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

/* Those of some staged lines: sums, or means, or what lies between the passes, as the target has it. V: the
 * type of sums, which f32 is where it holds all of them. */
template <int Run, typename V, typename Made>
__device__ __forceinline__ static void sum_lines(const MeanNarrow &a, const int *place, const float *tile,
                                                 int lines, Made *sums)
{
    constexpr bool doubles = sizeof(Made) == sizeof(double);
    const MeanAlong &along = a.along;
    const int64_t begun = along.x / Run;
    const int channels = along.source.channels, rows = lines * channels, lead = (int)(along.x - begun * Run);
#pragma unroll 1
    for (int item = (int)threadIdx.x; item < rows * a.runs; item += (int)blockDim.x) {
        const int j = item / rows, row = item - j * rows, line = channels == 1 ? row : row / channels,
                  channel = row - line * channels;
        const int upto = (int)cuda_min(Run, lead + along.cols - j * Run), from = j == 0 ? lead : 0;
        const float *const samples = tile + line * a.pitch + channel;
        Made *const to = sums + line * a.sums_pitch + (j * Run - lead) * channels + channel;
        const auto value = [&](int i) {
            return doubles ? (V)term(along, samples[place[i]]) : (V)samples[place[i]];
        };
        const auto put = [&](int k, auto &of) {
            constexpr int count = sizeof of / sizeof *of;
            double sum[count];
            Made made[count];
#pragma unroll
            for (int u = 0; u < count; u++) sum[u] = of[u];
            make<count>(along.target, sum, made);
#pragma unroll
            for (int u = 0; u < count; u++)
                if (k + u >= from && k + u < upto) to[(k + u) * channels] = made[u];
        };
        if (along.window == 1) {
            V sum[1] = {value(j)};
            put(0, sum);
        } else {
            sum_run<Run, V>(along, begun + j, j, upto, value, put);
        }
    }
}

/* ---- laying out ------------------------------------------------------------------------------------------ */

/* Whole numbers come four at a time where lines are whole words. */
static inline void narrow_pieces(MeanNarrow *a)
{
    const MeanSource &s = a->along.source;
    const size_t four = 4 * halo_dtype_size(s.dtype);
    a->words = s.dtype != HALO_F32 && a->held % 4 == 0 && cuda_aligned(s.data, s.stride, four);
    a->pieces = cuda_divisor(a->words ? a->held / 4 : a->held);
}

/* Does f32 hold the sums? Asked of long windows only, where that saves time. */
template <int Run> static bool narrow_exact(const MeanAlong *a)
{
    return Run == HALO_MEAN_RUN && a->window * mean_white(a->source) <= mean_exact;
}

/* All but how many lines a block has. */
static inline MeanNarrow narrow_of(const MeanAlong *args, int run)
{
    MeanNarrow a = {};
    const int channels = args->source.channels;
    a.along = *args;
    a.held = (int)args->source.held * channels;
    a.outputs = (int)args->cols * channels;
    a.of_outputs = cuda_divisor(a.outputs);
    narrow_pieces(&a);
    a.runs = (int)((args->x + args->cols - 1) / run - args->x / run + 1);
    a.positions = (a.runs + (int)((args->window - 1) / run) + 1) * run;
    a.pitch = (a.held + channels) | 1; /* odd: the lines of a warp's threads meet in no bank */
    a.sums_pitch = a.outputs | 1;
    return a;
}

#endif
