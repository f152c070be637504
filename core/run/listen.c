/* Listening to sound whose plan has to know where it is silent. */
#include <math.h>

#include "listener.h"
#include "run.h"

Listener listener_for(const Heard *heard) { return (Listener){.level = heard->level, .first = -1}; }

static bool is_heard(const float *frame, int channels, float level)
{
    for (int c = 0; c < channels; c++)
        if (!(fabsf(frame[c]) < level)) return true; /* a NaN is no silence */
    return false;
}

void listener_hear(Listener *listener, const HaloBuf *frames)
{
    const int channels = frames->shape.channels;
    const float *at = halo_at(frames, frames->x0, 0);
    const int64_t count = frames->cols;
    for (int64_t i = 0; i < count && listener->first < 0; i++)
        if (is_heard(at + i * channels, channels, listener->level)) listener->first = listener->frames + i;
    for (int64_t i = count; i > 0 && listener->first >= 0; i--)
        if (is_heard(at + (i - 1) * channels, channels, listener->level)) {
            listener->end = listener->frames + i;
            break;
        }
    listener->frames += count;
}

void listener_answer(const Listener *listener, Heard *heard)
{
    Rows *part = &heard->answer[heard->answers++];
    *part = (Rows){0, listener->frames};
    if (listener->first < 0 && listener->frames >= heard->least) part->to = 0;
    if (listener->first < 0) return;
    if (listener->first >= heard->least) part->from = listener->first;
    if (listener->frames - listener->end >= heard->least) part->to = listener->end;
}

HaloStatus listen_to_samples(HaloSession *session, const HaloPlan *plan, const HaloBuf *in)
{
    HaloStatus status = HALO_OK;
    HaloReport report = {0};
    HaloBuf out = {0};
    Listener listener = listener_for(session->heard);
    HALO_TRY(run_plan(session, plan, in, &out, NULL, &report));
    listener_hear(&listener, &out);
    listener_answer(&listener, session->heard);
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
    return status;
}
