/* Steps for masks, with those that the common parameters need before and after them. */
#include "filter.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

HaloStatus filter_f32(const char *what, double value, float *rounded)
{
    *rounded = 0.0f;
    if (!(fabs(value) <= FLT_MAX))
        return halo_fail(HALO_ERR_USAGE, "%s %g is out of the range of 32-bit floats", what, value);
    *rounded = (float)value;
    return HALO_OK;
}

HaloStatus filter_number(const char *what, double value, double *kept)
{
    float rounded;
    *kept = value;
    return filter_f32(what, value, &rounded);
}

HaloStatus filter_samples(const char *what, const HaloValue *length, int64_t *samples)
{
    const double number = length->number;
    *samples = 0;
    if (!(number >= 1 && number <= HALO_MASK_MAX_SIDE) || number != floor(number))
        return halo_fail(HALO_ERR_USAGE, "%s has to be an integer from 1 to %d, not %.10g", what,
                         HALO_MASK_MAX_SIDE, number);
    *samples = (int64_t)number;
    return HALO_OK;
}

FilterWindow filter_rectangle(int64_t width, int64_t height)
{
    return (FilterWindow){.width = width, .height = height, .anchor_x = width / 2, .anchor_y = height / 2};
}

HaloStatus filter_size(HaloBuilder *builder, const char *op, HaloReg in, const HaloValue *width,
                       const HaloValue *height, FilterWindow *window)
{
    HaloStatus status = HALO_OK;
    const bool sound = halo_build_shape(builder, in)->kind == HALO_AUDIO;
    int64_t wide, high = 1;
    char what[64];
    if (sound && height->given) HALO_FAIL(HALO_ERR_USAGE, "%s: audio has no height", op);
    snprintf(what, sizeof what, "%s: width", op);
    HALO_TRY(filter_samples(what, width, &wide));
    snprintf(what, sizeof what, "%s: height", op);
    if (!sound) HALO_TRY(filter_samples(what, height->given ? height : width, &high));
    *window = filter_rectangle(wide, high);
out:
    return status;
}

/* ---- coefficients --------------------------------------------------------------------------------------- */

/* As f32 and, where `wide` is not NULL, as f64. */
static HaloStatus keep_taps(HaloBuilder *builder, const HaloMask *mask, const float **kept, const double **wide)
{
    const int64_t count = mask->width * mask->height; /* halo_mask_alloc has checked the bytes */
    float *taps = halo_build_keep(builder, (size_t)count * sizeof *taps);
    if (taps == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld coefficients", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        const HaloStatus status = filter_f32("coefficient", mask->tap[i], &taps[i]);
        if (status != HALO_OK) return status;
    }
    *kept = taps;
    if (wide == NULL) return HALO_OK;
    double *all = halo_build_keep(builder, (size_t)count * sizeof *all);
    if (all == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld coefficients", (long long)count);
    memcpy(all, mask->tap, (size_t)count * sizeof *all);
    *wide = all;
    return HALO_OK;
}

double filter_weight(const HaloMask *mask)
{
    const int64_t count = mask->width * mask->height;
    double sum = 0.0, magnitude = 0.0;
    for (int64_t i = 0; i < count; i++) {
        sum += mask->tap[i];
        magnitude += fabs(mask->tap[i]);
    }
    return fabs(sum) <= FLT_EPSILON * magnitude ? 0.0 : mask->scale * sum;
}

/* ---- the steps of a filter ------------------------------------------------------------------------------ */

static HaloBorder border_of(const HaloCommon *common)
{
    return common->border == HALO_BORDER_KEEP ? HALO_BORDER_REPLICATE : common->border;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static void widen_margins(Filter *filter, int64_t width, int64_t height, int64_t anchor_x, int64_t anchor_y)
{
    filter->left = larger(filter->left, anchor_x);
    filter->right = larger(filter->right, width - 1 - anchor_x);
    filter->up = larger(filter->up, anchor_y);
    filter->down = larger(filter->down, height - 1 - anchor_y);
}

HaloStatus filter_begin_straight(Filter *filter, HaloBuilder *builder, HaloReg in)
{
    *filter = (Filter){.builder = builder, .in = in, .work = in};
    const bool refuses = halo_build_common(builder)->nan == HALO_NAN_ERROR;
    return refuses ? halo_build_refuse_nan(builder, in) : HALO_OK;
}

HaloStatus filter_begin(Filter *filter, HaloBuilder *builder, HaloReg in)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = halo_build_shape(builder, in);
    const HaloMap premul = {.kind = HALO_MAP_PREMUL, .white = shape->white};
    const bool premultiplied = shape->alpha >= 0 && halo_build_common(builder)->alpha == HALO_ALPHA_PREMUL;
    HALO_TRY(filter_begin_straight(filter, builder, in));
    filter->premultiplied = premultiplied;
    if (filter->premultiplied) HALO_TRY(halo_build_map(builder, in, &premul, &filter->work));
out:
    return status;
}

/* The window of a mask whose anchor lies there. */
static HaloWindow window_of(const Filter *filter, int64_t width, int64_t height, int64_t anchor_x,
                            int64_t anchor_y)
{
    const HaloCommon *common = halo_build_common(filter->builder);
    const bool valid = common->border == HALO_BORDER_VALID;
    return (HaloWindow){.width = width,
                        .height = height,
                        .ox = valid ? 0 : -anchor_x,
                        .oy = valid ? 0 : -anchor_y,
                        .border = border_of(common),
                        .value = common->border_value,
                        .nan_ignore = common->nan == HALO_NAN_IGNORE,
                        .anchor_x = anchor_x,
                        .anchor_y = anchor_y};
}

HaloStatus filter_conv(Filter *filter, const HaloMask *mask, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloConv conv = {.window = window_of(filter, mask->width, mask->height, mask->anchor_x, mask->anchor_y)};
    conv.affine = mask->scale != 1.0 || mask->bias != 0.0;
    const bool doubles = halo_build_shape(filter->builder, filter->work)->dtype == HALO_F64;
    HALO_TRY(filter_number("scale", mask->scale, &conv.scale));
    HALO_TRY(filter_number("bias", mask->bias, &conv.bias));
    HALO_TRY(keep_taps(filter->builder, mask, &conv.tap, doubles ? &conv.wide : NULL));
    HALO_TRY(halo_build_conv(filter->builder, filter->work, &conv, dst));
    widen_margins(filter, mask->width, mask->height, mask->anchor_x, mask->anchor_y);
out:
    return status;
}

HaloStatus filter_sep(Filter *filter, const HaloMask *row, const HaloMask *column, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloSep sep = {.window = window_of(filter, row->width, column->width, row->anchor_x, column->anchor_x),
                   .scale = 1.0f};
    if (halo_build_shape(filter->builder, filter->in)->kind == HALO_AUDIO) return filter_conv(filter, row, dst);
    HALO_TRY(keep_taps(filter->builder, row, &sep.tap_x, NULL));
    HALO_TRY(keep_taps(filter->builder, column, &sep.tap_y, NULL));
    HALO_TRY(halo_build_sep(filter->builder, filter->work, &sep, dst));
    widen_margins(filter, row->width, column->width, row->anchor_x, column->anchor_x);
out:
    return status;
}

/* What another window made reaches as far as both together. */
static void reach_over(Filter *filter, HaloReg src, const FilterWindow *window)
{
    if (src == filter->work) {
        widen_margins(filter, window->width, window->height, window->anchor_x, window->anchor_y);
        return;
    }
    filter->left += window->anchor_x;
    filter->right += window->width - 1 - window->anchor_x;
    filter->up += window->anchor_y;
    filter->down += window->height - 1 - window->anchor_y;
}

HaloStatus filter_rank(Filter *filter, HaloReg src, const FilterWindow *window, double fraction, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloRank rank = {
        .window = window_of(filter, window->width, window->height, window->anchor_x, window->anchor_y),
        .fraction = fraction,
        .halves = window->halves && halo_build_common(filter->builder)->nan == HALO_NAN_IGNORE,
        .span = window->span};
    HALO_TRY(halo_build_rank(filter->builder, src, &rank, dst));
    reach_over(filter, src, window);
out:
    return status;
}

HaloStatus filter_local(Filter *filter, HaloReg src, const FilterWindow *window, const HaloLocal *kind,
                        HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloLocal local = *kind;
    local.window = window_of(filter, window->width, window->height, window->anchor_x, window->anchor_y);
    HALO_TRY(halo_build_local(filter->builder, src, &local, dst));
    reach_over(filter, src, window);
out:
    return status;
}

HaloStatus filter_mean(Filter *filter, HaloMeanKind kind, int64_t width, int64_t height, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloMean mean = {.window = window_of(filter, width, height, width / 2, height / 2), .kind = kind};
    HALO_TRY(halo_build_mean(filter->builder, filter->work, &mean, dst));
    widen_margins(filter, width, height, width / 2, height / 2);
out:
    return status;
}

HaloStatus filter_bilateral(Filter *filter, const HaloBilateral *sized, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const int64_t width = sized->window.width, height = sized->window.height;
    HaloBilateral bilateral = *sized;
    bilateral.window = window_of(filter, width, height, width / 2, height / 2);
    HALO_TRY(halo_build_bilateral(filter->builder, filter->work, &bilateral, dst));
    widen_margins(filter, width, height, width / 2, height / 2);
out:
    return status;
}

HaloStatus filter_difference(Filter *filter, HaloReg a, HaloReg b, HaloReg *dst)
{
    const bool valid = halo_build_common(filter->builder)->border == HALO_BORDER_VALID;
    const bool moves_a = valid && a == filter->in, moves_b = valid && b == filter->in;
    const HaloCombine minus = {.kind = HALO_COMBINE_ADD,
                               .amount = -1.0f,
                               .ax = moves_a ? filter->left : 0,
                               .ay = moves_a ? filter->up : 0,
                               .bx = moves_b ? filter->left : 0,
                               .by = moves_b ? filter->up : 0};
    return halo_build_combine(filter->builder, a, b, &minus, dst);
}

HaloStatus filter_ends(Filter *filter, HaloReg made, const HaloMask *ends, bool left, bool right, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloCombine combine = {.kind = HALO_COMBINE_ENDS,
                           .left = left ? ends->height : 0,
                           .right = right ? ends->height : 0,
                           .taps = ends->width};
    HALO_TRY(keep_taps(filter->builder, ends, &combine.tap, &combine.wide));
    HALO_TRY(halo_build_combine(filter->builder, made, filter->in, &combine, out));
out:
    return status;
}

/* `made` and, where VALID has moved its origin, the sample of `in` that it was made for. */
static HaloCombine with_input(const Filter *filter, HaloCombineKind kind)
{
    const bool valid = halo_build_common(filter->builder)->border == HALO_BORDER_VALID;
    return (HaloCombine){.kind = kind,
                         .bx = valid ? filter->left : 0,
                         .by = valid ? filter->up : 0,
                         .white = halo_build_shape(filter->builder, filter->in)->white};
}

HaloStatus filter_straight(Filter *filter, HaloReg made, HaloReg *dst)
{
    const HaloCombine divide = with_input(filter, HALO_COMBINE_UNPREMUL);
    *dst = made;
    return filter->premultiplied ? halo_build_combine(filter->builder, made, filter->in, &divide, dst)
                                 : HALO_OK;
}

HaloStatus filter_alpha(Filter *filter, HaloReg made, HaloReg *dst)
{
    const HaloCombine copy = with_input(filter, HALO_COMBINE_COPY_ALPHA);
    const bool has_one = halo_build_shape(filter->builder, filter->in)->alpha >= 0;
    *dst = made;
    return has_one ? halo_build_combine(filter->builder, made, filter->in, &copy, dst) : HALO_OK;
}

HaloStatus filter_end(Filter *filter, HaloReg made, bool smooths, const HaloMap *points, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloBuilder *builder = filter->builder;
    const HaloCommon common = *halo_build_common(builder);
    if (filter->premultiplied && smooths)
        HALO_TRY(filter_straight(filter, made, &made));
    else if (common.alpha != HALO_ALPHA_STRAIGHT)
        HALO_TRY(filter_alpha(filter, made, &made));
    if (points != NULL) HALO_TRY(halo_build_map(builder, made, points, &made));
    if (common.border == HALO_BORDER_KEEP) {
        HaloCombine keep = with_input(filter, HALO_COMBINE_KEEP);
        keep.left = filter->left;
        keep.right = filter->right;
        keep.up = filter->up;
        keep.down = filter->down;
        HALO_TRY(halo_build_combine(builder, made, filter->in, &keep, &made));
    }
    *out = made;
out:
    return status;
}

/* ---- whole operations ----------------------------------------------------------------------------------- */

HaloStatus filter_mask(HaloBuilder *builder, HaloReg in, const HaloMask *mask, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Filter filter;
    HaloMask applied = *mask; /* its taps are shared, its scale and bias may change */
    HaloMap points = {.kind = HALO_MAP_POINTS};
    HaloReg made;
    const double weight = filter_weight(mask);
    const bool smooths = weight != 0.0;
    HALO_TRY(filter_begin(&filter, builder, in));
    if (filter.premultiplied && smooths) {
        const double gain = fabs(weight - 1.0) <= FLT_EPSILON ? 1.0 : weight;
        HaloPoint *point = &points.point[0];
        applied.scale = mask->scale / gain;
        applied.bias = 0.0;
        point->op = gain == 1.0 ? HALO_POINT_ADD : HALO_POINT_FMA;
        HALO_TRY(filter_number("bias", mask->bias, gain == 1.0 ? &point->a : &point->b));
        if (gain != 1.0) HALO_TRY(filter_number("sum of weights", gain, &point->a));
        points.points = gain != 1.0 || mask->bias != 0.0;
    }
    HALO_TRY(filter_conv(&filter, &applied, &made));
    HALO_TRY(filter_end(&filter, made, smooths, points.points > 0 ? &points : NULL, out));
out:
    return status;
}

HaloStatus filter_smooth(HaloBuilder *builder, HaloReg in, const HaloMask *row, const HaloMask *column,
                         HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Filter filter;
    HaloReg made;
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_sep(&filter, row, column, &made));
    HALO_TRY(filter_end(&filter, made, true, NULL, out));
out:
    return status;
}

HaloStatus filter_means(HaloBuilder *builder, HaloReg in, int64_t width, int64_t height, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    Filter filter;
    HaloReg made;
    const bool audio = halo_build_shape(builder, in)->kind == HALO_AUDIO;
    HALO_TRY(filter_begin(&filter, builder, in));
    HALO_TRY(filter_mean(&filter, HALO_MEAN_PLAIN, width, audio ? 1 : height, &made));
    HALO_TRY(filter_end(&filter, made, true, NULL, out));
out:
    return status;
}
