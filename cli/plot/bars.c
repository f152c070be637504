/* A table whose rows are named: for every row a group of bars, one for each column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"

#define WIDEST 22.0 /* a bar: pixels */
#define THINNEST 3.0
#define NUMBERED 10.0 /* where its number fits beside it */
#define BETWEEN 6.0   /* groups */
#define LETTER 8.5    /* about as wide as a letter of a label */
#define BESIDE 60.0   /* for the number of the longest bar */

/* An empty cell takes no space. */
static int bars_in(const Chart *chart, size_t row)
{
    int bars = 0;
    for (int c = 1; c < chart->table->columns; c++) bars += !isnan(chart_value(chart, row, c));
    return bars;
}

/* Pixels from one bar to the next, so that all of them fit. */
static double bar_width(const Chart *chart)
{
    const double height = chart->frame.bottom - chart->frame.top;
    double bars = 0;
    for (size_t r = 0; r < chart->table->rows; r++) bars += bars_in(chart, r);
    return fmin(WIDEST, (height - (double)chart->table->rows * BETWEEN) / fmax(bars, 1));
}

static double longest_label(const CliTable *table)
{
    const char *label = table->labels.data;
    size_t longest = 0;
    for (size_t r = 0; r < table->rows; r++) {
        const size_t length = strlen(label);
        if (length > longest) longest = length;
        label += length + 1;
    }
    return (double)longest;
}

HaloStatus chart_bar_axes(Chart *chart, bool logarithmic)
{
    HaloStatus status = HALO_OK;
    const CliTable *table = chart->table;
    Frame *frame = &chart->frame;
    *frame = frame_on(NULL, BESIDE);
    frame->left = 20 + LETTER * fmin(longest_label(table), 60);
    if (bar_width(chart) < THINNEST)
        HALO_FAIL(HALO_ERR_INPUT, "%s: %zu rows of %d bars are too many for a plot", chart->path, table->rows,
                  table->columns - 1);
    frame->x.logarithmic = logarithmic;
    HALO_TRY(chart_range(chart, 1, table->columns, &frame->x));
    if (!logarithmic) {
        frame->x.lo = fmin(frame->x.lo, 0); /* lengths are compared by eye */
        frame->x.hi = fmax(frame->x.hi, 0);
    }
    chart_widen(&frame->x, 1.5);
out:
    return status;
}

static void draw_bar(const Chart *chart, double y, double width, double value, uint32_t colour)
{
    Canvas *canvas = chart->frame.canvas;
    const double from = frame_x(&chart->frame, chart->frame.x.logarithmic ? chart->frame.x.lo : 0);
    const double to = frame_x(&chart->frame, value);
    char number[32];
    snprintf(number, sizeof number, fabs(value) >= 1000 && fabs(value) < 1e7 ? "%.0f" : "%.3g", value);
    canvas->box(canvas, fmin(from, to), y, fabs(to - from), width - 1, colour);
    if (width >= NUMBERED)
        canvas->text(canvas, fmax(from, to) + 4, y + width / 2 + 3.5, CANVAS_LEFT, 11, number);
}

/* In a line above the frame. */
static void draw_legend(const Chart *chart)
{
    const CliTable *table = chart->table;
    const Frame *frame = &chart->frame;
    double x = frame->left;
    for (int c = 1; c < table->columns; c++) {
        frame->canvas->box(frame->canvas, x, frame->top - 21, 10, 10, chart_colour(table, c));
        frame->canvas->text(frame->canvas, x + 15, frame->top - 12, CANVAS_LEFT, 12, table->name[c]);
        x += 35 + LETTER * (double)strlen(table->name[c]);
    }
}

void chart_bars(const Chart *chart)
{
    const CliTable *table = chart->table;
    const Frame *frame = &chart->frame;
    const char *label = table->labels.data;
    const double width = bar_width(chart);
    double y = frame->top + BETWEEN / 2;
    frame_title(frame, chart->title, "");
    frame_ticks_x(frame);
    for (size_t r = 0; r < table->rows; r++, label += strlen(label) + 1, y += BETWEEN) {
        frame->canvas->text(frame->canvas, frame->left - 9, y + width * bars_in(chart, r) / 2 + 4, CANVAS_RIGHT,
                            12, label);
        for (int c = 1; c < table->columns; c++) {
            const double value = chart_value(chart, r, c);
            if (isnan(value)) continue;
            draw_bar(chart, y, width, value, chart_colour(table, c));
            y += width;
        }
    }
    frame_lines(frame);
    draw_legend(chart);
}
