/* What a build without libjpeg, libtiff, libFLAC and libmpg123 says of their formats: the table of foreign
 * formats as such a build compiles it, and sessions without those rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "halo/extend.h"

#undef HALO_HAVE_JPEG
#undef HALO_HAVE_TIFF
#undef HALO_HAVE_FLAC
#undef HALO_HAVE_MPG123
#undef HALO_HAVE_WEBP
#undef HALO_HAVE_GIF
#undef HALO_HAVE_EXR
#undef HALO_HAVE_FITS
#undef HALO_HAVE_JXL
#undef HALO_HAVE_HEIF
#define halo_foreign_probe left_out_probe
#define halo_foreign_named left_out_named
#define halo_foreign_row left_out_row
#include "foreign.c"

static HaloSession *session;
static HaloPipeline *copy;

static int open_session(void **unused)
{
    static const HaloFormat *kept[64];
    static HaloTables tables;
    (void)unused;
    tables = *halo_tables();
    tables.formats = 0;
    tables.format = kept;
    tables.foreign = left_out_probe;
    tables.foreign_named = left_out_named;
    for (int i = 0; i < halo_tables()->formats; i++) {
        const HaloFormat *format = halo_tables()->format[i];
        if (halo_find_word("jpeg,tiff,flac,mp3,webp,gif,avif,heic,jxl,fits,exr", ',', format->name) < 0)
            kept[tables.formats++] = format;
    }
    return halo_session_open_with(&tables, NULL, &session) == HALO_OK &&
                   halo_pipeline_parse(session, "", &copy) == HALO_OK
               ? 0
               : -1;
}

static int close_session(void **unused)
{
    halo_pipeline_free(copy);
    halo_session_close(session);
    return test_folder_remove(unused);
}

static void expect(const char *input, const char *output, HaloStatus status, const char *message)
{
    const HaloJob job = {.input = input, .output = output};
    HaloReport report;
    assert_int_equal(halo_run_job(session, copy, &job, &report), status);
    if (strstr(halo_error(), message) == NULL) fail_msg("expected: %s\nfound: %s", message, halo_error());
}

static void test_messages(void **unused)
{
    static const struct {
        const char *name, *head, *message;
        size_t size;
    } row[] = {
        {"a.jpg", "\377\330\377\340", "a.jpg: this build of halo has no JPEG (libjpeg)", 4},
        {"b.dat", "II*\0\10\0\0\0", "b.dat: this build of halo has no TIFF (libtiff)", 8},
        {"c.tif", "MM\0*\0\0\0\10", "c.tif: this build of halo has no TIFF (libtiff)", 8},
        {"d.flac", "fLaC\0\0\0\42", "d.flac: this build of halo has no FLAC (libFLAC)", 8},
        {"e.mp3", "ID3\4\0\0\0\0", "e.mp3: this build of halo has no MP3 (libmpg123)", 8},
        {"f.gif", "GIF89a\1\0", "f.gif: this build of halo has no GIF (giflib)", 8},
        {"h.heic",
         "\0\0\0\x18"
         "ftypheic\0\0\0\0mif1heic",
         "h.heic: this build of halo has no HEIC (libheif)", 24},
        {"i.jxl", "\377\012\0\0\0\0\0\0", "i.jxl: this build of halo has no JPEG XL (libjxl)", 8},
        {"j.fits", "SIMPLE  =                    T", "j.fits: this build of halo has no FITS (CFITSIO)", 30},
        {"k.exr", "v/1\001\2\0\0\0", "k.exr: this build of halo has no OpenEXR (OpenEXR)", 8},
        {"g.webp", "RIFF\0\0\0\0WEBPVP8 ", "g.webp: this build of halo has no WebP (libwebp)", 16},
    };
    (void)unused;
    bytes_to_file(test_path("in.pgm"), "P5 1 1 255\n\1", 12);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        bytes_to_file(test_path(row[i].name), row[i].head, row[i].size);
        expect(test_path(row[i].name), test_path("out.pgm"), HALO_ERR_INPUT, row[i].message);
    }
    expect(test_path("in.pgm"), test_path("g.jpeg"), HALO_ERR_USAGE,
           "g.jpeg: this build of halo has no JPEG (libjpeg)");
    expect(test_path("in.pgm"), test_path("h.tiff"), HALO_ERR_USAGE,
           "h.tiff: this build of halo has no TIFF (libtiff)");
    expect(test_path("in.pgm"), test_path("i.gif"), HALO_ERR_USAGE,
           "i.gif: this build of halo has no GIF (giflib)");
    expect(test_path("in.pgm"), test_path("i.pcx"), HALO_ERR_USAGE, "'pcx' is not a format that halo writes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, open_session, close_session);
}
