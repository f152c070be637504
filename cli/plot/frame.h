/* The frame of a plot: its two axes, ticks with their numbers, the grid, and what stands above it. */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include <stdbool.h>

#include "canvas.h"

#define FRAME_TICKS 10 /* at most, on an axis */

typedef struct Axis {
    double lo, hi; /* lo < hi; where logarithmic, 0 < lo */
    bool logarithmic;
} Axis;

typedef struct Frame {
    Canvas *canvas;
    double left, right, top, bottom; /* pixels */
    Axis x, y;
} Frame;

/* With the usual margins, and `beside` pixels more on the right. */
Frame frame_on(Canvas *canvas, double beside);

/* Where a value stands: pixels. */
double frame_x(const Frame *frame, double value);
double frame_y(const Frame *frame, double value);

/* A line of the grid, its tick and its label. */
void frame_tick_x(const Frame *frame, double x, const char *label);
void frame_tick_y(const Frame *frame, double y, const char *label);
/* All of them, at round values. */
void frame_ticks_x(const Frame *frame);
void frame_ticks_y(const Frame *frame);
/* Between ticks of a linear axis: 1, 2 or 5 times a power of ten. */
double frame_step(double span);

/* The left and the bottom line: last, so that nothing covers them. */
void frame_lines(const Frame *frame);
/* A large line of text and a small one above. */
void frame_title(const Frame *frame, const char *title, const char *below);

#endif
