/* Image formats: samples come back unchanged, with any number of rows at a time; faults of a file are
 * reported. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"

static HaloBuf random_image(const HaloShape *shape, Rng *rng)
{
    HaloBuf data;
    assert_int_equal(halo_buf_alloc(&data, shape), HALO_OK);
    const int64_t samples = shape->width * shape->height * shape->channels;
    for (int64_t i = 0; i < samples; i++) {
        const uint64_t bits = rng_next(rng);
        switch (shape->dtype) {
        case HALO_U8: ((uint8_t *)data.data)[i] = (uint8_t)bits; break;
        case HALO_U16: ((uint16_t *)data.data)[i] = (uint16_t)bits; break;
        case HALO_F32:
            ((float *)data.data)[i] = rng_once_in(rng, 8) ? rng_special(rng) : rng_float(rng, 0.0f, 1.0f);
            break;
        default: ((uint64_t *)data.data)[i] = bits;
        }
    }
    return data;
}

/* ---- both ways ------------------------------------------------------------------------------------------ */

static const HaloFormat *const lossless[] = {
#ifdef HALO_HAVE_TIFF
    &halo_format_tiff,
#endif
    &halo_format_png,  &halo_format_pnm,  &halo_format_pam, &halo_format_pfm,
    &halo_format_npy,  &halo_format_npz,  &halo_format_raw, &halo_format_bmp,
    &halo_format_tga,  &halo_format_nrrd, &halo_format_mha};
enum { LOSSLESS = sizeof lossless / sizeof *lossless };

static HaloDtype draw_dtype(const HaloFormat *format, Rng *rng)
{
    for (;;) {
        const HaloDtype dtype = (HaloDtype)rng_between(rng, HALO_U8, HALO_F32);
        if (format->dtypes >> dtype & 1) return dtype;
    }
}

static int draw_channels(const HaloFormat *format, Rng *rng)
{
    for (;;) {
        const int channels = (int)rng_between(rng, 1, format->channels == HALO_ANY_CHANNELS ? 7 : 4);
        if ((format->channels | format->with_alpha) >> (channels - 1) & 1) return channels;
    }
}

static void samples_come_back(Rng *rng)
{
    const HaloFormat *format = lossless[rng_between(rng, 0, LOSSLESS - 1)];
    const HaloDtype dtype = draw_dtype(format, rng);
    const int channels = draw_channels(format, rng);
    const bool plain = (format->channels >> (channels - 1) & 1) != 0;
    const bool alpha =
        channels > 1 && (format->with_alpha >> (channels - 1) & 1) != 0 && (!plain || rng_once_in(rng, 2));
    const int64_t width = rng_between(rng, 1, 40), height = rng_between(rng, 1, 30);
    const HaloShape shape = shape_of(dtype, width, height, channels, alpha);
    HaloBuf data = random_image(&shape, rng);
    const HaloReadOptions options = {.has_raw = true, .raw = shape, .axes = channels > 1 ? "hwc" : NULL};
    const HaloInfo info = {0};
    Bytes file, again;
    Decoded image;
    if (encode(format, &info, &data, rng_between(rng, 0, 9), &file) != HALO_OK)
        fail_msg("%s: %s", format->name, halo_error());
    if (encode(format, &info, &data, 0, &again) != HALO_OK) fail_msg("%s: %s", format->name, halo_error());
    assert_int_equal(file.size, again.size); /* the height of bands makes no difference */
    assert_memory_equal(file.at, again.at, file.size);
    if (format->probe != NULL) {
        for (int i = 0; i < LOSSLESS; i++) {
            const bool known = lossless[i]->probe != NULL && lossless[i]->probe(file.at, file.size);
            const bool family = (format == &halo_format_pnm && lossless[i] == &halo_format_pam);
            if (known && lossless[i] != format && !family)
                fail_msg("%s looks like %s", format->name, lossless[i]->name);
        }
    }
    if (decode(format, file.at, file.size, &options, rng_between(rng, 0, 9), &image) != HALO_OK) {
        fail_msg("%s: %s", format->name, halo_error());
    }
    expect_image(format->name, &data, &image);
    assert_int_equal(image.info.shape.alpha, shape.alpha);
    decoded_free(&image);
    if (file.size > 0 &&
        decode(format, file.at, file.size - 1, &options, rng_between(rng, 0, 9), &image) != HALO_ERR_INPUT) {
        fail_msg("%s: a file without its last byte was read", format->name);
    }
    decoded_free(&image);
    free(file.at);
    free(again.at);
    halo_buf_free(&data);
}

/* Every prefix of a small file: an error or, with --tolerate, an image; never a crash. */
static void every_truncation_is_an_error(void **unused)
{
    (void)unused;
    Rng rng = {7};
    for (int f = 0; f < LOSSLESS; f++) {
        const HaloFormat *format = lossless[f];
        const HaloShape shape = shape_of(draw_dtype(format, &rng), 5, 7, 3, false);
        HaloBuf data = random_image(&shape, &rng);
        HaloReadOptions options = {.has_raw = true, .raw = shape};
        const HaloInfo info = {0};
        Bytes file;
        assert_int_equal(encode(format, &info, &data, 0, &file), HALO_OK);
        for (size_t size = 0; size < file.size; size++) {
            uint8_t *part = malloc(size + 1); /* an end of its own, for sanitizers */
            memcpy(part, file.at, size);
            for (int t = 0; t < 2; t++) {
                Decoded image;
                options.tolerate = t == 1;
                const HaloStatus status = decode(format, part, size, &options, 3, &image);
                if (status != HALO_ERR_INPUT && !(t == 1 && status == HALO_OK)) {
                    fail_msg("%s: %zu of %zu bytes: status %d", format->name, size, file.size, status);
                }
                decoded_free(&image);
            }
            free(part);
        }
        free(file.at);
        halo_buf_free(&data);
    }
}

static void metadata_is_kept(void **unused)
{
    (void)unused;
    uint8_t icc[200000] = {0};
    const uint8_t exif[] = "II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0";
    /* The least that libpng takes for a profile: size, version, class, spaces, signature, illuminant, no tags.
     */
    memcpy(icc, (uint8_t[]){0, 3, 0x0d, 0x40}, 4);
    memcpy(icc + 8, "\x02\x40\0\0mntrRGB XYZ ", 16);
    memcpy(icc + 36, "acsp", 4);
    memcpy(icc + 68, (uint8_t[]){0, 0, 0xf6, 0xd6, 0, 1, 0, 0, 0, 0, 0xd3, 0x2d}, 12);
    const HaloInfo info = {.meta = {.icc = {icc, sizeof icc}, .exif = {(uint8_t *)exif, sizeof exif}}};
    const HaloFormat *const formats[] = {&halo_format_png,
#ifdef HALO_HAVE_JPEG
                                         &halo_format_jpeg
#endif
    };
    Rng rng = {3};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        for (int channels = 1; channels <= 3; channels += 2) { /* a profile for RGB goes with RGB only */
            const HaloShape shape = shape_of(HALO_U8, 9, 9, channels, false);
            HaloBuf data = random_image(&shape, &rng);
            Bytes file;
            Decoded image;
            assert_int_equal(encode(formats[f], &info, &data, 0, &file), HALO_OK);
            if (decode(formats[f], file.at, file.size, NULL, 0, &image) != HALO_OK)
                fail_msg("%s", halo_error());
            assert_int_equal(image.info.meta.exif.size, sizeof exif);
            assert_memory_equal(image.info.meta.exif.data, exif, sizeof exif);
            assert_int_equal(image.info.meta.icc.size, channels == 3 ? sizeof icc : 0);
            if (channels == 3) assert_memory_equal(image.info.meta.icc.data, icc, sizeof icc);
            HaloMeta copy;
            assert_int_equal(halo_meta_copy(&image.info.meta, &copy), HALO_OK);
            assert_int_equal(copy.icc.size, image.info.meta.icc.size);
            halo_meta_free(&copy);
            decoded_free(&image);
            free(file.at);
            halo_buf_free(&data);
        }
    }
}

/* ---- limits, refusals, writers -------------------------------------------------------------------------- */

static void the_pixel_limit_is_kept(void **unused)
{
    (void)unused;
    Rng rng = {5};
    const HaloShape shape = shape_of(HALO_U8, 10, 11, 1, false);
    HaloBuf data = random_image(&shape, &rng);
    const HaloInfo info = {0};
    const HaloFormat *const formats[] = {&halo_format_png, &halo_format_pnm, &halo_format_npy,
#ifdef HALO_HAVE_TIFF
                                         &halo_format_tiff,
#endif
#ifdef HALO_HAVE_JPEG
                                         &halo_format_jpeg
#endif
    };
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        Bytes file;
        Decoded image;
        assert_int_equal(encode(formats[f], &info, &data, 0, &file), HALO_OK);
        for (int64_t limit = 109; limit <= 110; limit++) {
            const HaloReadOptions options = {.max_pixels = limit};
            assert_int_equal(decode(formats[f], file.at, file.size, &options, 0, &image),
                             limit < 110 ? HALO_ERR_LIMIT : HALO_OK);
            decoded_free(&image);
        }
        assert_non_null(
            strstr(halo_error(), "10 x 11 pixels are more than 109: raise the limit with max_pixels"));
        free(file.at);
    }
    halo_buf_free(&data);
}

/* What stb writes, in the few bytes that show the layout. */
static void stb_writers(void **unused)
{
    (void)unused;
    const HaloInfo info = {0};
    HaloShape shape = shape_of(HALO_U8, 2, 1, 3, false);
    HaloBuf data = {.shape = shape, .cols = 2, .rows = 1, .stride = 6, .data = (void *)U8(1, 2, 3, 4, 5, 6)};
    Bytes file;
    assert_int_equal(encode(&halo_format_tga, &info, &data, 0, &file), HALO_OK);
    assert_memory_equal(file.at + 18, "\1\3\2\1\6\5\4", 7);
    free(file.at);
    shape = shape_of(HALO_F32, 4, 1, 1, false);
    data = (HaloBuf){
        .shape = shape, .cols = 4, .rows = 1, .stride = 16, .data = (void *)F32(1.0f, -1.0f, NAN, INFINITY)};
    assert_int_equal(encode(&halo_format_hdr, &info, &data, 0, &file), HALO_OK);
    assert_memory_equal(file.at + file.size - 16, "\x80\x80\x80\x81\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 16);
    free(file.at);
    data.shape.width = data.cols = 70000;
    assert_int_equal(encode(&halo_format_tga, &info, &data, 0, &file), HALO_ERR_OUTPUT);
}

#ifdef HALO_HAVE_JPEG
static const HaloReadOptions tolerate = {.tolerate = true};

static void jpeg_comes_back_nearly(void **unused)
{
    (void)unused;
    const HaloInfo info = {0};
    for (int channels = 1; channels <= 3; channels += 2) {
        const HaloShape shape = shape_of(HALO_U8, 67, 45, channels, false);
        HaloBuf data;
        Bytes file;
        Decoded image;
        assert_int_equal(halo_buf_alloc(&data, &shape), HALO_OK);
        uint8_t *v = data.data;
        for (int i = 0; i < 67 * 45 * channels; i++) v[i] = (uint8_t)(i / channels % 67 * 3);
        assert_int_equal(encode(&halo_format_jpeg, &info, &data, 7, &file), HALO_OK);
        assert_int_equal(decode(&halo_format_jpeg, file.at, file.size, NULL, 5, &image), HALO_OK);
        assert_int_equal(image.info.shape.channels, channels);
        for (int i = 0; i < 67 * 45 * channels; i++)
            assert_true(abs(v[i] - ((uint8_t *)image.data.data)[i]) <= 12);
        decoded_free(&image);
        /* Every truncation is reported, except where only the end mark is missing. */
        for (size_t size = 0; size < file.size; size += size < file.size - 4 ? 3 : 1) {
            const HaloStatus expected = size < file.size - 2 ? HALO_ERR_INPUT : HALO_OK;
            if (decode(&halo_format_jpeg, file.at, size, NULL, 0, &image) != expected)
                fail_msg("%zu of %zu bytes", size, file.size);
            decoded_free(&image);
        }
        assert_int_equal(decode(&halo_format_jpeg, file.at, file.size - 20, &tolerate, 0, &image), HALO_OK);
        decoded_free(&image);
        free(file.at);
        halo_buf_free(&data);
    }
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(samples_come_back, 600),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(metadata_is_kept),
        cmocka_unit_test(the_pixel_limit_is_kept),
        cmocka_unit_test(stb_writers),
#ifdef HALO_HAVE_JPEG
        cmocka_unit_test(jpeg_comes_back_nearly),
#endif
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
