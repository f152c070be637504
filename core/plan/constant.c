/* Values that depend on a secondary input only, and so are the same for every input. A measurement of such a
 * value is made at planning time, so that no step has to wait for the whole input. */
#include <pthread.h>
#include <stdlib.h>

#include "file/operand.h"
#include "plan.h"
#include "primitive/primitive.h"

/* The secondary input that a value is; NULL: it is another value. */
static HaloOperand *operand_at(const HaloPlan *plan, HaloReg reg)
{
    for (int i = 1; i < plan->inputs; i++)
        if (plan->input[i].reg == reg) return plan->input[i].operand;
    return NULL;
}

/* The step before step `end` that makes a value; -1: none does. Liveness is not known while a plan is made. */
static int maker_of(const HaloPlan *plan, HaloReg reg, int end)
{
    while (--end >= 0 && plan->step[end].dst != reg) continue;
    return end;
}

bool constant_is(const HaloPlan *plan, HaloReg reg)
{
    const HaloOperand *operand;
    for (int end = plan->steps; (operand = operand_at(plan, reg)) == NULL;) {
        end = maker_of(plan, reg, end);
        if (end < 0 || plan->step[end].sources != 1 || plan->step[end].resolve != NULL) return false;
        reg = plan->step[end].src[0];
    }
    return !operand->array;
}

/* All of the value, in host memory; freed by the caller unless it is the secondary input itself. */
static HaloStatus make(HaloBuilder *builder, HaloReg reg, HaloBuf *value)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = builder->plan;
    const Device *host = &builder->session->host;
    HaloOperand *operand = operand_at(plan, reg);
    HaloBuf from = {0};
    *value = (HaloBuf){0};
    if (operand != NULL) {
        status = operand_want(operand);
        if (status == HALO_OK) *value = operand->data;
        return status;
    }
    const HaloStep *maker = &plan->step[maker_of(plan, reg, plan->steps)];
    HALO_TRY(make(builder, maker->src[0], &from));
    HALO_TRY(halo_buf_alloc(value, &plan->reg[reg]));
    HALO_TRY(
        primitive_of(maker)->run(host->backend, host->handle, maker, (const HaloBuf *const[]){&from}, value));
out:
    if (operand_at(plan, maker->src[0]) == NULL) halo_buf_free(&from);
    return status;
}

static HaloStatus measure(HaloBuilder *builder, const HaloStep *reduce, HaloStats *all)
{
    HaloStatus status = HALO_OK;
    Device *host = &builder->session->host;
    const Measure *how = primitive_of(reduce)->measure;
    const HaloReg reg = reduce->src[0];
    HaloBuf value = {0};
    Measured measured = {0};
    HaloResult result = {0};
    HALO_TRY(device_open(host, 0, builder->session->options.jobs));
    HALO_TRY(make(builder, reg, &value));
    HALO_TRY(how->add(host, reduce, &value, 0, &measured));
    HALO_TRY(how->conclude(host, reduce, (const HaloBuf *const[]){&value}, &measured, &result));
    *all = result.all;
out:
    measure_free(&measured);
    free(result.channel);
    if (operand_at(builder->plan, reg) == NULL) halo_buf_free(&value);
    return status;
}

/* A secondary input is measured once, on first use. */
HaloStatus constant_stats(HaloBuilder *builder, HaloStep *reduce, HaloResult *known)
{
    HaloStatus status = HALO_OK;
    HaloOperand *operand = operand_at(builder->plan, reduce->src[0]);
    *known = (HaloResult){.type = HALO_RESULT_STATS, .shape = builder->plan->reg[reduce->src[0]]};
    reduce->result = -1;
    if (operand == NULL) return measure(builder, reduce, &known->all);
    pthread_mutex_lock(&operand->measuring);
    if (!operand->measured) status = measure(builder, reduce, &operand->stats);
    operand->measured = status == HALO_OK;
    known->all = operand->stats;
    pthread_mutex_unlock(&operand->measuring);
    return status;
}
