/* Threads that share tasks: each task runs once, and has run when it is reported as done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cmocka.h>

#include "halo/pool.h"
#include "random.h"

enum { TASKS = 300 };

typedef struct Work {
    atomic_int times[TASKS];
    atomic_uint idle; /* makes tasks long and short */
} Work;

static void task(void *context, int64_t i, int worker)
{
    Work *work = context;
    (void)worker;
    for (int64_t k = 0; k < i * 7919 % 2000; k++) atomic_fetch_add(&work->idle, 1);
    atomic_fetch_add(&work->times[i], 1);
}

static void given_tasks_run_once(Rng *rng)
{
    Work work = {0};
    HaloPool *pool;
    const int64_t tasks = rng_between(rng, 0, TASKS);
    assert_int_equal(halo_pool_new((int)rng_between(rng, 1, 4), &pool), HALO_OK);
    halo_pool_run(pool, tasks, task, &work);
    for (int64_t i = 0; i < TASKS; i++) assert_int_equal(work.times[i], i < tasks);
    halo_pool_free(pool);
}

static void added_tasks_run_once(Rng *rng)
{
    Work work = {0};
    HaloPool *pool;
    const int64_t tasks = rng_between(rng, 0, TASKS), capacity = rng_between(rng, 1, 8);
    assert_int_equal(halo_pool_new((int)rng_between(rng, 1, 4), &pool), HALO_OK);
    for (int64_t put = 0; put < tasks;) {
        halo_pool_put(pool, task, &work);
        put++;
        const int64_t least = put - capacity, done = halo_pool_done(pool, least);
        assert_true(done >= least && done <= put);
        for (int64_t i = 0; i < done; i++) assert_int_equal(work.times[i], 1);
    }
    if (rng_once_in(rng, 2)) { /* else the rest is dropped, or done while the pool ends */
        assert_int_equal(halo_pool_done(pool, tasks), tasks);
        for (int64_t i = 0; i < TASKS; i++) assert_int_equal(work.times[i], i < tasks);
    }
    halo_pool_free(pool);
    for (int64_t i = 0; i < TASKS; i++) assert_true(work.times[i] <= (i < tasks));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(given_tasks_run_once, 200),
                                       random_test(added_tasks_run_once, 400)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
