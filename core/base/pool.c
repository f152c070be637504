/* The thread pool: workers sleep on a condition variable. Tasks of a batch are taken by an atomic counter;
 * tasks that arrive one by one are taken under the lock. Results never depend on which worker takes which task.
 */
#include "halo/pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "halo/thread.h"

typedef struct Worker {
    HaloPool *pool;
    int index;
    pthread_t thread;
    int64_t at; /* the queued task that it is running; NO_TASK */
} Worker;

#define NO_TASK INT64_MAX

struct HaloPool {
    int jobs;    /* threads wanted, the caller included */
    int workers; /* threads running, the caller excluded */
    bool started;
    Worker *worker; /* [jobs]; 0 is the caller's and has no thread */

    pthread_mutex_t lock; /* of everything below but `next` */
    pthread_cond_t work, done;
    uint64_t round; /* counts the runs, so that a worker takes part in each of them once; */
    bool open;      /* it may still join this one, */
    int busy;       /* which so many have joined and not finished */
    bool stop;
    HaloTask *task;
    void *context;
    int64_t tasks;
    int64_t put, taken; /* of tasks that come one by one */
    atomic_int_fast64_t next;
};

static void take_tasks(HaloPool *pool, HaloTask *task, void *context, int64_t tasks, int worker)
{
    for (;;) {
        const int64_t i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= tasks) return;
        task(context, i, worker);
    }
}

/* Runs one queued task; the lock is held before and after. */
static void take_put(HaloPool *pool, Worker *self)
{
    const int64_t i = self->at = pool->taken++;
    HaloTask *task = pool->task;
    void *context = pool->context;
    pthread_mutex_unlock(&pool->lock);
    task(context, i, self->index);
    pthread_mutex_lock(&pool->lock);
    self->at = NO_TASK;
    pthread_cond_signal(&pool->done);
}

static void *worker_main(void *argument)
{
    Worker *self = argument;
    HaloPool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->stop && (!pool->open || pool->round == seen) && pool->taken == pool->put)
            pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->stop) break;
        if (pool->taken < pool->put) {
            take_put(pool, self);
            continue;
        }
        seen = pool->round;
        pool->busy++;
        HaloTask *task = pool->task;
        void *context = pool->context;
        const int64_t tasks = pool->tasks;
        pthread_mutex_unlock(&pool->lock);
        take_tasks(pool, task, context, tasks, self->index);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Starting fewer threads than requested, even none, is no error: the caller does the work itself. */
static void start(HaloPool *pool)
{
    pool->started = true;
    while (pool->workers < pool->jobs - 1) {
        Worker *worker = &pool->worker[pool->workers + 1];
        worker->pool = pool;
        worker->index = pool->workers + 1;
        if (!halo_thread_start(&worker->thread, worker_main, worker)) break;
        pool->workers++;
    }
}

HaloStatus halo_pool_new(int jobs, HaloPool **out)
{
    HaloPool *pool = calloc(1, sizeof *pool);
    Worker *worker = calloc((size_t)jobs, sizeof *worker);
    if (pool == NULL || worker == NULL) {
        free(pool);
        free(worker);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %d threads", jobs);
    }
    pool->jobs = jobs;
    pool->worker = worker;
    for (int i = 0; i < jobs; i++) worker[i].at = NO_TASK;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    atomic_init(&pool->next, 0);
    *out = pool;
    return HALO_OK;
}

void halo_pool_free(HaloPool *pool)
{
    if (pool == NULL) return;
    pthread_mutex_lock(&pool->lock);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 1; i <= pool->workers; i++) pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->worker);
    free(pool);
}

void halo_pool_run(HaloPool *pool, int64_t tasks, HaloTask *task, void *context)
{
    if (tasks > 1 && pool->jobs > 1 && !pool->started) start(pool);
    if (tasks < 2 || pool->workers == 0) {
        for (int64_t i = 0; i < tasks; i++) task(context, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->tasks = tasks;
    pool->open = true;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->round++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    take_tasks(pool, task, context, tasks, 0);
    pthread_mutex_lock(&pool->lock);
    pool->open = false; /* nothing is left for a worker that has not woken up yet */
    while (pool->busy > 0) pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void halo_pool_put(HaloPool *pool, HaloTask *task, void *context)
{
    if (pool->put > 0 && pool->jobs > 1 && !pool->started) start(pool);
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->context = context;
    pool->put++;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

/* All before this one are done. */
static int64_t first_at_work(const HaloPool *pool)
{
    int64_t first = pool->taken;
    for (int i = 0; i <= pool->workers; i++)
        if (pool->worker[i].at < first) first = pool->worker[i].at;
    return first;
}

int64_t halo_pool_done(HaloPool *pool, int64_t least)
{
    int64_t done;
    pthread_mutex_lock(&pool->lock);
    while ((done = first_at_work(pool)) < least)
        if (pool->taken < pool->put)
            take_put(pool, &pool->worker[0]);
        else
            pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return done;
}
