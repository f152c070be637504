/* Random parameters of primitives: shapes, borders, taps, stores, and the rectangles a filter needs. */
#ifndef HALO_TEST_DRAW_H
#define HALO_TEST_DRAW_H

#include "buffers.h"
#include "halo/primitive.h"

/* u8, u16 or f32. */
HaloDtype draw_dtype(Rng *rng);
/* Often small, at times one row, one column or one pixel; at most `most` pixels wide and high. */
HaloShape draw_shape(Rng *rng, int64_t most);
/* The same, at times with thousands of pixels in a row or column: more than any piece of work. */
HaloShape draw_long_shape(Rng *rng, int64_t most);
/* Any border a backend gets to see but VALID. */
HaloBorder draw_border(Rng *rng);
const char *border_name(HaloBorder border);
/* A window of this size with any such border: mostly around its middle. */
HaloWindow draw_window(Rng *rng, int64_t width, int64_t height);
/* The same with a value outside that one type holds and another does not, at times without NaN, and at times
 * VALID, where pictures of this shape are large enough. */
HaloWindow draw_window_over(Rng *rng, const HaloShape *shape, int64_t width, int64_t height);
/* n finite taps: fractions, or integers as in most masks; zeros among them. The caller frees them. */
float *draw_taps(Rng *rng, int64_t n);
/* A scale that suits the types, at times another. */
HaloStore draw_store(Rng *rng, HaloDtype from, HaloDtype to);
/* All of the shape, or a rectangle inside it. */
TestRect draw_rect(Rng *rng, const HaloShape *shape);

/* The side of a source that count outputs from `first` need, of n samples, through `taps` taps that start at
 * `offset`; at least one sample. */
void needed_side(int64_t first, int64_t count, int64_t taps, int64_t offset, int64_t n, HaloBorder border,
                 int64_t *start, int64_t *length);
/* The rectangle of a source of this shape that a rectangle of the outputs needs through a window. */
TestRect needed_rect(const HaloShape *shape, TestRect rect, const HaloWindow *window);
/* What a window leaves of a shape: less than all of it where the border is VALID. */
HaloShape windowed_shape(const HaloShape *shape, const HaloWindow *window, HaloDtype to);

#endif
