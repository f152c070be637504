/* What one may expect of filters, whatever the bytes: flat stays flat, an impulse shows the mask, transparent
 * borders leave no fringe. */
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

/* Runs it and hands over the output, which has to be there. */
static Outcome run_ok(const char *pipeline, const HaloBuf *in, const HaloFormat *to)
{
    const Outcome outcome = expect_everywhere_alike(pipeline, in, to);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", pipeline, outcome.message);
    return outcome;
}

/* A flat input of one value stays flat: exactly in whole numbers, within rounding in floats. */
static void smoothing_keeps_constants(void **state)
{
    (void)state;
    static const char *const image[] = {"gauss:2",   "box:7",     "box:4",  "binomial:5",
                                        "average:3", "unsharp:1", "sharpen"};
    static const char *const sound[] = {"savgol:window=21,order=3", "gauss:5", "average:2ms", "lowpass:1kHz"};
    static const char *const border[] = {"replicate", "reflect", "mirror", "wrap", "keep", "valid"};
    for (int f = 0; f < 11; f++)
        for (int b = 0; b < 6; b++) {
            char text[TEXT];
            const bool is_sound = f >= 7;
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
            const char *const filter = is_sound ? sound[f - 7] : image[f];
            snprintf(text, sizeof text, "%s%cborder=%s", filter, strchr(filter, ':') != NULL ? ',' : ':',
                     border[b]);
            Outcome outcome = run_ok(text, &in, NULL);
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
    Outcome plain = run_ok("conv:mask=\"3x3: 1,2,3, 4,5,6, 7,8,9\"", &in, NULL);
    Outcome turned = run_ok("conv:mask=\"3x3: 1,2,3, 4,5,6, 7,8,9\",flip=1", &in, NULL);
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

static void identity_gives_the_image_back(void **state)
{
    (void)state;
    Rng rng = {21};
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_U16; dtype++) {
        const HaloShape shape = test_shape(dtype, 29, 23, 3);
        HaloBuf in = random_input(&shape, false, &rng);
        Outcome outcome = run_ok("conv:mask=\"3x3: 0,0,0, 0,1,0, 0,0,0\"", &in, halo_find_format("png"));
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
        run_ok("conv:mask=\"5x5: 1,2,3,2,1, 2,3,4,3,2, 3,4,5,4,3, 2,3,4,3,2, 1,2,3,2,1\",border=zero", &in,
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
    Outcome outcome = run_ok("gauss:4", &in, halo_find_format("png"));
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_keeps_constants),
        cmocka_unit_test(impulse_response_is_the_mask),
        cmocka_unit_test(identity_gives_the_image_back),
        cmocka_unit_test(worked_example_gives_321),
        cmocka_unit_test(transparent_borders_leave_no_dark_fringe),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
