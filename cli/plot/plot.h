/* --plot: a histogram (histogram.c), or what a pipeline makes of sound; and --plot-response (sound.c). */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "report/report.h"

/* Of `input`, as PNG or SVG by the path's extension. */
HaloStatus cli_plot_histogram(const CliSettings *settings, const char *input, const HaloResult *result);

/* The spectrogram, or the series, that the pipeline makes of `input`. */
HaloStatus cli_plot_sound(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                          const char *input);
/* What the pipeline, whose text this is, does to every frequency. */
HaloStatus cli_plot_response(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                             const char *text);

#endif
