/* Liveness of values. One step at most makes a value, so one pass over the steps finds all of it. */
#include "liveness.h"

#include <stdlib.h>

#include "strips.h"

HaloStatus liveness_find(HaloPlan *plan)
{
    HaloLiveness *live = realloc(plan->live, sizeof *live * (size_t)plan->regs);
    if (live == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    plan->live = live;
    for (int r = 0; r < plan->regs; r++) live[r] = (HaloLiveness){-1, -1, r == plan->output};
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        if (step->dst >= 0) live[step->dst].maker = i;
        for (int k = 0; k < step->sources; k++) {
            live[step->src[k]].reader = i;
            live[step->src[k]].reads++;
        }
    }
    return HALO_OK;
}

bool liveness_read_after(const HaloPlan *plan, HaloReg reg, int at)
{
    return plan->live[reg].reader > at || (reg == plan->output && plan->wants_output);
}

/* Is step `at` the last that uses the value? The output stays alive. */
static bool ends_at(const HaloPlan *plan, HaloReg reg, int at)
{
    const HaloLiveness *live = &plan->live[reg];
    return reg != plan->output && larger(live->maker, live->reader) == at;
}

/* Bytes of the values that are not needed behind step `at`. */
static int64_t ended(const HaloPlan *plan, int at, const int64_t *bytes)
{
    const HaloStep *step = &plan->step[at];
    int64_t sum = step->dst >= 0 && ends_at(plan, step->dst, at) ? bytes[step->dst] : 0;
    for (int k = 0; k < step->sources; k++) {
        bool again = false;
        for (int before = 0; before < k; before++) again = again || step->src[before] == step->src[k];
        if (!again && ends_at(plan, step->src[k], at)) sum += bytes[step->src[k]];
    }
    return sum;
}

int64_t liveness_most(const Bands *bands, const int64_t *bytes)
{
    const HaloPlan *plan = bands->plan;
    int64_t held = 0, most = 0;
    for (int i = 0; i < plan->inputs; i++)
        if (plan->live[plan->input[i].reg].reads > 0) held += bytes[plan->input[i].reg];
    for (int i = 0, end; i < plan->steps; i = end) {
        StripRun strips;
        end = bands_strips_at(bands, i, &strips) ? strips.end : i + 1;
        for (int k = i; k < end; k++)
            if (plan->step[k].dst >= 0) held += bytes[plan->step[k].dst];
        most = larger(most, held);
        for (int k = i; k < end; k++) held -= ended(plan, k, bytes);
    }
    return most;
}
