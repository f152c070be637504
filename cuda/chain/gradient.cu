/* Gradients, such as Sobel's and Roberts': two masks of 3 x 3 or 2 x 2 over the source, and the magnitude of
 * their results, as a rolling kernel (conv/rolling.cuh) with a chain of accumulators for each mask. */
#include <math.h>

#include "conv/rolling_extremes.cuh"
#include "gradient.cuh"

template <typename S, int Step> using GradientMagnitude = GradientPass<S, Step, false>;
template <typename S, int Step> using SmallMagnitude = GradientPass<S, Step, false, 2>;

template <typename Pass>
__global__ static void __launch_bounds__(CUDA_WARP, Pass::warps)
    gradient_kernel(const __grid_constant__ GradientArgs a)
{
    rolling_strip<Pass>(a);
}

/* ---- the choice, and the launch ------------------------------------------------------------------------- */

static bool is_mask(const HaloStep *link, int64_t taps)
{
    const HaloConv *conv = &link->u.conv;
    return link->primitive == HALO_CONV && link->src[0] == 0 && !conv->affine && conv->window.width == taps &&
           conv->window.height == taps;
}

/* Two square masks with sides of `taps`, and the magnitude of their results. */
static bool is_gradient(const HaloChain *chain, int64_t taps)
{
    const HaloStep *a = &chain->link[0], *b = a + 1, *pair = a + 2;
    const HaloWindow *w = &a->u.window;
    return chain->links == 3 && is_mask(a, taps) && is_mask(b, taps) && w->ox == b->u.window.ox &&
           w->oy == b->u.window.oy && w->border == b->u.window.border && w->value == b->u.window.value &&
           pair->primitive == HALO_COMBINE && pair->u.combine.kind == HALO_COMBINE_MAGNITUDE &&
           pair->src[0] == 1 && pair->src[1] == 2;
}

bool gradient_takes(const HaloShape *src, const HaloShape *dst, const HaloChain *chain)
{
    const HaloWindow *w = &chain->link[0].u.window;
    const HaloBuf from = conv_outline(src), to = conv_outline(dst);
    return src->dtype <= HALO_F32 && src->channels != 2 &&
           (is_gradient(chain, gradient_taps) || is_gradient(chain, 2)) &&
           rolling_takes(&from, &to, w->border, w->value);
}

/* Is x (side, middle, side) vertically and a difference horizontally, and y its transpose? */
static bool is_symmetric(const HaloConv *x, const HaloConv *y)
{
    const float side = x->tap[2], middle = x->tap[5];
    const float sign = y->tap[6] == side ? 1.0f : -1.0f;
    for (int j = 0; j < gradient_taps; j++) {
        const float c = j == 1 ? middle : side;
        if (x->tap[3 * j] != -c || x->tap[3 * j + 1] != 0.0f || x->tap[3 * j + 2] != c) return false;
        if (y->tap[j] != -sign * c || y->tap[3 + j] != 0.0f || y->tap[6 + j] != sign * c) return false;
    }
    return true;
}

template <typename Pass> static HaloStatus launch(HaloDevice *device, const ConvArgs *conv, GradientArgs *args)
{
    return rolling_launch<Pass>(device, conv, gradient_kernel<Pass>, args);
}

template <template <typename, int> class Pass, typename S>
static HaloStatus launch_channels(HaloDevice *device, const ConvArgs *conv, GradientArgs *args)
{
    switch (conv->dst.channels) {
    case 1: return launch<Pass<S, 1>>(device, conv, args);
    case 3: return launch<Pass<S, 3>>(device, conv, args);
    default: return launch<Pass<S, 4>>(device, conv, args);
    }
}

static GradientArgs gradient_args(const HaloConv *x, const HaloConv *y)
{
    const int taps = (int)x->window.width;
    GradientArgs args = {};
    for (int j = 0; j < taps; j++)
        for (int i = 0; i < taps; i++) args.tap[i][j] = make_float2(x->tap[j * taps + i], y->tap[j * taps + i]);
    return args;
}

static HaloStatus small(HaloDevice *device, const ConvArgs *conv, GradientArgs *args)
{
    switch (conv->src.dtype) {
    case HALO_U8: return launch_channels<SmallMagnitude, uint8_t>(device, conv, args);
    case HALO_U16: return launch_channels<SmallMagnitude, uint16_t>(device, conv, args);
    default: return launch_channels<SmallMagnitude, float>(device, conv, args);
    }
}

HaloStatus gradient(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloChain *chain,
                    const HaloMap *points, HaloStore store)
{
    const HaloConv *x = &chain->link[0].u.conv, *y = &chain->link[1].u.conv;
    const bool is_small = x->window.width < gradient_taps,
               bytes = src->shape.dtype == HALO_U8 && dst->shape.dtype == HALO_U8;
    GradientArgs args = gradient_args(x, y);
    ConvArgs conv = conv_args(device, src, dst, x, store);
    conv_set_points(&conv, points);
    if (is_small) return small(device, &conv, &args);
    if (bytes && conv_plain(conv.dst) && points == NULL && is_symmetric(x, y) &&
        gradient_u8_takes(x->tap[2], x->tap[5]))
        return gradient_u8(device, &conv, x->tap[2], x->tap[5]);
    switch (src->shape.dtype) {
    case HALO_U8: return launch_channels<GradientMagnitude, uint8_t>(device, &conv, &args);
    case HALO_U16: return launch_channels<GradientMagnitude, uint16_t>(device, &conv, &args);
    default: return launch_channels<GradientMagnitude, float>(device, &conv, &args);
    }
}

/* ---- the extremes alone --------------------------------------------------------------------------------- */

bool gradient_measures(const HaloShape *src, const HaloShape *made, const HaloChain *chain)
{
    return gradient_takes(src, made, chain) && made->channels == 1 &&
           chain->link[0].u.window.width == gradient_taps;
}

HaloStatus gradient_extremes(HaloDevice *device, const HaloBuf *src, HaloBuf *made, const HaloChain *chain,
                             float found[2])
{
    const HaloConv *x = &chain->link[0].u.conv, *y = &chain->link[1].u.conv;
    const GradientArgs args = gradient_args(x, y);
    const ConvArgs conv = conv_args(device, src, made, x, {1.0f, 1.0f});
    switch (src->shape.dtype) {
    case HALO_U8:
        CUDA_PASS((rolling_extremes<GradientPass<uint8_t, 1, true>>(device, &conv, args, found)));
        break;
    case HALO_U16:
        CUDA_PASS((rolling_extremes<GradientPass<uint16_t, 1, true>>(device, &conv, args, found)));
        break;
    default: CUDA_PASS((rolling_extremes<GradientPass<float, 1, true>>(device, &conv, args, found)));
    }
    for (int e = 0; e < 2 && found[0] <= found[1]; e++) found[e] = sqrtf(found[e]);
    return HALO_OK;
}
