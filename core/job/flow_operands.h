/* Secondary inputs that are read in step with the input, band by band: each has its own reader, and only the
 * rows that the current band needs are in memory. The computing thread reads them. */
#ifndef CORE_JOB_FLOW_OPERANDS_H
#define CORE_JOB_FLOW_OPERANDS_H

#include "file/operand.h"
#include "plan/bands.h"

typedef struct FlowOperand {
    OperandReader reader; /* source NULL: it is in memory */
    HaloBuf rows;         /* the rows in memory; allocated for `capacity` of them */
    int64_t capacity;
    int64_t next; /* the row that the reader stands at */
} FlowOperand;

typedef struct FlowOperands {
    const HaloPlan *plan;
    FlowOperand *operand; /* [plan->inputs]; the first is none */
} FlowOperands;

/* Reads those into memory that cannot be read in step. Close even if opening failed. */
HaloStatus flow_operands_open(FlowOperands *operands, const Bands *bands);
/* Rows of input `at`, valid until the next call. */
HaloStatus flow_operands_rows(FlowOperands *operands, int at, Rows rows, HaloBuf *from);
void flow_operands_close(FlowOperands *operands);

#endif
