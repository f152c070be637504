/* What a plan has to know of the samples before it can be made, such as where a sound begins: planning stops
 * there, the value made so far is listened to (run/listen.c), and the plan is made again with the answer. */
#ifndef CORE_HEARD_H
#define CORE_HEARD_H

#include "needs.h"

/* So many questions may one plan ask. */
#define HEARD_MOST 16

/* What is not silent, in order. */
typedef struct HeardSpans {
    int64_t count, room;
    HaloSpan *span; /* [room] */
} HeardSpans;

typedef struct Heard {
    int answers; /* in the order in which the plan asks */
    HeardSpans answer[HEARD_MOST];
    int asked; /* by the plan that is being made */
    bool open; /* it stopped at a question without an answer, and its output is the value that this is about: */
    HaloSilence silence; /* where is no silence of this kind? */
} Heard;

bool heard_add(HeardSpans *spans, HaloSpan span); /* false: without memory */
void heard_free(Heard *heard);

#endif
