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

/* What is there where a question was: spans; what was measured, the last of the results; or states. */
typedef struct HeardAnswer {
    HeardSpans spans;
    HaloResults results;
    double *states; /* of a filter that goes there and back: */
    int64_t held;   /* bytes of memory */
} HeardAnswer;

typedef enum HeardAbout { HEARD_SILENCE, HEARD_RESULTS, HEARD_STATES } HeardAbout;

typedef struct Heard {
    bool measures; /* what steps are set by is measured first, too, so that the rest can go in bands, */
    bool turns;    /* and what filters that go there and back find on their ways: the file is read backwards */
    int answers;   /* in the order in which the plan asks */
    HeardAnswer answer[HEARD_MOST];
    int asked;           /* by the plan that is being made */
    bool open;           /* it stopped at a question without an answer, which is about its output: */
    HeardAbout about;    /* what does its last step measure, or find? Or */
    HaloSilence silence; /* where is no silence of this kind? */
} Heard;

/* Is what a value is measured for asked first? And the answer, NULL: it is not there yet. */
bool heard_measures(const HaloBuilder *builder, HaloReg reg);
HaloStatus heard_result(HaloBuilder *builder, HaloReg in, const HaloResult **known);
/* Are the states of a filter that goes there and back found first? And the step with them, which can do any
 * part of its result: appended. */
bool heard_turns(const HaloBuilder *builder, HaloReg reg);
HaloStatus heard_sections(HaloBuilder *builder, HaloStep *step, HaloReg *dst);
bool heard_add(HeardSpans *spans, HaloSpan span);  /* false: without memory */
void heard_free(Heard *heard, HaloMemory *memory); /* all answers go, the rest stays */

#endif
