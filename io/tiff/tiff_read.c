/* Reads TIFF page by page, in strips or tiles, samples interleaved or in planes. ImageJ's stacks beyond 4 GB
 * have a single directory; the other pages that their description counts follow in the file.
 *
 * Blocks (strips, tiles) are decoded whole, some rows of them at a time. Depths below 8 bits are scaled to
 * 0..255, those from 9 to 15 to 0..65535; palettes become RGB, white-is-zero is inverted. Premultiplied colours
 * are divided by their alpha, rounded to nearest and saturated; where alpha is 0 they are 0. */
#ifdef HALO_HAVE_TIFF
#include "meta/grid.h"
#include "tifffile.h"

#include <float.h>
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
    const int64_t page = state->reader->options.image;
    bool overviews = false;
    info->images = page == 0 ? tiff_count_pages(state, &overviews) : page + 1;
    if (info->images == page + 1 && tiff_more_pages(state)) info->images++;
    snprintf(info->encoding, sizeof info->encoding, "%s%s, %s%s%s%s", pixels->colour,
             pixels->is_signed ? ", signed" : "", state->tiled ? "tiles" : "strips",
             overviews ? ", overviews" : "", state->planar ? ", planes" : "",
             TIFFIsBigTIFF(state->own.tiff) ? ", BigTIFF" : "");
    info->bits = pixels->bits;
    info->real = pixels->real;
    const bool whole = pixels->bits == 1 || pixels->bits == 8 || pixels->bits >= 16;
    info->most = pixels->real || pixels->palette || whole ? 0 : (uint16_t)((1 << pixels->bits) - 1);
    info->stored = pixels->is_signed ? HALO_STORED_SIGNED
                   : pixels->real    ? HALO_STORED_FLOAT
                                     : HALO_STORED_UNSIGNED;
    if (pixels->dtype == HALO_F32 && (pixels->bits == 64 || (pixels->bits == 32 && pixels->whole)))
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)pixels->bits);
    if (page == 0) halo_note(&info->notes, HALO_NOTE_MISSING, state->missing);
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
    state->tiled = TIFFIsTiled(state->own.tiff);
    if (state->tiled) {
        TIFFGetField(state->own.tiff, TIFFTAG_TILEWIDTH, &cols);
        TIFFGetField(state->own.tiff, TIFFTAG_TILELENGTH, &rows);
        row_bytes = TIFFTileRowSize64(state->own.tiff);
        block_bytes = TIFFTileSize64(state->own.tiff);
    } else {
        TIFFGetFieldDefaulted(state->own.tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        if (rows > shape->height) rows = (uint32_t)shape->height;
        row_bytes = TIFFScanlineSize64(state->own.tiff);
        block_bytes = TIFFVStripSize64(state->own.tiff, rows);
    }
    /* A tile may be larger than a small image, but not much larger than any image may be. */
    if (cols == 0 || rows == 0 || !halo_mul(cols, rows, &block_pixels) ||
        !halo_image_fits(state->reader, block_pixels > LARGE_TILE ? block_pixels - LARGE_TILE : 0, samples) ||
        row_bytes > INT64_MAX || block_bytes > INT64_MAX ||
        (int64_t)row_bytes < ((int64_t)cols * samples * state->pixels.bits + 7) / 8 ||
        (int64_t)block_bytes / (int64_t)row_bytes < (int64_t)rows) {
        return halo_fail(HALO_ERR_INPUT, "TIFF: invalid %s of %lld x %lld pixels",
                         state->tiled ? "tiles" : "strips", (long long)cols, (long long)rows);
    }
    state->block_cols = cols;
    state->block_rows = rows;
    state->row_bytes = (int64_t)row_bytes;
    state->block_bytes = (int64_t)block_bytes;
    state->across = (shape->width + cols - 1) / cols * (state->planar ? state->pixels.samples : 1);
    return HALO_OK;
}

/* White of floats is 1, unless the tags give another maximum, which then is white; if that is the maximum of
 * the type, they are numbers. */
static void take_scale(const TiffReader *state, HaloShape *shape)
{
    const TiffPixels *pixels = &state->pixels;
    double most;
    shape->numbers = pixels->whole;
    if (!pixels->real || pixels->inverted || pixels->premultiplied) return;
    if (!TIFFGetField(state->own.tiff, TIFFTAG_SMAXSAMPLEVALUE, &most) || !(most > 0)) return;
    shape->numbers = most >= (double)FLT_MAX;
    if (!shape->numbers && (float)most > 0.0f) shape->white = (float)most;
}

static HaloStatus look_at_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    uint32_t width = 0, height = 0;
    uint16_t planar = PLANARCONFIG_CONTIG;
    TiffReader *state = reader->state;
    state->given = 0;
    HALO_TRY(halo_tiff_pixels(state->own.tiff, reader->options.wide, &state->pixels));
    TIFFGetField(state->own.tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(state->own.tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(state->own.tiff, TIFFTAG_PLANARCONFIG, &planar);
    HALO_TRY(halo_image_open(reader, width, height, state->pixels.channels, state->pixels.dtype));
    take_scale(state, &reader->info.shape);
    if (state->pixels.alpha) reader->info.shape.alpha = state->pixels.channels - 1;
    state->planar = planar == PLANARCONFIG_SEPARATE && state->pixels.samples > 1;
    HALO_TRY(measure_blocks(state));
    HALO_TRY(halo_tiff_take_meta(&state->own.guard, state->own.tiff, &reader->info.meta));
    reader->info.meta.grid = state->grid;
    if (state->grid.known) halo_grid_move_page(&reader->info.meta.grid, reader->options.image);
    const IfdSource exif = {tiff_get_bytes, state, TIFFIsBigEndian(state->own.tiff) != 0,
                            TIFFIsBigTIFF(state->own.tiff) != 0};
    HALO_TRY(halo_tiff_take_exif(state->own.tiff, &exif, &reader->info.meta.exif));
    HALO_TRY(halo_tiff_take_iptc(state->own.tiff, &exif, &reader->info.meta.iptc));
    HALO_TRY(halo_tiff_take_geo(state->own.tiff, &exif, &reader->info.meta));
    describe(state);
    HALO_TRY(halo_tiff_outcome(&state->own.guard, true)); /* no tag was left out for want of memory */
    /* In these functions libtiff warns of damage and continues with invented samples; elsewhere it warns of
     * unusual tags. */
    state->own.guard.strict = state->pixels.warns && !reader->options.tolerate;
    halo_tiff_clear(&state->own.guard);
out:
    return status;
}

/* The page that options.image names, which is a later one. */
static HaloStatus go_to_page(HaloReader *reader)
{
    TiffReader *state = reader->state;
    const int64_t pages = reader->options.image - state->page;
    state->page = reader->options.image;
    return halo_tiff_outcome(&state->own.guard, tiff_go_ahead(state, pages));
}

/* ImageJ describes all pages by the first. */
static HaloStatus take_grid(TiffReader *state)
{
    HaloStatus status = HALO_OK;
    const void *text;
    HaloMeta meta = {0};
    HALO_TRY(halo_tiff_value(&state->own.guard, state->own.tiff, TIFFTAG_IMAGEDESCRIPTION, NULL, &text));
    if (text == NULL || strncmp(text, "ImageJ=", 7) != 0) return HALO_OK;
    HALO_TRY(halo_tiff_take_meta(&state->own.guard, state->own.tiff, &meta));
    halo_imagej_grid(&meta, &state->grid);
out:
    halo_meta_free(&meta);
    return status;
}

HaloStatus halo_tiff_read_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = NULL;
    HALO_TRY(tiff_load());
    state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read TIFF");
    state->reader = reader;
    pthread_mutex_init(&state->lock, NULL);
    HALO_TRY(tiff_open_file(state));
    HALO_TRY(tiff_refuse_raw(state));
    HALO_TRY(tiff_find_stack(state));
    HALO_TRY(take_grid(state));
    if (reader->options.image > 0) HALO_TRY(go_to_page(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

HaloStatus halo_tiff_next(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = reader->state;
    tiff_drop_blocks(state);
    state->own.guard.strict = false;
    halo_tiff_clear(&state->own.guard);
    HALO_TRY(go_to_page(reader));
    HALO_TRY(look_at_page(reader));
out:
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* The columns of the blocks that these lie in, as far as the image has them. */
static void find_columns(const TiffReader *state, const HaloBuf *rows, int64_t *first, int64_t *end)
{
    const int64_t width = state->reader->info.shape.width, cols = state->block_cols;
    *first = rows->x0 - rows->x0 % cols;
    *end = (rows->x0 + rows->cols + cols - 1) / cols * cols;
    if (*end > width) *end = width;
}

/* Blocks from row y on, which begins a row of them, with all columns of `rows`: into the band, which keeps
 * them. */
static HaloStatus fill_band(TiffReader *state, const HaloBuf *rows, int64_t y)
{
    HaloStatus status = HALO_OK;
    const int64_t most = state->together * state->block_rows, left = state->reader->info.shape.height - y;
    int64_t first, end;
    find_columns(state, rows, &first, &end);
    if (state->band.data == NULL) {
        HaloShape shape = state->reader->info.shape;
        if (most < shape.height) shape.height = most;
        shape.width = end - first;
        HALO_TRY(halo_memory_alloc(state->reader->memory, &state->band, &shape));
        state->band.x0 = first;
    }
    state->band.rows = left < most ? left : most;
    state->band_at = y;
    const HaloStatus decoded = tiff_decode(state, &state->band, y, &state->ready);
    if (decoded != HALO_OK) halo_failure_keep(&state->failure, decoded);
out:
    return status;
}

/* Rows from y on into `rows`; *got: how many of them. */
static HaloStatus give(TiffReader *state, const HaloBuf *rows, int64_t y, int64_t *got)
{
    HaloStatus status = HALO_OK;
    const int64_t height = state->reader->info.shape.height, block = state->block_rows;
    const int64_t whole = y + rows->rows == height ? rows->rows : rows->rows - rows->rows % block;
    const bool kept = state->band_at >= 0 && y >= state->band_at && y < state->band_at + state->band.rows;
    int64_t first, end;
    find_columns(state, rows, &first, &end);
    const bool blocks = first == rows->x0 && end == rows->x0 + rows->cols;
    if (!kept && blocks && y % block == 0 && (whole >= state->together * block || y + whole == height)) {
        HaloBuf part = *rows;
        int64_t good;
        part.rows = *got = whole;
        return tiff_decode(state, &part, y, &good);
    }
    if (!kept) HALO_TRY(fill_band(state, rows, y - y % block));
    const int64_t at = y - state->band_at, there = state->ready - at;
    const int64_t pixel = rows->shape.channels * (int64_t)halo_dtype_size(rows->shape.dtype);
    const int64_t from = (rows->x0 - state->band.x0) * pixel;
    if (there <= 0) return halo_failure_again(&state->failure);
    *got = there < rows->rows ? there : rows->rows;
    for (int64_t r = 0; r < *got; r++)
        memcpy(halo_row(rows, r), (char *)halo_row(&state->band, at + r) + from, (size_t)halo_row_bytes(rows));
out:
    return status;
}

HaloStatus halo_tiff_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    TiffReader *state = reader->state;
    HALO_TRY(tiff_take_blocks(state));
    state->pixels.dtype = rows->shape.dtype; /* f32, where no more is wanted */
    for (*got = 0; *got < rows->rows;) {
        HaloBuf rest = *rows;
        int64_t more = 0;
        rest.data = halo_row(rows, *got);
        rest.rows = rows->rows - *got;
        HALO_TRY(give(state, &rest, state->given, &more));
        *got += more;
        state->given += more;
    }
out:
    return status;
}

HaloStatus halo_tiff_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    TiffReader *state = reader->state;
    state->given += *skipped = rows;
    return HALO_OK;
}

void halo_tiff_close(HaloReader *reader)
{
    TiffReader *state = reader->state;
    if (state == NULL) return;
    tiff_drop_blocks(state);
    halo_pool_free(state->pool);
    for (int i = 0; i < state->helpers; i++) tiff_close_decoder(&state->helper[i]);
    tiff_close_decoder(&state->own);
    free(state->helper);
    pthread_mutex_destroy(&state->lock);
    free(state);
    reader->state = NULL;
}
#endif
