/* Masks of integers on the host: which of them go to tensor cores. */
#include "halo/whole_taps.h"

#include "conv_integer.cuh"

static const int64_t largest_tap = 127 * 256 + 127; /* of two bytes with a sign each */

/* The cases that were faster on an H200, see docs/tried/convolution.md: small masks have kernels that are bound
 * by memory; masks of mostly zeros have fewer taps than rows. */
static bool pays(const HaloConv *conv, int channels, HaloDtype to, int chunks)
{
    const int64_t all = conv->window.width * conv->window.height;
    int64_t taps = 0;
    if (channels == 1 ? all < 9 || (all == 9 && to == HALO_U8) : all < 49) return false;
    for (int64_t k = 0; k < all; k++) taps += conv->tap[k] != 0.0f;
    return taps >= (conv->window.height + 1) / 2 * chunks;
}

static int chunks_of(int64_t lead, int64_t width) { return (int)((lead + width + 15 + 15) / 16); }

/* The longest pieces that take no chunk more than pieces of 4. */
static void choose_piece(const ConvArgs *args, IntegerPlan *plan)
{
    const ConvSource *src = &args->src;
    const bool one = src->channels == 1;
    const int64_t first = args->x_first - src->x0 + (one ? (int64_t)((uintptr_t)src->data % 16) : 0);
    plan->piece = plan->lead = 0;
    if (cuda_aligned(src->data, src->stride, 4))
        for (int piece = 4; piece <= (one ? 16 : 4); piece *= 2) {
            const int lead = (int)((first % piece + piece) % piece);
            if (piece > 4 &&
                (src->stride % piece != 0 || chunks_of(lead, args->width) > chunks_of(plan->lead, args->width)))
                break;
            plan->piece = piece;
            plan->lead = lead;
        }
    plan->chunks = chunks_of(plan->lead, args->width);
}

/* Are the sums exact, and taps one byte or two? */
static bool counts_taps(const HaloConv *conv, const ConvSource *src, IntegerPlan *plan)
{
    const int64_t count = conv->window.width * conv->window.height;
    HaloWholeTaps whole;
    if (!halo_whole_taps(conv->tap, count, halo_whole_most(src->dtype, src->border, src->value), &whole))
        return false;
    if (whole.largest > largest_tap) return false;
    plan->exponent = whole.exponent;
    /* Small integers are taken as they are: their sums need no scaling. */
    if (whole.exponent > 0 && whole.exponent < 7 && whole.largest << whole.exponent < 128) plan->exponent = 0;
    plan->parts = 1;
    for (int64_t k = 0; k < count; k++) {
        const int tap = integer_tap(plan, conv->tap[k]);
        if (tap < -128 || tap > 127) plan->parts = 2;
    }
    return true;
}

bool conv_integer_takes(const HaloDevice *device, const ConvArgs *args, const HaloConv *conv, IntegerPlan *plan)
{
    const ConvSource *src = &args->src;
    const int64_t width = conv->window.width, height = conv->window.height;
    const float value = halo_border_value(src->border, src->value);
    if (src->dtype != HALO_U8 || src->channels > 4 || src->channels == 2) return false;
    if (!(value >= 0.0f && value <= 255.0f)) return false; /* it stands among the samples */
    if (width < 2 || height < 2 || width > 16 * integer_chunks || height > integer_tap_words) return false;
    if (args->dst.rows < 2 || args->dst.cols < 32) return false;
    choose_piece(args, plan);
    if (plan->chunks > integer_chunks || !pays(conv, src->channels, args->dst.dtype, plan->chunks))
        return false;
    if (!counts_taps(conv, src, plan)) return false;
    return plan->parts * height * ((plan->lead + width + 3) / 4) <= integer_tap_words &&
           conv_integer_shared(plan, src->channels, height) <= (int64_t)device->shared_most;
}
