/* What a step moves and computes, and predicted seconds. */
#ifndef CORE_PLAN_COST_H
#define CORE_PLAN_COST_H

#include "core.h"
#include "halo/sep_fast.h"

/* A step as it will be done, which --precision fast leaves to the backend. */
typedef struct CostStep {
    HaloStep step;
    HaloSepFast way; /* what the step may point at: so it stays where it is */
} CostStep;

/* The step as this backend computes it; NULL: the step unchanged. */
void cost_settle(const HaloStep *step, const HaloBackend *backend, CostStep *settled);

double cost_step_bytes(const HaloPlan *plan, const HaloStep *step);
double cost_step_flops(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend);

/* What the files of a plan take, of these formats; `to` may be NULL. */
HaloPlanFiles cost_files(const HaloPlan *plan, const HaloFormat *from, const HaloFormat *to, int jobs);

/* The whole time, from the start of the program to its end. On several GPUs, which share the bands, and of
 * which some are open already. */
double cost_host_seconds(const HaloPlan *plan, const HaloBackend *backend, int jobs);
double cost_gpu_seconds(const HaloPlan *plan, const HaloBackend *backend, int devices, int open,
                        const HaloOptions *options);

/* What a file of a batch takes that waits for its GPU to start. */
double cost_gpu_awaited_seconds(const HaloPlan *plan, const HaloBackend *backend, const HaloOptions *options);

#endif
