/* The columns of a table as lines over its first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chart.h"
#include "halo/utf8.h"

#define BESIDE 170.0 /* for the names: pixels */

HaloStatus chart_line_axes(Chart *chart, bool log_x, bool log_y)
{
    HaloStatus status = HALO_OK;
    Frame *frame = &chart->frame;
    *frame = frame_on(NULL, BESIDE);
    frame->x.logarithmic = log_x;
    frame->y.logarithmic = log_y;
    HALO_TRY(chart_range(chart, 0, 1, &frame->x));
    HALO_TRY(chart_range(chart, 1, chart->table->columns, &frame->y));
    if (!log_y && frame->y.lo > 0) frame->y.lo = 0; /* lengths are compared by eye */
    chart_widen(&frame->x, 1);
    chart_widen(&frame->y, 1.2);
out:
    return status;
}

/* A line ends at an empty cell, and the next begins behind it. What stands alone is a dot. */
static void draw_column(const Chart *chart, int column, double *x, double *y)
{
    const CliTable *table = chart->table;
    Canvas *canvas = chart->frame.canvas;
    const uint32_t colour = chart_colour(table, column);
    CanvasLine line = {x, y, 0, chart_family(table, column) != column};
    for (size_t r = 0; r <= table->rows; r++) {
        const bool drawn =
            r < table->rows && !isnan(chart_value(chart, r, 0)) && !isnan(chart_value(chart, r, column));
        if (drawn) {
            x[line.count] = frame_x(&chart->frame, chart_value(chart, r, 0));
            y[line.count++] = frame_y(&chart->frame, chart_value(chart, r, column));
            continue;
        }
        if (line.count > 1) canvas->line(canvas, &line, colour);
        if (line.count == 1) canvas->box(canvas, x[0] - 2, y[0] - 2, 4, 4, colour);
        line.count = 0;
    }
}

static void draw_legend(const Chart *chart)
{
    const CliTable *table = chart->table;
    Canvas *canvas = chart->frame.canvas;
    for (int c = 1; c < table->columns; c++) {
        const double left = chart->frame.right + 14, y = chart->frame.top + 6 + 15 * (c - 1);
        const double x[2] = {left, left + 22}, across[2] = {y, y};
        char name[24];
        canvas->line(canvas, &(CanvasLine){x, across, 2, chart_family(table, c) != c}, chart_colour(table, c));
        snprintf(name, sizeof name, "%.*s", (int)halo_utf8_fit(table->name[c], sizeof name - 1),
                 table->name[c]);
        canvas->text(canvas, left + 28, y + 4, CANVAS_LEFT, 11, name);
    }
}

void chart_lines(const Chart *chart)
{
    const CliTable *table = chart->table;
    double *scratch = cli_alloc(2 * table->rows, sizeof *scratch);
    char below[128];
    snprintf(below, sizeof below, "by %.*s", (int)halo_utf8_fit(table->name[0], 100), table->name[0]);
    frame_title(&chart->frame, chart->title, below);
    frame_ticks_x(&chart->frame);
    frame_ticks_y(&chart->frame);
    for (int c = 1; c < table->columns; c++) draw_column(chart, c, scratch, scratch + table->rows);
    frame_lines(&chart->frame);
    draw_legend(chart);
    free(scratch);
}
