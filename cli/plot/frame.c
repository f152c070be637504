#include "frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/page.h"

#define GRID 0xe4e4e4
#define AXIS 0x333333

Frame frame_on(Canvas *canvas, int k, double beside)
{
    const bool coarse = canvas->coarse;
    const double first = coarse ? canvas->line : 36, caption = coarse ? canvas->line : 24;
    const double top = first + k * canvas->panel;
    const bool last = top + 2 * canvas->panel > canvas->height;
    return (Frame){.canvas = canvas,
                   .left = coarse ? 6 * canvas->letter : 70,
                   .right = canvas->width - (coarse ? canvas->letter : 20) - beside * canvas->letter,
                   .top = top + caption,
                   .bottom = top + canvas->panel -
                             (coarse ? canvas->line
                              : last ? 0
                                     : 6),
                   .x = {.lo = 0, .hi = 1},
                   .y = {.lo = 0, .hi = 1}};
}

/* 0 at the axis's beginning, 1 at its end. */
static double share(const Axis *axis, double value)
{
    if (axis->logarithmic) return log(value / axis->lo) / log(axis->hi / axis->lo);
    return (value - axis->lo) / (axis->hi - axis->lo);
}

/* Of dots the middles of the first and the last are the ends. */
double frame_x(const Frame *frame, double value)
{
    const double half = frame->canvas->coarse ? 0.5 : 0, width = frame->right - frame->left - 2 * half;
    return frame->left + half + width * share(&frame->x, value);
}

double frame_y(const Frame *frame, double value)
{
    const double half = frame->canvas->coarse ? 0.5 : 0, height = frame->bottom - frame->top - 2 * half;
    const double part = share(&frame->y, value);
    return frame->top + half + height * (frame->y.down ? part : 1 - part);
}

/* ---- ticks ---------------------------------------------------------------------------------------------- */

void frame_tick_x(const Frame *frame, double x, const char *label)
{
    Canvas *canvas = frame->canvas;
    if (canvas->coarse) {
        canvas->text(canvas, x, frame->bottom + canvas->line, CANVAS_MIDDLE, 12, CANVAS_INK, label);
        return;
    }
    canvas->box(canvas, x - 0.5, frame->top, 1, frame->bottom - frame->top, GRID);
    canvas->box(canvas, x - 0.5, frame->bottom, 1, 5, AXIS);
    canvas->text(canvas, x, frame->bottom + 20, CANVAS_MIDDLE, 12, CANVAS_INK, label);
}

void frame_tick_y(const Frame *frame, double y, const char *label)
{
    Canvas *canvas = frame->canvas;
    if (canvas->coarse) {
        canvas->text(canvas, frame->left - canvas->letter, fmin(y, frame->bottom - 1), CANVAS_RIGHT, 12,
                     CANVAS_INK, label);
        return;
    }
    canvas->box(canvas, frame->left, y - 0.5, frame->right - frame->left, 1, GRID);
    canvas->box(canvas, frame->left - 5, y - 0.5, 5, 1, AXIS);
    canvas->text(canvas, frame->left - 9, y + 4, CANVAS_RIGHT, 12, CANVAS_INK, label);
}

/* As many as have space for their labels. */
static int count_x(const Frame *frame)
{
    const int count = (int)((frame->right - frame->left) / (9 * frame->canvas->letter));
    return count < 1 ? 1 : count > FRAME_TICKS ? FRAME_TICKS : count;
}

int frame_count_y(const Frame *frame)
{
    const int count = (int)((frame->bottom - frame->top) / (2 * frame->canvas->line));
    return count < 1 ? 1 : count > FRAME_TICKS ? FRAME_TICKS : count;
}

/* Puts a tick at a place; NULL: only the longest label is measured. */
typedef void Tick(const Frame *frame, double at, const char *label);
typedef double Place(const Frame *frame, double value);

typedef struct Ticks {
    const Frame *frame;
    const Axis *axis;
    int count;
    Place *place;
    Tick *tick;
    size_t longest;
    double end; /* of the label before, along x */
} Ticks;

static void put_tick(Ticks *ticks, double value, const char *label)
{
    if (strlen(label) > ticks->longest) ticks->longest = strlen(label);
    if (ticks->tick == NULL) return;
    const double at = ticks->place(ticks->frame, value), letter = ticks->frame->canvas->letter;
    const double half = letter * (double)strlen(label) / 2;
    const bool hidden = ticks->place == frame_x && ticks->end > 0 && at - half < ticks->end;
    ticks->tick(ticks->frame, at, hidden ? "" : label);
    if (!hidden) ticks->end = at + half + letter;
}

static void linear_ticks(Ticks *ticks)
{
    const Axis *axis = ticks->axis;
    const double step = tick_step(axis->hi - axis->lo, ticks->count), most = axis->hi + step * 1e-6;
    const double first = ceil(axis->lo / step - 1e-6);
    char text[32];
    if (!isfinite(step) || step <= 0) return; /* a range that f64 can hardly hold has no ticks */
    for (int i = 0; i <= FRAME_TICKS && (first + i) * step <= most; i++) {
        tick_label((first + i) * step, step, text);
        put_tick(ticks, (first + i) * step, text);
    }
}

static void timed_ticks(Ticks *ticks)
{
    const Axis *axis = ticks->axis;
    const double step = tick_time_step(axis->hi - axis->lo, ticks->count);
    char text[32];
    double at = tick_next_time(axis->lo, step);
    for (int i = 0; i <= FRAME_TICKS && at <= axis->hi; i++) {
        tick_time_label(axis->kind, at, step, text);
        put_tick(ticks, at, text);
        at = tick_next_time(at + step * 0.5, step);
    }
}

/* Powers of ten, of many decades not all of them; of few decades also 2 and 5 times each. */
static void logarithmic_ticks(Ticks *ticks)
{
    static const double times[] = {1, 2, 5};
    const Axis *axis = ticks->axis;
    const double first = floor(log10(axis->lo)), decades = log10(axis->hi) - first;
    const double stride = ceil(decades / ticks->count);
    const int parts = decades <= 4 && 3 * decades < 1.5 * ticks->count ? 3 : 1;
    char text[32];
    for (double power = first; power <= first + decades; power += stride)
        for (int i = 0; i < parts; i++) {
            const double value = times[i] * pow(10.0, power);
            if (value < axis->lo * (1 - 1e-9) || value > axis->hi * (1 + 1e-9)) continue;
            snprintf(text, sizeof text, "%g", value);
            put_tick(ticks, value, text);
        }
}

static void put_ticks(Ticks *ticks)
{
    if (ticks->axis->logarithmic)
        logarithmic_ticks(ticks);
    else if (ticks->axis->kind != AXIS_NUMBER)
        timed_ticks(ticks);
    else
        linear_ticks(ticks);
}

static void grid_line(const Frame *frame, double x, const char *label)
{
    (void)label;
    if (!frame->canvas->coarse)
        frame->canvas->box(frame->canvas, x - 0.5, frame->top, 1, frame->bottom - frame->top, GRID);
}

void frame_ticks_x(const Frame *frame, bool labelled)
{
    Ticks ticks = {frame, &frame->x, count_x(frame), frame_x, labelled ? frame_tick_x : grid_line, 0, 0};
    put_ticks(&ticks);
}

void frame_ticks_y(const Frame *frame)
{
    Ticks ticks = {frame, &frame->y, frame_count_y(frame), frame_y, frame_tick_y, 0, 0};
    put_ticks(&ticks);
}

double frame_left(const Frame *frame)
{
    const Canvas *canvas = frame->canvas;
    Ticks ticks = {frame, &frame->y, frame_count_y(frame), frame_y, NULL, 0, 0};
    put_ticks(&ticks);
    if (canvas->coarse) return canvas->letter * (double)(ticks.longest + 1);
    return fmax(frame->left, 14 + 7 * (double)ticks.longest);
}

/* ---- around the frame ----------------------------------------------------------------------------------- */

static void draw_letters(const Frame *frame)
{
    Canvas *canvas = frame->canvas;
    const double left = frame->left - canvas->letter;
    const bool unicode = cli_unicode();
    for (double y = frame->top; y < frame->bottom; y += canvas->line)
        canvas->text(canvas, left, y, CANVAS_LEFT, 12, CANVAS_INK, unicode ? "│" : "|");
    for (double x = left; x < frame->right; x += canvas->letter)
        canvas->text(canvas, x, frame->bottom, CANVAS_LEFT, 12, CANVAS_INK,
                     x == left ? (unicode ? "└" : "+") : (unicode ? "─" : "-"));
}

void frame_lines(const Frame *frame)
{
    Canvas *canvas = frame->canvas;
    if (canvas->coarse) {
        draw_letters(frame);
        return;
    }
    canvas->box(canvas, frame->left - 0.5, frame->top, 1, frame->bottom - frame->top, AXIS);
    canvas->box(canvas, frame->left - 0.5, frame->bottom - 0.5, frame->right - frame->left, 1, AXIS);
}

void frame_title(const Frame *frame, const char *title)
{
    frame->canvas->text(frame->canvas, frame->left, frame->canvas->coarse ? 0 : 24, CANVAS_LEFT, 16, CANVAS_INK,
                        title);
}

void frame_aside(const Frame *frame, const char *text)
{
    frame->canvas->text(frame->canvas, frame->right, frame->canvas->coarse ? 0 : 24, CANVAS_RIGHT, 12,
                        CANVAS_INK, text);
}

double frame_above(const Frame *frame)
{
    return frame->canvas->coarse ? frame->top - frame->canvas->line : frame->top - 12;
}

void frame_caption(const Frame *frame, const char *text)
{
    frame->canvas->text(frame->canvas, frame->left, frame_above(frame), CANVAS_LEFT, 12, CANVAS_INK, text);
}
