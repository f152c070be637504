/* Metadata is preserved between the formats that can hold it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "meta/ifd.h"
#include "meta/meta.h"

static uint8_t exif_bytes[] = "MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0";
static uint8_t xmp_bytes[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'>gr\xc3\xbc\xc3\x9f</x:xmpmeta>";

static HaloMeta everything(void)
{
    HaloMeta meta = {.resolution = {11811, 5906},
                     .gamma = 0.45455,
                     .chroma = {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06},
                     .srgb = 2,
                     .significant = {5, 6, 5}};
    static const char *const texts[][2] = {{"Title", "a lake"},
                                           {"Author", "Zo\xc3\xab"},
                                           {"Description", "\xe6\xb9\x96, a lake"},
                                           {"Comment", "seen from the shore"}};
    assert_int_equal(halo_blob_set(&meta.exif, exif_bytes, sizeof exif_bytes), HALO_OK);
    assert_int_equal(halo_blob_set(&meta.xmp, xmp_bytes, sizeof xmp_bytes - 1), HALO_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = texts[i][1];
        assert_int_equal(halo_text_add(&meta, texts[i][0], value, strlen(value), HALO_UTF_8), HALO_OK);
    }
    return meta;
}

/* `meta` through a file of this format, with an RGB image of this type in it. */
static HaloInfo through(const HaloFormat *format, const HaloMeta *meta, HaloDtype dtype, int channels)
{
    uint8_t samples[4 * 4 * 4 * 4] = {0};
    const HaloShape shape = shape_of(dtype, 4, 4, channels, false);
    HaloBuf data = {.shape = shape, .cols = 4, .rows = 4, .data = samples};
    data.stride = halo_row_bytes(&data);
    const HaloInfo info = {.bits = 8, .meta = *meta};
    Bytes file;
    Decoded image;
    if (encode(format, &info, &data, 0, &file) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
    if (decode(format, file.at, file.size, NULL, 0, &image) != HALO_OK)
        fail_msg("%s: %s", format->name, halo_error());
    free(file.at);
    halo_buf_free(&image.data);
    return image.info;
}

static void expect_text_of(const HaloMeta *meta, const char *key, const char *value)
{
    const char *found = halo_text_find(meta, key);
    if (found == NULL) fail_msg("no %s", key);
    assert_string_equal(found, value);
}

static void expect_common(const HaloMeta *meta)
{
    assert_int_equal(meta->xmp.size, sizeof xmp_bytes - 1);
    assert_memory_equal(meta->xmp.data, xmp_bytes, sizeof xmp_bytes - 1);
    assert_int_equal(halo_exif_orientation(&meta->exif), 6);
    assert_true(fabs(meta->resolution[0] - 11811) < 0.5 && fabs(meta->resolution[1] - 5906) < 0.5);
    assert_false(meta->ratio);
}

static void png_keeps_everything(void **unused)
{
    (void)unused;
    HaloMeta meta = everything();
    HaloInfo info = through(&halo_format_png, &meta, HALO_U8, 3);
    expect_common(&info.meta);
    assert_int_equal(info.meta.exif.size, sizeof exif_bytes);
    assert_true(fabs(info.meta.gamma - 0.45455) < 1e-9);
    for (int i = 0; i < 8; i++) assert_true(fabs(info.meta.chroma[i] - meta.chroma[i]) < 1e-5);
    assert_int_equal(info.meta.srgb, 2);
    assert_memory_equal(info.meta.significant, ((uint8_t[]){5, 6, 5}), 3);
    assert_int_equal(info.meta.texts, meta.texts);
    for (size_t i = 0; i < meta.texts; i++) expect_text_of(&info.meta, meta.text[i].key, meta.text[i].value);
    halo_meta_free(&info.meta);
    /* Significant bits of a colour image do not apply to gray, nor those of 8 bits to 16. */
    info = through(&halo_format_png, &meta, HALO_U8, 1);
    assert_int_equal(info.meta.significant[0], 0);
    halo_meta_free(&info.meta);
    info = through(&halo_format_png, &meta, HALO_U16, 3);
    assert_int_equal(info.meta.significant[0], 0);
    halo_meta_free(&info.meta);
    halo_meta_free(&meta);
}

static void formats_keep_what_they_can_hold(void **unused)
{
    (void)unused;
    HaloMeta meta = everything();
#ifdef HALO_HAVE_JPEG
    HaloInfo jpeg = through(&halo_format_jpeg, &meta, HALO_U8, 3);
    assert_int_equal(jpeg.meta.xmp.size, meta.xmp.size);
    assert_int_equal(halo_exif_orientation(&jpeg.meta.exif), 6);
    assert_true(fabs(jpeg.meta.resolution[0] * 0.0254 - 300) < 0.01);
    assert_int_equal(jpeg.meta.texts, 1);
    expect_text_of(&jpeg.meta, "Comment", "seen from the shore");
    halo_meta_free(&jpeg.meta);
#endif
#ifdef HALO_HAVE_TIFF
    static const HaloDtype dtypes[] = {HALO_U8, HALO_U16, HALO_F32};
    for (int i = 0; i < 3; i++) {
        HaloInfo tiff = through(&halo_format_tiff, &meta, dtypes[i], 3);
        expect_common(&tiff.meta);
        for (int c = 0; c < 8; c++) assert_true(fabs(tiff.meta.chroma[c] - meta.chroma[c]) < 1e-6);
        expect_text_of(&tiff.meta, "Title", "a lake");
        expect_text_of(&tiff.meta, "Author", "Zo\xc3\xab");
        expect_text_of(&tiff.meta, "Description", "\xe6\xb9\x96, a lake");
        HaloInfo png = through(&halo_format_png, &tiff.meta, HALO_U8, 3);
        expect_common(&png.meta);
        expect_text_of(&png.meta, "Description", "\xe6\xb9\x96, a lake");
        halo_meta_free(&png.meta);
        halo_meta_free(&tiff.meta);
    }
#endif
    HaloInfo pnm = through(&halo_format_pnm, &meta, HALO_U8, 3); /* holds nothing, and is unharmed */
    assert_int_equal(pnm.meta.texts, 0);
    halo_meta_free(&pnm.meta);
    halo_meta_free(&meta);
}

static void the_shape_of_pixels_alone(void **unused)
{
    (void)unused;
    const HaloMeta meta = {.resolution = {2, 1}, .ratio = true};
    const HaloFormat *const formats[] = {
        &halo_format_png,
#ifdef HALO_HAVE_TIFF
        &halo_format_tiff,
#endif
#ifdef HALO_HAVE_JPEG
        &halo_format_jpeg,
#endif
    };
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        HaloInfo info = through(formats[f], &meta, HALO_U8, 3);
        assert_true(info.meta.ratio && info.meta.resolution[0] == 2 && info.meta.resolution[1] == 1);
        halo_meta_free(&info.meta);
    }
}

static void text_is_made_utf8(void **unused)
{
    (void)unused;
    HaloMeta meta = {0}, copy;
    char text[16];
    assert_int_equal(halo_text_add(&meta, "a", "Zo\xeb", 3, HALO_UTF_8), HALO_OK); /* it is not */
    assert_int_equal(halo_text_add(&meta, "b", "Zo\xc3\xab", 4, HALO_LATIN_1), HALO_OK);
    assert_int_equal(halo_text_add(&meta, "c", "cut\0off", 7, HALO_UTF_8), HALO_OK);
    assert_int_equal(halo_text_add(&meta, "d", "\xed\xa0\x80", 3, HALO_UTF_8), HALO_OK); /* a surrogate */
    expect_text_of(&meta, "a", "Zo\xc3\xab");
    expect_text_of(&meta, "b", "Zo\xc3\x83\xc2\xab");
    expect_text_of(&meta, "c", "cut");
    expect_text_of(&meta, "d", "\xc3\xad\xc2\xa0\xc2\x80");
    assert_true(halo_text_latin1("Zo\xc3\xab", text));
    assert_string_equal(text, "Zo\xeb");
    assert_false(halo_text_latin1("\xe6\xb9\x96", text));
    assert_int_equal(halo_meta_copy(&meta, &copy), HALO_OK);
    assert_int_equal(copy.texts, 4);
    halo_meta_free(&copy);
    halo_meta_free(&meta);
}

static void orientation(void **unused)
{
    (void)unused;
    HaloBlob blob = {exif_bytes, sizeof exif_bytes};
    assert_int_equal(halo_exif_orientation(&blob), 6);
    for (blob.size = 0; blob.size < 20; blob.size++) assert_int_equal(halo_exif_orientation(&blob), 1);
    for (int o = 1; o <= 8; o++) {
        assert_int_equal(halo_exif_of_orientation(o, &blob), HALO_OK);
        assert_int_equal(halo_exif_orientation(&blob), o);
        free(blob.data);
    }
}

/* ---- EXIF's directories --------------------------------------------------------------------------------- */

static bool get_of_blob(void *context, int64_t at, void *bytes, size_t size)
{
    const HaloBlob *blob = context;
    if (at < 0 || (uint64_t)at > blob->size || size > blob->size - (size_t)at) return false;
    memcpy(bytes, blob->data + at, size);
    return true;
}

static void expect_exif(HaloBlob *exif, bool big)
{
    const IfdSource from = {get_of_blob, exif, big, false};
    IfdEntry entry, below;
    char text[32];
    const int64_t image = big ? exif->data[7] : exif->data[4] | exif->data[5] << 8; /* small ones */
    assert_true(ifd_find(&from, image, 0x10f, &entry));
    assert_true(ifd_text(&from, &entry, text, sizeof text));
    assert_string_equal(text, "a maker");
    assert_true(ifd_find(&from, image, IFD_EXIF, &entry));
    const int64_t directory = ifd_number(&from, &entry);
    assert_true(ifd_find(&from, directory, 0x829a, &entry)); /* exposure time, 1/60 */
    assert_int_equal(entry.count, 1);
    uint8_t rational[8];
    const uint8_t *v = entry.value;
    const int64_t where = big ? v[2] << 8 | v[3] : v[1] << 8 | v[0];
    assert_true(get_of_blob(exif, where, rational, 8));
    assert_int_equal(rational[big ? 3 : 0], 1);
    assert_int_equal(rational[big ? 7 : 4], 60);
    assert_true(ifd_find(&from, directory, IFD_INTEROPERABILITY, &entry));
    assert_true(ifd_find(&from, ifd_number(&from, &entry), 1, &below));
    assert_memory_equal(below.value, "R98", 4);
    assert_true(ifd_find(&from, image, IFD_GPS, &entry));
    assert_true(ifd_find(&from, ifd_number(&from, &entry), 1, &below));
    assert_memory_equal(below.value, "N", 2);
}

static void exif_goes_through_tiff(void **state)
{
    (void)state;
#ifdef HALO_HAVE_TIFF
    /* Big-endian, as many cameras write it: maker, orientation 6, EXIF with an exposure time and a directory of
     * its own, GPS. */
    static uint8_t bytes[] =
        "MM\0*\0\0\0\10" /* */
        "\0\4\1\17\0\2\0\0\0\10\0\0\0\76\1\22\0\3\0\0\0\1\0\6\0\0"
        "\207\151\0\4\0\0\0\1\0\0\0\106\210\45\0\4\0\0\0\1\0\0\0\176\0\0\0\0"    /* to 62 */
        "a maker\0"                                                              /* to 70 */
        "\0\2\202\232\0\5\0\0\0\1\0\0\0\144\240\5\0\4\0\0\0\1\0\0\0\154\0\0\0\0" /* to 100 */
        "\0\0\0\1\0\0\0\74"                                                      /* to 108 */
        "\0\1\0\1\0\2\0\0\0\4R98\0\0\0\0\0"                                      /* to 126 */
        "\0\1\0\1\0\2\0\0\0\2N\0\0\0\0\0\0";
    HaloMeta meta = {.exif = {bytes, sizeof bytes - 1}};
    expect_exif(&meta.exif, true);
    HaloInfo once = through(&halo_format_tiff, &meta, HALO_U8, 3);
    expect_exif(&once.meta.exif, false);
    assert_int_equal(halo_exif_orientation(&once.meta.exif), 6);
    HaloInfo twice = through(&halo_format_tiff, &once.meta, HALO_U16, 3);
    assert_int_equal(twice.meta.exif.size, once.meta.exif.size);
    assert_memory_equal(twice.meta.exif.data, once.meta.exif.data, once.meta.exif.size);
    /* As directories of a BigTIFF and back. */
    const IfdSource classic = {get_of_blob, &once.meta.exif, false, false};
    HaloBlob wide = {0}, narrow = {0};
    const IfdSource of_wide = {get_of_blob, &wide, false, true};
    int64_t there, back;
    IfdEntry entry;
    assert_int_equal(halo_blob_set(&wide, "II+", 4), HALO_OK);
    const int64_t image = once.meta.exif.data[4] | once.meta.exif.data[5] << 8;
    HaloBlob body = {0};
    assert_int_equal(ifd_copy(&classic, image, NULL, true, 4, &body, &there), HALO_OK);
    uint8_t *both = malloc(4 + body.size);
    assert_non_null(both);
    memcpy(both, wide.data, 4);
    memcpy(both + 4, body.data, body.size);
    free(wide.data);
    wide = (HaloBlob){both, 4 + body.size};
    assert_true(ifd_find(&of_wide, there, IFD_EXIF, &entry));
    assert_int_equal(entry.type, 18); /* IFD8 */
    assert_int_equal(ifd_copy(&of_wide, there, NULL, false, 8, &narrow, &back), HALO_OK);
    assert_int_equal(back, image);
    assert_int_equal(narrow.size, once.meta.exif.size - 8);
    assert_memory_equal(narrow.data, once.meta.exif.data + 8, narrow.size);
    free(body.data);
    free(wide.data);
    free(narrow.data);
    /* Damage anywhere may lose it, and does nothing worse. */
    for (size_t i = 8; i < sizeof bytes - 1; i++) {
        const uint8_t good = bytes[i];
        bytes[i] ^= 0xff;
        HaloInfo other = through(&halo_format_tiff, &meta, HALO_U8, 3);
        halo_meta_free(&other.meta);
        bytes[i] = good;
    }
    halo_meta_free(&once.meta);
    halo_meta_free(&twice.meta);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_keeps_everything),
        cmocka_unit_test(formats_keep_what_they_can_hold),
        cmocka_unit_test(the_shape_of_pixels_alone),
        cmocka_unit_test(text_is_made_utf8),
        cmocka_unit_test(orientation),
        cmocka_unit_test(exif_goes_through_tiff),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
