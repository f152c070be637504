/* The cost model: bytes and operations of each step, and the predicted seconds of the whole command on the CPU
 * and on a GPU, files included.
 *
 * The rates are rough. They only have to choose between some time on the CPU, and a third of a second to start
 * the GPU and little else. Measured on an H200 and the 16 cores beside it (docs/performance.md, bench/auto.sh).
 */
#include <math.h>

#include "cost.h"
#include "halo/machine.h"
#include "needs.h"
#include "plan.h"
#include "primitive/primitive.h"

#define HOST_BYTES_PER_SECOND 5e9  /* one core, through memory */
#define HOST_FLOPS_PER_SECOND 5e10 /* one core, fma counted as two, AVX2 or better */
#define HOST_SCALING 0.7           /* n threads count as n to this power cores: 16 as seven */
#define READ_BYTES_PER_SECOND 5e9  /* of files in memory */
#define WRITE_BYTES_PER_SECOND 3e9
#define RESERVED_BYTES_PER_SECOND 3.6e9 /* written to preallocated space, */
#define RESERVING_BYTES_PER_SECOND 7e9  /* which goes on while a GPU starts */
#define GPU_START_SECONDS 0.34          /* to create and destroy a context; 0 if one is open */
#define GPU_SESSION_SECONDS 3e-3        /* for each that shares it */
#define GPU_ANOTHER_SECONDS 0.15        /* for each that is started beside the first */
#define GPU_FLOW_BYTES_PER_SECOND 3e10  /* of the link, from and to pinned memory, band by band, */
#define GPU_COPY_BYTES_PER_SECOND 6e9   /* and any other */
#define GPU_BYTES_PER_SECOND 2e12
#define GPU_FLOPS_PER_SECOND 2e13
#define GPU_CORES 1000.0 /* the speed relative to one core, if operations do not determine it */
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

void cost_settle(const HaloStep *step, const HaloBackend *backend, CostStep *settled)
{
    const Primitive *primitive = primitive_of(step);
    settled->step = *step;
    if (primitive->settle != NULL && backend != NULL) primitive->settle(&settled->step, backend, &settled->way);
}

double cost_step_flops(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend)
{
    const double n = samples(&plan->reg[step->dst >= 0 ? step->dst : step->src[0]]);
    CostStep settled;
    cost_settle(step, backend, &settled);
    return primitive_of(step)->flops(&settled.step, n);
}

static double seconds_of_each(const HaloPlan *plan, const HaloStep *step, double ns)
{
    return samples(&plan->reg[step->dst >= 0 ? step->dst : step->src[0]]) * ns * 1e-9;
}

/* What a step takes of a core, where that was measured; else 0. */
static double core_seconds(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    if (primitive->core_ns == NULL) return 0.0;
    return seconds_of_each(plan, step, primitive->core_ns(step, &plan->reg[step->src[0]]));
}

/* Of a GPU, beside its bytes and operations. */
static double gpu_seconds(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    const double ns = primitive->gpu_ns != NULL ? primitive->gpu_ns(step, &plan->reg[step->src[0]]) : 0.0;
    return ns > 0 ? seconds_of_each(plan, step, ns) : core_seconds(plan, step) / GPU_CORES;
}

static double step_on_host(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend)
{
    const double measured = core_seconds(plan, step);
    if (measured > 0) return measured;
    return cost_step_bytes(plan, step) / HOST_BYTES_PER_SECOND +
           cost_step_flops(plan, step, backend) / HOST_FLOPS_PER_SECOND;
}

static double step_on_gpu(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend)
{
    return GPU_STEP_SECONDS + cost_step_bytes(plan, step) / GPU_BYTES_PER_SECOND +
           cost_step_flops(plan, step, backend) / GPU_FLOPS_PER_SECOND + gpu_seconds(plan, step);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static double threads_of(int jobs)
{
    const int most = halo_machine()->threads;
    return jobs > 0 && jobs < most ? jobs : most;
}

/* Encoding is for all threads, decoding for one. */
HaloPlanFiles cost_files(const HaloPlan *plan, const HaloFormat *from, const HaloFormat *to, int jobs)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    HaloPlanFiles files = {.read = bytes(in) / READ_BYTES_PER_SECOND};
    if (from->decodes > 0) files.read += samples(in) / (from->decodes * 1e6);
    if (to == NULL) return files;
    if (to->encodes > 0)
        files.write = samples(out) / (to->encodes * 1e6 * threads_of(jobs));
    else
        files.write = bytes(out) / WRITE_BYTES_PER_SECOND;
    if (to->plain && out->kind == HALO_IMAGE && jobs != 1) files.reserved = bytes(out);
    return files;
}

/* At the same time if there are threads for it, else one after the other. */
static double together(const HaloPlanFiles *files, int jobs, double read, double compute, double write)
{
    if (!files->flows || jobs == 1) return read + compute + write;
    const double longer = read > write ? read : write;
    return longer > compute ? longer : compute;
}

/* ---- whole commands ------------------------------------------------------------------------------------- */

double cost_host_seconds(const HaloPlan *plan, const HaloBackend *backend, int jobs)
{
    double seconds = 0;
    for (int i = 0; i < plan->steps; i++) seconds += step_on_host(plan, &plan->step[i], backend);
    seconds /= pow(threads_of(jobs), HOST_SCALING);
    return together(&plan->files, jobs, plan->files.read, seconds, plan->files.write);
}

/* The share of the work of one of several devices: its rows of the output, and the input rows that they need
 * beyond their share. */
static double part_of_each(const HaloPlan *plan, int devices)
{
    const int64_t made = rows_length(&plan->reg[plan->output]), own = (made + devices - 1) / devices;
    const int64_t read = rows_length(&plan->reg[plan->input[0].reg]), from = (made - own) / 2;
    Rows rows;
    if (devices == 1 || needs_of_input(plan, (Rows){from, from + own}, &rows) != HALO_OK) return 1.0;
    const double needed = (double)(rows.to - rows.from) / (double)read, even = (double)own / (double)made;
    return needed > even ? needed : even;
}

/* Sessions that share a GPU wait for each other; its start counts once for all of them. */
static double start_seconds(int devices, int open, const HaloOptions *options)
{
    const double share = options->share > 1 ? options->share : 1.0;
    const double count = (double)options->files > share ? (double)options->files : share;
    const double first = open == 0 ? GPU_START_SECONDS + GPU_SESSION_SECONDS * (share - 1) : 0.0;
    const int others = devices - (open > 1 ? open : 1);
    return (first + GPU_ANOTHER_SECONDS * others) * share / count;
}

double cost_gpu_seconds(const HaloPlan *plan, const HaloBackend *backend, int devices, int open,
                        const HaloOptions *options)
{
    const HaloPlanFiles *files = &plan->files;
    const double share = options->share > 1 ? options->share : 1.0;
    const double link = files->flows ? GPU_FLOW_BYTES_PER_SECOND : GPU_COPY_BYTES_PER_SECOND;
    double seconds = bytes(&plan->reg[plan->input[0].reg]) / link, write = files->write;
    if (plan->wants_output) seconds += bytes(&plan->reg[plan->output]) / link;
    const HaloPlan *run = plan_for(plan, backend);
    for (int i = 0; i < run->steps; i++) seconds += step_on_gpu(run, &run->step[i], backend);
    seconds *= part_of_each(plan, devices);
    for (int i = 1; i < plan->inputs; i++)
        seconds += bytes(&plan->reg[plan->input[i].reg]) / link; /* to each */
    if (open == 0 && files->reserved > 0) {
        const double taken = GPU_START_SECONDS * RESERVING_BYTES_PER_SECOND,
                     reserved = files->reserved < taken ? files->reserved : taken;
        write -= reserved / WRITE_BYTES_PER_SECOND - reserved / RESERVED_BYTES_PER_SECOND;
    }
    const double alone = together(files, options->jobs, files->read, seconds, write), all = seconds * share;
    return (alone > all ? alone : all) + start_seconds(devices, open, options);
}

double cost_gpu_awaited_seconds(const HaloPlan *plan, const HaloBackend *backend, const HaloOptions *options)
{
    return GPU_START_SECONDS + cost_gpu_seconds(plan, backend, 1, 1, options);
}
