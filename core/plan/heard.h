/* What a plan has to know of the samples before it can be made, such as where a sound begins: planning stops
 * there, the value made so far is listened to (job/listen.c), and the plan is made again with the answer. */
#ifndef CORE_HEARD_H
#define CORE_HEARD_H

#include "needs.h"

/* So many questions may one plan ask. */
#define HEARD_MOST 16

typedef struct Heard {
    int answers; /* in the order in which the plan asks */
    Rows answer[HEARD_MOST];
    int asked; /* by the plan that is being made */
    bool open; /* it stopped at a question without an answer, and its output is the value that this is about: */
    float level;   /* which of its frames have no sample of at least this magnitude, */
    int64_t least; /* at least so many of them at its beginning, or at its end? */
} Heard;

#endif
