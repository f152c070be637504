/* What an image file says of its samples is true of the output's too: sizes, resolutions, gamma and places on a
 * map, after every operation (statements.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bytes/endian.h"
#include "codec.h"
#include "meta/meta.h"
#include "shared_session.h"
#include "statements.h"

#define WIDE 96
#define HIGH 64

static const char xmp_text[] =
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
    "<rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:ImageWidth='96' tiff:ImageLength='64'/>"
    "</rdf:RDF></x:xmpmeta>";

/* A directory with both resolutions and the size. */
static uint8_t exif_bytes[] = "II*\0\10\0\0\0\4\0"
                              "\0\1\3\0\1\0\0\0\x60\0\0\0"
                              "\1\1\3\0\1\0\0\0\x40\0\0\0"
                              "\x1a\1\5\0\1\0\0\0\x3e\0\0\0"
                              "\x1b\1\5\0\1\0\0\0\x46\0\0\0"
                              "\0\0\0\0"
                              "\x2c\1\0\0\1\0\0\0"
                              "\x96\0\0\0\1\0\0";

/* A bump that is wider than high. */
static HaloBuf picture_data(void)
{
    const HaloShape shape = shape_of(HALO_U8, WIDE, HIGH, 3, false);
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    for (int64_t i = 0; i < WIDE * HIGH; i++) {
        const double x = (double)(i % WIDE) - 40, y = (double)(i / WIDE) - 28;
        memset((uint8_t *)data.data + 3 * i, (int)(40 + 180 * exp(-0.5 * (x * x / 64 + y * y / 9))), 3);
    }
    return data;
}

static bool holds(const HaloBlob *blob, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i + size <= blob->size; i++)
        if (memcmp(blob->data + i, text, size) == 0) return true;
    return false;
}

static char png[600], out_png[600];
static int checked;

static void check_png(const char *pipeline)
{
    HaloInfo info;
    HaloBuf data;
    char wide[32], high[32];
    if (!statements_run(pipeline, png, out_png, &info, &data)) return;
    const HaloShape *shape = &data.shape;
    const Bump bump = statements_bump(&data, 0, statements_add_up(pipeline));
    const bool turned = bump.tall > bump.wide;
    const HaloMeta *meta = &info.meta;
    snprintf(wide, sizeof wide, "ImageWidth='%lld'", (long long)shape->width);
    snprintf(high, sizeof high, "ImageLength='%lld'", (long long)shape->height);
    assert_true(meta->exif.size > 62);
    if (halo_get_le(meta->exif.data + 18, 2) != (uint64_t)shape->width ||
        halo_get_le(meta->exif.data + 30, 2) != (uint64_t)shape->height)
        fail_msg("'%s': EXIF's size", pipeline);
    if (!holds(&meta->xmp, wide) || !holds(&meta->xmp, high)) fail_msg("'%s': XMP's size", pipeline);
    if (bump.found && !statements_add_up(pipeline) && strncmp(pipeline, "motion", 6) != 0) {
        const size_t x = (size_t)halo_get_le(meta->exif.data + 42, 4);
        statements_near(pipeline, "dots along x", meta->resolution[0], turned ? 5906 : 11811, 1);
        statements_near(pipeline, "dots along y", meta->resolution[1], turned ? 11811 : 5906, 1);
        statements_near(pipeline, "EXIF's dots along x", (double)halo_get_le(meta->exif.data + x, 4),
                        turned ? 150 : 300, 0);
        checked++;
    }
    const bool linear = strncmp(pipeline, "linear", 6) == 0;
    if (linear != (meta->gamma == 1.0) || linear == (meta->srgb > 0)) fail_msg("'%s': its gamma", pipeline);
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

/* ---- a grid in space ------------------------------------------------------------------------------------ */

/* Gradients of one direction, without their negative values, lie beside the bump, and corners of one kind at
 * its side; an overlay may cover it. */
static bool hides_bump(const char *pipeline)
{
    return strncmp(pipeline, "prewitt:axis", 12) == 0 || strncmp(pipeline, "emboss", 6) == 0 ||
           strncmp(pipeline, "over", 4) == 0 || strstr(pipeline, "hitmiss") != NULL;
}

/* No map of coordinates describes what these do, so that places have none. */
static bool bends(const char *pipeline)
{
    return strncmp(pipeline, "perspective", 11) == 0 || strncmp(pipeline, "undistort", 9) == 0 ||
           strncmp(pipeline, "warp", 4) == 0;
}

static char nrrd[600], out_nrrd[600];

/* Columns lead along y, rows along -x. */
static HaloGrid grid_of_file(void)
{
    return (HaloGrid){.known = true,
                      .patient = true,
                      .unit = "mm",
                      .origin = {100, 200, 300},
                      .step = {{0, 0.5, 0}, {-0.25, 0, 0}, {0, 0, 2}}};
}

static void check_nrrd(const char *pipeline)
{
    HaloInfo info;
    HaloBuf data;
    double place[3];
    const HaloGrid whole = grid_of_file(), *grid = &info.meta.grid;
    if (!statements_run(pipeline, nrrd, out_nrrd, &info, &data)) return;
    const Bump bump = statements_bump(&data, 0, statements_add_up(pipeline));
    if (bends(pipeline)) {
        if (grid->known) fail_msg("'%s': a grid", pipeline);
    } else if (bump.found && !statements_add_up(pipeline) && !hides_bump(pipeline)) {
        if (!grid->known) fail_msg("'%s': its grid", pipeline);
        for (int i = 0; i < 3; i++)
            place[i] = grid->origin[i] + bump.x * grid->step[0][i] + bump.y * grid->step[1][i];
        statements_near(pipeline, "x in space", (place[0] - whole.origin[0]) / -0.25, 28, 3);
        statements_near(pipeline, "y in space", (place[1] - whole.origin[1]) / 0.5, 40, 3);
        statements_near(pipeline, "z in space", place[2], 300, 1e-9);
        checked++;
    }
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

/* ---- images of TIFF ------------------------------------------------------------------------------------- */

#ifdef HALO_HAVE_TIFF

#define MAP_X 500000.0
#define MAP_Y 4600000.0
#define METRES 10.0

static void put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    halo_put_le(to, bits, 8);
}

static double get_double(const HaloBlob *blob, size_t i)
{
    const uint64_t bits = halo_get_le(blob->data + 8 * i, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static HaloMeta tiff_meta(void)
{
    HaloMeta meta = {0};
    uint8_t scale[24] = {0}, tie[48] = {0};
    const char shape[] = "{\"shape\": [64, 96, 3]}";
    put_double(scale, METRES);
    put_double(scale + 8, METRES);
    put_double(tie + 24, MAP_X);
    put_double(tie + 32, MAP_Y);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_SCALE], scale, sizeof scale), HALO_OK);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_TIEPOINTS], tie, sizeof tie), HALO_OK);
    assert_int_equal(halo_blob_set(&meta.geo[HALO_GEO_NODATA], "40", 3), HALO_OK);
    assert_int_equal(halo_text_add(&meta, "Description", shape, sizeof shape - 1, HALO_UTF_8), HALO_OK);
    return meta;
}

/* Where a place of the picture, counted from the corner of its first pixel, lies on the map. */
static void on_map(const HaloMeta *meta, double x, double y, double map[2])
{
    const HaloBlob *scale = &meta->geo[HALO_GEO_SCALE], *tie = &meta->geo[HALO_GEO_TIEPOINTS],
                   *all = &meta->geo[HALO_GEO_TRANSFORM];
    if (all->size > 0) {
        for (size_t i = 0; i < 2; i++)
            map[i] = get_double(all, 4 * i) * x + get_double(all, 4 * i + 1) * y + get_double(all, 4 * i + 3);
        return;
    }
    assert_true(scale->size == 24 && tie->size == 48);
    map[0] = get_double(tie, 3) + (x - get_double(tie, 0)) * get_double(scale, 0);
    map[1] = get_double(tie, 4) - (y - get_double(tie, 1)) * get_double(scale, 1);
}

static char tiff[600], out_tiff[600];

static void check_tiff(const char *pipeline)
{
    HaloInfo info;
    HaloBuf data;
    double map[2];
    if (!statements_run(pipeline, tiff, out_tiff, &info, &data)) return;
    const Bump bump = statements_bump(&data, 0, statements_add_up(pipeline));
    const HaloShape *shape = &data.shape;
    const bool like = shape->width == WIDE && shape->height == HIGH && shape->channels == 3;
    if (halo_text_find(&info.meta, "Description") != NULL && !like) fail_msg("'%s': its shape", pipeline);
    if (bends(pipeline)) {
        if (info.meta.geo[HALO_GEO_SCALE].size + info.meta.geo[HALO_GEO_TRANSFORM].size > 0)
            fail_msg("'%s': a place on a map", pipeline);
    } else if (bump.found && !statements_add_up(pipeline) && !hides_bump(pipeline)) {
        on_map(&info.meta, bump.x + 0.5, bump.y + 0.5, map);
        statements_near(pipeline, "the map's x", (map[0] - MAP_X) / METRES, 40.5, 3);
        statements_near(pipeline, "the map's y", (MAP_Y - map[1]) / METRES, 28.5, 3);
        checked++;
    }
    /* "No data" is the ground, 40: that is so as long as samples are those of the input. */
    if (info.meta.geo[HALO_GEO_NODATA].size > 0) {
        bool kept = shape->dtype == HALO_U8;
        const uint8_t *sample = data.data;
        for (int64_t k = 0; kept && k < shape->width * shape->height * shape->channels; k++)
            kept = (sample[k] >= 40 && sample[k] <= 220) || sample[k] == 0; /* 0: of a border */
        if (!kept) fail_msg("'%s': no data", pipeline);
    }
    halo_buf_free(&data);
    halo_meta_free(&info.meta);
}

#endif

/* ---- all operations ------------------------------------------------------------------------------------- */

static void make_files(void)
{
    HaloBuf picture = picture_data();
    HaloInfo of_png = {.bits = 8, .meta = {.resolution = {11811, 5906}, .gamma = 0.45455, .srgb = 1}};
    snprintf(png, sizeof png, "%s", test_path("in.png"));
    snprintf(out_png, sizeof out_png, "%s", test_path("out.png"));
    assert_int_equal(halo_blob_set(&of_png.meta.exif, exif_bytes, sizeof exif_bytes), HALO_OK);
    assert_int_equal(halo_blob_set(&of_png.meta.xmp, xmp_text, sizeof xmp_text - 1), HALO_OK);
    statements_write(png, &halo_format_png, &of_png, &picture);
    halo_meta_free(&of_png.meta);
    HaloInfo of_nrrd = {.bits = 8, .meta = {.grid = grid_of_file()}};
    snprintf(nrrd, sizeof nrrd, "%s", test_path("in.nrrd"));
    snprintf(out_nrrd, sizeof out_nrrd, "%s", test_path("out.nrrd"));
    statements_write(nrrd, &halo_format_nrrd, &of_nrrd, &picture);
#ifdef HALO_HAVE_TIFF
    HaloInfo of_tiff = {.bits = 8, .meta = tiff_meta()};
    snprintf(tiff, sizeof tiff, "%s", test_path("in.tif"));
    snprintf(out_tiff, sizeof out_tiff, "%s", test_path("out.tif"));
    statements_write(tiff, &halo_format_tiff, &of_tiff, &picture);
    halo_meta_free(&of_tiff.meta);
#endif
    halo_buf_free(&picture);
}

static void check_all(const char *pipeline)
{
    check_png(pipeline);
    check_nrrd(pipeline);
#ifdef HALO_HAVE_TIFF
    check_tiff(pipeline);
#endif
}

static void every_operation(void **state)
{
    (void)state;
    static const char *const more[] = {"", "gauss:2 | transpose | crop:40x60+5+8", "resize:50% | rotate:90",
                                       "flip:x | rotate:270 | pad:3"};
    make_files();
    statements_for_every_operation(check_all);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) check_all(more[i]);
    if (checked < 100) fail_msg("only %d outputs had a bump to be found", checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation)};
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}
