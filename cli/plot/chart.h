/* What drawings of a table share: lines over numbers or times, and bars beside words. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "frame.h"
#include "options.h"
#include "table.h"

#define CHART_MOST 20 /* columns that are drawn: their names fit beside the frame */

/* How columns share panels. */
typedef enum ChartPanels {
    CHART_TOGETHER, /* all in one, */
    CHART_BY_UNIT,  /* those of one unit, "temp [K]", or without one each by itself */
    CHART_EACH
} ChartPanels;

typedef struct Chart {
    const CliTable *table;
    const char *path, *title; /* `path`: of the table, for messages */
    Canvas *canvas;
    ChartPanels how;
    AxisKind kind; /* of the first column */
    double lo, hi; /* lo < hi: every y axis has at least this range */
    double end;    /* and the x axis goes at least as far */
    Frame frame[CHART_MOST];
    int panel[CHART_MOST + 1]; /* of each column */
    int panels;
} Chart;

static inline double chart_value(const Chart *chart, size_t row, int column)
{
    return chart->table->value[row * (size_t)chart->table->columns + (size_t)column];
}

/* Extends `axis` from the least to the greatest of a column. HALO_ERR_INPUT names what has no place on such an
 * axis. */
HaloStatus chart_extend(const Chart *chart, int column, Axis *axis);
void chart_empty(Axis *axis);
/* HALO_ERR_INPUT: nothing was found. */
HaloStatus chart_found(const Chart *chart, const Axis *axis);
/* Extends a logarithmic axis by this factor at both ends; an axis of a single value gets that in its middle. */
void chart_widen(Axis *axis, double times);

/* The column that this one belongs to: "box, peer" to "box". Such share a colour. */
int chart_family(const CliTable *table, int column);
uint32_t chart_colour(const CliTable *table, int column);

/* lines.c, bars.c: the panels and axes that hold everything on a canvas for `output`; the drawing on it. */
HaloStatus chart_line_axes(Chart *chart, const char *output, bool log_x, bool log_y);
void chart_lines(const Chart *chart);
HaloStatus chart_bar_axes(Chart *chart, const char *output, bool logarithmic);
void chart_bars(const Chart *chart);

#endif
