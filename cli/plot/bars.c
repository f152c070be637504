/* A table whose rows are named: for every row a group of bars, one for each column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chart.h"

#define WIDEST 22.0 /* a bar: pixels */
#define THINNEST 3.0
#define NUMBERED 10.0  /* where its number fits beside it */
#define BETWEEN 6.0    /* groups */
#define LETTER 8.5     /* about as wide as a letter of a label */
#define BESIDE 10.0    /* letters, for the number of the longest bar */
#define MOST_LINES 400 /* of a terminal */

/* An empty cell takes no space. */
static int bars_in(const Chart *chart, size_t row)
{
    int bars = 0;
    for (int c = 1; c < chart->table->columns; c++) bars += !isnan(chart_value(chart, row, c));
    return bars;
}

static double bars_of(const Chart *chart)
{
    double bars = 0;
    for (size_t r = 0; r < chart->table->rows; r++) bars += bars_in(chart, r);
    return fmax(bars, 1);
}

static double between(const Chart *chart) { return chart->canvas->coarse ? chart->canvas->line : BETWEEN; }

/* From one bar to the next, so that all of them fit. */
static double bar_width(const Chart *chart)
{
    const double height = chart->frame->bottom - chart->frame->top;
    if (chart->canvas->coarse) return chart->canvas->line;
    return fmin(WIDEST, (height - (double)chart->table->rows * BETWEEN) / bars_of(chart));
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

/* A terminal has as many lines as bars need. */
static void lay_out(Chart *chart, const char *output)
{
    const CliTable *table = chart->table;
    const double lines = bars_of(chart) + (double)table->rows + 2;
    chart->canvas = canvas_for(output, 1, (int)fmin(lines, MOST_LINES));
    const double letter = chart->canvas->coarse ? chart->canvas->letter : LETTER;
    chart->frame[0] = frame_on(chart->canvas, 0, BESIDE);
    chart->frame->left = letter * fmin(longest_label(table), chart->canvas->coarse ? 30 : 60);
    chart->frame->left += chart->canvas->coarse ? letter : 20;
    chart->panels = 1;
}

HaloStatus chart_bar_axes(Chart *chart, const char *output, bool logarithmic)
{
    HaloStatus status = HALO_OK;
    const CliTable *table = chart->table;
    Axis *axis = &chart->frame->x;
    lay_out(chart, output);
    const double width = bar_width(chart), height = chart->frame->bottom - chart->frame->top;
    if (width < THINNEST || width * bars_of(chart) + between(chart) * (double)table->rows > height + 0.5)
        HALO_FAIL(HALO_ERR_INPUT, "%s: %zu rows of %d bars are too many for a plot", chart->path, table->rows,
                  table->columns - 1);
    axis->logarithmic = logarithmic;
    chart_empty(axis);
    for (int c = 1; c < table->columns; c++) HALO_TRY(chart_extend(chart, c, axis));
    HALO_TRY(chart_found(chart, axis));
    if (!logarithmic) {
        axis->lo = fmin(axis->lo, 0); /* lengths are compared by eye */
        axis->hi = fmax(axis->hi, 0);
    }
    chart_widen(axis, 1.5);
out:
    return status;
}

static void draw_bar(const Chart *chart, double y, double width, double value, uint32_t colour)
{
    Canvas *canvas = chart->canvas;
    const Frame *frame = chart->frame;
    const double from = frame_x(frame, frame->x.logarithmic ? frame->x.lo : 0), to = frame_x(frame, value);
    char number[32];
    snprintf(number, sizeof number, fabs(value) >= 1000 && fabs(value) < 1e7 ? "%.0f" : "%.3g", value);
    canvas->box(canvas, fmin(from, to), y, fabs(to - from), canvas->coarse ? width : width - 1, colour);
    if (canvas->coarse)
        canvas->text(canvas, fmax(from, to) + canvas->letter, y, CANVAS_LEFT, 11, CANVAS_INK, number);
    else if (width >= NUMBERED)
        canvas->text(canvas, fmax(from, to) + 4, y + width / 2 + 3.5, CANVAS_LEFT, 11, CANVAS_INK, number);
}

/* In a line above the frame. */
static void draw_legend(const Chart *chart)
{
    const CliTable *table = chart->table;
    const Frame *frame = chart->frame;
    Canvas *canvas = chart->canvas;
    double x = frame->left;
    for (int c = 1; c < table->columns; c++) {
        const double length = (double)strlen(table->name[c]);
        const uint32_t colour = chart_colour(table, c);
        if (canvas->coarse) {
            canvas->text(canvas, x, frame_above(frame), CANVAS_LEFT, 12, colour, table->name[c]);
            x += canvas->letter * (length + 2);
            continue;
        }
        canvas->box(canvas, x, frame->top - 21, 10, 10, colour);
        canvas->text(canvas, x + 15, frame->top - 12, CANVAS_LEFT, 12, CANVAS_INK, table->name[c]);
        x += 35 + LETTER * length;
    }
}

void chart_bars(const Chart *chart)
{
    const CliTable *table = chart->table;
    const Frame *frame = chart->frame;
    Canvas *canvas = chart->canvas;
    const char *label = table->labels.data;
    const double width = bar_width(chart);
    double y = frame->top + (canvas->coarse ? 0 : BETWEEN / 2);
    frame_title(frame, chart->title);
    frame_ticks_x(frame, true);
    for (size_t r = 0; r < table->rows; r++, label += strlen(label) + 1, y += between(chart)) {
        const int bars = bars_in(chart, r);
        canvas->text(canvas, frame->left - (canvas->coarse ? canvas->letter : 9),
                     canvas->coarse ? y + width * ((bars - 1) / 2) : y + width * bars / 2 + 4, CANVAS_RIGHT, 12,
                     CANVAS_INK, label);
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
