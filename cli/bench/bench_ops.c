/* `halo bench ops`: pipelines on random samples, by kernel and end to end. */
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "text/json.h"
#include "text/page.h"

#define RATE 48000 /* of sound, frames per second */

typedef struct Bench {
    const CliSettings *settings;
    HaloSession *session;
    HaloShape shown; /* what the last head was of; its kind is 0 at first */
} Bench;

/* An image, or sound of as many frames, which is f32 wherever it comes from. */
static HaloShape shape_of(const CliSettings *settings, HaloKind kind, int channels)
{
    const HaloDtype dtype = (HaloDtype)settings->bench.dtype;
    HaloShape shape = {.kind = kind,
                       .dtype = kind == HALO_AUDIO ? HALO_F32 : dtype,
                       .width = settings->bench.width > 0 ? settings->bench.width : 4096,
                       .height = settings->bench.height > 0 ? settings->bench.height : 4096,
                       .channels = channels,
                       .alpha = -1};
    shape.white = halo_dtype_white(shape.dtype);
    if (kind == HALO_AUDIO) {
        shape.width *= shape.height;
        shape.height = 1;
        shape.rate = RATE;
    }
    return shape;
}

static void record(FILE *to, const char *pipeline, const HaloShape *shape, const HaloTiming *timing)
{
    CliJson json = {.to = to};
    json_open(&json, NULL, '{');
    json_text(&json, "type", "bench");
    json_text(&json, "pipeline", pipeline);
    json_text(&json, "kind", shape->kind == HALO_AUDIO ? "audio" : "image");
    json_int(&json, "width", shape->width);
    json_int(&json, "height", shape->height);
    json_int(&json, "channels", shape->channels);
    json_text(&json, "dtype", halo_dtype_name(shape->dtype));
    json_text(&json, "backend", timing->backend);
    json_text(&json, "device", timing->device);
    if (timing->writes) json_text(&json, "written", halo_dtype_name(timing->written));
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

static void print_head(FILE *to, const HaloShape *shape, const HaloTiming *timing, bool first)
{
    const HaloCeilings *c = &timing->ceilings;
    fprintf(to, "%s%s; ", first ? "" : "\n", timing->device);
    if (shape->kind == HALO_AUDIO)
        fprintf(to, "%lld frames of sound at %d Hz", (long long)shape->width, RATE);
    else
        fprintf(to, "%lld x %lld", (long long)shape->width, (long long)shape->height);
    fprintf(to, ", %d channel%s, %s\n", shape->channels, shape->channels == 1 ? "" : "s",
            halo_dtype_name(shape->dtype));
    if (c->read_gbs > 0)
        fprintf(to,
                "reads %.0f GB/s, copies %.0f GB/s, multiplies and adds %.0f Gflop/s; the floor is what that "
                "leaves\n",
                c->read_gbs, c->copy_gbs, c->fma_gflops);
    fprintf(to, "%-26s %4s %10s %9s %9s %9s %8s %8s %9s %6s\n", "pipeline", "to", "kernel ms", "up ms",
            "down ms", "all ms", "MB", "GB/s", "Gflop/s", "floor");
}

static void print(FILE *to, const char *pipeline, const HaloTiming *timing)
{
    fprintf(to, "%-26.60s %4s %10.4f %9.3f %9.3f %9.3f %8.1f %8.1f", pipeline,
            timing->writes ? halo_dtype_name(timing->written) : "-", timing->kernel_ms, timing->upload_ms,
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

static HaloStatus time_kind(Bench *bench, const char *text, HaloKind kind, int channels)
{
    HaloStatus status = HALO_OK;
    const CliSettings *settings = bench->settings;
    const HaloShape shape = shape_of(settings, kind, channels);
    HaloPipeline *pipeline = NULL;
    HaloTiming timing;
    HALO_TRY(halo_pipeline_parse(bench->session, text, &pipeline));
    HALO_TRY(halo_bench(bench->session, pipeline, &shape, settings->to, (HaloContent)settings->bench.content,
                        settings->bench.runs > 0 ? (int)settings->bench.runs : 11, &timing));
    FILE *page = cli_page_open(settings->json);
    if (settings->json) {
        record(page, text, &shape, &timing);
    } else {
        if (bench->shown.kind != kind || bench->shown.channels != channels)
            print_head(page, &shape, &timing, bench->shown.kind == 0);
        print(page, text, &timing);
        bench->shown = shape;
    }
    HALO_TRY(cli_page_send(STDOUT_FILENO));
out:
    halo_pipeline_free(pipeline);
    return status;
}

/* Without --channels of one channel, or of the three that the pipeline needs. */
static HaloStatus time_channels(Bench *bench, const char *text, HaloKind kind)
{
    const int asked = (int)bench->settings->bench.channels;
    HaloStatus status = time_kind(bench, text, kind, asked > 0 ? asked : 1);
    if ((status != HALO_ERR_USAGE && status != HALO_ERR_INPUT) || kind != HALO_IMAGE || asked > 0)
        return status;
    HaloFailure failure;
    halo_failure_keep(&failure, status);
    return time_kind(bench, text, kind, 3) == HALO_OK ? HALO_OK : halo_failure_again(&failure);
}

/* On an image, or, where the pipeline has no use for one, on sound. */
static HaloStatus time_one(Bench *bench, const char *text)
{
    HaloStatus status = time_channels(bench, text, HALO_IMAGE);
    if (status != HALO_ERR_USAGE) return status;
    HaloFailure failure;
    halo_failure_keep(&failure, status);
    status = time_channels(bench, text, HALO_AUDIO);
    return status == HALO_ERR_USAGE ? halo_failure_again(&failure) : status;
}

/* Every operation by its example, on images first. What cannot be timed is said, and the others go on. */
static HaloStatus time_operations(Bench *bench)
{
    HaloStatus status = HALO_OK;
    const HaloTables *tables = halo_tables();
    bool *timed = cli_alloc((size_t)tables->ops, sizeof *timed);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < tables->ops; i++) {
            const HaloKind kind = pass == 0 ? HALO_IMAGE : HALO_AUDIO;
            const HaloOp *op = tables->op[i];
            if (timed[i] || (op->kinds & kind) == 0) continue;
            status = time_channels(bench, op->example, kind);
            timed[i] = status == HALO_OK;
            if (status == HALO_ERR_PIPE) goto out;
            if (!timed[i] && (pass == 1 || (op->kinds & HALO_AUDIO) == 0))
                cli_complain("bench: %s: %s", op->example, halo_error());
            status = HALO_OK;
        }
out:
    free(timed);
    return status;
}

static HaloStatus time_all(Bench *bench)
{
    HaloStatus status = HALO_OK;
    const CliSettings *settings = bench->settings;
    if (settings->words < 2) return time_operations(bench);
    for (size_t i = 1; i < settings->words && status == HALO_OK; i++)
        status = time_one(bench, settings->word[i]);
    return status;
}

HaloStatus cli_bench_ops(const CliSettings *settings)
{
    HaloStatus status = HALO_OK;
    Bench bench = {.settings = settings};
    HaloOptions engine = settings->engine;
    char device[HALO_WORD_SIZE];
    for (int i = 0; i == 0 || halo_word(settings->bench.devices, ',', i, device) != NULL; i++) {
        if (i > 0) HALO_TRY(cli_read_one_device(device, &engine));
        HALO_TRY(halo_session_open_with(halo_tables(), &engine, &bench.session));
        HALO_TRY(time_all(&bench));
        halo_session_close(bench.session);
        bench = (Bench){.settings = settings};
    }
out:
    halo_session_close(bench.session);
    return status;
}
