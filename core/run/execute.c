/* Runs a plan band by band, on one device or on several of one backend at the same time. Bands are rows of
 * images or frames of sound. */
#include <stdlib.h>

#include "band.h"
#include "file/operand.h"
#include "halo/thread.h"
#include "plan/plan.h"

/* ---- what all bands share ------------------------------------------------------------------------------- */

/* Steps go on with the passes that their results say. */
static void take_passes(Work *work, HaloResults *results)
{
    work->results = results;
    for (int i = 0; i < work->plan->steps; i++) {
        const int result = work->plan->step[i].result;
        if (work->plan->step[i].dst >= 0 || result < 0) continue;
        work->measured[i].passes = results->item[result].passes;
        results->item[result].passes = NULL;
    }
}

static HaloStatus prepare(Work *work, HaloResults *results)
{
    const HaloPlan *plan = work->plan;
    const size_t steps = (size_t)plan->steps + 1;
    work->own.item = calloc(steps, sizeof *work->own.item);
    work->measured = calloc(steps, sizeof *work->measured);
    work->counted = calloc(steps, sizeof *work->counted);
    work->carried = calloc(steps, sizeof *work->carried);
    if (work->own.item == NULL || work->measured == NULL || work->counted == NULL || work->carried == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    work->own.count = plan->steps;
    if (work->io->again) {
        take_passes(work, results);
    } else if (results != NULL && plan->results > 0) {
        results->item = calloc((size_t)plan->results, sizeof *results->item);
        if (results->item == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
        results->count = plan->results;
        work->results = results;
    }
    return HALO_OK;
}

static void clean_up(Work *work, Device *device)
{
    for (int i = 0; i < work->plan->steps && work->measured != NULL; i++) measure_free(&work->measured[i]);
    for (int i = 0; i < work->plan->steps && work->carried != NULL; i++) carry_free(device, &work->carried[i]);
    free(work->measured);
    free(work->counted);
    free(work->carried);
    halo_results_free(&work->own);
}

/* ---- one device's part ---------------------------------------------------------------------------------- */

/* A device, and its thread where it is not the caller's. */
typedef struct Member {
    Device *device;
    Work *work;
    bool named; /* a failure says which of several it was */
    pthread_t thread;
    bool started;
    uint64_t clipped;
    HaloTimes ms;
} Member;

/* Takes band after band until there are no more. */
static HaloStatus run_bands(Run *run, uint64_t *clipped)
{
    HaloStatus status = HALO_OK;
    Work *work = run->work;
    for (int64_t k; sequencer_take(work->sequencer, &work->next, &k);) {
        if (work->io->wait != NULL) HALO_TRY(work->io->wait(work->io->context, k));
        if (k >= bands_count(&work->bands)) break;
        HALO_TRY(band_run(run, k));
    }
    if (!work->io->queued) HALO_TRY(run->device->backend->finish(run->device->handle, clipped));
out:
    if (status != HALO_OK)
        run->device->backend->finish(run->device->handle, clipped); /* leave no work and no counts behind */
    return status;
}

/* A failure stops all of them. */
static void *member_main(void *context)
{
    Member *self = context;
    Run run;
    HaloStatus status = HALO_OK;
    HALO_TRY(band_open(&run, self->device, self->work));
    HALO_TRY(run_bands(&run, &self->clipped));
out:
    self->ms = run.ms;
    band_close(&run);
    if (status == HALO_ERR_DEVICE && self->named) halo_fail_at(status, "gpu:%d", self->device->index);
    if (status != HALO_OK) sequencer_advance(self->work->sequencer, NULL, status);
    return NULL;
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

static double longer(double a, double b) { return a > b ? a : b; }

/* Devices work at the same time, so the slowest one's times count. */
static void add_member(const Member *member, uint64_t *clipped, HaloTimes *ms)
{
    *clipped += member->clipped;
    ms->upload = longer(ms->upload, member->ms.upload);
    ms->compute = longer(ms->compute, member->ms.compute);
    ms->download = longer(ms->download, member->ms.download);
}

/* The caller's thread is the first device's. Where another cannot be started there is one device fewer: that is
 * no error. */
static HaloStatus run_team(Team team, Work *work, uint64_t *clipped, HaloTimes *ms)
{
    Member *member = calloc((size_t)team.count, sizeof *member);
    if (member == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = team.count - 1; i >= 0; i--) {
        member[i] = (Member){.device = &team.device[i], .work = work, .named = team.count > 1};
        if (i > 0) member[i].started = halo_thread_start(&member[i].thread, member_main, &member[i]);
    }
    member_main(&member[0]);
    for (int i = 0; i < team.count; i++) {
        if (member[i].started) pthread_join(member[i].thread, NULL);
        add_member(&member[i], clipped, ms);
    }
    free(member);
    return sequencer_failure(work->sequencer);
}

HaloStatus execute_bands(Team team, const Bands *bands, const BandIo *io, HaloResults *results,
                         uint64_t *clipped, HaloTimes *ms)
{
    HaloStatus status = HALO_OK;
    uint64_t lost = 0;
    HaloTimes taken = {0};
    Sequencer own;
    const HaloPlan *plan = plan_for(bands->plan, team.device->backend);
    HaloPlan measures = *plan; /* nothing is made again but what is measured */
    measures.wants_output = false;
    Work work = {.plan = io->again ? &measures : plan,
                 .bands = *bands,
                 .io = io,
                 .sequencer = io->sequencer != NULL ? io->sequencer : &own};
    sequencer_open(&own);
    if (results != NULL && !io->again) *results = (HaloResults){0};
    for (int i = 0; i < team.count; i++) device_keep_only(&team.device[i], bands->plan);
    work.bands.plan = work.plan;
    for (int i = 1; i < bands->plan->inputs && (io->operand == NULL || io->gives_some); i++)
        HALO_TRY(operand_want(bands->plan->input[i].operand));
    HALO_TRY(prepare(&work, results));
    HALO_TRY(run_team(team, &work, &lost, &taken));
    if (clipped != NULL) *clipped = lost;
out:
    if (ms != NULL) *ms = taken;
    clean_up(&work, team.device);
    sequencer_close(&own);
    if (status != HALO_OK && results != NULL) halo_results_free(results);
    return status;
}

/* ---- one band -------------------------------------------------------------------------------------------- */

typedef struct OneBand {
    const HaloBuf *in;
    HaloBuf *out;
} OneBand;

static HaloStatus give_band(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    const OneBand *band = context;
    (void)k, (void)in, (void)out;
    *from = *band->in;
    *to = *band->out;
    return HALO_OK;
}

static HaloStatus keep_band(void *context, int64_t k)
{
    (void)context, (void)k;
    return HALO_OK;
}

HaloStatus execute_band_of(Device *host, const Bands *bands, int64_t k, const HaloBuf *in, HaloBuf *out)
{
    HaloStatus status = HALO_OK;
    OneBand band = {in, out};
    const BandIo io = {.context = &band, .begin = give_band, .end = keep_band};
    Work work = {.plan = plan_for(bands->plan, host->backend), .bands = *bands, .io = &io};
    Run run = {0};
    work.bands.plan = work.plan;
    HALO_TRY(prepare(&work, NULL));
    HALO_TRY(band_open(&run, host, &work));
    HALO_TRY(band_run(&run, k));
out:
    band_close(&run);
    clean_up(&work, host);
    return status;
}
