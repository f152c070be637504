/* Opens the outputs of a job without overwriting what has to stay, and gives them their names at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "file/operand.h"
#include "job.h"
#include "pipeline/pipeline.h"

/* The inputs, which may not be outputs. */
static void find_inputs(const HaloJob *job, const JobState *state, HaloRead *read, size_t *reads)
{
    if (halo_source_identity(state->source, &read[*reads])) read[(*reads)++].what = "the input";
    for (size_t i = 0; i < job->more_inputs; i++) {
        if (halo_read_of(job->more_input[i], &read[*reads])) read[(*reads)++].what = "an input";
    }
}

/* All files that are read: the inputs, those that the pipeline names, and the job's. */
static HaloStatus find_reads(const HaloPipeline *pipeline, const HaloJob *job, const JobState *state,
                             HaloRead **read, size_t *reads)
{
    HaloRead one;
    size_t count = 0;
    while (halo_pipeline_reads(pipeline, count, &one)) count++;
    *reads = 0;
    *read = calloc(count + job->reads + (size_t)state->operands.count + job->more_inputs + 1, sizeof **read);
    if (*read == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    find_inputs(job, state, *read, reads);
    for (size_t i = 0; i < count; i++) halo_pipeline_reads(pipeline, i, &(*read)[(*reads)++]);
    for (size_t i = 0; i < job->reads; i++) (*read)[(*reads)++] = job->read[i];
    for (int i = 0; i < state->operands.count; i++)
        if (state->operands.operand[i]->file.what != NULL)
            (*read)[(*reads)++] = state->operands.operand[i]->file;
    return HALO_OK;
}

/* "{page}", or "{page:02}", which has two digits, at `at`; *end is behind it. */
static bool page_field(const char *at, int *digits, const char **end)
{
    *digits = 4;
    if (strncmp(at, "{page", 5) != 0) return false;
    at += 5;
    if (*at == ':') {
        at += at[1] == '0' ? 2 : 1;
        if (*at < '1' || *at > '9') return false;
        *digits = *at++ - '0';
    }
    *end = at + 1;
    return *at == '}';
}

/* The name of the output for a page, from 0; the caller frees it. */
static HaloStatus name_page(const char *output, int64_t page, char **name)
{
    size_t capacity = strlen(output) + 1;
    int fields = 0, digits;
    const char *end;
    for (const char *at = output; *at != 0; at++) fields += page_field(at, &digits, &end);
    capacity += (size_t)fields * 24;
    *name = malloc(capacity);
    if (*name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    char *to = *name;
    for (const char *at = output; *at != 0;) {
        if (page_field(at, &digits, &end)) {
            to += snprintf(to, 24, "%0*lld", digits, (long long)page + 1);
            at = end;
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
    if (fields > 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "'%.200s' is one name, but --split writes a file for each page: put {page} in the name",
                     output);
}

HaloStatus job_open_output(HaloSession *session, const HaloPipeline *pipeline, const HaloJob *job, int64_t page,
                           JobState *state)
{
    char *name = NULL;
    HaloStatus status = HALO_OK;
    HaloSinkOptions options = {.force = job->force, .sync = job->write.sync};
    HaloRead *read = NULL;
    HALO_TRY(pipeline_read_operands(session, pipeline, &state->operands));
    HALO_TRY(find_reads(pipeline, job, state, &read, &options.reads));
    options.read = read;
    if (job->split) HALO_TRY(name_page(job->output, page, &name));
    if (job->give != NULL)
        HALO_TRY(halo_sink_to_function(job->output, job->give, job->give_context, &state->sink));
    else
        HALO_TRY(halo_sink_open(job->split ? name : job->output, &options, &state->sink));
    state->writer = (HaloWriter){.format = state->to,
                                 .sink = state->sink,
                                 .options = job->write,
                                 .jobs = session->options.jobs,
                                 .memory = state->memory,
                                 .changes = {.stored = true,
                                             .samples = pipeline_changes(pipeline),
                                             .light = pipeline_light(pipeline),
                                             .upright = pipeline_upright(pipeline)}};
    state->seekable = halo_sink_seekable(state->sink);
out:
    free(name);
    free(read);
    return status;
}

HaloStatus job_close_output(JobState *state, HaloReport *report)
{
    const HaloStatus status = save_close(&state->writer, HALO_OK);
    report->clipped += state->writer.clipped;
    report->peak = report->peak > state->writer.peak ? report->peak : state->writer.peak;
    halo_notes_join(&report->notes, &state->writer.notes);
    if (state->sink != NULL) state->write_ms += halo_sink_ms(state->sink);
    return status;
}

HaloStatus job_commit_output(JobState *state, HaloReport *report)
{
    const double start = now_ms();
    HaloSink *sink = state->sink;
    state->sink = NULL; /* commit frees it, whatever happens */
    const HaloStatus status = halo_sink_commit(sink);
    report->ms.write += now_ms() - start;
    return status;
}
