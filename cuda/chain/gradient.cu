/* The commonest chain, and the shortest: two masks of 3 x 3 over the source, and the magnitude of what they make, as in
 * Sobel's gradient. It waits for memory alone where it is done in registers: a warp walks down the picture as one of
 * conv/walk.cuh, with a chain of unfinished outputs for each of the masks. */
#include <math.h>

#include "chain.cuh"
#include "conv/walk_extremes.cuh"

static const int gradient_taps = 3;

/* Taps go column by column, the two masks' side by side. */
struct GradientArgs {
    WalkArgs walk;
    float2 tap[gradient_taps][gradient_taps];
    float side, middle; /* of masks that are this and a difference, see WholePass */
};

/* Outputs of a thread: 16 bytes of them, but as many as both chains have registers for. */
template <typename S> static constexpr int gradient_own = sizeof(S) == sizeof(float) ? 4 : 8;

/* The magnitude, or its square: which of them are the least and the greatest, the root does not change. */
template <bool Squared> __device__ __forceinline__ float gradient_of(float x, float y)
{
    return Squared ? halo_fma(x, x, y * y) : halo_magnitude(x, y);
}

template <typename S, int Step, bool Squared> struct GradientPass {
    typedef GradientArgs Args;
    static constexpr int own = gradient_own<S>, warps = 16;
    static constexpr int links = 2 * (gradient_taps - 1); /* of the first mask, then of the second */
    static constexpr bool fills = true;
    static constexpr bool combines = false, measures = false;
    static constexpr bool light = sizeof(S) == sizeof(float);
    typedef Walk<S, gradient_taps, Step, own, false> W;

    static __device__ __forceinline__ void row(const Args &a, const typename W::Staged *from, bool, float, float chain[links][own],
                                               float acc[own])
    {
        typename W::Pack pack;
        float window[W::window], other[own];
#pragma unroll
        for (int i = 0; i < gradient_taps; i++) {
            walk_window<W>(from, i, &pack, window);
            column(a.tap[i], window + W::lead + i * Step, i == 0, chain, acc, other);
        }
#pragma unroll
        for (int k = 0; k < own; k++) acc[k] = gradient_of<Squared>(acc[k], other[k]);
    }

    /* A column of the masks: its first one moves every chain one place on. */
    static __device__ __forceinline__ void column(const float2 tap[gradient_taps], const float *v, bool first, float chain[links][own],
                                                  float x[own], float y[own])
    {
        constexpr int second = gradient_taps - 1;
#pragma unroll
        for (int j = gradient_taps - 1; j >= 0; j--) {
            float *const to_x = j == gradient_taps - 1 ? x : chain[j], *const to_y = j == gradient_taps - 1 ? y : chain[second + j];
#pragma unroll
            for (int k = 0; k < own; k++) {
                to_x[k] = halo_fma(tap[j].x, v[k], !first ? to_x[k] : j > 0 ? chain[j - 1][k] : 0.0f);
                to_y[k] = halo_fma(tap[j].y, v[k], !first ? to_y[k] : j > 0 ? chain[second + j - 1][k] : 0.0f);
            }
        }
    }
};

/* Of 8- and 16-bit samples under whole taps all sums are whole numbers below 2^24, exact in any order. Sobel's masks and
 * their kin are (side, middle, side) across a difference: a difference and a sum of a row, the same of three rows, and
 * half of the work. The signs of both do not matter to the magnitude. */
template <typename S, int Step, bool Squared> struct WholePass {
    typedef GradientArgs Args;
    static constexpr int own = gradient_own<S>, warps = sizeof(S) == 1 && Step == 1 ? 20 : 16;
    static constexpr int links = 4; /* differences one and two rows above, then sums */
    static constexpr bool fills = true;
    static constexpr bool combines = false, measures = false;
    static constexpr bool light = false;
    typedef Walk<S, gradient_taps, Step, own, false> W;

    static __device__ __forceinline__ void row(const Args &a, const typename W::Staged *from, bool, float, float before[links][own],
                                               float acc[own])
    {
        typename W::Pack pack;
        float window[W::window];
#pragma unroll
        for (int i = 0; i < gradient_taps; i++) walk_window<W>(from, i, &pack, window);
#pragma unroll
        for (int k = 0; k < own; k++) {
            const float *const v = window + W::lead + k;
            const float difference = v[2 * Step] - v[0], sum = halo_fma(a.side, v[2 * Step] + v[0], a.middle * v[Step]);
            const float x = halo_fma(a.side, difference + before[1][k], a.middle * before[0][k]), y = sum - before[3][k];
            before[1][k] = before[0][k];
            before[0][k] = difference;
            before[3][k] = before[2][k];
            before[2][k] = sum;
            acc[k] = gradient_of<Squared>(x, y);
        }
    }
};

template <typename S, int Step> using GradientMagnitude = GradientPass<S, Step, false>;
template <typename S, int Step> using WholeMagnitude = WholePass<S, Step, false>;

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps) gradient_kernel(const __grid_constant__ GradientArgs a)
{
    walk_strip<Pass>(a);
}

/* ---- the choice, and the launch ------------------------------------------------------------------------- */

static bool is_mask(const HaloStep *link)
{
    const HaloConv *conv = &link->u.conv;
    return link->primitive == HALO_CONV && link->src[0] == 0 && !conv->affine && conv->window.width == gradient_taps &&
           conv->window.height == gradient_taps;
}

bool gradient_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloStep *a = &chain->link[0], *b = &chain->link[1], *pair = &chain->link[2];
    const HaloWindow *w = &a->u.window;
    HaloBuf from = {}, to = {};
    from.shape = *src;
    to.shape = *dst;
    to.rows = dst->height;
    return chain->links == 3 && src->dtype <= HALO_F32 && src->channels != 2 && is_mask(a) && is_mask(b) && w->ox == b->u.window.ox &&
           w->oy == b->u.window.oy && w->border == b->u.window.border && w->value == b->u.window.value &&
           pair->primitive == HALO_COMBINE && pair->u.combine.kind == HALO_COMBINE_MAGNITUDE && pair->src[0] == 1 &&
           pair->src[1] == 2 && walk_takes(&from, &to, w->border, w->value);
}

/* Is x (side, middle, side) down and a difference along, and y the same the other way round? */
static bool is_whole(const HaloConv *x, const HaloConv *y, HaloDtype dtype)
{
    const float side = x->tap[2], middle = x->tap[5], most = dtype == HALO_U8 ? 255.0f : 65535.0f;
    const float sign = y->tap[6] == side ? 1.0f : -1.0f;
    if (dtype > HALO_U16 || side != rintf(side) || middle != rintf(middle)) return false;
    if (!((2.0f * fabsf(side) + fabsf(middle)) * most < 16777216.0f)) return false;
    for (int j = 0; j < gradient_taps; j++) {
        const float c = j == 1 ? middle : side;
        if (x->tap[3 * j] != -c || x->tap[3 * j + 1] != 0.0f || x->tap[3 * j + 2] != c) return false;
        if (y->tap[j] != -sign * c || y->tap[3 + j] != 0.0f || y->tap[6 + j] != sign * c) return false;
    }
    return true;
}

template <typename Pass> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, GradientArgs *args)
{
    return walk_launch<Pass>(device, conv, gradient_kernel<Pass>, args);
}

template <template <typename, int> class Pass, typename S> static HaloStatus launch_channels(HaloDevice *device, const ConvArgs *conv, GradientArgs *args)
{
    switch (conv->dst.channels) {
    case 1: return launch<Pass<S, 1>>(device, conv, args);
    case 3: return launch<Pass<S, 3>>(device, conv, args);
    default: return launch<Pass<S, 4>>(device, conv, args);
    }
}

static GradientArgs gradient_args(const HaloConv *x, const HaloConv *y)
{
    GradientArgs args = {};
    args.side = x->tap[2];
    args.middle = x->tap[5];
    for (int j = 0; j < gradient_taps; j++)
        for (int i = 0; i < gradient_taps; i++) args.tap[i][j] = make_float2(x->tap[j * gradient_taps + i], y->tap[j * gradient_taps + i]);
    return args;
}

HaloStatus gradient(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain, const HaloMap *points,
                    HaloStore store)
{
    const HaloConv *x = &chain->link[0].u.conv, *y = &chain->link[1].u.conv;
    const bool whole = is_whole(x, y, src->shape.dtype);
    GradientArgs args = gradient_args(x, y);
    ConvArgs conv = conv_args(device, src, dst, x, store);
    conv_points(&conv, points);
    if (whole && src->shape.dtype == HALO_U8 && dst->shape.dtype == HALO_U8 && conv_plain(conv.dst) && points == NULL &&
        gradient_bytes_takes(args.side, args.middle))
        return gradient_bytes(device, &conv, args.side, args.middle);
    switch (src->shape.dtype) {
    case HALO_U8: return whole ? launch_channels<WholeMagnitude, uint8_t>(device, &conv, &args) : launch_channels<GradientMagnitude, uint8_t>(device, &conv, &args);
    case HALO_U16: return whole ? launch_channels<WholeMagnitude, uint16_t>(device, &conv, &args) : launch_channels<GradientMagnitude, uint16_t>(device, &conv, &args);
    default: return launch_channels<GradientMagnitude, float>(device, &conv, &args);
    }
}

/* ---- the extremes alone --------------------------------------------------------------------------------- */

bool gradient_measures(const HaloShape *src, const HaloShape *made, const HaloChain *chain)
{
    return gradient_takes(src, made, chain) && made->channels == 1 &&
           (src->dtype == HALO_F32 || is_whole(&chain->link[0].u.conv, &chain->link[1].u.conv, src->dtype));
}

HaloStatus gradient_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloChain *chain, float found[2])
{
    const HaloConv *x = &chain->link[0].u.conv, *y = &chain->link[1].u.conv;
    const GradientArgs args = gradient_args(x, y);
    const ConvArgs conv = conv_args(device, src, made, x, {1.0f, 1.0f});
    switch (src->shape.dtype) {
    case HALO_U8: CUDA_PASS((walk_extremes<WholePass<uint8_t, 1, true>>(device, &conv, args, found))); break;
    case HALO_U16: CUDA_PASS((walk_extremes<WholePass<uint16_t, 1, true>>(device, &conv, args, found))); break;
    default: CUDA_PASS((walk_extremes<GradientPass<float, 1, true>>(device, &conv, args, found)));
    }
    for (int e = 0; e < 2 && found[0] <= found[1]; e++) found[e] = sqrtf(found[e]);
    return HALO_OK;
}
