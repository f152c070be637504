/* TIFF as others write it: small depths, palettes, alpha, pages; and what is wrong with it. */
#ifdef HALO_HAVE_TIFF
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tiffio.h>

#include "tiff_files.h"

/* ---- small depths, palettes, alpha ---------------------------------------------------------------------- */

static void few_bits(void **unused)
{
    (void)unused;
    Rng rng = {11};
    uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)rng_next(&rng);
    for (int bits = 1; bits <= 8; bits *= 2) {
        for (int white_is_zero = 0; white_is_zero < 2; white_is_zero++) {
            const TiffMade made = {.bits = bits,
                                   .samples = 1,
                                   .photometric =
                                       white_is_zero ? PHOTOMETRIC_MINISWHITE : PHOTOMETRIC_MINISBLACK};
            Bytes file = tiff_make(&made, samples);
            Decoded image;
            tiff_read_back(&file, &rng, &image);
            for (int i = 0; i < TIFF_WIDTH * TIFF_HEIGHT; i++) {
                const int bit = i % TIFF_WIDTH * bits, most = (1 << bits) - 1;
                const uint8_t byte = samples[i / TIFF_WIDTH * tiff_row_bytes(&made, TIFF_WIDTH) + bit / 8];
                const int v = (byte >> (8 - bits - bit % 8) & most) * (255 / most);
                assert_int_equal(((uint8_t *)image.data.data)[i], white_is_zero ? 255 - v : v);
            }
            decoded_free(&image);
            free(file.at);
        }
    }
}

static void palettes(void **unused)
{
    (void)unused;
    Rng rng = {13};
    uint16_t map[3][256];
    uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)rng_next(&rng);
    static const int factors[] = {1, 256, 257, 99}; /* old writers; new ones, both ways; real 16 bits */
    for (int f = 0; f < 4; f++) {
        for (int i = 0; i < 768; i++)
            map[i / 256][i % 256] = (uint16_t)((unsigned)(i * 7 % 256) * (unsigned)factors[f]);
        const TiffMade made = {.bits = 8, .samples = 1, .photometric = PHOTOMETRIC_PALETTE, .map = map};
        Bytes file = tiff_make(&made, samples);
        Decoded image;
        tiff_read_back(&file, &rng, &image);
        assert_int_equal(image.info.shape.channels, 3);
        assert_int_equal(image.info.shape.dtype, f < 3 ? HALO_U8 : HALO_U16);
        for (int i = 0; i < 3 * TIFF_WIDTH * TIFF_HEIGHT; i++) {
            const int v = (i % 3 * 256 + samples[i / 3]) * 7 % 256;
            if (f < 3)
                assert_int_equal(((uint8_t *)image.data.data)[i], v);
            else
                assert_int_equal(((uint16_t *)image.data.data)[i], v * 99);
        }
        decoded_free(&image);
        free(file.at);
    }
}

static void premultiplied_alpha_is_divided_out(void **unused)
{
    (void)unused;
    Rng rng = {17};
    uint8_t samples[2 * TIFF_WIDTH * TIFF_HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(rng_next(&rng) % (i % 2 ? 256 : 100));
    const TiffMade made = {
        .bits = 8, .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_ASSOCALPHA};
    Bytes file = tiff_make(&made, samples);
    Decoded image;
    tiff_read_back(&file, &rng, &image);
    assert_int_equal(image.info.shape.alpha, 1);
    assert_int_equal(image.info.notes.count[HALO_NOTE_DIVIDED], 1);
    for (int i = 0; i < 2 * TIFF_WIDTH * TIFF_HEIGHT; i += 2) {
        const int v = samples[i], a = samples[i + 1], out = a == 0 ? 0 : (int)(v * 255.0 / a + 0.5);
        assert_int_equal(((uint8_t *)image.data.data)[i], out > 255 ? 255 : out);
        assert_int_equal(((uint8_t *)image.data.data)[i + 1], a);
    }
    decoded_free(&image);
    free(file.at);
}

/* ---- pages, refusals, damage ---------------------------------------------------------------------------- */

static void pages_are_counted(void **unused)
{
    (void)unused;
    Rng rng = {19};
    const uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT] = {0};
    TiffMade made = {.bits = 8, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    for (made.pages = 1; made.pages <= 4; made.pages++) {
        for (int overviews = 0; overviews < 2; overviews++) {
            made.overviews = overviews;
            Bytes file = tiff_make(&made, samples);
            Decoded image;
            tiff_read_back(&file, &rng, &image);
            assert_int_equal(image.info.images, overviews ? (made.pages + 1) / 2 : made.pages);
            assert_true((strstr(image.info.encoding, "overviews") != NULL) == (overviews && made.pages > 1));
            decoded_free(&image);
            free(file.at);
        }
    }
}

static void refusals(void **unused)
{
    (void)unused;
    static const struct {
        TiffMade made;
        const char *message;
    } cases[] = {
        {{.bits = 8, .samples = 4, .photometric = PHOTOMETRIC_SEPARATED}, "CMYK"},
        {{.bits = 64, .samples = 1, .format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_MINISBLACK},
         "64-bit signed integers"},
        {{.bits = 64, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK}, "64-bit integers"},
        {{.bits = 64,
          .samples = 1,
          .format = SAMPLEFORMAT_COMPLEXIEEEFP,
          .photometric = PHOTOMETRIC_MINISBLACK},
         "complex"},
        {{.bits = 16, .samples = 1, .format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_MINISWHITE},
         "whose 0 is white"},
        {{.bits = 32, .samples = 2, .photometric = PHOTOMETRIC_MINISBLACK, .extra = EXTRASAMPLE_ASSOCALPHA},
         "multiplied by alpha"},
        {{.bits = 8, .samples = 3, .photometric = PHOTOMETRIC_CIELAB}, "colours of kind"},
    };
    const uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT * 8] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes file = tiff_make(&cases[i].made, samples);
        expect_error(&halo_format_tiff, (const char *)file.at, file.size, HALO_ERR_INPUT, cases[i].message);
        free(file.at);
    }
}

/* Bytes changed anywhere: an answer, never more; and tolerated, never a failure that is no refusal. */
static void one_damage(Rng *rng)
{
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE};
    uint8_t samples[3 * TIFF_WIDTH * TIFF_HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(i / 3);
    const TiffMade made = {.bits = 8,
                           .samples = 3,
                           .photometric = PHOTOMETRIC_RGB,
                           .tile = 16 * (int)rng_between(rng, 0, 1),
                           .compression = compressions[rng_between(rng, 0, 2)]};
    Bytes file = tiff_make(&made, samples);
    for (int64_t n = rng_between(rng, 1, 4); n > 0; n--)
        file.at[rng_between(rng, 4, (int64_t)file.size - 1)] = (uint8_t)rng_next(rng);
    const HaloReadOptions options = {.tolerate = rng_once_in(rng, 2), .max_pixels = 1 << 16};
    Decoded image;
    const HaloStatus status =
        decode(&halo_format_tiff, file.at, file.size, &options, rng_between(rng, 0, 9), &image);
    if (status != HALO_OK && status != HALO_ERR_INPUT && status != HALO_ERR_LIMIT)
        fail_msg("status %d: %s", status, halo_error());
    decoded_free(&image);
    free(file.at);
}

static void damage(void **unused)
{
    (void)unused;
    for_each_case(__func__, 2000, one_damage);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_bits),
        cmocka_unit_test(palettes),
        cmocka_unit_test(premultiplied_alpha_is_divided_out),
        cmocka_unit_test(pages_are_counted),
        cmocka_unit_test(refusals),
        cmocka_unit_test(damage),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
