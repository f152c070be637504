/* Sound and series that have been traced, drawn over their times, or their own first channel. */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "canvas.h"
#include "output.h"
#include "trace.h"

#define PLOT_CLOCK_FROM 100 /* seconds of a recording, from which on they are shown as minutes and hours */

/* At most 60 bytes of the title; the caller frees it. */
char *plot_title(const PlotOutput *output);
/* Sound has a panel for each channel, with full scale; series share one unless --panels is given. The canvas is
 * the caller's, also after a failure; NULL: there is none. */
HaloStatus plot_series(const HaloWriter *writer, const PlotOutput *output, const Trace *trace, Canvas **canvas);

/* More channels than lines can show are a picture, the first below, whose colours are the values. */
void plot_many(const HaloWriter *writer, const PlotOutput *output, const Trace *trace, Canvas **canvas);

#endif
