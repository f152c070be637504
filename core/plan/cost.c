/* What a plan costs: bytes and operations of each step, and the seconds they should take on the CPU and on a
 * GPU.
 *
 * The rates are rough on purpose: the choice they serve is between "milliseconds on the CPU" and "a third of a
 * second to start the GPU". Measured on two cores with AVX-512 and on an H200 (docs/performance.md). */
#include <unistd.h>

#include "cost.h"
#include "plan.h"
#include "primitive/primitive.h"

#define HOST_BYTES_PER_SECOND 5e9  /* one core, through memory */
#define HOST_FLOPS_PER_SECOND 5e10 /* one core, fma counted as two, AVX2 or better */
#define GPU_START_SECONDS 0.3      /* a context; nothing when it is open */
#define GPU_LINK_BYTES_PER_SECOND 6e9
#define GPU_BYTES_PER_SECOND 2e12
#define GPU_FLOPS_PER_SECOND 2e13
#define GPU_STEP_SECONDS 2e-5

static double samples(const HaloShape *shape)
{
    return (double)shape->width * (double)shape->height * shape->channels;
}

static double bytes(const HaloShape *shape) { return samples(shape) * (double)halo_dtype_size(shape->dtype); }

double cost_step_bytes(const HaloPlan *plan, const HaloStep *step)
{
    double total = 0;
    for (int k = 0; k < step->sources; k++) total += bytes(&plan->reg[step->src[k]]);
    if (step->dst >= 0) total += bytes(&plan->reg[step->dst]);
    return total;
}

bool cost_by_transforms(const HaloStep *step, const HaloBackend *backend)
{
    return step->primitive == HALO_CONV && step->u.conv.fast && backend != NULL &&
           backend->transforms != NULL && backend->transforms(&step->u.conv);
}

double cost_step_flops(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend)
{
    const double n = samples(&plan->reg[step->dst >= 0 ? step->dst : step->src[0]]);
    if (cost_by_transforms(step, backend)) return 2.0 * n * fast_transform_taps(&step->u.conv);
    return primitive_of(step)->flops(step, n);
}

double cost_host_seconds(const HaloPlan *plan, const HaloBackend *backend, int jobs)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double threads = jobs > 0 && jobs < cores ? jobs : cores > 0 ? (double)cores : 1.0;
    double seconds = 0;
    for (int i = 0; i < plan->steps; i++)
        seconds += cost_step_bytes(plan, &plan->step[i]) / HOST_BYTES_PER_SECOND +
                   cost_step_flops(plan, &plan->step[i], backend) / HOST_FLOPS_PER_SECOND;
    return seconds / threads;
}

double cost_gpu_seconds(const HaloPlan *plan, const HaloBackend *backend, bool open, const HaloOptions *options)
{
    const double share = options->share > 1 ? options->share : 1.0;
    const double files = options->files > 1 ? (double)options->files : 1.0;
    double seconds = 0;
    for (int i = 0; i < plan->inputs; i++)
        seconds += bytes(&plan->reg[plan->input[i].reg]) / GPU_LINK_BYTES_PER_SECOND;
    if (plan->wants_output) seconds += bytes(&plan->reg[plan->output]) / GPU_LINK_BYTES_PER_SECOND;
    for (int i = 0; i < plan->steps; i++)
        seconds += GPU_STEP_SECONDS + cost_step_bytes(plan, &plan->step[i]) / GPU_BYTES_PER_SECOND +
                   cost_step_flops(plan, &plan->step[i], backend) / GPU_FLOPS_PER_SECOND;
    /* Sessions that share a GPU wait for each other; its start is waited for once by all. */
    return seconds * share + (open ? 0.0 : GPU_START_SECONDS * share / (files > share ? files : share));
}
