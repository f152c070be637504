/* Comparison with exact results. */
#include "fast.h"

#include <math.h>

#include "backends.h"

double magnitude_of(const float *tap, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += fabs((double)tap[i]);
    return sum;
}

void testbuf_forgive(const TestBuf *expected, TestBuf *actual, double bound)
{
    const HaloBuf *view = &actual->view;
    for (int64_t y = 0; y < view->rows; y++)
        for (int64_t i = 0; i < view->cols * view->shape.channels; i++) {
            float *got = (float *)halo_at(view, view->x0, view->y0 + y) + i;
            const float want = ((const float *)halo_at(&expected->view, view->x0, view->y0 + y))[i];
            if (fabs((double)*got - (double)want) <= bound) *got = want;
        }
}

HaloBuf filtered(const HaloOptions *options, const char *pipeline, const HaloBuf *in)
{
    HaloSession *session;
    HaloPipeline *parsed;
    HaloPlan *plan;
    HaloBuf out;
    expect_ok("cpu", "session", halo_session_open_with(halo_tables(), options, &session));
    expect_ok("cpu", "parse", halo_pipeline_parse(session, pipeline, &parsed));
    expect_ok("cpu", "plan", halo_plan_make(session, parsed, &in->shape, NULL, &plan));
    expect_ok("cpu", "run", halo_plan_execute(session, plan, in, &out, NULL, NULL));
    halo_plan_free(plan);
    halo_pipeline_free(parsed);
    halo_session_close(session);
    return out;
}
