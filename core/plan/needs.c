/* Which part of every value a band of the output needs, found from the last step back to the first. */
#include <stdlib.h>

#include "needs.h"
#include "primitive/primitive.h"

Part needs_part(const HaloShape *shape, Rows rows)
{
    Part part = part_of_all(shape);
    if (shape->kind == HALO_AUDIO) {
        part.x0 = rows.from;
        part.x1 = rows.to;
    } else {
        part.y0 = rows.from;
        part.y1 = rows.to;
    }
    return part;
}

Rows needs_rows(const HaloShape *shape, Part part)
{
    if (part_is_empty(part)) return (Rows){0, 0};
    return shape->kind == HALO_AUDIO ? (Rows){part.x0, part.x1} : (Rows){part.y0, part.y1};
}

bool measures_incrementally(const HaloPlan *plan, const HaloStep *step)
{
    const Measure *measure = primitive_of(step)->measure;
    return measure != NULL && measure->incremental(step, &plan->reg[step->src[0]]);
}

bool measures_leaves(const HaloStep *step, const HaloShape *src)
{
    const Measure *measure = primitive_of(step)->measure;
    return measure != NULL && measure->leaves != NULL && measure->leaves(step, src);
}

bool needs_all(const HaloPlan *plan, const HaloStep *step)
{
    if (step->dst < 0) return !measures_incrementally(plan, step);
    const Part first = needs_part(&plan->reg[step->dst], (Rows){0, 1});
    for (int k = 0; k < step->sources; k++) {
        const HaloShape *src = &plan->reg[step->src[k]];
        const Rows rows = needs_rows(src, primitive_of(step)->reads(step, k, src, first));
        if (rows_length(src) > 1 && rows.to - rows.from == rows_length(src)) return true;
    }
    return false;
}

/* The same rows of the source as of the output; the last band takes all that are left. Of an image whose output
 * has more rows or fewer, the same share of them. */
Rows needs_measured(const HaloPlan *plan, const HaloStep *step, Rows wanted)
{
    const HaloShape *src = &plan->reg[step->src[0]];
    const int64_t length = rows_length(src), made = rows_length(&plan->reg[plan->output]);
    if (!measures_incrementally(plan, step)) return (Rows){0, length};
    if (wanted.to >= made) wanted.to = made;
    const bool alike = src->kind == HALO_AUDIO || length == made;
    const int64_t from = alike ? wanted.from : wanted.from * length / made,
                  to = alike ? wanted.to : wanted.to * length / made;
    return (Rows){from, wanted.to < made ? to : length};
}

const HaloStep *needs_few(const HaloPlan *plan, HaloReg reg)
{
    const HaloLiveness *live = &plan->live[reg];
    if (live->reads != 1 || live->reader < 0) return NULL;
    const HaloStep *reader = &plan->step[live->reader];
    if (reader->dst < 0 || reader->sources != 1) return NULL;
    const int64_t width = plan->reg[reader->dst].width;
    const Part first = primitive_of(reader)->reads(reader, 0, &plan->reg[reg], (Part){0, width, 0, 1});
    const Part second = primitive_of(reader)->reads(reader, 0, &plan->reg[reg], (Part){0, width, 1, 2});
    return second.y0 - first.y0 > 2 * (first.y1 - first.y0) ? reader : NULL;
}

bool needs_rounding(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    if (step->dst < 0 || plan->reg[step->dst].dtype > HALO_U16) return false;
    return primitive->holds == NULL || step->store.num != 1.0f || step->store.den != 1.0f ||
           primitive->holds(step, &plan->reg[step->src[0]]) != plan->reg[step->dst].dtype;
}

bool needs_order(const HaloPlan *plan, const HaloStep *step)
{
    const Primitive *primitive = primitive_of(step);
    return primitive->keeps != NULL && primitive->keeps(step, &plan->reg[step->src[0]]) > 0;
}

bool needs_any_order(const HaloPlan *plan)
{
    for (int i = 0; i < plan->steps; i++)
        if (plan->step[i].dst >= 0 && needs_order(plan, &plan->step[i])) return true;
    return false;
}

Part *needs_new(const HaloPlan *plan) { return calloc(4 * (size_t)plan->regs, sizeof(Part)); }

/* Extends a value that is made in order, from the end of the rows made before. */
static Part in_order(const HaloShape *shape, Part part, Part before)
{
    Rows rows = needs_rows(shape, part);
    rows.from = smaller(rows.from, needs_rows(shape, before).to);
    return part_joined(part, needs_part(shape, rows));
}

static Part of_value(const HaloPlan *plan, const HaloStep *step, const Goal *goal, Part need)
{
    const HaloShape *shape = &plan->reg[step->dst];
    const Primitive *primitive = primitive_of(step);
    if (!goal->anywhere && needs_order(plan, step)) {
        const Part before = goal->before != NULL ? goal->before[step->dst] : (Part){0};
        const Rows lead = {needs_rows(shape, before).to,
                           goal->upto != NULL ? needs_rows(shape, goal->upto[step->dst]).to : 0};
        if (lead.from < lead.to) need = part_joined(need, needs_part(shape, lead));
        if (!part_is_empty(need)) need = in_order(shape, need, before);
    }
    return primitive->makes != NULL && !part_is_empty(need) ? primitive->makes(step, shape, need) : need;
}

static bool no_rows(Rows rows) { return rows.from >= rows.to; }

void needs_find(const HaloPlan *plan, const Goal *goal, Part *need)
{
    for (int r = 0; r < plan->regs; r++) need[r] = (Part){0};
    if (plan->wants_output && !no_rows(goal->wanted))
        need[plan->output] = needs_part(&plan->reg[plan->output], goal->wanted);
    for (int i = plan->steps - 1; i >= 0; i--) {
        const HaloStep *step = &plan->step[i];
        if (step->dst >= 0) need[step->dst] = of_value(plan, step, goal, need[step->dst]);
        if (step->dst >= 0 ? part_is_empty(need[step->dst]) : no_rows(goal->wanted)) continue;
        for (int k = 0; k < step->sources; k++) {
            const HaloReg r = step->src[k];
            const HaloShape *src = &plan->reg[r];
            const Part part = step->dst < 0 ? needs_part(src, needs_measured(plan, step, goal->wanted))
                                            : primitive_of(step)->reads(step, k, src, need[step->dst]);
            need[r] = part_joined(need[r], part);
        }
    }
}

/* A value of unknown length has no last row. */
static bool has_last(const HaloShape *shape) { return rows_length(shape) > 1 && !shape_is_endless(shape); }

bool needs_last(const HaloPlan *plan)
{
    bool last = false;
    if (rows_length(&plan->reg[plan->output]) == 1 || !needs_any_order(plan)) return false;
    Part *need = needs_new(plan);
    if (need == NULL) return true;
    needs_find(plan, &(Goal){.wanted = {0, 1}}, need);
    for (int i = 0; i < plan->steps && !last; i++) {
        const HaloReg r = plan->step[i].dst;
        last = r >= 0 && has_last(&plan->reg[r]) && needs_order(plan, &plan->step[i]) &&
               needs_rows(&plan->reg[r], need[r]).to == rows_length(&plan->reg[r]);
    }
    free(need);
    return last;
}

/* ---- buffers -------------------------------------------------------------------------------------------- */

Rows rows_in(const HaloBuf *buf)
{
    return buf->shape.kind == HALO_AUDIO ? (Rows){buf->x0, buf->x0 + buf->cols}
                                         : (Rows){buf->y0, buf->y0 + buf->rows};
}

void set_rows(HaloBuf *buf, Rows rows) { part_set(buf, needs_part(&buf->shape, rows)); }

HaloBuf rows_of(const HaloBuf *buf, Rows rows)
{
    HaloBuf view = *buf;
    set_rows(&view, rows);
    view.data = halo_at(buf, view.x0, view.y0);
    return view;
}
