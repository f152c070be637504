/* A GPU that fails: every call of a fake GPU in turn, in every pipeline here. `auto` repeats the file on the
 * CPU, with the same bytes, and reports it; a GPU that was asked for by name is an error with the cause; the
 * next file is not affected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_gpu.h"
#include "pipelines.h"

static const char *const pipeline_text[] = {
    "gauss:1.5",
    "conv:mask=\"3x3: 1,2,1,2,4,2,1,2,1\" | invert",
    "sobel | stats",
    "median:3 | hist",
    "normalize",
    "gauss:1 | scan:axis=y | box:3",
    "reduce:expr=\"a+b\",identity=0 | equalize",
};
enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

/* Every pipeline, with each of its calls failing in turn; the next file succeeds. */
static void each_call_fails(HaloDeviceChoice device, void (*expect)(const char *, const Made *, const Made *))
{
    for (int p = 0; p < PIPELINES; p++) {
        const char *const text = pipeline_text[p];
        int calls;
        Made expected = undisturbed(text, &calls);
        for (int at = 1; at <= calls; at++) {
            HaloSession *const session = fake_session(device);
            fake.fails_at = at;
            Made made = make(session, text);
            expect(text, &made, &expected);
            made_free(&made);
            fake.fails_at = 0;
            made = make(session, text);
            expect_made(text, &made, &expected, "fake");
            made_free(&made);
            halo_session_close(session);
        }
        made_free(&expected);
    }
}

static void expect_the_cpu(const char *text, const Made *made, const Made *expected)
{
    expect_made(text, made, expected, "cpu");
    if (!made->fell_back || strstr(made->why, "unspecified launch failure") == NULL)
        fail_case(NULL, "%s: call %d: nothing is said of it", text, fake.fails_at);
}

static void auto_repeats_the_file_on_the_cpu(void **state)
{
    (void)state;
    each_call_fails(HALO_DEVICE_AUTO, expect_the_cpu);
}

static void expect_the_cause(const char *text, const Made *made, const Made *expected)
{
    (void)expected;
    if (made->status != HALO_ERR_DEVICE || strstr(halo_error(), "unspecified launch failure") == NULL)
        fail_case(NULL, "%s: call %d: status %d", text, fake.fails_at, made->status);
}

static void a_gpu_named_by_the_user_is_an_error(void **state)
{
    (void)state;
    each_call_fails(HALO_DEVICE_GPU, expect_the_cause);
}

/* In bands, read and written at the same time; after a failure in the middle the file is read again from its
 * beginning. */
static void files_in_bands(void **state)
{
    (void)state;
    fake_band_rows = 64;
    each_call_fails(HALO_DEVICE_AUTO, expect_the_cpu);
    each_call_fails(HALO_DEVICE_GPU, expect_the_cause);
    HaloSession *const session = fake_session(HALO_DEVICE_AUTO);
    Made made = make(session, "gauss:1.5");
    assert_int_equal(fake.uploads, 4); /* of 203 rows */
    made_free(&made);
    halo_session_close(session);
    fake_band_rows = 0;
}

/* A worker of a batch uses the CPU while the GPU starts; a single file waits for the GPU, as does --device
 * gpu. */
static void a_batch_continues_while_it_starts(void **state)
{
    (void)state;
    static const char text[] = "median:19"; /* so much work that a GPU pays */
    int calls;
    Made expected = undisturbed(text, &calls);
    for (int alone = 0; alone < 2; alone++) {
        fake_share = alone ? 0 : 2;
        HaloSession *const session = fake_session(HALO_DEVICE_AUTO);
        fake.starts_for = 2;
        for (int file = 0; file < 4; file++) {
            Made made = make(session, text);
            expect_made(text, &made, &expected, alone || file >= 2 ? "fake" : "cpu");
            assert_false(made.fell_back);
            made_free(&made);
        }
        assert_int_equal(fake.start_queries, alone ? 0 : 3);
        halo_session_close(session);
    }
    fake_share = 2;
    HaloSession *const session = fake_session(HALO_DEVICE_GPU);
    fake.starts_for = 2;
    Made made = make(session, text);
    expect_made(text, &made, &expected, "fake");
    made_free(&made);
    halo_session_close(session);
    fake_share = 0;
    made_free(&expected);
}

/* Work that takes one core longer than the GPU, its start included, waits for the GPU. */
static void long_files_wait_for_its_start(void **state)
{
    (void)state;
    static const char text[] = "disk:84|disk:84|disk:84|disk:84|disk:84|disk:84";
    HaloSession *const cpu = fake_session(HALO_DEVICE_CPU);
    Made expected = make(cpu, text);
    halo_session_close(cpu);
    fake_share = 2;
    HaloSession *const session = fake_session(HALO_DEVICE_AUTO);
    fake.starts_for = 2;
    Made made = make(session, text);
    expect_made(text, &made, &expected, "fake");
    assert_int_equal(fake.start_queries, 1);
    made_free(&made);
    halo_session_close(session);
    fake_share = 0;
    made_free(&expected);
}

static void a_gpu_that_does_not_open_is_not_used(void **state)
{
    (void)state;
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    for (int is_there = 0; is_there < 2; is_there++) {
        HaloSession *session = fake_session(HALO_DEVICE_AUTO);
        fake.is_there = is_there;
        fake.opens = false;
        Made made = make(session, "gauss:1.5");
        expect_made("gauss:1.5", &made, &expected, "cpu");
        if (made.fell_back != is_there || strstr(made.why, is_there ? "out of memory" : "no driver") == NULL)
            fail_case(NULL, "it says '%s'", made.why);
        made_free(&made);
        halo_session_close(session);
        session = fake_session(HALO_DEVICE_GPU);
        fake.is_there = is_there;
        fake.opens = false;
        made = make(session, "gauss:1.5");
        if (made.status != HALO_ERR_DEVICE) fail_case(NULL, "status %d", made.status);
        made_free(&made);
        halo_session_close(session);
    }
    made_free(&expected);
}

/* Primitives that a backend lacks run on the CPU, which is reported where the GPU was asked for by name. */
static void missing_primitives_run_on_the_cpu(void **state)
{
    (void)state;
    static const char text[] = "notch:500Hz | gain:2";
    Rng rng = {8};
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = 3000,
                             .height = 1,
                             .channels = 2,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = 8000};
    const HaloInfo info = {.shape = shape, .bits = 32};
    HaloBuf in = random_input(&shape, false, &rng);
    Bytes file;
    snprintf(fake_source, sizeof fake_source, "%s", test_path("device-in.wav"));
    snprintf(fake_target, sizeof fake_target, "%s", test_path("device-out.wav"));
    assert_int_equal(encode(&halo_format_wav, &info, &in, 0, &file), HALO_OK);
    bytes_to_file(fake_source, file.at, file.size);
    HaloSession *session = fake_session(HALO_DEVICE_CPU);
    Made expected = make(session, text);
    halo_session_close(session);
    for (int asked = 0; asked < 2; asked++) {
        session = fake_session(asked ? HALO_DEVICE_GPU : HALO_DEVICE_AUTO);
        fake_gpu.sections = NULL;
        Made made = make(session, text);
        expect_made(text, &made, &expected, "cpu");
        if (made.fell_back != asked || strstr(made.why, "notch has no GPU code") == NULL)
            fail_case(NULL, "it says '%s'", made.why);
        made_free(&made);
        halo_session_close(session);
    }
    made_free(&expected);
    free(file.at);
    halo_buf_free(&in);
}

/* Narrow: each call of each pipeline fails once, so that there are hundreds of runs. */
static int write_source(void **state)
{
    (void)state;
    return fake_write_picture(100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_repeats_the_file_on_the_cpu),
        cmocka_unit_test(a_gpu_named_by_the_user_is_an_error),
        cmocka_unit_test(files_in_bands),
        cmocka_unit_test(a_gpu_that_does_not_open_is_not_used),
        cmocka_unit_test(a_batch_continues_while_it_starts),
        cmocka_unit_test(long_files_wait_for_its_start),
        cmocka_unit_test(missing_primitives_run_on_the_cpu), /* the last: it has a source of its own */
    };
    return cmocka_run_group_tests(tests, write_source, test_folder_remove);
}
