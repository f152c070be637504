/* Listens to sound as it comes by, for where it is not silent. */
#ifndef CORE_LISTENER_H
#define CORE_LISTENER_H

#include "plan/heard.h"

typedef struct Listener {
    HaloSilence silence;
    int64_t frames, quiet; /* heard so far; and the silent ones since the last that is not */
    HeardSpans *spans;
    bool no_room; /* no memory for more spans */
} Listener;

/* For the question that a plan stopped at; then the frames of the plan's output, all of them; then its answer.
 */
Listener listener_for(Heard *heard);
void listener_hear(Listener *listener, const HaloBuf *frames);
HaloStatus listener_answer(Listener *listener, Heard *heard);

/* All of it, where the plan's input is in memory. */
HaloStatus listen_to_samples(HaloSession *session, const HaloPlan *plan, const HaloBuf *in);

#endif
