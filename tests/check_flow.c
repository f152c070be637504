/* Files that are processed in bands: the output has the bytes of the whole image read, computed and written at
 * once, for bands of any height, with threads and without; failures leave nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "pipelines.h"

static const char *const pipeline_text[] = {
    "",
    "gauss:2",
    "gauss:1.3,border=mirror",
    "box:width=2,height=12,border=reflect",
    "conv:mask=\"1x7: 1,2,3,4,5,6,7\",anchor=0+0,border=mirror",
    "conv:mask=\"2x6: 1,2,3,4,5,6,7,8,9,-1,-2,-3\",anchor=1+5,border=reflect",
    "sobel | gauss:1",
    "invert",
    "unsharp:2",
    "gauss:1,border=wrap",
    "gauss:1,border=valid",
    "crop:5x4+1+9,fit=1 | gauss:1",
    "pad:30,border=zero",
    "pad:top=90,bottom=70,left=3,border=mirror | gauss:1",
    "pad:20,border=wrap",
    "flip:y | resize:60%",
    "rotate:90",
    "rotate:7",
    "gauss:1 | rotate:-100,fit=crop,kernel=cubic,border=mirror",
    "affine:0.3,0.1,0,0,0.4,5,fit=grow",
    "perspective:1,0.1,0,0,1,0,0.004,0,border=wrap",
    "undistort:-0.3,0.1,border=replicate",
    "resize:9x200,fit=exact",
    "resize:3,kernel=area",
    "resize:7x5,fit=exact,kernel=nearest",
    "normalize",
    "scan:axis=x",
    "scan:max,axis=x,exclusive=1 | crop:3x2+1+1,fit=1",
    "scan | crop:3x2+2+3,fit=1",
    "scan:axis=y",
    "scan:axis=y,exclusive=1 | gauss:2,border=mirror",
    "gauss:1 | scan:min,exclusive=1 | box:width=3,height=9",
    "integral:squares=1",
    "integral | gauss:1,border=wrap",
    "scan:max,axis=y | flip:y",
    "scan:product | gauss:1 | scan:axis=y | crop:5x4+1+9,fit=1",
    "scan | pad:top=9,bottom=20,border=mirror",
    "scan:axis=y | crop:2x2+0+30,fit=1",
    "scan:axis=y | crop:2x1+0+25,fit=1 | gauss:1",
    "gauss:1 | scan:max,axis=y | crop:5x20+1+12,fit=1 | scan:axis=y | crop:3x4+1+9,fit=1",
    "scan:axis=y | crop:5x3+1+20,fit=1 | flip:y",
    "stats | scan | crop:5x3+1+20,fit=1 | pad:3",
    "equalize | crop:5x4+1+9,fit=1",
};

enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

static const HaloFormat *const file_format[] = {&halo_format_pnm, &halo_format_png, &halo_format_npy,
                                                &halo_format_pam, &halo_format_pfm, &halo_format_bmp};

static HaloSession *open_session(int jobs, int64_t band_rows, int64_t max_memory)
{
    const HaloOptions options = {
        .device = HALO_DEVICE_CPU, .jobs = jobs, .band_rows = band_rows, .max_memory = max_memory};
    HaloSession *session = NULL;
    if (halo_session_open_with(halo_tables(), &options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

static HaloStatus run_file(HaloSession *session, const char *text, const char *from, const char *to,
                           uint64_t *clipped)
{
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = from, .output = to};
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_run_job(session, pipeline, &job, &report));
    *clipped = report.clipped;
    halo_report_clear(&report);
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* ---- the same bytes ------------------------------------------------------------------------------------- */

/* The output's bytes without bands. */
static Outcome at_once(const char *text, const HaloFormat *to, const char *from, Bytes *file)
{
    HaloSession *const session = open_session(1, 0, 0);
    HaloInfo info;
    HaloBuf in;
    if (halo_load_buf(session, from, &info, &in) != HALO_OK) fail_case(NULL, "%s: %s", from, halo_error());
    Outcome outcome = pipeline_run(session, text, &in, to);
    *file = (Bytes){NULL, 0};
    if (outcome.status == HALO_OK) {
        info.shape = outcome.out.shape;
        if (encode(to, &info, &outcome.out, 0, file) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    }
    halo_meta_free(&info.meta);
    halo_buf_free(&in);
    halo_session_close(session);
    return outcome;
}

static void expect_file(const char *text, const char *path, HaloStatus status, const Outcome *expected,
                        const Bytes *file, uint64_t clipped)
{
    if (status != expected->status)
        fail_case(NULL, "%s: status %d (%s), but %d (%s) at once", text, status,
                  status != HALO_OK ? halo_error() : "", expected->status, expected->message);
    if ((access(path, F_OK) == 0) != (status == HALO_OK))
        fail_case(NULL, "%s: status %d and the file", text, status);
    if (status != HALO_OK) return;
    Bytes got = bytes_of_file(path);
    if (got.size != file->size || memcmp(got.at, file->at, got.size) != 0)
        fail_case(NULL, "%s: other bytes", text);
    if (clipped != expected->clipped) fail_case(NULL, "%s: clipped samples", text);
    free(got.at);
    unlink(path);
}

static HaloShape draw_file_shape(Rng *rng, const HaloFormat *format)
{
    HaloDtype dtype = (HaloDtype)rng_between(rng, HALO_U8, HALO_F32);
    while ((format->dtypes >> dtype & 1) == 0) dtype = (dtype + 1) % HALO_DTYPES;
    int channels = (int)rng_between(rng, 1, 4);
    while (((format->channels | format->with_alpha) >> (channels - 1) & 1) == 0) channels = channels % 4 + 1;
    const bool alpha = (format->with_alpha >> (channels - 1) & 1) != 0 && channels % 2 == 0;
    return shape_of(dtype, rng_between(rng, 1, 40), rng_once_in(rng, 6) ? 1 : rng_between(rng, 1, 70), channels,
                    alpha);
}

static void the_same_bytes_in_bands(Rng *rng)
{
    const HaloFormat *const from = file_format[rng_between(rng, 0, 4)], *const to =
                                                                            file_format[rng_between(rng, 0, 5)];
    const char *const text = pipeline_text[rng_between(rng, 0, PIPELINES - 1)];
    const HaloInfo info = {.shape = draw_file_shape(rng, from), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, rng);
    Bytes input, expected;
    char source[64], target[64];
    snprintf(source, sizeof source, "%s", test_path("flow-in"));
    snprintf(target, sizeof target, "%s.%.*s", test_path("flow-out"), (int)strcspn(to->extensions, ","),
             to->extensions);
    if (encode(from, &info, &in, 0, &input) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    bytes_to_file(source, input.at, input.size);
    Outcome outcome = at_once(text, to, source, &expected);
    for (int i = 0; i < 3; i++) {
        HaloSession *const session =
            open_session(i == 0 ? 1 : (int)rng_between(rng, 1, 3), rng_between(rng, 0, 12), 0);
        uint64_t clipped = 0;
        const HaloStatus status = run_file(session, text, source, target, &clipped);
        expect_file(text, target, status, &outcome, &expected, clipped);
        halo_session_close(session);
    }
    outcome_free(&outcome);
    free(input.at);
    free(expected.at);
    halo_buf_free(&in);
}

/* ---- the same results ----------------------------------------------------------------------------------- */

static const char *const measuring_text[] = {"stats",
                                             "gauss:1 | stats",
                                             "stats:product=1 | box:3 | stats",
                                             "hist:max=1",
                                             "reduce:a+b,map=v*v",
                                             "reduce:\"max(a,b)\",identity=-inf | sobel | stats",
                                             "stats | crop:2x2,fit=1"};

enum { MEASURING = sizeof measuring_text / sizeof *measuring_text };

static char *measured_in_bands(const char *text, const char *from, int jobs, int64_t band_rows)
{
    HaloSession *const session = open_session(jobs, band_rows, 0);
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = from};
    if (halo_pipeline_parse(session, text, &pipeline) != HALO_OK ||
        halo_run_job(session, pipeline, &job, &report) != HALO_OK)
        fail_case(NULL, "%s: %s", text, halo_error());
    char *results = results_text(&report.results);
    halo_report_clear(&report);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    return results;
}

static void expect_results(const char *text, const HaloShape *shape, int64_t band_rows, Rng *rng)
{
    const HaloFormat *const format =
        shape->channels == 1 || shape->channels == 3 ? &halo_format_pfm : &halo_format_npy;
    const HaloInfo info = {.shape = *shape, .bits = 32};
    HaloBuf in = random_input(shape, true, rng);
    Bytes input;
    char source[64];
    snprintf(source, sizeof source, "%s", test_path("flow-measured"));
    if (encode(format, &info, &in, 0, &input) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    bytes_to_file(source, input.at, input.size);
    HaloSession *const session = open_session(1, 0, 0);
    Outcome outcome = pipeline_run(session, text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    char *bands = measured_in_bands(text, source, (int)rng_between(rng, 1, 3), band_rows);
    if (strcmp(outcome.results, bands) != 0)
        fail_case(NULL, "%s, %lld rows at a time:\n%s, at once\n%s", text, (long long)band_rows, bands,
                  outcome.results);
    free(bands);
    outcome_free(&outcome);
    halo_session_close(session);
    free(input.at);
    halo_buf_free(&in);
}

static void floats_are_measured_in_bands(Rng *rng)
{
    const HaloShape shape = shape_of(HALO_F32, rng_between(rng, 1, 300), rng_between(rng, 1, 150),
                                     (int)rng_between(rng, 1, 4), false);
    expect_results(measuring_text[rng_between(rng, 0, MEASURING - 1)], &shape, rng_between(rng, 0, 40), rng);
}

/* Large images have several whole nodes of the tree. */
static void large_floats_are_measured_in_bands(void **state)
{
    (void)state;
    Rng rng = {11};
    const HaloShape shape = shape_of(HALO_F32, 1201, 2003, 1, false);
    expect_results("stats", &shape, 1000, &rng);
    expect_results("reduce:a+b,map=v*v", &shape, 0, &rng);
}

/* ---- failures ------------------------------------------------------------------------------------------- */

static void truncated_files_leave_nothing(Rng *rng)
{
    const HaloFormat *const format = file_format[rng_between(rng, 0, 1)];
    const HaloInfo info = {.shape = shape_of(HALO_U8, 30, 40, 3, false), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, rng);
    Bytes input;
    char source[64], target[64];
    snprintf(source, sizeof source, "%s", test_path("flow-cut"));
    snprintf(target, sizeof target, "%s", test_path("flow-none.ppm"));
    if (encode(format, &info, &in, 0, &input) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    bytes_to_file(source, input.at, input.size - (size_t)rng_between(rng, 1, (int64_t)input.size / 2));
    HaloSession *const session = open_session((int)rng_between(rng, 1, 3), rng_between(rng, 1, 50), 0);
    uint64_t clipped;
    const HaloStatus status =
        run_file(session, pipeline_text[rng_between(rng, 0, 10)], source, target, &clipped);
    if (status != HALO_ERR_INPUT) fail_case(NULL, "a truncated file gives status %d", status);
    if (strstr(halo_error(), source) == NULL) fail_case(NULL, "the message names no file: %s", halo_error());
    if (access(target, F_OK) == 0) fail_case(NULL, "a truncated file gives an output");
    halo_session_close(session);
    free(input.at);
    halo_buf_free(&in);
}

/* An image of 3 MB is processed with 1 MB of memory allowed, unless its pipeline needs all of it. */
static void more_than_memory(void **state)
{
    (void)state;
    Rng rng = {5};
    const HaloInfo info = {.shape = shape_of(HALO_U8, 1000, 1000, 3, false), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, &rng);
    Bytes input;
    uint64_t clipped;
    char source[64], target[64];
    snprintf(source, sizeof source, "%s", test_path("flow-large.ppm"));
    snprintf(target, sizeof target, "%s", test_path("flow-large-out.ppm"));
    assert_int_equal(encode(&halo_format_pnm, &info, &in, 0, &input), HALO_OK);
    bytes_to_file(source, input.at, input.size);
    HaloSession *const session = open_session(2, 0, 1 << 20);
    static const char *const passes[] = {"gauss:2 | sobel", "scan:axis=y", "integral | gauss:1", "normalize"};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        assert_int_equal(run_file(session, passes[i], source, target, &clipped), HALO_OK);
        unlink(target);
    }
    assert_int_equal(run_file(session, "equalize", source, target, &clipped), HALO_ERR_LIMIT);
    assert_int_equal(access(target, F_OK), -1);
    halo_session_close(session);
    free(input.at);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(the_same_bytes_in_bands, 400),
        random_test(floats_are_measured_in_bands, 150),
        cmocka_unit_test(large_floats_are_measured_in_bands),
        random_test(truncated_files_leave_nothing, 100),
        cmocka_unit_test(more_than_memory),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
