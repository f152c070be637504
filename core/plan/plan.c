/* Making a plan from a pipeline and the shape of an input. */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "base/operand.h"
#include "pipeline/pipeline.h"
#include "plan.h"
#include "primitive/primitive.h"

void *plan_grown(void *array, int count, size_t size)
{
    if ((count & (count - 1)) != 0) return array; /* not a power of two: there is room */
    return realloc(array, size * (size_t)(count == 0 ? 1 : 2 * count));
}

HaloStatus plan_add_reg(HaloPlan *plan, const HaloShape *shape, HaloReg *reg)
{
    int64_t bytes;
    const HaloStatus status = halo_shape_bytes(shape, &bytes);
    if (status != HALO_OK) return status;
    HaloShape *more = plan_grown(plan->reg, plan->regs, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->reg = more;
    plan->reg[plan->regs] = *shape;
    *reg = plan->regs++;
    return HALO_OK;
}

HaloStatus plan_add_step(HaloPlan *plan, const HaloStep *step)
{
    HaloStep *more = plan_grown(plan->step, plan->steps, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->step = more;
    plan->step[plan->steps++] = *step;
    return HALO_OK;
}

HaloStatus plan_add_input(HaloPlan *plan, HaloReg reg, HaloOperand *operand)
{
    HaloInput *more = plan_grown(plan->input, plan->inputs, sizeof *more);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->input = more;
    plan->input[plan->inputs++] = (HaloInput){reg, operand != NULL ? operand_hold(operand) : NULL};
    return HALO_OK;
}

void halo_plan_free(HaloPlan *plan)
{
    if (plan == NULL) return;
    if (plan->chained != NULL) {
        free(plan->chained->step);
        free(plan->chained->live);
    }
    free(plan->chained);
    for (int i = 0; i < plan->inputs; i++) operand_release(plan->input[i].operand);
    free(plan->input);
    for (int i = 0; i < plan->kept_count; i++) free(plan->kept[i]);
    free(plan->kept);
    free(plan->live);
    free(plan->reg);
    free(plan->step);
    free(plan);
}

/* `was`: the length of every value while it was not known. */
static HaloStatus end_step(HaloPlan *plan, HaloStep *step, const int64_t *was)
{
    HaloStatus status = HALO_OK;
    const Primitive *primitive = primitive_of(step);
    const HaloShape *src[HALO_MAX_SOURCES];
    HaloShape shape;
    for (int k = 0; k < step->sources; k++) src[k] = &plan->reg[step->src[k]];
    if (primitive->end != NULL && was[step->src[0]] != src[0]->width)
        HALO_TRY(primitive->end(step, was[step->src[0]], src[0]->width));
    HALO_TRY(primitive->shape(step, src, &shape));
    plan->reg[step->dst].width = shape.width;
out:
    return status;
}

/* Secondary inputs, and values made of them alone, keep their length. */
HaloStatus plan_end_at(HaloPlan *plan, int64_t width)
{
    HaloStatus status = HALO_OK;
    int64_t *was = calloc((size_t)plan->regs, sizeof *was);
    if (was == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int r = 0; r < plan->regs; r++) was[r] = plan->reg[r].width;
    plan->reg[plan->input[0].reg].width = plan->whole.width = width;
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].dst >= 0) HALO_TRY(end_step(plan, &plan->step[i], was));
out:
    free(was);
    return status;
}

/* `value`: those of the common parameters. */
static HaloCommon common_of(const HaloSession *session, const Call *call, const HaloValue *value,
                            const HaloShape *shape)
{
    HaloCommon common = {
        .border = shape->kind == HALO_AUDIO ? HALO_BORDER_MIRROR : HALO_BORDER_REPLICATE,
        .alpha = session->options.alpha,
    };
    if (!call->op->filter) return common;
    if (value[COMMON_BORDER].given) {
        common.border = (HaloBorder)value[COMMON_BORDER].integer;
        common.border_value = (float)value[COMMON_BORDER].number;
    }
    if (value[COMMON_ALPHA].given) common.alpha = (HaloAlpha)value[COMMON_ALPHA].integer;
    common.nan = (HaloNan)value[COMMON_NAN].integer;
    return common;
}

/* Rejects absurd sizes (pad:100000000) early. The size of the input was checked when it was opened, and sound
 * has no such limit. */
static HaloStatus allow_size(const HaloBuilder *builder, const HaloShape *in, HaloReg out)
{
    const HaloShape *shape = halo_build_shape(builder, out);
    const int64_t limit = builder->session->options.max_pixels,
                  each = shape->channels > 4 ? shape->channels : 4;
    int64_t room;
    if (in->kind != HALO_IMAGE || shape->kind != HALO_IMAGE ||
        (shape->width <= in->width && shape->height <= in->height) ||
        (halo_mul(shape->width, shape->height, &room) && halo_mul(room, each, &room) && room / 4 <= limit))
        return HALO_OK;
    return halo_fail(
        HALO_ERR_LIMIT,
        "%s makes %lld x %lld pixels of %d samples, more than %lld of 4: --max-pixels raises the limit",
        builder->op, (long long)shape->width, (long long)shape->height, shape->channels, (long long)limit);
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

/* Steps for one call. */
static HaloStatus build_call(HaloBuilder *builder, const Call *call, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloShape shape = *halo_build_shape(builder, in);
    HaloValue *value = calloc((size_t)call->values + 1, sizeof *value);
    if (value == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    memcpy(value, call->value, sizeof *value * (size_t)call->values);
    builder->op = call->op->name;
    if ((call->op->kinds & shape.kind) == 0)
        HALO_FAIL(HALO_ERR_USAGE, "%s works on %s, and this is %s", call->op->name,
                  call->op->kinds == HALO_IMAGE ? "images" : "audio",
                  shape.kind == HALO_IMAGE ? "an image" : "audio");
    for (int i = 0; i < call->values; i++) {
        HALO_TRY(note_level(builder, call, i, &shape, &value[i]));
        HALO_TRY(value_bind(call->op, call_param(call, i), &shape, &value[i]));
    }
    builder->common = common_of(builder->session, call, value + call->op->params, &shape);
    *out = in;
    builder->scale = call->op->scale;
    if (builder->scale == HALO_SCALE_NEEDS) HALO_TRY(builder_needs_scale(builder, in, call->op->name));
    HALO_TRY(call->op->build(builder, value, in, out));
    if (call->op->scale == HALO_SCALE_SETS && *out != in) builder->plan->reg[*out].numbers = false;
    HALO_TRY(allow_size(builder, &shape, *out));
out:
    free(value);
    return status;
}

/* --linear: integer images are taken to be sRGB; float images are linear already. */
static bool goes_linear(const HaloSession *session, const HaloShape *input)
{
    return session->options.linear && input->kind == HALO_IMAGE && input->dtype != HALO_F32;
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
        HALO_TRY(build_call(builder, &pipeline->call[c], in, &in));
    }
    *out = in;
out:
    return status;
}

/* The steps behind the pipeline: those of the session's options, and the conversion for the output's format. */
static HaloStatus add_end(HaloBuilder *builder, const HaloShape *input, const HaloFormat *to, HaloReg value)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan;
    const HaloSession *session = builder->session;
    if (goes_linear(session, input) && plan->wants_output) {
        HALO_TRY(builder_to_native(builder, value, &value));
        HALO_TRY(append_curve(builder, HALO_POINT_SRGB, value, &value));
    }
    if (session->gain != 0.0f && input->kind == HALO_AUDIO && plan->wants_output) {
        HALO_TRY(builder_to_native(builder, value, &value));
        HALO_TRY(append_point(builder, "--guard", HALO_POINT_MUL, session->gain, value, &value));
    }
    if (to != NULL) HALO_TRY(target_append(builder, value, input->dtype, to, &value));
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

int64_t plan_may_shrink(const HaloPlan *plan)
{
    int64_t times = INT64_MAX;
    for (int i = 0; i < plan->steps; i++)
        for (int k = 0; k < plan->step[i].sources; k++) {
            if (plan->step[i].src[k] != plan->input[0].reg) continue;
            const Primitive *primitive = primitive_of(&plan->step[i]);
            times = smaller(times, primitive->shrinks != NULL ? primitive->shrinks(&plan->step[i]) : 1);
        }
    return plan->output == plan->input[0].reg || times == INT64_MAX ? 1 : times;
}

static HaloShape shrunk_shape(const HaloShape *shape, int64_t times)
{
    HaloShape shrunk = *shape;
    shrunk.width = (shape->width + times - 1) / times;
    shrunk.height = (shape->height + times - 1) / times;
    return shrunk;
}

/* A plan that needs an analysis pass makes the value that the pass looks at, and nothing else. */
static HaloStatus add_all(HaloBuilder *builder, const HaloPipeline *pipeline, const HaloShape *input,
                          const HaloFormat *to, HaloReg value)
{
    HaloStatus status = HALO_OK;
    PlanAnalysis *analysis = builder->session->analysis;
    if (analysis != NULL) {
        analysis->used = 0;
        analysis->pending = false;
    }
    HALO_TRY(plan_add_light(builder, value, &value));
    status = plan_add_calls(builder, pipeline, value, &value);
    if (status == PLAN_NEEDS_ANALYSIS) {
        analysis->pending = true;
        builder->plan->wants_output = analysis->kind != ANALYSIS_RESULTS;
        return HALO_OK;
    }
    HALO_TRY(status);
    HALO_TRY(add_end(builder, input, to, value));
out:
    return status;
}

HaloStatus plan_make_shrunk(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *input,
                            int64_t shrunk, const HaloFormat *to, HaloPlan **plan)
{
    HaloStatus status = HALO_OK;
    HaloReg value = 0;
    HaloPlan *made = calloc(1, sizeof *made);
    HaloBuilder builder = {.session = session, .plan = made, .op = "input"};
    *plan = NULL;
    if (made == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    made->whole = *input;
    made->shrunk = shrunk;
    const HaloShape there = shrunk_shape(input, shrunk);
    HALO_TRY(plan_add_reg(made, &there, &value));
    HALO_TRY(plan_add_input(made, value, NULL));
    made->wanted_dtype = -1;
    made->wants_output = to != NULL || !halo_pipeline_only_measures(pipeline);
    HALO_TRY(add_all(&builder, pipeline, input, to, value));
    HALO_TRY(mark_divisions(made));
    mark_shrunk(made);
    if (session->options.precision == HALO_PRECISION_FAST) HALO_TRY(plan_approximate(&builder));
    HALO_TRY(plan_optimise(made));
    HALO_TRY(plan_chain(&builder, session->gpu->backend));
    *plan = made;
    made = NULL;
out:
    halo_plan_free(made);
    return status;
}

HaloStatus halo_plan_make(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *input,
                          const HaloFormat *to, HaloPlan **plan)
{
    return plan_make_shrunk(session, pipeline, input, 1, to, plan);
}
