/* Files that the fake GPU processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_gpu.h"
#include "pipelines.h"

char fake_source[64], fake_target[64];

int fake_write_source(void **state)
{
    (void)state;
    return fake_write_picture(301);
}

int fake_write_picture(int64_t width)
{
    Rng rng = {7};
    const HaloInfo info = {.shape = shape_of(HALO_U8, width, 203, 3, false), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, &rng);
    Bytes file;
    snprintf(fake_source, sizeof fake_source, "%s", test_path("device-in.ppm"));
    snprintf(fake_target, sizeof fake_target, "%s", test_path("device-out.ppm"));
    if (encode(&halo_format_pnm, &info, &in, 0, &file) != HALO_OK) return -1;
    bytes_to_file(fake_source, file.at, file.size);
    free(file.at);
    halo_buf_free(&in);
    return 0;
}

Made make(HaloSession *session, const char *text)
{
    Made made = {.file = {NULL, 0}};
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = fake_source, .output = fake_target};
    HaloStatus status = HALO_OK;
    fake.call = 0;
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_run_job(session, pipeline, &job, &report));
    made.file = bytes_of_file(fake_target);
    made.results = results_text(&report.results);
    made.fell_back = report.fell_back;
    snprintf(made.backend, sizeof made.backend, "%s", report.backend);
    snprintf(made.why, sizeof made.why, "%s", report.why);
    halo_report_clear(&report);
out:
    made.status = status;
    if ((access(fake_target, F_OK) == 0) != (status == HALO_OK))
        fail_case(NULL, "%s: status %d and the file", text, status);
    unlink(fake_target);
    halo_pipeline_free(pipeline);
    return made;
}

void made_free(Made *made)
{
    free(made->file.at);
    free(made->results);
}

void expect_made(const char *text, const Made *made, const Made *expected, const char *backend)
{
    if (made->status != HALO_OK) fail_case(NULL, "%s: call %d: %s", text, fake.fails_at, halo_error());
    if (strcmp(made->backend, backend) != 0)
        fail_case(NULL, "%s: call %d: done by %s", text, fake.fails_at, made->backend);
    if (made->file.size != expected->file.size ||
        memcmp(made->file.at, expected->file.at, made->file.size) != 0 ||
        strcmp(made->results, expected->results) != 0)
        fail_case(NULL, "%s: call %d: other bytes", text, fake.fails_at);
}

Made undisturbed(const char *text, int *calls)
{
    HaloSession *const cpu = fake_session(HALO_DEVICE_CPU);
    Made expected = make(cpu, text);
    halo_session_close(cpu);
    if (expected.status != HALO_OK) fail_case(NULL, "%s: %s", text, halo_error());
    HaloSession *const gpu = fake_session(HALO_DEVICE_AUTO);
    Made made = make(gpu, text);
    *calls = fake.call;
    expect_made(text, &made, &expected, "fake");
    if (made.fell_back) fail_case(NULL, "%s: nothing failed", text);
    made_free(&made);
    halo_session_close(gpu);
    return expected;
}
