/* Writes TIFF: samples of 8 and 16 bits, floats of 32 and 64, and others that were only moved from a TIFF or an
 * array, in strips or tiles, Deflate; BigTIFF if 4 GiB are not enough.
 * Integers use the horizontal predictor, floats none. */
#ifdef HALO_HAVE_TIFF
#include "bytes/spool.h"
#include "meta/grid.h"
#include "samples/bilevel.h"
#include "samples/image.h"
#include "samples/stored.h"
#include "tiffwriter.h"

#include <stdlib.h>
#include <string.h>

#define PYRAMID_TILE 256 /* the default */
#define CLASSIC_BYTES \
    4000000000 /* of samples that a file with 32-bit offsets surely holds, if they do not shrink */

typedef struct TiffWriter {
    TiffGuard guard;
    HaloWriter *writer;
    TIFF *tiff;
    int64_t at, end; /* in the file */
    int64_t sink_at; /* a sink that can seek: where it stands */
    HaloSpool held;  /* one that cannot: the file so far */
    TiffLevels page;
    bool bilevel; /* samples are written as bits */
    bool again;   /* samples are written in the type that they were read in */
    uint8_t *row; /* of these */
} TiffWriter;

/* ---- libtiff's file ------------------------------------------------------------------------------------- */

static HaloStatus pass_on(TiffWriter *state, const void *bytes, int64_t size)
{
    HaloStatus status = HALO_OK;
    if (state->at != state->sink_at) HALO_TRY(halo_sink_seek(state->writer->sink, state->at));
    HALO_TRY(halo_sink_write(state->writer->sink, bytes, (size_t)size));
    state->sink_at = state->at + size;
out:
    return status;
}

static tmsize_t on_write(thandle_t handle, void *bytes, tmsize_t size)
{
    TiffWriter *state = handle;
    if (state->guard.status != HALO_OK) return -1;
    const bool seekable = halo_sink_seekable(state->writer->sink);
    state->guard.status =
        seekable ? pass_on(state, bytes, size) : halo_spool_write(&state->held, state->at, bytes, (size_t)size);
    if (state->guard.status != HALO_OK) return -1;
    state->at += size;
    if (state->at > state->end) state->end = state->at;
    return size;
}

/* Where the directory of the image before stands, to hang one more on. */
static tmsize_t on_read(thandle_t handle, void *bytes, tmsize_t size)
{
    TiffWriter *state = handle;
    size_t got = 0;
    if (state->guard.status != HALO_OK || state->at >= state->end) return 0;
    if (halo_sink_seekable(state->writer->sink)) {
        state->guard.status = halo_sink_read(state->writer->sink, state->at, bytes, (size_t)size, &got);
    } else {
        got = (size_t)(state->end - state->at < size ? state->end - state->at : size);
        memcpy(bytes, state->held.bytes + state->at, got);
    }
    state->at += (int64_t)got;
    return state->guard.status == HALO_OK ? (tmsize_t)got : -1;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    TiffWriter *state = handle;
    const int64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? state->at : state->end;
    if (offset > (toff_t)INT64_MAX - (toff_t)base) return (toff_t)-1;
    state->at = base + (int64_t)offset;
    return (toff_t)state->at;
}

static toff_t on_size(thandle_t handle) { return (toff_t)((TiffWriter *)handle)->end; }

static const TiffStream stream = {.read = on_read, .write = on_write, .seek = on_seek, .size = on_size};

/* ---- the format's functions ----------------------------------------------------------------------------- */

static HaloStatus open_file(HaloWriter *writer, int64_t bytes)
{
    const int64_t images = writer->info.images;
    TiffWriter *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write TIFF");
    state->writer = writer;
    state->held.memory = writer->memory;
    state->guard.blame = HALO_ERR_OUTPUT;
    if (images > 1) bytes = bytes <= INT64_MAX / images ? bytes * images : INT64_MAX;
    /* Little-endian on every machine: the same file from all. */
    state->tiff = halo_tiff_open(&state->guard, bytes > CLASSIC_BYTES ? "wl8" : "wl", &stream, state, 0);
    return halo_tiff_outcome(&state->guard, state->tiff != NULL);
}

/* Overviews are made of samples as they are in memory. */
static bool writes_again(const HaloWriter *writer)
{
    return halo_stored_again(writer) && writer->info.stored != HALO_STORED_BOOL && writer->info.bits <= 32 &&
           !writer->options.pyramid;
}

static TiffSamples samples_of(const HaloWriter *writer)
{
    const HaloInfo *info = &writer->info;
    const bool real = info->shape.dtype > HALO_U16;
    if (writer->options.bits == 1) return (TiffSamples){1, SAMPLEFORMAT_UINT};
    if (!writes_again(writer))
        return (TiffSamples){8 * (int)halo_dtype_size(info->shape.dtype),
                             real ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT};
    return (TiffSamples){info->bits, info->stored == HALO_STORED_FLOAT    ? SAMPLEFORMAT_IEEEFP
                                     : info->stored == HALO_STORED_SIGNED ? SAMPLEFORMAT_INT
                                                                          : SAMPLEFORMAT_UINT};
}

static HaloStatus take_row(TiffWriter *state, const HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    state->again = writes_again(writer);
    free(state->row);
    state->bilevel = writer->options.bits == 1;
    const bool own = state->again || state->bilevel;
    state->row = own ? malloc((size_t)(shape->width * shape->channels) * 8) : NULL;
    return state->row != NULL || !own ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to write TIFF");
}

/* The first image, or one more. */
HaloStatus halo_tiff_create(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    const HaloWriteOptions *options = &writer->options;
    HaloStatus status = HALO_OK;
    TiffLevels page;
    int64_t bytes;
    HALO_TRY(tiff_load());
    if (options->bits == 1 && (options->tile > 0 || options->pyramid))
        HALO_FAIL(HALO_ERR_USAGE, "--bits 1 is for TIFF in strips: leave out --tile and --pyramid");
    HALO_TRY(halo_shape_bytes(shape, &bytes));
    const int64_t row_bytes = bytes / shape->height;
    if (shape->width > INT32_MAX || shape->height > INT32_MAX || shape->channels > UINT16_MAX ||
        row_bytes > INT32_MAX) {
        HALO_FAIL(HALO_ERR_OUTPUT, "TIFF cannot hold %lld x %lld pixels with %d channels",
                  (long long)shape->width, (long long)shape->height, shape->channels);
    }
    const int tile = options->tile == 0 && options->pyramid ? PYRAMID_TILE : options->tile;
    HALO_TRY(tiff_levels_plan(&page, shape, samples_of(writer), tile, options->pyramid, &bytes));
    if (writer->state == NULL) HALO_TRY(open_file(writer, bytes));
    TiffWriter *state = writer->state;
    page.press = state->page.press;
    state->page.press = (TiffPress){0};
    tiff_levels_free(&state->page);
    state->page = page;
    HALO_TRY(take_row(state, writer));
    HALO_TRY(tiff_levels_new(&state->page, writer->memory, writer->jobs, options->effort));
    HALO_TRY(halo_tiff_outcome(&state->guard,
                               tiff_set_layout(&state->guard, state->tiff, &state->page.level[0].layout)));
    HALO_TRY(halo_imagej_describe(&writer->info.meta, writer->changes.pages, &writer->notes));
    HALO_TRY(halo_tiff_put_meta(&state->guard, state->tiff, &writer->info, &writer->notes));
    HALO_TRY(halo_tiff_outcome(&state->guard, true)); /* unless it was for want of memory */
    halo_tiff_clear(&state->guard);
out:
    return status;
}

HaloStatus halo_tiff_write(HaloWriter *writer, const HaloBuf *rows)
{
    TiffWriter *state = writer->state;
    HaloStatus status = HALO_OK;
    for (int64_t y = 0; y < rows->rows; y++) {
        const void *row = state->again || state->bilevel ? state->row : halo_row(rows, y);
        if (state->bilevel)
            HALO_TRY(halo_pack_bits(&writer->info.shape, halo_row(rows, y), rows->y0 + y, state->row));
        if (state->again)
            halo_stored_convert(&writer->info, rows, y, 0, rows->cols * rows->shape.channels, state->row,
                                &writer->clipped);
        HALO_TRY(tiff_levels_put(&state->page, &state->guard, state->tiff, row));
    }
out:
    return status;
}

/* EXIF's directories follow the samples; libtiff puts the image's own after them. */
static HaloStatus put_exif(TiffWriter *state)
{
    HaloStatus status = HALO_OK;
    HaloBlob bytes = {0};
    const int64_t end = state->end + state->end % 2;
    HALO_TRY(halo_tiff_put_exif(&state->guard, state->tiff, &state->writer->info.meta.exif, end, &bytes));
    state->at = state->end;
    if (bytes.size > 0 && end > state->end) on_write(state, (uint8_t[1]){0}, 1);
    if (bytes.size > 0) on_write(state, bytes.data, (tmsize_t)bytes.size);
    status = state->guard.status;
out:
    free(bytes.data);
    return status;
}

HaloStatus halo_tiff_finish(HaloWriter *writer)
{
    TiffWriter *state = writer->state;
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_imagej_describe(&writer->info.meta, writer->changes.pages, &writer->notes));
    HALO_TRY(halo_tiff_put_meta(&state->guard, state->tiff, &writer->info,
                                &writer->notes)); /* some may have stood behind the input's samples */
    HALO_TRY(put_exif(state));
    HALO_TRY(halo_tiff_outcome(&state->guard, true));
    halo_tiff_clear(&state->guard);
    HALO_TRY(halo_tiff_outcome(&state->guard, TIFFWriteDirectory(state->tiff) == 1));
    HALO_TRY(tiff_levels_end(&state->page, &state->guard, state->tiff));
out:
    return status;
}

HaloStatus halo_tiff_end(HaloWriter *writer)
{
    const TiffWriter *state = writer->state;
    if (state == NULL || halo_sink_seekable(writer->sink)) return HALO_OK;
    return halo_sink_write(writer->sink, state->held.bytes, (size_t)state->end);
}

void halo_tiff_discard(HaloWriter *writer)
{
    TiffWriter *state = writer->state;
    if (state == NULL) return;
    if (state->guard.status == HALO_OK) state->guard.status = HALO_ERR_OUTPUT; /* nothing more may be written */
    halo_tiff_shut(&state->guard, state->tiff);
    halo_spool_free(&state->held);
    tiff_levels_free(&state->page);
    free(state->row);
    free(state);
    writer->state = NULL;
}
#endif
