/* Runs a plan from memory to memory, where `choose` says; on the CPU if a GPU fails and `auto` allows it. */
#include <stdio.h>

#include "gpus.h"
#include "run.h"

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
    const Bands bands = bands_cut_on(device->backend, plan, band);
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
    const HaloStep *only_here = choose_not_offered(session, plan);
    if (only_here != NULL)
        HALO_FAIL(HALO_ERR_USAGE, "--verify compares two devices, and %s has no GPU code", only_here->op);
    status = other == session->gpu ? gpus_open(session, 1) : device_open(other, 0, session->options.jobs);
    if (status != HALO_OK) halo_fail_at(status, "--verify needs both the CPU and the CUDA backend");
    HALO_TRY(status);
    HALO_TRY(hold_for(session, other, plan, &held));
    HALO_TRY(verify_on(other, plan, &session->options, in, out, results));
out:
    halo_memory_release(&session->memory, held);
    return status;
}

HaloStatus run_with_fallback(const HaloSession *session, RunAttempt *attempt, void *context, HaloReport *report)
{
    char why[sizeof report->why];
    HaloStatus status = attempt(context, false);
    if (status != HALO_ERR_DEVICE || session->options.device != HALO_DEVICE_AUTO) return status;
    snprintf(why, sizeof why, "%s", halo_error());
    status = attempt(context, true);
    report->fell_back = true;
    snprintf(report->why, sizeof report->why, "%s", why);
    return status;
}

typedef struct PlanRun {
    HaloSession *session;
    const HaloPlan *plan;
    Choice choice;
    bool chosen;
    WholeRun whole;
    HaloBuf *made; /* where the output is allocated; NULL: it goes to whole.out */
    HaloResults *results;
    HaloReport *report;
    int64_t held;
} PlanRun;

static HaloStatus attempt_plan(void *context, bool host_only)
{
    HaloStatus status = HALO_OK;
    PlanRun *run = context;
    HaloSession *session = run->session;
    if (host_only || !run->chosen)
        HALO_TRY(choose(session, run->plan, &(RunLimits){.host_only = host_only}, &run->choice));
    HALO_TRY(hold_for(session, run->choice.team.device, run->plan, &run->held));
    const Team team = run->choice.team;
    if (run->made != NULL)
        return execute_on(team, run->plan, &session->options, run->whole.in, run->made, run->results,
                          &run->report->clipped, &run->report->ms);
    status = execute_whole(team, run->plan, execute_band(team, run->plan, &session->options), &run->whole,
                           run->results, &run->report->clipped, &run->report->ms);
out:
    return status;
}

HaloStatus run_plan(HaloSession *session, const HaloPlan *plan, const Choice *choice, const HaloBuf *in,
                    HaloBuf *out, HaloResults *results, HaloReport *report)
{
    HaloStatus status = HALO_OK;
    int64_t kept;
    PlanRun run = {.session = session,
                   .plan = plan,
                   .chosen = choice != NULL,
                   .whole = {.in = in},
                   .made = out,
                   .results = results,
                   .report = report};
    if (choice != NULL) run.choice = *choice;
    if (out != NULL) *out = (HaloBuf){0};
    if (results != NULL) *results = (HaloResults){0};
    HALO_TRY(run_with_fallback(session, attempt_plan, &run, report));
    const Device *device = run.choice.team.device;
    if (session->options.verify) HALO_TRY(verify(session, device, plan, in, out, results));
    report->backend = device->backend->name;
    team_describe(run.choice.team, report->device, sizeof report->device);
    if (out != NULL && out->data != NULL && halo_shape_bytes(&out->shape, &kept) == HALO_OK) run.held -= kept;
out:
    halo_memory_release(&session->memory, run.held);
    if (status != HALO_OK) {
        halo_buf_free(out);
        if (results != NULL) halo_results_free(results);
    }
    return status;
}

HaloStatus run_plan_into(HaloSession *session, const HaloPlan *plan, const WholeRun *whole,
                         HaloResults *results, HaloReport *report)
{
    PlanRun run = {.session = session, .plan = plan, .whole = *whole, .results = results, .report = report};
    const HaloStatus status = run_with_fallback(session, attempt_plan, &run, report);
    if (status == HALO_OK) report->backend = run.choice.team.device->backend->name;
    if (status == HALO_OK) team_describe(run.choice.team, report->device, sizeof report->device);
    halo_memory_release(&session->memory, run.held);
    return status;
}

HaloStatus halo_plan_execute(HaloSession *session, const HaloPlan *plan, const HaloBuf *in, HaloBuf *out,
                             HaloResults *results, uint64_t *clipped)
{
    HaloReport report = {0};
    HaloStatus status = HALO_OK;
    int64_t bytes;
    atomic_store(&session->memory.held, 0);
    HALO_TRY(halo_shape_bytes(&in->shape, &bytes));
    HALO_TRY(halo_memory_hold(&session->memory, bytes));
    status = run_plan(session, plan, NULL, in, out, results, &report);
out:
    atomic_store(&session->memory.held, 0); /* what is kept is the caller's */
    if (clipped != NULL) *clipped = report.clipped;
    return status;
}
