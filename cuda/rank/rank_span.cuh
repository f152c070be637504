/* What the routes of windows that are no rectangles share: lines of the source, and tables of their extremes
 * over 1, 2, 4, 8 … samples. Those over any width are the extremes of two of these, which overlap. The lanes of
 * a word are rows far from each other. */
#ifndef HALO_CUDA_RANK_SPAN_CUH
#define HALO_CUDA_RANK_SPAN_CUH

#include "rank_packed.cuh"

static const int span_threads = 256;
/* Lines that a block makes tables of at once, at most: a power of two. */
static const int64_t span_lines_most = 8;

struct SpanArgs {
    RankArgs rank;
    uint32_t flip; /* flip of samples on input and on output */
    const int2
        *place; /* [rank.height]: where in a line's table the two extremes lie that cover a row of the window */
    int levels, pitch; /* words from one level to the next */
    int lines;         /* whose tables shared memory holds */
    uint32_t *table;   /* [lines][levels][pitch] from line `top` on, or NULL */
    int64_t top;       /* the first row of outputs of this launch, */
    int64_t rows;      /* how many, */
    int64_t band;      /* and how many in each lane */
    int before;        /* lines that the tables begin with and no window has; as many follow. Their rows may
                          lie outside of the samples that are there: they repeat the nearest of a window. */
    unsigned blocks;   /* side by side */
};

/* ---- tables --------------------------------------------------------------------------------------------- */

/* Two more levels of a table of n words, whose extremes are over `step` words each. */
template <typename X>
__device__ __forceinline__ static void double_twice(uint32_t *level, int pitch, int n, int step, bool twice,
                                                    int mine, int threads)
{
    for (int i = mine; i < n - step; i += threads) {
        const auto two = X::join(X::open(level[i]), X::open(level[i + step]));
        level[pitch + i] = X::close(two);
        if (twice && i < n - 3 * step)
            level[2 * pitch + i] =
                X::close(X::join(two, X::join(X::open(level[i + 2 * step]), X::open(level[i + 3 * step]))));
    }
}

/* The tables of as many lines as args.lines, each by its part of the block's threads; places behind the last
 * line repeat it. */
template <typename X>
__device__ __forceinline__ static void fill_tables(const SpanArgs &args, const WordLine &from, int64_t line,
                                                   uint32_t *tables)
{
    typedef typename X::Sample K;
    constexpr int lanes = word_lanes<K>;
    const int threads = span_threads / args.lines, b = threadIdx.x / threads,
              mine = threadIdx.x & (threads - 1);
    __shared__ int64_t row_at[span_lines_most * lanes];
    find_rows(args.rank, args.lines * lanes, span_threads, row_at, [&](int i) {
        const int64_t row =
            i % lanes * args.band + line + i / lanes; /* of a lane, behind the first of its windows */
        return args.rank.y0 + args.top +
               cuda_min(cuda_max(row - args.before, 0), args.rows + args.rank.height - 2);
    });
    __syncthreads();
    uint32_t *const table = tables + b * args.levels * args.pitch;
    stage_line<K>(args.rank, from, row_at + b * lanes, mine, threads, args.flip, table);
    const auto meet = [&] { /* of the threads of a line */
                            if (threads == CUDA_WARP)
                                __syncwarp();
                            else
                                __syncthreads();
    };
    meet();
    for (int level = 1, step = args.rank.channels, n = from.n; level < args.levels;
         level += 2, n -= 3 * step, step *= 4) {
        double_twice<X>(table + (level - 1) * args.pitch + from.skew, args.pitch, n, step,
                        level + 1 < args.levels, mine, threads);
        meet();
    }
    if (threads == CUDA_WARP) __syncthreads();
}

/* The largest power of two that is at most `width`, and which it is. */
static inline int span_level(int64_t width, int64_t *power)
{
    int level = 0;
    for (*power = 1; 2 * *power <= width; *power *= 2) level++;
    return level;
}

/* Where the two extremes that cover a row of the window lie in a line's table. */
static inline int2 span_place(const SpanArgs *args, const HaloSpan *span)
{
    int64_t power;
    const int64_t level = span_level(span->to - span->from, &power) * args->pitch;
    return make_int2((int)(level + span->from * args->rank.channels),
                     (int)(level + (span->to - power) * args->rank.channels));
}

/* Windows of up to 51 rows, bytes 21, of which those above the middle equal those below: rank_chain.cu. `args`
 * has the levels. */
bool rank_chain_takes(const RankArgs *rank, const HaloSpan *span, HaloDtype keys);
HaloStatus rank_chain(HaloDevice *device, SpanArgs *args, const HaloSpan *span, HaloDtype keys);

#endif
