/* Appends steps that measure, whose results are reported or set the parameters of other steps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis.h"
#include "builder.h"
#include "measure/measure.h"

static HaloStatus set_detail(HaloBuilder *builder, const HaloDetail *detail, HaloStep *step)
{
    if (detail == NULL) return HALO_OK;
    HaloDetail *kept = halo_build_keep(builder, sizeof *kept);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *kept = *detail;
    step->detail = kept;
    step->revisits = analysis_measures(builder, step->src[0]);
    return HALO_OK;
}

HaloStatus halo_build_stats(HaloBuilder *builder, HaloReg src, unsigned want, const HaloDetail *detail)
{
    HaloStep step = step_of(HALO_REDUCE, src);
    const HaloStatus status = set_detail(builder, detail, &step);
    step.u.want = want;
    return status == HALO_OK ? builder_append_measure(builder, &step, true) : status;
}

HaloStatus halo_build_refuse_nan(HaloBuilder *builder, HaloReg src)
{
    if (halo_build_shape(builder, src)->dtype <= HALO_U16) return HALO_OK; /* integers hold none */
    HaloStep step = step_of(HALO_REDUCE, src);
    step.refuse_nan = true;
    return builder_append_measure(builder, &step, false);
}

/* A step whose parameters `resolve` sets from the result of `measure`, which no report shows: while the plan
 * runs, or now, where an analysis pass has measured it. */
static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* *at: the step that measures this; of histograms one that counts the same already. */
static HaloStatus append_shared(HaloBuilder *builder, HaloStep *measure, int *at)
{
    const HaloHist *wanted = &measure->u.hist;
    for (*at = builder->plan->steps - 1; *at >= 0 && measure->primitive == HALO_HIST; --*at) {
        const HaloStep *step = &builder->plan->step[*at];
        if (step->primitive == HALO_HIST && step->result < 0 && step->src[0] == measure->src[0] &&
            step->u.hist.bins == wanted->bins && same_number(step->u.hist.lo, wanted->lo) &&
            same_number(step->u.hist.hi, wanted->hi))
            return HALO_OK;
    }
    *at = builder->plan->steps;
    return builder_append_measure(builder, measure, false);
}

static HaloStatus step_from(HaloBuilder *builder, HaloStep *measure, HaloStep *step, HaloResolve *resolve,
                            HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    const HaloResult *known = NULL;
    if (analysis_measures(builder, measure->src[0]) || analysis_is_of_large(builder, measure->src[0])) {
        HALO_TRY(analysis_result(builder, measure->src[0], &known));
        if (known == NULL) {
            HALO_TRY(builder_append_measure(builder, measure, true));
            return PLAN_NEEDS_ANALYSIS;
        }
        HALO_TRY(resolve(step, known));
        return halo_build_step(builder, step, dst);
    }
    int from;
    HALO_TRY(append_shared(builder, measure, &from));
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
    step.notes = builder_notes(builder);
    if (step.notes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(step_from(builder, &measure, &step, resolve, dst));
out:
    return status;
}

HaloStatus halo_build_gains_from_stats(HaloBuilder *builder, HaloReg src, HaloReg of, HaloResolve *resolve,
                                       HaloReg *dst)
{
    HaloStep measure = step_of(HALO_REDUCE, of), step = step_of(HALO_COLOR, src);
    measure.u.want = HALO_WANT_MOMENTS;
    step.u.color = (HaloColor){.kind = HALO_COLOR_GAINS};
    return step_from(builder, &measure, &step, resolve, dst);
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

HaloStatus halo_build_loudness_pass(HaloBuilder *builder, HaloReg src)
{
    HaloStep measure = step_of(HALO_REDUCE, src);
    measure.u.want = HALO_WANT_EXTREMES;
    measure.loudness = true;
    builder->plan->output = src;
    const HaloStatus status = builder_append_measure(builder, &measure, true);
    return status == HALO_OK ? PLAN_NEEDS_ANALYSIS : status;
}

/* Floats of a large picture are counted in bands once their range is known. */
static HaloStatus find_range(HaloBuilder *builder, HaloReg src, HaloHist *hist)
{
    HaloStatus status = HALO_OK;
    HaloStep measure = step_of(HALO_REDUCE, src);
    const HaloResult *known;
    if (!range_is_open(hist) || !analysis_is_of_large(builder, src)) return HALO_OK;
    HALO_TRY(analysis_result(builder, src, &known));
    if (known != NULL) {
        range_measured(known, hist);
        return HALO_OK;
    }
    measure.u.want = HALO_WANT_EXTREMES;
    HALO_TRY(builder_append_measure(builder, &measure, true));
    status = PLAN_NEEDS_ANALYSIS;
out:
    return status;
}

HaloStatus halo_build_map_from_hist(HaloBuilder *builder, HaloReg src, const HaloMap *map, HaloResolve *resolve,
                                    const double resolve_arg[2], HaloReg *dst)
{
    HaloStep measure = step_of(HALO_HIST, src), step = map_step(src, map);
    step.notes = builder_notes(builder);
    if (step.notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    memcpy(step.resolve_arg, resolve_arg, sizeof step.resolve_arg);
    measure.u.hist = hist_default(halo_build_shape(builder, src));
    if (halo_build_shape(builder, src)->dtype > HALO_U16) measure.u.hist.lo = measure.u.hist.hi = (double)NAN;
    const HaloStatus status = find_range(builder, src, &measure.u.hist);
    return status == HALO_OK ? step_from(builder, &measure, &step, resolve, dst) : status;
}

HaloStatus halo_build_fold(HaloBuilder *builder, HaloReg src, const HaloFold *fold)
{
    HaloStep step = step_of(HALO_FOLD, src);
    step.u.fold = *fold;
    return builder_append_measure(builder, &step, true);
}

HaloStatus halo_build_table(HaloBuilder *builder, HaloReg src, const HaloTableKind *kind, const void *how)
{
    HaloStep step = step_of(HALO_TABLE, src);
    step.u.table = (HaloTableStep){.kind = kind, .how = how};
    return builder_append_measure(builder, &step, true);
}

HaloStatus halo_build_table_of_two(HaloBuilder *builder, HaloReg src, HaloReg other, const HaloTableKind *kind,
                                   const void *how)
{
    HaloStep step = step_of(HALO_TABLE, src);
    step.src[step.sources++] = other;
    step.u.table = (HaloTableStep){.kind = kind, .how = how};
    return builder_append_measure(builder, &step, true);
}

HaloStatus halo_build_objects(HaloBuilder *builder, HaloReg labels, HaloReg of, const HaloObjects *objects)
{
    HaloStep step = step_of(HALO_OBJECTS, labels);
    if (of >= 0) step.src[step.sources++] = of;
    step.u.objects = *objects;
    return builder_append_measure(builder, &step, true);
}

/* Are all bin edges distinct? True, too, of a range that is not known yet. */
static bool divides(const HaloHist *hist)
{
    const double bins = (double)hist->bins, width = (hist->hi / 4 - hist->lo / 4) / bins,
                 largest = fmax(fabs(hist->lo), fabs(hist->hi)) / 4;
    return !(1.0 / width > DBL_MAX || width < largest * 0x1p-50);
}

static HaloStatus set_bins(HaloBuilder *builder, HaloReg src, int64_t bins, double lo, double hi,
                           HaloHist *hist)
{
    const HaloShape *shape = halo_build_shape(builder, src);
    *hist = hist_default(shape);
    if (shape->dtype >= HALO_F32 && !halo_is_sound(shape)) /* nothing else has an agreed full scale */
        hist->lo = hist->hi = (double)NAN;
    if (bins > 0) hist->bins = bins;
    if (!isnan(lo)) hist->lo = lo;
    if (!isnan(hi)) hist->hi = hi;
    if (hist->lo >= hist->hi)
        return halo_fail(HALO_ERR_USAGE, "%s: min (%g) has to be less than max (%g)", builder->op, hist->lo,
                         hist->hi);
    if (!divides(hist))
        return halo_fail(HALO_ERR_USAGE,
                         "%s: 64-bit floats cannot divide %g to %g into %lld bins: use fewer, or another range",
                         builder->op, hist->lo, hist->hi, (long long)hist->bins);
    return HALO_OK;
}

HaloStatus halo_build_hist(HaloBuilder *builder, HaloReg src, int64_t bins, double lo, double hi)
{
    HaloStep step = step_of(HALO_HIST, src);
    const HaloStatus status = set_bins(builder, src, bins, lo, hi, &step.u.hist);
    return status == HALO_OK ? builder_append_measure(builder, &step, true) : status;
}

/* ---- of selected samples --------------------------------------------------------------------------------- */

static HaloStep step_of_groups(HaloReg src, const HaloSelection *selection)
{
    HaloStep step = step_of(HALO_GROUPS, src);
    step.src[step.sources++] = selection->by;
    step.u.groups = (HaloGroups){.each = selection->each};
    return step;
}

HaloStatus halo_build_stats_of(HaloBuilder *builder, HaloReg src, const HaloSelection *selection, unsigned want,
                               const HaloDetail *detail)
{
    HaloStep step = step_of_groups(src, selection);
    const HaloStatus status = set_detail(builder, detail, &step);
    step.u.groups.want = want;
    return status == HALO_OK ? builder_append_measure(builder, &step, true) : status;
}

HaloStatus halo_build_hist_of(HaloBuilder *builder, HaloReg src, const HaloSelection *selection, int64_t bins,
                              double lo, double hi)
{
    HaloStep step = step_of_groups(src, selection);
    const HaloStatus status = set_bins(builder, src, bins, lo, hi, &step.u.groups.hist);
    step.u.groups.counts = true;
    return status == HALO_OK ? builder_append_measure(builder, &step, true) : status;
}
