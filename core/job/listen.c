/* Listening to a file before it is run, where its plan has to know where it is silent. */
#include <string.h>

#include "file/file.h"
#include "job.h"
#include "plan/plan.h"

/* Through a reader of its own: the other one still stands at the beginning. */
static HaloStatus listen_to_file(HaloSession *session, const JobState *state)
{
    HaloStatus status = HALO_OK;
    const HaloReadOptions *options = &state->reader.options;
    HaloSource *source = NULL;
    HaloReader reader = {0};
    HaloReport report = {0};
    Listener listener = listener_for(session->heard);
    HALO_TRY(halo_source_open(state->input, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open(session, source, options->has_raw ? &options->raw : NULL, &reader));
    HALO_TRY(device_open(&session->host, 0, session->options.jobs));
    HALO_TRY(
        flow_run(session, &session->host, state->plan, &reader, &(FlowTo){.listener = &listener}, &report));
    HALO_TRY(listener_answer(&listener, session->heard));
out:
    load_close(&reader);
    halo_source_close(source);
    return status;
}

HaloStatus listen_to_image(HaloSession *session, JobState *state)
{
    const bool again = strcmp(state->input, "-") != 0 && halo_source_seekable(state->source);
    if (state->in.data != NULL) return listen_to_samples(session, state->plan, &state->in);
    if (again && flow_suits(session, state->plan)) return listen_to_file(session, state);
    return load_samples(&state->reader, &state->in);
}
