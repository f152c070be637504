/* TIFF as others write it: small depths, palettes, alpha, pages; and invalid files. */
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

/* Sample k of a row, the first in the highest bits. */
static unsigned sample_of_bits(const uint8_t *row, int k, int bits)
{
    unsigned v = 0;
    for (int b = k * bits; b < (k + 1) * bits; b++) v = v << 1 | (row[b / 8] >> (7 - b % 8) & 1);
    return v;
}

static void check_bits(const TiffMade *made, const uint8_t *samples, Rng *rng)
{
    const bool planes = made->planar == PLANARCONFIG_SEPARATE;
    const unsigned most = (1u << made->bits) - 1, white = made->bits <= 8 ? 255 : 65535;
    const int64_t row_bytes = tiff_row_bytes(made, TIFF_WIDTH);
    Bytes file = tiff_make(made, samples);
    Decoded image;
    tiff_read_back(&file, rng, &image);
    assert_int_equal(image.info.bits, made->bits);
    assert_int_equal(image.info.shape.dtype, made->bits <= 8 ? HALO_U8 : HALO_U16);
    for (int i = 0; i < TIFF_WIDTH * TIFF_HEIGHT * made->samples; i++) {
        const int c = i % made->samples, x = i / made->samples % TIFF_WIDTH, y = i / made->samples / TIFF_WIDTH;
        const uint8_t *row = samples + (y + (planes ? c * TIFF_HEIGHT : 0)) * row_bytes;
        const unsigned v = sample_of_bits(row, planes ? x : x * made->samples + c, made->bits);
        const unsigned scaled = (unsigned)((double)v * white / most + 0.5);
        const unsigned wanted = made->photometric == PHOTOMETRIC_MINISWHITE ? white - scaled : scaled;
        assert_int_equal(white == 255 ? ((uint8_t *)image.data.data)[i] : ((uint16_t *)image.data.data)[i],
                         wanted);
    }
    decoded_free(&image);
    free(file.at);
}

static void any_number_of_bits(void **unused)
{
    (void)unused;
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE};
    Rng rng = {11};
    uint8_t samples[2 * 4 * TIFF_WIDTH * TIFF_HEIGHT];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)rng_next(&rng);
    for (int bits = 1; bits < 16; bits++) { /* 16 have a byte order: check_tiff.c */
        for (int way = 0; way < 4; way++) {
            TiffMade made = {.bits = bits, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
            made.compression = compressions[(bits + way) % 3];
            made.tile = way % 2 * 16;
            if (way == 0) made.mode = "wb"; /* a big-endian file */
            check_bits(&made, samples, &rng);
            made.photometric = PHOTOMETRIC_MINISWHITE;
            check_bits(&made, samples, &rng);
            made.photometric = PHOTOMETRIC_RGB;
            made.planar = way / 2 ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG;
            made.samples = 3;
            check_bits(&made, samples, &rng);
            made.samples = 4;
            made.extra = EXTRASAMPLE_UNASSALPHA;
            check_bits(&made, samples, &rng);
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
        {{.bits = 8, .samples = 3, .photometric = PHOTOMETRIC_CIELAB}, "photometric interpretation 8"},
    };
    const uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT * 8] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes file = tiff_make(&cases[i].made, samples);
        expect_error(&halo_format_tiff, (const char *)file.at, file.size, HALO_ERR_INPUT, cases[i].message);
        free(file.at);
    }
}

/* Another number in the tag of the compression. */
static void set_compression(Bytes *file, uint16_t compression)
{
    static const uint8_t tag[] = {
        TIFFTAG_COMPRESSION & 255, TIFFTAG_COMPRESSION >> 8, TIFF_SHORT, 0, 1, 0, 0, 0};
    for (size_t i = 8; i + sizeof tag + 2 <= file->size; i++) {
        if (memcmp(file->at + i, tag, sizeof tag) != 0) continue;
        file->at[i + sizeof tag] = (uint8_t)compression;
        file->at[i + sizeof tag + 1] = (uint8_t)(compression >> 8);
        return;
    }
    fail_msg("no tag of the compression");
}

/* They are named, and what converts them is. */
static void compressions_that_are_not_read(void **unused)
{
    (void)unused;
    static const struct {
        uint16_t code;
        const char *message;
    } cases[] = {
        {COMPRESSION_OJPEG, "TIFF with old-style JPEG compression is not supported: convert it first, by "
                            "'tiffcp -c zip IN.tif OUT.tif'"},
        {COMPRESSION_JBIG, "TIFF with JBIG compression is not supported: convert it first, by"},
        {COMPRESSION_JP2000, "TIFF with JPEG 2000 compression is not supported: convert it first, by"},
        {33005, "TIFF with JPEG 2000 (Aperio) compression is not supported: convert it first, by 'vips"},
        {50002, "TIFF with JPEG XL compression is not supported: convert it first, by 'gdal_translate"},
        {12345, "TIFF with compression 12345 is not supported: convert it first, by"},
    };
    const TiffMade made = {.bits = 8, .samples = 1, .photometric = PHOTOMETRIC_MINISBLACK};
    const uint8_t samples[TIFF_WIDTH * TIFF_HEIGHT] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Bytes file = tiff_make(&made, samples);
        set_compression(&file, cases[i].code);
        expect_error(&halo_format_tiff, (const char *)file.at, file.size, HALO_ERR_INPUT, cases[i].message);
        free(file.at);
    }
}

/* Bytes changed anywhere: a result or an error, never a crash; with --tolerate no error but a refusal. */
static void damage(Rng *rng)
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_bits),
        cmocka_unit_test(palettes),
        cmocka_unit_test(premultiplied_alpha_is_divided_out),
        cmocka_unit_test(pages_are_counted),
        cmocka_unit_test(refusals),
        cmocka_unit_test(compressions_that_are_not_read),
        random_test(damage, 2000),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
