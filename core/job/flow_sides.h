/* Secondary inputs that are read in step with the input that flows: each has a reader of its own, and just the rows
 * in memory that the present band needs. Whoever computes reads them, band after band. */
#ifndef CORE_JOB_FLOW_SIDES_H
#define CORE_JOB_FLOW_SIDES_H

#include "file/side.h"
#include "plan/bands.h"

typedef struct FlowSide {
    SideReader reader; /* source NULL: it is in memory */
    HaloBuf rows;      /* those that are there; room for `room` of them */
    int64_t room;
    int64_t next; /* the row that the reader stands at */
} FlowSide;

typedef struct FlowSides {
    const HaloPlan *plan;
    FlowSide *side; /* [plan->inputs]; the first is none */
} FlowSides;

/* Brings those to memory that cannot be read in step. What was opened is closed also where it failed. */
HaloStatus flow_sides_open(FlowSides *sides, const Bands *bands);
/* Rows of input `at`, there until others are asked for. */
HaloStatus flow_sides_rows(FlowSides *sides, int at, Rows rows, HaloBuf *from);
void flow_sides_close(FlowSides *sides);

#endif
