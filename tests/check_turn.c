/* EXIF's orientation and thumbnail from file to file: images are rotated where the output cannot hold the
 * orientation, and only there; a thumbnail is kept only with the samples that it shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "meta/meta.h"
#include "shared_session.h"

enum { WIDTH = 70, HEIGHT = 133 }; /* more than two bands of rows */

static uint8_t samples[WIDTH * HEIGHT * 4];

static HaloBuf picture(int channels)
{
    uint32_t v = 1;
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)((v = v * 1664525u + 1013904223u) >> 24);
    HaloBuf data = {.shape = shape_of(HALO_U8, WIDTH, HEIGHT, channels, channels == 4),
                    .cols = WIDTH,
                    .rows = HEIGHT,
                    .data = samples};
    data.stride = halo_row_bytes(&data);
    return data;
}

static void write_file(const char *path, const HaloFormat *format, const HaloBuf *data, const HaloMeta *meta)
{
    const HaloInfo info = {.bits = 8, .meta = *meta};
    Bytes file;
    if (encode(format, &info, data, 0, &file) != HALO_OK) fail_msg("%s", halo_error());
    bytes_to_file(path, file.at, file.size);
    free(file.at);
}

static HaloReport run(const char *pipeline, const char *input, const char *output, bool strip)
{
    HaloPipeline *parsed = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = input, .output = output, .force = HALO_FORCE_YES, .write = {.strip = strip}};
    if (halo_pipeline_parse(test_session, pipeline, &parsed) != HALO_OK ||
        halo_run_job(test_session, parsed, &job, &report) != HALO_OK)
        fail_msg("%s %s: %s", pipeline, input, halo_error());
    halo_pipeline_free(parsed);
    return report;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* Which stored pixel is seen at (x, y), by EXIF's definition: which side of the image row 0 and column 0
 * are. */
static void seen_at(int orientation, int64_t x, int64_t y, int64_t *column, int64_t *row)
{
    /* 0: top, 1: right, 2: bottom, 3: left */
    static const int sides[9][2] = {{0, 0}, {0, 3}, {0, 1}, {2, 1}, {2, 3}, {3, 0}, {1, 0}, {1, 2}, {3, 2}};
    const int64_t wide = orientation >= 5 ? HEIGHT : WIDTH, tall = orientation >= 5 ? WIDTH : HEIGHT;
    const int64_t from[4] = {y, wide - 1 - x, tall - 1 - y, x}; /* how far from that side */
    *row = from[sides[orientation][0]];
    *column = from[sides[orientation][1]];
}

static void expect_seen(const char *path, int orientation, const HaloBuf *stored)
{
    HaloInfo info;
    HaloBuf data;
    if (halo_load_buf(test_session, path, &info, &data) != HALO_OK) fail_msg("%s", halo_error());
    assert_int_equal(data.shape.width, orientation >= 5 ? HEIGHT : WIDTH);
    assert_int_equal(data.shape.height, orientation >= 5 ? WIDTH : HEIGHT);
    for (int64_t y = 0; y < data.rows; y++)
        for (int64_t x = 0; x < data.cols; x++) {
            int64_t column, row;
            seen_at(orientation, x, y, &column, &row);
            if (memcmp(halo_at(&data, x, y), halo_at(stored, column, row), (size_t)stored->shape.channels) != 0)
                fail_msg("%s: orientation %d: pixel %d, %d", path, orientation, (int)x, (int)y);
        }
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

static void expect_turned(const char *input, const char *name, bool strip, int orientation, const HaloBuf *data)
{
    const char *output = test_path(name);
    HaloReport report = run("", input, output, strip);
    assert_int_equal(report.notes.count[HALO_NOTE_TURNED], orientation > 1);
    assert_int_equal(report.notes.count[HALO_NOTE_METADATA], 0); /* all that EXIF said has been done */
    halo_report_clear(&report);
    expect_seen(output, orientation, data);
}

static void images_are_rotated_without_exif(void **unused)
{
    (void)unused;
    char in[600];
    for (int channels = 1; channels <= 4; channels++)
        for (int o = 1; o <= 8; o++) {
            const HaloBuf data = picture(channels);
            HaloMeta meta = {0};
            assert_int_equal(halo_exif_of_orientation(o, &meta.exif), HALO_OK);
            snprintf(in, sizeof in, "%s", test_path("in.png"));
            write_file(in, &halo_format_png, &data, &meta);
            expect_turned(in, "out.pam", false, o, &data);
            expect_turned(in, "out.npy", false, o, &data);
            expect_turned(in, "out.png", true, o, &data);
            if (channels == 3) expect_turned(in, "out.ppm", false, o, &data);
            halo_meta_free(&meta);
        }
}

static void the_tag_is_kept_where_possible(void **unused)
{
    (void)unused;
    static const char *const names[] = {"kept.png",
#ifdef HALO_HAVE_TIFF
                                        "kept.tif"
#endif
    };
    char in[600];
    const HaloBuf data = picture(3);
    for (int o = 1; o <= 8; o++) {
        HaloMeta meta = {.resolution = {1000, 2000}};
        assert_int_equal(halo_exif_of_orientation(o, &meta.exif), HALO_OK);
        snprintf(in, sizeof in, "%s", test_path("in.png"));
        write_file(in, &halo_format_png, &data, &meta);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            HaloInfo info;
            const char *output = test_path(names[i]);
            HaloReport report = run("", in, output, false);
            assert_int_equal(report.notes.count[HALO_NOTE_TURNED], 0);
            halo_report_clear(&report);
            expect_seen(output, 1, &data);
            assert_int_equal(halo_file_info(test_session, output, NULL, &info, NULL), HALO_OK);
            assert_int_equal(halo_exif_orientation(&info.meta.exif), o);
            halo_meta_free(&info.meta);
        }
        /* Results without an output are those of the stored rows. */
        HaloReport report = run("stats", in, NULL, false);
        assert_int_equal(report.results.item[0].shape.width, WIDTH);
        assert_int_equal(report.notes.count[HALO_NOTE_TURNED], 0);
        halo_report_clear(&report);
        halo_meta_free(&meta);
    }
}

static void exif_after_the_samples(void **unused)
{
    (void)unused;
    char in[600];
    const HaloBuf data = picture(3);
    for (int o = 1; o <= 8; o++) {
        HaloBlob exif;
        Bytes file;
        assert_int_equal(halo_exif_of_orientation(o, &exif), HALO_OK);
        assert_int_equal(encode(&halo_format_png, &(HaloInfo){.bits = 8}, &data, 0, &file), HALO_OK);
        png_insert(&file, file.size - 12, "eXIf", exif.data, exif.size, false);
        snprintf(in, sizeof in, "%s", test_path("late.png"));
        bytes_to_file(in, file.at, file.size);
        expect_turned(in, "out.pam", false, o, &data);
        free(file.at);
        free(exif.data);
    }
}

/* ---- the thumbnail -------------------------------------------------------------------------------------- */

/* Big-endian: maker, orientation 6 and a copyright; behind them a second directory, whose JPEG is the end. */
static const uint8_t with_thumbnail[] =
    "MM\0*\0\0\0\10"
    "\0\3\1\17\0\2\0\0\0\10\0\0\0\62\1\22\0\3\0\0\0\1\0\6\0\0\202\230\0\2\0\0\0\10\0\0\0\72\0\0\0\102" /* to 50
                                                                                                        */
    "a maker\0holders\0"                                                                      /* to 66 */
    "\0\3\1\3\0\3\0\0\0\1\0\6\0\0\2\1\0\4\0\0\0\1\0\0\0\154\2\2\0\4\0\0\0\1\0\0\0\11\0\0\0\0" /* to 108 */
    "\xff\xd8"
    "FACES\xff\xd9";

static HaloBlob thumbnail_exif(void)
{
    HaloBlob exif;
    assert_int_equal(halo_blob_set(&exif, with_thumbnail, sizeof with_thumbnail - 1), HALO_OK);
    return exif;
}

static bool holds(const HaloBlob *blob, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= blob->size; i++)
        if (memcmp(blob->data + i, text, strlen(text)) == 0) return true;
    return false;
}

static void thumbnails(void **unused)
{
    (void)unused;
    static const struct {
        const char *pipeline;
        bool kept;
    } cases[] = {{"", true}, {"stats", true}, {"gauss:2", false}, {"invert | hist", false}};
    char in[600], out[600];
    const HaloBuf data = picture(3);
    HaloMeta meta = {.exif = thumbnail_exif()};
    assert_true(halo_exif_thumbnail(&meta.exif));
    snprintf(in, sizeof in, "%s", test_path("thumb.png"));
    snprintf(out, sizeof out, "%s", test_path("thumbed.png"));
    write_file(in, &halo_format_png, &data, &meta);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HaloInfo info;
        HaloReport report = run(cases[i].pipeline, in, out, false);
        halo_report_clear(&report);
        assert_int_equal(halo_file_info(test_session, out, NULL, &info, NULL), HALO_OK);
        const HaloBlob *exif = &info.meta.exif;
        assert_int_equal(halo_exif_thumbnail(exif), cases[i].kept);
        assert_int_equal(holds(exif, "FACES"), cases[i].kept);
        assert_int_equal(halo_exif_orientation(exif), 6);
        assert_true(holds(exif, "a maker") && holds(exif, "holders"));
        if (!cases[i].kept) assert_true(exif->size <= 66);
        halo_meta_free(&info.meta);
    }
    /* When the image is rotated, the rest of EXIF is left out. */
    HaloReport report = run("", in, test_path("thumbed.pam"), false);
    assert_int_equal(report.notes.left_out, HALO_META_EXIF);
    assert_int_equal(report.notes.count[HALO_NOTE_TURNED], 1);
    halo_report_clear(&report);
    halo_meta_free(&meta);
}

/* Orientation 6; and, below, PixelXDimension in two bytes and PixelYDimension in four. */
static const uint8_t with_size[] =
    "MM\0*\0\0\0\10"
    "\0\2\1\22\0\3\0\0\0\1\0\6\0\0\207\151\0\4\0\0\0\1\0\0\0\46\0\0\0\0" /* to 38 */
    "\0\2\240\2\0\3\0\0\0\1\0\7\0\0\240\3\0\4\0\0\0\1\0\0\0\5\0\0\0\0";

/* Geometry operations on an image with an orientation: it is rotated upright first, and its tags describe the
 * result. */
static void geometry_is_of_the_upright_image(void **unused)
{
    (void)unused;
    static const struct {
        const char *pipeline;
        int64_t width, height;
    } cases[] = {
        {"orient", HEIGHT, WIDTH}, {"crop:2x1+0+0", 2, 1}, {"pad:70000", HEIGHT + 140000, WIDTH + 140000}};
    char in[600], out[600];
    const HaloBuf data = picture(3);
    HaloMeta meta = {0};
    assert_int_equal(halo_blob_set(&meta.exif, with_size, sizeof with_size - 1), HALO_OK);
    assert_int_equal(halo_exif_orientation(&meta.exif), 6);
    snprintf(in, sizeof in, "%s", test_path("lies.png"));
    write_file(in, &halo_format_png, &data, &meta);
    for (int i = 0; i < 3; i++) {
        HaloBlob *exif = &meta.exif;
        HaloInfo info;
        if (i < 2) {
            snprintf(out, sizeof out, "%s", test_path("seen.png"));
            HaloReport report = run(cases[i].pipeline, in, out, false);
            assert_int_equal(report.notes.count[HALO_NOTE_TURNED], 0); /* the output tells all */
            halo_report_clear(&report);
            assert_int_equal(halo_file_info(test_session, out, NULL, &info, NULL), HALO_OK);
            assert_int_equal(info.shape.width, cases[i].width);
            assert_int_equal(info.shape.height, cases[i].height);
            assert_int_equal(halo_exif_orientation(&info.meta.exif), 1);
            exif = &info.meta.exif;
        } else { /* no test writes so large a picture: what two bytes do not hold takes four */
            halo_exif_set_size(exif, cases[i].width, cases[i].height);
            assert_int_equal(exif->data[43], 4);
        }
        const uint8_t *wide = exif->data + 48, *high = exif->data + 60;
        const int64_t width = exif->data[43] == 3 ? wide[0] << 8 | wide[1]
                                                  : wide[0] << 24 | wide[1] << 16 | wide[2] << 8 | wide[3];
        assert_int_equal(width, cases[i].width);
        assert_int_equal(high[0] << 24 | high[1] << 16 | high[2] << 8 | high[3], cases[i].height);
        if (i < 2) halo_meta_free(&info.meta);
    }
    /* The upper left pixel that is seen is the lower left one that is stored. */
    HaloReport report = run("crop:1x1+0+0 | stats", in, NULL, false);
    const uint8_t *corner = halo_at(&data, 0, HEIGHT - 1);
    assert_true(report.results.item[0].channel[0].mean == (double)corner[0]);
    halo_report_clear(&report);
    halo_meta_free(&meta);
}

/* Whatever bytes are wrong or missing, nothing is read beyond them, and the orientation stays what it was. */
static void damaged_exif(void **unused)
{
    (void)unused;
    const HaloBlob good = thumbnail_exif();
    for (size_t i = 0; i <= good.size; i++)
        for (int how = 0; how < 4; how++) {
            static const uint8_t values[] = {0, 1, 8, 0xff};
            HaloBlob bad;
            assert_int_equal(halo_blob_set(&bad, good.data, how == 0 ? i : good.size), HALO_OK);
            if (how > 0 && i < good.size) bad.data[i] = values[how];
            const int orientation = halo_exif_orientation(&bad);
            halo_exif_drop_thumbnail(&bad);
            assert_false(halo_exif_thumbnail(&bad));
            assert_int_equal(halo_exif_orientation(&bad), orientation);
            halo_exif_set_size(&bad, 70000, 3);
            halo_exif_set_upright(&bad);
            assert_int_equal(halo_exif_orientation(&bad), 1);
            free(bad.data);
        }
    free(good.data);
}

/* ---- further metadata ---------------------------------------------------------------------------------- */

static void coding_of_light(void **unused)
{
    (void)unused;
    static const struct {
        const char *pipeline;
        bool kept;
    } cases[] = {{"", true},        {"gauss:2", true},        {"gray", true}, {"linear | gauss:2 | srgb", true},
                 {"linear", false}, {"gauss:2 | srgb", false}};
    char in[600], out[600];
    const HaloBuf data = picture(3);
    const HaloMeta meta = {.code[HALO_CICP] = {4, {9, 16, 0, 1}}};
    snprintf(in, sizeof in, "%s", test_path("coded.png"));
    snprintf(out, sizeof out, "%s", test_path("recoded.png"));
    write_file(in, &halo_format_png, &data, &meta);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HaloInfo info;
        HaloReport report = run(cases[i].pipeline, in, out, false);
        halo_report_clear(&report);
        assert_int_equal(halo_file_info(test_session, out, NULL, &info, NULL), HALO_OK);
        assert_int_equal(info.meta.code[HALO_CICP].size, cases[i].kept ? 4 : 0);
        halo_meta_free(&info.meta);
    }
    HaloReport report = run("", in, test_path("coded.ppm"), false);
    assert_int_equal(report.notes.left_out, HALO_META_CODES);
    halo_report_clear(&report);
}

/* Markers of JPEG hold 64 KiB, and its comments have no keys. */
static void what_jpeg_cannot_hold(void **unused)
{
    (void)unused;
#ifdef HALO_HAVE_JPEG
    char in[600], out[600];
    const HaloBuf data = picture(3);
    HaloMeta meta = {.exif = {calloc(1, 70000), 70000}};
    HaloBlob small;
    HaloInfo info;
    assert_non_null(meta.exif.data);
    assert_int_equal(halo_exif_of_orientation(6, &small), HALO_OK);
    memcpy(meta.exif.data, small.data, small.size);
    meta.exif.data[22] = 30; /* there is another directory */
    assert_int_equal(halo_text_add(&meta, "Title", "a lake", 6, HALO_UTF_8), HALO_OK);
    snprintf(in, sizeof in, "%s", test_path("large.png"));
    snprintf(out, sizeof out, "%s", test_path("large.jpg"));
    write_file(in, &halo_format_png, &data, &meta);
    HaloReport report = run("", in, out, false);
    assert_int_equal(report.notes.left_out, HALO_META_EXIF | HALO_META_TEXT);
    halo_report_clear(&report);
    assert_int_equal(halo_file_info(test_session, out, NULL, &info, NULL), HALO_OK);
    assert_int_equal(halo_exif_orientation(&info.meta.exif), 6);
    halo_meta_free(&info.meta);
    free(small.data);
    halo_meta_free(&meta);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_rotated_without_exif),
        cmocka_unit_test(the_tag_is_kept_where_possible),
        cmocka_unit_test(exif_after_the_samples),
        cmocka_unit_test(thumbnails),
        cmocka_unit_test(geometry_is_of_the_upright_image),
        cmocka_unit_test(damaged_exif),
        cmocka_unit_test(coding_of_light),
        cmocka_unit_test(what_jpeg_cannot_hold),
    };
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}
