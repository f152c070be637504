/* The orientation and the size that XMP repeats are those of the output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "meta/meta.h"
#include "shared_session.h"

#define BEGIN "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='r'><rdf:Description "
#define TIFF "xmlns:tiff=\"http://ns.adobe.com/tiff/1.0/\" "
#define EXIF "xmlns:exif='http://ns.adobe.com/exif/1.0/' "
#define END "</rdf:RDF></x:xmpmeta>"

/* ---- packets -------------------------------------------------------------------------------------------- */

static const struct {
    const char *before, *after; /* NULL: the same */
} packets[] = {
    {BEGIN TIFF "tiff:Orientation=\"6\"/>" END, BEGIN TIFF "tiff:Orientation=\"1\"/>" END},
    {BEGIN TIFF "tiff:Orientation = '8' />" END, BEGIN TIFF "tiff:Orientation = '1' />" END},
    {BEGIN TIFF "><tiff:Orientation>3</tiff:Orientation>" END,
     BEGIN TIFF "><tiff:Orientation>1</tiff:Orientation>" END},
    {BEGIN TIFF "><tiff:Orientation> \n 3 </tiff:Orientation>" END,
     BEGIN TIFF "><tiff:Orientation> \n 1 </tiff:Orientation>" END},
    {BEGIN "xmlns:t = 'http://ns.adobe.com/tiff/1.0/' t:Orientation='5' tiff:Orientation='6'/>" END,
     BEGIN "xmlns:t = 'http://ns.adobe.com/tiff/1.0/' t:Orientation='1' tiff:Orientation='6'/>" END},
    {BEGIN TIFF EXIF "tiff:ImageWidth='9' tiff:ImageLength='100000' exif:PixelXDimension=\"640\" "
                     "exif:PixelYDimension='1'>\xc3\xa9" END,
     BEGIN TIFF EXIF "tiff:ImageWidth='640' tiff:ImageLength='48' exif:PixelXDimension=\"640\" "
                     "exif:PixelYDimension='48'>\xc3\xa9" END},
    {BEGIN TIFF EXIF "><exif:PixelXDimension>7</exif:PixelXDimension>" END,
     BEGIN TIFF EXIF "><exif:PixelXDimension>640</exif:PixelXDimension>" END},
    /* No such value, or an ambiguous one. */
    {BEGIN "tiff:Orientation=\"6\"/>" END, NULL},
    {BEGIN TIFF "tiff:Orientation=\"sideways\"/>" END, NULL},
    {BEGIN TIFF "tiff:Orientation=\"6'/>" END, NULL},
    {BEGIN TIFF "tiff:Orientations='6' mytiff:Orientation='6' tiff:Orientation=6/>" END, NULL},
    {BEGIN TIFF "><tiff:Orientation><rdf:Seq>6</rdf:Seq></tiff:Orientation>" END, NULL},
    {BEGIN "tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6'/>" END, NULL},
    {"", NULL},
};

static HaloBlob blob_of(const char *bytes, size_t size)
{
    HaloBlob blob;
    assert_int_equal(halo_blob_set(&blob, bytes, size), HALO_OK);
    return blob;
}

static void set_all(HaloBlob *xmp)
{
    assert_int_equal(halo_xmp_set_upright(xmp), HALO_OK);
    assert_int_equal(halo_xmp_set_size(xmp, 640, 48), HALO_OK);
}

static void values_are_replaced(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        const char *after = packets[i].after != NULL ? packets[i].after : packets[i].before;
        HaloBlob xmp = blob_of(packets[i].before, strlen(packets[i].before));
        for (int twice = 0; twice < 2; twice++) {
            set_all(&xmp);
            if (xmp.size != strlen(after) || (xmp.size > 0 && memcmp(xmp.data, after, xmp.size) != 0))
                fail_msg("%zu: %.*s", i, (int)xmp.size, (const char *)xmp.data);
        }
        free(xmp.data);
    }
}

/* Truncated anywhere, or with any byte changed: nothing is read beyond the packet. */
static void damaged_packets(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
        for (size_t at = 0, size = strlen(packets[i].before); at < size; at++)
            for (int how = 0; how < 6; how++) {
                HaloBlob xmp = blob_of(packets[i].before, how == 0 ? at : size);
                if (how > 0) xmp.data[at] = (uint8_t) "\0 '>:"[how - 1];
                set_all(&xmp);
                free(xmp.data);
            }
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static void run(const char *pipeline, const char *input, const char *output)
{
    HaloPipeline *parsed = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = input, .output = output, .force = HALO_FORCE_YES};
    if (halo_pipeline_parse(test_session, pipeline, &parsed) != HALO_OK ||
        halo_run_job(test_session, parsed, &job, &report) != HALO_OK)
        fail_msg("%s %s: %s", pipeline, input, halo_error());
    halo_report_clear(&report);
    halo_pipeline_free(parsed);
}

/* Does the XMP of this file say so, and nothing else of the orientation? */
static void expect_xmp(const char *path, int orientation, int width, int height)
{
    char want[600];
    HaloInfo info;
    snprintf(want, sizeof want, BEGIN TIFF EXIF "tiff:Orientation='%d' exif:PixelXDimension='%d'/>" END "%d",
             orientation, width, height);
    assert_int_equal(halo_file_info(test_session, path, NULL, &info, NULL), HALO_OK);
    if (info.meta.xmp.size != strlen(want) || memcmp(info.meta.xmp.data, want, info.meta.xmp.size) != 0)
        fail_msg("%s: %.*s", path, (int)info.meta.xmp.size, (const char *)info.meta.xmp.data);
    halo_meta_free(&info.meta);
}

static void files_agree_with_the_output(void **unused)
{
    (void)unused;
    static const struct {
        const char *pipeline;
        int orientation, width;
    } cases[] = {{"", 6, 5},
                 {"gauss:1", 6, 20},
                 {"orient", 1, 12},
                 {"flip:y", 1, 12},
                 {"rotate:90", 1, 20},
                 {"crop:7x3", 1, 7},
                 {"add:[resize:12x20]", 1, 12}};
    static const HaloFormat *const formats[] = {
        &halo_format_png,
#ifdef HALO_HAVE_JPEG
        &halo_format_jpeg,
#endif
#ifdef HALO_HAVE_TIFF
        &halo_format_tiff,
#endif
    };
    static uint8_t samples[20 * 12 * 3];
    HaloBuf data = {.shape = shape_of(HALO_U8, 20, 12, 3, false), .cols = 20, .rows = 12, .data = samples};
    data.stride = halo_row_bytes(&data);
    HaloInfo info = {.bits = 8};
    /* "7" behind the packet stays */
    static const char xmp[] = BEGIN TIFF EXIF "tiff:Orientation='6' exif:PixelXDimension='5'/>" END "7";
    assert_int_equal(halo_exif_of_orientation(6, &info.meta.exif), HALO_OK);
    assert_int_equal(halo_blob_set(&info.meta.xmp, xmp, sizeof xmp - 1), HALO_OK);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char in[600], out[600];
        Bytes file;
        snprintf(in, sizeof in, "%s.%.3s", test_path("lies"), formats[f]->extensions);
        snprintf(out, sizeof out, "%s.%.3s", test_path("told"), formats[f]->extensions);
        assert_int_equal(encode(formats[f], &info, &data, 0, &file), HALO_OK);
        bytes_to_file(in, file.at, file.size);
        free(file.at);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            run(cases[i].pipeline, in, out);
            expect_xmp(out, cases[i].orientation, cases[i].width, 7);
        }
    }
    halo_meta_free(&info.meta);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_replaced),
        cmocka_unit_test(damaged_packets),
        cmocka_unit_test(files_agree_with_the_output),
    };
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}
