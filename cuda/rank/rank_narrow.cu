/* Minima and maxima of small windows over few columns, along rows and down columns in one pass: see conv/narrow.cuh. Samples are
 * floats there, whatever they were, and compared as such. */
#include "conv/narrow.cuh"
#include "rank_words.cuh"

#define RANK_NARROW_SIZES(X) X(3) X(5) X(7) X(9) X(11)

template <int Taps, bool Nan> struct RankNarrow {
    typedef Extreme<float, Nan> X;
    static constexpr int taps = Taps;
    struct Args {
        NarrowArgs narrow;
        NarrowLines along; /* extremes along rows, behind the staged rows */
        int along_at;
        uint32_t turn; /* samples, as they come and as they go */
    };

    static __device__ __forceinline__ float turned(const Args &args, float v) { return __uint_as_float(__float_as_uint(v) ^ args.turn); }

    static __device__ __forceinline__ void prepare(const Args &args, int64_t, int count, float *tile)
    {
        const NarrowArgs &a = args.narrow;
#pragma unroll 2
        for (int i = (int)threadIdx.x; i < count * (int)a.cols.n; i += narrow_threads) {
            const int row = a.cols.over(i), x = i - row * (int)a.cols.n;
            const float *const from = tile + a.staged.at(row) + a.lead + x;
            float v = turned(args, from[0]);
#pragma unroll
            for (int k = 1; k < Taps; k++) v = X::join(v, turned(args, from[k]));
            tile[args.along_at + args.along.at(row) + x] = v;
        }
        __syncthreads();
    }

    static __device__ __forceinline__ void column(const Args &args, const float *tile, int row, int x, float acc[narrow_own])
    {
        const float *const from = tile + args.along_at + args.along.at(row) + x;
#pragma unroll
        for (int t = 0; t < narrow_own + Taps - 1; t++) {
            const float v = from[args.along.at(t)];
#pragma unroll
            for (int k = 0; k < narrow_own; k++)
                if (k <= t && t < k + Taps) acc[k] = t == k ? v : X::join(acc[k], v);
        }
#pragma unroll
        for (int k = 0; k < narrow_own; k++) acc[k] = turned(args, acc[k]);
    }
};

/* Where from and where to, as convolutions have it. */
static ConvArgs conv_of(const RankArgs *rank, HaloDtype samples)
{
    ConvArgs conv = {};
    conv.x_first = rank->x0;
    conv.y_first = rank->y0;
    conv.width = (int)rank->width;
    conv.height = (int)rank->height;
    conv.src.data = rank->src;
    conv.src.stride = rank->src_stride;
    conv.src.x0 = rank->src_x0;
    conv.src.y0 = rank->src_y0;
    conv.src.width = rank->src_width;
    conv.src.height = rank->src_height;
    conv.src.x_end = rank->x0 + rank->cols / rank->channels + rank->width - 1;
    conv.src.y_end = rank->y0 + rank->rows + rank->height - 1;
    conv.src.channels = rank->channels;
    conv.src.dtype = samples;
    conv.src.border = rank->border;
    conv.src.value = rank->outside;
    conv.dst.data = rank->dst;
    conv.dst.stride = rank->dst_stride;
    conv.dst.cols = rank->cols / rank->channels;
    conv.dst.rows = rank->rows;
    conv.dst.channels = rank->channels;
    conv.dst.dtype = rank->dtype;
    conv.dst.store = rank->store;
    conv.dst.clipped = rank->clipped;
    return conv;
}

bool rank_narrow_takes(const RankArgs *args, HaloDtype samples)
{
    if (args->width != args->height) return false;
    switch (args->width) {
#define CASE(taps) case taps:
        RANK_NARROW_SIZES(CASE)
#undef CASE
        {
            const ConvArgs conv = conv_of(args, samples);
            return narrow_takes(&conv);
        }
    default: return false;
    }
}

template <int Taps, bool Nan> static HaloStatus launch(HaloDevice *device, const RankArgs *rank, const ConvArgs *conv)
{
    typename RankNarrow<Taps, Nan>::Args args = {};
    args.narrow = narrow_args(conv);
    args.along = narrow_lines((int)conv->dst.cols, conv->dst.cols);
    args.along_at = args.narrow.staged.at(args.narrow.rows + Taps);
    args.turn = extreme_turn<float>(rank->fraction);
    return narrow_launch<RankNarrow<Taps, Nan>>(device, &args, args.along.at(args.narrow.rows + Taps));
}

HaloStatus rank_narrow(HaloDevice *device, const RankArgs *args, HaloDtype samples, HaloDtype keys)
{
    const ConvArgs conv = conv_of(args, samples);
    const bool nan = keys == HALO_F32 && !args->nan_ignore; /* one wins */
    switch (args->width) {
#define CASE(taps) \
    case taps: return nan ? launch<taps, true>(device, args, &conv) : launch<taps, false>(device, args, &conv);
        RANK_NARROW_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for extremes of %d columns", conv.width);
    }
}
