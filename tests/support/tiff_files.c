#ifdef HALO_HAVE_TIFF
#include "tiff_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <tiffio.h>

int64_t tiff_row_bytes(const TiffMade *made, int64_t cols)
{
    const int64_t samples = made->planar == PLANARCONFIG_SEPARATE ? 1 : made->samples;
    return (cols * samples * made->bits + 7) / 8;
}

static void set_tags(TIFF *tiff, const TiffMade *made)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, TIFF_WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, TIFF_HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, made->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, made->samples);
    if (made->format != 0) TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, made->format);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, made->photometric);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, made->planar != 0 ? made->planar : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, made->compression != 0 ? made->compression : COMPRESSION_NONE);
    if (made->predictor != 0) TIFFSetField(tiff, TIFFTAG_PREDICTOR, made->predictor);
    if (made->extra != 0) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &(uint16_t){(uint16_t)made->extra});
    if (made->map != NULL) TIFFSetField(tiff, TIFFTAG_COLORMAP, made->map[0], made->map[1], made->map[2]);
    if (made->tile != 0) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, made->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, made->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 7);
    }
}

Bytes tiff_make(const TiffMade *made, const uint8_t *samples)
{
    const char *path = test_path("made.tif");
    TIFF *tiff = TIFFOpen(path, made->mode != NULL ? made->mode : "w");
    assert_non_null(tiff);
    const int planes = made->planar == PLANARCONFIG_SEPARATE ? made->samples : 1;
    const int64_t bytes = tiff_row_bytes(made, TIFF_WIDTH);
    uint8_t block[64 * 64 * 32];
    for (int page = 0; page < (made->pages > 0 ? made->pages : 1); page++) {
        set_tags(tiff, made);
        if (made->overviews && page % 2 == 1) TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        for (int plane = 0; plane < planes; plane++) {
            const uint8_t *from = samples + plane * bytes * TIFF_HEIGHT;
            for (int y = 0; made->tile == 0 && y < TIFF_HEIGHT; y++) {
                memcpy(block, from + y * bytes, (size_t)bytes);
                assert_int_equal(TIFFWriteScanline(tiff, block, (uint32_t)y, (uint16_t)plane), 1);
            }
            for (int y = 0; made->tile != 0 && y < TIFF_HEIGHT; y += made->tile) {
                for (int x = 0; x < TIFF_WIDTH; x += made->tile) {
                    const int64_t skip = tiff_row_bytes(made, x), tile_bytes = tiff_row_bytes(made, made->tile);
                    memset(block, 0, sizeof block);
                    for (int r = 0; r < made->tile && y + r < TIFF_HEIGHT; r++)
                        memcpy(block + r * tile_bytes, from + (y + r) * bytes + skip,
                               (size_t)(tile_bytes < bytes - skip ? tile_bytes : bytes - skip));
                    assert_true(TIFFWriteTile(tiff, block, (uint32_t)x, (uint32_t)y, 0, (uint16_t)plane) > 0);
                }
            }
        }
        assert_int_equal(TIFFWriteDirectory(tiff), 1);
    }
    TIFFClose(tiff);
    return bytes_of_file(path);
}

void tiff_read_back(const Bytes *file, Rng *rng, Decoded *image)
{
    if (decode(&halo_format_tiff, file->at, file->size, NULL, rng_between(rng, 0, 20), image) != HALO_OK)
        fail_msg("%s", halo_error());
    assert_int_equal(image->info.shape.width, TIFF_WIDTH);
    assert_int_equal(image->info.shape.height, TIFF_HEIGHT);
}
#else
typedef int TiffFilesEmpty; /* C has no empty file */
#endif
