/* A plot as an output of halo_run_job: a format whose file is a drawing of what the pipeline makes. */
#ifndef CLI_PLOT_OUTPUT_H
#define CLI_PLOT_OUTPUT_H

#include "options.h"

typedef struct PlotOutput {
    HaloFormat format; /* first: a writer has its address */
    const CliSettings *settings;
    const char *path, *input; /* of the plot; and its title where none is given */
    bool first_is_x;          /* the first of several channels is the axis, where there are no times */
} PlotOutput;

/* A drawing comes at the end: blocks of a stream need not be short. */
#define PLOT_LATENCY_MS 3600000

/* Takes out of the notes of such a run what a drawing cannot hold anyway. */
void plot_notes(HaloNotes *notes);
PlotOutput plot_output(const CliSettings *settings, const char *path, const char *input);

#endif
