/* The state of a command while it runs: its batch, and everything that its files are run with. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "batch/batch.h"
#include "batch/workers.h"
#include "report/report.h"
#include "total/totals.h"

typedef struct CliWork {
    const CliSettings *settings;
    HaloSession *session;
    char *text; /* of the pipeline */
    HaloPipeline *pipeline;
    CliWorkers *workers; /* NULL: one file after the other */
    CliBatch batch;
    uint64_t recipe;   /* of all that results and outputs depend on */
    CliTotals *totals; /* --total, or NULL */
    int results_to;    /* the file descriptor of what is printed */
    CliTally tally;
    bool warned; /* that a GPU failed */
    bool sheet;  /* --csv: the header is there */
    CliFates fates;
} CliWork;

/* handle.c: handles item `i`, and reports, records and counts the outcome. Anything but HALO_OK ends the batch.
 */
HaloStatus cli_handle(CliWork *work, size_t i);

/* explain.c: --explain, of one file. */
void cli_print_plan(const CliWork *work, const CliItem *item, const HaloExplanation *explanation, FILE *to);

#endif
