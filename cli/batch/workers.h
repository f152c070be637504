/* Several files at the same time: each worker is a thread with a session of its own. */
#ifndef CLI_WORKERS_H
#define CLI_WORKERS_H

#include "batch.h"

/* The outcome of one item. It is reported and counted elsewhere, in the order of the inputs. */
typedef struct CliOutcome {
    enum {
        CLI_NOT_RUN, /* nothing is to be done, as cli_is_wanted says */
        CLI_RAN,
        CLI_LEFT /* the caller has to run it, while no worker runs: standard input, an item that needs more
                    memory than a worker's share, or on which a GPU failed */
    } fate;
    HaloStatus status;
    char *error; /* the sentence about a failure, which names what it is about */
    HaloReport report;
} CliOutcome;

void cli_outcome_free(CliOutcome *outcome);

/* False for what has failed before, for what --resume found done, and for outputs that are there under
 * --skip-existing. */
bool cli_is_wanted(const CliSettings *settings, const CliItem *item);
/* One item of a batch through a pipeline, in this thread. */
CliOutcome cli_run_item(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                        const CliBatch *batch, const CliItem *item);

/* Threads that `--jobs` allows; and how many of `files` run at the same time, with how many threads each. */
int cli_jobs(const CliSettings *settings);
void cli_share_jobs(const CliSettings *settings, size_t files, int *workers, int *threads);

typedef struct CliWorkers CliWorkers;

/* Starts a batch; *workers is NULL if its files are better processed one after the other. All workers share the
 * pipeline: what it names may be a pipe, which can be read once. */
HaloStatus cli_workers_start(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch,
                             CliWorkers **workers);
/* Waits for item i; to be called for all, in order. */
CliOutcome cli_workers_wait(CliWorkers *workers, size_t i);
/* Waits until no worker is running and lets none begin; their spare memory is freed, so that the caller has it
 * all. */
void cli_workers_pause(CliWorkers *workers);
void cli_workers_resume(CliWorkers *workers);
/* Starts no further items, and waits for those that are running. NULL is fine. */
void cli_workers_stop(CliWorkers *workers);

#endif
