/* Listens to sound as it comes by, for where it is not silent. */
#ifndef CORE_LISTENER_H
#define CORE_LISTENER_H

#include "plan/heard.h"

typedef struct Listener {
    float level;
    int64_t frames;     /* heard so far; */
    int64_t first, end; /* the sound lies in [first, end); first -1: there has been none */
} Listener;

/* For the question that a plan stopped at; then the frames of the plan's output, all of them; then its answer.
 */
Listener listener_for(const Heard *heard);
void listener_hear(Listener *listener, const HaloBuf *frames);
void listener_answer(const Listener *listener, Heard *heard);

/* All of it, where the plan's input is in memory. */
HaloStatus listen_to_samples(HaloSession *session, const HaloPlan *plan, const HaloBuf *in);

#endif
