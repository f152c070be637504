/* --plot: a histogram, drawn (plot.c). */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "report/report.h"

/* Of `input`, as PNG or SVG by the path's extension. */
HaloStatus cli_plot_histogram(const CliSettings *settings, const CliBatch *batch, const char *input,
                              const HaloResult *result);

#endif
