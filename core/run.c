/* One file through a pipeline: open, plan, read, compute, write; nothing is left behind by a failure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Format of the output: asked for, by its extension, or the input's. */
static HaloStatus output_format(const HaloSession *session, const HaloJob *job, const HaloFormat *of_input,
                                const HaloFormat **to)
{
    const char *slash = strrchr(job->output, '/');
    const char *dot = strrchr(slash != NULL ? slash : job->output, '.');
    *to = job->to != NULL ? job->to : of_input;
    if (job->to == NULL && strcmp(job->output, "-") != 0 && dot != NULL && dot[1] != 0) {
        char extension[16];
        size_t n = 0;
        for (; n < sizeof extension - 1 && dot[n + 1] != 0; n++)
            extension[n] = dot[n + 1] >= 'A' && dot[n + 1] <= 'Z' ? (char)(dot[n + 1] + 32) : dot[n + 1];
        extension[n] = 0;
        *to = halo_find_format_in(session->tables, extension);
        if (*to == NULL)
            return halo_fail(HALO_ERR_USAGE, "%s: '%s' names no format halo writes; --to FORMAT says it",
                             job->output, extension);
    }
    if ((*to)->create == NULL)
        return halo_fail(HALO_ERR_USAGE, "%s is only read, not written; --to FORMAT names another",
                         (*to)->name);
    return HALO_OK;
}

static void describe_conversion(const HaloPlan *plan, const HaloInfo *info, const HaloFormat *to,
                                HaloReport *report)
{
    const HaloShape *in = &plan->reg[plan->input], *out = &plan->reg[plan->output];
    if (info->note[0] != 0) {
        snprintf(report->note, sizeof report->note, "%s", info->note);
    } else if (to != NULL && out->kind == HALO_IMAGE && out->dtype < in->dtype && in->dtype <= HALO_F32) {
        snprintf(report->note, sizeof report->note, "%s samples are written as %s", halo_dtype_name(in->dtype),
                 halo_dtype_name(out->dtype));
    }
}

typedef struct Open {
    HaloSource *source;
    HaloReader reader;
    HaloSink *sink;
    HaloWriter writer; /* format NULL: no output is wanted */
    HaloPlan *plan;
    HaloBuf in, out;
} Open;

static void close_image(Open *open)
{
    halo_plan_free(open->plan);
    open->plan = NULL;
    halo_buf_free(&open->in);
    halo_buf_free(&open->out);
}

static void close_all(Open *open)
{
    save_close(&open->writer, HALO_ERR_OUTPUT);
    halo_sink_abandon(open->sink);
    load_close(&open->reader);
    halo_source_close(open->source);
    close_image(open);
}

/* Refuses what can be refused before any work: an output that exists, or is the input. */
static HaloStatus open_output(const HaloJob *job, const HaloFormat *to, Open *open)
{
    HaloStatus status = HALO_OK;
    HaloSinkOptions options = {.force = job->force};
    options.is_input = halo_source_identity(open->source, options.input);
    HALO_TRY(halo_sink_open(job->output, &options, &open->sink));
    open->writer = (HaloWriter){.format = to, .sink = open->sink, .options = job->write};
out:
    return status;
}

/* ---- one image or sound --------------------------------------------------------------------------------- */

/* All at once: the input as a whole, then the plan, then the output as a whole. */
static HaloStatus run_whole(HaloSession *session, Open *open, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    double start = now_ms();
    HaloBuf *out = open->writer.format != NULL ? &open->out : NULL;
    if (open->in.data == NULL) HALO_TRY(load_samples(&open->reader, session->options.max_memory, &open->in));
    const double read = now_ms() - start;
    HALO_TRY(run_plan(session, open->plan, &open->in, out, &report->results, report));
    report->ms.read += read;
    start = now_ms();
    if (out != NULL) HALO_TRY(save_whole(&open->writer, &open->reader.info, out));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* Rows can flow from file to file unless bytes that are written could not be taken back. Sound flows through
 * pipes too: it may be longer than any memory, or still be recorded. */
static bool may_flow(const HaloSession *session, Open *open)
{
    const HaloFormat *to = open->writer.format;
    if (open->in.data != NULL || !flow_suits(session, open->plan)) return false;
    if (open->reader.info.shape.width < 0)
        return !gpu_demanded(&session->options) && (to == NULL || to->endless);
    if (open->reader.info.shape.kind == HALO_AUDIO) return true;
    if (to == NULL) return false;
    if (to->meta_first && open->reader.format->late != NULL && open->reader.format->late(&open->reader))
        return false;
    return halo_sink_seekable(open->sink);
}

/* A GPU takes all at once, if that fits the memory. */
static HaloStatus on_host(HaloSession *session, const HaloPlan *plan, bool *host)
{
    HaloStatus status = HALO_OK;
    Choice choice = {.slot = &session->host};
    const bool endless = plan->reg[plan->input].width == PLAN_ENDLESS;
    if (!endless) HALO_TRY(choose_slot(session, plan, true, &choice));
    *host = choice.slot == &session->host;
    const int64_t needed = *host ? 0 : memory_whole(plan, bands_choose(plan, session->options.band_rows));
    if (!gpu_demanded(&session->options) && (needed < 0 || needed > session->options.max_memory)) *host = true;
    if (*host) HALO_TRY(slot_open(&session->host, 0, session->options.jobs));
out:
    return status;
}

static HaloStatus make_plan(HaloSession *session, const HaloPipeline *pipeline, Open *open)
{
    HaloShape shape = open->reader.info.shape;
    if (shape.width < 0) shape.width = PLAN_ENDLESS;
    halo_plan_free(open->plan);
    return halo_plan_make(session, pipeline, &shape, open->writer.format, &open->plan);
}

static HaloStatus run_image(HaloSession *session, const HaloPipeline *pipeline, Open *open, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(make_plan(session, pipeline, open));
    bool flow = may_flow(session, open);
    if (flow) HALO_TRY(on_host(session, open->plan, &flow));
    if (!flow && open->reader.info.shape.width < 0) { /* such a plan needs the length */
        HALO_TRY(load_samples(&open->reader, session->options.max_memory, &open->in));
        HALO_TRY(make_plan(session, pipeline, open));
    }
    describe_conversion(open->plan, &open->reader.info, open->writer.format, report);
    if (flow)
        HALO_TRY(flow_run(session, open->plan, &open->reader,
                          open->writer.format != NULL ? &open->writer : NULL, report));
    else
        HALO_TRY(run_whole(session, open, report));
    choose_report(session, report);
    report->input = open->plan->reg[open->plan->input];
out:
    close_image(open);
    return status;
}

/* ---- all of a file -------------------------------------------------------------------------------------- */

/* What came of one more image. */
static HaloStatus add_report(HaloReport *all, HaloReport *one, int64_t image)
{
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
    if (image > 1) {
        sum.input = all->input;
        snprintf(sum.note, sizeof sum.note, "%s", all->note);
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

/* Of several images an output that holds one takes the first: pages of a file are often no more than previews.
 * What comes through a pipe was meant as a whole. */
static HaloStatus only_one(const Open *open, const HaloJob *job, HaloReport *report)
{
    const size_t used = strlen(report->note);
    if (halo_source_size(open->source) < 0)
        return halo_fail(
            HALO_ERR_INPUT,
            "several images, and %s holds one: -o - writes one after the other, as do --to pnm and "
            "--to tiff",
            job->output);
    snprintf(report->note + used, sizeof report->note - used, "%sthe first of several images is taken",
             used > 0 ? "; " : "");
    return HALO_OK;
}

static bool takes_several(const Open *open)
{
    const HaloFormat *to = open->writer.format;
    return to == NULL || to->several == HALO_SEVERAL ||
           (to->several == HALO_SEVERAL_IN_STREAMS && !halo_sink_seekable(open->sink));
}

static HaloStatus run_images(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, Open *open,
                             HaloReport *report)
{
    HaloStatus status = HALO_OK;
    HaloReport one = {0};
    for (int64_t image = 1;; image++) {
        bool more = false;
        HALO_TRY(run_image(session, pipeline, open, &one));
        HALO_TRY(add_report(report, &one, image));
        HALO_TRY(load_more(session, &open->reader, &more));
        if (more && !takes_several(open)) {
            HALO_TRY(only_one(open, job, report));
            more = false;
        }
        if (!more && image == 1)
            for (int i = 0; i < report->results.count; i++) report->results.item[i].image = 0;
        if (!more) break;
        HALO_TRY(load_next(session, &open->reader));
    }
    report->clipped += open->writer.clipped;
out:
    halo_report_free(&one);
    return status;
}

/* Until here what was read counts with its decoding, and what was written with its encoding. */
static void split_times(const Open *open, HaloTimes *ms)
{
    const double read = halo_source_ms(open->source);
    const double written = open->sink != NULL ? halo_sink_ms(open->sink) : 0;
    ms->decode = ms->read > read ? ms->read - read : 0;
    ms->encode = ms->write > written ? ms->write - written : 0;
    ms->read = read;
    ms->write = written;
}

static HaloStatus commit_output(Open *open, HaloReport *report)
{
    const double start = now_ms();
    HaloSink *sink = open->sink;
    open->sink = NULL; /* commit frees it, whatever happens */
    const HaloStatus status = halo_sink_commit(sink);
    report->ms.write += now_ms() - start;
    return status;
}

/* A failure of this input names it; what the output's side says names the output. */
static HaloStatus with_name(HaloStatus status, const HaloJob *job)
{
    const char *message = halo_error(), *input = strcmp(job->input, "-") == 0 ? "standard input" : job->input;
    if (status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT && status != HALO_ERR_DEVICE) return status;
    if (strncmp(message, input, strlen(input)) == 0) return status;
    if (job->output != NULL && strncmp(message, job->output, strlen(job->output)) == 0) return status;
    return halo_fail_at(status, "%s", input);
}

static HaloStatus explain(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job,
                          const HaloFormat *to, Open *open)
{
    HaloStatus status = HALO_OK;
    if (open->reader.info.shape.width < 0)
        HALO_TRY(load_samples(&open->reader, session->options.max_memory, &open->in));
    HALO_TRY(halo_plan_make(session, pipeline, &open->reader.info.shape, to, &open->plan));
    const bool sound = open->reader.info.shape.kind == HALO_AUDIO;
    const bool filed = to != NULL && strcmp(job->output, "-") != 0;
    explain_plan(session, open->plan, (sound || filed) && flow_suits(session, open->plan), job->explain);
out:
    return status;
}

HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Open open = {0};
    const HaloFormat *to = NULL;
    const double start = now_ms();
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(halo_source_open(job->input, &open.source));
    HALO_TRY(load_open(session, open.source, job->raw, &open.reader));
    if (job->output != NULL) HALO_TRY(output_format(session, job, open.reader.format, &to));
    if (job->explain != NULL) {
        status = explain(session, pipeline, job, to, &open);
        goto out;
    }
    if (to != NULL) HALO_TRY(open_output(job, to, &open));
    report->ms.read = now_ms() - start;
    HALO_TRY(run_images(session, pipeline, job, &open, report));
    HALO_TRY(save_close(&open.writer, HALO_OK));
    split_times(&open, &report->ms);
    if (to != NULL) HALO_TRY(commit_output(&open, report));
out:
    close_all(&open);
    if (status != HALO_OK) {
        halo_report_free(report);
        status = with_name(status, job);
    }
    return status;
}

void halo_report_free(HaloReport *report) { halo_results_free(&report->results); }
