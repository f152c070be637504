#include "flow_operands.h"

#include <stdlib.h>
#include <string.h>

#include "file/file.h"
#include "plan/plan.h"

/* Does the output begin with the end of a secondary input? Then only a reader that can seek reads it in step.
 */
static bool goes_back(const HaloPlan *plan, HaloReg reg, const Part *first, const Part *last)
{
    const Rows begin = needs_rows(&plan->reg[reg], first[reg]), end = needs_rows(&plan->reg[reg], last[reg]);
    return begin.from < begin.to && end.from < end.to && end.from < begin.from;
}

static HaloStatus named(const HaloPlan *plan, int at, HaloStatus status)
{
    return status == HALO_OK ? status : halo_fail_about(status, plan->input[at].operand->path);
}

/* `first`, `last`: what is needed for the first row of the output, and for its last. */
static HaloStatus open_operand(FlowOperands *operands, int at, const Part *first, const Part *last)
{
    HaloStatus status = HALO_OK;
    FlowOperand *operand = &operands->operand[at];
    HaloOperand *file = operands->plan->input[at].operand;
    const bool back = goes_back(operands->plan, operands->plan->input[at].reg, first, last);
    bool seeks = false;
    HALO_TRY(operand_open(file, &operand->reader));
    if (back) HALO_TRY(named(operands->plan, at, load_seek(&operand->reader.reader, 0, &seeks)));
    if (!back || seeks) return HALO_OK;
    operand_close(&operand->reader);
    HALO_TRY(operand_want(file));
out:
    return status;
}

HaloStatus flow_operands_open(FlowOperands *operands, const Bands *bands)
{
    HaloStatus status = HALO_OK;
    const HaloPlan *plan = bands->plan;
    const int64_t made = rows_length(&plan->reg[plan->output]);
    Part *first = needs_new(plan), *last = needs_new(plan);
    *operands =
        (FlowOperands){.plan = plan, .operand = calloc((size_t)plan->inputs, sizeof *operands->operand)};
    if (operands->operand == NULL || first == NULL || last == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    needs_of(bands, (Rows){0, 1}, first);
    needs_of(bands, (Rows){made - 1, made}, last);
    for (int i = 1; i < plan->inputs; i++)
        if (!atomic_load(&plan->input[i].operand->there)) HALO_TRY(open_operand(operands, i, first, last));
out:
    free(first);
    free(last);
    return status;
}

void flow_operands_close(FlowOperands *operands)
{
    for (int i = 1; operands->operand != NULL && i < operands->plan->inputs; i++) {
        FlowOperand *operand = &operands->operand[i];
        if (operand->reader.source != NULL) operand_close(&operand->reader);
        free(operand->rows.data);
    }
    free(operands->operand);
    operands->operand = NULL;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

/* Grows the buffer, keeping its rows. */
static HaloStatus ensure_capacity(FlowOperand *operand, const HaloShape *shape, int64_t rows)
{
    if (rows <= operand->capacity) return HALO_OK;
    const int64_t frame = shape->channels * (int64_t)halo_dtype_size(shape->dtype);
    void *grown = realloc(operand->rows.data, (size_t)(rows * frame));
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for samples of a second input");
    operand->rows.shape = *shape;
    operand->rows.rows = 1;
    operand->rows.data = grown;
    operand->rows.stride = rows * frame;
    operand->capacity = rows;
    return HALO_OK;
}

/* Moves forward or backward. A reader that cannot seek backward starts again at the beginning. */
static HaloStatus go_to(FlowOperand *operand, const HaloOperand *file, int64_t to)
{
    HaloStatus status = HALO_OK;
    bool gone;
    if (to == operand->next) return HALO_OK;
    HALO_TRY(load_seek(&operand->reader.reader, to, &gone));
    if (!gone && to < operand->next) {
        operand_close(&operand->reader);
        operand->next = 0;
        HALO_TRY(operand_open(file, &operand->reader));
    }
    if (!gone) HALO_TRY(load_skip(&operand->reader.reader, to - operand->next));
    operand->next = to;
out:
    return status;
}

/* Keeps the rows in memory that are needed again. */
static HaloStatus read_rows(FlowOperand *operand, const HaloOperand *file, Rows wanted)
{
    HaloStatus status = HALO_OK;
    const Rows there = rows_in(&operand->rows);
    int64_t have = wanted.from, got = 1;
    HALO_TRY(ensure_capacity(operand, &file->data.shape, wanted.to - wanted.from));
    if (wanted.from >= there.from && wanted.from < there.to) {
        const HaloBuf kept = rows_of(&operand->rows, (Rows){wanted.from, smaller(there.to, wanted.to)});
        memmove(operand->rows.data, kept.data, (size_t)halo_row_bytes(&kept));
        have = smaller(there.to, wanted.to);
    }
    set_rows(&operand->rows, wanted);
    HALO_TRY(go_to(operand, file, have));
    for (; have < wanted.to && got > 0; have += got) {
        HaloBuf rest = rows_of(&operand->rows, (Rows){have, wanted.to});
        got = wanted.to - have;
        HALO_TRY(load_rows(&operand->reader.reader, &rest, &got));
    }
    if (have < wanted.to) HALO_FAIL(HALO_ERR_INPUT, "truncated: %lld frames", (long long)have);
    operand->next = wanted.to;
out:
    return status;
}

HaloStatus flow_operands_rows(FlowOperands *operands, int at, Rows rows, HaloBuf *from)
{
    HaloStatus status = HALO_OK;
    FlowOperand *operand = &operands->operand[at];
    const HaloOperand *file = operands->plan->input[at].operand;
    if (operand->reader.source == NULL) {
        *from = file->data;
        return HALO_OK;
    }
    const Rows there = rows_in(&operand->rows);
    if (operand->rows.data == NULL || rows.from < there.from || rows.to > there.to)
        HALO_TRY(named(operands->plan, at, read_rows(operand, file, rows)));
    *from = rows_of(&operand->rows, rows);
out:
    return status;
}
