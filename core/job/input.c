/* Opens and closes the inputs of a job. */
#include "file/file.h"
#include "file/operand.h"
#include "job.h"

void job_close_input(JobState *state)
{
    if (state->source != NULL) state->read_ms += halo_source_ms(state->source);
    load_close(&state->reader);
    halo_source_close(state->source);
    state->source = NULL;
}

HaloStatus job_open_input(HaloSession *session, const HaloJob *job, const char *path, JobState *state)
{
    HaloStatus status = HALO_OK;
    job_close_input(state);
    state->input = path;
    operand_next_input(&state->operands, path);
    if (path == job->input && job->source != NULL)
        state->source = job->source;
    else if (path == job->input && job->bytes != NULL)
        HALO_TRY(halo_source_from_memory(job->bytes, job->size, &state->source));
    else
        HALO_TRY(halo_source_open(path, &state->source));
    halo_source_count(state->source, state->memory);
    HALO_TRY(load_open_wide(session, state->source, job->raw, &state->reader));
out:
    return status;
}
