/* Strips and tiles by threads: the same samples and the same failures as with one thread. */
#ifdef HALO_HAVE_TIFF
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tiffio.h>

#include "codec.h"
#include "random.h"

/* A picture that is large enough for threads, in two pages, of blocks of any size. */
typedef struct Made {
    int width, height, samples, bits, format, planar, tile, rows, compression;
    bool unfit; /* some samples are no floats */
} Made;

static Made draw_layout(Rng *rng)
{
    static const int compressions[] = {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW,
                                       COMPRESSION_ADOBE_DEFLATE};
    const int64_t way = rng_between(rng, 0, 9);
    Made made = {.width = (int)rng_between(rng, 500, 700),
                 .height = (int)rng_between(rng, 400, 600),
                 .samples = rng_once_in(rng, 2) ? 3 : 4,
                 .bits = rng_once_in(rng, 2) ? 16 : 32,
                 .planar = (int)rng_between(rng, 1, 2),
                 .tile = 16 * (int)rng_between(rng, 1, 12),
                 .compression = compressions[way < 3 ? way : 3]};
    made.rows = (int)rng_between(rng, 1, rng_once_in(rng, 4) ? made.height : 40);
    if (rng_once_in(rng, 2)) made.tile = 0;
    made.unfit = made.bits == 32 && rng_once_in(rng, 2);
    made.format = made.bits == 16 ? SAMPLEFORMAT_UINT : made.unfit ? SAMPLEFORMAT_INT : SAMPLEFORMAT_IEEEFP;
    if (made.unfit) made.samples = 3;
    return made;
}

static void set_tags(TIFF *tiff, const Made *made)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, made->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, made->height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, made->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, made->samples);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, made->planar);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, made->compression);
    if (made->samples == 4) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){EXTRASAMPLE_ASSOCALPHA});
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, made->format);
    if (made->tile > 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, made->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, made->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, made->rows);
    }
}

/* Samples with some repetition, so that they compress moderately. */
static void draw_samples(Rng *rng, const Made *made, uint8_t *to, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += 4) {
        const float f = (float)(i / 4 % 977) / 977.0f;
        const uint32_t word = rng_once_in(rng, 7) ? (uint32_t)rng_next(rng) & 0x00ffffff : 0x00020304;
        memcpy(to + i, made->format == SAMPLEFORMAT_IEEEFP ? (const void *)&f : &word, 4);
    }
    if (made->unfit && rng_once_in(rng, made->tile > 0 ? 2 : 8))
        memcpy(to + rng_between(rng, 0, bytes / 4 - 1) * 4, &(uint32_t){rng_next(rng) | 1 << 30}, 4);
}

static Bytes make(Rng *rng, const Made *made)
{
    const char *path = test_path("blocks.tif");
    TIFF *tiff = TIFFOpen(path, "w");
    assert_non_null(tiff);
    for (int page = 0; page < 2; page++) {
        set_tags(tiff, made);
        const int64_t bytes = made->tile > 0 ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
        const uint32_t blocks = made->tile > 0 ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
        const uint32_t down = blocks / (made->planar == PLANARCONFIG_SEPARATE ? (uint32_t)made->samples : 1);
        uint8_t *block = malloc((size_t)bytes + 4);
        for (uint32_t i = 0; i < blocks; i++) {
            const int64_t row = TIFFStripSize(tiff) / made->rows;
            const int64_t left = row * (made->height - (int64_t)(i % down) * made->rows);
            draw_samples(rng, made, block, bytes);
            assert_true((made->tile > 0
                             ? TIFFWriteEncodedTile(tiff, i, block, bytes)
                             : TIFFWriteEncodedStrip(tiff, i, block, left < bytes ? left : bytes)) > 0);
        }
        free(block);
        assert_int_equal(TIFFWriteDirectory(tiff), 1);
    }
    TIFFClose(tiff);
    return bytes_of_file(path);
}

/* Reads all pages, `band` rows at a time; adds to `rows` each that was read. Returns how it ended. */
static HaloStatus read_pages(const Bytes *file, bool tolerate, int jobs, int64_t band, Bytes *rows)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloReader reader = {.format = &halo_format_tiff, .options.tolerate = tolerate, .jobs = jobs};
    HALO_TRY(halo_source_from_memory(file->at, file->size, &source));
    reader.source = source;
    HALO_TRY(halo_format_tiff.open(&reader));
    for (int page = 0;; page++) {
        const HaloShape *shape = &reader.info.shape;
        HaloBuf part = {.shape = *shape, .cols = shape->width};
        part.stride = halo_row_bytes(&part);
        for (int64_t y = 0, got; y < shape->height; y += got) {
            part.rows = band < shape->height - y ? band : shape->height - y;
            rows->at = realloc(rows->at, rows->size + (size_t)(part.rows * part.stride));
            part.data = rows->at + rows->size;
            HALO_TRY(halo_format_tiff.read(&reader, &part, &got));
            assert_int_equal(got, part.rows);
            rows->size += (size_t)(part.rows * part.stride);
        }
        if (page == 1) break;
        halo_meta_free(&reader.info.meta);
        reader.info = (HaloInfo){0};
        reader.options.image++;
        HALO_TRY(halo_format_tiff.next(&reader));
    }
out:
    halo_format_tiff.close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
    return status;
}

static void threads_make_no_difference(Rng *rng)
{
    const Made made = draw_layout(rng);
    Bytes file = make(rng, &made), one = {0}, many = {0};
    const bool damaged = rng_once_in(rng, 2), tolerate = rng_once_in(rng, 3);
    for (int64_t n = damaged ? rng_between(rng, 1, rng_once_in(rng, 2) ? 3 : 100) : 0; n > 0; n--)
        file.at[rng_between(rng, 8, (int64_t)file.size - 1)] = (uint8_t)rng_next(rng);
    const int64_t band = rng_between(rng, 1, rng_once_in(rng, 3) ? 600 : 80);
    char error[1024];
    const HaloStatus alone = read_pages(&file, tolerate, 1, band, &one);
    snprintf(error, sizeof error, "%s", halo_error());
    const HaloStatus together = read_pages(&file, tolerate, (int)rng_between(rng, 2, 5), band, &many);
    if (!damaged && !made.unfit && alone != HALO_OK) fail_case(NULL, "refused: %s", error);
    if (alone != together || (alone != HALO_OK && strcmp(error, halo_error()) != 0))
        fail_case(NULL, "one thread: %d '%s', several: %d '%s'", alone, error, together, halo_error());
    if (one.size != many.size || memcmp(one.at, many.at, one.size) != 0)
        fail_case(NULL, "other samples: %zu and %zu bytes", one.size, many.size);
    free(file.at);
    free(one.at);
    free(many.at);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(threads_make_no_difference, 40)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
#else
int main(void) { return 0; }
#endif
