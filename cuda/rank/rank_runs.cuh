/* What the two passes of minima and maxima over rectangles share: along rows (rank_rows.cu), then down columns
 * of that (rank_columns.cu). A thread makes a run of outputs. Their windows have the samples from the run's
 * last to the first window's last in common; the samples of each window before and after these are combined
 * from one output to the next (M. van Herk 1992, J. Gil and M. Werman 1993): three comparisons an output, and
 * one for every run that lies in between. */
#ifndef HALO_CUDA_RANK_RUNS_CUH
#define HALO_CUDA_RANK_RUNS_CUH

#include "rank_packed.cuh"

/* One pass, along rows or down columns. */
struct ExtremeArgs {
    RankArgs rank;                /* rows: its source may be what the pass before left */
    uint32_t flip, flip_back;     /* flips of samples on input and on output; in between they stay flipped */
    const char *from;             /* columns: [][pitch] */
    char *to;                     /* [lines][pitch]; NULL: the destination */
    int64_t from_pitch, to_pitch; /* bytes of a row, whole fours of words */
    int64_t cols, lines;          /* of this pass's outputs */
    int window, part;             /* outputs of a block along it: whole runs */
    int runs, rest;               /* what windows of a run have in common behind it: whole runs, and samples */
    int split;                    /* rows: a block has 1 << split lines of words */
    int tile_pitch;               /* words of a line in shared memory, */
    int total_pitch;              /* and of the runs' totals */
    unsigned blocks;              /* side by side, */
    unsigned bands;               /* and one below the other, columns: from top to bottom so many at a time */
    unsigned beside;
};

/* One pass by windows that shared memory holds. */
HaloStatus rank_rows(HaloDevice *device, ExtremeArgs *args, int64_t window, HaloDtype keys);
HaloStatus rank_columns(HaloDevice *device, ExtremeArgs *args, int64_t window, HaloDtype keys);
/* The tallest of them. */
int64_t rank_columns_most(const HaloDevice *device);

/* ---- runs ----------------------------------------------------------------------------------------------- */

/* `behind` becomes the extremes of the last, the last two, … of a run's R words, which lie `step` apart. */
template <typename X, int R>
__device__ __forceinline__ static void join_run(const uint32_t *run, int step, typename X::Open (&behind)[R])
{
    behind[R - 1] = X::open(run[(R - 1) * step]);
#pragma unroll
    for (int k = R - 2; k >= 0; k--) behind[k] = X::join(X::open(run[k * step]), behind[k + 1]);
}

/* The extremes of the R windows that begin in a run. totals[step] is the next run's. */
template <typename X, int R>
__device__ __forceinline__ static void join_windows(const ExtremeArgs &args, const uint32_t *run,
                                                    const uint32_t *totals, int step,
                                                    const typename X::Open (&behind)[R], uint32_t (&made)[R])
{
    const uint32_t *const rest = run + (args.runs + 1) * R * step, *const ends = run + args.window * step;
    typename X::Open common = behind[R - 1];
#pragma unroll 4
    for (int i = 1; i <= args.runs; i++) common = X::join(common, X::open(totals[i * step]));
#pragma unroll 4
    for (int i = 0; i < args.rest; i++) common = X::join(common, X::open(rest[i * step]));
    made[0] = X::close(X::join(behind[0], common));
#pragma unroll
    for (int k = 1; k < R; k++) {
        common = X::join(common, X::open(ends[(k - 1) * step]));
        made[k] = X::close(X::join(behind[k], common));
    }
}

/* All windows of a line of a tile, or of its columns: of `units` runs, made[m] of those of the thread's run
 * number m, which is `mine` + m * threads; at(unit) is where that begins. Runs side by side lie `step` apart in
 * `totals`. */
template <typename X, int R, int M, typename At>
__device__ __forceinline__ static void join_tile(const ExtremeArgs &args, uint32_t *totals, int units, int step,
                                                 int mine, int threads, At at, uint32_t (&made)[M][R])
{
    if constexpr (M == 1) {
        typename X::Open behind[R];
        if (mine < units) join_run<X, R>(at(mine), step, behind);
        if (args.runs > 0) {
            if (mine < units) totals[mine] = X::close(behind[0]);
            for (int unit = units + mine; unit < units + args.runs * step; unit += threads) {
                typename X::Open more[R];
                join_run<X, R>(at(unit), step, more);
                totals[unit] = X::close(more[0]);
            }
            __syncthreads();
        }
        if (mine < units) join_windows<X, R>(args, at(mine), totals + mine, step, behind, made[0]);
    } else {
#pragma unroll
        for (int m = 0; m < M; m++) {
            const int unit = mine + m * threads;
            typename X::Open behind[R];
            if (unit >= units) continue;
            join_run<X, R>(at(unit), step, behind);
            join_windows<X, R>(args, at(unit), NULL, step, behind, made[m]);
        }
    }
}

/* ---- laying out ----------------------------------------------------------------------------------------- */

static inline int64_t round_up(int64_t n, int64_t unit) { return cuda_ceil_div(n, unit) * unit; }

/* What a run of this pass has behind it, and its block's outputs: as many as `most` runs have, or so much fewer
 * that all blocks have as many. */
static inline void set_window(ExtremeArgs *args, int64_t window, int64_t runs, int64_t most, int64_t unit,
                              int64_t outputs)
{
    args->window = (int)window;
    args->runs = runs == 17 ? (int)((window - runs) / runs) : 0;
    args->rest = (int)(window - runs - args->runs * runs);
    const int64_t blocks = cuda_ceil_div(outputs, most * runs);
    args->part = (int)cuda_min(most * runs, round_up(cuda_ceil_div(outputs, blocks), runs * unit));
    args->blocks = (unsigned)cuda_ceil_div(outputs, args->part);
}

/* Bytes of shared memory of a block whose lines are `step` words wide. */
static inline int64_t set_pitches(ExtremeArgs *args, int64_t runs, int64_t step, int64_t lines)
{
    args->tile_pitch = (int)round_up((args->part + args->window - 1) * step + 3, 4);
    args->total_pitch = args->runs > 0 ? (int)round_up((args->part / runs + args->runs) * step, 2) : 0;
    return lines * (args->tile_pitch + args->total_pitch + 2 * 4) * (int64_t)sizeof(uint32_t);
}

#endif
