/* Steps that are made strip by strip before or behind one that needs all of its source give what they give one
 * after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipelines.h"
#include "plan/plan.h"
#include "plan/strips.h"

/* Pipelines that are one together. */
typedef struct Parts {
    const char *part[3];
} Parts;

static const Parts cut[] = {
    {{"gauss:1.4 | sobel | gain:0.5", "hysteresis:5,12", NULL}},
    {{"gauss:2 | offset:9 | box:5,3 | crop:900x1500+40+30", "label:min=4", "gain:2 | gauss:1"}},
    {{"median:3 | invert | gauss:3 | sobel:x | abs | gain:0.1", "distance", "gain:3 | gauss:2 | sobel"}},
    {{"gauss:2 | subtract:[gauss:9] | threshold:1", "fillholes", "dilate:5 | invert | erode:3"}},
    {{"resize:700 | gauss:1 | sobel:y | abs", "normalize", "gauss:1 | label"}},
    {{"over:[gain:3 | depth:u8 | gauss:3 | gauss:2 | gauss:1],at=0-1250", "label:min=4", NULL}},
};

static Outcome run_parts(HaloSession *session, const Parts *parts, const HaloBuf *in)
{
    Outcome outcome = {.out = *in};
    for (int k = 0; k < 3 && parts->part[k] != NULL; k++) {
        const Outcome before = outcome;
        outcome = pipeline_run(session, parts->part[k], &before.out, NULL);
        if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", parts->part[k], outcome.message);
        if (k > 0) outcome_free((Outcome *)&before);
    }
    return outcome;
}

/* Not the oracle, and none that is told how high bands are. */
static HaloSession *draw_session(Rng *rng)
{
    const Runner *drawn = &runner[rng_between(rng, 1, runners - 1)];
    while (strstr(drawn->name, "bands of 0") == NULL) drawn = &runner[rng_between(rng, 1, runners - 1)];
    return drawn->session;
}

static void steps_in_strips(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U8, rng_between(rng, 950, 1100), rng_between(rng, 2300, 2500), 1);
    const Parts *parts = &cut[rng_between(rng, 0, sizeof cut / sizeof *cut - 1)];
    HaloSession *session = draw_session(rng);
    HaloBuf in = random_input(&shape, false, rng);
    char all[400] = "";
    for (int k = 0; k < 3 && parts->part[k] != NULL; k++) {
        if (k > 0) strcat(all, " | ");
        strcat(all, parts->part[k]);
    }
    Outcome one = pipeline_run(session, all, &in, NULL), other = run_parts(session, parts, &in);
    if (one.status != HALO_OK) fail_case(NULL, "%s: %s", all, one.message);
    one.clipped = other.clipped = 0;
    if (outcome_hash(&one) != outcome_hash(&other)) fail_case(NULL, "%s differs from its parts", all);
    outcome_free(&one);
    outcome_free(&other);
    halo_buf_free(&in);
}

/* Of values that were made before, strips read what is needed of them, and nothing else. The lower half of the
 * picture is laid over its upper half: strips of the lower one read nothing of it. */
static void strips_read_what_is_needed(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 1000, 2400, 1);
    HaloSession *session = runner[1].session;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    StripRun strips = {0};
    assert_int_equal(
        halo_pipeline_parse(session, "over:[gain:3 | depth:u8 | gauss:3 | gauss:2 | gauss:1],at=0-1250 | label",
                            &pipeline),
        HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    const Bands bands = {.plan = plan, .rows = shape.height, .strips = true};
    while (strips.first < plan->steps && !bands_strips_at(&bands, strips.first, &strips)) strips.first++;
    assert_true(strips.end > strips.first && strips.rows < shape.height);
    Part *all = needs_new(plan), *need = needs_new(plan);
    assert_true(all != NULL && need != NULL);
    needs_find(plan, &(Goal){.wanted = {0, shape.height}}, all);
    for (int64_t y = 0; y < shape.height; y += strips.rows) {
        const HaloReg made = plan->step[strips.end - 1].dst;
        strips_needs(plan, &strips, (Part){0, shape.width, y, smaller(y + strips.rows, shape.height)}, need);
        for (int r = 0; r < plan->regs; r++)
            if (r != made && plan->live[r].reads > 0 && !part_holds(all[r], need[r]))
                fail_msg("value %d: rows %lld to %lld of %lld to %lld", r, (long long)need[r].y0,
                         (long long)need[r].y1, (long long)all[r].y0, (long long)all[r].y1);
    }
    free(all);
    free(need);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(steps_in_strips, 3),
                                       cmocka_unit_test(strips_read_what_is_needed)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
