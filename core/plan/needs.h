/* Which rows, or frames of sound, of every value of a plan are needed for some rows of the output. */
#ifndef CORE_PLAN_NEEDS_H
#define CORE_PLAN_NEEDS_H

#include "primitive/part.h"

/* Rows [from, to) of a value; of sound, which is one row, its frames. */
typedef struct Rows {
    int64_t from, to;
} Rows;

/* How many of them a value has. */
static inline int64_t rows_length(const HaloShape *shape)
{
    return shape->kind == HALO_AUDIO ? shape->width : shape->height;
}

Rows rows_in(const HaloBuf *buf);
void set_rows(HaloBuf *buf, Rows rows);         /* its rectangle, all across */
HaloBuf rows_of(const HaloBuf *buf, Rows rows); /* the same memory */

/* Rows, all across, as a part; and the rows of a part. */
Part needs_part(const HaloShape *shape, Rows rows);
Rows needs_rows(const HaloShape *shape, Part part);

/* Does a step need all of a source for any part of its result? Then bands are of no use. */
bool needs_all(const HaloPlan *plan, const HaloStep *step);
/* Can what this step measures be measured band by band? And the rows of its source that it measures while rows
 * `wanted` of the output are made: each row once. */
bool measures_incrementally(const HaloPlan *plan, const HaloStep *step);
/* Do its blocks have to be nodes of the tree of a reduction? */
bool measures_leaves(const HaloStep *step, const HaloShape *src);
Rows needs_measured(const HaloPlan *plan, const HaloStep *step, Rows wanted);
/* The step that alone reads a value and leaves out most of its rows, as strides do; or NULL. */
const HaloStep *needs_few(const HaloPlan *plan, HaloReg reg);
/* Does its result at a time hang on all that was before (primitive.h)? */
bool needs_order(const HaloPlan *plan, const HaloStep *step);
/* Room for what is needed of every value, [plan->regs], and for finding that out; NULL without memory. */
Part *needs_new(const HaloPlan *plan);
/* What is needed of every value, from needs_new, for rows `wanted` of the output; and the rows of the input. A
 * value that is made in order is needed from where the rows before `wanted` have left it. */
void needs_of(const HaloPlan *plan, Rows wanted, Part *need);
HaloStatus needs_of_input(const HaloPlan *plan, Rows wanted, Rows *rows);

#endif
