/* Reads PNG.
 *
 * No gamma is applied; depths below 8 bits are scaled to 0..255, palettes become RGB and tRNS becomes alpha. An
 * interlaced image is complete only after its last pass, so it is decoded on the first read. Of an animation
 * this is the default image; apng.c reads the others.
 *
 * libpng reads the chunks around the samples. The samples of most images are read by png_rows.c, which is
 * faster, as long as they are valid; libpng reads the others, and starts again from the first sample on any
 * error. So libpng alone decides what is refused, and why. */
#include "bytes/endian.h"
#include "png_pixel.h"
#include "png_rows.h"
#include "pngreader.h"
#include "samples/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text of a kilobyte may expand to gigabytes: limits of one chunk, and of their number. */
#define MAX_CHUNK_BYTES 8388608
#define MAX_CHUNKS 32

/* The largest allocation for a chunk, or for libpng itself, except rows. */
#define MAX_BLOCK_BYTES (MAX_CHUNK_BYTES + 65536)

static void on_read(png_structp png, png_bytep bytes, size_t size)
{
    PngReader *state = png_get_io_ptr(png);
    size_t got;
    HaloStatus status = halo_source_read(state->reader->source, bytes, size, &got);
    if (status == HALO_OK && got < size) {
        if (state->passes == 0)
            status = halo_fail(HALO_ERR_INPUT, "truncated before the first row");
        else if (state->passes == 1)
            status = halo_image_truncated(state->reader, state->row);
        else
            status =
                halo_fail(HALO_ERR_INPUT, "truncated: %d of %d interlace passes", state->pass, state->passes);
    }
    if (status != HALO_OK) {
        state->guard.status = status;
        png_error(png, "");
    }
    if ((png_get_io_state(png) & PNG_IO_CHUNK_HDR) == 0 || size != PNG_HEAD_BYTES) return;
    memcpy(state->head, bytes, size);
    state->palette = state->palette || memcmp(bytes + 4, "PLTE", 4) == 0;
}

/* Chunks that halo does not keep are skipped, not parsed. */
static void skip_chunks(png_structp png)
{
    static const png_byte skipped[] = "bKGD\0hIST\0oFFs\0pCAL\0sCAL\0sPLT\0sTER\0tIME";
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, skipped, (int)(sizeof skipped / 5));
    halo_png_keep_codes(png);
    png_set_chunk_malloc_max(png, MAX_CHUNK_BYTES);
    png_set_chunk_cache_max(png, MAX_CHUNKS);
}

static void describe(HaloInfo *info, png_structp png, png_infop png_info)
{
    const int type = png_get_color_type(png, png_info);
    const char *colour = type == PNG_COLOR_TYPE_PALETTE ? "palette"
                         : type & PNG_COLOR_MASK_COLOR  ? "RGB"
                                                        : "gray";
    const bool interlaced = png_get_interlace_type(png, png_info) != PNG_INTERLACE_NONE;
    snprintf(info->encoding, sizeof info->encoding, "%s%s%s", colour,
             type & PNG_COLOR_MASK_ALPHA ? " with alpha" : "", interlaced ? ", interlaced" : "");
    info->bits = png_get_bit_depth(png, png_info);
}

/* Before anything is read. */
static void set_up(PngReader *state, png_rw_ptr read)
{
    const png_structp png = state->png;
    const bool tolerate = state->reader->options.tolerate;
    png_set_read_fn(png, state, read);
    state->guard.tolerate = tolerate;
    png_set_crc_action(png, tolerate ? PNG_CRC_WARN_USE : PNG_CRC_ERROR_QUIT,
                       tolerate ? PNG_CRC_WARN_USE : PNG_CRC_WARN_DISCARD);
    skip_chunks(png);
}

/* A step: everything before the first row. */
static void read_header(void *arg)
{
    PngReader *state = arg;
    const png_structp png = state->png;
    set_up(state, on_read);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS, (png_const_bytep)HALO_PNG_ANIMATION, 2);
    png_read_info(png, state->info);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep)HALO_PNG_ANIMATION, 2);
    describe(&state->reader->info, png, state->info);

    const bool wide = png_get_bit_depth(png, state->info) == 16;
    png_set_expand(png);
    if (wide && halo_host_is_little()) png_set_swap(png);
    const int type = png_get_color_type(png, state->info);
    const bool alpha =
        (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, state->info, PNG_INFO_tRNS) != 0;
    const int channels = (type & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
    state->guard.status =
        halo_image_open(state->reader, png_get_image_width(png, state->info),
                        png_get_image_height(png, state->info), channels, wide ? HALO_U16 : HALO_U8);
    if (state->guard.status != HALO_OK) return;
    if (alpha) state->reader->info.shape.alpha = channels - 1;
    halo_png_take_colours(state);
    halo_png_take_meta(state);
    /* libpng's row has pixels of up to 64 bits, a filter's byte before them, and some space to align them. */
    const size_t row = ((size_t)state->reader->info.shape.width + 8) * 8 + 4096;
    if (row > state->guard.largest) state->guard.largest = row;
    state->passes = png_set_interlace_handling(png);
}

static HaloStatus create(PngReader *state)
{
    state->png = halo_png_struct(&state->guard, HALO_ERR_INPUT, &state->reader->info.notes);
    state->info = state->png != NULL ? png_create_info_struct(state->png) : NULL;
    return state->info != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory to read PNG");
}

HaloStatus halo_png_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    PngReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read PNG");
    state->reader = reader;
    state->guard.largest = MAX_BLOCK_BYTES;
    HALO_TRY(create(state));
    HALO_TRY(halo_png_guard(&state->guard, read_header, state));
out:
    return status;
}

/* The first step of libpng's way to the samples. */
static void begin_rows(void *arg)
{
    const PngReader *state = arg;
    const HaloShape *shape = &state->reader->info.shape;
    png_read_update_info(state->png, state->info);
    if (png_get_rowbytes(state->png, state->info) !=
        (size_t)(shape->width * shape->channels) * halo_dtype_size(shape->dtype))
        png_error(state->png, "unexpected row size");
}

/* A step: the next rows, or all of an interlaced image; after the last one all that follows it, so that damage
 * behind the rows is found too. Rows that have been given out already are skipped. */
static void decode(void *arg)
{
    PngReader *state = arg;
    const HaloBuf *rows = state->rows;
    for (; state->pass < state->passes; state->pass++) {
        const int64_t first = state->passes == 1 ? state->given : 0;
        while (state->row < first) {
            png_read_row(state->png, NULL, NULL);
            state->row++;
        }
        for (state->row = first; state->row < first + rows->rows; state->row++) {
            png_read_row(state->png, halo_row(rows, state->row - first), NULL);
        }
        if (state->row < state->reader->info.shape.height) return;
    }
    png_read_end(state->png, state->info);
    halo_png_take_meta(state); /* EXIF and text may stand behind the samples */
}

/* ---- behind samples that png_rows.c has read ------------------------------------------------------------- */

/* First the small PNG, then the file. libpng never asks for bytes of two chunks at once. */
static void on_read_pixel(png_structp png, png_bytep bytes, size_t size)
{
    PngReader *state = png_get_io_ptr(png);
    if (state->pixel_at == state->pixel_size) {
        on_read(png, bytes, size);
        return;
    }
    if (size > state->pixel_size - state->pixel_at) png_error(png, "more is read than a chunk holds");
    memcpy(bytes, state->pixel + state->pixel_at, size);
    state->pixel_at += size;
}

/* A step. */
static void read_end(void *arg)
{
    PngReader *state = arg;
    const png_structp png = state->png;
    state->row = state->reader->info.shape.height;
    set_up(state, on_read_pixel);
    png_set_chunk_cache_max(png, state->chunks_left);
    png_read_info(png, state->info);
    png_read_row(png, NULL, NULL);
    png_read_end(png, state->info);
    halo_png_take_meta(state);
}

/* The instance of libpng that has read the header waits for the samples: what it says of chunks behind samples
 * that it has not read differs between its versions (1.6.48 takes no IEND). So another one reads a small PNG of
 * the same kind (png_pixel.c), and goes on behind its samples with the file. */
HaloStatus halo_png_pass_samples(PngReader *state)
{
    HaloStatus status = HALO_OK;
    state->chunks_left = png_get_chunk_cache_max(state->png);
    state->pixel_size =
        halo_png_pixel(png_get_color_type(state->png, state->info), state->palette, state->pixel);
    png_destroy_read_struct(&state->png, &state->info, NULL);
    state->texts = 0;
    HALO_TRY(create(state));
    HALO_TRY(halo_png_guard(&state->guard, read_end, state));
out:
    return status;
}

/* *done: the rows are there, and after the last one all that follows it. Else libpng has to read them. */
static HaloStatus fill_own(PngReader *state, const HaloBuf *rows, bool *done)
{
    HaloStatus status = HALO_OK;
    const bool at_end = state->given + rows->rows == state->reader->info.shape.height;
    if (state->given == 0) state->own = halo_png_rows_new(state);
    *done = state->own != NULL && halo_png_rows_take(state->own, rows) &&
            (!at_end || halo_png_rows_end(state->own));
    if (*done && !at_end) return HALO_OK;
    if (*done)
        status = halo_png_pass_samples(state);
    else if (state->own != NULL)
        status = halo_png_rows_back(state->own);
    halo_png_rows_free(state->own);
    state->own = NULL;
    return status;
}

static HaloStatus fill_by_libpng(PngReader *state, const HaloBuf *rows)
{
    if (state->damaged) {
        halo_rows_clear(rows, 0);
        return HALO_OK;
    }
    /* A pass does not change the pixels of later passes, and a row that cannot be decoded is not changed. */
    if (state->passes > 1 || state->reader->options.tolerate) halo_rows_clear(rows, 0);
    state->rows = rows;
    HaloStatus status = state->begun ? HALO_OK : halo_png_guard(&state->guard, begin_rows, state);
    state->begun = true;
    if (status == HALO_OK) status = halo_png_guard(&state->guard, decode, state);
    if (status != HALO_ERR_INPUT || !state->reader->options.tolerate) return status;
    state->damaged = true;
    halo_image_damaged(state->reader, state->passes == 1 ? state->row : -1);
    return HALO_OK;
}

static HaloStatus fill(PngReader *state, const HaloBuf *rows)
{
    bool done = false;
    const HaloStatus status = state->begun ? HALO_OK : fill_own(state, rows, &done);
    return status != HALO_OK || done ? status : fill_by_libpng(state, rows);
}

HaloStatus halo_png_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    PngReader *state = reader->state;
    *got = 0;
    if (state->passes == 1 || rows->rows == reader->info.shape.height) {
        HALO_TRY(fill(state, rows));
    } else {
        if (state->whole.data == NULL) {
            HALO_TRY(halo_memory_alloc(reader->memory, &state->whole, &reader->info.shape));
            HALO_TRY(fill(state, &state->whole));
        }
        for (int64_t y = 0; y < rows->rows; y++) {
            memcpy(halo_row(rows, y), halo_row(&state->whole, state->given + y), (size_t)halo_row_bytes(rows));
        }
    }
    *got = rows->rows;
    state->given += rows->rows;
out:
    return status;
}

void halo_png_close(HaloReader *reader)
{
    PngReader *state = reader->state;
    if (state == NULL) return;
    halo_png_rows_free(state->own);
    png_destroy_read_struct(&state->png, &state->info, NULL);
    halo_memory_free(reader->memory, &state->whole);
    free(state);
    reader->state = NULL;
}
