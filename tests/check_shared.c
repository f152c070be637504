/* One pipeline for several sessions: it outlives the session that parsed it, does not change, and gives every
 * thread the same result. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "pipelines.h"

enum { THREADS = 3, RUNS = 10 };

typedef struct Runs {
    const HaloPipeline *pipeline;
    const HaloBuf *in;
    HaloBuf out; /* of the first */
    bool failed;
} Runs;

static void *run_often(void *argument)
{
    Runs *runs = argument;
    for (int i = 0; i < RUNS && !runs->failed; i++) {
        HaloSession *session = NULL;
        HaloPlan *plan = NULL;
        HaloBuf out = {0};
        HaloResults results = {0};
        runs->failed = halo_session_open_with(halo_tables(), &(HaloOptions){.jobs = 1}, &session) != HALO_OK ||
                       halo_plan_make(session, runs->pipeline, &runs->in->shape, NULL, &plan) != HALO_OK ||
                       halo_plan_execute(session, plan, runs->in, &out, &results, NULL) != HALO_OK ||
                       (i > 0 && memcmp(out.data, runs->out.data, (size_t)(out.stride * out.rows)) != 0);
        if (i == 0)
            runs->out = out;
        else
            halo_buf_free(&out);
        halo_results_free(&results);
        halo_plan_free(plan);
        halo_session_close(session);
    }
    return NULL;
}

static void sessions_share_a_pipeline(void **unused)
{
    (void)unused;
    const char *mask = test_path("mask.txt");
    const char text[] =
        "conv:mask=%s | gauss:1.5 | stats:percentiles=\"1 50\" | reduce:\"a+b\" | hist | median:3";
    char pipeline_text[300];
    HaloPipeline *pipeline;
    HaloSession *session;
    Rng rng = {3};
    const HaloShape shape = test_shape(HALO_U8, 41, 23, 3);
    HaloBuf in = random_input(&shape, false, &rng);
    bytes_to_file(mask, "3x1: 1,2,.5\n", 12);
    snprintf(pipeline_text, sizeof pipeline_text, text, mask);
    assert_int_equal(halo_session_open_with(halo_tables(), NULL, &session), HALO_OK);
    assert_int_equal(halo_pipeline_parse(session, pipeline_text, &pipeline), HALO_OK);
    halo_session_close(session);
    unlink(mask); /* it is no longer needed */
    HaloRead read;
    assert_true(halo_pipeline_reads(pipeline, 0, &read));
    assert_false(halo_pipeline_reads(pipeline, 1, &read));
    const uint64_t before = halo_pipeline_fingerprint(pipeline, NULL);

    pthread_t thread[THREADS];
    Runs runs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        runs[i] = (Runs){.pipeline = pipeline, .in = &in};
        assert_int_equal(pthread_create(&thread[i], NULL, run_often, &runs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_false(runs[i].failed);
        assert_memory_equal(runs[i].out.data, runs[0].out.data,
                            (size_t)(runs[0].out.stride * runs[0].out.rows));
    }
    for (int i = 0; i < THREADS; i++) halo_buf_free(&runs[i].out);
    assert_true(halo_pipeline_fingerprint(pipeline, NULL) == before);
    halo_pipeline_free(pipeline);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sessions_share_a_pipeline)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
