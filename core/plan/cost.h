/* What a step moves and computes, and predicted seconds. */
#ifndef CORE_PLAN_COST_H
#define CORE_PLAN_COST_H

#include "core.h"

double cost_step_bytes(const HaloPlan *plan, const HaloStep *step);
/* Does this backend (NULL: any) do a step by Fourier transforms? */
bool cost_by_transforms(const HaloStep *step, const HaloBackend *backend);
double cost_step_flops(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend);

/* What the files of a plan take, of these formats; `to` may be NULL. */
HaloPlanFiles cost_files(const HaloPlan *plan, const HaloFormat *from, const HaloFormat *to, int jobs);

/* All of it, from the start of the program to its end. */
double cost_host_seconds(const HaloPlan *plan, const HaloBackend *backend, int jobs);
double cost_gpu_seconds(const HaloPlan *plan, const HaloBackend *backend, bool open,
                        const HaloOptions *options);

#endif
