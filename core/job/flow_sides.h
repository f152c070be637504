/* Secondary inputs that are read in step with the input, band by band: each has its own reader, and only the
 * rows that the current band needs are in memory. The computing thread reads them. */
#ifndef CORE_JOB_FLOW_SIDES_H
#define CORE_JOB_FLOW_SIDES_H

#include "file/side.h"
#include "plan/bands.h"

typedef struct FlowSide {
    SideReader reader; /* source NULL: it is in memory */
    HaloBuf rows;      /* the rows in memory; allocated for `room` of them */
    int64_t room;
    int64_t next; /* the row that the reader stands at */
} FlowSide;

typedef struct FlowSides {
    const HaloPlan *plan;
    FlowSide *side; /* [plan->inputs]; the first is none */
} FlowSides;

/* Reads those into memory that cannot be read in step. Close even if opening failed. */
HaloStatus flow_sides_open(FlowSides *sides, const Bands *bands);
/* Rows of input `at`, valid until the next call. */
HaloStatus flow_sides_rows(FlowSides *sides, int at, Rows rows, HaloBuf *from);
void flow_sides_close(FlowSides *sides);

#endif
