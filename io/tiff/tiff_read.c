/* Reading TIFF: page after page, in strips or tiles, samples together or in planes.
 *
 * Blocks (strips, tiles) are decoded whole, a row of them at a time. Depths below 8 bits are scaled to 0..255,
 * palettes become RGB, white-is-zero is turned round. Colours that are premultiplied by their alpha are divided
 * by it, rounded to nearest and saturated; where alpha is 0 they are 0. */
#ifdef HALO_HAVE_TIFF
#include "tifffile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/image.h"
#include "tiffreader.h"

#define LARGE_TILE (256 * 256)

/* ---- pages ---------------------------------------------------------------------------------------------- */

static void describe(TiffReader *state)
{
    HaloInfo *info = &state->reader->info;
    const TiffPixels *pixels = &state->pixels;
    snprintf(info->encoding, sizeof info->encoding, "%s%s, %s%s%s", pixels->colour,
             pixels->is_signed ? ", signed" : "", state->tiled ? "tiles" : "strips",
             state->planar ? ", planes" : "", TIFFIsBigTIFF(state->tiff) ? ", BigTIFF" : "");
    info->bits = pixels->bits;
    info->real = pixels->real;
    const int64_t page = state->reader->options.image;
    info->images = page == 0 ? tiff_count_pages(state) : page + 1;
    if (info->images == page + 1 && !TIFFLastDirectory(state->tiff)) info->images++;
    if (pixels->bits == 64 || (pixels->bits == 32 && pixels->whole))
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)pixels->bits);
    if (pixels->premultiplied) halo_note(&info->notes, HALO_NOTE_DIVIDED, 1);
}

/* ---- the header ----------------------------------------------------------------------------------------- */

static HaloStatus measure_blocks(TiffReader *state)
{
    const HaloShape *shape = &state->reader->info.shape;
    uint32_t cols = (uint32_t)shape->width, rows = 0;
    uint64_t block_bytes, row_bytes;
    int64_t block_pixels;
    const int64_t samples = state->planar ? 1 : state->pixels.samples;
    state->tiled = TIFFIsTiled(state->tiff);
    if (state->tiled) {
        TIFFGetField(state->tiff, TIFFTAG_TILEWIDTH, &cols);
        TIFFGetField(state->tiff, TIFFTAG_TILELENGTH, &rows);
        row_bytes = TIFFTileRowSize64(state->tiff);
        block_bytes = TIFFTileSize64(state->tiff);
    } else {
        TIFFGetFieldDefaulted(state->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        if (rows > shape->height) rows = (uint32_t)shape->height;
        row_bytes = TIFFScanlineSize64(state->tiff);
        block_bytes = TIFFVStripSize64(state->tiff, rows);
    }
    /* A tile may be larger than a small image, but not much larger than any image may be. */
    if (cols == 0 || rows == 0 || !halo_mul(cols, rows, &block_pixels) ||
        !halo_image_fits(state->reader, block_pixels > LARGE_TILE ? block_pixels - LARGE_TILE : 0, samples) ||
        row_bytes > INT64_MAX || block_bytes > INT64_MAX ||
        (int64_t)row_bytes < ((int64_t)cols * samples * state->pixels.bits + 7) / 8 ||
        (int64_t)block_bytes / (int64_t)row_bytes < (int64_t)rows) {
        return halo_fail(HALO_ERR_INPUT, "TIFF: %s of %lld x %lld pixels", state->tiled ? "tiles" : "strips",
                         (long long)cols, (long long)rows);
    }
    state->block_cols = cols;
    state->block_rows = rows;
    state->row_bytes = (int64_t)row_bytes;
    state->block_bytes = (int64_t)block_bytes;
    return HALO_OK;
}

static HaloStatus look_at_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    uint32_t width = 0, height = 0;
    uint16_t planar = PLANARCONFIG_CONTIG;
    TiffReader *state = reader->state;
    state->band_at = -1;
    state->given = 0;
    HALO_TRY(halo_tiff_pixels(state->tiff, &state->pixels));
    TIFFGetField(state->tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(state->tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(state->tiff, TIFFTAG_PLANARCONFIG, &planar);
    HALO_TRY(halo_image_open(reader, width, height, state->pixels.channels, state->pixels.dtype));
    if (state->pixels.alpha) reader->info.shape.alpha = state->pixels.channels - 1;
    state->planar = planar == PLANARCONFIG_SEPARATE && state->pixels.samples > 1;
    HALO_TRY(measure_blocks(state));
    HALO_TRY(halo_tiff_take_meta(&state->guard, state->tiff, &reader->info.meta));
    const IfdSource exif = {tiff_get_bytes, state, TIFFIsBigEndian(state->tiff) != 0,
                            TIFFIsBigTIFF(state->tiff) != 0};
    HALO_TRY(halo_tiff_take_exif(state->tiff, &exif, &reader->info.meta.exif));
    HALO_TRY(halo_tiff_take_iptc(state->tiff, &exif, &reader->info.meta.iptc));
    describe(state);
    HALO_TRY(halo_tiff_outcome(&state->guard, true)); /* no tag was left out for want of memory */
    /* In these, libtiff warns of damage and goes on with made-up samples; elsewhere of odd tags. */
    state->guard.strict = state->pixels.warns && !reader->options.tolerate;
    halo_tiff_clear(&state->guard);
out:
    return status;
}

HaloStatus halo_tiff_read_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read TIFF");
    state->reader = reader;
    state->guard.blame = HALO_ERR_INPUT;
    HALO_TRY(tiff_open_file(state));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

static void drop_blocks(TiffReader *state)
{
    halo_memory_free(state->reader->memory, &state->band);
    free(state->block);
    state->block = NULL;
    halo_memory_release(state->reader->memory, state->held);
    state->held = 0;
}

HaloStatus halo_tiff_next(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = reader->state;
    drop_blocks(state);
    state->guard.strict = false;
    halo_tiff_clear(&state->guard);
    HALO_TRY(halo_tiff_outcome(&state->guard, TIFFReadDirectory(state->tiff) == 1));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* Decodes the block with pixel (x, y) of one plane. What a damaged one does not give is 0. */
static HaloStatus decode(TiffReader *state, int64_t x, int64_t y, int plane)
{
    const uint32_t column = (uint32_t)x, row = (uint32_t)y;
    tmsize_t got;
    memset(state->block, 0, (size_t)state->block_bytes);
    halo_tiff_clear(&state->guard);
    if (state->tiled) {
        const uint32_t tile = TIFFComputeTile(state->tiff, column, row, 0, (uint16_t)plane);
        got = TIFFReadEncodedTile(state->tiff, tile, state->block, (tmsize_t)state->block_bytes);
    } else {
        const uint32_t strip = TIFFComputeStrip(state->tiff, row, (uint16_t)plane);
        got = TIFFReadEncodedStrip(state->tiff, strip, state->block, (tmsize_t)state->block_bytes);
    }
    const HaloStatus status = halo_tiff_outcome(&state->guard, got >= 0);
    const bool damage = state->guard.status == HALO_OK && status == HALO_ERR_INPUT;
    return damage && state->reader->options.tolerate ? HALO_OK : status;
}

/* Room for a block, and for what libtiff keeps of it before it is decoded, which is seldom more. */
static HaloStatus take_block(TiffReader *state)
{
    HaloStatus status = HALO_OK;
    if (state->block != NULL) return HALO_OK;
    const int64_t bytes = state->block_bytes <= INT64_MAX / 2 ? 2 * state->block_bytes : INT64_MAX;
    if (state->held == 0) HALO_TRY(halo_memory_hold(state->reader->memory, bytes));
    state->held = bytes;
    state->block = malloc((size_t)state->block_bytes);
    if (state->block == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld bytes of TIFF", (long long)state->block_bytes);
out:
    return status;
}

/* The row of blocks that starts at row y, into `band`, whose rows it fills. */
static HaloStatus fill(TiffReader *state, const HaloBuf *band, int64_t y)
{
    HaloStatus status = HALO_OK;
    const TiffPixels *pixels = &state->pixels;
    const int64_t width = state->reader->info.shape.width;
    const int planes = state->planar ? pixels->samples : 1;
    const size_t pixel_bytes = halo_dtype_size(pixels->dtype) * (size_t)pixels->channels;
    HALO_TRY(take_block(state));
    for (int64_t x = 0; x < width; x += state->block_cols) {
        const int64_t cols = width - x < state->block_cols ? width - x : state->block_cols;
        for (int plane = 0; plane < planes; plane++) {
            HALO_TRY(decode(state, x, y, plane));
            for (int64_t r = 0; r < band->rows; r++) {
                const uint8_t *from = state->block + r * state->row_bytes;
                char *to = (char *)halo_row(band, r) + (size_t)x * pixel_bytes;
                status = halo_tiff_unpack(pixels, from, to, cols, state->planar ? plane : -1, x);
                if (status != HALO_OK) HALO_TRY(halo_fail_at(status, "row %lld", (long long)(y + r)));
            }
        }
    }
    for (int64_t r = 0; r < band->rows && pixels->premultiplied; r++)
        halo_tiff_divide(pixels, halo_row(band, r), width);
out:
    return status;
}

/* Some of the rows of the blocks at row y: into the band that keeps them all. */
static HaloStatus keep(TiffReader *state, int64_t y, int64_t count)
{
    HaloStatus status = HALO_OK;
    if (state->band_at == y) return HALO_OK;
    if (state->band.data == NULL) {
        HaloShape shape = state->reader->info.shape;
        if (state->block_rows < shape.height) shape.height = state->block_rows;
        HALO_TRY(halo_memory_alloc(state->reader->memory, &state->band, &shape));
    }
    state->band.rows = count;
    state->band_at = -1;
    HALO_TRY(fill(state, &state->band, y));
    state->band_at = y;
out:
    return status;
}

HaloStatus halo_tiff_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = reader->state;
    int64_t done = 0;
    *got = 0;
    while (done < rows->rows) {
        const int64_t y = state->given + done, first = y - y % state->block_rows;
        int64_t end = first + state->block_rows;
        if (end > reader->info.shape.height) end = reader->info.shape.height;
        const int64_t count = end - y < rows->rows - done ? end - y : rows->rows - done;
        HaloBuf part = *rows;
        part.data = halo_row(rows, done);
        part.rows = count;
        if (count == end - first) {
            HALO_TRY(fill(state, &part, first));
        } else {
            HALO_TRY(keep(state, first, end - first));
            for (int64_t r = 0; r < count; r++)
                memcpy(halo_row(&part, r), halo_row(&state->band, y - first + r), (size_t)halo_row_bytes(rows));
        }
        done += count;
    }
    *got = done;
    state->given += done;
out:
    return status;
}

void halo_tiff_close(HaloReader *reader)
{
    TiffReader *state = reader->state;
    if (state == NULL) return;
    halo_tiff_shut(&state->guard, state->tiff);
    drop_blocks(state);
    free(state);
    reader->state = NULL;
}
#endif
