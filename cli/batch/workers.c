/* Several files at the same time: while one is decoded or encoded another is transferred or computed. Each
 * worker does all of it for its file, on the CPU and on GPUs alike. Workers take items in order, and not too
 * far ahead of the first one that is not reported yet, so that results do not pile up. A file that needs more
 * host or GPU memory than a worker's share runs alone. */
#include "workers.h"

#include <stdlib.h>
#include <string.h>

#include "halo/machine.h"
#include "halo/thread.h"
#include "journal.h"

/* How many outcomes may wait for an earlier one, per worker. */
#define LEAD 4

typedef struct Worker {
    CliWorkers *all;
    HaloSession *session;
    pthread_t thread;
} Worker;

typedef struct Ready {
    bool is;
    CliOutcome outcome;
} Ready;

struct CliWorkers {
    const CliSettings *settings;
    const HaloPipeline *pipeline; /* theirs all */
    const CliBatch *batch;
    Worker *worker;
    int count;             /* threads that run */
    pthread_rwlock_t turn; /* held for reading by workers, for writing by one that must run alone */
    pthread_mutex_t lock;  /* of everything below */
    pthread_cond_t moved;
    size_t next;      /* the first item that no worker has taken, */
    size_t concluded; /* and the first that has not been waited for */
    bool stop;
    size_t capacity; /* items between the two, at most */
    Ready *ready;    /* [capacity], of item i at i mod capacity */
};

/* ---- one item ------------------------------------------------------------------------------------------- */

void cli_outcome_free(CliOutcome *outcome)
{
    halo_report_clear(&outcome->report);
    free(outcome->error);
    *outcome = (CliOutcome){0};
}

bool cli_is_wanted(const CliSettings *settings, const CliItem *item)
{
    return item->status == HALO_OK && !item->done && !(settings->skip_existing && cli_in_the_way(item->output));
}

CliOutcome cli_run_item(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                        const CliBatch *batch, const CliItem *item)
{
    CliOutcome outcome = {.fate = CLI_RAN};
    const HaloJob job = {.input = item->input,
                         .output = item->output,
                         .split = settings->split,
                         .to = settings->to,
                         .raw = settings->raw.kind != 0 ? &settings->raw : NULL,
                         .force = cli_force(settings, item),
                         .read = batch->read,
                         .reads = batch->reads,
                         .write = settings->write};
    const CliBegun begun = cli_journal_begin(batch->journal, item, job.force);
    if (settings->out_dir != NULL) outcome.status = cli_make_folders(item->output, settings->write.sync);
    if (outcome.status == HALO_OK) outcome.status = halo_run_job(session, pipeline, &job, &outcome.report);
    if (outcome.status != HALO_OK) outcome.error = cli_failure(item, outcome.status);
    cli_journal_end(batch->journal, item, begun, outcome.status);
    return outcome;
}

/* ---- sharing -------------------------------------------------------------------------------------------- */

int cli_jobs(const CliSettings *settings)
{
    return settings->engine.jobs > 0 ? settings->engine.jobs : halo_machine()->threads;
}

void cli_share_jobs(const CliSettings *settings, size_t files, int *workers, int *threads)
{
    const int jobs = cli_jobs(settings);
    *workers = (size_t)jobs < files ? jobs : (int)files;
    if (*workers < 1 || settings->engine.verify) *workers = 1;
    *threads = jobs / *workers;
}

/* ---- at work -------------------------------------------------------------------------------------------- */

/* Takes the next item; false when there are no more. */
static bool take(CliWorkers *all, size_t *item)
{
    pthread_mutex_lock(&all->lock);
    while (!all->stop && all->next < all->batch->count && all->next - all->concluded >= all->capacity)
        pthread_cond_wait(&all->moved, &all->lock);
    const bool taken = !all->stop && all->next < all->batch->count;
    if (taken) *item = all->next++;
    pthread_mutex_unlock(&all->lock);
    return taken;
}

static void put(CliWorkers *all, size_t item, const CliOutcome *outcome)
{
    pthread_mutex_lock(&all->lock);
    all->ready[item % all->capacity] = (Ready){true, *outcome};
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
}

static CliOutcome attempt(const Worker *self, const CliItem *item)
{
    const CliSettings *settings = self->all->settings;
    if (!cli_is_wanted(settings, item)) return (CliOutcome){.fate = CLI_NOT_RUN};
    if (strcmp(item->input, "-") == 0) return (CliOutcome){.fate = CLI_LEFT};
    CliOutcome outcome = cli_run_item(settings, self->session, self->all->pipeline, self->all->batch, item);
    if (outcome.status != HALO_ERR_LIMIT && outcome.status != HALO_ERR_DEVICE) return outcome;
    cli_outcome_free(&outcome);
    return (CliOutcome){.fate = CLI_LEFT};
}

static void *worker_main(void *argument)
{
    Worker *self = argument;
    CliWorkers *all = self->all;
    for (size_t item; take(all, &item);) {
        pthread_rwlock_rdlock(&all->turn);
        const CliOutcome outcome = attempt(self, &all->batch->item[item]);
        pthread_rwlock_unlock(&all->turn);
        put(all, item, &outcome);
    }
    return NULL;
}

/* With --device all the workers take the GPUs in turn. */
static HaloStatus start_worker(CliWorkers *all, HaloOptions options)
{
    Worker *worker = &all->worker[all->count];
    HaloStatus status = HALO_OK;
    worker->all = all;
    if (options.device == HALO_DEVICE_ALL) options.gpu = all->count;
    HALO_TRY(halo_session_open_with(halo_tables(), &options, &worker->session));
    if (!halo_thread_start(&worker->thread, worker_main, worker))
        HALO_FAIL(HALO_ERR_LIMIT, "cannot start a thread");
    all->count++;
out:
    if (status != HALO_OK) halo_session_close(worker->session);
    return status;
}

HaloStatus cli_workers_start(const CliSettings *settings, const HaloPipeline *pipeline, const CliBatch *batch,
                             CliWorkers **workers)
{
    HaloOptions options = settings->engine;
    HaloStatus status = HALO_OK;
    int count;
    *workers = NULL;
    cli_share_jobs(settings, batch->count, &count, &options.jobs);
    if (count < 2) return HALO_OK;
    options.share = count;
    options.files = (int64_t)batch->count;
    CliWorkers *all = *workers = cli_alloc(1, sizeof *all);
    all->settings = settings;
    all->pipeline = pipeline;
    all->batch = batch;
    all->worker = cli_alloc((size_t)count, sizeof *all->worker);
    all->capacity = (size_t)count * LEAD;
    all->ready = cli_alloc(all->capacity, sizeof *all->ready);
    pthread_rwlock_init(&all->turn, NULL);
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->moved, NULL);
    while (all->count < count && status == HALO_OK) status = start_worker(all, options);
    return all->count > 0 ? HALO_OK : status; /* fewer threads do as well */
}

/* ---- the caller's side ---------------------------------------------------------------------------------- */

CliOutcome cli_workers_wait(CliWorkers *all, size_t i)
{
    pthread_mutex_lock(&all->lock);
    Ready *ready = &all->ready[i % all->capacity];
    while (!ready->is) pthread_cond_wait(&all->moved, &all->lock);
    const CliOutcome outcome = ready->outcome;
    *ready = (Ready){0};
    all->concluded = i + 1;
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
    return outcome;
}

void cli_workers_pause(CliWorkers *all)
{
    pthread_rwlock_wrlock(&all->turn);
    for (int i = 0; i < all->count; i++) halo_session_trim(all->worker[i].session);
}

void cli_workers_resume(CliWorkers *all) { pthread_rwlock_unlock(&all->turn); }

void cli_workers_stop(CliWorkers *all)
{
    if (all == NULL) return;
    pthread_mutex_lock(&all->lock);
    all->stop = true;
    pthread_cond_broadcast(&all->moved);
    pthread_mutex_unlock(&all->lock);
    for (int i = 0; i < all->count; i++) {
        pthread_join(all->worker[i].thread, NULL);
        halo_session_close(all->worker[i].session);
    }
    for (size_t i = 0; i < all->capacity; i++) cli_outcome_free(&all->ready[i].outcome);
    pthread_cond_destroy(&all->moved);
    pthread_mutex_destroy(&all->lock);
    pthread_rwlock_destroy(&all->turn);
    free(all->ready);
    free(all->worker);
    free(all);
}
