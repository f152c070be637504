/* BMP as others write it: every depth, bit fields, run lengths, both directions, profiles; damaged ones; and
 * both ways with metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"

static const HaloFormat *const bmp = &halo_format_bmp;
static uint8_t file[4096];

static void put(size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) file[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

/* Header of `size` bytes, `more` behind it (masks, palette), pixels; how many bytes that is. */
static size_t make(unsigned size, int width, int height, int bits, int coding, const char *more, size_t mores,
                   const char *pixels, size_t count)
{
    memset(file, 0, sizeof file);
    memcpy(file, "BM", 2);
    put(2, 14 + size + mores + count, 4);
    put(10, 14 + size + mores, 4);
    put(14, size, 4);
    put(18, (uint64_t)width, size == 12 ? 2 : 4);
    put(size == 12 ? 20 : 22, (uint64_t)height, size == 12 ? 2 : 4);
    put(size == 12 ? 24 : 28, (uint64_t)bits, 2);
    if (size > 16) put(30, (uint64_t)coding, 4);
    memcpy(file + 14 + size, more, mores);
    memcpy(file + 14 + size + mores, pixels, count);
    return 14 + size + mores + count;
}

#define EXPECT(shape, samples, ...) expect_text(bmp, (const char *)file, make(__VA_ARGS__), shape, samples)
#define REFUSE(words, ...) expect_error(bmp, (const char *)file, make(__VA_ARGS__), HALO_ERR_INPUT, words)

static void one_bit(void **unused)
{
    (void)unused;
    const HaloShape gray = shape_of(HALO_U8, 3, 2, 1, false);
    EXPECT(&gray, U8(0, 255, 0, 255, 255, 0), 40, 3, 2, 1, 0, TEXT("\0\0\0\0\377\377\377\0"),
           TEXT("\xc0\0\0\0\x40\0\0\0"));
}

static void palettes(void **unused)
{
    (void)unused;
    const HaloShape rgb = shape_of(HALO_U8, 3, 1, 3, false), gray = shape_of(HALO_U8, 3, 1, 1, false);
    /* OS/2: three bytes a colour */
    EXPECT(&rgb, U8(3, 2, 1, 3, 2, 1, 6, 5, 4), 12, 3, 1, 1, 0, TEXT("\1\2\3\4\5\6"), TEXT("\x20\0\0\0"));
    EXPECT(&gray, U8(9, 7, 9), 40, 3, 1, 4, 0, TEXT("\7\7\7\0\x09\x09\x09\0"), TEXT("\x10\x10\0\0"));
    /* an index without a colour is black */
    EXPECT(&rgb, U8(3, 2, 1, 0, 0, 0, 3, 2, 1), 40, 3, 1, 2, 0, TEXT("\1\2\3\0"), TEXT("\x30\0\0\0"));
    EXPECT(&gray, U8(7, 9, 9), 40, 3, 1, 8, 0, TEXT("\7\7\7\0\x09\x09\x09\0"), TEXT("\0\1\1\0"));
}

static void bit_fields(void **unused)
{
    (void)unused;
    const HaloShape rgb = shape_of(HALO_U8, 1, 1, 3, false), wide = shape_of(HALO_U16, 1, 1, 3, false);
    const HaloShape rgba = shape_of(HALO_U8, 1, 1, 4, true);
    EXPECT(&rgb, U8(255, 132, 0), 40, 1, 1, 16, 0, "", 0, TEXT("\0\x7e\0\0")); /* 31, 16, 0 of 31 */
    EXPECT(&rgb, U8(255, 130, 0), 40, 1, 1, 16, 3, TEXT("\0\xf8\0\0\xe0\7\0\0\x1f\0\0\0"),
           TEXT("\0\xfc\0\0")); /* 31 of 31, 32 of 63 */
    EXPECT(&rgb, U8(3, 2, 1), 40, 1, 1, 24, 0, "", 0, TEXT("\1\2\3\0"));
    EXPECT(&rgb, U8(3, 2, 1), 40, 1, 1, 32, 0, "", 0, TEXT("\1\2\3\4")); /* the fourth byte is none */
    EXPECT(&rgba, U8(3, 2, 1, 4), 40, 1, 1, 32, 6, TEXT("\0\0\xff\0\0\xff\0\0\xff\0\0\0\0\0\0\xff"),
           TEXT("\1\2\3\4"));
    EXPECT(&wide, U16(65535, 0, 64), 40, 1, 1, 32, 3, TEXT("\xff\3\0\0\0\xfc\x0f\0\0\0\xf0\x3f"),
           TEXT("\xff\3\x10\0"));
    /* V4, masks in the header */
    const size_t size = make(108, 1, 1, 32, 3, "", 0, TEXT("\1\2\3\4"));
    for (int c = 0; c < 4; c++) put(54 + 4 * (size_t)c, UINT64_C(0xff) << 8 * c, 4);
    expect_text(bmp, (const char *)file, size, &rgba, U8(1, 2, 3, 4));
}

static void run_lengths(void **unused)
{
    (void)unused;
    const HaloShape row = shape_of(HALO_U8, 5, 1, 1, false), two = shape_of(HALO_U8, 3, 2, 1, false);
#define GRAYS TEXT("\0\0\0\0\1\1\1\0\2\2\2\0\3\3\3\0")
    EXPECT(&row, U8(1, 1, 2, 3, 1), 40, 5, 1, 8, 1, GRAYS, TEXT("\2\1\0\3\2\3\1\0\0\1"));
    EXPECT(&row, U8(1, 2, 1, 2, 3), 40, 5, 1, 4, 2, GRAYS, TEXT("\4\x12\1\x30\0\1"));
    EXPECT(&row, U8(1, 2, 3, 0, 0), 40, 5, 1, 4, 2, GRAYS, TEXT("\0\3\x12\x30\0\1"));
    EXPECT(&two, U8(0, 3, 0, 1, 0, 0), 40, 3, 2, 8, 1, GRAYS, TEXT("\1\1\0\2\0\1\1\3\0\1")); /* a jump */
    EXPECT(&two, U8(0, 0, 0, 1, 0, 0), 40, 3, 2, 8, 1, GRAYS, TEXT("\1\1\0\1"));
    EXPECT(&two, U8(1, 1, 1, 2, 2, 2), 40, 3, 2, 8, 1, GRAYS, TEXT("\xff\2\0\0\xff\1")); /* too long */
    REFUSE("truncated: 0 of 2 rows", 40, 3, 2, 8, 1, GRAYS, TEXT("\1\1"));
    REFUSE("truncated: 1 of 2 rows", 40, 3, 2, 8, 1, GRAYS, TEXT("\0\0\0\x03\1"));
    REFUSE("top-down", 40, 3, -2, 8, 1, GRAYS, TEXT("\0\1"));
}

static void from_the_top(void **unused)
{
    (void)unused;
    const HaloShape rgb = shape_of(HALO_U8, 1, 2, 3, false);
    EXPECT(&rgb, U8(6, 5, 4, 3, 2, 1), 40, 1, 2, 24, 0, "", 0, TEXT("\1\2\3\0\4\5\6\0"));
    EXPECT(&rgb, U8(3, 2, 1, 6, 5, 4), 40, 1, -2, 24, 0, "", 0, TEXT("\1\2\3\0\4\5\6\0"));
}

static void damaged(void **unused)
{
    (void)unused;
    REFUSE("without pixels", 40, 0, 2, 24, 0, "", 0, "", 0);
    REFUSE("without pixels", 40, -3, 2, 24, 0, "", 0, "", 0);
    REFUSE("23 bits", 40, 1, 1, 23, 0, "", 0, "", 0);
    REFUSE("compression 9", 40, 1, 1, 24, 9, "", 0, "", 0);
    REFUSE("holds a JPEG or PNG", 40, 1, 1, 24, 4, "", 0, "", 0);
    REFUSE("compression 1 with 24 bits", 40, 1, 1, 24, 1, "", 0, "", 0);
    REFUSE("a BMP header of 13 bytes", 13, 1, 1, 24, 0, "", 0, "", 0);
    REFUSE("without a palette", 40, 1, 1, 8, 0, "", 0, TEXT("\0\0\0\0"));
    REFUSE("the bits of a channel", 40, 1, 1, 16, 3, TEXT("\5\0\0\0\2\0\0\0\x10\0\0\0"), TEXT("\0\0\0\0"));
    REFUSE("a channel of 20 bits", 40, 1, 1, 32, 3, TEXT("\xff\xff\x0f\0\0\0\0\0\0\0\0\0"), TEXT("\0\0\0\0"));
    REFUSE("truncated: 1 of 2 rows", 40, 1, 2, 24, 0, "", 0, TEXT("\1\2\3\0\4\5"));
    make(40, 1, 1, 24, 0, "", 0, TEXT("\1\2\3\0"));
    put(10, 20, 4);
    expect_error(bmp, (const char *)file, 58, HALO_ERR_INPUT, "within its header");
    make(40, 0x7fffffff, 0x7fffffff, 24, 0, "", 0, TEXT("\1\2\3\0"));
    expect_error(bmp, (const char *)file, 58, HALO_ERR_LIMIT, "max_pixels");
}

/* A profile and the resolution come back, whatever the channels; one that does not fit is noted. */
static void metadata_comes_back(void **unused)
{
    (void)unused;
    uint8_t icc[200] = {0};
    memcpy(icc + 8, "\x02\x40\0\0mntrRGB XYZ ", 16);
    memcpy(icc + 36, "acsp", 4);
    const HaloInfo info = {.meta = {.icc = {icc, sizeof icc}, .resolution = {1000, 2000}}};
    for (int channels = 1; channels <= 4; channels++) {
        if (channels == 2) continue;
        const HaloShape shape = shape_of(HALO_U8, 5, 3, channels, channels == 4);
        HaloBuf data;
        Bytes made;
        Decoded image;
        assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
        memset(data.data, 77, (size_t)(data.rows * data.stride));
        assert_int_equal(encode(bmp, &info, &data, 2, &made), HALO_OK);
        assert_int_equal(decode(bmp, made.at, made.size, NULL, 2, &image), HALO_OK);
        expect_image("bmp", &data, &image);
        assert_true(image.info.meta.resolution[0] == 1000 && image.info.meta.resolution[1] == 2000);
        assert_int_equal(image.info.meta.icc.size, channels > 1 ? sizeof icc : 0);
        if (channels > 1) assert_memory_equal(image.info.meta.icc.data, icc, sizeof icc);
        decoded_free(&image);
        free(made.at);
        halo_buf_free(&data);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bit),
        cmocka_unit_test(palettes),
        cmocka_unit_test(bit_fields),
        cmocka_unit_test(run_lengths),
        cmocka_unit_test(from_the_top),
        cmocka_unit_test(damaged),
        cmocka_unit_test(metadata_comes_back),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
