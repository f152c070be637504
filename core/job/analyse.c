/* Analysis passes over a file, before it is run. */
#include <string.h>

#include "file/file.h"
#include "job.h"
#include "plan/plan.h"

/* Reads the file through a second reader: the first one stays at the beginning. */
static HaloStatus flow_beside(HaloSession *session, Team team, JobState *state, const FlowTo *to,
                              HaloReport *report)
{
    HaloStatus status = HALO_OK;
    const HaloReadOptions *options = &state->reader.options;
    HaloPlan *plan = state->planned.plan;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HALO_TRY(halo_source_open_again(state->source, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open_wide(session, source, options->has_raw ? &options->raw : NULL, &reader));
    if (state->reader.info.shape.dtype != HALO_F64) load_narrow(&reader);
    if (to->again) reader.info.shape.width = plan->reg[plan->input[0].reg].width; /* is known by now */
    HALO_TRY(flow_run(session, team, plan, &reader, to, report));
out:
    load_close(&reader);
    halo_source_close(source);
    return status;
}

HaloStatus analyse_again(HaloSession *session, Team team, JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloReport more = {.results = report->results};
    while (status == HALO_OK && passes_pending(&more.results)) {
        report->results = (HaloResults){0};
        status = flow_beside(session, team, state, &(FlowTo){.again = true}, &more);
        report->results = more.results;
    }
    return status;
}

static HaloStatus analyse_file(HaloSession *session, JobState *state)
{
    HaloStatus status = HALO_OK;
    HaloReport report = {0};
    PlanAnalysis *analysis = &state->analysis;
    const PlanNeed *need = &state->planned.need;
    Analyser analyser;
    const FlowTo to = {.analyser = analyser_is_needed(need) ? &analyser : NULL};
    HALO_TRY(analyser_open(&analyser, analysis, need, &session->memory));
    HALO_TRY(device_open(&session->host, 0, session->options.jobs));
    const Team team = {&session->host, 1};
    HALO_TRY(flow_beside(session, team, state, &to, &report));
    HALO_TRY(analyse_again(session, team, state, &report));
    if (to.analyser != NULL) {
        HALO_TRY(analyser_close(&analyser, analysis));
    } else {
        analysis->pass[analysis->passes++].results = report.results;
        report.results = (HaloResults){0};
    }
out:
    halo_report_clear(&report);
    return status;
}

bool analyse_measures(const HaloSession *session, const JobState *state)
{
    const HaloShape *shape = &state->reader.info.shape;
    int64_t bytes;
    if (shape->kind != HALO_AUDIO || state->in.data != NULL || gpu_demanded(&session->options) ||
        session->options.verify || !halo_source_is_rereadable(state->source))
        return false;
    return shape->width < 0 || halo_shape_bytes(shape, &bytes) != HALO_OK || bytes > JOB_SHORT_BYTES;
}

/* What a picture of these samples takes when its regions are found in memory: labels in f32, and runs. */
#define TIMES_HELD 16

/* A GPU that holds it finds its regions sooner. */
static bool gpu_may_run(const HaloSession *session)
{
    return session->options.device != HALO_DEVICE_CPU && session->gpu->backend != NULL &&
           !session->gpu_refused && session->gpu->backend->count() > 0;
}

bool analyse_is_large(const HaloSession *session, const JobState *state)
{
    const HaloShape *shape = &state->reader.info.shape;
    int64_t bytes;
    if (shape->kind != HALO_IMAGE || !state->as_stored || state->in.data != NULL ||
        gpu_demanded(&session->options) || session->options.verify || state->reader.options.image > 0 ||
        halo_shape_bytes(shape, &bytes) != HALO_OK)
        return false;
    if (bytes > halo_memory_left(&session->memory) / TIMES_HELD) return true;
    return bytes > JOB_LARGE_BYTES && !gpu_may_run(session);
}

HaloStatus analyse_image(HaloSession *session, JobState *state)
{
    if (state->in.data != NULL) return analyse_samples(session, &state->planned, &state->in, &state->analysis);
    if (halo_source_is_rereadable(state->source) && flow_suits(session, state->planned.plan))
        return analyse_file(session, state);
    analysis_free(&state->analysis, &session->memory);
    state->analysis.measures = state->analysis.large = false;
    return load_samples(&state->reader, &state->in);
}
