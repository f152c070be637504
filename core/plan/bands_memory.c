/* The memory that a plan takes while its bands are computed. */
#include <stdlib.h>

#include "bands.h"
#include "base/operand.h"
#include "liveness.h"
#include "plan.h"
#include "strips.h"

static int64_t row_bytes(const HaloShape *shape)
{
    const int64_t cols = shape->kind == HALO_AUDIO ? 1 : shape->width;
    return cols * shape->channels * (int64_t)halo_dtype_size(shape->dtype);
}

/* Values within strips take those of a strip. */
static void set_strips(const Bands *bands, Part *need, int64_t *bytes)
{
    const HaloPlan *plan = bands->plan;
    StripRun strips;
    for (int i = 0; i < plan->steps; i = strips.end) {
        if (!bands_strips_at(bands, i, &strips)) {
            strips.end = i + 1;
            continue;
        }
        const HaloShape *made = &plan->reg[plan->step[strips.end - 1].dst];
        const int64_t from = (made->height - strips.rows) / 2;
        strips_needs(plan, &strips, needs_part(made, (Rows){from, from + strips.rows}), need);
        for (int k = i; k + 1 < strips.end; k++) {
            const HaloReg r = plan->step[k].dst;
            const Rows rows = needs_rows(&plan->reg[r], need[r]);
            bytes[r] = row_bytes(&plan->reg[r]) * (rows.to - rows.from);
        }
    }
}

/* Bytes of the values of which this is needed, which changes; `bytes` is space for those of each. */
static int64_t memory_of(const Bands *bands, Part *need, bool with_in_out, int64_t *bytes)
{
    const HaloPlan *plan = bands->plan;
    for (int r = 0; r < plan->regs; r++) {
        const Rows rows = needs_rows(&plan->reg[r], need[r]);
        bytes[r] = row_bytes(&plan->reg[r]) * (rows.to - rows.from);
    }
    set_strips(bands, need, bytes);
    for (int i = 0; i < plan->inputs && !with_in_out; i++) bytes[plan->input[i].reg] = 0;
    if (!with_in_out) bytes[plan->output] = 0;
    return liveness_most(bands, bytes);
}

/* The first band, the last, and one in the middle, whose neighbours it reads on both operands; and, of those
 * that make no output, one in the middle and the last. */
int64_t bands_memory(const Bands *bands, bool with_in_out)
{
    const HaloPlan *plan = bands->plan;
    const int64_t length = rows_length(&plan->reg[plan->output]), rows = smaller(bands->rows, length);
    if (plan->steps == 0 && with_in_out)
        return 2 * row_bytes(&plan->reg[plan->input[0].reg]) * bands->rows; /* a copy */
    Part *need = needs_new(plan);
    int64_t *bytes = calloc((size_t)plan->regs, sizeof *bytes);
    const int64_t at[] = {0, (length - rows) / 2, length - rows};
    int64_t most = need != NULL && bytes != NULL ? 0 : INT64_MAX / 4;
    for (int i = 0; i < 3 && most < INT64_MAX / 4; i++) {
        needs_of(bands, (Rows){at[i], at[i] + rows}, need);
        most = larger(most, memory_of(bands, need, with_in_out, bytes));
    }
    for (int64_t k = bands->lead / 2; k < bands->lead && most < INT64_MAX / 4;
         k += larger(1, bands->lead - 1 - k)) {
        needs_of_band(bands, k, need);
        most = larger(most, memory_of(bands, need, with_in_out, bytes));
    }
    free(bytes);
    free(need);
    return most;
}

/* Bytes of the secondary inputs that are read in step. */
static int64_t operands_memory(const Bands *bands)
{
    const HaloPlan *plan = bands->plan;
    const int64_t length = rows_length(&plan->reg[plan->output]), rows = smaller(bands->rows, length);
    const int64_t at[] = {0, (length - rows) / 2, length - rows};
    int64_t bytes = 0;
    Part *need = plan->inputs > 1 ? needs_new(plan) : NULL;
    int64_t *most = calloc((size_t)plan->inputs, sizeof *most);
    for (int b = 0; b < 3 && need != NULL && most != NULL; b++) {
        needs_of(bands, (Rows){at[b], at[b] + rows}, need);
        for (int i = 1; i < plan->inputs; i++) {
            const HaloReg reg = plan->input[i].reg;
            const Rows part = needs_rows(&plan->reg[reg], need[reg]);
            most[i] = larger(most[i], part.to - part.from);
        }
    }
    for (int i = 1; i < plan->inputs && most != NULL; i++)
        if (!atomic_load(&plan->input[i].operand->there))
            bytes += most[i] * row_bytes(&plan->reg[plan->input[i].reg]);
    free(most);
    free(need);
    return bytes;
}

int64_t bands_whole_memory(const Device *device, const HaloPlan *plan, int64_t rows, bool with_in_out)
{
    const Bands bands = bands_cut_on(device->backend, plan_for(plan, device->backend), rows);
    return bands_memory(&bands, with_in_out) + scratch_of(device, &bands);
}

int64_t bands_flow_memory(Team team, const HaloPlan *plan, int64_t rows, bool seeks)
{
    const HaloShape *in = &plan->reg[plan->input[0].reg], *out = &plan->reg[plan->output];
    const Bands bands = bands_in(plan, rows, seeks);
    const bool on_host = team.device->backend->upload == NULL;
    const int64_t between =
        on_host ? bands_whole_memory(team.device, plan, rows, false) + operands_memory(&bands) : 0;
    return between + scratch_measured(plan, on_host) +
           2 * team.count * (row_bytes(out) * rows + row_bytes(in) * bands_widest_window(&bands));
}

int64_t scratch_beside(const Device *device, const HaloPlan *plan, int64_t band)
{
    int64_t out = 0, between = scratch_measured(plan, false);
    if (plan->wants_output && halo_shape_bytes(&plan->reg[plan->output], &out) != HALO_OK) return -1;
    if (device->backend->memory == NULL) between += bands_whole_memory(device, plan, band, false);
    return out > INT64_MAX - between ? -1 : out + between;
}
