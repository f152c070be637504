/* Statistics that take several passes over sound: the later ones make nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pipelines.h"
#include "plan/plan.h"
#include "run/run.h"
#include "session.h"

enum { FRAMES = 20000, BAND = 3000 };

typedef struct Both {
    const HaloBuf *in;
    HaloBuf *out;
} Both;

static HaloStatus begin(void *context, int64_t k, Rows in, Rows out, HaloBuf *from, HaloBuf *to)
{
    const Both *both = context;
    (void)k;
    *from = rows_of(both->in, in);
    *to = rows_of(both->out, out);
    return HALO_OK;
}

static HaloStatus end(void *context, int64_t k)
{
    (void)context, (void)k;
    return HALO_OK;
}

static void later_passes_make_no_output(void **state)
{
    (void)state;
    HaloShape shape = test_shape(HALO_F32, FRAMES, 1, 1);
    shape.kind = HALO_AUDIO;
    shape.rate = 8000.0;
    HaloSession *session = runner[1].session;
    HaloBuf in, out;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    HaloResults results;
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    assert_int_equal(halo_buf_alloc(&out, &shape), HALO_OK);
    for (int i = 0; i < FRAMES; i++) ((float *)in.data)[i] = (float)(i % 97) * 1e-2f;
    assert_int_equal(halo_pipeline_parse(session, "stats:full=1 | gauss:3 | gain:2x", &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    for (int i = 0; i < plan->steps; i++) plan->step[i].revisits = plan->step[i].detail != NULL;
    assert_int_equal(device_open(&session->host, 0, 1), HALO_OK);
    Both both = {&in, &out};
    BandIo io = {.context = &both, .begin = begin, .end = end};
    const Bands bands = bands_cut(plan, BAND);
    assert_int_equal(execute_bands((Team){&session->host, 1}, &bands, &io, &results, NULL, NULL), HALO_OK);
    assert_true(((const float *)out.data)[50] != 0.0f);
    for (int i = 0; i < FRAMES; i++) ((float *)out.data)[i] = -7.0f;
    io.again = true;
    assert_true(passes_pending(&results));
    while (passes_pending(&results))
        assert_int_equal(execute_bands((Team){&session->host, 1}, &bands, &io, &results, NULL, NULL), HALO_OK);
    assert_true(results.item[0].channel[0].percentile[2] == (double)0.48f);
    for (int i = 0; i < FRAMES; i++) assert_true(((const float *)out.data)[i] == -7.0f);
    halo_results_free(&results);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_buf_free(&in);
    halo_buf_free(&out);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(later_passes_make_no_output)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
