/* Operations that apply to some channels alone (on=), or where a mask says so (mask=): steps before and after
 * those of the operation. */
#include "confine.h"

#include <string.h>

#include "halo/expr_writer.h"
#include "halo/mix.h"
#include "pipeline/pipeline.h"

enum { INPUT, MADE, SHARE }; /* sources of the programs */

/* ---- programs ------------------------------------------------------------------------------------------- */

/* full: the sample of the mask that is a share of 1 */
static void write_share(HaloExprWriter *to, float full)
{
    halo_expr_push_sample(to, SHARE, 0);
    if (full == 1.0f) return;
    halo_expr_push_number(to, (double)full);
    halo_expr_push_code(to, HALO_EXPR_DIV);
}

/* fma(made - input, share, input), where what pushes the share is left to the caller. */
static void write_distance(HaloExprWriter *to, int channel)
{
    halo_expr_push_sample(to, MADE, channel);
    halo_expr_push_sample(to, INPUT, channel);
    halo_expr_push_code(to, HALO_EXPR_SUB);
}

static void write_sum(HaloExprWriter *to, int channel)
{
    halo_expr_push_sample(to, INPUT, channel);
    halo_expr_push_code(to, HALO_EXPR_FMA);
}

static void write_mixed(HaloExprWriter *to, float full, int channel)
{
    write_distance(to, channel);
    write_share(to, full);
    write_sum(to, channel);
}

/* Colours mix by the share of the result's alpha that comes from the operation. */
static void write_colour(HaloExprWriter *to, float full, int alpha)
{
    write_mixed(to, full, alpha);
    halo_expr_push_number(to, 0.0);
    halo_expr_push_code(to, HALO_EXPR_GT);
    write_distance(to, -1);
    halo_expr_push_sample(to, MADE, alpha);
    write_share(to, full);
    halo_expr_push_code(to, HALO_EXPR_MUL);
    write_mixed(to, full, alpha);
    halo_expr_push_code(to, HALO_EXPR_DIV);
    write_sum(to, -1);
    halo_expr_push_sample(to, INPUT, -1);
    halo_expr_push_code(to, HALO_EXPR_SELECT);
}

/* share > 0 ? share < 1 ? mixed : made : input */
static void write_mask(HaloExprWriter *to, float full, int alpha)
{
    write_share(to, full);
    halo_expr_push_number(to, 0.0);
    halo_expr_push_code(to, HALO_EXPR_GT);
    write_share(to, full);
    halo_expr_push_number(to, 1.0);
    halo_expr_push_code(to, HALO_EXPR_LT);
    if (alpha >= 0) {
        halo_expr_push_code(to, HALO_EXPR_C);
        halo_expr_push_number(to, alpha + 1.0);
        halo_expr_push_code(to, HALO_EXPR_EQ);
        write_mixed(to, full, alpha);
        write_colour(to, full, alpha);
        halo_expr_push_code(to, HALO_EXPR_SELECT);
    } else {
        write_mixed(to, full, -1);
    }
    halo_expr_push_sample(to, MADE, -1);
    halo_expr_push_code(to, HALO_EXPR_SELECT);
    halo_expr_push_sample(to, INPUT, -1);
    halo_expr_push_code(to, HALO_EXPR_SELECT);
}

/* Is the channel in the list ? made : input */
static void write_put_back(HaloExprWriter *to, const HaloChannelList *list)
{
    for (int i = 0; i < list->runs; i++) {
        halo_expr_push_code(to, HALO_EXPR_C);
        halo_expr_push_number(to, list->first[i] + 1.0);
        halo_expr_push_code(to, HALO_EXPR_GE);
        halo_expr_push_code(to, HALO_EXPR_C);
        halo_expr_push_number(to, list->last[i] + 1.0);
        halo_expr_push_code(to, HALO_EXPR_LE);
        halo_expr_push_code(to, HALO_EXPR_AND);
        if (i > 0) halo_expr_push_code(to, HALO_EXPR_OR);
    }
    halo_expr_push_sample(to, MADE, -1);
    halo_expr_push_sample(to, INPUT, -1);
    halo_expr_push_code(to, HALO_EXPR_SELECT);
}

/* The step has the name of the key in --explain. */
static HaloStatus append_as(HaloBuilder *builder, const char *key, const HaloStep *step, HaloReg *out)
{
    const char *const op = builder->op;
    builder->op = key;
    const HaloStatus status = halo_build_step(builder, step, out);
    builder->op = op;
    return status;
}

/* ---- channels ------------------------------------------------------------------------------------------- */

/* Channels that are each a channel of `in`: of[c]. */
static HaloStatus select_channels(HaloBuilder *builder, HaloReg in, const int *of, int channels, int alpha,
                                  HaloReg *out)
{
    HaloStep step = {.primitive = HALO_MIX, .sources = 1, .src = {in}};
    int *begin = halo_build_keep(builder, sizeof *begin * ((size_t)channels + 1));
    HaloMixTerm *term = halo_build_keep(builder, sizeof *term * (size_t)channels);
    if (begin == NULL || term == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++) {
        begin[c] = c;
        term[c] = (HaloMixTerm){of[c], 1.0};
    }
    begin[channels] = channels;
    step.u.mix = (HaloMix){.channels = channels, .alpha = alpha, .begin = begin, .term = term};
    return halo_build_step(builder, &step, out);
}

static HaloStatus check_channels(const HaloBuilder *builder, HaloReg in, const HaloChannelList *list)
{
    const int there = halo_build_shape(builder, in)->channels, last = list->last[list->runs - 1];
    if (last < there) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s: there is no channel %d: there %s %d",
                     param_name(builder->op, "on").text, last + 1, there == 1 ? "is" : "are", there);
}

HaloStatus halo_build_take_channels(HaloBuilder *builder, HaloReg in, const HaloChannelList *list,
                                    HaloReg *taken)
{
    HaloStatus status = HALO_OK;
    const int alpha = halo_build_shape(builder, in)->alpha;
    const int channels = halo_count_channels(list);
    int count = 0, place = -1;
    HALO_TRY(check_channels(builder, in, list));
    int *of = halo_build_keep(builder, sizeof *of * (size_t)channels);
    if (of == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i < list->runs; i++)
        for (int c = list->first[i]; c <= list->last[i]; c++) {
            if (c == alpha && channels > 1) place = count; /* alone it is a channel like any other */
            of[count++] = c;
        }
    HALO_TRY(select_channels(builder, in, of, count, place, taken));
out:
    return status;
}

/* `made` of an operation on `in` has to be like it. */
static HaloStatus check_alike(HaloBuilder *builder, const char *key, HaloReg in, HaloReg made)
{
    const HaloShape *a = halo_build_shape(builder, in), *b = halo_build_shape(builder, made);
    const ParamName name = param_name(builder->op, key);
    if (a->kind == HALO_AUDIO && a->width != b->width)
        return halo_fail(HALO_ERR_INPUT,
                         "%s needs an operation that keeps the length, and this one makes %lld frames of "
                         "%lld",
                         name.text, (long long)b->width, (long long)a->width);
    if (a->width != b->width || a->height != b->height)
        return halo_fail(HALO_ERR_INPUT,
                         "%s needs an operation that keeps the size, and this one makes %lld x %lld of %lld "
                         "x %lld",
                         name.text, (long long)b->width, (long long)b->height, (long long)a->width,
                         (long long)a->height);
    if (a->channels != b->channels || a->alpha != b->alpha)
        return halo_fail(HALO_ERR_INPUT,
                         "%s needs an operation that keeps the channels, and this one makes %d%s of %d%s",
                         name.text, b->channels, b->alpha >= 0 ? " with alpha" : "", a->channels,
                         a->alpha >= 0 ? " with alpha" : "");
    if (a->white != b->white || a->numbers != b->numbers)
        return halo_fail(HALO_ERR_INPUT,
                         "%s leaves some samples as they are, and beside them those of this operation would "
                         "mean something else: it changes what full scale is",
                         name.text);
    return HALO_OK;
}

HaloStatus halo_build_put_channels(HaloBuilder *builder, HaloReg in, const HaloChannelList *list, HaloReg taken,
                                   HaloReg made, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int channels = halo_build_shape(builder, in)->channels, alpha = halo_build_shape(builder, in)->alpha;
    HaloExprWriter to;
    HaloStep step = {.primitive = HALO_EXPR, .sources = 2, .src = {in, made}};
    HALO_TRY(check_alike(builder, "on", taken, made));
    HALO_TRY(builder_to_native(builder, made, &step.src[MADE]));
    if (halo_count_channels(list) > 1) { /* a single one is taken for every channel */
        int *of = halo_build_keep(builder, sizeof *of * (size_t)channels), count = 0;
        if (of == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
        memset(of, 0, sizeof *of * (size_t)channels);
        for (int i = 0; i < list->runs; i++)
            for (int c = list->first[i]; c <= list->last[i]; c++) of[c] = count++;
        HALO_TRY(select_channels(builder, step.src[MADE], of, channels, alpha, &step.src[MADE]));
    }
    HALO_TRY(halo_expr_begin(builder, &to));
    write_put_back(&to, list);
    step.u.expr = to.expr;
    HALO_TRY(append_as(builder, "on", &step, out));
out:
    return status;
}

/* ---- masks ---------------------------------------------------------------------------------------------- */

static HaloStatus apply_mask(HaloBuilder *builder, const HaloValue *mask, HaloReg in, HaloReg made,
                             HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const int first = 0;
    HaloExprWriter to;
    HaloStep step = {.primitive = HALO_EXPR, .sources = 3, .src = {in, made}};
    HALO_TRY(check_alike(builder, "mask", in, made));
    HALO_TRY(builder_to_native(builder, made, &step.src[MADE]));
    builder->scale = HALO_SCALE_ANY;
    HALO_TRY(halo_build_source(builder, mask, in, HALO_FIT_GRAY, &step.src[SHARE]));
    HALO_TRY(halo_expr_begin(builder, &to));
    const float full = halo_build_shape(builder, step.src[SHARE])->white;
    if (halo_build_shape(builder, step.src[SHARE])->channels > 1)
        HALO_TRY(select_channels(builder, step.src[SHARE], &first, 1, -1, &step.src[SHARE]));
    const int alpha = halo_build_shape(builder, in)->alpha;
    to.expr->places = alpha >= 0;
    write_mask(&to, full, alpha);
    step.u.expr = to.expr;
    HALO_TRY(append_as(builder, "mask", &step, out));
out:
    return status;
}

/* ---- one operation -------------------------------------------------------------------------------------- */

HaloStatus confine_begin(HaloBuilder *builder, const HaloOp *op, const HaloValue *value, Confine *confine,
                         HaloReg in, HaloReg *inner)
{
    HaloStatus status = HALO_OK;
    const HaloValue *on = confine->on, *mask = confine->mask;
    const int light = op_light(op, value);
    confine->in = *inner = in;
    if ((on != NULL || mask != NULL) && light != 0)
        HALO_FAIL(HALO_ERR_USAGE, "%s cannot be given: all samples of a picture code light alike",
                  param_name(op->name, on != NULL ? "on" : "mask").text);
    if (on == NULL) return HALO_OK;
    HALO_TRY(halo_read_channels("on", on->text, &confine->channels));
    HALO_TRY(halo_build_take_channels(builder, in, &confine->channels, inner));
    confine->taken = *inner;
out:
    return status;
}

HaloStatus confine_end(HaloBuilder *builder, const Confine *confine, HaloReg made, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    *out = made;
    if (confine->on != NULL)
        HALO_TRY(halo_build_put_channels(builder, confine->in, &confine->channels, confine->taken, made, out));
    if (confine->mask != NULL) HALO_TRY(apply_mask(builder, confine->mask, confine->in, *out, out));
out:
    return status;
}
