/* Files that claim too many samples, channels or markers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"

static HaloStatus read_as(const HaloFormat *format, const Bytes *file, int64_t max_pixels, bool tolerate,
                          const char *axes)
{
    Decoded image;
    const HaloReadOptions options = {.max_pixels = max_pixels, .tolerate = tolerate, .axes = axes};
    const HaloStatus status = decode(format, file->at, file->size, &options, 0, &image);
    decoded_free(&image);
    return status;
}

static HaloStatus read_with(const HaloFormat *format, const Bytes *file, int64_t max_pixels, bool tolerate)
{
    return read_as(format, file, max_pixels, tolerate, NULL);
}

/* ---- samples -------------------------------------------------------------------------------------------- */

/* Up to 4 channels the pixels count, beyond them the samples. */
static void test_samples_are_bounded(void **unused)
{
    (void)unused;
    static const HaloFormat *const formats[] = {
#ifdef HALO_HAVE_TIFF
        &halo_format_tiff,
#endif
        &halo_format_npy};
    static const struct {
        int channels;
        int64_t least; /* that --max-pixels has to be for 10 x 11 */
    } rows[] = {{1, 110}, {3, 110}, {4, 110}, {5, 138}, {8, 220}, {100, 2750}};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const HaloShape shape = shape_of(HALO_U8, 10, 11, rows[i].channels, false);
            const char *const axes = rows[i].channels > 1 ? "hwc" : NULL;
            const HaloInfo info = {0};
            HaloBuf data;
            Bytes file;
            assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
            memset(data.data, 1, (size_t)(data.stride * data.rows));
            assert_int_equal(encode(formats[f], &info, &data, 0, &file), HALO_OK);
            assert_int_equal(read_as(formats[f], &file, rows[i].least, false, axes), HALO_OK);
            assert_int_equal(read_as(formats[f], &file, rows[i].least - 1, false, axes), HALO_ERR_LIMIT);
            assert_non_null(strstr(halo_error(), "max_pixels"));
            assert_int_equal(strstr(halo_error(), " channels ") != NULL, rows[i].channels > 4);
            free(file.at);
            halo_buf_free(&data);
        }
}

/* Whatever the limit, and however few the pixels. */
static void test_channels_are_bounded(void **unused)
{
    (void)unused;
    static const char *const depth[] = {"65536", "65537", "2147483647"};
    for (int i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "P7\nWIDTH 1\nHEIGHT 1\nDEPTH %s\nMAXVAL 255\nENDHDR\n", depth[i]);
        const Bytes file = {(uint8_t *)text, strlen(text)};
        assert_int_equal(read_with(&halo_format_pam, &file, INT64_MAX, true),
                         i == 0 ? HALO_OK : HALO_ERR_LIMIT);
        if (i > 0) assert_non_null(strstr(halo_error(), "at most 65536"));
    }
}

/* ---- markers -------------------------------------------------------------------------------------------- */

#ifdef HALO_HAVE_JPEG
/* A JPEG with so many empty markers of a kind after its start. */
static Bytes with_markers(const Bytes *plain, uint8_t kind, size_t count)
{
    Bytes file = {malloc(plain->size + 4 * count), plain->size + 4 * count};
    assert_non_null(file.at);
    memcpy(file.at, plain->at, 2);
    for (size_t i = 0; i < count; i++) memcpy(file.at + 2 + 4 * i, (const uint8_t[]){0xff, kind, 0, 2}, 4);
    memcpy(file.at + 2 + 4 * count, plain->at + 2, plain->size - 2);
    return file;
}

/* Those that are kept and those that are not; a real file's are far fewer. */
static void test_markers_are_bounded(void **unused)
{
    (void)unused;
    static const uint8_t kinds[] = {0xe1, 0xe2, 0xed, 0xfe}; /* EXIF and XMP, profiles, IPTC, comments */
    const HaloShape shape = shape_of(HALO_U8, 3, 2, 1, false);
    const HaloInfo info = {0};
    HaloBuf data;
    Bytes plain;
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    memset(data.data, 9, (size_t)(data.stride * data.rows));
    assert_int_equal(encode(&halo_format_jpeg, &info, &data, 0, &plain), HALO_OK);
    for (size_t k = 0; k < sizeof kinds; k++) {
        Bytes few = with_markers(&plain, kinds[k], 1000), many = with_markers(&plain, kinds[k], 2500);
        if (read_with(&halo_format_jpeg, &few, 0, false) != HALO_OK) fail_msg("%s", halo_error());
        for (int tolerate = 0; tolerate < 2; tolerate++) {
            assert_int_equal(read_with(&halo_format_jpeg, &many, 0, tolerate), HALO_ERR_INPUT);
            assert_non_null(strstr(halo_error(), "more than 2000 markers"));
        }
        free(few.at), free(many.at);
    }
    free(plain.at);
    halo_buf_free(&data);
}
#endif

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_bounded),
        cmocka_unit_test(test_channels_are_bounded),
#ifdef HALO_HAVE_JPEG
        cmocka_unit_test(test_markers_are_bounded),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
