/* `--explain`: what a plan will do, where and how; explain_print.c prints it. */
#include <stdio.h>
#include <stdlib.h>

#include "base/operand.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "primitive/primitive.h"
#include "run.h"

/* ---- the plan ------------------------------------------------------------------------------------------- */

static HaloStatus explain_steps(const HaloPlan *plan, const HaloBackend *backend, HaloExplanation *explanation)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg];
    const double part = shape_is_endless(in) ? in->rate / (double)PLAN_ENDLESS : 1.0;
    explanation->step = calloc((size_t)plan->steps + 1, sizeof *explanation->step);
    if (explanation->step == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (; explanation->steps < plan->steps; explanation->steps++) {
        const HaloStep *step = &plan->step[explanation->steps];
        HaloExplainedStep *to = &explanation->step[explanation->steps];
        CostStep settled;
        cost_settle(step, backend, &settled);
        *to = (HaloExplainedStep){.sources = step->sources,
                                  .dst = step->dst,
                                  .dtype = plan->reg[step->dst >= 0 ? step->dst : step->src[0]].dtype,
                                  .bytes = cost_step_bytes(plan, step) * part,
                                  .flops = cost_step_flops(plan, step, backend) * part,
                                  .exact = !settled.step.approximate};
        halo_snprintf(to->op, sizeof to->op, "%s", step->op); /* it may be the plan's, which goes first */
        for (int k = 0; k < step->sources; k++) to->src[k] = step->src[k];
        primitive_of(step)->describe(&settled.step, in->kind == HALO_AUDIO, to->exact, to->method,
                                     sizeof to->method);
    }
    return HALO_OK;
}

static HaloStatus explain_operands(const HaloPlan *plan, HaloExplanation *explanation)
{
    explanation->operand = calloc((size_t)plan->inputs, sizeof *explanation->operand);
    if (explanation->operand == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 1; i < plan->inputs; i++) {
        HaloExplainedOperand *to = &explanation->operand[explanation->operands++];
        to->value = plan->input[i].reg;
        to->shape = plan->reg[to->value];
        snprintf(to->path, sizeof to->path, "%s", plan->input[i].operand->path);
    }
    return HALO_OK;
}

/* ---- where, and how much at a time ---------------------------------------------------------------------- */

static int64_t band_of(const HaloSession *session, const HaloPlan *plan, Team team, RunMode mode)
{
    const HaloOptions *options = &session->options;
    const int64_t left = halo_memory_left(&session->memory);
    return mode == RUN_LIVE    ? bands_for_pipe(team, plan, options, left)
           : mode == RUN_WHOLE ? execute_band(team, plan, options)
                               : bands_for_flow(team, plan, options, mode == RUN_SEEKING, left);
}

static HaloStatus explain_bands(const HaloSession *session, const HaloPlan *plan, const Choice *choice,
                                HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    const Team team = choice->team;
    const RunMode mode = choice->mode;
    const Device *device = team.device;
    const HaloShape *in = &plan->reg[plan->input[0].reg];
    const int64_t length = rows_length(&plan->reg[plan->output]), band = band_of(session, plan, team, mode);
    const double ms = mode == RUN_LIVE ? 1000.0 / in->rate : 0.0;
    int64_t bytes = 0, kept = 0, ahead = 0;
    explanation->on_host = device == &session->host;
    explanation->flows = mode != RUN_WHOLE;
    explanation->keeps = mode == RUN_KEEPING;
    if (explanation->keeps) HALO_TRY(halo_shape_bytes(&plan->reg[plan->output], &kept));
    explanation->band = band;
    explanation->bands = shape_is_endless(in) ? -1 : (length + band - 1) / band;
    explanation->devices = team.count;
    explanation->between = (double)bands_whole_memory(device, plan, band, false);
    if (!explanation->on_host) {
        explanation->memory = (double)bands_whole_memory(device, plan, band, true);
    } else if (explanation->flows) {
        explanation->memory = (double)bands_flow_memory(team, plan, band, mode == RUN_SEEKING) + (double)kept;
    } else {
        HALO_TRY(halo_shape_bytes(in, &bytes));
        explanation->memory = (double)bytes + (double)scratch_beside(device, plan, band);
    }
    if (mode == RUN_LIVE) HALO_TRY(bands_ahead(plan, band, &ahead));
    if (mode == RUN_LIVE) explanation->block_ms = (double)band * 1000.0 / plan->reg[plan->output].rate;
    explanation->ahead_ms = (double)ahead * ms;
out:
    return status;
}

HaloStatus explain_plan(const HaloSession *session, const HaloPlan *plan, const Choice *choice,
                        HaloExplanation *explanation)
{
    HaloStatus status = HALO_OK;
    const HaloBackend *backend = choice->team.device != NULL ? choice->team.device->backend : NULL;
    *explanation = (HaloExplanation){.in = plan->input[0].reg,
                                     .out = plan->output,
                                     .input = plan->whole,
                                     .shrunk = plan->shrunk,
                                     .output = plan->reg[plan->output],
                                     .wants_output = plan->wants_output,
                                     .fast = session->options.precision == HALO_PRECISION_FAST};
    if (shape_is_endless(&explanation->input)) explanation->input.width = -1;
    if (shape_is_endless(&explanation->output)) explanation->output.width = -1;
    snprintf(explanation->why, sizeof explanation->why, "%s", choice->why);
    if (backend != NULL) explanation->backend = backend->name;
    if (backend != NULL && backend->variant != NULL) explanation->variant = backend->variant();
    HALO_TRY(explain_operands(plan, explanation));
    HALO_TRY(explain_steps(plan_for(plan, backend), backend, explanation));
    if (choice->team.device != NULL) HALO_TRY(explain_bands(session, plan, choice, explanation));
out:
    if (status != HALO_OK) halo_explanation_free(explanation);
    return status;
}

/* A missing device is not an error here: it is explained. */
void explain_choice(HaloSession *session, const HaloPlan *plan, const RunLimits *limits, Choice *choice)
{
    if (choose(session, plan, limits, choice) == HALO_OK) return;
    *choice = (Choice){0};
    snprintf(choice->why, sizeof choice->why, "%s", halo_error());
}

void halo_plan_print(HaloSession *session, const HaloPlan *plan, FILE *to)
{
    Choice choice;
    HaloExplanation explanation;
    explain_choice(session, plan, &(RunLimits){0}, &choice);
    if (explain_plan(session, plan, &choice, &explanation) == HALO_OK)
        halo_explanation_print(&explanation, to);
    else
        fprintf(to, "%s\n", halo_error());
    halo_explanation_free(&explanation);
}

void halo_explanation_free(HaloExplanation *explanation)
{
    free(explanation->operand);
    free(explanation->step);
    *explanation = (HaloExplanation){0};
}
