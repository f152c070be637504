/* Analysis passes over samples in memory, and the detection of silence in them. */
#include "analyse.h"

#include <math.h>

#include "run.h"

SilenceDetector detector_open(PlanAnalysis *analysis, const HaloSilence *silence)
{
    AnalysisSpans *spans = &analysis->pass[analysis->passes].spans;
    spans->count = 0;
    return (SilenceDetector){.silence = *silence, .spans = spans};
}

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

void detector_take(SilenceDetector *detector, const HaloBuf *frames)
{
    for (int64_t i = 0; i < frames->cols; i++)
        if (is_loud(frames, i, detector->silence.level))
            add_frame(detector, detector->frames + i);
        else
            detector->quiet++;
    detector->frames += frames->cols;
}

HaloStatus detector_close(SilenceDetector *detector, PlanAnalysis *analysis)
{
    HaloStatus status = HALO_OK;
    AnalysisSpans *spans = detector->spans;
    if (detector->quiet < detector->silence.least && spans->count > 0)
        spans->span[spans->count - 1].to = detector->frames;
    else if (detector->quiet < detector->silence.least)
        detector->out_of_memory = !analysis_add_span(spans, (HaloSpan){0, detector->frames});
    if (detector->out_of_memory) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to find silence");
    spans->frames = detector->frames;
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
    SilenceDetector detector = detector_open(analysis, &planned->need.silence);
    HALO_TRY(run_plan(session, planned->plan, NULL, in, &out, NULL, &report));
    detector_take(&detector, &out);
    HALO_TRY(detector_close(&detector, analysis));
out:
    halo_memory_free(&session->memory, &out);
    return status;
}

HaloStatus halo_plan_make_of(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in,
                             const HaloFormat *to, HaloPlan **plan)
{
    HaloStatus status = HALO_OK;
    PlanAnalysis analysis = {0};
    Operands none = {0};
    PlanOutcome planned;
    const PlanRequest request = {
        .pipeline = pipeline, .input = in->shape, .to = to, .operands = &none, .analysis = &analysis};
    HALO_TRY(plan_make(session, &request, &planned));
    while (planned.need.pass) {
        status = analyse_samples(session, &planned, in, &analysis);
        halo_plan_free(planned.plan);
        planned.plan = NULL;
        HALO_TRY(status);
        HALO_TRY(plan_make(session, &request, &planned));
    }
out:
    operand_next_input(&none, NULL);
    analysis_free(&analysis, &session->memory);
    *plan = planned.plan;
    return status;
}
