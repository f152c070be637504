/* The state of a command while it runs: its batch, and everything that its files are run with. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "batch/batch.h"
#include "batch/workers.h"
#include "halo/align.h"
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
    int results_to;    /* the file descriptor of what is printed, */
    HaloSink *results; /* or the file of results; else NULL */
    CliTally tally;
    bool warned;    /* that a GPU failed */
    CliSheet sheet; /* --csv */
    CliFates fates;
} CliWork;

/* handle.c: handles item `i`, and reports, records and counts the outcome. Anything but HALO_OK ends the batch.
 */
HaloStatus cli_handle(CliWork *work, size_t i);

/* results.c: where -o names a CSV file and the pipeline only measures, that file gets the results, as --csv
 * prints them: `own`, the settings of this run, then has no other output. Opened before any input is read, and
 * put in place, or left as it was, by `status`. */
HaloStatus cli_results_take(const HaloPipeline *pipeline, CliSettings *own);
HaloStatus cli_results_open(CliWork *work);
HaloStatus cli_results_close(CliWork *work, HaloStatus status);

/* align.c: complains where the peak of a correlation is no more than that of pictures with nothing in common.
 */
void cli_doubt_shift(const char *reference, const char *file, const HaloShift *shift);

/* explain.c: --explain, of one file. */
void cli_print_plan(const CliWork *work, const CliItem *item, const HaloExplanation *explanation, FILE *to);

/* mistakes.c: the text of the pipeline "op:args", behind the page of --page and the icc of --to-srgb; the
 * caller frees it. */
char *cli_with_page(const CliSettings *settings, const char *op, const char *args);
/* mistakes.c: `halo run IN -o OUT`: where a file stands in place of the pipeline, samples are copied. Else the
 * failure that there was, or a better one: a pipeline behind a file is in the wrong place. */
HaloStatus cli_copy_instead(CliWork *work, HaloStatus status);
/* HALO_ERR_USAGE for words that are no inputs: an operation that | should have joined, a value that -q does not
 * take. */
HaloStatus cli_check_inputs(CliWork *work, const char *const *input, size_t count);
/* HALO_ERR_USAGE: an output is missing? */
HaloStatus cli_no_output(const CliSettings *settings);

#endif
