/* Short separable masks over few columns: see conv/narrow.cuh. The row pass makes sums of all staged rows, which the column pass takes
 * from shared memory. */
#include "conv/narrow.cuh"
#include "sep.cuh"

static const int along = 4; /* outputs of the row pass that a thread makes side by side */

template <int Taps> struct SepNarrow {
    static constexpr int taps = Taps;
    struct Args {
        NarrowArgs narrow;
        NarrowLines sums; /* behind the staged rows */
        int sums_at;
        CudaDivisor groups; /* of outputs of a row of the row pass */
        float tap_x[Taps], tap_y[Taps];
    };

    static __device__ __forceinline__ void prepare(const Args &args, int64_t y, int count, float *tile)
    {
        const NarrowArgs &a = args.narrow;
        const ConvSource &src = a.walk.src;
        const float outside = halo_border_value(src.border, src.value);
        const bool valued = src.border == HALO_BORDER_ZERO || src.border == HALO_BORDER_CONSTANT;
#pragma unroll 1
        for (int i = (int)threadIdx.x; i < (count + 7) / 8 * 8 * (int)args.groups.n; i += narrow_threads) {
            const int line = args.groups.over(i), x = (i - line * (int)args.groups.n) * along;
            const int row = (line & ~7) + (line & 1) * 4 + (line >> 1 & 3); /* a row and that four below: see NarrowLines */
            if (row >= count) continue;
            const int64_t from = a.walk.y_first + y + row;
            float v[along];
            if (valued && (from < 0 || from >= src.height)) /* the border is that of the row pass's results */
#pragma unroll
                for (int k = 0; k < along; k++) v[k] = outside;
            else
                sum_row(args, tile + a.staged.at(row) + x, v);
            *reinterpret_cast<float4 *>(tile + args.sums_at + args.sums.at(row) + x) = make_float4(v[0], v[1], v[2], v[3]);
        }
        __syncthreads();
    }

    static __device__ __forceinline__ void sum_row(const Args &args, const float *from, float v[along])
    {
        constexpr int lead = narrow_lead(Taps), staged = (lead + along + Taps - 1 + 3) / 4 * 4;
        float window[staged];
#pragma unroll
        for (int k = 0; k < along; k++) v[k] = 0.0f;
#pragma unroll
        for (int q = 0; q < staged; q += 4) conv_load4(window + q, from + q);
#pragma unroll
        for (int i = 0; i < Taps; i++)
#pragma unroll
            for (int k = 0; k < along; k++) v[k] = halo_fma(args.tap_x[i], window[lead + k + i], v[k]);
    }

    static __device__ __forceinline__ void column(const Args &args, const float *tile, int row, int x, float acc[narrow_own])
    {
        const float *const from = tile + args.sums_at + args.sums.at(row) + x;
#pragma unroll
        for (int k = 0; k < narrow_own; k++) acc[k] = 0.0f;
#pragma unroll
        for (int t = 0; t < narrow_own + Taps - 1; t++) {
            const float v = from[args.sums.at(t)];
#pragma unroll
            for (int k = 0; k < narrow_own; k++)
                if (k <= t && t < k + Taps) acc[k] = halo_fma(args.tap_y[t - k], v, acc[k]);
        }
    }
};

bool sep_narrow_takes(const ConvArgs *args) { return args->width <= SEP_WALK_SHORT_MOST && narrow_takes(args); }

template <int Taps> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    typename SepNarrow<Taps>::Args args = {};
    args.narrow = narrow_args(conv);
    args.sums = narrow_lines(conv_round4((int)conv->dst.cols), conv->dst.cols);
    args.sums_at = args.narrow.staged.at(args.narrow.rows + Taps);
    args.groups = cuda_divisor(conv_round4((int)conv->dst.cols) / along);
    for (int i = 0; i < Taps; i++) {
        args.tap_x[i] = sep->tap_x[i];
        args.tap_y[i] = sep->tap_y[i];
    }
    return narrow_launch<SepNarrow<Taps>>(device, &args, args.sums.at(args.narrow.rows + Taps));
}

HaloStatus sep_narrow(HaloDevice *device, const ConvArgs *conv, const HaloSep *sep)
{
    switch (conv->width) {
#define CASE(taps) \
    case taps: return launch<taps>(device, conv, sep);
        SEP_WALK_SHORT_SIZES(CASE)
#undef CASE
    default: return halo_fail(HALO_ERR_BUG, "there is no kernel for %d taps over few columns", conv->width);
    }
}
