/* From masks to steps: the one place that knows what comes before and after a convolution.
 *
 * An operation is filter_begin, convolutions of `work`, filter_end:
 *
 * - nan=error: the input is searched for NaN first.
 * - alpha=premul: colours are premultiplied. Behind a filter that smooths they are divided by the filtered
 *   alpha; one that takes differences keeps the input's alpha.
 * - alpha=ignore: every channel is filtered as it is, then the input's alpha is put back.
 * - alpha=straight: alpha is filtered like any channel.
 * - border=keep: the border is computed as if replicated, and the input is put over it last.
 * - border=valid: the output shrinks, and its origin moves by the taps before the anchor.
 * - border=constant=V: V is the value of every channel that the convolutions read, so under alpha=premul it is
 *   a premultiplied colour, and also the alpha. */
#ifndef FILTER_H
#define FILTER_H

#include "halo/local.h"
#include "halo/op.h"

typedef struct Filter {
    HaloBuilder *builder;
    HaloReg in;                    /* what the operation was given */
    HaloReg work;                  /* what its convolutions read: `in`, or `in` premultiplied */
    bool premultiplied;            /* whether that differs */
    int64_t left, right, up, down; /* the farthest taps from the output sample, over the convolutions so far */
} Filter;

HaloStatus filter_begin(Filter *filter, HaloBuilder *builder, HaloReg in);
/* The same without premultiplying, for operations that compare samples instead of adding them up. */
HaloStatus filter_begin_straight(Filter *filter, HaloBuilder *builder, HaloReg in);

/* *dst = filter->work by one dense convolution. The mask's scale and bias are applied where they change
 * anything. */
HaloStatus filter_conv(Filter *filter, const HaloMask *mask, HaloReg *dst);

/* *dst = filter->work by a row pass of `row` and a column pass of `column`, both masks of height 1. On audio
 * just the row. */
HaloStatus filter_sep(Filter *filter, const HaloMask *row, const HaloMask *column, HaloReg *dst);

/* A window, as in HaloRank; its anchor is at the output sample. */
typedef struct FilterWindow {
    int64_t width, height, anchor_x, anchor_y;
    bool halves; /* where NaN are left out */
    const HaloSpan *span;
} FilterWindow;

/* A rectangle with the anchor of masks: in the middle, or to the lower right of it. */
FilterWindow filter_rectangle(int64_t width, int64_t height);

/* *dst = the sample at `fraction` of every sorted window of `src`: of filter->work, or of what another window
 * made from it. */
HaloStatus filter_rank(Filter *filter, HaloReg src, const FilterWindow *window, double fraction, HaloReg *dst);

/* *dst = what `kind` makes of every window of `src`, as above. */
HaloStatus filter_local(Filter *filter, HaloReg src, const FilterWindow *window, const HaloLocal *kind,
                        HaloReg *dst);

/* *dst = filter->work by a bilateral filter whose window has its sides set. */
HaloStatus filter_bilateral(Filter *filter, const HaloBilateral *sized, HaloReg *dst);

/* *dst = a - b, each of them made from filter->work by as many windows as the other, or `in` itself. */
HaloStatus filter_difference(Filter *filter, HaloReg a, HaloReg b, HaloReg *dst);

/* *dst = the mean of every window of filter->work, or what deviates from it; on audio height is 1. */
HaloStatus filter_mean(Filter *filter, HaloMeanKind kind, int64_t width, int64_t height, HaloReg *dst);

/* For sound: `made`, but with new samples at both ends, which are sums over the first and the last mask->width
 * samples of filter->in. Row i of the mask makes sample i; reversed, it makes sample i counted from the end.
 * The mask is at most half as high as wide. `left`, `right`: at which ends. */
HaloStatus filter_ends(Filter *filter, HaloReg made, const HaloMask *ends, bool left, bool right, HaloReg *out);

/* *dst = `made`, computed from filter->work by weights that sum to 1, in colours as `in` has them: where they
 * are premultiplied they are divided by the alpha that was made with them. */
HaloStatus filter_straight(Filter *filter, HaloReg made, HaloReg *dst);

/* *dst = `made` with the alpha of `in`, where that has one. */
HaloStatus filter_alpha(Filter *filter, HaloReg made, HaloReg *dst);

/* Adds the steps that make `made`, computed from filter->work, the operation's output. `smooths`: the weights
 * do not sum to zero. `points` (NULL: none) are applied to the colours before the border is kept. */
HaloStatus filter_end(Filter *filter, HaloReg made, bool smooths, const HaloMap *points, HaloReg *out);

/* Whole operations. In filter_mask the scale belongs to the weights. On premultiplied colours weights that sum
 * to s, not 0, are applied as a mean (weights / s) and the colours made from it are then multiplied by s,
 * before the bias: so an opaque image gives what it gives without its alpha, and alpha is never scaled or
 * biased. */
HaloStatus filter_mask(HaloBuilder *builder, HaloReg in, const HaloMask *mask, HaloReg *out);
HaloStatus filter_smooth(HaloBuilder *builder, HaloReg in, const HaloMask *row, const HaloMask *column,
                         HaloReg *out);

/* The mean of windows, as a whole operation. */
HaloStatus filter_means(HaloBuilder *builder, HaloReg in, int64_t width, int64_t height, HaloReg *out);

/* The sum of the weights, the scale included; 0 where f32 coefficients could not tell it from 0. */
double filter_weight(const HaloMask *mask);

/* `value` rounded to f32 once; HALO_ERR_USAGE when it has no finite one. `what` names it in the message. */
HaloStatus filter_f32(const char *what, double value, float *rounded);
/* The same of a parameter that is kept as it is, for f64, and rounded where samples are f32. */
HaloStatus filter_number(const char *what, double value, double *kept);

/* A LENGTH that has to be an integral number of samples, 1 .. HALO_MASK_MAX_SIDE: HALO_ERR_USAGE otherwise.
 * Times have been rounded before. */
HaloStatus filter_samples(const char *what, const HaloValue *length, int64_t *samples);

/* The row of such a height. */
#define FILTER_HEIGHT                                                                                  \
    {                                                                                                  \
        .key = "height", .type = HALO_PARAM_LENGTH, .preset = "", .min = 1, .max = HALO_MASK_MAX_SIDE, \
        .unit = "pixels", .help = "of pictures: full height of the window; default: the width"         \
    }

/* The window that a width and a height (as the width unless given; sound has none) ask for. */
HaloStatus filter_size(HaloBuilder *builder, const char *op, HaloReg in, const HaloValue *width,
                       const HaloValue *height, FilterWindow *window);

#endif
