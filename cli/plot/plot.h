/* --plot, of what a pipeline makes or measures (plot.c, histogram.c); and --plot-response (response.c). The
 * command `halo plot` is in command.c. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "batch/batch.h"
#include "report/report.h"

/* HALO_ERR_USAGE, HALO_ERR_INPUT: may --plot be given with these settings? */
HaloStatus cli_plot_check(const CliSettings *settings);
/* Of `input`, to --plot: a histogram, */
HaloStatus cli_plot_histogram(const CliSettings *settings, const char *input, const HaloResult *result);
/* the regions that `halo objects` has measured, over the picture, which is read again, */
HaloStatus cli_plot_objects(const CliSettings *settings, HaloSession *session, const char *input,
                            const HaloReport *report, const HaloTable *table);
/* or the sound, series or image that the pipeline makes of it, by running it. */
HaloStatus cli_plot_output(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                           const CliBatch *batch, const char *input, HaloReport *report);

/* What the pipeline, whose text this is, does to every frequency. */
HaloStatus cli_plot_response(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                             const char *text);

#endif
