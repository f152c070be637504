/* The other inputs of a plan: secondary inputs (files), and branches of the pipeline. */
#include <stdlib.h>

#include "base/operand.h"
#include "file/file.h"
#include "file/operand.h"
#include "pipeline/pipeline.h"
#include "plan.h"

/* "640 x 480 with 3 channels". */
static const char *size_text(const HaloShape *shape, char text[96])
{
    if (shape_is_endless(shape))
        snprintf(text, 96, "%d channel%s", shape->channels, halo_s(shape->channels));
    else if (shape->kind == HALO_AUDIO)
        snprintf(text, 96, "%lld frame%s of %d channel%s", (long long)shape->width, halo_s(shape->width),
                 shape->channels, halo_s(shape->channels));
    else
        snprintf(text, 96, "%lld x %lld with %d channel%s", (long long)shape->width, (long long)shape->height,
                 shape->channels, halo_s(shape->channels));
    return text;
}

/* `name` of the other, for messages: a path, or a branch. */
/* `upright`: the input may have been turned, so that it is not of the size that its file says. */
static HaloStatus check_fit(const HaloShape *in, const HaloShape *other, HaloFit fit, bool upright,
                            const char *name)
{
    char here[96], there[96];
    const bool crosses = upright && in->width == other->height && in->height == other->width;
    const char *turned = crosses && in->width != in->height ? ", turned upright" : "";
    const bool one = halo_is_pixel(other);
    if (in->kind != other->kind)
        return halo_fail(HALO_ERR_INPUT, "%s is %s, and the input is %s", name,
                         other->kind == HALO_AUDIO ? "audio" : "an image",
                         in->kind == HALO_AUDIO ? "audio" : "an image");
    if (fit == HALO_FIT_ANY || fit == HALO_FIT_PLACES) return HALO_OK;
    if (in->kind == HALO_AUDIO && in->rate != other->rate && !one)
        return halo_fail(HALO_ERR_INPUT, "%s has a sample rate of %g Hz, and the input of %g Hz", name,
                         other->rate, in->rate);
    if (fit == HALO_FIT_SIZE && in->width == other->width && in->height == other->height) return HALO_OK;
    if (fit == HALO_FIT_SIZE)
        return halo_fail(HALO_ERR_INPUT, "%s is %s, and the input is %s%s: it has to be of the input's size",
                         name, size_text(other, there), size_text(in, here), turned);
    const bool gray = fit == HALO_FIT_GRAY, mixed = fit == HALO_FIT_MIXED && in->kind == HALO_AUDIO;
    const int colours = other->channels - (other->alpha >= 0);
    if ((one || mixed || (in->width == other->width && in->height == other->height)) &&
        (gray ? colours == 1 : other->channels == 1 || other->channels == in->channels))
        return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "%s is %s, and the input is %s%s: it has to %s%s", name,
                     size_text(other, there), size_text(in, here), turned,
                     mixed                    ? ""
                     : in->kind == HALO_AUDIO ? "be of the input's size or one frame, and "
                                              : "be of the input's size or one pixel, and ",
                     gray ? "gray" : "have as many channels or one");
}

/* A secondary input that occurs several times is one value. */
static HaloStatus add_operand(HaloBuilder *builder, HaloOperand *operand, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloPlan *plan = builder->plan;
    for (int i = 1; i < plan->inputs; i++)
        if (plan->input[i].operand == operand) {
            *out = plan->input[i].reg;
            return HALO_OK;
        }
    HALO_TRY(plan_add_reg(plan, &operand->data.shape, out));
    HALO_TRY(plan_add_input(plan, *out, operand));
out:
    return status;
}

/* Sound of unknown length that is mixed with a file may become longer than the input. If a branch does that,
 * the length has to be known first, since the branch does not extend the value that it is combined with. */
static void want_length_of_mixed(HaloPlan *plan, int from)
{
    for (int i = from; i < plan->steps; i++)
        if (plan->step[i].primitive == HALO_GATHER && plan->step[i].u.gather.least > 0)
            plan->wants_length = true;
}

/* Sound of unknown length, and a secondary input that has to be as long: that can be checked only at the end.
 */
static bool has_to_be_as_long(const HaloBuilder *builder, const HaloValue *source, HaloFit fit, HaloReg other)
{
    return halo_build_open_ended(builder) && source->branch == NULL && fit != HALO_FIT_ANY &&
           fit != HALO_FIT_MIXED && !halo_is_pixel(halo_build_shape(builder, other));
}

static bool loses(const HaloNotes *notes)
{
    return notes->count[HALO_NOTE_ROUNDED] + notes->count[HALO_NOTE_ROUNDED_WIDE] +
               notes->count[HALO_NOTE_VANISHED] >
           0;
}

static bool is_damaged(const HaloNotes *notes)
{
    return notes->count[HALO_NOTE_DAMAGED] + notes->count[HALO_NOTE_CUT] + notes->count[HALO_NOTE_GAPS] > 0;
}

/* Does an operation combine samples of the other with those that it is given, as colours? */
static bool combines(HaloFit fit)
{
    return fit == HALO_FIT_MIXED || fit == HALO_FIT_LIKE || fit == HALO_FIT_OWN_UNITS || fit == HALO_FIT_ANY;
}

/* Notes that colours are combined which their profiles show differently. A file without a profile may be a dark
 * frame or a share. */
static HaloStatus note_profiles(HaloBuilder *builder, HaloKind kind, HaloFit fit, uint64_t profile)
{
    const bool known = profile != 0 && profile != PLAN_NO_PROFILE && builder->profile != PLAN_NO_PROFILE;
    if (!known || kind != HALO_IMAGE || !combines(fit) || !load_profiles_differ(builder->profile, profile))
        return HALO_OK;
    return builder_note(builder, HALO_NOTE_PROFILES);
}

/* Where the input became sRGB by its profile, so does a file that is combined with it. */
static HaloStatus convert_file(HaloBuilder *builder, const HaloOperand *operand, HaloFit fit, HaloReg *value,
                               uint64_t *profile)
{
    HaloBuilder inner = *builder;
    *profile = operand->profile;
    if (builder->converts == NULL || operand->data.shape.kind != HALO_IMAGE || !combines(fit)) return HALO_OK;
    inner.icc = &operand->icc;
    inner.profile = operand->profile;
    const HaloStatus status = plan_add_call(&inner, builder->converts, *value, value);
    *profile = inner.profile;
    return status == HALO_OK ? status : halo_fail_about(status, operand->path);
}

/* The samples of a file, and what they lost. */
static HaloStatus add_file(HaloBuilder *builder, const HaloValue *source, HaloFit fit, HaloOperand **file,
                           HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloOperand *operand = source->operand;
    if (operand == NULL)
        HALO_TRY(operand_of_input(builder->session, builder->request->operands, source->text, &operand));
    HALO_TRY(operand_of_page(builder->request->operands, operand, &operand));
    if (builder->request->upright) HALO_TRY(operand_upright(operand, &operand));
    *file = operand;
    if (loses(&operand->notes) || (builder_real(builder) == HALO_F32 && loses(&operand->narrow)))
        HALO_TRY(builder_note(builder, HALO_NOTE_OPERAND));
    if (is_damaged(&operand->notes)) HALO_TRY(builder_note(builder, HALO_NOTE_DAMAGED));
    HALO_TRY(add_operand(builder, operand, out));
    /* Shares and places are numbers, not light. */
    if (fit != HALO_FIT_GRAY && fit != HALO_FIT_PLACES) HALO_TRY(plan_add_light(builder, *out, out));
out:
    return status;
}

/* Makes the other fit the value `in`. */
static HaloStatus fit_other(HaloBuilder *builder, const HaloValue *source, HaloReg in, HaloFit fit,
                            const char *name, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    HaloShape here = *halo_build_shape(builder, in);
    if (has_to_be_as_long(builder, source, fit, *out)) {
        halo_build_wants_length(builder);
        here.width = halo_build_shape(builder, *out)->width;
    }
    HALO_TRY(check_fit(&here, halo_build_shape(builder, *out), fit, builder->request->upright, name));
    HALO_TRY(builder_to_native(builder, *out, out));
    const bool numbers = here.numbers || halo_build_shape(builder, *out)->numbers;
    if (builder->scale == HALO_SCALE_ALIKE && here.numbers != halo_build_shape(builder, *out)->numbers)
        HALO_TRY(builder_needs_scale(builder, here.numbers ? in : *out, builder->op));
    /* Numbers meet a picture as numbers: counts are taken from counts. */
    if (fit != HALO_FIT_OWN_UNITS && fit != HALO_FIT_CHANNELS && fit != HALO_FIT_SIZE &&
        fit != HALO_FIT_PLACES && !numbers && halo_build_shape(builder, *out)->white != here.white)
        HALO_TRY(builder_rescale(builder, *out, builder_real(builder), here.white, out));
out:
    return status;
}

/* A branch that begins with a file has a length and a profile of its own. Thus the length of the input has
 * to be known. */
static HaloStatus begin_with_file(HaloBuilder *builder, const HaloPipeline *branch, HaloReg in, HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const HaloValue *source = &branch->call[0].value[0];
    const Call *next = branch->calls > 1 ? &branch->call[1] : NULL;
    HaloOperand *file;
    builder->scale = HALO_SCALE_ANY;
    if (halo_build_open_ended(builder)) halo_build_wants_length(builder);
    HALO_TRY(add_file(builder, source, HALO_FIT_ANY, &file, out));
    builder->profile = file->profile;
    builder->icc = &file->icc;
    if (builder->converts != NULL && (next == NULL || op_light(next->op, next->value) > HALO_LIGHT_CONVERTED)) {
        HALO_TRY(convert_file(builder, file, HALO_FIT_ANY, out, &builder->profile));
        builder->icc = NULL;
    }
    HALO_TRY(fit_other(builder, source, in, HALO_FIT_ANY, file->path, out));
out:
    return status;
}

/* A branch begins with the value `in`, or with a file. A `depth` in it does not change the type of the output.
 */
static HaloStatus add_branch(HaloBuilder *builder, const HaloPipeline *branch, HaloReg in, HaloReg *out,
                             uint64_t *profile)
{
    HaloBuilder inner = *builder;
    const int wanted_dtype = builder->plan->wanted_dtype, steps = builder->plan->steps;
    HaloStatus status = HALO_OK;
    if (branch->calls > 0 && branch->call[0].op == &pipeline_file)
        status = begin_with_file(&inner, branch, in, &in);
    if (status == HALO_OK) status = plan_add_calls(&inner, branch, in, out);
    *profile = inner.profile;
    want_length_of_mixed(builder->plan, steps);
    builder->plan->wanted_dtype = wanted_dtype;
    return status;
}

HaloStatus halo_build_source(HaloBuilder *builder, const HaloValue *source, HaloReg in, HaloFit fit,
                             HaloReg *out)
{
    HaloStatus status = HALO_OK;
    const char *name = "the branch";
    uint64_t profile;
    if (source->branch != NULL) {
        if (fit == HALO_FIT_CHANNELS && pipeline_light(source->branch) != 0)
            HALO_FAIL(HALO_ERR_USAGE, "%s: all samples of a picture code light alike: convert all of it before",
                      builder->op);
        HALO_TRY(add_branch(builder, source->branch, in, out, &profile));
    } else {
        HaloOperand *file;
        HALO_TRY(add_file(builder, source, fit, &file, out));
        HALO_TRY(convert_file(builder, file, fit, out, &profile));
        name = file->path;
    }
    HALO_TRY(note_profiles(builder, halo_build_shape(builder, *out)->kind, fit, profile));
    HALO_TRY(fit_other(builder, source, in, fit, name, out));
out:
    return status;
}
