/* `halo bench ops`: pipelines on random samples, by kernel and end to end. */
#include <unistd.h>

#include "bench.h"
#include "json.h"
#include "page.h"

static HaloShape shape_of(const CliSettings *settings)
{
    const HaloDtype dtype = (HaloDtype)settings->bench.dtype;
    return (HaloShape){.kind = HALO_IMAGE,
                       .dtype = dtype,
                       .width = settings->bench.width > 0 ? settings->bench.width : 4096,
                       .height = settings->bench.height > 0 ? settings->bench.height : 4096,
                       .channels = settings->bench.channels > 0 ? (int)settings->bench.channels : 1,
                       .alpha = -1,
                       .white = halo_dtype_white(dtype)};
}

static void record(FILE *to, const char *pipeline, const HaloShape *shape, const HaloTiming *timing)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "bench");
    json_text(&json, "pipeline", pipeline);
    json_int(&json, "width", shape->width);
    json_int(&json, "height", shape->height);
    json_int(&json, "channels", shape->channels);
    json_text(&json, "dtype", halo_dtype_name(shape->dtype));
    json_text(&json, "backend", timing->backend);
    json_text(&json, "device", timing->device);
    json_number(&json, "kernel_ms", timing->kernel_ms);
    json_number(&json, "upload_ms", timing->upload_ms);
    json_number(&json, "download_ms", timing->download_ms);
    json_number(&json, "bytes", timing->bytes);
    json_number(&json, "flops", timing->flops);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_head(FILE *to, const HaloShape *shape, const char *device)
{
    fprintf(to, "%s; %lld x %lld, %d channel%s, %s\n", device, (long long)shape->width, (long long)shape->height,
            shape->channels, shape->channels == 1 ? "" : "s", halo_dtype_name(shape->dtype));
    fprintf(to, "%-32s %10s %10s %10s %9s %9s\n", "pipeline", "kernel ms", "up ms", "down ms", "GB/s", "Gflop/s");
}

static void print(FILE *to, const char *pipeline, const HaloTiming *timing)
{
    fprintf(to, "%-32.60s %10.4f %10.3f %10.3f %9.1f %9.1f\n", pipeline, timing->kernel_ms, timing->upload_ms,
            timing->download_ms, timing->bytes / (timing->kernel_ms * 1e6), timing->flops / (timing->kernel_ms * 1e6));
}

static HaloStatus time_one(HaloSession *session, const CliSettings *settings, const HaloShape *shape,
                           const char *text, bool first)
{
    HaloStatus status = HALO_OK;
    HaloPipeline *pipeline = NULL;
    HaloTiming timing;
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_bench(session, pipeline, shape, (HaloContent)settings->bench.content,
                        settings->bench.runs > 0 ? (int)settings->bench.runs : 11, &timing));
    FILE *page = cli_page_open();
    if (settings->json) {
        record(page, text, shape, &timing);
    } else {
        if (first) print_head(page, shape, timing.device);
        print(page, text, &timing);
    }
    HALO_TRY(cli_page_send(STDOUT_FILENO));
out:
    halo_pipeline_free(pipeline);
    return status;
}

HaloStatus cli_bench_ops(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    const HaloShape shape = shape_of(settings);
    if (settings->words < 2)
        HALO_FAIL(HALO_ERR_USAGE, "name the pipelines to be timed: halo bench ops gauss:2 'sobel|depth:u8'");
    HALO_TRY(halo_session_open(&settings->engine, &session));
    for (size_t i = 1; i < settings->words; i++)
        HALO_TRY(time_one(session, settings, &shape, settings->word[i], i == 1));
out:
    halo_session_close(session);
    return status;
}
