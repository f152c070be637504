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
    Heard *heard = session->heard;
    Listener listener = listener_for(heard);
    const FlowTo to = {.listener = heard->about == HEARD_SILENCE ? &listener : NULL};
    HALO_TRY(halo_source_open(state->input, &source));
    halo_source_count(source, &session->memory);
    HALO_TRY(load_open(session, source, options->has_raw ? &options->raw : NULL, &reader));
    HALO_TRY(device_open(&session->host, 0, session->options.jobs));
    HALO_TRY(flow_run(session, (Team){&session->host, 1}, state->plan, &reader, &to, &report));
    if (heard->about == HEARD_SILENCE) {
        HALO_TRY(listener_answer(&listener, heard));
    } else {
        heard->answer[heard->answers++].results = report.results;
        report.results = (HaloResults){0};
    }
out:
    halo_report_free(&report);
    load_close(&reader);
    halo_source_close(source);
    return status;
}

/* May its file be read twice? */
static bool comes_again(const JobState *state)
{
    return strcmp(state->input, "-") != 0 && halo_source_seekable(state->source);
}

/* Shorter sound is measured in memory: it need not be decoded twice. */
#define SHORT_BYTES ((int64_t)32 << 20)

bool listen_measures(const HaloSession *session, const JobState *state)
{
    const HaloShape *shape = &state->reader.info.shape;
    int64_t bytes;
    if (shape->kind != HALO_AUDIO || state->in.data != NULL || gpu_demanded(&session->options) ||
        session->options.verify || !comes_again(state))
        return false;
    return shape->width < 0 || halo_shape_bytes(shape, &bytes) != HALO_OK || bytes > SHORT_BYTES;
}

HaloStatus listen_to_image(HaloSession *session, JobState *state)
{
    if (state->in.data != NULL) return listen_to_samples(session, state->plan, &state->in);
    if (comes_again(state) && flow_suits(session, state->plan)) return listen_to_file(session, state);
    heard_free(session->heard, &session->memory);
    session->heard->measures = false;
    return load_samples(&state->reader, &state->in);
}
