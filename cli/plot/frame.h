/* The frame of a plot: its two axes, ticks with their numbers, the grid, and what stands above it. A plot may
 * have several, one below the other: panels. */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include <stdbool.h>

#include "canvas.h"
#include "ticks.h"

#define FRAME_TICKS 10 /* at most, on an axis */

typedef struct Axis {
    double lo, hi; /* lo < hi; where logarithmic, 0 < lo */
    bool logarithmic;
    AxisKind kind;
    bool down; /* of y: it begins at the top */
} Axis;

typedef struct Frame {
    Canvas *canvas;
    double left, right, top, bottom;
    Axis x, y;
} Frame;

/* Panel `k`, with the usual margins, and `beside` letters more on the right. */
Frame frame_on(Canvas *canvas, int k, double beside);
/* Widens the left margin for the numbers of the y axis. */
double frame_left(const Frame *frame);

/* Where a value stands on the canvas. */
double frame_x(const Frame *frame, double value);
double frame_y(const Frame *frame, double value);

/* A line of the grid, its tick and its label. */
void frame_tick_x(const Frame *frame, double x, const char *label);
void frame_tick_y(const Frame *frame, double y, const char *label);
/* All of them, at round values. `labelled` false: what they are is said below another panel. */
void frame_ticks_x(const Frame *frame, bool labelled);
void frame_ticks_y(const Frame *frame);
/* How many ticks the y axis has at most. */
int frame_count_y(const Frame *frame);
/* The left and the bottom line: last, so that nothing covers them. */
void frame_lines(const Frame *frame);
/* A line of text above all panels, large; a small one at its right end; and one above a panel. */
void frame_title(const Frame *frame, const char *title);
void frame_aside(const Frame *frame, const char *text);
void frame_caption(const Frame *frame, const char *text);
/* Where the caption's letters stand. */
double frame_above(const Frame *frame);

#endif
