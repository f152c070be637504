/* TGA, QOI and Radiance HDR as others write them, damaged ones, and both ways. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"

static const HaloFormat *const tga = &halo_format_tga, *const qoi = &halo_format_qoi,
                               *const hdr = &halo_format_hdr;

/* ---- TGA ------------------------------------------------------------------------------------------------ */

/* Type, width, height, bits and descriptor without a palette. */
#define TGA(type, width, height, bits, flags) "\0\0" type "\0\0\0\0\0\0\0\0\0" width "\0" height "\0" bits flags

static void tga_of_every_type(void **unused)
{
    (void)unused;
    const HaloShape gray = shape_of(HALO_U8, 2, 2, 1, false), rgb = shape_of(HALO_U8, 2, 1, 3, false);
    const HaloShape rgba = shape_of(HALO_U8, 1, 1, 4, true), gray_alpha = shape_of(HALO_U8, 1, 1, 2, true);
    const HaloShape one = shape_of(HALO_U8, 1, 1, 3, false);
    expect_text(tga, TEXT(TGA("\3", "\2", "\2", "\x08", "\0") "\1\2\3\4"), &gray, U8(3, 4, 1, 2));
    expect_text(tga, TEXT(TGA("\3", "\2", "\2", "\x08", "\x20") "\1\2\3\4"), &gray, U8(1, 2, 3, 4));
    expect_text(tga, TEXT(TGA("\3", "\2", "\2", "\x08", "\x30") "\1\2\3\4"), &gray, U8(2, 1, 4, 3));
    expect_text(tga, TEXT(TGA("\2", "\2", "\1", "\x18", "\0") "\1\2\3\4\5\6"), &rgb, U8(3, 2, 1, 6, 5, 4));
    expect_text(tga, TEXT(TGA("\2", "\1", "\1", "\x20", "\x08") "\1\2\3\4"), &rgba, U8(3, 2, 1, 4));
    expect_text(tga, TEXT(TGA("\2", "\1", "\1", "\x20", "\0") "\1\2\3\4"), &one, U8(3, 2, 1));
    expect_text(tga, TEXT(TGA("\2", "\1", "\1", "\x10", "\0") "\x1f\x7c"), &one, U8(255, 0, 255));
    expect_text(tga, TEXT(TGA("\2", "\1", "\1", "\x10", "\1") "\x1f\xfc"), &rgba, U8(255, 0, 255, 255));
    expect_text(tga, TEXT(TGA("\3", "\1", "\1", "\x10", "\x08") "\5\6"), &gray_alpha, U8(5, 6));
    /* run lengths, over the end of a row */
    expect_text(tga, TEXT(TGA("\x0b", "\2", "\2", "\x08", "\x20") "\x82\7\0\x09"), &gray, U8(7, 7, 7, 9));
    expect_text(tga, TEXT(TGA("\x0a", "\2", "\1", "\x18", "\0") "\x81\1\2\3"), &rgb, U8(3, 2, 1, 3, 2, 1));
    /* palettes, with an identification before it, and from a first index on */
    expect_text(tga, TEXT("\2\1\1\1\0\2\0\x18\0\0\0\0\2\0\1\0\x08\0id\1\2\3\4\5\6\2\1"), &rgb,
                U8(6, 5, 4, 3, 2, 1));
    expect_text(tga, TEXT("\0\1\x09\0\0\1\0\x18\0\0\0\0\2\0\1\0\x08\0\1\2\3\x81\0"), &rgb,
                U8(3, 2, 1, 3, 2, 1));
}

static void tga_damaged(void **unused)
{
    (void)unused;
    expect_error(tga, TEXT(TGA("\3", "\2", "\2", "\x08", "\0") "\1\2\3"), HALO_ERR_INPUT, "truncated: 1 of 2");
    expect_error(tga, TEXT(TGA("\x0b", "\2", "\2", "\x08", "\0") "\x81\1\3"), HALO_ERR_INPUT,
                 "truncated: 1 of 2");
    expect_error(tga, TEXT(TGA("\3", "\0", "\2", "\x08", "\0")), HALO_ERR_INPUT, "without pixels");
    expect_error(tga, TEXT(TGA("\7", "\1", "\1", "\x08", "\0")), HALO_ERR_INPUT, "7");
    expect_error(tga, TEXT(TGA("\1", "\1", "\1", "\x08", "\0")), HALO_ERR_INPUT, "1");
    expect_error(tga, TEXT(TGA("\2", "\1", "\1", "\x08", "\0")), HALO_ERR_INPUT, "8 bits");
    expect_error(tga, TEXT(TGA("\2", "\1", "\1", "\x18", "\x40")), HALO_ERR_INPUT, "interleaved");
    expect_error(tga, TEXT("\0\0\2"), HALO_ERR_INPUT, "truncated");
    expect_error(tga, TEXT(TGA("\2", "\1", "\1", "\x18", "\0")), HALO_ERR_INPUT, "truncated: 0 of 1");
}

/* ---- QOI ------------------------------------------------------------------------------------------------ */

#define QOI(width, height, channels) "qoif\0\0\0" width "\0\0\0" height channels "\0"
#define QOI_LAST "\0\0\0\0\0\0\0\1"

static void qoi_by_hand(void **unused)
{
    (void)unused;
    const HaloShape rgb = shape_of(HALO_U8, 4, 1, 3, false), rgba = shape_of(HALO_U8, 2, 1, 4, true);
    /* a pixel, a difference, one with a common difference, the first again */
    expect_text(qoi, TEXT(QOI("\4", "\1", "\3") "\xfe\x0a\x14\x1e\x7f\xaa\x88\x2c" QOI_LAST), &rgb,
                U8(10, 20, 30, 11, 21, 31, 21, 31, 41, 0, 0, 0));
    expect_text(qoi, TEXT(QOI("\4", "\1", "\3") "\xc3" QOI_LAST), &rgb, U8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_text(qoi, TEXT(QOI("\2", "\1", "\4") "\xff\1\2\3\4\xc0" QOI_LAST), &rgba,
                U8(1, 2, 3, 4, 1, 2, 3, 4));
    expect_error(qoi, TEXT(QOI("\4", "\1", "\3") "\xc1"), HALO_ERR_INPUT, "truncated: 0 of 1");
    expect_error(qoi, TEXT(QOI("\4", "\1", "\3") "\xc3\0\0\0\0\0\0\0"), HALO_ERR_INPUT, "end marker");
    expect_error(qoi, TEXT(QOI("\0", "\1", "\3") QOI_LAST), HALO_ERR_INPUT, "without pixels");
    expect_error(qoi, TEXT("qoif\xff\xff\xff\xff\xff\xff\xff\xff\4\0"), HALO_ERR_LIMIT, "max_pixels");
}

/* Samples of few values, so that every code is used. */
static void qoi_comes_back(Rng *rng)
{
    const bool alpha = rng_once_in(rng, 2);
    const HaloShape shape =
        shape_of(HALO_U8, rng_between(rng, 1, 200), rng_between(rng, 1, 9), alpha ? 4 : 3, alpha);
    HaloBuf data;
    Bytes file, again;
    Decoded image;
    const HaloInfo info = {.meta = {.gamma = rng_once_in(rng, 2) ? 1.0 : 0.0}};
    const int64_t step = rng_between(rng, 1, 64), kinds = rng_between(rng, 1, 4);
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    uint8_t *v = data.data;
    for (int64_t i = 0; i < data.stride * data.rows; i++)
        v[i] = (uint8_t)((i < shape.channels ? 0 : v[i - shape.channels]) +
                         (rng_once_in(rng, 3) ? step * rng_between(rng, -kinds, kinds) : 0));
    assert_int_equal(encode(qoi, &info, &data, rng_between(rng, 0, 4), &file), HALO_OK);
    assert_int_equal(encode(qoi, &info, &data, 0, &again), HALO_OK);
    assert_int_equal(file.size, again.size);
    assert_memory_equal(file.at, again.at, file.size);
    assert_int_equal(decode(qoi, file.at, file.size, NULL, rng_between(rng, 0, 4), &image), HALO_OK);
    expect_image("qoi", &data, &image);
    assert_true(image.info.meta.gamma == info.meta.gamma);
    decoded_free(&image);
    free(file.at);
    free(again.at);
    halo_buf_free(&data);
}

/* ---- Radiance HDR --------------------------------------------------------------------------------------- */

#define HDR "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n"

static void hdr_in_every_direction(void **unused)
{
    (void)unused;
    static const struct {
        const char *size;
        int order[4];
    } rows[] = {{"-Y 2 +X 2\n", {0, 1, 2, 3}}, {"+Y 2 +X 2\n", {2, 3, 0, 1}}, {"-Y 2 -X 2\n", {1, 0, 3, 2}},
                {"+Y 2 -X 2\n", {3, 2, 1, 0}}, {"+X 2 -Y 2\n", {0, 2, 1, 3}}, {"+X 2 +Y 2\n", {2, 0, 3, 1}},
                {"-X 2 -Y 2\n", {1, 3, 0, 2}}, {"-X 2 +Y 2\n", {3, 1, 2, 0}}};
    const HaloShape shape = shape_of(HALO_F32, 2, 2, 3, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        float expected[12];
        size_t size = strlen(HDR) + strlen(rows[i].size);
        memcpy(text, HDR, strlen(HDR));
        memcpy(text + strlen(HDR), rows[i].size, strlen(rows[i].size));
        for (int p = 0; p < 4; p++, size += 4) {
            const int at = rows[i].order[p]; /* the pixel that is stored as p-th */
            memcpy(text + size, (uint8_t[]){(uint8_t)(10 * at + 1), 2, 3, 137}, 4);
            expected[3 * at] = 2.0f * (float)(10 * at + 1);
            expected[3 * at + 1] = 4.0f;
            expected[3 * at + 2] = 6.0f;
        }
        expect_text(hdr, text, size, &shape, expected);
    }
}

static void hdr_by_hand(void **unused)
{
    (void)unused;
    const HaloShape row = shape_of(HALO_F32, 4, 1, 3, false), eight = shape_of(HALO_F32, 8, 1, 3, false);
    float same[24];
    for (int i = 0; i < 24; i++) same[i] = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 0.5f : 0.0f;
    expect_text(hdr, TEXT(HDR "-Y 1 +X 4\n\x80\x40\0\x81\1\1\1\3"), &row, same);
    expect_text(
        hdr, TEXT(HDR "-Y 1 +X 8\n\2\2\0\x08\x88\x80\x87\x40\1\x40\x88\0\x08\x81\x81\x81\x81\x81\x81\x81\x81"),
        &eight, same);
    expect_text(hdr, TEXT(HDR "-Y 1 +X 4\n\xff\xff\xff\0\1\1\1\3"), &row,
                F32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    expect_error(hdr, TEXT("#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n"), HALO_ERR_INPUT, "xyze");
    expect_error(hdr, TEXT(HDR "-Y 1 +Y 1\n"), HALO_ERR_INPUT, "bad size");
    expect_error(hdr, TEXT(HDR "-Y 1 +X 0\n"), HALO_ERR_INPUT, "bad size");
    expect_error(hdr, TEXT("#?RADIANCE\n"), HALO_ERR_INPUT, "truncated in the HDR header");
    expect_error(hdr, TEXT(HDR "-Y 2147483647 +X 2147483647\n"), HALO_ERR_LIMIT, "max_pixels");
    expect_error(hdr, TEXT(HDR "-Y 1 +X 4\n\x80\x40\0\x81\1\1\1\4"), HALO_ERR_INPUT, "too long");
    expect_error(hdr, TEXT(HDR "-Y 1 +X 8\n\2\2\0\x08\x89\x80"), HALO_ERR_INPUT, "too long");
    expect_error(hdr, TEXT(HDR "-Y 1 +X 8\n\2\2\0\x09"), HALO_ERR_INPUT, "another length");
    expect_error(hdr, TEXT(HDR "-Y 2 +X 1\n\1\2\3\4"), HALO_ERR_INPUT, "scan line 2 of 2: truncated");
}

/* What was read is written again to the same samples; before, each is within 2^-7 of its pixel's largest. */
static void hdr_comes_back(Rng *rng)
{
    const int channels = rng_once_in(rng, 2) ? 3 : 1;
    const HaloShape shape =
        shape_of(HALO_F32, rng_between(rng, 1, 40), rng_between(rng, 1, 6), channels, false);
    HaloBuf data;
    Bytes file;
    Decoded image, again;
    const HaloInfo info = {0};
    assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
    float *v = data.data;
    for (int64_t i = 0; i < data.rows * data.stride / 4; i++)
        v[i] = ldexpf(rng_float(rng, 0.0f, 1.0f), (int)rng_between(rng, -30, 30));
    assert_int_equal(encode(hdr, &info, &data, 0, &file), HALO_OK);
    assert_int_equal(decode(hdr, file.at, file.size, NULL, rng_between(rng, 0, 3), &image), HALO_OK);
    free(file.at);
    const float *w = image.data.data;
    for (int64_t p = 0; p < shape.width * shape.height; p++) {
        float most = 0.0f;
        for (int c = 0; c < channels; c++) most = fmaxf(most, v[p * channels + c]);
        for (int c = 0; c < 3; c++)
            assert_true(fabsf(w[3 * p + c] - v[p * channels + (channels == 3 ? c : 0)]) <= most / 128);
    }
    assert_int_equal(encode(hdr, &info, &image.data, 0, &file), HALO_OK);
    assert_int_equal(decode(hdr, file.at, file.size, NULL, 0, &again), HALO_OK);
    expect_image("hdr", &image.data, &again);
    decoded_free(&image);
    decoded_free(&again);
    free(file.at);
    halo_buf_free(&data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tga_of_every_type), cmocka_unit_test(tga_damaged),
        cmocka_unit_test(qoi_by_hand),       random_test(qoi_comes_back, 200),
        cmocka_unit_test(hdr_by_hand),       cmocka_unit_test(hdr_in_every_direction),
        random_test(hdr_comes_back, 100),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
