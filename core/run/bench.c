/* Times a plan, for `halo bench ops`. The output is allocated once, before the first run, so that the kernel's
 * clearing of fresh pages is not measured. */
#include <stdlib.h>

#include "halo/chain.h"
#include "pipeline/pipeline.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "primitive/primitive.h"
#include "run.h"

#define MOST_RUNS 101

/* A disk in each square of 64 pixels, of radius 8 to 27, up to 4 pixels from the middle. */
static bool in_blob(int64_t x, int64_t y)
{
    const uint64_t cell = (uint64_t)(x / 64) * 73856093u ^ (uint64_t)(y / 64) * 19349663u;
    const uint64_t drawn = cell * 0x9e3779b97f4a7c15u >> 40;
    const int64_t radius = 8 + (int64_t)(drawn % 20), dx = x % 64 - 28 - (int64_t)(drawn >> 8 & 7),
                  dy = y % 64 - 28 - (int64_t)(drawn >> 12 & 7);
    return dx * dx + dy * dy < radius * radius;
}

/* Sample x of row y, 24 bits of it. */
static uint32_t sample(HaloContent content, uint64_t noise, int64_t x, int64_t y)
{
    const uint32_t random = (uint32_t)(noise >> 40);
    switch (content) {
    case HALO_CONTENT_CONSTANT: return 0x5a5a5a;
    case HALO_CONTENT_SMOOTH: return (uint32_t)(x * 4099 + y * 8191 + (random >> 6)) & 0xffffff;
    case HALO_CONTENT_BLOBS: return in_blob(x, y) ? 0xffffff : 0;
    default: return random;
    }
}

/* Never zeros: they hide unwritten outputs and can run faster than data. */
static void fill(HaloBuf *buf, HaloContent content)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    const int64_t n = buf->cols * buf->shape.channels;
    for (int64_t y = 0; y < buf->rows; y++) {
        void *row = halo_at(buf, 0, y);
        for (int64_t i = 0; i < n; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            const uint32_t v = sample(content, state, i, y);
            switch (buf->shape.dtype) {
            case HALO_U8: ((uint8_t *)row)[i] = (uint8_t)(v >> 16); break;
            case HALO_U16: ((uint16_t *)row)[i] = (uint16_t)(v >> 8); break;
            default: ((float *)row)[i] = (float)v * 0x1p-24f; break;
            }
        }
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int n)
{
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    return ms[n / 2];
}

static bool convolves(const HaloStep *step)
{
    return step->primitive == HALO_CONV || step->primitive == HALO_SEP;
}

/* Operations that are multiply-adds, two each: those of convolutions. Other steps compute something else. */
static double multiply_adds(const HaloPlan *plan, const HaloStep *step, const HaloBackend *backend)
{
    double sum = 0.0;
    if (convolves(step)) return cost_step_flops(plan, step, backend);
    const bool chained = step->primitive == HALO_CHAIN || step->primitive == HALO_EXTREMES;
    for (int i = 0; chained && i < step->u.chain->links; i++) {
        const HaloShape *shape = &step->u.chain->value[i + 1];
        const double samples = (double)shape->width * (double)shape->height * shape->channels;
        const HaloStep *link = &step->u.chain->link[i];
        if (convolves(link)) sum += primitive_of(link)->flops(link, samples);
    }
    return sum;
}

/* What the device's ceilings leave: all bytes once, or all multiply-adds, whichever takes longer. Ceilings that
 * cannot be measured, for want of memory above all, are no reason to fail. */
static void find_floor(Team team, const HaloPlan *plan, HaloTiming *timing)
{
    Device *device = team.device;
    HaloCeilings *c = &device->ceilings;
    if (c->read_gbs == 0.0 && device->backend->ceilings != NULL &&
        device->backend->ceilings(device->handle, c) != HALO_OK)
        *c = (HaloCeilings){0};
    timing->ceilings = *c;
    const double memory = plan->wants_output ? c->copy_gbs : c->read_gbs;
    if (memory <= 0.0 || c->fma_gflops <= 0.0) return;
    const double moving = timing->bytes / memory * 1e-6, sums = timing->flops / c->fma_gflops * 1e-6;
    timing->floor_ms = (moving > sums ? moving : sums) / team.count;
}

/* That a GPU takes a while to start is no reason against several: it is not timed. */
static HaloStatus choose_started(HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    const int64_t files = session->options.files;
    if (session->options.device == HALO_DEVICE_ALL) session->options.files = INT64_MAX;
    const HaloStatus status = choose(session, plan, &(RunLimits){0}, choice);
    session->options.files = files;
    return status;
}

HaloStatus halo_bench(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *shape,
                      const HaloFormat *to, HaloContent content, int runs, HaloTiming *timing)
{
    HaloStatus status = HALO_OK;
    HaloBuf in = {0}, out = {0};
    HaloPlan *plan = NULL;
    Choice choice;
    double up[MOST_RUNS], kernel[MOST_RUNS], down[MOST_RUNS], total[MOST_RUNS];
    const int n = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
    *timing = (HaloTiming){0};
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_memory_alloc(&session->memory, &in, shape));
    fill(&in, content);
    if (halo_pipeline_only_measures(pipeline))
        to = NULL;
    else if (to == NULL)
        to = &plan_to_array;
    HALO_TRY(halo_plan_make_of(session, pipeline, &in, to, &plan));
    HALO_TRY(choose_started(session, plan, &choice));
    HALO_TRY(halo_memory_hold(&session->memory,
                              scratch_beside(choice.team.device, plan, bands_choose(plan, &session->options))));
    timing->writes = plan->wants_output;
    timing->written = plan->reg[plan->output].dtype;
    if (plan->wants_output) HALO_TRY(halo_buf_alloc(&out, &plan->reg[plan->output]));
    const HaloBackend *backend = choice.team.device->backend;
    for (int i = 0; i < choice.team.count && backend->mark != NULL; i++)
        HALO_TRY(backend->mark(choice.team.device[i].handle, HALO_MARK_QUEUED));
    for (int i = -1; i < n; i++) { /* the first is to warm up */
        HaloResults results = {0};
        HaloTimes ms = {0};
        const double start = now_ms();
        status = execute_into(choice.team, plan, &session->options, &in, &out, &results, NULL, &ms);
        halo_results_free(&results);
        HALO_TRY(status);
        if (i < 0) continue;
        total[i] = now_ms() - start;
        up[i] = ms.upload;
        kernel[i] = ms.compute;
        down[i] = ms.download;
    }
    timing->backend = backend->name;
    team_describe(choice.team, timing->device, sizeof timing->device);
    timing->upload_ms = median(up, n);
    timing->kernel_ms = median(kernel, n);
    timing->download_ms = median(down, n);
    timing->total_ms = median(total, n);
    const HaloPlan *run = plan_for(plan, backend);
    timing->steps = run->steps;
    for (int i = 0; i < run->steps; i++) {
        timing->bytes += cost_step_bytes(run, &run->step[i]);
        timing->flops += multiply_adds(run, &run->step[i], backend);
    }
    find_floor(choice.team, plan, timing);
out:
    atomic_store(&session->memory.held, 0);
    halo_plan_free(plan);
    halo_buf_free(&out);
    halo_buf_free(&in);
    return status;
}
