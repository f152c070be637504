/* What drawings of a table share: lines over numbers, and bars beside words. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "frame.h"
#include "options.h"
#include "table.h"

typedef struct Chart {
    const CliTable *table;
    Frame frame;
    const char *path, *title;
} Chart;

static inline double chart_value(const Chart *chart, size_t row, int column)
{
    return chart->table->value[row * (size_t)chart->table->columns + (size_t)column];
}

/* From the least to the greatest of the columns from `first` on, up to `last`. HALO_ERR_INPUT names what has no
 * place on such an axis. */
HaloStatus chart_range(const Chart *chart, int first, int last, Axis *axis);
/* Extends a logarithmic axis by this factor at both ends; an axis of a single value gets that in its middle. */
void chart_widen(Axis *axis, double times);

/* The column that this one belongs to: "box, peer" to "box". Such share a colour. */
int chart_family(const CliTable *table, int column);
uint32_t chart_colour(const CliTable *table, int column);

/* lines.c, bars.c: the axes that hold everything, and the drawing on the frame's canvas. */
HaloStatus chart_line_axes(Chart *chart, bool log_x, bool log_y);
void chart_lines(const Chart *chart);
HaloStatus chart_bar_axes(Chart *chart, bool logarithmic);
void chart_bars(const Chart *chart);

#endif
