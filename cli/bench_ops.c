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
    json_number(&json, "total_ms", timing->total_ms);
    json_number(&json, "bytes", timing->bytes);
    json_number(&json, "flops", timing->flops);
    json_positive(&json, "read_gbs", timing->ceilings.read_gbs);
    json_positive(&json, "copy_gbs", timing->ceilings.copy_gbs);
    json_positive(&json, "fma_gflops", timing->ceilings.fma_gflops);
    json_positive(&json, "floor_ms", timing->floor_ms);
    json_positive(&json, "of_floor", timing->floor_ms / timing->kernel_ms);
    json_close(&json, '}');
    json_end_line(&json);
}

static void print_head(FILE *to, const HaloShape *shape, const HaloTiming *timing)
{
    const HaloCeilings *c = &timing->ceilings;
    fprintf(to, "%s; %lld x %lld, %d channel%s, %s\n", timing->device, (long long)shape->width,
            (long long)shape->height, shape->channels, shape->channels == 1 ? "" : "s",
            halo_dtype_name(shape->dtype));
    if (c->read_gbs > 0)
        fprintf(to,
                "reads %.0f GB/s, copies %.0f GB/s, multiplies and adds %.0f Gflop/s; the floor is what that "
                "leaves\n",
                c->read_gbs, c->copy_gbs, c->fma_gflops);
    fprintf(to, "%-26s %10s %9s %9s %9s %8s %8s %9s %6s\n", "pipeline", "kernel ms", "up ms", "down ms",
            "all ms", "MB", "GB/s", "Gflop/s", "floor");
}

static void print(FILE *to, const char *pipeline, const HaloTiming *timing)
{
    fprintf(to, "%-26.60s %10.4f %9.3f %9.3f %9.3f %8.1f %8.1f", pipeline, timing->kernel_ms, timing->upload_ms,
            timing->download_ms, timing->total_ms, timing->bytes * 1e-6,
            timing->bytes / (timing->kernel_ms * 1e6));
    if (timing->flops > 0)
        fprintf(to, " %9.1f", timing->flops / (timing->kernel_ms * 1e6));
    else
        fprintf(to, " %9s", "-");
    if (timing->floor_ms > 0)
        fprintf(to, " %5.0f%%\n", 100 * timing->floor_ms / timing->kernel_ms);
    else
        fprintf(to, " %6s\n", "-");
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
        if (first) print_head(page, shape, &timing);
        print(page, text, &timing);
    }
    HALO_TRY(cli_page_send(STDOUT_FILENO));
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* The pipelines that were asked for, or every operation for images by its example; where one has no use for
 * these samples, that is said, and the others go on. */
static HaloStatus time_all(HaloSession *session, const CliSettings *settings, const HaloShape *shape)
{
    HaloStatus status = HALO_OK;
    const HaloTables *tables = halo_tables();
    bool first = true;
    for (size_t i = 1; i < settings->words; i++, first = false)
        HALO_TRY(time_one(session, settings, shape, settings->word[i], first));
    for (int i = 0; settings->words < 2 && i < tables->ops; i++) {
        if (!(tables->op[i]->kinds & HALO_IMAGE)) continue;
        status = time_one(session, settings, shape, tables->op[i]->example, first);
        if (status == HALO_OK)
            first = false;
        else if (status == HALO_ERR_PIPE)
            goto out;
        else
            cli_complain("bench: %s: %s", tables->op[i]->example, halo_error());
        status = HALO_OK;
    }
out:
    return status;
}

HaloStatus cli_bench_ops(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloOptions engine = settings->engine;
    const HaloShape shape = shape_of(settings);
    char device[CLI_DEVICE_ROOM];
    for (int i = 0; i == 0 || cli_device_at(settings->bench.devices, i, device); i++) {
        if (i > 0) HALO_TRY(cli_read_one_device(device, &engine));
        HALO_TRY(halo_session_open(&engine, &session));
        HALO_TRY(time_all(session, settings, &shape));
        halo_session_close(session);
        session = NULL;
    }
out:
    halo_session_close(session);
    return status;
}
