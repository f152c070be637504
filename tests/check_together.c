/* Several arrays at a time (halo.h): stacks are what plain loops give, differences are where they are, and what
 * does not fit is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/halo.h"
#include "random.h"

enum { ROWS = 7, COLUMNS = 1100, FRAMES = 5, SAMPLES = ROWS * COLUMNS };

static HaloArray array_of(HaloType type, void *data)
{
    HaloArray array;
    halo_array_defaults(&array);
    array.type = type;
    array.data = data;
    array.dims = 2;
    array.size[0] = ROWS;
    array.size[1] = COLUMNS;
    return array;
}

static HaloSession *session_of(void)
{
    HaloSession *session = NULL;
    assert_int_equal(halo_session_open(NULL, &session), HALO_OK);
    return session;
}

/* Frames upside down have strides below 0, and are copied. */
static void stacks(void **state)
{
    (void)state;
    static uint8_t frame[FRAMES][SAMPLES], rounded[SAMPLES];
    static float mean[SAMPLES];
    static double sum[SAMPLES];
    HaloArray inputs[FRAMES];
    HaloSession *session = session_of();
    Rng rng = {4711};
    for (int k = 0; k < FRAMES; k++) {
        for (int i = 0; i < SAMPLES; i++) frame[k][i] = (uint8_t)rng_between(&rng, 0, 255);
        inputs[k] = array_of(HALO_TYPE_U8, frame[k] + (ROWS - 1) * COLUMNS);
        inputs[k].stride[0] = -COLUMNS;
        inputs[k].stride[1] = 1;
    }
    const HaloArray to_mean = array_of(HALO_TYPE_F32, mean), to_sum = array_of(HALO_TYPE_F64, sum),
                    to_bytes = array_of(HALO_TYPE_U8, rounded);
    assert_int_equal(halo_stack_arrays(session, "mean", inputs, FRAMES, &to_mean), HALO_OK);
    assert_int_equal(halo_stack_arrays(session, "a+b", inputs, FRAMES, &to_sum), HALO_OK);
    assert_int_equal(halo_stack_arrays(session, "mean", inputs, FRAMES, &to_bytes), HALO_OK);
    for (int i = 0; i < SAMPLES; i++) {
        const int at = (ROWS - 1 - i / COLUMNS) * COLUMNS + i % COLUMNS;
        int total = 0;
        for (int k = 0; k < FRAMES; k++) total += frame[k][at];
        assert_true(sum[i] == total && mean[i] == (float)((double)total / FRAMES));
        assert_int_equal(rounded[i], (int)nearbyintf(mean[i]));
    }
    halo_session_close(session);
}

static void differences(void **state)
{
    (void)state;
    static uint16_t a[SAMPLES], b[SAMPLES];
    HaloDifference found = {.struct_size = sizeof found};
    HaloSession *session = session_of();
    for (int i = 0; i < SAMPLES; i++) a[i] = b[i] = (uint16_t)(i * 7);
    b[2 * COLUMNS + 9] ^= 512;
    const HaloArray inputs[2] = {array_of(HALO_TYPE_U16, a), array_of(HALO_TYPE_U16, b)};
    assert_int_equal(halo_compare_arrays(session, inputs, &found), HALO_OK);
    assert_true(found.samples == SAMPLES && found.differing == 1 && found.max == 512);
    assert_true(found.max_x == 9 && found.max_y == 2 && found.max_channel == 0 && isnan(found.ssim));
    halo_session_close(session);
}

static void refusals(void **state)
{
    (void)state;
    static uint8_t data[8 * SAMPLES];
    HaloDifference found = {.struct_size = sizeof found};
    HaloSession *session = session_of();
    HaloArray good = array_of(HALO_TYPE_U8, data), small = good, none = good, pages = good;
    small.size[0] = ROWS - 1;
    none.data = NULL;
    pages.dims = 3;
    pages.size[2] = 3;
    strcpy(pages.axes, "nhw");
    pages.size[1] = 2;
    const HaloArray wide = array_of(HALO_TYPE_F64, data), signs = array_of(HALO_TYPE_I8, data);
    const HaloArray two[2] = {good, small}, other[2] = {good, wide}, missing[2] = {good, none},
                    several[2] = {pages, good};
    assert_int_equal(halo_stack_arrays(session, "mean", two, 2, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", other, 2, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", missing, 2, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", &good, 1, &small), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", &good, 1, &signs), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", &good, 1, &none), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", &good, 0, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "medium", &good, 1, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, NULL, &good, 1, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", NULL, 1, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(session, "mean", &good, 1, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_stack_arrays(NULL, "mean", &good, 1, &good), HALO_ERR_USAGE);
    assert_int_equal(halo_compare_arrays(session, two, &found), HALO_ERR_USAGE);
    assert_int_equal(halo_compare_arrays(session, missing, &found), HALO_ERR_USAGE);
    assert_int_equal(halo_compare_arrays(session, several, &found), HALO_ERR_USAGE);
    assert_int_equal(halo_compare_arrays(session, two, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_compare_arrays(session, NULL, &found), HALO_ERR_USAGE);
    halo_session_close(session);
}

/* The statistics of halves become those of the whole. */
static void moments(void **state)
{
    (void)state;
    static uint8_t data[SAMPLES];
    int64_t sum = 0, rows;
    HaloArray array = array_of(HALO_TYPE_U8, data);
    HaloSession *session = session_of();
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloReport *report = NULL;
    HaloColumnType type;
    for (int i = 0; i < SAMPLES; i++) sum += data[i] = (uint8_t)(i * 31);
    assert_int_equal(halo_pipeline_parse(session, "stats", &pipeline), HALO_OK);
    assert_int_equal(halo_plan_open(session, pipeline, &array, 1, &plan), HALO_OK);
    assert_int_equal(halo_plan_run(plan, &array, NULL, NULL, &report), HALO_OK);
    assert_string_equal(halo_report_table(report, 1, &rows, NULL), "stats moments");
    bool seen = false;
    for (int at = 0;; at++) {
        const void *column;
        const char *name = halo_report_column(report, 1, at, &type, &column);
        if (name == NULL) break;
        if (strcmp(name, "sum_integer") == 0) seen = *(const int64_t *)column == sum;
    }
    assert_true(seen && rows == 1);
    halo_report_close(report);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks), cmocka_unit_test(differences),
                                       cmocka_unit_test(refusals), cmocka_unit_test(moments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
