/* The file below libtiff: its bytes, and the chain of its directories. */
#ifdef HALO_HAVE_TIFF
#include "tiffreader.h"

#include <stdio.h>

#include "bytes/endian.h"
#include "samples/image.h"

#define MIN_PIECE_BYTES \
    ((int64_t)64 << 20) /* that libtiff may allocate at once, and 4 a pixel where that is more */
#define MAX_PAGES 1000 /* that are counted */

static size_t take(TiffReader *state, int64_t at, void *bytes, size_t size)
{
    size_t got = 0;
    if (state->guard.status != HALO_OK) return 0;
    if (at < state->size) state->guard.status = halo_source_seek(state->reader->source, at);
    if (at < state->size && state->guard.status == HALO_OK)
        state->guard.status = halo_source_read(state->reader->source, bytes, size, &got);
    if (got < size) state->cut = true;
    return got;
}

bool tiff_get_bytes(void *context, int64_t at, void *bytes, size_t size)
{
    TiffReader *state = context;
    if (at < 0 || at > state->size || (int64_t)size > state->size - at) return false;
    return take(state, at, bytes, size) == size;
}

static tmsize_t on_read(thandle_t handle, void *bytes, tmsize_t size)
{
    TiffReader *state = handle;
    const size_t got = take(state, state->at, bytes, (size_t)size);
    state->at += (int64_t)got;
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
    TiffReader *state = handle;
    const int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? state->at : state->size;
    if (offset > (toff_t)INT64_MAX - (toff_t)base) return (toff_t)-1;
    state->at = base + (int64_t)offset;
    return (toff_t)state->at;
}

static toff_t on_size(thandle_t handle) { return (toff_t)((TiffReader *)handle)->size; }

HaloStatus tiff_open_file(TiffReader *state)
{
    static const TiffStream stream = {.read = on_read, .write = on_write, .seek = on_seek, .size = on_size};
    HaloReader *reader = state->reader;
    HaloStatus status = HALO_OK;
    const int64_t limit = halo_image_limit(reader);
    const uint8_t *bytes;
    size_t size;
    if (!halo_source_seekable(reader->source)) HALO_TRY(halo_source_slurp(reader->source, &bytes, &size));
    state->size = halo_source_size(reader->source);
    int64_t piece = limit < INT64_MAX / 4 ? 4 * limit : INT64_MAX;
    if (piece < MIN_PIECE_BYTES) piece = MIN_PIECE_BYTES;
    state->tiff = halo_tiff_open(&state->guard, "rm", &stream, state, piece); /* m: never mapped */
    HALO_TRY(halo_tiff_outcome(&state->guard, state->tiff != NULL));
    /* libtiff guesses the values of tags that it cannot read. */
    if (state->cut && !reader->options.tolerate)
        HALO_FAIL(HALO_ERR_INPUT, "truncated: the values of some tags are missing");
out:
    return status;
}

int tiff_count_pages(TiffReader *state)
{
    const bool big = TIFFIsBigTIFF(state->tiff), big_endian = TIFFIsBigEndian(state->tiff);
    const size_t count_size = big ? 8 : 2, offset_size = big ? 8 : 4, entry_size = big ? 20 : 12;
    uint64_t at = TIFFCurrentDirOffset(state->tiff);
    uint8_t bytes[8];
    int pages = 0;
    while (at != 0 && pages < MAX_PAGES && at < (uint64_t)state->size) {
        if (take(state, (int64_t)at, bytes, count_size) < count_size) break;
        const uint64_t entries = halo_get(bytes, count_size, big_endian);
        pages++;
        if (entries > UINT16_MAX) break;
        const uint64_t next = at + count_size + entries * entry_size;
        if (take(state, (int64_t)next, bytes, offset_size) < offset_size) break;
        at = halo_get(bytes, offset_size, big_endian);
    }
    return pages;
}
#endif
