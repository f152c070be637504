/* What is copied to a GPU, and when: pinned memory, operands that stay there, and bands where its memory is too
 * small. The GPU is a fake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_gpu.h"
#include "random.h"

/* Files are read into and written from pinned memory, which is allocated once; without any they are processed
 * all the same. */
static void copies_use_pinned_memory(void **state)
{
    (void)state;
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    for (int rows = 0; rows <= 64; rows += 64)
        for (int none = 0; none < 2; none++) {
            fake_band_rows = rows;
            HaloSession *const session = fake_session(HALO_DEVICE_GPU);
            fake.pins_none = none != 0;
            for (int file = 0; file < 3; file++) {
                Made made = make(session, "gauss:1.5");
                if (made.status != HALO_OK || made.file.size != expected.file.size ||
                    memcmp(made.file.at, expected.file.at, made.file.size) != 0)
                    fail_case(NULL, "%d rows, file %d: status %d or other bytes", rows, file, made.status);
                made_free(&made);
            }
            assert_int_equal(fake.pins, none ? 0 : 1);
            assert_int_equal(fake.of_pinned, none ? 0 : fake.uploads + fake.downloads);
            halo_session_close(session);
            assert_int_equal(fake.unpins, fake.pins);
        }
    fake_band_rows = 0;
    made_free(&expected);
}

/* An operand is uploaded once, for all files; a large one is uploaded each time, with its bands. */
static void operands_stay_on_the_gpu(void **state)
{
    (void)state;
    char text[300];
    int calls;
    snprintf(text, sizeof text, "subtract:\"%s\"", fake_source);
    Made expected = undisturbed(text, &calls);
    HaloSession *const session = fake_session(HALO_DEVICE_GPU);
    HaloPipeline *pipeline;
    const HaloJob job = {.input = fake_source, .output = fake_target, .force = HALO_FORCE_YES};
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    for (int file = 0; file < 6; file++) {
        HaloReport report;
        if (file == 3) halo_session_trim(session);
        if (file == 3) fake.memory = 300000; /* an eighth of which it outgrows */
        fake.uploads = 0;
        assert_int_equal(halo_run_job(session, pipeline, &job, &report), HALO_OK);
        if (file < 3)
            assert_int_equal(fake.uploads, file == 0 ? 2 : 1);
        else
            assert_true(fake.uploads >= 4); /* both of each band */
        Bytes made = bytes_of_file(fake_target);
        assert_int_equal(made.size, expected.file.size);
        assert_memory_equal(made.at, expected.file.at, made.size);
        free(made.at);
        halo_report_clear(&report);
    }
    unlink(fake_target);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    made_free(&expected);
}

/* What a run uses is kept until it ends: where an allocation fails at first, and where there are more files
 * than are kept. */
static void operands_in_use_are_kept(void **state)
{
    (void)state;
    enum { SIDES = 6 };
    char text[SIDES * 120] = "", one[120], path[SIDES][80];
    int calls;
    const Bytes picture = bytes_of_file(fake_source);
    for (int i = 0; i < SIDES; i++) {
        snprintf(path[i], sizeof path[i], "%s-%d.ppm", fake_source, i);
        bytes_to_file(path[i], picture.at, picture.size);
        snprintf(one, sizeof one, "%ssubtract:\"%.79s\" | abs", i > 0 ? " | " : "", path[i]);
        strcat(text, one);
    }
    Made expected = undisturbed(text, &calls);
    for (int at = 1; at <= calls; at++) {
        HaloSession *const session = fake_session(HALO_DEVICE_AUTO);
        for (int file = 0; file < 2; file++) {
            fake.fails_at = file * at;
            fake.fails_once = true;
            Made made = make(session, text);
            expect_made(text, &made, &expected, made.backend);
            made_free(&made);
        }
        halo_session_close(session);
    }
    for (int i = 0; i < SIDES; i++) unlink(path[i]);
    free(picture.at);
    made_free(&expected);
}

/* The GPU's memory and the scratch of a row are such that a filter has to run in bands, and it does. */
static void expect_bands(int64_t memory, int64_t scratch)
{
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    HaloSession *const session = fake_session(HALO_DEVICE_GPU);
    fake.memory = memory;
    fake.scratch = scratch;
    Made made = make(session, "gauss:1.5");
    expect_made("gauss:1.5", &made, &expected, "fake");
    if (fake.call < calls + 3) fail_case(NULL, "%d calls: no bands", fake.call);
    made_free(&made);
    halo_session_close(session);
    made_free(&expected);
}

static void little_memory_makes_bands(void **state)
{
    (void)state;
    expect_bands(200000, 0); /* 184 kB come in and 184 kB go out */
}

/* The workspace of steps makes bands smaller: 203 rows of 2400 bytes do not fit, a few do. */
static void scratch_makes_bands(void **state)
{
    (void)state;
    expect_bands(500000, 2400); /* 184 kB come in and 184 kB go out: alone they fit */
}

/* What cannot run in bands runs on the CPU, unless the GPU was asked for; the GPU is not called for nothing. */
static void too_large_for_the_gpu(void **state)
{
    (void)state;
    static const char *const text[] = {"normalize", "equalize", "gauss:1.5"};
    for (int p = 0; p < 3; p++) {
        const bool in_bands = p == 2;
        int calls;
        Made expected = undisturbed(text[p], &calls);
        for (int asked = 0; asked < 2; asked++) {
            HaloSession *const session = fake_session(asked ? HALO_DEVICE_GPU : HALO_DEVICE_AUTO);
            fake.memory = in_bands ? 3000000 : 500000; /* bands help against scratch, if there can be any */
            fake.scratch = in_bands ? 1 << 24 : 2400;
            Made made = make(session, text[p]);
            if (asked && (made.status != HALO_ERR_LIMIT || strstr(halo_error(), "of the GPU's memory") == NULL))
                fail_case(NULL, "%s: status %d: %s", text[p], made.status, halo_error());
            if (!asked) expect_made(text[p], &made, &expected, "cpu");
            if (!asked && (made.fell_back || strstr(made.why, "of the GPU's memory") == NULL))
                fail_case(NULL, "%s: it says '%s'", text[p], made.why);
            if (fake.call != 0) fail_case(NULL, "%s: %d calls in vain", text[p], fake.call);
            made_free(&made);
            halo_session_close(session);
        }
        made_free(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_use_pinned_memory), cmocka_unit_test(operands_stay_on_the_gpu),
        cmocka_unit_test(operands_in_use_are_kept), cmocka_unit_test(little_memory_makes_bands),
        cmocka_unit_test(scratch_makes_bands),      cmocka_unit_test(too_large_for_the_gpu),
    };
    return cmocka_run_group_tests(tests, fake_write_source, test_folder_remove);
}
