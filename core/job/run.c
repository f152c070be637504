/* One file through a pipeline: it is opened, each of its images is run, and its output is put in place. A
 * failure leaves no output behind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "file/side.h"
#include "job.h"
#include "pipeline/pipeline.h"

static void close_all(JobState *state)
{
    save_close(&state->writer, HALO_ERR_OUTPUT);
    halo_sink_abandon(state->sink);
    load_close(&state->reader);
    halo_source_close(state->source);
    image_close(state);
}

/* All files that are read: the input, those that the pipeline names, and the job's. */
static HaloStatus find_reads(const HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                             const JobState *state, HaloRead **read, size_t *reads)
{
    HaloRead one;
    size_t count = 0;
    while (halo_pipeline_reads(pipeline, count, &one)) count++;
    *reads = 0;
    *read = calloc(count + job->reads + (size_t)session->sides + 1, sizeof **read);
    if (*read == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    if (halo_source_identity(state->source, one.id))
        (*read)[(*reads)++] = (HaloRead){{one.id[0], one.id[1]}, "the input"};
    for (size_t i = 0; i < count; i++) halo_pipeline_reads(pipeline, i, &(*read)[(*reads)++]);
    for (size_t i = 0; i < job->reads; i++) (*read)[(*reads)++] = job->read[i];
    for (int i = 0; i < session->sides; i++)
        if (session->side[i]->file.what != NULL) (*read)[(*reads)++] = session->side[i]->file;
    return HALO_OK;
}

/* Opens the output. One that exists, or is read, is refused here, before any work. */
static HaloStatus open_output(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                              const HaloFormat *to, JobState *state)
{
    HaloStatus status = HALO_OK;
    HaloSinkOptions options = {.force = job->force, .sync = job->write.sync};
    HaloRead *read = NULL;
    HALO_TRY(pipeline_read_sides(session, pipeline));
    HALO_TRY(find_reads(session, pipeline, job, state, &read, &options.reads));
    options.read = read;
    HALO_TRY(halo_sink_open(job->output, &options, &state->sink));
    state->writer = (HaloWriter){.format = to,
                                 .sink = state->sink,
                                 .options = job->write,
                                 .jobs = session->options.jobs,
                                 .memory = state->memory,
                                 .changes = {.samples = pipeline_changes(pipeline),
                                             .light = pipeline_light(pipeline),
                                             .upright = pipeline_upright(pipeline)}};
    state->seekable = halo_sink_seekable(state->sink);
out:
    free(read);
    return status;
}

/* ---- all of a file -------------------------------------------------------------------------------------- */

/* Results are held until the last image is done. */
static int64_t results_bytes(const HaloResults *results)
{
    int64_t bytes = 0;
    for (int i = 0; i < results->count; i++) {
        const HaloResult *item = &results->item[i];
        const int64_t channel = item->type == HALO_RESULT_STATS ? (int64_t)sizeof *item->channel : 8;
        const int64_t bins = item->type == HALO_RESULT_HIST ? item->hist.bins + 3 : 0;
        bytes += (int64_t)sizeof *item + item->shape.channels * (channel + 8 * bins);
    }
    return bytes;
}

/* Adds the report of one more image. */
static HaloStatus add_report(HaloMemory *memory, HaloReport *all, HaloReport *one, int64_t image)
{
    const HaloStatus status = halo_memory_hold(memory, image > 1 ? results_bytes(&one->results) : 0);
    if (status != HALO_OK) return halo_fail_at(status, "results of %lld images", (long long)image);
    HaloResults *results = &all->results;
    const HaloTimes *ms = &one->ms;
    HaloReport sum = *one;
    if (one->results.count > 0) {
        const size_t count = (size_t)results->count + (size_t)one->results.count;
        HaloResult *grown = realloc(results->item, count * sizeof *grown);
        if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        for (int i = 0; i < one->results.count; i++) {
            grown[results->count + i] = one->results.item[i];
            grown[results->count + i].image = image;
        }
        results->item = grown;
        results->count = (int)count;
        free(one->results.item);
        one->results = (HaloResults){0};
    }
    sum.results = *results;
    sum.notes = all->notes;
    halo_notes_join(&sum.notes, &one->notes);
    if (image > 1) {
        sum.input = all->input;
        sum.clipped += all->clipped;
    }
    sum.ms.read = all->ms.read + ms->read;
    sum.ms.upload = all->ms.upload + ms->upload;
    sum.ms.compute = all->ms.compute + ms->compute;
    sum.ms.download = all->ms.download + ms->download;
    sum.ms.write = all->ms.write + ms->write;
    *all = sum;
    return HALO_OK;
}

/* Of several images an output that holds one takes the first: the other pages of a file are often previews.
 * From a pipe it is an error, since all of what was sent is meant. */
static HaloStatus only_one(const JobState *state, const HaloJob *job, HaloReport *report)
{
    const int64_t images = state->reader.info.images;
    if (halo_source_size(state->source) < 0)
        return halo_fail(
            HALO_ERR_INPUT,
            "several images, and %s holds one: -o - writes one after the other, as do --to pnm and "
            "--to tiff",
            job->output);
    halo_note(&report->notes, HALO_NOTE_PAGES, images > 1 ? (uint64_t)images - 1 : 1);
    return HALO_OK;
}

static void note_clipping(HaloReport *report)
{
    const bool only_nan = report->input.kind == HALO_AUDIO && report->peak == 0.0f;
    halo_note(&report->notes, only_nan ? HALO_NOTE_NAN : HALO_NOTE_CLIPPED, report->clipped);
    report->notes.peak = report->peak;
}

static bool takes_alike(const JobState *state)
{
    const HaloFormat *to = state->writer.format;
    return to != NULL && to->several == HALO_SEVERAL_ALIKE && halo_sink_seekable(state->sink);
}

static bool takes_several(const JobState *state)
{
    const HaloFormat *to = state->writer.format;
    return to == NULL || to->several == HALO_SEVERAL || takes_alike(state) ||
           (to->several == HALO_SEVERAL_IN_STREAMS && !halo_sink_seekable(state->sink));
}

static bool same_size(const HaloShape *a, const HaloShape *b)
{
    return a->kind == b->kind && a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->dtype == b->dtype;
}

static HaloStatus run_images(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                             JobState *state, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloReport one = {0};
    for (int64_t image = 1;; image++) {
        const int64_t images = state->reader.info.images;
        bool more = false;
        state->writer.changes.pages = takes_several(state) && images > 0 ? images : 1;
        HALO_TRY(image_run(session, pipeline, state, &one));
        HALO_TRY(add_report(state->memory, report, &one, image));
        HALO_TRY(load_more(session, &state->reader, &more, &report->notes));
        if (more && !takes_several(state)) {
            HALO_TRY(only_one(state, job, report));
            more = false;
        }
        if (!more && image == 1)
            for (int i = 0; i < report->results.count; i++) report->results.item[i].image = 0;
        if (!more) break;
        const HaloShape last = state->reader.info.shape;
        HALO_TRY(load_next(session, &state->reader));
        if (takes_alike(state) && !same_size(&last, &state->reader.info.shape)) { /* the rest may be previews */
            halo_note(&report->notes, HALO_NOTE_SIZES, 1);
            break;
        }
    }
    report->clipped += state->writer.clipped;
    report->peak = state->writer.peak;
    halo_notes_join(&report->notes, &state->writer.notes);
    note_clipping(report);
out:
    halo_report_free(&one);
    return status;
}

/* So far the times of reading and writing include decoding and encoding. */
static void split_times(const JobState *state, HaloTimes *ms)
{
    const double read = halo_source_ms(state->source);
    const double written = state->sink != NULL ? halo_sink_ms(state->sink) : 0;
    ms->decode = ms->read > read ? ms->read - read : 0;
    ms->encode = ms->write > written ? ms->write - written : 0;
    ms->read = read;
    ms->write = written;
}

static HaloStatus commit_output(JobState *state, HaloReport *report)
{
    const double start = now_ms();
    HaloSink *sink = state->sink;
    state->sink = NULL; /* commit frees it, whatever happens */
    const HaloStatus status = halo_sink_commit(sink);
    report->ms.write += now_ms() - start;
    return status;
}

/* A failure names this input, unless it already names something else, such as the output. */
static HaloStatus with_name(HaloStatus status, const HaloJob *job)
{
    if (status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT && status != HALO_ERR_DEVICE) return status;
    return halo_fail_about(status, strcmp(job->input, "-") == 0 ? "standard input" : job->input);
}

/* --explain: opens nothing for writing. */
static HaloStatus explain(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                          const HaloFormat *to, JobState *state)
{
    state->writer = (HaloWriter){.format = to, .options = job->write};
    state->seekable = to != NULL && halo_sink_would_seek(job->output);
    return image_explain(session, pipeline, state, job->explain);
}

/* --guard: sound goes through once, and again, scaled, where samples were clipped. */
static HaloStatus check_guard(const HaloJob *job, const JobState *state)
{
    if (!job->write.guard || state->reader.info.shape.kind != HALO_AUDIO) return HALO_OK;
    if (strcmp(job->input, "-") != 0 && halo_source_seekable(state->source) && halo_sink_seekable(state->sink))
        return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "--guard reads and writes sound twice: it takes files, not pipes");
}

static bool guard_again(HaloSession *session, const HaloJob *job, const HaloWriter *writer)
{
    if (!job->write.guard || session->gain != 0.0f || !(writer->peak > 0.0f && isfinite(writer->peak)))
        return false;
    session->gain = save_gain(writer);
    return true;
}

/* *again: samples were clipped; no output was made, and it has to run once more, with the session's gain. */
static HaloStatus run_once(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                           HaloReport *report, bool *again)
{
    HaloStatus status = HALO_OK;
    JobState state = {.memory = &session->memory, .input = job->input};
    const HaloFormat *to = NULL;
    const double start = now_ms();
    *report = (HaloReport){.backend = "none"};
    *again = false;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_source_open(job->input, &state.source));
    halo_source_count(state.source, state.memory);
    HALO_TRY(load_open(session, state.source, job->raw, &state.reader));
    if (job->output != NULL) HALO_TRY(save_format(session, job->output, job->to, state.reader.format, &to));
    if (job->explain != NULL) {
        status = explain(session, pipeline, job, to, &state);
        goto out;
    }
    if (to != NULL) HALO_TRY(open_output(session, pipeline, job, to, &state));
    if (to != NULL) HALO_TRY(check_guard(job, &state));
    report->ms.read = now_ms() - start;
    HALO_TRY(run_images(session, pipeline, job, &state, report));
    HALO_TRY(save_close(&state.writer, HALO_OK));
    split_times(&state, &report->ms);
    *again = guard_again(session, job, &state.writer);
    if (to != NULL && !*again) HALO_TRY(commit_output(&state, report));
out:
    close_all(&state);
    if (status != HALO_OK || *again) halo_report_free(report);
    return status;
}

/* `auto` does a file once more without the GPU that failed on it, and says so. */
static HaloStatus run_with_fallback(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                                    HaloReport *report, bool *again)
{
    char why[sizeof report->why];
    HaloStatus status = run_once(session, pipeline, job, report, again);
    if (status != HALO_ERR_DEVICE || session->options.device != HALO_DEVICE_AUTO) return status;
    snprintf(why, sizeof why, "%s", halo_error());
    session->on_host = true;
    status = run_once(session, pipeline, job, report, again);
    session->on_host = false;
    report->fell_back = true;
    snprintf(report->why, sizeof report->why, "%s", why);
    return status;
}

HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, HaloReport *report)
{
    bool again;
    session->gain = 0.0f;
    side_next_input(session, job->input);
    HaloStatus status = run_with_fallback(session, pipeline, job, report, &again);
    if (status == HALO_OK && again) status = run_with_fallback(session, pipeline, job, report, &again);
    if (status == HALO_OK && session->gain != 0.0f) {
        halo_note(&report->notes, HALO_NOTE_SCALED, 1);
        report->notes.gain = session->gain;
    }
    session->gain = 0.0f;
    side_next_input(session, NULL);
    return status == HALO_OK ? HALO_OK : with_name(status, job);
}

void halo_report_free(HaloReport *report) { halo_results_free(&report->results); }
