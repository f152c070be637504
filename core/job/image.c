/* Plans, reads, computes and writes one image or sound of a file: in bands if its plan allows, else as a whole.
 */
#include <stdio.h>
#include <stdlib.h>

#include "file/file.h"
#include "job.h"
#include "pipeline/pipeline.h"
#include "plan/analysis.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "primitive/primitive.h"
#include "reserve.h"

void image_close(JobState *state)
{
    halo_plan_free(state->planned.plan);
    state->planned.plan = NULL;
    analysis_free(&state->analysis, state->memory);
    halo_memory_free(state->memory, &state->in);
    halo_memory_free(state->memory, &state->out);
}

static void note_conversion(const HaloPlan *plan, const HaloFormat *to, HaloReport *report)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    if (to == NULL || out->kind != HALO_IMAGE || out->dtype >= in->dtype) return;
    halo_note(&report->notes, HALO_NOTE_NARROWED, 1);
    report->notes.from = in->dtype;
    report->notes.to = out->dtype;
}

static uint64_t samples_of(const HaloShape *shape)
{
    return (uint64_t)shape->width * (uint64_t)shape->height * (uint64_t)shape->channels;
}

/* Runs as a whole: reads all of the input, runs the plan, writes all of the output. */
static HaloStatus run_whole(HaloSession *session, JobState *state, const Choice *choice, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    double start = now_ms();
    HaloBuf *out = state->writer.format != NULL ? &state->out : NULL;
    if (state->in.data == NULL) HALO_TRY(load_samples(&state->reader, &state->in));
    const double read = now_ms() - start;
    HALO_TRY(run_plan(session, state->planned.plan, choice, &state->in, out, &report->results, report));
    report->ms.read += read;
    start = now_ms();
    halo_memory_free(state->memory, &state->in); /* a writer may have to keep all of the output once more */
    if (out != NULL) HALO_TRY(plan_changes(state->planned.plan, &state->writer.changes));
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
    if (!keeps_output(state)) {
        HALO_TRY(
            flow_run(session, team, state->planned.plan, &state->reader, &(FlowTo){.writer = writer}, report));
        return analyse_again(session, team, state, report);
    }
    HALO_TRY(
        halo_memory_alloc(state->memory, &state->out, &state->planned.plan->reg[state->planned.plan->output]));
    HALO_TRY(
        flow_run(session, team, state->planned.plan, &state->reader, &(FlowTo){.whole = &state->out}, report));
    const double start = now_ms();
    HALO_TRY(plan_changes(state->planned.plan, &writer->changes));
    HALO_TRY(save_whole(writer, &state->reader.info, &state->out));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* Can it run in bands? */
static bool may_flow(const HaloSession *session, JobState *state)
{
    const HaloFormat *to = state->writer.format;
    if (state->in.data != NULL || !flow_suits(session, state->planned.plan)) return false;
    if (state->reader.info.shape.width < 0)
        return !gpu_demanded(&session->options) && (to == NULL || to->endless);
    if (state->reader.info.shape.kind == HALO_AUDIO) return true;
    return to == NULL || keeps_output(state) || !to->meta_first ||
           state->reader.format->trailing_meta == NULL ||
           state->reader.format->trailing_meta(&state->reader) == 0;
}

static bool is_live(const JobState *state)
{
    return state->writer.format != NULL && flow_is_live(&state->reader, !state->seekable);
}

/* Space for the output is reserved while a GPU starts. */
typedef struct Starting {
    Reserve reserve;
    const JobState *state;
} Starting;

static void reserve_meanwhile(void *context, bool begins)
{
    Starting *starting = context;
    const JobState *state = starting->state;
    const HaloPlan *plan = state->planned.plan;
    if (begins)
        reserve_begin(&starting->reserve, &state->writer, &plan->reg[plan->output]);
    else
        reserve_end(&starting->reserve);
}

/* `run`: a missing device is an error; otherwise it is explained. */
static HaloStatus choose_for(HaloSession *session, const JobState *state, bool in_bands, bool run,
                             Choice *choice)
{
    Starting starting = {.state = state};
    const RunLimits limits = {.in_bands = in_bands,
                              .live = is_live(state),
                              .keeps_output = keeps_output(state),
                              .repeatable = halo_source_seekable(state->source) &&
                                            (state->writer.format == NULL || state->seekable),
                              .host_only = state->host_only,
                              .by_rows = state->analysis.large && state->analysis.passes > 0,
                              .starting = run && session->options.jobs > 1 ? reserve_meanwhile : NULL,
                              .context = &starting};
    if (run) return choose(session, state->planned.plan, &limits, choice);
    explain_choice(session, state->planned.plan, &limits, choice);
    return HALO_OK;
}

/* `shape`: of the input, before it was shrunk. */
static HaloStatus make_plan(HaloSession *session, const HaloPipeline *pipeline, HaloShape shape, int64_t shrunk,
                            JobState *state)
{
    if (shape.width < 0) shape.width = PLAN_ENDLESS;
    const PlanRequest request = {.pipeline = pipeline,
                                 .input = shape,
                                 .page = state->reader.options.image,
                                 .shrunk = shrunk,
                                 .to = state->writer.format,
                                 .speakers = state->reader.info.speakers,
                                 .gain = state->gain,
                                 .upright =
                                     turn_applies(&state->reader, &state->writer, pipeline_upright(pipeline)),
                                 .operands = &state->operands,
                                 .time = &state->reader.info.meta.time,
                                 .icc = &state->reader.info.meta.icc,
                                 .analysis = &state->analysis};
    halo_plan_free(state->planned.plan);
    const HaloStatus status = plan_make(session, &request, &state->planned);
    if (status != HALO_OK) return status;
    state->planned.plan->files =
        cost_files(state->planned.plan, state->reader.format, state->writer.format, session->options.jobs);
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
    const int64_t allowed = plan_may_shrink(state->planned.plan);
    while (2 * most <= allowed &&
           !(turned && (shape.width % (2 * most) != 0 || shape.height % (2 * most) != 0)))
        most *= 2;
    if (most > 1) HALO_TRY(reader->format->shrink(reader, most, shrunk));
out:
    return status;
}

/* Is what the output does not need computed in f32, or moved? */
static bool measures_narrow(const HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const bool moves = step->primitive == HALO_GATHER || step->primitive == HALO_MIX;
        if (!moves && primitive_is_double(step, plan->reg)) return false;
    }
    return true;
}

/* Are samples of 64 bits kept? Where they are only moved to their places, and measured as f32; and those of
 * sound and series that hold floats or text are computed with, unless --precision single is given. Images are
 * computed in f32, and so are integers. */
static HaloStatus keeps_wide(const HaloSession *session, JobState *state, bool *keeps)
{
    const HaloPlan *plan = state->planned.plan;
    const HaloInfo *info = &state->reader.info;
    HaloChanges changes = {0};
    bool moves = !state->planned.need.pass && plan->wants_output, measures = false;
    const HaloStatus status = plan_changes(plan, &changes);
    moves = moves && status == HALO_OK && halo_changes_keep_values(&changes) && measures_narrow(plan);
    free(changes.move);
    for (int i = 0; i < plan->steps; i++) measures = measures || plan->step[i].dst < 0;
    if (moves && measures) halo_note(&state->reader.info.notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
    *keeps = moves || load_computes_wide(session, info);
    return status;
}

static HaloStatus settle_width(HaloSession *session, const HaloPipeline *pipeline, JobState *state)
{
    HaloStatus status = HALO_OK;
    HaloReader *reader = &state->reader;
    bool keeps;
    if (reader->info.shape.dtype != HALO_F64) return HALO_OK;
    HALO_TRY(make_plan(session, pipeline, reader->info.shape, 1, state));
    HALO_TRY(keeps_wide(session, state, &keeps));
    if (!keeps) load_narrow(reader);
out:
    return status;
}

/* Sound, or a large picture, on a pipe that has to be read twice, or as a whole, goes to a file, and is opened
 * again there: then it needs little memory. Not where a GPU is to have all of it. */
static HaloStatus keep_in_file(HaloSession *session, JobState *state, bool *kept)
{
    HaloStatus status = HALO_OK;
    const HaloReadOptions options = state->reader.options;
    const bool narrow = state->reader.info.shape.dtype != HALO_F64;
    const HaloShape *shape = &state->reader.info.shape;
    int64_t bytes = INT64_MAX;
    const bool needed = state->planned.need.pass || !may_flow(session, state);
    *kept = false;
    if (shape->width >= 0) HALO_TRY(halo_shape_bytes(shape, &bytes));
    const bool large = shape->kind == HALO_AUDIO ? bytes > JOB_SHORT_BYTES : analyse_is_large(session, state);
    if (!needed || !large || state->in.data != NULL || halo_source_seekable(state->source) ||
        gpu_demanded(&session->options) || session->options.verify)
        goto out;
    HALO_TRY(halo_source_to_file(state->source));
    *kept = halo_source_seekable(state->source);
    if (!*kept) goto out;
    load_close(&state->reader);
    HALO_TRY(halo_source_seek(state->source, 0));
    HALO_TRY(load_open_wide(session, state->source, options.has_raw ? &options.raw : NULL, &state->reader));
    if (narrow) load_narrow(&state->reader);
out:
    return status;
}

static HaloStatus make_first_plan(HaloSession *session, const HaloPipeline *pipeline, HaloShape shape,
                                  int64_t shrunk, JobState *state)
{
    HaloStatus status = HALO_OK;
    state->analysis.measures = analyse_measures(session, state);
    state->analysis.large = analyse_is_large(session, state) && halo_source_is_rereadable(state->source);
    if (state->analysis.measures && state->reader.info.shape.width >= 0)
        HALO_TRY(load_seek(&state->reader, 0, &state->analysis.reversible));
    HALO_TRY(make_plan(session, pipeline, shape, shrunk, state));
out:
    return status;
}

/* The plan as it is made at first, of a pipe that is kept in a file once more. */
static HaloStatus begin_plan(HaloSession *session, const HaloPipeline *pipeline, HaloShape shape,
                             int64_t shrunk, JobState *state)
{
    HaloStatus status = HALO_OK;
    bool kept;
    HALO_TRY(make_first_plan(session, pipeline, shape, shrunk, state));
    HALO_TRY(keep_in_file(session, state, &kept));
    if (kept) HALO_TRY(make_first_plan(session, pipeline, state->reader.info.shape, 1, state));
out:
    return status;
}

HaloStatus image_analyse(HaloSession *session, const HaloPipeline *pipeline, JobState *state)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(settle_width(session, pipeline, state));
    HALO_TRY(begin_plan(session, pipeline, state->reader.info.shape, 1, state));
    while (state->planned.need.pass && state->analysis.passes == 0) {
        HALO_TRY(analyse_image(session, state));
        if (state->analysis.passes == 0)
            HALO_TRY(make_plan(session, pipeline, state->reader.info.shape, 1, state));
    }
out:
    return status;
}

/* Makes the plan and chooses how it will run. All of the input is read first if the plan needs its length, or
 * if it has to be turned. */
static HaloStatus plan_image(HaloSession *session, const HaloPipeline *pipeline, JobState *state, bool run,
                             Choice *choice)
{
    HaloStatus status = HALO_OK;
    const bool upright = pipeline_upright(pipeline);
    const int orientation = turn_wanted(&state->reader, &state->writer, upright);
    const bool turned = orientation > 1 || turn_unknown(&state->reader, &state->writer, upright);
    HaloShape shape = turn_shape(&state->reader.info.shape, orientation);
    int64_t shrunk = 1;
    HALO_TRY(settle_width(session, pipeline, state));
    shape.dtype = state->reader.info.shape.dtype;
    if (!turned || orientation > 1) HALO_TRY(shrink(session, pipeline, state, shape, turned, &shrunk));
    if (turned && run) HALO_TRY(turn_load(&state->reader, &state->writer, orientation, &state->in));
    if (turned) state->writer.changes.samples = true; /* also by operations that only measure */
    if (turned && !run) state->reader.info.shape = turn_shape(&state->reader.info.shape, orientation);
    if (shrunk == 1) shape = state->reader.info.shape; /* as it turned out to be */
    state->as_stored = !turned && shrunk == 1;
    HALO_TRY(begin_plan(session, pipeline, shape, shrunk, state));
    while (state->planned.need.pass) {
        HALO_TRY(analyse_image(session, state));
        HALO_TRY(make_plan(session, pipeline, state->reader.info.shape, shrunk, state));
    }
    state->planned.plan->files.flows = !turned && may_flow(session, state);
    if (!state->planned.plan->files.flows && state->reader.info.shape.width < 0) {
        HALO_TRY(load_samples(&state->reader, &state->in));
        HALO_TRY(make_plan(session, pipeline, state->reader.info.shape, 1, state));
    }
    HALO_TRY(choose_for(session, state, state->planned.plan->files.flows, run, choice));
out:
    return status;
}

HaloStatus image_explain(HaloSession *session, const HaloPipeline *pipeline, JobState *state,
                         HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    Choice choice;
    bool seeks = false;
    HALO_TRY(plan_image(session, pipeline, state, false, &choice));
    if (choice.mode == RUN_IN_BANDS && state->reader.info.shape.width >= 0)
        HALO_TRY(load_seek(&state->reader, 0, &seeks));
    if (seeks) choice.mode = RUN_SEEKING;
    HALO_TRY(explain_plan(session, state->planned.plan, &choice, explanation));
out:
    image_close(state);
    return status;
}

/* The times of what was measured, by what the pipeline changed before. */
static HaloStatus time_frames(const HaloTimeline *from, const HaloChanges *changes, HaloResult *result)
{
    const HaloSpacing *times;
    const HaloChanges since = halo_changes_since_times(changes, &times);
    const int64_t width = result->shape.width;
    if (from->name == NULL || result->shape.kind != HALO_AUDIO || !halo_changes_are_known(&since) || width < 1)
        return HALO_OK;
    const bool moved = from->at != NULL || changes->moves > 0;
    HaloTimeline *to = &result->time;
    *to = *from;
    to->name = strdup(from->name);
    to->clock = NULL; /* results show a time as one text */
    to->at = moved ? malloc((size_t)width * sizeof *to->at) : NULL;
    to->frames = width;
    if (to->name == NULL || (moved && to->at == NULL))
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for the times of %lld rows", (long long)width);
    for (int64_t k = 0; moved && k < width; k++) to->at[k] = halo_time_at(from, changes, k);
    return HALO_OK;
}

/* Columns of tables have names, and rows times; so do coordinates of colours. */
static HaloStatus name_channels(const HaloPlan *plan, const HaloInfo *info, HaloResults *results)
{
    HaloStatus status = HALO_OK;
    HaloChanges changes = {0};
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        if (step->dst >= 0 || step->result < 0 || step->result >= results->count) continue;
        HALO_TRY(plan_changes_to(plan, step->src[0], &changes));
        HALO_TRY(halo_names_follow(&info->meta, &changes, &results->item[step->result].names));
        if (info->shape.kind == HALO_AUDIO)
            HALO_TRY(time_frames(&info->meta.time, &changes, &results->item[step->result]));
    }
out:
    free(changes.move);
    return status;
}

HaloStatus image_run(HaloSession *session, const HaloPipeline *pipeline, JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Choice choice;
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(plan_image(session, pipeline, state, true, &choice));
    note_conversion(state->planned.plan, state->writer.format, report);
    if (copy_suits(session, state))
        HALO_TRY(copy_run(session, state, choice.team, is_live(state), report));
    else if (choice.mode != RUN_WHOLE)
        HALO_TRY(run_in_bands(session, state, choice.team, report));
    else
        HALO_TRY(run_whole(session, state, &choice, report));
    choose_report(session, &choice, report);
    HALO_TRY(name_channels(state->planned.plan, &state->reader.info, &report->results));
    if (state->planned.plan->evens) state->reader.info.notes.count[HALO_NOTE_UNEVEN] = 0;
    halo_notes_join(&report->notes, &state->reader.info.notes);
    if (state->planned.plan->notes != NULL) halo_notes_join(&report->notes, state->planned.plan->notes);
    report->input = state->planned.plan->whole;
    state->exceeds |= state->planned.plan->exceeds || report->input.dtype > HALO_U16;
    report->notes.samples = samples_of(&state->planned.plan->reg[state->planned.plan->output]);
out:
    image_close(state);
    return status;
}
