/* Listening to sound whose plan has to know where it is silent. */
#include <math.h>

#include "listener.h"
#include "run.h"

Listener listener_for(Heard *heard)
{
    HeardSpans *spans = &heard->answer[heard->answers].spans;
    spans->count = 0;
    return (Listener){.silence = heard->silence, .spans = spans};
}

static bool is_heard(const float *frame, int channels, float level)
{
    for (int c = 0; c < channels; c++)
        if (!(fabsf(frame[c]) < level)) return true; /* a NaN is no silence */
    return false;
}

/* Frame number `at` is heard: the last span goes on, up to it, or one begins. */
static void add_frame(Listener *listener, int64_t at)
{
    HeardSpans *spans = listener->spans;
    const bool short_pause = listener->quiet < listener->silence.least;
    listener->quiet = 0;
    if (spans->count > 0 && (short_pause || !listener->silence.all))
        spans->span[spans->count - 1].to = at + 1;
    else if (!listener->no_room)
        listener->no_room = !heard_add(spans, (HaloSpan){spans->count == 0 && short_pause ? 0 : at, at + 1});
}

void listener_hear(Listener *listener, const HaloBuf *frames)
{
    const int channels = frames->shape.channels;
    const float *at = halo_at(frames, frames->x0, 0);
    for (int64_t i = 0; i < frames->cols; i++, at += channels)
        if (is_heard(at, channels, listener->silence.level))
            add_frame(listener, listener->frames + i);
        else
            listener->quiet++;
    listener->frames += frames->cols;
}

HaloStatus listener_answer(Listener *listener, Heard *heard)
{
    HaloStatus status = HALO_OK;
    HeardSpans *spans = listener->spans;
    if (listener->quiet < listener->silence.least && spans->count > 0)
        spans->span[spans->count - 1].to = listener->frames;
    else if (listener->quiet < listener->silence.least)
        listener->no_room = !heard_add(spans, (HaloSpan){0, listener->frames});
    if (listener->no_room) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for places of silence");
    heard->answers++;
out:
    return status;
}

HaloStatus listen_to_samples(HaloSession *session, const HaloPlan *plan, const HaloBuf *in)
{
    HaloStatus status = HALO_OK;
    HaloReport report = {0};
    HaloBuf out = {0};
    Listener listener = listener_for(session->heard);
    HALO_TRY(run_plan(session, plan, in, &out, NULL, &report));
    listener_hear(&listener, &out);
    HALO_TRY(listener_answer(&listener, session->heard));
out:
    halo_memory_free(&session->memory, &out);
    return status;
}

HaloStatus halo_plan_make_of(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in,
                             const HaloFormat *to, HaloPlan **plan)
{
    HaloStatus status = HALO_OK;
    Heard heard = {0};
    session->heard = &heard;
    HALO_TRY(halo_plan_make(session, pipeline, &in->shape, to, plan));
    while (heard.open) {
        status = listen_to_samples(session, *plan, in);
        halo_plan_free(*plan);
        *plan = NULL;
        HALO_TRY(status);
        HALO_TRY(halo_plan_make(session, pipeline, &in->shape, to, plan));
    }
out:
    session->heard = NULL;
    heard_free(&heard, &session->memory);
    return status;
}
