/* The file below libtiff: its bytes, and the linked list of its directories. */
#ifdef HALO_HAVE_TIFF
#include "tiffreader.h"

#include <stdio.h>
#include <stdlib.h>

#include "bytes/endian.h"
#include "meta/meta.h"
#include "samples/image.h"

#define MIN_PIECE_BYTES \
    ((int64_t)64 << 20) /* that libtiff may allocate at once, and 4 a pixel where that is more */
#define MAX_PAGES 65535 /* that are counted */

static size_t take(TiffDecoder *decoder, int64_t at, void *bytes, size_t size)
{
    TiffReader *state = decoder->reader;
    size_t got = 0;
    if (decoder->guard.status != HALO_OK) return 0;
    pthread_mutex_lock(&state->lock);
    if (at < state->size) decoder->guard.status = halo_source_seek(state->reader->source, at);
    if (at < state->size && decoder->guard.status == HALO_OK)
        decoder->guard.status = halo_source_read(state->reader->source, bytes, size, &got);
    pthread_mutex_unlock(&state->lock);
    if (got < size) decoder->cut = true;
    return got;
}

bool tiff_get_bytes(void *context, int64_t at, void *bytes, size_t size)
{
    TiffReader *state = context;
    if (at < 0 || at > state->size || (int64_t)size > state->size - at) return false;
    return take(&state->own, at, bytes, size) == size;
}

static tmsize_t on_read(thandle_t handle, void *bytes, tmsize_t size)
{
    TiffDecoder *decoder = handle;
    const size_t got = take(decoder, decoder->at + decoder->reader->behind, bytes, (size_t)size);
    decoder->at += (int64_t)got;
    return (tmsize_t)got;
}

static tmsize_t on_write(thandle_t handle, void *bytes, tmsize_t size)
{
    (void)handle;
    (void)bytes;
    (void)size;
    return -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    TiffDecoder *decoder = handle;
    const int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? decoder->at : decoder->reader->size;
    if (offset > (toff_t)INT64_MAX - (toff_t)base) return (toff_t)-1;
    decoder->at = base + (int64_t)offset;
    return (toff_t)decoder->at;
}

static toff_t on_size(thandle_t handle) { return (toff_t)((TiffDecoder *)handle)->reader->size; }

/* m: never mapped; h: without looking at any directory. */
static void open_decoder(TiffReader *state, TiffDecoder *decoder, const char *mode)
{
    static const TiffStream stream = {.read = on_read, .write = on_write, .seek = on_seek, .size = on_size};
    const int64_t limit = halo_image_limit(state->reader);
    int64_t piece = limit < INT64_MAX / 4 ? 4 * limit : INT64_MAX;
    if (piece < MIN_PIECE_BYTES) piece = MIN_PIECE_BYTES;
    decoder->reader = state;
    decoder->guard.blame = HALO_ERR_INPUT;
    decoder->tiff = halo_tiff_open(&decoder->guard, mode, &stream, decoder, piece);
}

HaloStatus tiff_open_file(TiffReader *state)
{
    HaloReader *reader = state->reader;
    HaloStatus status = HALO_OK;
    const uint8_t *bytes;
    size_t size;
    if (!halo_source_seekable(reader->source)) HALO_TRY(halo_source_slurp(reader->source, &bytes, &size));
    state->size = halo_source_size(reader->source);
    open_decoder(state, &state->own, "rm");
    HALO_TRY(halo_tiff_outcome(&state->own.guard, state->own.tiff != NULL));
    /* libtiff invents the values of tags that it cannot read. */
    if (state->own.cut && !reader->options.tolerate)
        HALO_FAIL(HALO_ERR_INPUT, "truncated: the values of some tags are missing");
out:
    return status;
}

bool tiff_open_helper(TiffReader *state, TiffDecoder *helper)
{
    const uint64_t page = TIFFCurrentDirOffset(state->own.tiff);
    TiffPixels pixels;
    if (helper->page == page) return true;
    if (helper->tiff == NULL) open_decoder(state, helper, "rmh");
    TiffGuard *guard = &helper->guard;
    guard->strict = false;
    const bool there =
        helper->tiff != NULL && TIFFSetSubDirectory(helper->tiff, page) == 1 &&
        halo_tiff_pixels(helper->tiff, false, &pixels) == HALO_OK; /* which sets how colours are given */
    helper->page = there ? page : 0;
    halo_tiff_clear(guard);
    guard->strict = state->own.guard.strict;
    return there && guard->status == HALO_OK && !guard->starved;
}

void tiff_close_decoder(TiffDecoder *decoder)
{
    halo_tiff_shut(&decoder->guard, decoder->tiff);
    free(decoder->block);
    *decoder = (TiffDecoder){0};
}

/* ---- directories ---------------------------------------------------------------------------------------- */

/* Where the directory behind this one stands, 0: it is the last. False where the chain is broken. */
static bool step(TiffReader *state, uint64_t *at)
{
    const bool big = TIFFIsBigTIFF(state->own.tiff), big_endian = TIFFIsBigEndian(state->own.tiff);
    const size_t count_size = big ? 8 : 2, offset_size = big ? 8 : 4, entry_size = big ? 20 : 12;
    uint8_t bytes[8];
    if (take(&state->own, (int64_t)*at, bytes, count_size) < count_size) return false;
    const uint64_t entries = halo_get(bytes, count_size, big_endian);
    if (entries > UINT16_MAX) return false;
    const uint64_t next = *at + count_size + entries * entry_size;
    if (take(&state->own, (int64_t)next, bytes, offset_size) < offset_size) return false;
    *at = halo_get(bytes, offset_size, big_endian);
    return *at < (uint64_t)state->size;
}

static bool is_overview(TiffReader *state, uint64_t at)
{
    const IfdSource from = {tiff_get_bytes, state, TIFFIsBigEndian(state->own.tiff) != 0,
                            TIFFIsBigTIFF(state->own.tiff) != 0};
    IfdEntry entry;
    return ifd_find(&from, (int64_t)at, TIFFTAG_SUBFILETYPE, &entry) &&
           (ifd_number(&from, &entry) & FILETYPE_REDUCEDIMAGE) != 0;
}

HaloStatus tiff_refuse_raw(const TiffReader *state)
{
    uint32_t kind = 0;
    uint16_t below = 0;
    const void *offsets = NULL;
    TIFFGetField(state->own.tiff, TIFFTAG_SUBFILETYPE, &kind);
    if ((kind & FILETYPE_REDUCEDIMAGE) == 0 ||
        TIFFGetField(state->own.tiff, TIFFTAG_SUBIFD, &below, &offsets) == 0 || below == 0)
        return HALO_OK;
    return halo_fail(HALO_ERR_INPUT,
                     "a camera raw, which has a preview as TIFF: dcraw -w -T -6 IN, or darktable-cli IN "
                     "OUT.tif, makes a TIFF of it");
}

/* Do the strips of this page follow one another, as they are? *at: the first. */
static HaloStatus find_samples(TiffReader *state, uint64_t *at, bool *together)
{
    HaloStatus status = HALO_OK;
    TIFF *tiff = state->own.tiff;
    const void *offsets;
    uint32_t height = 0, rows = 0;
    uint16_t compression = COMPRESSION_NONE, planar = PLANARCONFIG_CONTIG;
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    *together = compression == COMPRESSION_NONE && planar == PLANARCONFIG_CONTIG && !TIFFIsTiled(tiff) &&
                height > 0 && rows > 0;
    if (!*together) return HALO_OK;
    state->page_bytes = (int64_t)TIFFVStripSize64(tiff, height);
    HALO_TRY(halo_tiff_value(&state->own.guard, tiff, TIFFTAG_STRIPOFFSETS, NULL, &offsets));
    *together = offsets != NULL && state->page_bytes > 0;
    if (!*together) return HALO_OK;
    *at = ((const uint64_t *)offsets)[0];
    for (uint64_t k = 1, y = rows; y < height; k++, y += rows) {
        const uint64_t there = ((const uint64_t *)offsets)[k];
        *together = *together && there == *at + TIFFVStripSize64(tiff, (uint32_t)y);
    }
out:
    return status;
}

/* How many pages of samples the file has from `at` on, at most; its directory is not among them. */
static int64_t count_stacked(const TiffReader *state, uint64_t at)
{
    const uint64_t directory = TIFFCurrentDirOffset(state->own.tiff);
    const uint64_t end = directory > at ? directory : (uint64_t)state->size;
    const int64_t pages = at < end ? (int64_t)(end - at) / state->page_bytes : 0;
    return pages > 1 ? pages : 1;
}

HaloStatus tiff_find_stack(TiffReader *state)
{
    HaloStatus status = HALO_OK;
    const void *text;
    uint64_t at = TIFFCurrentDirOffset(state->own.tiff);
    int64_t claimed, pages;
    bool together;
    if (!step(state, &at) || at != 0) return HALO_OK;
    HALO_TRY(halo_tiff_value(&state->own.guard, state->own.tiff, TIFFTAG_IMAGEDESCRIPTION, NULL, &text));
    claimed = text != NULL ? halo_imagej_pages(text) : 1;
    if (claimed <= 1) return HALO_OK;
    HALO_TRY(find_samples(state, &at, &together));
    pages = together ? count_stacked(state, at) : 1;
    if (pages < claimed) state->missing = (uint64_t)(claimed - pages);
    state->stacked = pages < claimed ? pages : claimed;
out:
    return status;
}

int64_t tiff_count_pages(TiffReader *state, bool *overviews)
{
    uint64_t at = TIFFCurrentDirOffset(state->own.tiff);
    int64_t pages = 1;
    *overviews = false;
    if (state->stacked > 0) return state->stacked;
    for (int directories = 1; directories < MAX_PAGES && step(state, &at) && at != 0; directories++) {
        const bool overview = is_overview(state, at);
        *overviews |= overview;
        pages += !overview;
    }
    return pages;
}

bool tiff_more_pages(TiffReader *state)
{
    uint64_t at = TIFFCurrentDirOffset(state->own.tiff);
    if (state->stacked > 0) return state->behind + state->page_bytes < state->stacked * state->page_bytes;
    for (int directories = 0; directories < MAX_PAGES; directories++) {
        if (!step(state, &at)) return !TIFFLastDirectory(state->own.tiff);
        if (at == 0 || !is_overview(state, at)) return at != 0;
    }
    return false;
}

/* libtiff reads whole directories; going over many of them is for step(). */
static bool go_far(TiffReader *state, int64_t pages)
{
    uint64_t at = TIFFCurrentDirOffset(state->own.tiff);
    for (int directories = 0; pages > 0; directories++) {
        if (directories == MAX_PAGES || !step(state, &at) || at == 0) return false;
        pages -= !is_overview(state, at);
    }
    return TIFFSetSubDirectory(state->own.tiff, at) == 1;
}

bool tiff_go_ahead(TiffReader *state, int64_t pages)
{
    if (state->stacked > 0) {
        state->behind += pages * state->page_bytes;
        return true;
    }
    if (pages > 1) return go_far(state, pages);
    do {
        if (TIFFReadDirectory(state->own.tiff) != 1) return false;
    } while (is_overview(state, TIFFCurrentDirOffset(state->own.tiff)));
    return true;
}
#endif
