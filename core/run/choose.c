/* Chooses where and how a plan runs. `auto` decides by predicted time before it touches a GPU, and falls back
 * to the CPU if the GPU cannot be opened or lacks memory; with `--device gpu` that is an error. */
#include <stdio.h>

#include "gpus.h"
#include "plan/cost.h"
#include "primitive/primitive.h"
#include "run.h"

static bool needs_doubles(const HaloSession *session, const HaloPlan *plan, int step)
{
    return !session->gpu->backend->doubles && primitive_is_double(&plan->step[step], plan->reg);
}

const HaloStep *choose_not_offered(const HaloSession *session, const HaloPlan *plan)
{
    if (session->gpu->backend == NULL) return NULL;
    for (int i = 0; i < plan->steps; i++) {
        const Primitive *primitive = primitive_of(&plan->step[i]);
        if (primitive->offered != NULL && !primitive->offered(session->gpu->backend)) return &plan->step[i];
        if (needs_doubles(session, plan, i)) return &plan->step[i];
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
             bands_possible_on(device->backend, plan) ? "" : ", since this cannot run in bands,",
             memory_text(memory, there), share > 1 ? " for each file at work" : "");
    return false;
}

/* ---- deciding, without touching a device ----------------------------------------------------------------- */

/* While the GPU starts, files of a batch run on the CPU, unless that takes longer than waiting and the GPU
 * together. */
static bool gpu_starts(const HaloSession *session, const HaloPlan *plan, const Choice *choice)
{
    const HaloBackend *gpu = session->gpu->backend;
    return session->options.share >= 2 && session->gpu->handle == NULL && gpu->started != NULL &&
           !session->gpu_refused && !gpu->started(session->options.gpu) &&
           choice->host_seconds <= cost_gpu_awaited_seconds(plan, gpu, &session->options);
}

/* Why `auto` does not consider a GPU; NULL: it does. */
static const char *only_host(const HaloPlan *plan, const RunLimits *limits)
{
    if (limits->in_bands && plan->reg[plan->input[0].reg].width == PLAN_ENDLESS)
        return "sound of unknown length is streamed on the CPU";
    if (limits->in_bands && limits->live) return "low-latency streaming runs on the CPU";
    if (limits->in_bands && limits->by_rows) return "regions of a large picture are found row by row";
    if (limits->host_only) return "the GPU failed";
    return NULL;
}

/* Is the CPU faster, or will be until the GPU has started? */
static bool host_pays(const HaloSession *session, const HaloPlan *plan, Choice *choice)
{
    if (session->gpu->backend == NULL) {
        choice->host_seconds = cost_host_seconds(plan, session->host.backend, session->options.jobs);
        snprintf(choice->why, sizeof choice->why, "this build has no CUDA backend");
        return true;
    }
    if (!gpu_pays(session, plan, choice)) return true;
    if (!gpu_starts(session, plan, choice)) return false;
    snprintf(choice->why, sizeof choice->why, "the GPU is starting");
    return true;
}

/* A GPU, or the CPU and why. */
static bool wants_gpu(const HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice)
{
    const HaloDeviceChoice device = session->options.device;
    const HaloStep *missing = choose_not_offered(session, plan);
    const char *why = device == HALO_DEVICE_AUTO  ? only_host(plan, limits)
                      : device == HALO_DEVICE_CPU ? "requested"
                                                  : NULL;
    if (why != NULL) {
        snprintf(choice->why, sizeof choice->why, "%s", why);
        return false;
    }
    if (missing != NULL) {
        const bool doubles = needs_doubles(session, plan, (int)(missing - plan->step));
        snprintf(choice->no_gpu, sizeof choice->no_gpu, "%s has no GPU code%s", missing->op,
                 doubles ? " for samples of 64 bits" : "");
        snprintf(choice->why, sizeof choice->why, "%s", choice->no_gpu);
        choice->fell_back = gpu_demanded(&session->options);
        return false;
    }
    if (gpu_demanded(&session->options)) return true;
    if (host_pays(session, plan, choice)) return false;
    if (session->gpu_refused)
        snprintf(choice->why, sizeof choice->why, "no GPU available: %s", session->gpu_reason);
    return !session->gpu_refused;
}

/* ---- opening GPUs ---------------------------------------------------------------------------------------- */

static HaloStatus open_gpus(HaloSession *session, int count, const RunLimits *limits)
{
    const bool starts = limits->starting != NULL && session->gpu->handle == NULL;
    if (starts) limits->starting(limits->context, true);
    const HaloStatus status = gpus_open(session, count);
    if (starts) limits->starting(limits->context, false);
    return status;
}

/* Several GPUs if that is fastest and they have the memory; else one. */
static HaloStatus take_demanded(HaloSession *session, const HaloPlan *plan, const RunLimits *limits,
                                Choice *choice)
{
    HaloStatus status = HALO_OK;
    char why[160];
    choice->team = (Team){session->gpu, gpus_for(session, plan, choice->why, sizeof choice->why)};
    HALO_TRY(open_gpus(session, choice->team.count, limits));
    if (gpus_hold(session, choice->team, plan, why, sizeof why)) return HALO_OK;
    if (choice->team.count > 1) snprintf(choice->why, sizeof choice->why, "requested; one GPU: %s", why);
    choice->team.count = 1;
    if (!gpus_hold(session, choice->team, plan, why, sizeof why))
        HALO_FAIL(HALO_ERR_LIMIT, "%s; --device=cpu or auto uses the CPU", why);
out:
    return status;
}

/* Can all of the input be in memory at once, beside what the plan takes? */
static bool whole_fits(const HaloSession *session, const Device *device, const HaloPlan *plan)
{
    int64_t in;
    const int64_t left = halo_memory_left(&session->memory);
    const int64_t beside = scratch_beside(device, plan, bands_choose(plan, &session->options));
    return halo_shape_bytes(&plan->reg[plan->input[0].reg], &in) == HALO_OK && in <= left && beside >= 0 &&
           beside <= left - in;
}

/* Can it run in bands on a GPU? If the GPU fails, `auto` runs the file again, so input and output have to allow
 * that. */
static bool gpu_in_bands(const HaloSession *session, const HaloPlan *plan, const RunLimits *limits)
{
    return limits->in_bands && bands_possible_on(session->gpu->backend, plan) &&
           (gpu_demanded(&session->options) || limits->repeatable);
}

/* For `auto`: one GPU, if it can be opened and holds the plan. */
static void take_gpu(HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice)
{
    const Team team = {session->gpu, 1};
    if (open_gpus(session, 1, limits) != HALO_OK) {
        snprintf(session->gpu_reason, sizeof session->gpu_reason, "%s", halo_error());
        session->gpu_is_there = session->gpu->backend->count() > 0;
        session->gpu_refused = true;
        snprintf(choice->why, sizeof choice->why, "no GPU available: %s", session->gpu_reason);
    } else if (!gpus_hold(session, team, plan, choice->no_gpu, sizeof choice->no_gpu)) {
        snprintf(choice->why, sizeof choice->why, "%s", choice->no_gpu);
    } else if (limits->in_bands && !gpu_in_bands(session, plan, limits) &&
               !whole_fits(session, team.device, plan)) {
        snprintf(choice->why, sizeof choice->why,
                 "a GPU would need all of it at once, which does not fit the memory");
    } else {
        choice->team = team;
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

HaloStatus choose(HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice)
{
    HaloStatus status = HALO_OK;
    *choice = (Choice){.team = {&session->host, 1}};
    if (wants_gpu(session, plan, limits, choice)) {
        if (gpu_demanded(&session->options))
            HALO_TRY(take_demanded(session, plan, limits, choice));
        else
            take_gpu(session, plan, limits, choice);
    }
    const bool on_host = choice->team.device == &session->host;
    if (limits->in_bands && (on_host || gpu_in_bands(session, plan, limits)))
        choice->mode = on_host && limits->live ? RUN_LIVE : limits->keeps_output ? RUN_KEEPING : RUN_IN_BANDS;
    if (on_host) HALO_TRY(device_open(&session->host, 0, session->options.jobs));
out:
    return status;
}

static void say_fallback(HaloReport *report, bool fell_back, const char *why)
{
    report->fell_back = fell_back;
    snprintf(report->why, sizeof report->why, "%s", why);
}

void choose_report(const HaloSession *session, const Choice *choice, HaloReport *report)
{
    const bool failed = report->why[0] != 0; /* a GPU did, while it ran */
    if (choice->no_gpu[0] != 0 && (!failed || choice->fell_back)) {
        say_fallback(report, choice->fell_back, choice->no_gpu);
        return;
    }
    if (session->gpu_refused && (!failed || session->gpu_is_there))
        say_fallback(report, session->gpu_is_there, session->gpu_reason);
}
