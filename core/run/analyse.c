/* Analysis passes over samples in memory, and the detection of silence in them. */
#include "analyse.h"

#include <math.h>
#include <stdlib.h>

#include "run.h"

/* A NaN is not silent. */
static bool is_loud(const HaloBuf *frames, int64_t i, float level)
{
    const int channels = frames->shape.channels;
    const void *frame = halo_at(frames, frames->x0 + i, 0);
    bool loud = false;
    for (int c = 0; c < channels; c++)
        loud = loud || (frames->shape.dtype == HALO_F64 ? !(fabs(((const double *)frame)[c]) < (double)level)
                                                        : !(fabsf(((const float *)frame)[c]) < level));
    return loud;
}

/* Frame `at` is not silent: extends the last span up to it, or begins a span. */
static void add_frame(SilenceDetector *detector, int64_t at)
{
    AnalysisSpans *spans = detector->spans;
    const bool short_pause = detector->quiet < detector->silence.least;
    detector->quiet = 0;
    if (spans->count > 0 && (short_pause || !detector->silence.all)) {
        spans->span[spans->count - 1].to = at + 1;
    } else if (!detector->out_of_memory) {
        const int64_t from = spans->count == 0 && short_pause ? 0 : at;
        detector->out_of_memory = !analysis_add_span(spans, (HaloSpan){from, at + 1});
    }
}

static void detector_take(SilenceDetector *detector, const HaloBuf *frames)
{
    for (int64_t i = 0; i < frames->cols; i++)
        if (is_loud(frames, i, detector->silence.level))
            add_frame(detector, detector->frames + i);
        else
            detector->quiet++;
    detector->frames += frames->cols;
}

static HaloStatus detector_close(SilenceDetector *detector)
{
    AnalysisSpans *spans = detector->spans;
    if (detector->quiet < detector->silence.least && spans->count > 0)
        spans->span[spans->count - 1].to = detector->frames;
    else if (detector->quiet < detector->silence.least)
        detector->out_of_memory = !analysis_add_span(spans, (HaloSpan){0, detector->frames});
    if (detector->out_of_memory) return halo_fail(HALO_ERR_LIMIT, "not enough memory to find silence");
    spans->frames = detector->frames;
    return HALO_OK;
}

HaloStatus analyser_open(Analyser *analyser, PlanAnalysis *analysis, const PlanNeed *need, HaloMemory *memory)
{
    HaloStatus status = HALO_OK;
    AnalysisPass *pass = &analysis->pass[analysis->passes];
    *analyser =
        (Analyser){.need = need, .pass = pass, .detector = {.silence = need->silence, .spans = &pass->spans}};
    pass->spans.count = 0;
    if (need->kind != ANALYSIS_FRAMES) return HALO_OK;
    HALO_TRY(halo_memory_hold(memory, need->frames.bytes - pass->held));
    pass->held = need->frames.bytes;
    free(pass->found);
    pass->found = calloc(1, (size_t)need->frames.bytes);
    if (pass->found == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to analyse the input");
out:
    return status;
}

void analyser_take(Analyser *analyser, const HaloBuf *frames)
{
    const HaloAnalysis *analysis = &analyser->need->frames;
    if (analyser->need->kind == ANALYSIS_FRAMES)
        analysis->take(analysis->how, analyser->pass->found, frames);
    else
        detector_take(&analyser->detector, frames);
}

HaloStatus analyser_close(Analyser *analyser, PlanAnalysis *analysis)
{
    HaloStatus status = HALO_OK;
    if (analyser->need->kind == ANALYSIS_SILENCE) HALO_TRY(detector_close(&analyser->detector));
    analysis->passes++;
out:
    return status;
}

HaloStatus analyse_samples(HaloSession *session, const PlanOutcome *planned, const HaloBuf *in,
                           PlanAnalysis *analysis)
{
    HaloStatus status = HALO_OK;
    HaloReport report = {0};
    HaloBuf out = {0};
    Analyser analyser;
    if (planned->need.kind == ANALYSIS_RESULTS) {
        HALO_TRY(run_plan(session, planned->plan, NULL, in, NULL, &analysis->pass[analysis->passes].results,
                          &report));
        analysis->passes++;
        goto out;
    }
    HALO_TRY(analyser_open(&analyser, analysis, &planned->need, &session->memory));
    HALO_TRY(run_plan(session, planned->plan, NULL, in, &out, NULL, &report));
    analyser_take(&analyser, &out);
    HALO_TRY(analyser_close(&analyser, analysis));
out:
    halo_memory_free(&session->memory, &out);
    return status;
}

HaloStatus plan_for_samples(HaloSession *session, const PlanRequest *request, const HaloBuf *in,
                            HaloPlan **plan)
{
    HaloStatus status = HALO_OK;
    PlanAnalysis analysis = {0};
    PlanOutcome planned = {0};
    PlanRequest wanted = *request;
    wanted.input = in->shape;
    wanted.analysis = &analysis;
    *plan = NULL;
    HALO_TRY(plan_make(session, &wanted, &planned));
    while (planned.need.pass && in->data != NULL) {
        status = analyse_samples(session, &planned, in, &analysis);
        halo_plan_free(planned.plan);
        planned.plan = NULL;
        HALO_TRY(status);
        HALO_TRY(plan_make(session, &wanted, &planned));
    }
    if (planned.need.pass) goto out;
    *plan = planned.plan;
    planned.plan = NULL;
out:
    halo_plan_free(planned.plan);
    operand_next_input(request->operands, NULL);
    analysis_free(&analysis, &session->memory);
    return status;
}

HaloStatus halo_plan_make_of(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in,
                             const HaloFormat *to, HaloPlan **plan)
{
    Operands none = {0};
    return plan_for_samples(session, &(PlanRequest){.pipeline = pipeline, .to = to, .operands = &none}, in,
                            plan);
}
