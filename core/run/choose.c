/* Chooses where a plan runs. `auto` decides by predicted time before it touches a GPU, and falls back to the
 * CPU if the GPU cannot be opened, lacks memory, or fails; with `--device gpu` that is an error. */
#include <stdio.h>

#include "gpus.h"
#include "plan/cost.h"
#include "primitive/primitive.h"
#include "run.h"

/* The first step without GPU code; NULL: all have it. */
static const HaloStep *not_offered(const HaloSession *session, const HaloPlan *plan)
{
    if (session->gpu->backend == NULL) return NULL;
    for (int i = 0; i < plan->steps; i++) {
        const Primitive *primitive = primitive_of(&plan->step[i]);
        if (primitive->offered != NULL && !primitive->offered(session->gpu->backend)) return &plan->step[i];
    }
    return NULL;
}

/* Would the GPU be faster? Fills in the predictions. */
static bool gpu_pays(const HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    choice->host_seconds = cost_host_seconds(plan, session->host.backend, session->options.jobs);
    choice->gpu_seconds =
        cost_gpu_seconds(plan, session->gpu->backend, 1, session->gpu->handle != NULL, &session->options);
    const bool pays = choice->gpu_seconds < choice->host_seconds;
    int used =
        halo_snprintf(choice->why, sizeof choice->why, "predicted: %.3g ms on the CPU, %.3g ms on a GPU%s",
                      choice->host_seconds * 1e3, choice->gpu_seconds * 1e3,
                      session->gpu->handle == NULL ? " including its start" : "");
    if (plan->files.read + plan->files.write > 0 && used > 0)
        halo_snprintf(choice->why + used, sizeof choice->why - (size_t)used,
                      "; %.3g ms of reading%s, %.3g of writing", plan->files.read * 1e3,
                      plan->files.flows ? " at the same time" : "", plan->files.write * 1e3);
    return pays;
}

/* Can each of the GPUs hold the plan, in bands if need be? Else `why` not. Where it does not know its memory,
 * yes. */
static bool gpus_hold(const HaloSession *session, Team team, const HaloPlan *plan, char *why, size_t size)
{
    const Device *device = team.device;
    const int share = session->options.share;
    const int64_t memory = team_memory(team, share);
    const int64_t band = bands_for_team(team, plan, session->options.band_rows, memory);
    const int64_t needed = bands_whole_memory(device, plan, band, true);
    char need[32], there[32];
    if (memory <= 0 || needed <= memory) return true;
    snprintf(why, size, "%s of the GPU's memory are needed%s and %s may be used%s", memory_text(needed, need),
             bands_possible(plan) ? "" : ", since this cannot run in bands,", memory_text(memory, there),
             share > 1 ? " for each file at work" : "");
    return false;
}

/* An open GPU; `auto` uses it if the plan fits its memory. */
static bool take_gpu(HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    const Team team = {session->gpu, 1};
    if (!gpus_hold(session, team, plan, session->too_large, sizeof session->too_large)) {
        snprintf(choice->why, sizeof choice->why, "%s", session->too_large);
        return false;
    }
    choice->team = team;
    return true;
}

/* Several GPUs if that is fastest and they have the memory; else one. */
static HaloStatus demand_gpus(HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    HaloStatus status = HALO_OK;
    char why[160];
    choice->team = (Team){session->gpu, gpus_for(session, plan, choice->why, sizeof choice->why)};
    HALO_TRY(gpus_open(session, choice->team.count));
    if (gpus_hold(session, choice->team, plan, why, sizeof why)) return HALO_OK;
    if (choice->team.count > 1) snprintf(choice->why, sizeof choice->why, "requested; one GPU: %s", why);
    choice->team.count = 1;
    if (!gpus_hold(session, choice->team, plan, why, sizeof why))
        HALO_FAIL(HALO_ERR_LIMIT, "%s; --device cpu or auto uses the CPU", why);
out:
    return status;
}

/* While the GPU starts, files of a batch run on the CPU, unless that takes longer than waiting and the GPU
 * together. */
static bool gpu_starts(const HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    const HaloBackend *gpu = session->gpu->backend;
    if (session->options.share < 2 || session->gpu->handle != NULL || gpu->started == NULL ||
        session->gpu_refused || gpu->started(session->options.gpu) ||
        choice->host_seconds > cost_gpu_awaited_seconds(plan, gpu, &session->options))
        return false;
    snprintf(choice->why, sizeof choice->why, "the GPU is starting");
    return true;
}

bool choose_starts_gpu(const HaloSession *session, const HaloPlan *plan)
{
    Choice choice;
    if (session->gpu->backend == NULL || session->gpu->handle != NULL || session->gpu_refused ||
        session->on_host || not_offered(session, plan) != NULL)
        return false;
    return gpu_demanded(&session->options) ||
           (session->options.device == HALO_DEVICE_AUTO && gpu_pays(session, plan, &choice));
}

HaloStatus choose_device(HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    const HaloStep *only_here = not_offered(session, plan);
    *choice = (Choice){.team = {&session->host, 1}};
    session->too_large[0] = session->not_there[0] = 0;
    if (only_here != NULL && session->options.device != HALO_DEVICE_CPU) {
        snprintf(session->not_there, sizeof session->not_there, "%s has no GPU code", only_here->op);
        snprintf(choice->why, sizeof choice->why, "%s", session->not_there);
        return device_open(&session->host, 0, session->options.jobs);
    }
    if (gpu_demanded(&session->options)) return demand_gpus(session, plan, choice);
    if (session->options.device == HALO_DEVICE_CPU) {
        snprintf(choice->why, sizeof choice->why, "requested");
    } else if (session->on_host) {
        snprintf(choice->why, sizeof choice->why, "the GPU failed");
    } else if (session->gpu->backend == NULL) {
        choice->host_seconds = cost_host_seconds(plan, session->host.backend, session->options.jobs);
        snprintf(choice->why, sizeof choice->why, "this build has no CUDA backend");
    } else if (gpu_pays(session, plan, choice) && !gpu_starts(session, plan, choice)) {
        if (!session->gpu_refused && gpus_open(session, 1) == HALO_OK) {
            if (take_gpu(session, plan, choice)) return HALO_OK;
        } else if (!session->gpu_refused) {
            snprintf(session->gpu_reason, sizeof session->gpu_reason, "%s", halo_error());
            session->gpu_is_there = session->gpu->backend->count() > 0;
            session->gpu_refused = true;
        }
        if (session->gpu_refused)
            snprintf(choice->why, sizeof choice->why, "no GPU available: %s", session->gpu_reason);
    }
    return device_open(&session->host, 0, session->options.jobs);
}

static void say_fallback(HaloReport *report, bool fell_back, const char *why)
{
    report->fell_back = fell_back;
    snprintf(report->why, sizeof report->why, "%s", why);
}

void choose_report(const HaloSession *session, HaloReport *report)
{
    if (session->not_there[0] != 0) {
        say_fallback(report, gpu_demanded(&session->options), session->not_there);
        return;
    }
    if (session->too_large[0] != 0 && report->why[0] == 0) say_fallback(report, false, session->too_large);
    if (!session->gpu_refused || (report->why[0] != 0 && !session->gpu_is_there)) return;
    say_fallback(report, session->gpu_is_there, session->gpu_reason);
}

/* Holds the host memory that a plan needs beside its input on this device; *held: the bytes already held for
 * it.
 */
static HaloStatus hold_for(HaloSession *session, Device *device, const HaloPlan *plan, int64_t *held)
{
    HaloStatus status = HALO_OK;
    const int64_t band = bands_choose(plan, &session->options);
    const int64_t beside = scratch_beside(device, plan, band);
    HALO_TRY(halo_memory_hold(&session->memory, beside < 0 ? beside : larger(beside - *held, 0)));
    *held = larger(*held, beside);
    const Bands bands = bands_cut(plan, band);
    if (device == &session->host) device->limit = larger(bands_memory(&bands, false), 1);
out:
    return status;
}

static HaloStatus verify(HaloSession *session, const Device *done, const HaloPlan *plan, const HaloBuf *in,
                         const HaloBuf *out, const HaloResults *results)
{
    HaloStatus status = HALO_OK;
    int64_t held = 0;
    Device *other = done == &session->host ? session->gpu : &session->host;
    const HaloStep *only_here = not_offered(session, plan);
    if (only_here != NULL)
        HALO_FAIL(HALO_ERR_USAGE, "--verify compares two devices, and %s has no GPU code", only_here->op);
    status = other == session->gpu ? gpus_open(session, 1) : device_open(other, 0, session->options.jobs);
    if (status != HALO_OK) halo_fail_at(status, "--verify needs both backends");
    HALO_TRY(status);
    HALO_TRY(hold_for(session, other, plan, &held));
    HALO_TRY(verify_on(other, plan, &session->options, in, out, results));
out:
    halo_memory_release(&session->memory, held);
    return status;
}

HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                    HaloResults *results, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    Choice choice;
    int64_t held = 0, kept;
    if (out != NULL) *out = (HaloBuf){0};
    if (results != NULL) *results = (HaloResults){0};
    HALO_TRY(choose_device(session, plan, &choice));
    HALO_TRY(hold_for(session, choice.team.device, plan, &held));
    status = execute_on(choice.team, plan, &session->options, in, out, results, &report->clipped, &report->ms);
    if (status == HALO_ERR_DEVICE && session->options.device == HALO_DEVICE_AUTO) {
        say_fallback(report, true, halo_error());
        HALO_TRY(device_open(&session->host, 0, session->options.jobs));
        choice.team = (Team){&session->host, 1};
        HALO_TRY(hold_for(session, choice.team.device, plan, &held));
        status =
            execute_on(choice.team, plan, &session->options, in, out, results, &report->clipped, &report->ms);
    }
    HALO_TRY(status);
    if (session->options.verify) HALO_TRY(verify(session, choice.team.device, plan, in, out, results));
    report->backend = choice.team.device->backend->name;
    team_describe(choice.team, report->device, sizeof report->device);
    if (out != NULL && out->data != NULL && halo_shape_bytes(&out->shape, &kept) == HALO_OK) held -= kept;
out:
    halo_memory_release(&session->memory, held);
    if (status != HALO_OK) {
        halo_buf_free(out);
        if (results != NULL) halo_results_free(results);
    }
    return status;
}

HaloStatus halo_plan_run(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                         HaloResults *results, uint64_t *clipped)
{
    HaloReport report = {0};
    HaloStatus status = HALO_OK;
    int64_t bytes;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_shape_bytes(&in->shape, &bytes));
    HALO_TRY(halo_memory_hold(&session->memory, bytes));
    status = run_plan(session, plan, in, out, results, &report);
out:
    atomic_store(&session->memory.held, 0); /* what is kept is the caller's */
    if (clipped != NULL) *clipped = report.clipped;
    return status;
}
