/* Appends filters: steps whose samples depend on others around them. */
#include <math.h>

#include "analysis.h"
#include "builder.h"
#include "halo/numerics.h"
#include "oversized.h"

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

/* Taps for f64 where an operation has none of its own. */
static HaloStatus widen_taps(HaloBuilder *builder, HaloReg src, HaloConv *conv)
{
    const int64_t count = conv->window.width * conv->window.height;
    if (conv->wide != NULL || halo_build_shape(builder, src)->dtype != HALO_F64) return HALO_OK;
    double *wide = halo_build_keep(builder, (size_t)count * sizeof *wide);
    if (wide == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld coefficients", (long long)count);
    for (int64_t i = 0; i < count; i++) wide[i] = (double)conv->tap[i];
    conv->wide = wide;
    return HALO_OK;
}

HaloStatus halo_build_conv(HaloBuilder *builder, HaloReg src, const HaloConv *conv, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep step = step_of(HALO_CONV, src);
    step.u.conv = *conv;
    HALO_TRY(widen_taps(builder, src, &step.u.conv));
    /* Normalises taps by their sum, which changes nothing as long as all take part and the sum is finite. */
    if (isfinite(sum_of(conv->tap, conv->window.width * conv->window.height)))
        settle_nan(builder, src, &step.u.window);
    HALO_TRY(halo_build_step(builder, &step, dst));
out:
    return status;
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

HaloStatus halo_build_warp(HaloBuilder *builder, HaloReg src, HaloReg map, const HaloWarp *warp, HaloReg *dst)
{
    HaloStep step = step_of(HALO_WARP, src);
    step.u.warp = *warp;
    if (warp->by == HALO_WARP_MAP) step.src[step.sources++] = map;
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_local(HaloBuilder *builder, HaloReg src, const HaloLocal *local, HaloReg *dst)
{
    HaloStep step = step_of(HALO_LOCAL, src);
    step.u.local = *local;
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

HaloStatus halo_build_sections(HaloBuilder *builder, HaloReg src, const HaloSections *sections, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SECTIONS, src);
    step.u.sections = *sections;
    step.notes = builder_notes(builder);
    if (step.notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
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

HaloStatus halo_build_sequence_of_two(HaloBuilder *builder, HaloReg src, HaloReg other,
                                      const HaloSequenceKind *kind, const void *how, HaloReg *dst)
{
    HaloStep step = step_of(HALO_SEQUENCE, src);
    step.sources = 2;
    step.src[1] = other;
    step.u.sequence = (HaloSequence){.kind = kind, .how = how};
    return halo_build_step(builder, &step, dst);
}

HaloStatus halo_build_sequence(HaloBuilder *builder, HaloReg src, const HaloSequenceKind *kind, const void *how,
                               HaloReg *dst)
{
    HaloStep step = step_of(HALO_SEQUENCE, src);
    step.u.sequence = (HaloSequence){.kind = kind, .how = how};
    if (kind->replaces) {
        HaloReplaced *replaced = step.u.sequence.replaced = halo_build_keep(builder, sizeof *replaced);
        step.notes = builder_notes(builder);
        if (replaced == NULL || step.notes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        *replaced = (HaloReplaced){0};
    }
    return halo_build_step(builder, &step, dst);
}
