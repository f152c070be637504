/* Which analysis passes a plan needs, and where planning stops for them. */
#include "analysis.h"

#include <stdlib.h>

#include "builder.h"
#include "plan.h"

/* What the next pass found; NULL: it is still to come, and looks at the value `in` unless the caller sets
 * another output. */
static HaloStatus next_pass(HaloBuilder *builder, HaloReg in, AnalysisKind kind, const AnalysisPass **pass)
{
    const PlanAnalysis *analysis = builder->request->analysis;
    PlanNeed *need = &builder->outcome->need;
    *pass = NULL;
    need->kind = kind;
    if (need->used < analysis->passes) {
        *pass = &analysis->pass[need->used++];
        return HALO_OK;
    }
    if (analysis->passes == ANALYSIS_MAX_PASSES)
        return halo_fail(
            HALO_ERR_USAGE,
            "%s: the pipeline needs more than %d passes over the input: split it into several runs",
            builder->op, ANALYSIS_MAX_PASSES);
    builder->plan->output = in;
    return HALO_OK;
}

bool analysis_measures(const HaloBuilder *builder, HaloReg reg)
{
    const PlanAnalysis *analysis = builder->request->analysis;
    return analysis != NULL && analysis->measures && halo_build_shape(builder, reg)->kind == HALO_AUDIO;
}

bool analysis_is_of_large(const HaloBuilder *builder, HaloReg reg)
{
    const PlanAnalysis *analysis = builder->request->analysis;
    return analysis != NULL && analysis->large && halo_build_shape(builder, reg)->kind == HALO_IMAGE;
}

HaloStatus analysis_result(HaloBuilder *builder, HaloReg in, const HaloResult **known)
{
    const AnalysisPass *pass;
    const HaloStatus status = next_pass(builder, in, ANALYSIS_RESULTS, &pass);
    *known = pass != NULL ? &pass->results.item[pass->results.count - 1] : NULL;
    return status;
}

bool analysis_finds_states(const HaloBuilder *builder, HaloReg reg)
{
    return analysis_measures(builder, reg) && builder->request->analysis->reversible &&
           !shape_is_endless(halo_build_shape(builder, reg));
}

/* Allocates the states of a filter, and counts their memory. */
static HaloStatus take_states(HaloBuilder *builder, const HaloSections *how, const HaloShape *shape,
                              AnalysisPass *pass)
{
    HaloStatus status = HALO_OK;
    HaloMemory *memory = &builder->session->memory;
    const int64_t states = halo_sections_blocks(how, shape->width) + 1,
                  each = 4 * (int64_t)sizeof(double) * how->count;
    const int64_t bytes = states * each * shape->channels;
    HALO_TRY(halo_memory_hold(memory, bytes - pass->held));
    pass->held = bytes;
    free(pass->states);
    pass->states = calloc((size_t)bytes, 1);
    if (pass->states == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    return status;
}

/* Ends the plan with this step, which runs only to find its states: first forward, then backward. */
static HaloStatus find_states(HaloBuilder *builder, const HaloStep *step)
{
    HaloStatus status = HALO_OK;
    HaloReg out;
    HALO_TRY(halo_build_step(builder, step, &out));
    if (!step->u.sections.forward_only) {
        const int64_t width = halo_build_shape(builder, out)->width;
        const HaloGather reversed = {.width = width,
                                     .height = 1,
                                     .x0 = width - 1,
                                     .step_x = -1,
                                     .step_y = 1,
                                     .border = HALO_BORDER_ZERO};
        HALO_TRY(halo_build_gather(builder, out, &reversed, &out));
    }
    builder->plan->output = out;
    status = PLAN_NEEDS_ANALYSIS;
out:
    return status;
}

HaloStatus analysis_sections(HaloBuilder *builder, HaloStep *step, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    PlanAnalysis *analysis = builder->request->analysis;
    HaloSections *how = &step->u.sections;
    const HaloReg in = step->src[0];
    const AnalysisPass *forward, *backward;
    HALO_TRY(next_pass(builder, in, ANALYSIS_STATES, &forward));
    how->forward_only = forward == NULL;
    if (forward == NULL) {
        AnalysisPass *next = &analysis->pass[analysis->passes];
        HALO_TRY(take_states(builder, how, halo_build_shape(builder, in), next));
        how->states = next->states;
        return find_states(builder, step);
    }
    how->states = forward->states;
    HALO_TRY(next_pass(builder, in, ANALYSIS_STATES, &backward));
    if (backward == NULL) return find_states(builder, step);
    how->states_known = true;
    HALO_TRY(halo_build_step(builder, step, dst));
out:
    return status;
}

/* What a pass will find of the regions of pictures of this shape. */
static HaloStatus open_regions(HaloBuilder *builder, const HaloShape *shape, AnalysisPass *pass)
{
    HaloStatus status = HALO_OK;
    if (pass->regions == NULL) pass->regions = calloc(1, sizeof *pass->regions);
    if (pass->regions == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    halo_regions_clear(pass->regions);
    pass->regions->memory = &builder->session->memory;
    pass->regions->state = calloc(1, (size_t)halo_regions_state(shape));
    if (pass->regions->state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    return status;
}

HaloStatus halo_build_regions(HaloBuilder *builder, HaloReg src, const HaloRegions *regions, HaloReg *dst)
{
    HaloStatus status = HALO_OK;
    HaloStep step = {.primitive = HALO_REGIONS, .sources = 1, .src = {src}, .u.regions = *regions};
    const AnalysisPass *pass;
    if (!analysis_is_of_large(builder, src)) return halo_build_step(builder, &step, dst);
    HALO_TRY(next_pass(builder, src, ANALYSIS_RESULTS, &pass));
    if (pass != NULL) {
        step.u.regions.found = pass->regions;
        return halo_build_step(builder, &step, dst);
    }
    PlanAnalysis *analysis = builder->request->analysis;
    AnalysisPass *next = &analysis->pass[analysis->passes];
    HALO_TRY(open_regions(builder, halo_build_shape(builder, src), next));
    step.primitive = HALO_FIND_REGIONS;
    step.dst = -1;
    step.u.regions.found = next->regions;
    HALO_TRY(builder_append_measure(builder, &step, true));
    status = PLAN_NEEDS_ANALYSIS;
out:
    return status;
}

HaloStatus halo_build_analysis(HaloBuilder *builder, HaloReg in, const HaloSilence *silence,
                               const HaloSpan **span, int64_t *spans)
{
    HaloStatus status = HALO_OK;
    const PlanAnalysis *analysis = builder->request->analysis;
    const AnalysisPass *pass;
    if (analysis == NULL)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: its output length depends on the samples, so it works on single files only",
                  builder->op);
    HALO_TRY(next_pass(builder, in, ANALYSIS_SILENCE, &pass));
    builder->outcome->need.silence = *silence;
    if (pass == NULL) return PLAN_NEEDS_ANALYSIS;
    *span = pass->spans.span;
    *spans = pass->spans.count;
out:
    return status;
}

HaloStatus halo_build_loudness_found(HaloBuilder *builder, const HaloLoudness **found)
{
    HaloStatus status = HALO_OK;
    const HaloResult *known;
    *found = NULL;
    if (builder->request->analysis == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "%s: it measures its own result, so it works on single files only",
                  builder->op);
    HALO_TRY(analysis_result(builder, builder->plan->output, &known));
    if (known != NULL) *found = &known->loudness;
out:
    return status;
}

HaloStatus halo_build_analysis_of_frames(HaloBuilder *builder, HaloReg in, const HaloAnalysis *analysis,
                                         const void **found)
{
    HaloStatus status = HALO_OK;
    const int64_t width = halo_build_shape(builder, in)->width;
    const HaloSpan part = {analysis->part.from, smaller(analysis->part.to, width)};
    const HaloGather cut = {.width = part.to - part.from,
                            .height = 1,
                            .x0 = part.from,
                            .step_x = 1,
                            .step_y = 1,
                            .border = HALO_BORDER_ZERO};
    const AnalysisPass *pass;
    if (builder->request->analysis == NULL)
        HALO_FAIL(HALO_ERR_USAGE, "%s: it analyses the samples first, so it works on single files only",
                  builder->op);
    HALO_TRY(next_pass(builder, in, ANALYSIS_FRAMES, &pass));
    builder->outcome->need.frames = *analysis;
    if (pass != NULL) {
        *found = pass->found;
        return HALO_OK;
    }
    if (part.from > 0 || part.to < width)
        HALO_TRY(halo_build_gather(builder, in, &cut, &builder->plan->output));
    status = PLAN_NEEDS_ANALYSIS;
out:
    return status;
}

bool analysis_add_span(AnalysisSpans *spans, HaloSpan span)
{
    if (spans->count == spans->capacity) {
        const int64_t capacity = 2 * spans->capacity + 4;
        HaloSpan *grown = realloc(spans->span, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return false;
        spans->span = grown;
        spans->capacity = capacity;
    }
    spans->span[spans->count++] = span;
    return true;
}

void analysis_free(PlanAnalysis *analysis, HaloMemory *memory)
{
    for (int i = 0; i < ANALYSIS_MAX_PASSES; i++) {
        free(analysis->pass[i].spans.span);
        free(analysis->pass[i].states);
        free(analysis->pass[i].found);
        halo_memory_release(memory, analysis->pass[i].held);
        if (analysis->pass[i].regions != NULL) halo_regions_clear(analysis->pass[i].regions);
        free(analysis->pass[i].regions);
        halo_results_free(&analysis->pass[i].results);
        analysis->pass[i] = (AnalysisPass){0};
    }
    analysis->passes = 0;
}
