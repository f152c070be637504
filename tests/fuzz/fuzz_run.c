/* An operation on whatever a reader accepts. The first byte chooses the operation, the second the output, the
 * next four its parameters, and the others are a file. It runs twice, on one thread with all in memory and on
 * three in narrow bands: both write the same bytes, which can be read, or fail with the same status and leave
 * nothing. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec.h"
#include "pipelines.h"

enum { HEAD = 6, MAX_PIXELS = 1 << 14, MAX_BYTES = 1 << 24, TEXT = 4096 };

/* The n-th of the formats that are written, hold results of this kind, and are recognised; none before them. */
static const HaloFormat *output_of(const HaloTables *tables, HaloKind kind, uint8_t n)
{
    enum { MOST = 64 };
    const HaloFormat *found[MOST] = {NULL};
    int count = 1;
    for (int i = 0; i < tables->formats && count < MOST; i++) {
        const HaloFormat *format = tables->format[i];
        const bool recognised = format->named || format->probe != NULL;
        if (format->create != NULL && recognised && (format->kinds & kind) != 0) found[count++] = format;
    }
    return found[n % count];
}

static HaloSession *open_session(int jobs, int64_t band_rows)
{
    HaloSession *session;
    const HaloOptions options = {.max_pixels = MAX_PIXELS,
                                 .max_memory = MAX_BYTES,
                                 .jobs = jobs,
                                 .band_rows = band_rows,
                                 .device = HALO_DEVICE_CPU};
    if (halo_session_open_with(halo_tables(), &options, &session) != HALO_OK) abort();
    return session;
}

typedef struct Made {
    HaloStatus status;
    Bytes file;    /* at NULL: none */
    char *results; /* as text */
} Made;

static void check(HaloStatus status)
{
    if (status == HALO_ERR_BUG || status == HALO_ERR_DEVICE || status == HALO_ERR_OUTPUT) abort();
    if (status != HALO_OK && halo_error()[0] == 0) abort();
}

/* Except tables, which are recognised by their extension alone, and sums of 64 bits, which no float holds. */
static void expect_readable(HaloSession *session, const char *output, const HaloFormat *to)
{
    HaloInfo info;
    HaloBuf data;
    if (to->named) return;
    const HaloStatus status = halo_load_buf(session, output, &info, &data);
    if (status != HALO_OK && status != HALO_ERR_LIMIT && strstr(halo_error(), "32-bit float") == NULL) abort();
    if (status != HALO_OK) return;
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

static Made run(HaloSession *session, const char *pipeline, const char *input, const HaloFormat *to)
{
    Made made = {0};
    HaloPipeline *parsed = NULL;
    HaloReport report = {0};
    const char *output = to != NULL ? test_path("made") : NULL;
    const HaloJob job = {.input = input, .output = output, .to = to};
    made.status = halo_pipeline_parse(session, pipeline, &parsed);
    if (made.status == HALO_OK) made.status = halo_run_job(session, parsed, &job, &report);
    check(made.status);
    if (made.status == HALO_OK) {
        made.results = results_text(&report.results);
        if (to != NULL) made.file = bytes_of_file(output);
        halo_report_clear(&report);
    } else if (to != NULL && access(output, F_OK) == 0) {
        abort(); /* half an output */
    }
    if (to != NULL && made.status == HALO_OK) expect_readable(session, output, to);
    if (to != NULL) unlink(output);
    halo_pipeline_free(parsed);
    return made;
}

static void made_free(Made *made)
{
    free(made->file.at);
    free(made->results);
}

static void expect_alike(const Made *a, const Made *b)
{
    if (a->status == HALO_ERR_LIMIT || b->status == HALO_ERR_LIMIT)
        return; /* bands need less memory, threads more */
    if (a->status != b->status || a->file.size != b->file.size) abort();
    if (a->file.size > 0 && memcmp(a->file.at, b->file.at, a->file.size) != 0) abort();
    if (a->results != NULL && strcmp(a->results, b->results) != 0) abort();
}

/* What the header says it is; 0: nothing that is read. */
static HaloKind kind_of(HaloSession *session, const char *input)
{
    HaloInfo info;
    const HaloStatus status = halo_file_info(session, input, NULL, &info, NULL);
    check(status);
    if (status != HALO_OK) return (HaloKind)0;
    halo_meta_free(&info.meta);
    return info.shape.kind;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const HaloTables *const tables = halo_tables();
    char text[TEXT];
    if (size <= HEAD) return 0;
    const HaloOp *op = tables->op[bytes[0] % tables->ops];
    Rng rng = {(uint64_t)bytes[2] | (uint64_t)bytes[3] << 8 | (uint64_t)bytes[4] << 16 |
               (uint64_t)bytes[5] << 24};
    const char *input = test_path("input");
    HaloSession *whole = open_session(1, 0), *bands = open_session(3, 2);
    bytes_to_file(input, bytes + HEAD, size - HEAD);
    const HaloKind kind = kind_of(whole, input);
    if (kind != 0 && (op->kinds & kind) != 0) {
        const HaloFormat *to = output_of(tables, kind, bytes[1]);
        draw_pipeline(&rng, op, kind, text, sizeof text);
        Made one = run(whole, text, input, to), other = run(bands, text, input, to);
        expect_alike(&one, &other);
        made_free(&one);
        made_free(&other);
    }
    unlink(input);
    halo_session_close(whole);
    halo_session_close(bands);
    return 0;
}
