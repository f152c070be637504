/* The functions that an operation's `build` calls: each checks shapes and appends one step to the plan. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "halo/numerics.h"
#include "measure/measure.h"
#include "oversized.h"
#include "plan.h"
#include "primitive/primitive.h"

const HaloShape *halo_build_shape(const HaloBuilder *builder, HaloReg reg)
{
    return halo_build_shrunk(builder, reg) > 1 ? &builder->plan->whole : &builder->plan->reg[reg];
}

int64_t halo_build_shrunk(const HaloBuilder *builder, HaloReg reg)
{
    return reg == builder->plan->input[0].reg ? builder->plan->shrunk : 1;
}

bool halo_build_endless(const HaloBuilder *builder, HaloReg reg)
{
    return shape_is_endless(halo_build_shape(builder, reg));
}

bool halo_build_open_ended(const HaloBuilder *builder)
{
    return halo_build_endless(builder, builder->plan->input[0].reg);
}

void halo_build_wants_length(HaloBuilder *builder) { builder->plan->wants_length = true; }

const HaloCommon *halo_build_common(const HaloBuilder *builder) { return &builder->common; }

void *halo_build_keep(HaloBuilder *builder, size_t bytes)
{
    HaloPlan *plan = builder->plan;
    void **more = plan_grown(plan->kept, plan->kept_count, sizeof *more);
    if (more == NULL) return NULL;
    plan->kept = more;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory != NULL) plan->kept[plan->kept_count++] = memory;
    return memory;
}

/* ---- steps ---------------------------------------------------------------------------------------------- */

static HaloStep step_of(HaloPrimitive primitive, HaloReg src)
{
    return (HaloStep){.primitive = primitive, .sources = 1, .src = {src}};
}

static HaloStatus append(HaloBuilder *builder, HaloStep *step)
{
    step->op = builder->op;
    return plan_add_step(builder->plan, step);
}

/* Appends a step that measures: its result is reported, or sets the parameters of another step. */
static HaloStatus append_measure(HaloBuilder *builder, HaloStep *step, bool result)
{
    step->dst = step->resolve_from = -1;
    step->result = result ? builder->plan->results++ : -1;
    return append(builder, step);
}

HaloStatus halo_build_step(HaloBuilder *builder, const HaloStep *like, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloShape *src[HALO_MAX_SOURCES];
    HaloShape shape;
    HaloStep step = *like;
    for (int k = 0; k < step.sources; k++) src[k] = &builder->plan->reg[step.src[k]];
    step.store = (HaloStore){1.0f, 1.0f};
    step.result = step.resolve_from = -1;
    HALO_TRY(primitive_of(&step)->shape(&step, src, &shape));
    HALO_TRY(plan_add_reg(builder->plan, &shape, &step.dst));
    *dst = step.dst;
    HALO_TRY(append(builder, &step));
out:
    return status;
}

/* ---- primitives that make values ------------------------------------------------------------------------ */

static float sum_of(const float *tap, int64_t count)
{
    float sum = 0.0f;
    for (int64_t i = 0; i < count; i++) sum = sum + tap[i];
    return sum;
}

/* Integers hold no NaN, so the cheaper step without NaN handling gives the same. */
static void settle_nan(const HaloBuilder *builder, HaloReg src, HaloWindow *window)
{
    const bool floats = halo_build_shape(builder, src)->dtype > HALO_U16;
    if (!floats && !(window->border == HALO_BORDER_CONSTANT && isnan(window->value)))
        window->nan_ignore = false;
}

HaloStatus halo_build_conv(HaloBuilder *builder, HaloReg src, const HaloConv *conv, HaloReg *dst)
{
    HaloStep step = step_of(HALO_CONV, src);
    step.u.conv = *conv;
    /* Normalises taps by their sum, which changes nothing as long as all take part and the sum is finite. */
    if (isfinite(sum_of(conv->tap, conv->window.width * conv->window.height)))
        settle_nan(builder, src, &step.u.window);
    return halo_build_step(builder, &step, dst);
}

/* Backends run the row pass for every row under the mask. If the mask is much taller than the image, these are
 * the same few rows again and again: then each is filtered once. */
HaloStatus halo_build_sep(HaloBuilder *builder, HaloReg src, const HaloSep *sep, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SEP, src);
    step.u.sep = *sep;
    if (isfinite(halo_column_weight(sep->tap_y, sep->window.height, sum_of(sep->tap_x, sep->window.width))))
        settle_nan(builder, src, &step.u.window);
    /* If NaN is left out, weights are of the whole window, which two steps cannot compute. */
    if (sep->window.height / 2 > builder->plan->reg[src].height && !step.u.window.nan_ignore)
        return oversized_passes(builder, src, &step.u.sep, dst);
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_rank(HaloBuilder *builder, HaloReg src, const HaloRank *rank, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep step = step_of(HALO_RANK, src);
    step.u.rank = *rank;
    settle_nan(builder, src, &step.u.window);
    step.u.rank.halves = rank->halves && step.u.window.nan_ignore;
    HALO_TRY(oversized_trim(builder, &builder->plan->reg[src], &step.u.rank));
    HALO_TRY(halo_build_step(builder, &step, dst));
out:
    return status;
}

HaloStatus halo_build_mean(HaloBuilder *builder, HaloReg src, const HaloMean *mean, HaloReg *dst)
{
    HaloStep step = step_of(HALO_MEAN, src);
    step.u.mean = *mean;
    settle_nan(builder, src, &step.u.window);
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_bilateral(HaloBuilder *builder, HaloReg src, const HaloBilateral *bilateral, HaloReg *dst)
{
    HaloStep step = step_of(HALO_BILATERAL, src);
    step.u.bilateral = *bilateral;
    settle_nan(builder, src, &step.u.window);
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_equalize(HaloBuilder *builder, HaloReg src, const HaloEqualize *equalize, HaloReg *dst)
{
    const HaloShape *shape = halo_build_shape(builder, src);
    HaloStep step = step_of(HALO_EQUALIZE, src);
    step.u.equalize = *equalize;
    step.u.equalize.bins = shape->dtype == HALO_U8 ? 256 : 65536;
    step.u.equalize.white = shape->white;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_gather(HaloBuilder *builder, HaloReg src, const HaloGather *gather, HaloReg *dst)
{
    HaloStep step = step_of(HALO_GATHER, src);
    step.u.gather = *gather;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_resample(HaloBuilder *builder, HaloReg src, const HaloResample *resample, HaloReg *dst)
{
    HaloStep step = step_of(HALO_RESAMPLE, src);
    step.u.resample = *resample;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_sections(HaloBuilder *builder, HaloReg src, const HaloSections *sections, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SECTIONS, src);
    step.u.sections = *sections;
    if (sections->zero_phase && analysis_finds_states(builder, src))
        return analysis_sections(builder, &step, dst);
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_spectrum(HaloBuilder *builder, HaloReg src, const HaloSpectrum *spectrum, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SPECTRUM, src);
    step.u.spectrum = *spectrum;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_map(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloReg *dst)
{
    HaloStep step = step_of(HALO_MAP, src);
    step.u.map = *map;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_combine(HaloBuilder *builder, HaloReg a, HaloReg b, const HaloCombine *combine,
                              HaloReg *dst)
{
    const HaloStep step = {.primitive = HALO_COMBINE, .sources = 2, .src = {a, b}, .u.combine = *combine};
    return halo_build_step(builder, &step, dst);
}

void halo_build_set_scale(HaloBuilder *builder, HaloReg reg, float white)
{
    builder->plan->reg[reg].white = white;
    builder->plan->reg[reg].numbers = false;
}

HaloStatus builder_needs_scale(HaloBuilder *builder, HaloReg src, const char *what)
{
    if (!halo_build_shape(builder, src)->numbers) return HALO_OK;
    return halo_fail(
        HALO_ERR_INPUT,
        "floats without a full scale, which %s needs: --white 65535 takes them as counts, --white 1 as "
        "fractions, normalize stretches them",
        what);
}

/* A map of no points, whose store is the conversion. */
HaloStatus builder_rescale(HaloBuilder *builder, HaloReg src, HaloDtype dtype, float white, HaloReg *dst)
{
    const float from = halo_build_shape(builder, src)->white;
    const HaloMap map = {.kind = HALO_MAP_POINTS, .white = from};
    HaloPlan *plan = builder->plan;
    const HaloStatus status = halo_build_map(builder, src, &map, dst);
    if (status != HALO_OK) return status;
    plan->step[plan->steps - 1].store = store_between(from, white);
    plan->reg[*dst].dtype = dtype;
    plan->reg[*dst].white = white;
    return HALO_OK;
}

HaloStatus builder_convert(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    const float white = dtype == HALO_F32 ? halo_build_shape(builder, src)->white : halo_dtype_white(dtype);
    const HaloStatus status =
        dtype <= HALO_U16 ? builder_needs_scale(builder, src, halo_dtype_name(dtype)) : HALO_OK;
    if (status != HALO_OK) return status;
    return builder_rescale(builder, src, dtype, white, dst);
}

HaloStatus builder_to_native(HaloBuilder *builder, HaloReg in, HaloReg *out)
{
    *out = in;
    return halo_build_shape(builder, in)->dtype > HALO_F32 ? builder_convert(builder, in, HALO_F32, out)
                                                           : HALO_OK;
}

HaloStatus halo_build_depth(HaloBuilder *builder, HaloReg src, HaloDtype dtype, HaloReg *dst)
{
    builder->plan->wanted_dtype = (int)dtype;
    return builder_convert(builder, src, dtype, dst);
}

HaloStatus halo_build_scan(HaloBuilder *builder, HaloReg src, const HaloScan *scan, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SCAN, src);
    step.u.scan = *scan;
    /* With a single row the horizontal scan is the whole result. */
    if (scan->axis == HALO_AXIS_XY && !scan->exclusive && halo_build_shape(builder, src)->height == 1)
        step.u.scan.axis = HALO_AXIS_X;
    return halo_build_step(builder, &step, dst);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static HaloStatus set_detail(HaloBuilder *builder, const HaloDetail *detail, HaloStep *step)
{
    if (detail == NULL) return HALO_OK;
    HaloDetail *kept = halo_build_keep(builder, sizeof *kept);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *kept = *detail;
    step->detail = kept;
    return HALO_OK;
}

HaloStatus halo_build_stats(HaloBuilder *builder, HaloReg src, unsigned want, const HaloDetail *detail)
{
    HaloStep step = step_of(HALO_REDUCE, src);
    const HaloStatus status = set_detail(builder, detail, &step);
    step.u.want = want;
    return status == HALO_OK ? append_measure(builder, &step, true) : status;
}

HaloStatus halo_build_refuse_nan(HaloBuilder *builder, HaloReg src)
{
    if (halo_build_shape(builder, src)->dtype != HALO_F32) return HALO_OK; /* integers hold none */
    HaloStep step = step_of(HALO_REDUCE, src);
    step.refuse_nan = true;
    return append_measure(builder, &step, false);
}

/* A step whose parameters `resolve` sets from the result of `measure`, which no report shows: while the plan
 * runs, or now, where an analysis pass has measured it. */
static HaloStatus step_from(HaloBuilder *builder, HaloStep *measure, HaloStep *step, HaloResolve *resolve,
                            HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloResult *known = NULL;
    if (analysis_measures(builder, measure->src[0])) {
        HALO_TRY(analysis_result(builder, measure->src[0], &known));
        if (known == NULL) {
            HALO_TRY(append_measure(builder, measure, true));
            return PLAN_NEEDS_ANALYSIS;
        }
        HALO_TRY(resolve(step, known));
        return halo_build_step(builder, step, dst);
    }
    HALO_TRY(append_measure(builder, measure, false));
    const int from = builder->plan->steps - 1;
    HALO_TRY(halo_build_step(builder, step, dst));
    HaloStep *made = &builder->plan->step[builder->plan->steps - 1];
    made->resolve = resolve;
    made->resolve_from = from;
out:
    return status;
}

static HaloStep map_step(HaloReg src, const HaloMap *map)
{
    HaloStep step = step_of(HALO_MAP, src);
    step.u.map = *map;
    return step;
}

HaloStatus halo_build_combine_from_stats(HaloBuilder *builder, HaloReg a, HaloReg b, const HaloCombine *combine,
                                         HaloResolve *resolve, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep measure = step_of(HALO_REDUCE, b);
    HaloStep step = {.primitive = HALO_COMBINE, .sources = 2, .src = {a, b}, .u.combine = *combine};
    HaloResult known;
    measure.u.want = HALO_WANT_EXTREMES | HALO_WANT_MOMENTS;
    if (!constant_is(builder->plan, b)) return step_from(builder, &measure, &step, resolve, dst);
    HALO_TRY(constant_stats(builder, &measure, &known));
    HALO_TRY(resolve(&step, &known));
    HALO_TRY(halo_build_step(builder, &step, dst));
out:
    return status;
}

HaloStatus halo_build_map_from_stats(HaloBuilder *builder, HaloReg src, const HaloMap *map, unsigned want,
                                     const HaloDetail *detail, HaloResolve *resolve,
                                     const double resolve_arg[2], HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep measure = step_of(HALO_REDUCE, src), step = map_step(src, map);
    measure.u.want = want;
    HALO_TRY(set_detail(builder, detail, &measure));
    memcpy(step.resolve_arg, resolve_arg, sizeof step.resolve_arg);
    HALO_TRY(step_from(builder, &measure, &step, resolve, dst));
out:
    return status;
}

HaloNotes *builder_notes(HaloBuilder *builder)
{
    HaloPlan *plan = builder->plan;
    if (plan->notes != NULL) return plan->notes;
    plan->notes = halo_build_keep(builder, sizeof *plan->notes);
    if (plan->notes != NULL) *plan->notes = (HaloNotes){0};
    return plan->notes;
}

HaloStatus builder_note(HaloBuilder *builder, HaloNote kind)
{
    HaloNotes *notes = builder_notes(builder);
    if (notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    notes->count[kind] = 1;
    return HALO_OK;
}

HaloStatus halo_build_map_from_loudness(HaloBuilder *builder, HaloReg src, const HaloMap *map,
                                        HaloResolve *resolve, const double resolve_arg[2], HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep measure = step_of(HALO_REDUCE, src), step = map_step(src, map);
    measure.u.want = HALO_WANT_EXTREMES;
    measure.loudness = true;
    memcpy(step.resolve_arg, resolve_arg, sizeof step.resolve_arg);
    step.notes = builder_notes(builder);
    if (step.notes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(step_from(builder, &measure, &step, resolve, dst));
out:
    return status;
}

HaloStatus halo_build_map_from_hist(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloResolve *resolve,
                                    HaloReg *dst)
{
    HaloStep measure = step_of(HALO_HIST, src), step = map_step(src, map);
    measure.u.hist = hist_default(halo_build_shape(builder, src));
    if (halo_build_shape(builder, src)->dtype == HALO_F32) measure.u.hist.lo = measure.u.hist.hi = (double)NAN;
    return step_from(builder, &measure, &step, resolve, dst);
}

HaloStatus halo_build_fold(HaloBuilder *builder, HaloReg src, const HaloFold *fold)
{
    HaloStep step = step_of(HALO_FOLD, src);
    step.u.fold = *fold;
    return append_measure(builder, &step, true);
}

/* Are all bin edges distinct? True, too, of a range that is not known yet. */
static bool divides(const HaloHist *hist)
{
    const double bins = (double)hist->bins, width = (hist->hi / 4 - hist->lo / 4) / bins,
                 largest = fmax(fabs(hist->lo), fabs(hist->hi)) / 4;
    return !(1.0 / width > DBL_MAX || width < largest * 0x1p-50);
}

HaloStatus halo_build_hist(HaloBuilder *builder, HaloReg src, int64_t bins, double lo, double hi)
{
    HaloStep step = step_of(HALO_HIST, src);
    const HaloShape *shape = halo_build_shape(builder, src);
    step.u.hist = hist_default(shape);
    if (shape->dtype == HALO_F32 && shape->kind == HALO_IMAGE) /* float images have no agreed full scale */
        step.u.hist.lo = step.u.hist.hi = (double)NAN;
    if (bins > 0) step.u.hist.bins = bins;
    if (!isnan(lo)) step.u.hist.lo = lo;
    if (!isnan(hi)) step.u.hist.hi = hi;
    if (step.u.hist.lo >= step.u.hist.hi)
        return halo_fail(HALO_ERR_USAGE, "%s: min (%g) has to be less than max (%g)", builder->op,
                         step.u.hist.lo, step.u.hist.hi);
    if (!divides(&step.u.hist))
        return halo_fail(HALO_ERR_USAGE,
                         "%s: 64-bit floats cannot divide %g to %g into %lld bins: use fewer, or another range",
                         builder->op, step.u.hist.lo, step.u.hist.hi, (long long)step.u.hist.bins);
    return append_measure(builder, &step, true);
}
