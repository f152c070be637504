/* Runs one file through a pipeline: opens it, runs each of its images, and puts the output in place. A failure
 * leaves no output behind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/file.h"
#include "file/operand.h"
#include "job.h"
#include "pipeline/pipeline.h"

static void close_all(JobState *state)
{
    save_close(&state->writer, HALO_ERR_OUTPUT);
    halo_sink_abandon(state->sink);
    job_close_input(state);
    image_close(state);
    operand_next_input(&state->operands, NULL);
}

/* ---- all of a job --------------------------------------------------------------------------------------- */

/* So far the times of reading and writing include decoding and encoding. */
static void split_times(const JobState *state, HaloTimes *ms)
{
    const double read = state->read_ms + halo_source_ms(state->source), written = state->write_ms;
    ms->decode = ms->read > read ? ms->read - read : 0;
    ms->encode = ms->write > written ? ms->write - written : 0;
    ms->read = read;
    ms->write = written;
}

/* Resampling that rings at edges is nothing to act on, and is no loss. */
static void note_clipping(const JobState *state, HaloReport *report)
{
    const bool sound = report->input.kind == HALO_AUDIO, only_nan = sound && report->peak == 0.0f;
    const HaloNote kind = only_nan                  ? HALO_NOTE_NAN
                          : sound || state->exceeds ? HALO_NOTE_CLIPPED
                                                    : HALO_NOTE_OVERSHOT;
    halo_note(&report->notes, kind, report->clipped);
    report->notes.peak = report->peak;
}

/* A failure names this input, unless it already names something else, such as the output. */
static HaloStatus with_name(HaloStatus status, const char *input)
{
    if (status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT && status != HALO_ERR_DEVICE) return status;
    return halo_fail_about(status, strcmp(input, "-") == 0 ? "standard input" : input);
}

/* --explain: opens nothing for writing. */
static HaloStatus explain(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                          JobState *state)
{
    state->writer = (HaloWriter){.format = state->to, .options = job->write};
    state->seekable = state->to != NULL && halo_sink_would_seek(job->output);
    state->writer.changes.pages = larger(state->reader.info.images, 1);
    return image_explain(session, pipeline, state, job->explain);
}

/* --guard: runs sound once, and a second time, scaled, if samples were clipped. */
static HaloStatus check_guard(const HaloJob *job, const JobState *state)
{
    if (!job->write.guard || state->reader.info.shape.kind != HALO_AUDIO) return HALO_OK;
    if (strcmp(job->input, "-") != 0 && halo_source_seekable(state->source) && halo_sink_seekable(state->sink))
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "--guard reads and writes sound twice: use files, not pipes");
}

/* Several inputs go into one output that holds several pages. */
static HaloStatus check_output(const HaloJob *job, const JobState *state)
{
    if (job->more_inputs == 0 || job_takes_several(job, state)) return check_guard(job, state);
    return halo_fail(HALO_ERR_USAGE, "%s can store one page: use TIFF, or an array (NPY) for pages of one size",
                     state->to->name);
}

/* A run of a file, which is repeated where --guard or a failing GPU needs it. */
typedef struct FileRun {
    HaloSession *session;
    const HaloPipeline *pipeline;
    const HaloJob *job;
    HaloReport *report;
    const char *input; /* the one that was open last, for messages */
    float gain;        /* of --guard; 0: none so far */
    bool again;        /* samples were clipped, so no output was made: it has to run with the gain */
} FileRun;

static void check_gain(FileRun *run, const HaloWriter *writer)
{
    run->again = run->job->write.guard && run->gain == 0.0f && writer->peak > 0.0f && isfinite(writer->peak);
    if (run->again) run->gain = save_gain(writer);
}

static HaloStatus attempt_file(void *context, bool host_only)
{
    FileRun *run = context;
    HaloSession *session = run->session;
    const HaloPipeline *pipeline = run->pipeline;
    const HaloJob *job = run->job;
    HaloReport *report = run->report;
    HaloStatus status = HALO_OK;
    JobState state = {.memory = &session->memory, .host_only = host_only, .gain = run->gain};
    const bool one_output = job->output != NULL && !job->split;
    const double start = now_ms();
    *report = (HaloReport){.backend = "none"};
    run->again = false;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(job_open_input(session, job, job->input, &state));
    if (job->output != NULL)
        HALO_TRY(save_format(session, job->output, job->to, state.reader.format, &state.to));
    if (job->explain != NULL) {
        status = explain(session, pipeline, job, &state);
        goto out;
    }
    if (one_output) HALO_TRY(job_open_output(session, pipeline, job, 0, &state));
    if (one_output) HALO_TRY(check_output(job, &state));
    report->ms.read = now_ms() - start;
    HALO_TRY(job_run_pages(session, pipeline, job, &state, report));
    if (!job->split) HALO_TRY(job_close_output(&state, report));
    note_clipping(&state, report);
    split_times(&state, &report->ms);
    check_gain(run, &state.writer);
    if (one_output && !run->again) HALO_TRY(job_commit_output(&state, report));
out:
    run->input = state.input;
    close_all(&state);
    if (status != HALO_OK || run->again) halo_report_clear(report);
    return status;
}

HaloStatus halo_run_job(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                        HaloReport *report)
{
    FileRun run = {.session = session, .pipeline = pipeline, .job = job, .report = report};
    HaloStatus status = run_with_fallback(session, attempt_file, &run, report);
    if (status == HALO_OK && run.again) status = run_with_fallback(session, attempt_file, &run, report);
    if (status == HALO_OK && run.gain != 0.0f) {
        halo_note(&report->notes, HALO_NOTE_SCALED, 1);
        report->notes.gain = run.gain;
    }
    return status == HALO_OK ? HALO_OK : with_name(status, run.input);
}
