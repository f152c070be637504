/* Headers are checked before anything relies on them, whatever the reader of a format accepts: by a format
 * whose header the test chooses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "halo/engine.h"
#include "halo/extend.h"

static HaloInfo stated, next_page;

static bool probe(const uint8_t *head, size_t size) { return size >= 6 && memcmp(head, "STATED", 6) == 0; }

static HaloStatus open_stated(HaloReader *reader)
{
    reader->info = stated;
    return HALO_OK;
}

static HaloStatus go_next(HaloReader *reader)
{
    reader->info = next_page;
    return HALO_OK;
}

static HaloStatus read_nothing(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    const bool sound = reader->info.shape.kind == HALO_AUDIO;
    for (int64_t y = 0; y < rows->rows; y++)
        memset((char *)rows->data + y * rows->stride, 0, (size_t)halo_row_bytes(rows));
    *got = sound ? rows->cols : rows->rows;
    return HALO_OK;
}

static void close_nothing(HaloReader *reader) { (void)reader; }

static const HaloFormat format = {.name = "stated",
                                  .extensions = "stated",
                                  .kinds = HALO_IMAGE | HALO_AUDIO,
                                  .several = HALO_SEVERAL,
                                  .probe = probe,
                                  .open = open_stated,
                                  .read = read_nothing,
                                  .next = go_next,
                                  .close = close_nothing};

static const HaloShape image = {HALO_IMAGE, HALO_U8, 4, 3, 2, 1, 255.0f, 0, false},
                       sound = {HALO_AUDIO, HALO_F32, 5, 1, 2, -1, 1.0f, 8000, false};

static HaloSession *open_session(const HaloTables **tables)
{
    static const HaloFormat *rows[64];
    static HaloTables own;
    HaloSession *session = NULL;
    own = *halo_tables();
    memcpy(rows, own.format, (size_t)own.formats * sizeof *rows);
    rows[own.formats] = &format;
    own.format = rows;
    own.formats++;
    *tables = &own;
    assert_int_equal(halo_session_open_with(&own, NULL, &session), HALO_OK);
    return session;
}

/* As a file of its own, and as the operand of another. */
static void expect(HaloInfo info, const char *message)
{
    const HaloTables *tables;
    HaloSession *session = open_session(&tables);
    const char *path = test_path("in.stated");
    char pipeline[600];
    HaloInfo seen;
    HaloPipeline *parsed = NULL;
    bytes_to_file(path, "STATED", 6);
    stated = info;
    const HaloStatus status = halo_file_info(session, path, NULL, &seen, NULL);
    if (message == NULL && status != HALO_OK) fail_msg("refused: %s", halo_error());
    if (message != NULL && (status == HALO_OK || strstr(halo_error(), message) == NULL))
        fail_msg("'%s' is not '%s'", status == HALO_OK ? "read" : halo_error(), message);
    if (message != NULL) {
        snprintf(pipeline, sizeof pipeline, "add:%s", path);
        assert_int_not_equal(halo_pipeline_parse(session, pipeline, &parsed), HALO_OK);
        assert_non_null(strstr(halo_error(), message));
    }
    halo_session_close(session);
}

static HaloInfo of(HaloShape shape) { return (HaloInfo){.shape = shape, .bits = 8}; }

#define IMAGE(field, value, message) \
    do {                             \
        HaloInfo info = of(image);   \
        info.field = (value);        \
        expect(info, message);       \
    } while (0)
#define SOUND(field, value, message) \
    do {                             \
        HaloInfo info = of(sound);   \
        info.field = (value);        \
        expect(info, message);       \
    } while (0)

static void what_a_header_states_is_checked(void **unused)
{
    (void)unused;
    expect(of(image), NULL);
    expect(of(sound), NULL);
    SOUND(shape.width, -1, NULL);
    IMAGE(shape.kind, (HaloKind)0, "neither an image nor audio");
    IMAGE(shape.kind, (HaloKind)3, "neither an image nor audio");
    IMAGE(shape.dtype, HALO_I64, "sample type is not supported");
    IMAGE(shape.dtype, HALO_DTYPES, "sample type is not supported");
    SOUND(shape.channels, 0, "it has no channels");
    IMAGE(shape.channels, -1, "it has no channels");
    IMAGE(shape.channels, HALO_MAX_CHANNELS + 1, "it has 65537 channels");
    IMAGE(shape.alpha, 2, "invalid alpha: channel 3 of 2");
    IMAGE(shape.white, 0.0f, "full scale: 0");
    IMAGE(shape.white, NAN, "full scale: ");
    IMAGE(shape.white, INFINITY, "full scale: inf");
    IMAGE(shape.width, 0, "an image without pixels: 0 x 3");
    IMAGE(shape.height, -1, "an image without pixels: 4 x -1");
    IMAGE(shape.width, INT64_MAX / 2, "more than memory can hold");
    IMAGE(shape.rate, 1.0, "an image with a sample rate");
    SOUND(shape.rate, 0.0, "sample rate: 0");
    SOUND(shape.rate, -8000.0, "sample rate: -8000");
    SOUND(shape.rate, (double)INFINITY, "sample rate: inf");
    SOUND(shape.rate, (double)NAN, "sample rate: ");
    SOUND(shape.width, 0, "it has no samples");
    SOUND(shape.width, -2, "invalid length: -2 frames");
    SOUND(shape.width, INT64_MAX / 2, "more than memory can hold");
    SOUND(shape.height, 2, "invalid audio: 2 rows");
    IMAGE(bits, 0, "samples have 0 bits");
    IMAGE(bits, 65, "samples have 65 bits");
    IMAGE(images, -1, "there is no page 1: there are -1");
}

/* A page behind the first has a header of its own. */
static void further_pages_are_checked(void **unused)
{
    (void)unused;
    const HaloTables *tables;
    HaloSession *session = open_session(&tables);
    const char *path = test_path("pages.stated");
    HaloPipeline *pipeline;
    HaloReport report;
    bytes_to_file(path, "STATED", 6);
    stated = next_page = of(image);
    stated.images = next_page.images = 2;
    next_page.shape.width = 0;
    const HaloJob job = {.input = path};
    assert_int_equal(halo_pipeline_parse(session, "stats", &pipeline), HALO_OK);
    assert_int_equal(halo_run_job(session, pipeline, &job, &report), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "page 2: an image without pixels: 0 x 3"));
    halo_report_clear(&report);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_header_states_is_checked),
        cmocka_unit_test(further_pages_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
