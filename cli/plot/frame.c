#include "frame.h"

#include <math.h>
#include <stdio.h>

#define GRID 0xe4e4e4
#define AXIS 0x333333

Frame frame_on(Canvas *canvas, double beside)
{
    return (Frame){canvas,        70,           CANVAS_WIDTH - 20 - beside, 60, CANVAS_HEIGHT - 35,
                   {0, 1, false}, {0, 1, false}};
}

/* 0 at the axis's beginning, 1 at its end. */
static double share(const Axis *axis, double value)
{
    if (axis->logarithmic) return log(value / axis->lo) / log(axis->hi / axis->lo);
    return (value - axis->lo) / (axis->hi - axis->lo);
}

double frame_x(const Frame *frame, double value)
{
    return frame->left + (frame->right - frame->left) * share(&frame->x, value);
}

double frame_y(const Frame *frame, double value)
{
    return frame->bottom - (frame->bottom - frame->top) * share(&frame->y, value);
}

/* ---- ticks ---------------------------------------------------------------------------------------------- */

void frame_tick_x(const Frame *frame, double x, const char *label)
{
    Canvas *canvas = frame->canvas;
    canvas->box(canvas, x - 0.5, frame->top, 1, frame->bottom - frame->top, GRID);
    canvas->box(canvas, x - 0.5, frame->bottom, 1, 5, AXIS);
    canvas->text(canvas, x, frame->bottom + 20, CANVAS_MIDDLE, 12, label);
}

void frame_tick_y(const Frame *frame, double y, const char *label)
{
    Canvas *canvas = frame->canvas;
    canvas->box(canvas, frame->left, y - 0.5, frame->right - frame->left, 1, GRID);
    canvas->box(canvas, frame->left - 5, y - 0.5, 5, 1, AXIS);
    canvas->text(canvas, frame->left - 9, y + 4, CANVAS_RIGHT, 12, label);
}

double frame_step(double span)
{
    const double least = span / FRAME_TICKS, power = pow(10.0, floor(log10(least)));
    const double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* The fewest decimals that tell neighbouring ticks apart. */
static void value_label(double value, double step, char text[32])
{
    const double digits = ceil(-log10(step) - 1e-9);
    if (fabs(value) < 1e7 && digits <= 6)
        snprintf(text, 32, "%.*f", digits > 0 ? (int)digits : 0, value);
    else
        snprintf(text, 32, "%g", value);
}

typedef double Place(const Frame *frame, double value);
typedef void Tick(const Frame *frame, double at, const char *label);

static void linear_ticks(const Frame *frame, const Axis *axis, Place *place, Tick *tick)
{
    const double step = frame_step(axis->hi - axis->lo), first = ceil(axis->lo / step);
    char text[32];
    if (!isfinite(step) || step <= 0) return; /* a range that f64 can hardly hold has no ticks */
    for (int i = 0; i <= FRAME_TICKS && (first + i) * step <= axis->hi; i++) {
        value_label((first + i) * step, step, text);
        tick(frame, place(frame, (first + i) * step), text);
    }
}

/* Powers of ten, of many decades not all of them; of few decades also 2 and 5 times each. */
static void logarithmic_ticks(const Frame *frame, const Axis *axis, Place *place, Tick *tick)
{
    static const double times[] = {1, 2, 5};
    const double first = floor(log10(axis->lo)), decades = log10(axis->hi) - first;
    const double stride = ceil(decades / FRAME_TICKS);
    const int parts = decades <= 4 ? 3 : 1;
    char text[32];
    for (double power = first; power <= first + decades; power += stride)
        for (int i = 0; i < parts; i++) {
            const double value = times[i] * pow(10.0, power);
            if (value < axis->lo * (1 - 1e-9) || value > axis->hi * (1 + 1e-9)) continue;
            snprintf(text, sizeof text, "%g", value);
            tick(frame, place(frame, value), text);
        }
}

static void ticks(const Frame *frame, const Axis *axis, Place *place, Tick *tick)
{
    (axis->logarithmic ? logarithmic_ticks : linear_ticks)(frame, axis, place, tick);
}

void frame_ticks_x(const Frame *frame) { ticks(frame, &frame->x, frame_x, frame_tick_x); }

void frame_ticks_y(const Frame *frame) { ticks(frame, &frame->y, frame_y, frame_tick_y); }

/* ---- around the frame ----------------------------------------------------------------------------------- */

void frame_lines(const Frame *frame)
{
    Canvas *canvas = frame->canvas;
    canvas->box(canvas, frame->left - 0.5, frame->top, 1, frame->bottom - frame->top, AXIS);
    canvas->box(canvas, frame->left - 0.5, frame->bottom - 0.5, frame->right - frame->left, 1, AXIS);
}

void frame_title(const Frame *frame, const char *title, const char *below)
{
    frame->canvas->text(frame->canvas, frame->left, 24, CANVAS_LEFT, 16, title);
    frame->canvas->text(frame->canvas, frame->left, frame->top - 12, CANVAS_LEFT, 12, below);
}
