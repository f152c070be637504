/* Makes a plan from a pipeline and the shape of an input. */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base/border.h"
#include "confine.h"
#include "file/file.h"
#include "file/operand.h"
#include "pipeline/pipeline.h"
#include "plan.h"
#include "primitive/primitive.h"

static HaloCommon common_of(const HaloSession *session, const Call *call, const HaloValue *value,
                            const HaloShape *shape)
{
    HaloCommon common = {
        .border = border_default(shape->kind),
        .alpha = session->options.alpha,
    };
    if (!call->op->filter) return common;
    const HaloValue *border = call_common(call, value, COMMON_BORDER),
                    *alpha = call_common(call, value, COMMON_ALPHA);
    if (border->given) {
        common.border = (HaloBorder)border->integer;
        common.border_value = border->number;
    }
    if (alpha->given) common.alpha = (HaloAlpha)alpha->integer;
    common.nan = (HaloNan)call_common(call, value, COMMON_NAN)->integer;
    return common;
}

/* Rejects absurd sizes (pad:100000000) early. The size of the input was checked when it was opened, and sound
 * has no such limit. */
static HaloStatus allow_size(const HaloBuilder *builder, const HaloShape *in, HaloReg out)
{
    const HaloShape *shape = halo_build_shape(builder, out);
    const int64_t limit = builder->session->options.max_pixels,
                  each = shape->channels > 4 ? shape->channels : 4;
    int64_t size;
    if (in->kind != HALO_IMAGE || shape->kind != HALO_IMAGE ||
        (shape->width <= in->width && shape->height <= in->height) ||
        (halo_mul(shape->width, shape->height, &size) && halo_mul(size, each, &size) && size / 4 <= limit))
        return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT,
                     "%s makes %lld x %lld pixels of %d channels, more than the limit, %lld of up to 4 "
                     "channels: raise it with --max-pixels",
                     builder->op, (long long)shape->width, (long long)shape->height, shape->channels,
                     (long long)limit);
}

/* threshold:0.5 of 8 bits makes nearly everything white, without an error: a plain number between 0 and 1 where
 * full scale is 255 is noted, since a fraction of full scale was probably meant. */
static HaloStatus note_level(HaloBuilder *builder, const Call *call, int i, const HaloShape *shape,
                             const HaloValue *value)
{
    const HaloParam *param = call_param(call, i);
    if (param->type != HALO_PARAM_LEVEL || param->of_result || !value->given || value->percent ||
        !(value->number > 0 && value->number < 1) || shape->numbers || !(shape->white > 1))
        return HALO_OK;
    HaloNotes *notes = builder_notes(builder);
    if (notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    halo_note(notes, HALO_NOTE_LEVEL, 1);
    notes->op = call->op->name;
    notes->key = param->key;
    notes->level = value->number;
    notes->full_scale = (double)shape->white;
    return HALO_OK;
}

static const HaloValue *if_given(const HaloValue *value)
{
    return value != NULL && value->given ? value : NULL;
}

/* Do samples keep their range, but for ringing at edges, and those of borders lie in it? */
static bool stays_within(const Call *call, const HaloValue *value, const HaloShape *shape)
{
    bool within = call->op->within || call->op->result || call->op->selects;
    for (int i = 0; i < call->values; i++)
        if (call_param(call, i)->type == HALO_PARAM_BORDER && value[i].integer == HALO_BORDER_CONSTANT)
            within = within && value[i].number >= 0.0 && value[i].number <= (double)shape->white;
    return within;
}

/* Samples that become sRGB by their profile, or are coded in another way. What has none may be no
 * picture. */
static void follow_colours(HaloBuilder *builder, const Call *call)
{
    const int light = op_light(call->op, call->value);
    if (light == 0) return;
    if (light > HALO_LIGHT_CONVERTED)
        builder->profile = PLAN_NO_PROFILE;
    else if (light == HALO_LIGHT_CONVERTED || builder->profile != 0)
        builder->profile = 1;
    if (light == HALO_LIGHT_PROFILE) builder->converts = call;
    builder->icc = NULL;
}

HaloStatus plan_add_call(HaloBuilder *builder, const Call *call, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    HaloValue *value = calloc((size_t)call->values + 1, sizeof *value);
    if (value == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    memcpy(value, call->value, sizeof *value * (size_t)call->values);
    builder->op = call->op->name;
    if ((call->op->kinds & shape.kind) == 0)
        HALO_FAIL(HALO_ERR_USAGE, "%s works on %s, and the input is %s", call->op->name,
                  call->op->kinds == HALO_IMAGE ? "images" : "audio",
                  shape.kind == HALO_IMAGE ? "an image" : "audio");
    for (int i = 0; i < call->values; i++) {
        HALO_TRY(note_level(builder, call, i, &shape, &value[i]));
        HALO_TRY(value_bind(call->op, call_param(call, i), &shape, &value[i]));
    }
    builder->plan->exceeds |= !stays_within(call, value, &shape);
    builder->common = common_of(builder->session, call, value, &shape);
    builder->scale = call->op->scale;
    if (builder->scale == HALO_SCALE_NEEDS) HALO_TRY(builder_needs_scale(builder, in, call->op->name));
    Confine confine = {.on = if_given(call_common(call, value, COMMON_ON)),
                       .mask = if_given(call_common(call, value, COMMON_MASK))};
    HALO_TRY(confine_begin(builder, call->op, value, &confine, in, &in));
    *out = in;
    HALO_TRY(call->op->build(builder, value, in, out));
    if (call->op->scale == HALO_SCALE_SETS && *out != in && shape.kind == HALO_IMAGE)
        builder->plan->reg[*out].numbers = false;
    HALO_TRY(confine_end(builder, &confine, *out, out));
    HALO_TRY(allow_size(builder, &shape, *out));
    follow_colours(builder, call);
out:
    free(value);
    return status;
}

/* --linear: integer images are taken to be sRGB; float images are linear already. */
static bool goes_linear(const HaloSession *session, const HaloShape *input)
{
    return session->options.linear && input->kind == HALO_IMAGE && input->dtype <= HALO_U16;
}

static HaloStatus append_point(HaloBuilder *builder, const char *option, HaloPointOp op, float a, HaloReg in,
                               HaloReg *out)
{
    const HaloMap map = {.kind = HALO_MAP_POINTS, .points = 1, .point = {{op, a, 0.0f}}};
    builder->op = option;
    return halo_build_map(builder, in, &map, out);
}

static HaloStatus append_curve(HaloBuilder *builder, HaloPointOp curve, HaloReg in, HaloReg *out)
{
    return append_point(builder, "--linear", curve, halo_build_shape(builder, in)->white, in, out);
}

HaloStatus plan_add_light(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    *out = in;
    if (!goes_linear(builder->session, halo_build_shape(builder, in))) return HALO_OK;
    return append_curve(builder, HALO_POINT_LINEAR, in, out);
}

HaloStatus plan_add_calls(HaloBuilder *builder, const HaloPipeline *pipeline, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    for (int c = 0; c < pipeline->calls; c++) {
        HALO_TRY(builder_to_native(builder, in, &in));
        if (pipeline->call[c].op != &pipeline_file)
            HALO_TRY(plan_add_call(builder, &pipeline->call[c], in, &in));
    }
    *out = in;
out:
    return status;
}

/* The steps behind the pipeline: those of the session's options, and the conversion for the output's format. */
static HaloStatus add_end(HaloBuilder *builder, HaloReg value)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan;
    const PlanRequest *request = builder->request;
    const HaloShape *input = &request->input;
    if (goes_linear(builder->session, input) && plan->wants_output) {
        HALO_TRY(builder_to_native(builder, value, &value));
        HALO_TRY(append_curve(builder, HALO_POINT_SRGB, value, &value));
    }
    if (request->gain != 0.0f && input->kind == HALO_AUDIO && plan->wants_output) {
        HALO_TRY(builder_to_native(builder, value, &value));
        HALO_TRY(append_point(builder, "--guard", HALO_POINT_MUL, request->gain, value, &value));
    }
    if (request->to != NULL) HALO_TRY(target_append(builder, value, input->dtype, request->to, &value));
    plan->output = value;
out:
    return status;
}

/* Steps that read an input which was shrunk are approximate. */
static void mark_shrunk(HaloPlan *plan)
{
    for (int i = 0; i < plan->steps && plan->shrunk > 1; i++)
        plan->step[i].approximate = plan->step[i].src[0] == plan->input[0].reg;
}

/* A division by 0 becomes 0, and not full scale, if its result is converted to integers. */
static HaloStatus mark_divisions(HaloPlan *plan)
{
    bool *rounded = calloc((size_t)plan->regs, sizeof *rounded); /* [regs] are integers made of it? */
    if (rounded == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = plan->steps - 1; i >= 0; i--) {
        HaloStep *step = &plan->step[i];
        const bool here = step->dst >= 0 && (rounded[step->dst] || plan->reg[step->dst].dtype <= HALO_U16);
        for (int k = 0; k < step->sources; k++) rounded[step->src[k]] |= here;
        if (step->primitive == HALO_COMBINE && here) step->u.combine.zero_fails = true;
    }
    free(rounded);
    return HALO_OK;
}

static HaloShape shrunk_shape(const HaloShape *shape, int64_t times)
{
    HaloShape shrunk = *shape;
    shrunk.width = (shape->width + times - 1) / times;
    shrunk.height = (shape->height + times - 1) / times;
    return shrunk;
}

/* A plan that needs an analysis pass makes the value that the pass looks at, and nothing else. */
static HaloStatus add_all(HaloBuilder *builder, HaloReg value)
{
    HaloStatus status = HALO_OK;
    PlanNeed *need = &builder->outcome->need;
    HALO_TRY(plan_add_light(builder, value, &value));
    status = plan_add_calls(builder, builder->request->pipeline, value, &value);
    if (status == HALO_OK) status = plan_glance(builder, value);
    need->pass = status == PLAN_NEEDS_ANALYSIS;
    if (need->pass) {
        builder->plan->wants_output = need->kind != ANALYSIS_RESULTS;
        return HALO_OK;
    }
    HALO_TRY(status);
    HALO_TRY(add_end(builder, value));
out:
    return status;
}

HaloStatus plan_make(HaloSession *session, const PlanRequest *request, PlanOutcome *outcome)
{
    HaloStatus status = HALO_OK;
    HaloReg value = 0;
    HaloPlan *made = calloc(1, sizeof *made);
    HaloBuilder builder = {
        .session = session, .request = request, .outcome = outcome, .plan = made, .op = "input"};
    *outcome = (PlanOutcome){0};
    if (made == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (request->icc != NULL) builder.profile = load_profile(builder.icc = request->icc);
    made->whole = request->input;
    made->shrunk = larger(request->shrunk, 1);
    const HaloShape read = shrunk_shape(&request->input, made->shrunk);
    HALO_TRY(plan_add_reg(made, &read, &value));
    HALO_TRY(plan_add_input(made, value, NULL));
    made->wanted_dtype = -1;
    made->wants_output = request->to != NULL || !halo_pipeline_only_measures(request->pipeline);
    HALO_TRY(add_all(&builder, value));
    HALO_TRY(mark_divisions(made));
    mark_shrunk(made);
    if (session->options.precision == HALO_PRECISION_FAST) HALO_TRY(plan_approximate(&builder));
    HALO_TRY(plan_optimise(made));
    HALO_TRY(plan_chain(&builder, session->host.backend, &made->chained[0]));
    HALO_TRY(plan_chain(&builder, session->gpu->backend, &made->chained[1]));
    outcome->plan = made;
    made = NULL;
out:
    halo_plan_free(made);
    return status;
}

HaloStatus halo_plan_make(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *input,
                          const HaloFormat *to, HaloPlan **plan)
{
    Operands none = {0};
    PlanOutcome outcome;
    const PlanRequest request = {.pipeline = pipeline, .input = *input, .to = to, .operands = &none};
    const HaloStatus status = plan_make(session, &request, &outcome);
    operand_next_input(&none, NULL);
    *plan = outcome.plan;
    return status;
}
