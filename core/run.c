/* One file through a pipeline: open, plan, read, compute, write; nothing is left behind by a failure. */
#include <stdio.h>
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
    HaloPlan *plan;
    HaloBuf in, out;
} Open;

static void close_all(Open *open)
{
    halo_sink_abandon(open->sink);
    load_close(&open->reader);
    halo_source_close(open->source);
    halo_plan_free(open->plan);
    halo_buf_free(&open->in);
    halo_buf_free(&open->out);
}

/* Refuses what can be refused before any work: an output that exists, or is the input. */
static HaloStatus open_output(const HaloJob *job, Open *open)
{
    HaloSinkOptions options = {.force = job->force};
    options.is_input = halo_source_identity(open->source, options.input);
    return halo_sink_open(job->output, &options, &open->sink);
}

/* All at once: the input as a whole, then the plan, then the output as a whole. */
static HaloStatus run_whole(HaloSession *session, const HaloJob *job, const HaloFormat *to, Open *open,
                            HaloReport *report)
{
    HaloStatus status = HALO_OK;
    double start = now_ms();
    if (open->in.data == NULL) HALO_TRY(load_samples(&open->reader, session->options.max_memory, &open->in));
    const double read = now_ms() - start;
    HALO_TRY(
        run_plan(session, open->plan, &open->in, to != NULL ? &open->out : NULL, &report->results, report));
    report->ms.read += read;
    start = now_ms();
    if (to != NULL)
        HALO_TRY(save_to(open->sink, to, &job->write, &open->reader.info, &open->out, &report->clipped));
    report->ms.write = now_ms() - start;
out:
    return status;
}

/* Rows can flow from file to file unless a GPU does the work, or bytes that are written cannot be taken back.
 */
static HaloStatus rows_flow(HaloSession *session, const HaloJob *job, const Open *open, bool *flow)
{
    Choice choice;
    *flow = open->sink != NULL && open->in.data == NULL && halo_sink_seekable(open->sink) &&
            flow_suits(session, open->plan, job->output);
    const HaloStatus status = *flow ? choose_slot(session, open->plan, true, &choice) : HALO_OK;
    if (status == HALO_OK && *flow) *flow = choice.slot == &session->host;
    return status;
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
    const char *message = halo_error();
    if (status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT && status != HALO_ERR_DEVICE) return status;
    if (strncmp(message, job->input, strlen(job->input)) == 0) return status;
    if (job->output != NULL && strncmp(message, job->output, strlen(job->output)) == 0) return status;
    return halo_fail_at(status, "%s", strcmp(job->input, "-") == 0 ? "standard input" : job->input);
}

HaloStatus halo_run(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Open open = {0};
    const HaloFormat *to = NULL;
    bool flow = false;
    const double start = now_ms();
    *report = (HaloReport){.backend = "none"};
    HALO_TRY(halo_source_open(job->input, &open.source));
    HALO_TRY(load_open(session, open.source, job->raw, &open.reader));
    if (job->output != NULL) HALO_TRY(output_format(session, job, open.reader.format, &to));
    if (open.reader.info.shape.width < 0) /* a plan needs the length */
        HALO_TRY(load_samples(&open.reader, session->options.max_memory, &open.in));
    HALO_TRY(halo_plan_make(session, pipeline, &open.reader.info.shape, to, &open.plan));
    if (job->explain != NULL) {
        explain_plan(session, open.plan, to != NULL && flow_suits(session, open.plan, job->output),
                     job->explain);
        goto out;
    }
    if (to != NULL) HALO_TRY(open_output(job, &open));
    report->input = open.reader.info.shape;
    describe_conversion(open.plan, &open.reader.info, to, report);
    HALO_TRY(rows_flow(session, job, &open, &flow));
    const double opened = now_ms() - start;
    if (flow)
        HALO_TRY(flow_run(session, open.plan, &open.reader, to, &job->write, open.sink, report));
    else
        HALO_TRY(run_whole(session, job, to, &open, report));
    report->ms.read += opened;
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
