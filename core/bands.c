/* Running a plan in bands of rows: which rows of every value a band of the output needs, and how many rows
 * to take at a time. No operation knows about bands; each step has declared its reach. */
#include "core.h"


/* Bands overlap by their reach, and a step between that rounds to integers would count the samples it clips in
 * the overlap twice: such a plan runs whole. */
bool bands_possible(const HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const bool rounds = step->dst >= 0 && plan->reg[step->dst].dtype <= HALO_U16;
        if (step->reach.whole || (rounds && step->dst != plan->output)) return false;
    }
    return true;
}

/* The rows of a value of `height` rows that are read for output rows `out`: those in reach, and those that
 * reflecting borders fold back into it. */
static Rows in_reach(Rows out, const HaloReach *reach, int64_t height)
{
    const int64_t from = out.from - reach->up, to = out.to + reach->down;
    Rows rows = {larger(0, from), smaller(height, to)};
    if (reach->whole || from < -height || to > 2 * height) return (Rows){0, height};
    if (from < 0) rows.to = larger(rows.to, smaller(height, 1 - from));
    if (to > height) rows.from = smaller(rows.from, larger(0, 2 * height - to - 1));
    return rows;
}

static void need_also(Rows *need, Rows more)
{
    if (need->from == need->to) {
        *need = more;
    } else {
        need->from = smaller(need->from, more.from);
        need->to = larger(need->to, more.to);
    }
}

void bands_needs(const HaloPlan *plan, Rows wanted, Rows *need)
{
    for (int r = 0; r < plan->regs; r++) need[r] = (Rows){0, 0};
    if (plan->wants_output) need[plan->output] = wanted;
    for (int i = plan->steps - 1; i >= 0; i--) {
        const HaloStep *step = &plan->step[i];
        const Rows out = step->dst >= 0 ? need[step->dst] : (Rows){0, 0};
        need_also(&need[step->src], in_reach(out, &step->reach, plan->reg[step->src].height));
        if (step->src2 >= 0)
            need_also(&need[step->src2], in_reach(out, &step->reach, plan->reg[step->src2].height));
    }
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static int64_t row_bytes(const HaloShape *shape)
{
    return shape->width * shape->channels * (int64_t)halo_dtype_size(shape->dtype);
}

static bool is_end(const HaloPlan *plan, HaloReg reg) { return reg == plan->input || reg == plan->output; }

static bool lives_at(const HaloPlan *plan, HaloReg reg, int at)
{
    bool made = reg == plan->input, wanted = reg == plan->output;
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        made = made || (i <= at && step->dst == reg);
        wanted = wanted || (i >= at && (step->src == reg || step->src2 == reg || step->dst == reg));
    }
    return made && wanted;
}

static int64_t reach_rows(const HaloPlan *plan)
{
    int64_t reach = 0;
    for (int i = 0; i < plan->steps; i++) reach += plan->step[i].reach.up + plan->step[i].reach.down;
    return reach;
}

int64_t bands_memory(const HaloPlan *plan, int64_t rows, bool with_ends)
{
    const int64_t reach = reach_rows(plan);
    int64_t most = 0;
    for (int i = 0; i < plan->steps; i++) {
        int64_t bytes = 0;
        for (int r = 0; r < plan->regs; r++) {
            if ((is_end(plan, r) && !with_ends) || !lives_at(plan, r, i)) continue;
            bytes += row_bytes(&plan->reg[r]) * smaller(plan->reg[r].height, rows + reach);
        }
        most = larger(most, bytes);
    }
    return most;
}

/* Values between steps stay in the last-level cache: this many bytes at a time. */
#define BAND_BYTES (16 << 20)

int64_t bands_choose(const HaloPlan *plan, int64_t wish)
{
    const int64_t height = plan->reg[plan->output].height;
    if (!bands_possible(plan)) return height;
    if (wish > 0) return smaller(wish, height);
    const int64_t reach = reach_rows(plan);
    int64_t rows = height; /* a single step has nothing in between */
    while (rows > larger(64, 8 * reach) && bands_memory(plan, rows, false) > BAND_BYTES) rows = (rows + 1) / 2;
    return rows;
}

int64_t bands_for_device(const HaloPlan *plan, int64_t memory)
{
    int64_t rows = plan->reg[plan->output].height;
    if (!bands_possible(plan)) return rows;
    while (rows > 1 && bands_memory(plan, rows, true) > memory) rows = (rows + 1) / 2;
    return rows;
}

/* What comes from a file goes on while it is in the cache: this many bytes at a time, both ends included. */
#define FLOW_BYTES (4 << 20)

/* Two bands of each end: one is computed while the next is read and the last is written. Borders that reflect
 * may make the last bands look back as far again as they reach. */
int64_t bands_flow_memory(const HaloPlan *plan, int64_t rows)
{
    const HaloShape *in = &plan->reg[plan->input], *out = &plan->reg[plan->output];
    return bands_memory(plan, rows, false) + 2 * row_bytes(out) * rows +
           2 * row_bytes(in) * smaller(in->height, rows + 2 * reach_rows(plan));
}

int64_t bands_for_flow(const HaloPlan *plan, int64_t wish, int64_t memory)
{
    int64_t rows = plan->reg[plan->output].height;
    if (wish > 0) return smaller(wish, rows);
    const int64_t enough = larger(64, 8 * reach_rows(plan));
    while (rows > enough && bands_memory(plan, rows, true) > FLOW_BYTES) rows = (rows + 1) / 2;
    while (rows > 1 && bands_flow_memory(plan, rows) > memory) rows = (rows + 1) / 2;
    return rows;
}
