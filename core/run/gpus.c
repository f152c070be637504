#include "gpus.h"

#include <stdio.h>
#include <stdlib.h>

#include "halo/thread.h"
#include "plan/bands.h"
#include "plan/cost.h"

/* ---- opening -------------------------------------------------------------------------------------------- */

typedef struct Opening {
    Device *device;
    int index, jobs;
    pthread_t thread;
    bool started;
    HaloFailure failed;
} Opening;

static void *open_main(void *context)
{
    Opening *self = context;
    const HaloStatus status = device_open(self->device, self->index, self->jobs);
    if (status != HALO_OK) halo_failure_keep(&self->failed, status);
    return NULL;
}

HaloStatus gpus_open(HaloSession *session, int count)
{
    const HaloOptions *options = &session->options;
    HaloStatus status = HALO_OK;
    if (session->gpu->backend == NULL)
        return halo_fail(HALO_ERR_DEVICE, "this build of halo has no CUDA backend");
    const int there = session->gpu->backend->count();
    if (there == 0) return HALO_ERR_DEVICE; /* with the cause in halo_error() */
    const int first = options->device == HALO_DEVICE_ALL ? options->gpu % there : options->gpu;
    if (first >= there || first < 0)
        return halo_fail(HALO_ERR_DEVICE, "there is no gpu:%d; the last one is gpu:%d", first, there - 1);
    Opening *opening = calloc((size_t)count, sizeof *opening);
    if (opening == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = count - 1; i >= 0; i--) {
        Opening *one = &opening[i];
        *one = (Opening){.device = &session->gpu[i], .index = (first + i) % there, .jobs = options->jobs};
        if (one->device->handle != NULL) continue;
        if (i > 0) one->started = halo_thread_start(&one->thread, open_main, one);
        if (!one->started) open_main(one);
    }
    for (int i = 0; i < count; i++) {
        if (opening[i].started) pthread_join(opening[i].thread, NULL);
        if (status != HALO_OK || opening[i].failed.status == HALO_OK) continue;
        status = halo_failure_again(&opening[i].failed);
        if (count > 1) halo_fail_at(status, "gpu:%d", opening[i].index);
    }
    free(opening);
    return status;
}

/* ---- how many ------------------------------------------------------------------------------------------- */

/* The number of GPUs that one plan of this session may use. */
static int allowed(const HaloSession *session)
{
    if (session->options.device != HALO_DEVICE_ALL || session->options.share > 1) return 1;
    return (int)smaller(session->gpu->backend->count(), SESSION_GPUS);
}

/* Why the plan can use only one; NULL: it can use several. */
static const char *alone(const HaloSession *session, const HaloPlan *plan)
{
    if (session->options.jobs == 1) return "each needs a thread";
    if (plan->reg[plan->input[0].reg].kind == HALO_AUDIO) return "sound goes through one";
    if (!bands_possible(plan)) return "this cannot run in bands";
    if (needs_any_order(plan)) return "its rows depend on those before them";
    return NULL;
}

static double seconds_on(const HaloSession *session, const HaloPlan *plan, int count)
{
    int open = 0;
    for (int i = 0; i < count; i++) open += session->gpu[i].handle != NULL;
    return cost_gpu_seconds(plan, session->gpu->backend, count, open, &session->options);
}

int gpus_for(const HaloSession *session, const HaloPlan *plan, char *why, size_t size)
{
    const int most = allowed(session);
    int count = 1;
    snprintf(why, size, "requested");
    if (most < 2) return 1;
    const char *reason = alone(session, plan);
    if (reason != NULL) {
        snprintf(why, size, "requested; one of %d GPUs: %s", most, reason);
        return 1;
    }
    const double one = seconds_on(session, plan, 1);
    double least = one, several = one;
    for (int n = 2; n <= most; n++) {
        several = seconds_on(session, plan, n);
        if (several >= least) continue;
        least = several;
        count = n;
    }
    if (count > 1)
        halo_snprintf(why, size, "requested; predicted: %.3g ms on one GPU, %.3g ms in bands on %d", one * 1e3,
                      least * 1e3, count);
    else
        halo_snprintf(why, size, "requested; one of %d GPUs: predicted %.3g ms, and %.3g ms in bands on %d",
                      most, one * 1e3, several * 1e3, most);
    return count;
}
