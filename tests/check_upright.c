/* Pictures with an orientation of EXIF: what an operation makes of one does not depend on whether its output
 * keeps the orientation, and is what it makes of the same picture stored upright. Operations for which it would
 * matter declare it (HaloOp.upright), the others leave the samples as they lie. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "draw.h"
#include "meta/meta.h"
#include "pipelines.h"
#include "shared_session.h"

enum { WIDTH = 43, HEIGHT = 28, CHANNELS = 3, TEXT = 2000 };

#ifdef HALO_HAVE_TIFF
#define KEPT "kept.tif"
#define STRIPPED "stripped.tif"
#else
#define KEPT "kept.png"
#define STRIPPED "stripped.png"
#endif

static uint8_t picture[HEIGHT][WIDTH][CHANNELS], lies[WIDTH * HEIGHT * CHANNELS];

/* Grains of a few pixels, so that windows, regions and edges find something. */
static void draw_picture(void)
{
    uint32_t v = 1;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < CHANNELS; c++) {
                v = v * 1664525u + 1013904223u;
                const int base = x > 1 && y > 1 ? picture[y - 2][x - 1][c] + picture[y - 1][x - 2][c] : 250;
                picture[y][x][c] = (uint8_t)((base * 3 / 8 + (int)(v >> 25)) % 256);
            }
}

/* Where pixel (x, y) of a picture that is `wide` and `high` as it is viewed is stored, by EXIF's definition:
 * which side of the view row 0 and column 0 are. */
static void stored_at(int orientation, int64_t wide, int64_t high, int64_t x, int64_t y, int64_t *column,
                      int64_t *row)
{
    /* 0: top, 1: right, 2: bottom, 3: left */
    static const int sides[9][2] = {{0, 0}, {0, 3}, {0, 1}, {2, 1}, {2, 3}, {3, 0}, {1, 0}, {1, 2}, {3, 2}};
    const int64_t from[4] = {y, wide - 1 - x, high - 1 - y, x}; /* how far from that side */
    *row = from[sides[orientation][0]];
    *column = from[sides[orientation][1]];
}

/* The picture, stored so that it is viewed upright; without EXIF: orientation 0. */
static void write_picture(const char *path, int orientation)
{
    const bool tall = orientation >= 5;
    HaloBuf data = {.shape = shape_of(HALO_U8, tall ? HEIGHT : WIDTH, tall ? WIDTH : HEIGHT, CHANNELS, false),
                    .cols = tall ? HEIGHT : WIDTH,
                    .rows = tall ? WIDTH : HEIGHT,
                    .data = lies};
    HaloInfo info = {.bits = 8};
    Bytes file;
    data.stride = halo_row_bytes(&data);
    for (int64_t y = 0; y < HEIGHT; y++)
        for (int64_t x = 0; x < WIDTH; x++) {
            int64_t column, row;
            stored_at(orientation > 0 ? orientation : 1, WIDTH, HEIGHT, x, y, &column, &row);
            memcpy(halo_at(&data, column, row), picture[y][x], CHANNELS);
        }
    if (orientation > 0) assert_int_equal(halo_exif_of_orientation(orientation, &info.meta.exif), HALO_OK);
    if (encode(&halo_format_png, &info, &data, 0, &file) != HALO_OK) fail_msg("%s", halo_error());
    bytes_to_file(path, file.at, file.size);
    free(file.at);
    halo_meta_free(&info.meta);
}

static HaloStatus run(const char *pipeline, const char *input, const char *output, bool strip,
                      HaloReport *report)
{
    HaloPipeline *parsed = NULL;
    const HaloJob job = {.input = input, .output = output, .force = HALO_FORCE_YES, .write = {.strip = strip}};
    HaloStatus status = halo_pipeline_parse(test_session, pipeline, &parsed);
    *report = (HaloReport){0};
    if (status == HALO_OK) status = halo_run_job(test_session, parsed, &job, report);
    halo_pipeline_free(parsed);
    return status;
}

/* A picture and its orientation. */
typedef struct View {
    HaloBuf data;
    int orientation;
} View;

static View load(const char *path)
{
    HaloInfo info;
    View view;
    if (halo_load_buf(test_session, path, &info, &view.data) != HALO_OK) fail_msg("%s", halo_error());
    view.orientation = halo_exif_orientation(&info.meta.exif);
    halo_meta_free(&info.meta);
    return view;
}

/* Sums of floats in another order may round otherwise: by so much, and samples of 8 bits that lay half-way
 * between two steps, of which there are few, by one step. */
#define ROUNDED 1e-5
enum { MOST_TIES = 3 };

static bool are_alike(const HaloShape *shape, const void *a, const void *b, int *ties)
{
    for (int c = 0; c < shape->channels; c++) {
        if (shape->dtype == HALO_U8) {
            const int x = ((const uint8_t *)a)[c], y = ((const uint8_t *)b)[c];
            *ties += x != y;
            if (x > y + 1 || y > x + 1) return false;
        } else if (shape->dtype == HALO_F32) {
            const double x = ((const float *)a)[c], y = ((const float *)b)[c];
            if (!(x == y || (x != x && y != y) || fabs(x - y) <= ROUNDED * (1.0 + fabs(x)))) return false;
        } else {
            return memcmp(a, b, (size_t)shape->channels * halo_dtype_size(shape->dtype)) == 0;
        }
    }
    return *ties <= MOST_TIES;
}

static void expect_views_alike(const char *pipeline, int orientation, const View *expected, const View *view)
{
    const HaloShape *shape = &expected->data.shape;
    const bool tall = view->orientation >= 5;
    int ties = 0;
    if (view->data.shape.width != (tall ? shape->height : shape->width) ||
        view->data.shape.height != (tall ? shape->width : shape->height) ||
        view->data.shape.dtype != shape->dtype)
        fail_msg("%s, orientation %d: the size or the type is another one", pipeline, orientation);
    for (int64_t y = 0; y < shape->height; y++)
        for (int64_t x = 0; x < shape->width; x++) {
            int64_t column, row;
            stored_at(view->orientation, shape->width, shape->height, x, y, &column, &row);
            if (!are_alike(shape, halo_at(&expected->data, x, y), halo_at(&view->data, column, row), &ties))
                fail_msg("%s, orientation %d, %s: pixel %d, %d", pipeline, orientation,
                         view->orientation == orientation ? "kept" : "turned", (int)x, (int)y);
        }
}

static void expect_results_alike(const char *pipeline, int orientation, const HaloResults *expected,
                                 const HaloResults *results)
{
    assert_int_equal(results->count, expected->count);
    for (int r = 0; r < results->count; r++) {
        const HaloResult *a = &expected->item[r], *b = &results->item[r];
        /* Statistics are of rows as they are stored, and so are the places of extremes. */
        bool alike = a->type != HALO_RESULT_TABLE || a->shape.width == b->shape.width;
        for (int c = 0; c < CHANNELS && a->type == HALO_RESULT_STATS; c++)
            alike = alike && a->channel[c].min == b->channel[c].min && a->channel[c].max == b->channel[c].max;
        if (a->type == HALO_RESULT_TABLE) {
            alike = alike && a->table->rows == b->table->rows;
            for (int64_t i = 0; alike && i < a->table->rows * a->table->columns; i++)
                alike = memcmp(&a->table->cell[i], &b->table->cell[i], sizeof(double)) == 0;
        }
        if (!alike) fail_msg("%s, orientation %d: its result is another one", pipeline, orientation);
    }
}

/* false: it does not run on the picture stored upright, either. `kept`: the samples stay as they lie. */
static bool expect_alike(const char *pipeline, bool *kept)
{
    char in[600], out[600];
    HaloReport report, other;
    *kept = false;
    snprintf(in, sizeof in, "%s", test_path("upright.png"));
    snprintf(out, sizeof out, "%s", test_path(STRIPPED));
    write_picture(in, 0);
    const bool works = run(pipeline, in, out, true, &report) == HALO_OK;
    View expected = works ? load(out) : (View){0};
    for (int o = 1; o <= 8 && works; o++)
        for (int strip = 0; strip < 2; strip++) {
            snprintf(in, sizeof in, "%s", test_path("lies.png"));
            snprintf(out, sizeof out, "%s", test_path(strip ? STRIPPED : KEPT));
            write_picture(in, o);
            if (run(pipeline, in, out, strip, &other) != HALO_OK) fail_msg("%s: %s", pipeline, halo_error());
            expect_results_alike(pipeline, o, &report.results, &other.results);
            View view = load(out);
            expect_views_alike(pipeline, o, &expected, &view);
            *kept = *kept || view.orientation != 1;
            halo_buf_free(&view.data);
            halo_report_clear(&other);
        }
    halo_buf_free(&expected.data);
    halo_report_clear(&report);
    return works;
}

static void every_example(void **unused)
{
    (void)unused;
    const HaloTables *const tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        char text[TEXT];
        bool kept;
        if ((tables->op[i]->kinds & HALO_IMAGE) == 0) continue;
        example_pipeline(tables->op[i], HALO_IMAGE, text, sizeof text);
        if (!expect_alike(text, &kept) && strcmp(text, "average:5ms") != 0)
            fail_msg("%s: %s", text, halo_error());
    }
}

/* Whether the samples stay as they lie, where the output keeps the orientation. */
static void parameters_decide(void **unused)
{
    (void)unused;
    static const struct {
        const char *pipeline;
        bool kept;
    } cases[] = {
        {"gauss:2", true},
        {"box:5", true},
        {"box:9,3", false},
        {"box:4", false},
        {"average:5", true},
        {"average:4", false},
        {"binomial:5", true},
        {"binomial:4", false},
        {"median:3", true},
        {"median:radius=2", true},
        {"median:5,3", false},
        {"rank:0.2,width=3", true},
        {"rank:0.2,width=4", false},
        {"rank:0.2,radius=2", true},
        {"erode:5", true},
        {"erode:5,shape=disk", true},
        {"dilate:3,height=7", false},
        {"tophat:4", false},
        {"open:mask=\"3x3: 0,1,0, 1,1,1, 0,1,0\"", true},
        {"open:mask=\"3x3: 0,1,0, 1,1,1, 0,0,0\"", false},
        {"local:range,width=3", true},
        {"local:sd,width=3,height=5", false},
        {"local:mode,width=3", true},
        {"adaptive:5", true},
        {"adaptive:6", false},
        {"conv:gauss5", true},
        {"conv:emboss", false},
        {"conv:mask=\"3x1: 1,2,1\",normalize=1", false},
        {"conv:mask=\"3x3: 0,1,0, 1,-4,1, 0,1,0\",dilation=2", true},
        {"conv:gauss3,stride=2", false},
        {"conv:gauss3,anchor=0+0", false},
        {"sobel", true},
        {"sobel:axis=x", false},
        {"prewitt:y", false},
        {"scharr:axis=x", false},
        {"roberts", false},
        {"motion:5,angle=30", false},
        {"emboss", false},
        {"disk:3.5", true},
        {"expr:\"v/2\"", true},
        {"expr:\"max(v1,v2)\"", true},
        {"expr:\"white*(y<h/2)\"", false},
        {"expr:\"v*x/w\"", false},
        {"expr:\"(v+a)/2\",a=[invert]", true},
        {"expr:\"(v+a)/2\",a=[expr:\"x\"]", false},
        {"gauss:3,mask=[gray | threshold:50%]", true},
        {"gauss:3,mask=[gray | expr:\"white*(x<9)\"]", false},
        {"gray | scan:axis=x | normalize", false},
        {"gray | threshold:otsu | hitmiss:\"3x3: -1,1,-1, 1,1,1, -1,1,-1\"", true},
        {"gray | threshold:otsu | areaopen:9", true},
        {"gray | threshold:otsu | objects", false},
        {"gray | canny", false},
        {"gray | threshold:otsu | clearborder", true},
        {"gray | hmax:10%", true},
        {"on:1,[motion:9]", false},
        {"on:1,[gauss:1]", true},
        {"hist", true},
        {"stats", true},
        {"reduce:max(a,b)", true},
        {"add:side.png", false},
        {"match:side.png", true},
        {"gauss:3,mask=mask.png", false},
        {"multiply:pixel.png", true},
    };
    HaloReport report;
    assert_int_equal(chdir(test_folder()), 0);
    write_picture("side.png", 0);
    assert_int_equal(run("gray | threshold:50%", "side.png", "mask.png", false, &report), HALO_OK);
    halo_report_clear(&report);
    assert_int_equal(run("crop:1x1+0+0", "side.png", "pixel.png", false, &report), HALO_OK);
    halo_report_clear(&report);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool kept;
        if (!expect_alike(cases[i].pipeline, &kept)) fail_msg("%s: %s", cases[i].pipeline, halo_error());
        if (kept != cases[i].kept)
            fail_msg("%s: samples are %s", cases[i].pipeline, kept ? "kept as they lie" : "turned");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example),
        cmocka_unit_test(parameters_decide),
    };
    draw_picture();
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}
