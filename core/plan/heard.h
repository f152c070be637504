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

/* What is there where a question was: spans, or what was measured, the last of the results. */
typedef struct HeardAnswer {
    HeardSpans spans;
    HaloResults results;
} HeardAnswer;

typedef struct Heard {
    bool measures; /* what steps are set by is measured first, too, so that the rest can go in bands */
    int answers;   /* in the order in which the plan asks */
    HeardAnswer answer[HEARD_MOST];
    int asked;           /* by the plan that is being made */
    bool open;           /* it stopped at a question without an answer, which is about its output: */
    bool about_results;  /* what does its last step measure? Or */
    HaloSilence silence; /* where is no silence of this kind? */
} Heard;

/* Is what a value is measured for asked first? And the answer, NULL: it is not there yet. */
bool heard_measures(const HaloBuilder *builder, HaloReg reg);
HaloStatus heard_result(HaloBuilder *builder, HaloReg in, const HaloResult **known);
bool heard_add(HeardSpans *spans, HaloSpan span); /* false: without memory */
void heard_free(Heard *heard);                    /* all answers go, the rest stays */

#endif
