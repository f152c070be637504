/* Cuts a plan's output into bands, and finds what each of them needs. Bands without output come first if values
 * that are made in order are needed from far behind their first row: each takes the next rows of the input. */
#include <stdlib.h>

#include "needs.h"
#include "primitive/primitive.h"

/* ---- from the input to the output -------------------------------------------------------------------------
 */

/* Can row `at` of a step's result be made from the rows available? */
static bool can_make(const HaloPlan *plan, const HaloStep *step, const Part *there, int64_t at)
{
    Part part = needs_part(&plan->reg[step->dst], (Rows){at, at + 1});
    if (primitive_of(step)->makes != NULL) part = primitive_of(step)->makes(step, &plan->reg[step->dst], part);
    for (int k = 0; k < step->sources; k++) {
        const HaloShape *src = &plan->reg[step->src[k]];
        const Rows read = needs_rows(src, primitive_of(step)->reads(step, k, src, part));
        if (read.to > needs_rows(src, there[step->src[k]]).to) return false;
    }
    return true;
}

/* The rows of every value that can be made from rows up to `to` of the input. */
static void find_reach(const HaloPlan *plan, int64_t to, Part *there)
{
    for (int r = 0; r < plan->regs; r++) there[r] = (Part){0};
    for (int i = 0; i < plan->inputs; i++) {
        const HaloShape *shape = &plan->reg[plan->input[i].reg];
        const int64_t length = rows_length(shape);
        there[plan->input[i].reg] = needs_part(shape, (Rows){0, i == 0 ? smaller(to, length) : length});
    }
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        if (step->dst < 0) continue;
        int64_t made = 0, beyond = rows_length(&plan->reg[step->dst]) + 1;
        while (beyond - made > 1) {
            const int64_t middle = made + (beyond - made) / 2;
            *(can_make(plan, step, there, middle - 1) ? &made : &beyond) = middle;
        }
        there[step->dst] = needs_part(&plan->reg[step->dst], (Rows){0, made});
    }
}

/* ---- bands ------------------------------------------------------------------------------------------------
 */

/* For values that are computed in order: all rows before the first that any row of the output needs. */
static void find_lead(const HaloPlan *plan, Part *upto)
{
    needs_find(plan, &(Goal){.wanted = {0, rows_length(&plan->reg[plan->output])}, .anywhere = true}, upto);
    for (int r = 0; r < plan->regs; r++)
        upto[r] = needs_part(&plan->reg[r], (Rows){0, needs_rows(&plan->reg[r], upto[r]).from});
}

/* The part of that which the first k bands make: the last of them all of it. */
static void find_lead_of(const Bands *bands, int64_t k, Part *upto, Part *reach)
{
    const HaloPlan *plan = bands->plan;
    find_lead(plan, upto);
    if (k >= bands->lead) return;
    find_reach(plan, k * bands->step, reach);
    for (int r = 0; r < plan->regs; r++) upto[r] = part_common(upto[r], reach[r]);
}

void needs_of(const Bands *bands, Rows wanted, Part *need)
{
    const HaloPlan *plan = bands->plan;
    Part *const before = need + plan->regs, *const upto = before + plan->regs;
    const bool follows = (wanted.from > 0 || bands->lead > 0) && needs_any_order(plan);
    if (bands->lead > 0) find_lead(plan, upto);
    if (follows)
        needs_find(plan, &(Goal){.wanted = {0, wanted.from}, .upto = bands->lead > 0 ? upto : NULL}, before);
    needs_find(plan, &(Goal){.wanted = wanted, .before = follows ? before : NULL}, need);
}

HaloStatus needs_of_input(const HaloPlan *plan, Rows wanted, Rows *rows)
{
    Part *need = needs_new(plan);
    if (need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    needs_of(&(Bands){.plan = plan}, wanted, need);
    *rows = needs_rows(&plan->reg[plan->input[0].reg], need[plan->input[0].reg]);
    free(need);
    return HALO_OK;
}

void needs_of_band(const Bands *bands, int64_t k, Part *need)
{
    const HaloPlan *plan = bands->plan;
    Part *const before = need + plan->regs, *const upto = before + plan->regs, *const reach = upto + plan->regs;
    if (k >= bands->lead) {
        needs_of(bands, bands_output(bands, k), need);
        return;
    }
    find_lead_of(bands, k, upto, reach);
    needs_find(plan, &(Goal){.upto = upto}, before);
    find_lead_of(bands, k + 1, upto, reach);
    needs_find(plan, &(Goal){.upto = upto, .before = before}, need);
}

/* ---- cutting ----------------------------------------------------------------------------------------------
 */

/* Bands without output are as large as the others, and at least this large, unless there are few. */
#define LEAD_BYTES ((int64_t)1 << 16)
#define LEAD_FEW 64

static int64_t widest_row(const HaloPlan *plan)
{
    int64_t most = 1;
    for (int r = 0; r < plan->regs; r++) {
        HaloShape row = plan->reg[r];
        *(row.kind == HALO_AUDIO ? &row.width : &row.height) = 1;
        most = larger(most, row.width * row.channels * (int64_t)halo_dtype_size(row.dtype));
    }
    return most;
}

static Rows of_input(const HaloPlan *plan, const Part *need)
{
    return needs_rows(&plan->reg[plan->input[0].reg], need[plan->input[0].reg]);
}

Bands bands_cut(const HaloPlan *plan, int64_t rows)
{
    Bands bands = {.plan = plan, .rows = rows};
    Part *const need = needs_any_order(plan) ? needs_new(plan) : NULL;
    if (need == NULL) return bands; /* without memory the plan fails elsewhere */
    Part *const upto = need + plan->regs;
    find_lead(plan, upto);
    needs_find(plan, &(Goal){.upto = upto}, need);
    const int64_t before = of_input(plan, need).to;
    if (before > 0) {
        needs_find(plan, &(Goal){.wanted = bands_output(&bands, 0), .anywhere = true}, need);
        const Rows first = of_input(plan, need);
        bands.step = smaller(1 + before / LEAD_FEW, 1 + LEAD_BYTES / widest_row(plan));
        bands.step = larger(bands.step, first.to - first.from);
        bands.lead = (before + bands.step - 1) / bands.step;
    }
    free(need);
    return bands;
}

Rows bands_output(const Bands *bands, int64_t k)
{
    const int64_t length = rows_length(&bands->plan->reg[bands->plan->output]);
    const int64_t from = (k - bands->lead) * bands->rows;
    if (k < bands->lead) return (Rows){0, 0};
    return (Rows){from, bands->rows < length - from ? from + bands->rows : length};
}

int64_t bands_count(const Bands *bands)
{
    const int64_t length = rows_length(&bands->plan->reg[bands->plan->output]);
    return bands->lead + (length + bands->rows - 1) / bands->rows;
}

bool bands_parts_on(const HaloBackend *backend, const HaloPlan *plan)
{
    bool makes = true;
    for (int i = 0; i < plan->steps && makes; i++) {
        const Primitive *primitive = primitive_of(&plan->step[i]);
        makes = primitive->in_bands == NULL || primitive->in_bands(backend, &plan->reg[plan->step[i].src[0]]);
    }
    return makes;
}

Bands bands_cut_on(const HaloBackend *backend, const HaloPlan *plan, int64_t rows)
{
    Bands bands = bands_cut(plan, rows);
    bands.strips = backend->upload == NULL;
    if (!bands_parts_on(backend, plan)) bands.lead = 0;
    return bands;
}
