/* Plans, reads, computes and writes one image or sound of a file: in bands if its plan allows, else as a whole.
 */
#include <stdio.h>

#include "file/file.h"
#include "job.h"
#include "pipeline/pipeline.h"
#include "plan/analysis.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "reserve.h"

void image_close(JobState *state)
{
    halo_plan_free(state->plan);
    state->plan = NULL;
    halo_memory_free(state->memory, &state->in);
    halo_memory_free(state->memory, &state->out);
}

static void note_conversion(const HaloPlan *plan, const HaloFormat *to, HaloReport *report)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    if (to == NULL || out->kind != HALO_IMAGE || out->dtype >= in->dtype || in->dtype > HALO_F32) return;
    halo_note(&report->notes, HALO_NOTE_NARROWED, 1);
    report->notes.from = in->dtype;
    report->notes.to = out->dtype;
}

static uint64_t samples_of(const HaloShape *shape)
{
    return (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->channels;
}

/* Runs as a whole: reads all of the input, runs the plan, writes all of the output. */
static HaloStatus run_whole(HaloSession *session, JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    double start = now_ms();
    HaloBuf *out = state->writer.format != NULL ? &state->out : NULL;
    if (state->in.data == NULL) HALO_TRY(load_samples(&state->reader, &state->in));
    const double read = now_ms() - start;
    HALO_TRY(run_plan(session, state->plan, &state->in, out, &report->results, report));
    report->ms.read += read;
    start = now_ms();
    halo_memory_free(state->memory, &state->in); /* a writer may have to keep all of the output once more */
    if (out != NULL) HALO_TRY(plan_changes(state->plan, &state->writer.changes));
    if (out != NULL) HALO_TRY(save_whole(&state->writer, &state->reader.info, out));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* A failure must leave no partial output, so an image is written to a pipe only once it is complete: its rows
 * are computed in bands and kept. Sound may be larger than memory, or still be recording, so it is streamed. */
static bool keeps_output(const JobState *state)
{
    return state->writer.format != NULL && !state->seekable && state->reader.info.shape.kind == HALO_IMAGE;
}

/* Runs in bands that are read, computed and, unless the output is kept, written at the same time. */
static HaloStatus run_in_bands(HaloSession *session, JobState *state, Team team, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloWriter *writer = state->writer.format != NULL ? &state->writer : NULL;
    if (!keeps_output(state))
        return flow_run(session, team, state->plan, &state->reader, &(FlowTo){.writer = writer}, report);
    HALO_TRY(halo_memory_alloc(state->memory, &state->out, &state->plan->reg[state->plan->output]));
    HALO_TRY(flow_run(session, team, state->plan, &state->reader, &(FlowTo){.whole = &state->out}, report));
    const double start = now_ms();
    HALO_TRY(plan_changes(state->plan, &writer->changes));
    HALO_TRY(save_whole(writer, &state->reader.info, &state->out));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* Can it run in bands? */
static bool may_flow(const HaloSession *session, JobState *state)
{
    const HaloFormat *to = state->writer.format;
    if (state->in.data != NULL || !flow_suits(session, state->plan)) return false;
    if (state->reader.info.shape.width < 0)
        return !gpu_demanded(&session->options) && (to == NULL || to->endless);
    if (state->reader.info.shape.kind == HALO_AUDIO) return true;
    return to == NULL || keeps_output(state) || !to->meta_first ||
           state->reader.format->trailing_meta == NULL ||
           state->reader.format->trailing_meta(&state->reader) == 0;
}

static bool whole_fits(const HaloSession *session, const Device *device, const HaloPlan *plan)
{
    int64_t in;
    const int64_t left = halo_memory_left(&session->memory);
    const int64_t beside = scratch_beside(device, plan, bands_choose(plan, &session->options));
    return halo_shape_bytes(&plan->reg[plan->input[0].reg], &in) == HALO_OK && in <= left && beside >= 0 &&
           beside <= left - in;
}

static bool is_live(const JobState *state)
{
    return state->writer.format != NULL && flow_is_live(&state->reader, !state->seekable);
}

/* Can it run in bands on a GPU? If the GPU fails, `auto` runs the file again, so input and output have to allow
 * that. */
static bool gpu_flows(const HaloSession *session, const JobState *state)
{
    if (!bands_possible(state->plan)) return false;
    const bool again = halo_source_seekable(state->source) && (state->writer.format == NULL || state->seekable);
    return gpu_demanded(&session->options) || again;
}

/* Opens the device, and reserves space for the output at the same time. */
static HaloStatus open_chosen(HaloSession *session, const JobState *state, Choice *choice)
{
    Reserve reserve = {0};
    const HaloPlan *plan = state->plan;
    if (session->options.jobs > 1 && choose_starts_gpu(session, plan))
        reserve_begin(&reserve, &state->writer, &plan->reg[plan->output]);
    const HaloStatus status = choose_device(session, plan, choice);
    reserve_end(&reserve);
    return status;
}

/* A GPU is not used for low-latency streaming, nor if it would need the whole input at once and that does not
 * fit the memory. `begin`: a missing backend is an error; otherwise `choice` reports it. */
static HaloStatus choose(HaloSession *session, const JobState *state, bool begin, Choice *choice)
{
    const HaloPlan *plan = state->plan;
    const bool demanded = gpu_demanded(&session->options),
               auto_choice = session->options.device == HALO_DEVICE_AUTO;
    const char *why = NULL;
    HaloStatus status = HALO_OK;
    *choice = (Choice){.team = {&session->host, 1}};
    if (auto_choice && plan->reg[plan->input[0].reg].width == PLAN_ENDLESS)
        why = "sound of unknown length is streamed on the CPU";
    else if (auto_choice && is_live(state))
        why = "low-latency streaming runs on the CPU";
    else if (begin)
        HALO_TRY(open_chosen(session, state, choice));
    else
        explain_choice(session, plan, choice);
    if (choice->team.device == session->gpu && !demanded && !gpu_flows(session, state) &&
        !whole_fits(session, choice->team.device, plan)) {
        choice->team = (Team){&session->host, 1};
        why = "a GPU would need all of it at once, which does not fit the memory";
    }
    if (why != NULL) snprintf(choice->why, sizeof choice->why, "%s", why);
    if (choice->team.device == &session->host) HALO_TRY(device_open(&session->host, 0, session->options.jobs));
out:
    return status;
}

/* `shape`: of the input, before it was shrunk. */
static HaloStatus make_plan(HaloSession *session, const HaloPipeline *pipeline, HaloShape shape, int64_t shrunk,
                            JobState *state)
{
    if (shape.width < 0) shape.width = PLAN_ENDLESS;
    halo_plan_free(state->plan);
    const HaloStatus status =
        plan_make_shrunk(session, pipeline, &shape, shrunk, state->writer.format, &state->plan);
    if (status != HALO_OK) return status;
    state->plan->files =
        cost_files(state->plan, state->reader.format, state->writer.format, session->options.jobs);
    return HALO_OK;
}

/* Lets the reader decimate the image, if the plan skips most of it and small differences are allowed
 * (--precision fast). The size of an image that is to be turned has to be divisible: its last, incomplete
 * pixels would come first. */
static HaloStatus shrink(HaloSession *session, const HaloPipeline *pipeline, JobState *state, HaloShape shape,
                         bool turned, int64_t *shrunk)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = &state->reader;
    int64_t most = 1;
    if (session->options.precision != HALO_PRECISION_FAST || reader->format->shrink == NULL) return HALO_OK;
    HALO_TRY(make_plan(session, pipeline, shape, 1, state));
    const int64_t allowed = plan_may_shrink(state->plan);
    while (2 * most <= allowed &&
           !(turned && (shape.width % (2 * most) != 0 || shape.height % (2 * most) != 0)))
        most *= 2;
    if (most > 1) HALO_TRY(reader->format->shrink(reader, most, shrunk));
out:
    return status;
}

/* Makes the plan and chooses how it will run. All of the input is read first if the plan needs its length, or
 * if it has to be turned. */
static HaloStatus plan_image(HaloSession *session, const HaloPipeline *pipeline, JobState *state, bool begin,
                             RunMode *mode, Choice *choice)
{
    HaloStatus status = HALO_OK;
    const bool upright = pipeline_upright(pipeline);
    const int orientation = turn_wanted(&state->reader, &state->writer, upright);
    const bool turned = orientation > 1 || turn_unknown(&state->reader, &state->writer, upright);
    HaloShape shape = turn_shape(&state->reader.info.shape, orientation);
    int64_t shrunk = 1;
    session->upright = turn_applies(&state->reader, &state->writer, upright);
    if (!turned || orientation > 1) HALO_TRY(shrink(session, pipeline, state, shape, turned, &shrunk));
    if (turned && begin)
        HALO_TRY(turn_load(&state->reader, &state->writer, orientation, &state->in));
    else if (turned)
        state->reader.info.shape = turn_shape(&state->reader.info.shape, orientation);
    if (shrunk == 1) shape = state->reader.info.shape; /* as it turned out to be */
    session->analysis->measures = analyse_measures(session, state);
    if (session->analysis->measures && state->reader.info.shape.width >= 0)
        HALO_TRY(load_seek(&state->reader, 0, &session->analysis->reversible));
    HALO_TRY(make_plan(session, pipeline, shape, shrunk, state));
    while (session->analysis->pending) {
        HALO_TRY(analyse_image(session, state));
        HALO_TRY(make_plan(session, pipeline, state->reader.info.shape, shrunk, state));
    }
    *mode = RUN_WHOLE;
    *choice = (Choice){0};
    state->plan->files.flows = !turned && may_flow(session, state);
    if (state->plan->files.flows) {
        HALO_TRY(choose(session, state, begin, choice));
        if (choice->team.device == &session->host)
            *mode = is_live(state) ? RUN_LIVE : keeps_output(state) ? RUN_KEEPING : RUN_IN_BANDS;
        else if (choice->team.device != NULL && gpu_flows(session, state))
            *mode = keeps_output(state) ? RUN_KEEPING : RUN_IN_BANDS;
    }
    if (*mode == RUN_WHOLE && state->reader.info.shape.width < 0) {
        HALO_TRY(load_samples(&state->reader, &state->in));
        HALO_TRY(make_plan(session, pipeline, state->reader.info.shape, 1, state));
    }
out:
    return status;
}

HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, JobState *state,
                         HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    RunMode mode;
    Choice choice;
    PlanAnalysis analysis = {0};
    bool seeks = false;
    session->analysis = &analysis;
    HALO_TRY(plan_image(session, pipeline, state, false, &mode, &choice));
    if (mode == RUN_IN_BANDS && state->reader.info.shape.width >= 0)
        HALO_TRY(load_seek(&state->reader, 0, &seeks));
    if (seeks) mode = RUN_SEEKING;
    if (mode == RUN_WHOLE) explain_choice(session, state->plan, &choice);
    HALO_TRY(explain_plan(session, state->plan, mode, &choice, explanation));
out:
    session->analysis = NULL;
    analysis_free(&analysis, &session->memory);
    image_close(state);
    return status;
}

HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    RunMode mode;
    Choice choice;
    PlanAnalysis analysis = {0};
    session->analysis = &analysis;
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(plan_image(session, pipeline, state, true, &mode, &choice));
    note_conversion(state->plan, state->writer.format, report);
    if (mode != RUN_WHOLE)
        HALO_TRY(run_in_bands(session, state, choice.team, report));
    else
        HALO_TRY(run_whole(session, state, report));
    choose_report(session, report);
    halo_notes_join(&report->notes, &state->reader.info.notes);
    if (state->plan->notes != NULL) halo_notes_join(&report->notes, state->plan->notes);
    report->input = state->plan->whole;
    report->notes.samples = samples_of(&state->plan->reg[state->plan->output]);
out:
    session->analysis = NULL;
    analysis_free(&analysis, &session->memory);
    image_close(state);
    return status;
}
