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
/* The only step that reads a value, if it skips most of its rows, as strides do; or NULL. */
const HaloStep *needs_few(const HaloPlan *plan, HaloReg reg);
/* Can a step clip its result? Not if its type holds all values that it makes. */
bool needs_rounding(const HaloPlan *plan, const HaloStep *step);
/* Does its result at a time depend on everything before (primitive.h)? And that of any step? */
bool needs_order(const HaloPlan *plan, const HaloStep *step);
bool needs_any_order(const HaloPlan *plan);
/* Does the first row of the output need the last row of a value that is made in order? Then bands are of no
 * use.
 */
bool needs_last(const HaloPlan *plan);

/* What is to be made: rows of the output, none where there are none, and of values that are made in order all
 * up to where `upto` ends ([plan->regs]; NULL: nothing). `before` ([plan->regs]; NULL: nothing) was needed so
 * far. */
typedef struct Goal {
    Rows wanted;
    const Part *upto, *before;
    bool anywhere; /* values may begin where they are read first, as if none were made in order */
} Goal;

/* What is needed of every value for that, [plan->regs]. A value that is made in order is needed from where
 * `before` has left it. */
void needs_find(const HaloPlan *plan, const Goal *goal, Part *need);
/* Space for what is needed of every value, [plan->regs], and for finding that out; NULL without memory. */
Part *needs_new(const HaloPlan *plan);

/* ---- bands: cut.c --------------------------------------------------------------------------------------- */

/* A plan's output cut into bands. A value that is made in order may be needed only from a row far from its
 * first, as after a `trim`. Then bands without output come first, each with the next rows of the input, so that
 * no band has to hold all rows before its own. */
typedef struct Bands {
    const HaloPlan *plan;
    int64_t rows; /* of the output in a band */
    int64_t lead; /* the number of bands without output */
    int64_t step; /* rows of the input for each of these */
    bool back;    /* the input is read backwards: windows share no rows */
    bool strips;  /* in host memory: a band of all rows is made strip by strip where that can be (strips.h) */
} Bands;

Bands bands_cut(const HaloPlan *plan, int64_t rows);
/* Does the backend make parts of every value? */
bool bands_parts_on(const HaloBackend *backend, const HaloPlan *plan);
/* As bands_cut, for a backend: in strips where it works on host memory, and without bands ahead of the output
 * where it makes no parts of a value. */
Bands bands_cut_on(const HaloBackend *backend, const HaloPlan *plan, int64_t rows);
/* Rows of the output that band k makes; and how many bands there are. */
Rows bands_output(const Bands *bands, int64_t k);
int64_t bands_count(const Bands *bands);

/* What is needed of every value, from needs_new, for band k; or for rows `wanted` of the output, behind the
 * bands that make none. */
void needs_of_band(const Bands *bands, int64_t k, Part *need);
void needs_of(const Bands *bands, Rows wanted, Part *need);
/* The rows of the input that some of the output needs where nothing was made before. */
HaloStatus needs_of_input(const HaloPlan *plan, Rows wanted, Rows *rows);

#endif
