/* Times a plan: what `halo bench ops` prints. The output is allocated once, before the first run: what counts
 * is the work, not the kernel's clearing of fresh pages. */
#include <stdlib.h>

#include "core.h"

#define MOST_RUNS 101

/* Random samples, never zeros: zeros hide unwritten outputs and can run faster than data. */
static void fill(HaloBuf *buf)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    const int64_t n = halo_row_bytes(buf) * buf->rows / (int64_t)halo_dtype_size(buf->shape.dtype);
    for (int64_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        switch (buf->shape.dtype) {
        case HALO_U8: ((uint8_t *)buf->data)[i] = (uint8_t)(state >> 32); break;
        case HALO_U16: ((uint16_t *)buf->data)[i] = (uint16_t)(state >> 32); break;
        default: ((float *)buf->data)[i] = (float)(state >> 40) * 0x1p-24f; break;
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

HaloStatus halo_bench(HaloSession *session, const HaloPipeline *pipeline, const HaloShape *shape, int runs,
                      HaloTiming *timing)
{
    HaloStatus status = HALO_OK;
    HaloBuf in = {0}, out = {0};
    HaloPlan *plan = NULL;
    Choice choice;
    double up[MOST_RUNS], kernel[MOST_RUNS], down[MOST_RUNS];
    const int n = runs < 1 ? 1 : runs > MOST_RUNS ? MOST_RUNS : runs;
    *timing = (HaloTiming){0};
    HALO_TRY(halo_buf_alloc(&in, shape));
    fill(&in);
    HALO_TRY(halo_plan_make(session, pipeline, shape, NULL, &plan));
    HALO_TRY(memory_check(memory_whole(plan, bands_choose(plan, session->options.band_rows)),
                          session->options.max_memory));
    HALO_TRY(choose_slot(session, plan, true, &choice));
    if (plan->wants_output) HALO_TRY(halo_buf_alloc(&out, &plan->reg[plan->output]));
    for (int i = -1; i < n; i++) { /* the first is to warm up */
        HaloResults results = {0};
        HaloTimes ms = {0};
        status = execute_into(choice.slot, plan, &session->options, &in, &out, &results, NULL, &ms);
        halo_results_free(&results);
        HALO_TRY(status);
        if (i < 0) continue;
        up[i] = ms.upload;
        kernel[i] = ms.compute;
        down[i] = ms.download;
    }
    timing->backend = choice.slot->backend->name;
    snprintf(timing->device, sizeof timing->device, "%s", choice.slot->describe);
    timing->upload_ms = median(up, n);
    timing->kernel_ms = median(kernel, n);
    timing->download_ms = median(down, n);
    timing->steps = plan->steps;
    for (int i = 0; i < plan->steps; i++) {
        timing->bytes += cost_step_bytes(plan, &plan->step[i]);
        timing->flops += cost_step_flops(plan, &plan->step[i]);
    }
out:
    halo_plan_free(plan);
    halo_buf_free(&out);
    halo_buf_free(&in);
    return status;
}
