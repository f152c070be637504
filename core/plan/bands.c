/* Running a plan in bands, of rows or, of sound, of frames: which of them a band of the output needs of every
 * value, and how many to take at a time. No operation knows about bands; each step has declared its reach. */
#include <stdlib.h>

#include "bands.h"
#include "primitive/primitive.h"
#include "halo/measures.h"

bool bands_gather(const HaloPlan *plan, const HaloStep *step)
{
    const Measure *measure = primitive_of(step)->measure;
    return measure != NULL && measure->gathers(step, &plan->reg[step->src]);
}

/* Bands overlap by their reach, and a step between that rounds to integers would count the samples it clips in
 * the overlap twice: such a plan runs whole. */
bool bands_possible(const HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++) {
        const HaloStep *step = &plan->step[i];
        const bool rounds = step->dst >= 0 && plan->reg[step->dst].dtype <= HALO_U16;
        if (step->resolve != NULL || (step->reach.whole && !bands_gather(plan, step))) return false;
        if (rounds && step->dst != plan->output) return false;
    }
    return true;
}

static int64_t before(const HaloReach *reach, HaloKind kind)
{
    return kind == HALO_AUDIO ? reach->left : reach->up;
}

static int64_t after(const HaloReach *reach, HaloKind kind)
{
    return kind == HALO_AUDIO ? reach->right : reach->down;
}

/* The rows of a value that are read for output rows `out`: those in reach, and those that reflecting borders
 * fold back into it. */
static Rows in_reach(Rows out, const HaloReach *reach, const HaloShape *src)
{
    const int64_t length = bands_length(src);
    const int64_t from = out.from - before(reach, src->kind), to = out.to + after(reach, src->kind);
    Rows rows = {larger(0, from), smaller(length, to)};
    if (reach->whole || from < -length || to > 2 * length) return (Rows){0, length};
    if (from < 0) rows.to = larger(rows.to, smaller(length, 1 - from));
    if (to > length) rows.from = smaller(rows.from, larger(0, 2 * length - to - 1));
    return rows;
}

/* What a step measures while rows `wanted` of the output are made: those rows of its source; the last band
 * takes what is left. */
Rows bands_measured(const HaloPlan *plan, const HaloStep *step, Rows wanted)
{
    const int64_t length = bands_length(&plan->reg[step->src]);
    if (!bands_gather(plan, step)) return (Rows){0, length};
    return (Rows){wanted.from, wanted.to < bands_length(&plan->reg[plan->output]) ? wanted.to : length};
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
        if (step->dst < 0) {
            need_also(&need[step->src], bands_measured(plan, step, wanted));
            continue;
        }
        need_also(&need[step->src], in_reach(need[step->dst], &step->reach, &plan->reg[step->src]));
        if (step->src2 >= 0)
            need_also(&need[step->src2], in_reach(need[step->dst], &step->reach, &plan->reg[step->src2]));
    }
}

/* ---- memory --------------------------------------------------------------------------------------------- */

static int64_t row_bytes(const HaloShape *shape)
{
    const int64_t cols = shape->kind == HALO_AUDIO ? 1 : shape->width;
    return cols * shape->channels * (int64_t)halo_dtype_size(shape->dtype);
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
    const HaloKind kind = plan->reg[plan->input].kind;
    int64_t reach = 0;
    for (int i = 0; i < plan->steps; i++)
        reach += before(&plan->step[i].reach, kind) + after(&plan->step[i].reach, kind);
    return reach;
}

/* A border that reflects turns the reach to one side into one to the other, and one more. */
int64_t bands_reach(const HaloPlan *plan)
{
    const HaloKind kind = plan->reg[plan->input].kind;
    int64_t reach = 0;
    for (int i = 0; i < plan->steps; i++) {
        const int64_t most = larger(before(&plan->step[i].reach, kind), after(&plan->step[i].reach, kind));
        reach += most > 0 ? most + 1 : 0;
    }
    return reach;
}

int64_t bands_memory(const HaloPlan *plan, int64_t rows, bool with_ends)
{
    const int64_t reach = reach_rows(plan);
    int64_t most = 0;
    if (plan->steps == 0 && with_ends) return 2 * row_bytes(&plan->reg[plan->input]) * rows; /* a copy */
    for (int i = 0; i < plan->steps; i++) {
        int64_t bytes = 0;
        for (int r = 0; r < plan->regs; r++) {
            if ((is_end(plan, r) && !with_ends) || !lives_at(plan, r, i)) continue;
            bytes += row_bytes(&plan->reg[r]) * smaller(bands_length(&plan->reg[r]), rows + reach);
        }
        most = larger(most, bytes);
    }
    return most;
}

int64_t bands_whole_memory(const Slot *slot, const HaloPlan *plan, int64_t rows, bool with_ends)
{
    return bands_memory(plan, rows, with_ends) + scratch_of(slot, plan, rows);
}

/* Where statistics grow, a band is a node of their tree: 2^k leaves. */
static int64_t whole_leaves(const HaloPlan *plan, int64_t rows)
{
    const int64_t length = bands_length(&plan->reg[plan->output]);
    bool measures = false;
    for (int i = 0; i < plan->steps; i++) {
        const Measure *measure = primitive_of(&plan->step[i])->measure;
        measures = measures || (measure != NULL && measure->leaves);
    }
    if (rows >= length || !measures) return smaller(rows, length);
    int64_t node = HALO_LEAF;
    while (node < rows) node *= 2;
    return node < length ? node : length;
}

/* Values between steps stay in the last-level cache: this many bytes at a time. */
#define BAND_BYTES (16 << 20)

int64_t bands_choose(const HaloPlan *plan, int64_t wish)
{
    const int64_t length = bands_length(&plan->reg[plan->output]);
    if (!bands_possible(plan)) return length;
    if (wish > 0) return whole_leaves(plan, wish);
    const int64_t reach = reach_rows(plan);
    int64_t rows = length; /* a single step has nothing in between */
    while (rows > larger(64, 8 * reach) && bands_memory(plan, rows, false) > BAND_BYTES) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

int64_t bands_for_device(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory)
{
    int64_t rows = bands_length(&plan->reg[plan->output]);
    if (!bands_possible(plan)) return rows;
    if (wish > 0) rows = smaller(rows, wish);
    while (rows > 1 && bands_whole_memory(slot, plan, rows, true) > memory) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

/* What comes from a file goes on while it is in the cache: this many bytes at a time, both ends included. */
#define FLOW_BYTES (4 << 20)

/* Two bands of each end: one is computed while the next is read and the last is written. Borders that reflect
 * may make the last bands look back as far again as they reach. */
int64_t bands_flow_memory(const Slot *slot, const HaloPlan *plan, int64_t rows)
{
    const HaloShape *in = &plan->reg[plan->input], *out = &plan->reg[plan->output];
    return bands_whole_memory(slot, plan, rows, false) + scratch_measured(plan) + 2 * row_bytes(out) * rows +
           2 * row_bytes(in) * smaller(bands_length(in), rows + 2 * bands_reach(plan) + 1);
}

int64_t bands_for_flow(const Slot *slot, const HaloPlan *plan, int64_t wish, int64_t memory)
{
    int64_t rows = bands_length(&plan->reg[plan->output]);
    if (wish > 0) return whole_leaves(plan, wish);
    const int64_t enough = larger(64, 8 * reach_rows(plan));
    while (rows > enough && bands_memory(plan, rows, true) > FLOW_BYTES) rows = (rows + 1) / 2;
    while (rows > 1 && bands_flow_memory(slot, plan, rows) > memory) rows = (rows + 1) / 2;
    return whole_leaves(plan, rows);
}

/* Statistics take what comes here leaf by leaf (measure_leaves). */
int64_t bands_for_pipe(const Slot *slot, const HaloPlan *plan, const HaloOptions *options, int64_t memory)
{
    const int64_t rows = bands_for_flow(slot, plan, options->band_rows, memory);
    const int latency_ms = options->latency_ms > 0 ? options->latency_ms : 100;
    const double most = plan->reg[plan->output].rate * latency_ms / 1000.0;
    if (options->band_rows > 0 || most >= (double)rows) return rows;
    return larger(1, (int64_t)most);
}

HaloStatus bands_ahead(const HaloPlan *plan, int64_t rows, int64_t *ahead)
{
    Rows *need = calloc((size_t)plan->regs, sizeof *need);
    if (need == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    bands_needs(plan, (Rows){0, rows}, need);
    *ahead = larger(0, need[plan->input].to - rows);
    free(need);
    return HALO_OK;
}

/* ---- buffers -------------------------------------------------------------------------------------------- */

void set_rows(HaloBuf *buf, Rows rows)
{
    const bool sound = buf->shape.kind == HALO_AUDIO;
    buf->x0 = sound ? rows.from : 0;
    buf->y0 = sound ? 0 : rows.from;
    buf->cols = sound ? rows.to - rows.from : buf->shape.width;
    buf->rows = sound ? 1 : rows.to - rows.from;
}

HaloBuf rows_of(const HaloBuf *buf, Rows rows)
{
    HaloBuf view = *buf;
    set_rows(&view, rows);
    view.data = halo_at(buf, view.x0, view.y0);
    return view;
}
