/* What halo_plan_open makes. */
#ifndef CORE_ARRAY_PART_H
#define CORE_ARRAY_PART_H

#include "array.h"
#include "pipeline/pipeline.h"
#include "plan/plan.h"

typedef struct PlanArrays {
    HaloSession *session;   /* the program's */
    HaloPipeline *pipeline; /* held */
    size_t count;           /* of inputs */
    Layout *input;          /* [count] */
    HaloOperand **operand;  /* [count - 1] the inputs behind the first */
    HaloPlan *plan;         /* NULL: it is made in each run, since it depends on the samples, or has notes */
    Layout output;          /* array.dims 0: there is none, or it is not known yet */
} PlanArrays;

/* plan.c: plans for an input whose samples are there, `in`, or whose shape alone is known (data NULL): *plan
 * stays NULL where that is not sufficient. */
HaloStatus arrays_plan(const PlanArrays *arrays, HaloSession *work, const HaloBuf *in, HaloPlan **plan);
HaloStatus arrays_output(const PlanArrays *arrays, const HaloPlan *plan, Layout *output);
HaloStatus arrays_check_plan(const HaloPlan *plan);

#endif
