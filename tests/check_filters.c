/* Properties of filters: flat images stay flat, an impulse shows the mask, transparent borders leave no
 * fringe. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "oracle.h"
#include "pipelines.h"

enum { TEXT = 256 };

/* Runs it and returns the output, which has to exist. */
static Outcome run_to(const char *pipeline, const HaloBuf *in, const HaloFormat *to)
{
    const Outcome outcome = expect_everywhere_alike(pipeline, in, to);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", pipeline, outcome.message);
    return outcome;
}

/* A flat input stays flat: exactly for integers, within rounding for floats. */
static void smoothing_keeps_constants(void **state)
{
    (void)state;
    static const char *const image[] = {"gauss:2",   "box:7",   "box:4",    "binomial:5",       "average:3",
                                        "unsharp:1", "sharpen", "disk:3.3", "motion:9,angle=20"};
    static const char *const sound[] = {"savgol:window=21,order=3", "gauss:5", "average:2ms", "lowpass:1kHz",
                                        "envelope:3ms"};
    enum { IMAGES = sizeof image / sizeof *image, FILTERS = IMAGES + sizeof sound / sizeof *sound };
    static const char *const border[] = {"replicate", "reflect", "mirror", "wrap", "keep", "valid"};
    for (int f = 0; f < FILTERS; f++)
        for (int b = 0; b < 6; b++) {
            char text[TEXT];
            const bool is_sound = f >= IMAGES;
            HaloShape shape = is_sound ? test_shape(HALO_F32, 3000, 1, 2) : test_shape(HALO_U8, 41, 37, 3);
            if (is_sound) shape.kind = HALO_AUDIO;
            if (is_sound) shape.rate = 44100;
            HaloBuf in;
            assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
            for (int64_t i = 0; i < shape.width * shape.height * shape.channels; i++)
                if (is_sound)
                    ((float *)in.data)[i] = 0.7f;
                else
                    ((uint8_t *)in.data)[i] = 173;
            const char *const filter = is_sound ? sound[f - IMAGES] : image[f];
            snprintf(text, sizeof text, "%s%cborder=%s", filter, strchr(filter, ':') != NULL ? ',' : ':',
                     border[b]);
            Outcome outcome = run_to(text, &in, NULL);
            for (int64_t y = 0; y < outcome.out.rows; y++)
                for (int64_t x = 0; x < outcome.out.cols; x++)
                    if (fabsf(oracle_get(&outcome.out, x, y, 1) / (is_sound ? 0.7f : 173.0f) - 1.0f) > 1e-5f)
                        fail_case(NULL, "%s: %g at %" PRId64 ",%" PRId64, text,
                                  (double)oracle_get(&outcome.out, x, y, 1), x, y);
            outcome_free(&outcome);
            halo_buf_free(&in);
        }
}

static HaloBuf image_of(const HaloShape *shape, const float *value)
{
    HaloBuf in;
    if (halo_buf_alloc(&in, shape) != HALO_OK) fail_case(NULL, "%s", halo_error());
    for (int64_t i = 0; i < shape->width * shape->height * shape->channels; i++)
        if (shape->dtype == HALO_U8)
            ((uint8_t *)in.data)[i] = value != NULL ? (uint8_t)value[i] : 0;
        else
            ((float *)in.data)[i] = value != NULL ? value[i] : 0.0f;
    return in;
}

/* Correlation turns the mask round on an impulse; flip=1 turns it back. */
static void impulse_response_is_the_mask(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 11, 9, 1);
    HaloBuf in = image_of(&shape, NULL);
    *(float *)halo_at(&in, 5, 4) = 1.0f;
    Outcome plain = run_to("conv:mask=\"3x3: 1,2,3, 4,5,6, 7,8,9\"", &in, NULL);
    Outcome turned = run_to("conv:mask=\"3x3: 1,2,3, 4,5,6, 7,8,9\",flip=1", &in, NULL);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            assert_true(oracle_get(&plain.out, 4 + i, 3 + j, 0) == (float)(9 - (j * 3 + i)));
            assert_true(oracle_get(&turned.out, 4 + i, 3 + j, 0) == (float)(1 + j * 3 + i));
        }
    assert_true(oracle_get(&plain.out, 3, 4, 0) == 0.0f);
    outcome_free(&plain);
    outcome_free(&turned);
    halo_buf_free(&in);
}

static void expect_row(const char *pipeline, const HaloBuf *in, int64_t y, const float *want, int64_t count)
{
    Outcome outcome = run_to(pipeline, in, NULL);
    assert_int_equal(outcome.out.cols, count);
    for (int64_t x = 0; x < count; x++)
        if (oracle_get(&outcome.out, x, y, 0) != want[x])
            fail_case(NULL, "%s: %g at %" PRId64 ",%" PRId64 ", not %g", pipeline,
                      (double)oracle_get(&outcome.out, x, y, 0), x, y, (double)want[x]);
    outcome_free(&outcome);
}

/* dilation= moves the taps apart, and the anchor with its tap. */
static void dilation_spreads_the_taps(void **state)
{
    (void)state;
    static const float impulse[8] = {0, 0, 0, 0, 1, 0, 0, 0}, spread[8] = {0, 3, 0, 0, 2, 0, 0, 1};
    static const float first[8] = {0, 0, 3, 0, 2, 0, 1, 0}, turned[8] = {0, 0, 1, 0, 2, 0, 3, 0};
    static const float down[8] = {0, 0, 0, 0, 5, 0, 0, 0}, valid[2] = {0, 2};
    const HaloShape shape = test_shape(HALO_F32, 8, 1, 1), tall = test_shape(HALO_F32, 8, 5, 1);
    HaloBuf in = image_of(&shape, impulse), high = image_of(&tall, NULL);
    expect_row("conv:mask=\"3x1: 1,2,3\",dilation=3,border=zero", &in, 0, spread, 8);
    expect_row("conv:mask=\"3x1: 1,2,3\",dilation=3,border=valid", &in, 0, valid, 2);
    expect_row("conv:mask=\"2x1: 2,3\",dilation=2,anchor=0+0,border=zero", &in, 0,
               (const float[8]){0, 0, 3, 0, 2, 0, 0, 0}, 8);
    expect_row("conv:mask=\"3x1: 1,2,3\",dilation=2,border=zero", &in, 0, first, 8);
    expect_row("conv:mask=\"3x1: 1,2,3\",dilation=2,flip=1,border=zero", &in, 0, turned, 8);
    *(float *)halo_at(&high, 4, 0) = 1.0f;
    expect_row("conv:mask=\"1x2: 5,0\",dilation=4,border=zero", &high, 4, down, 8);
    Outcome huge = pipeline_run(runner[1].session, "conv:mask=box3,dilation=2048", &in, NULL);
    assert_int_equal(huge.status, HALO_ERR_USAGE);
    outcome_free(&huge);
    halo_buf_free(&in);
    halo_buf_free(&high);
}

/* The output lies on the upper left of the four pixels; both parts grow downwards. */
static void roberts_computes_diagonal_differences(void **state)
{
    (void)state;
    static const float image[6] = {1, 2, 4, 9, 7, 0};
    static const float x[3] = {6, -2, -4}, y[3] = {7, 3, -4}; /* past the edge its pixels again */
    const HaloShape shape = test_shape(HALO_F32, 3, 2, 1);
    HaloBuf in = image_of(&shape, image);
    expect_row("roberts:x", &in, 0, x, 3);
    expect_row("roberts:y", &in, 0, y, 3);
    expect_row("roberts:border=valid", &in, 0, (const float[2]){sqrtf(85.0f), sqrtf(13.0f)}, 2);
    halo_buf_free(&in);
}

static void filters_of_sound(void **state)
{
    (void)state;
    static const float sound[5] = {1, -3, 5, -1, 2};
    static const float risen[5] = {1, -3.5f, 6.5f, -3.5f, 2.5f}, mirrored[5] = {2.5f, -3.5f, 6.5f, -3.5f, 2.5f};
    HaloShape shape = test_shape(HALO_F32, 5, 1, 1);
    shape.kind = HALO_AUDIO;
    shape.rate = 1000;
    HaloBuf in = image_of(&shape, sound);
    expect_row("preemphasis:0.5,border=zero", &in, 0, risen, 5);
    expect_row("preemphasis:0.5", &in, 0, mirrored, 5);
    expect_row("envelope:2ms,border=zero", &in, 0, (const float[5]){0.5f, 2, 4, 3, 1.5f}, 5);
    expect_row("envelope:2,border=keep", &in, 0, (const float[5]){1, 2, 4, 3, 1.5f}, 5);
    expect_row("abs | average:2", &in, 0, (const float[5]){2, 2, 4, 3, 1.5f}, 5);
    halo_buf_free(&in);
}

/* A window in samples has to be odd; a time becomes the next odd number of them. */
static void savgol_makes_times_odd(void **state)
{
    (void)state;
    Rng rng = {5};
    HaloShape shape = test_shape(HALO_F32, 200, 1, 2);
    shape.kind = HALO_AUDIO;
    shape.rate = 1000;
    HaloBuf in = random_input(&shape, false, &rng);
    Outcome samples = run_to("savgol:window=21,order=3", &in, NULL);
    Outcome even = run_to("savgol:window=20ms,order=3", &in, NULL);
    Outcome odd = run_to("savgol:window=21ms,order=3", &in, NULL);
    Outcome refused = pipeline_run(runner[1].session, "savgol:window=20,order=3", &in, NULL);
    assert_int_equal(outcome_hash(&even), outcome_hash(&samples));
    assert_int_equal(outcome_hash(&odd), outcome_hash(&samples));
    assert_int_equal(refused.status, HALO_ERR_USAGE);
    outcome_free(&samples);
    outcome_free(&even);
    outcome_free(&odd);
    outcome_free(&refused);
    halo_buf_free(&in);
}

static void identity_gives_the_image_back(void **state)
{
    (void)state;
    Rng rng = {21};
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_U16; dtype++) {
        const HaloShape shape = test_shape(dtype, 29, 23, 3);
        HaloBuf in = random_input(&shape, false, &rng);
        Outcome outcome = run_to("conv:mask=\"3x3: 0,0,0, 0,1,0, 0,0,0\"", &in, halo_find_format("png"));
        assert_int_equal(outcome.out.shape.dtype, dtype);
        assert_int_equal(outcome.clipped, 0);
        assert_memory_equal(outcome.out.data, in.data, (size_t)(in.rows * in.stride));
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

/* The worked example, from 8 bits to a format that holds floats: nothing saturates. */
static void worked_example_gives_321(void **state)
{
    (void)state;
    static const float image[49] = {1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7, 8, 3, 4, 5, 6, 7, 8, 9, 4, 5, 6, 7,
                                    8, 5, 6, 5, 6, 7, 8, 5, 6, 7, 6, 7, 8, 9, 0, 1, 2, 7, 8, 9, 0, 1, 2, 3};
    const HaloShape shape = test_shape(HALO_U8, 7, 7, 1);
    HaloBuf in = image_of(&shape, image);
    Outcome outcome =
        run_to("conv:mask=\"5x5: 1,2,3,2,1, 2,3,4,3,2, 3,4,5,4,3, 2,3,4,3,2, 1,2,3,2,1\",border=zero", &in,
               halo_find_format("npy"));
    assert_int_equal(outcome.out.shape.dtype, HALO_F32);
    assert_true(oracle_get(&outcome.out, 2, 2, 0) == 321.0f);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Opaque colour beside transparent black: wherever there is alpha after the blur, the colour is the same. */
static void transparent_borders_leave_no_dark_fringe(void **state)
{
    (void)state;
    static const float colour[4] = {200, 100, 50, 255};
    HaloShape shape = test_shape(HALO_U8, 64, 48, 4);
    shape.alpha = 3;
    HaloBuf in = image_of(&shape, NULL);
    for (int64_t y = 12; y < 36; y++)
        for (int64_t x = 16; x < 48; x++)
            for (int c = 0; c < 4; c++) ((uint8_t *)halo_at(&in, x, y))[c] = (uint8_t)colour[c];
    Outcome outcome = run_to("gauss:4", &in, halo_find_format("png"));
    int64_t soft = 0;
    for (int64_t y = 0; y < 48; y++)
        for (int64_t x = 0; x < 64; x++) {
            const float alpha = oracle_get(&outcome.out, x, y, 3);
            if (alpha > 0.0f && alpha < 255.0f) soft++;
            for (int c = 0; c < 3 && alpha > 0.0f; c++)
                if (oracle_get(&outcome.out, x, y, c) != colour[c])
                    fail_case(NULL, "a fringe at %" PRId64 ",%" PRId64 ": %g, not %g", x, y,
                              (double)oracle_get(&outcome.out, x, y, c), (double)colour[c]);
        }
    assert_true(soft > 500);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static HaloStatus plan_status(const char *pipeline, const HaloShape *shape)
{
    HaloPipeline *parsed = NULL;
    HaloPlan *plan = NULL;
    HaloSession *const session = runner[1].session;
    assert_int_equal(halo_pipeline_parse(session, pipeline, &parsed), HALO_OK);
    const HaloStatus status = halo_plan_make(session, parsed, shape, NULL, &plan);
    halo_plan_free(plan);
    halo_pipeline_free(parsed);
    return status;
}

/* 65536 x 32769 squares of 65535 are the most that 63 bits hold; sums and bytes are further from overflow. */
static void integrals_that_could_overflow_are_refused(void **state)
{
    (void)state;
    const HaloShape fits = test_shape(HALO_U16, 65536, 32769, 1),
                    beyond = test_shape(HALO_U16, 65536, 32770, 1);
    const HaloShape bytes = test_shape(HALO_U8, 65536, 32770, 1);
    assert_int_equal(plan_status("integral:squares=1", &fits), HALO_OK);
    assert_int_equal(plan_status("integral:squares=1", &beyond), HALO_ERR_LIMIT);
    assert_int_equal(plan_status("integral", &beyond), HALO_OK);
    assert_int_equal(plan_status("integral:squares=1", &bytes), HALO_OK);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_keeps_constants),
        cmocka_unit_test(impulse_response_is_the_mask),
        cmocka_unit_test(dilation_spreads_the_taps),
        cmocka_unit_test(roberts_computes_diagonal_differences),
        cmocka_unit_test(filters_of_sound),
        cmocka_unit_test(savgol_makes_times_odd),
        cmocka_unit_test(identity_gives_the_image_back),
        cmocka_unit_test(worked_example_gives_321),
        cmocka_unit_test(transparent_borders_leave_no_dark_fringe),
        cmocka_unit_test(integrals_that_could_overflow_are_refused),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
