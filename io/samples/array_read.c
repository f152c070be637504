/* Reads arrays: dimensions in any order (--axes), and every sample type that converts to f32 or f64. */
#include "array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/beside.h"
#include "image.h"
#include "meta/grid.h"

static float white_of(const HaloArrayHead *head)
{
    if (head->kind == 'b' || head->scaled || (head->kind == 'i' && head->counts)) return 1.0f;
    if (head->kind == 'i' && head->size == 1) return 127.0f;
    if (head->kind == 'i' && head->size == 2) return 32767.0f;
    return halo_dtype_white(halo_array_dtype(head));
}

static void describe(HaloInfo *info, const HaloArrayHead *head, bool wide)
{
    const char *kind = head->kind == 'b'   ? "bool"
                       : head->kind == 'u' ? "unsigned"
                       : head->kind == 'i' ? "signed"
                                           : "float";
    info->bits = head->size * 8;
    info->real = head->kind == 'f' || head->scaled;
    info->scaled = head->scaled && head->kind != 'f';
    info->stored = head->scaled        ? HALO_STORED_USUAL
                   : head->kind == 'b' ? HALO_STORED_BOOL
                   : head->kind == 'u' ? HALO_STORED_UNSIGNED
                   : head->kind == 'i' ? HALO_STORED_SIGNED
                                       : HALO_STORED_FLOAT;
    snprintf(info->encoding, sizeof info->encoding, "%d-bit %s%s%s", info->bits, kind,
             head->size == 1 ? ""
             : head->little  ? ", little-endian"
                             : ", big-endian",
             head->scaled ? ", scaled" : "");
    if (halo_array_is_wide(head) && wide)
        info->shape.dtype = HALO_F64;
    else if (halo_array_is_wide(head))
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
}

/* The page that options.image names. */
static HaloStatus begin_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    const HaloArrayHead *head = &state->head;
    const HaloArrayLayout *layout = &state->layout;
    state->row = 0;
    HALO_TRY(halo_array_lay_out(head, reader->options.axes, &state->layout));
    HALO_TRY(halo_image_open(reader, layout->column.length, layout->row.length, (int)layout->channel.length,
                             halo_array_dtype(head)));
    reader->info.shape.white = white_of(head);
    if (head->axes.alpha && layout->channel.length > 1)
        reader->info.shape.alpha = (int)layout->channel.length - 1;
    reader->info.shape.numbers =
        halo_array_dtype(head) == HALO_F32 && white_of(head) == 1.0f && head->kind != 'b';
    reader->info.images = layout->pages > 1 ? layout->pages : 0;
    describe(&reader->info, head, reader->options.wide);
    HALO_TRY(halo_meta_copy(&state->meta, &reader->info.meta));
    if (!halo_array_arrange_grid(head, layout, &reader->info.meta.grid))
        halo_note_outdated(&reader->info.notes, HALO_OUTDATED_GRID);
    halo_grid_move_page(&reader->info.meta.grid, reader->options.image);
out:
    return status;
}

/* In their own units. With --tolerate there may be fewer frames than the header says; but not if the samples of
 * a frame are far apart. */
HaloStatus halo_array_open_series(HaloReader *reader)
{
    HaloArrayReader *state = reader->state;
    const HaloArrayLayout *layout = &state->layout;
    const HaloStatus status = halo_array_lay_out_series(&state->head, &state->layout);
    if (status != HALO_OK) return status;
    state->series = true;
    reader->info.shape =
        (HaloShape){.kind = HALO_AUDIO,
                    .dtype = HALO_F32,
                    .width = reader->options.tolerate && layout->plain ? -1 : layout->column.length,
                    .height = 1,
                    .channels = (int)layout->channel.length,
                    .alpha = -1,
                    .white = 1.0f,
                    .numbers = true,
                    .rate = reader->options.rate};
    reader->info.rate_said = true;
    describe(&reader->info, &state->head, reader->options.wide);
    return HALO_OK;
}

static int64_t line_bytes(const HaloReader *reader)
{
    return reader->info.shape.width * (int64_t)sizeof(double);
}

/* Samples that are not in order are read by random access. */
static HaloStatus seek_page(HaloReader *reader)
{
    const HaloArrayReader *state = reader->state;
    if (!state->layout.plain) return HALO_OK;
    return halo_array_seek(reader, halo_array_page(&state->layout, reader->options.image));
}

HaloStatus halo_array_new(HaloReader *reader, HaloArrayReader **state)
{
    *state = reader->state = calloc(1, sizeof **state);
    if (*state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read an array");
    (*state)->source = reader->source;
    return HALO_OK;
}

HaloStatus halo_array_inflate(HaloReader *reader, HaloDeflated how, int64_t packed)
{
    HaloArrayReader *state = reader->state;
    HaloSource *source;
    const bool owns = state->source != reader->source;
    const HaloStatus status = halo_source_inflate(state->source, owns, how, packed, &source);
    state->source = status == HALO_OK ? source : reader->source;
    return status;
}

static HaloStatus skip_lines(HaloSource *source, int64_t lines)
{
    while (lines > 0) {
        char c;
        size_t got;
        const HaloStatus status = halo_source_read(source, &c, 1, &got);
        if (status != HALO_OK) return status;
        if (got == 0) return halo_fail(HALO_ERR_INPUT, "truncated: no samples");
        lines -= c == '\n';
    }
    return HALO_OK;
}

/* The samples end with their file. */
static HaloStatus find_last(HaloArrayReader *state)
{
    if (!halo_source_seekable(state->source))
        return halo_fail(HALO_ERR_INPUT, "its samples are found from the end: give it as a file");
    state->start = halo_source_size(state->source) - halo_array_bytes(&state->head);
    if (state->start < halo_source_tell(state->source))
        return halo_fail(HALO_ERR_INPUT, "truncated: the file is smaller than its samples");
    return HALO_OK;
}

HaloStatus halo_array_find(HaloReader *reader, const HaloArrayPlace *place)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    if (*place->file != 0) {
        HaloSource *beside;
        HALO_TRY(halo_source_open_beside(reader->source, place->file, &beside));
        state->source = beside;
    }
    HALO_TRY(skip_lines(state->source, place->lines));
    if (place->compressed) HALO_TRY(halo_array_inflate(reader, HALO_GZIP_OR_ZLIB, INT64_MAX));
    state->start = halo_source_tell(state->source) + place->bytes;
    if (place->bytes < 0) HALO_TRY(find_last(state));
    HALO_TRY(halo_array_seek(reader, 0));
out:
    return status;
}

HaloStatus halo_array_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    const bool seeks = halo_source_seekable(state->source);
    HALO_TRY(begin_page(reader));
    if (reader->options.image > 0) HALO_TRY(seek_page(reader));
    state->by_channel = !state->layout.plain && state->layout.column.step == 1 && seeks;
    reader->keeps_all = reader->info.images > 1 && (state->layout.plain ? !seeks : !state->by_channel);
    if (!state->by_channel) return HALO_OK;
    HALO_TRY(halo_memory_hold(reader->memory, line_bytes(reader)));
    state->line = malloc((size_t)line_bytes(reader));
    if (state->line == NULL) {
        halo_memory_release(reader->memory, line_bytes(reader));
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an array");
    }
out:
    return status;
}

HaloStatus halo_array_next(HaloReader *reader)
{
    const HaloStatus status = begin_page(reader);
    return status == HALO_OK ? seek_page(reader) : status;
}

/* The rows of one channel after those of another. */
static HaloStatus read_by_channel(HaloReader *reader, HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    HaloArrayReader *state = reader->state;
    const HaloArrayLayout *layout = &state->layout;
    const HaloShape *shape = &reader->info.shape;
    const int64_t channels = shape->channels, first = state->row,
                  page = halo_array_page(layout, reader->options.image);
    const HaloDtype dtype = rows->shape.dtype;
    const size_t size = halo_dtype_size(dtype);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t y = 0; y < rows->rows; y++) {
            char *to = (char *)halo_row(rows, y) + (size_t)c * size;
            state->row = first + y;
            HALO_TRY(halo_array_seek(reader, page + c * layout->channel.step + state->row * layout->row.step));
            HALO_TRY(halo_array_take(reader, dtype, 0, state->line, (size_t)shape->width));
            for (int64_t x = 0; x < shape->width; x++)
                memcpy(to + (size_t)(x * channels) * size, (const char *)state->line + (size_t)x * size, size);
        }
    state->row = first + rows->rows;
out:
    return status;
}

static HaloStatus read_frames(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloArrayReader *state = reader->state;
    const int64_t channels = rows->shape.channels, left = state->layout.column.length - state->row;
    const int64_t frames = left < rows->cols ? left : rows->cols;
    size_t read;
    const HaloStatus status = halo_array_take_reals(reader, rows->shape.dtype, state->row * channels,
                                                    rows->data, (size_t)(frames * channels), &read);
    if (status == HALO_OK) state->row += *got = (int64_t)read / channels;
    if (status == HALO_OK && *got < frames && reader->options.tolerate)
        halo_note_damaged(&reader->info.notes, state->row, state->layout.column.length, true);
    return status;
}

HaloStatus halo_array_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloArrayReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const size_t samples = (size_t)(reader->info.shape.width * reader->info.shape.channels);
    *got = 0;
    if (!state->layout.plain && !state->by_channel) HALO_TRY(halo_array_hold(reader));
    if (state->series) return read_frames(reader, rows, got);
    if (state->by_channel) {
        HALO_TRY(read_by_channel(reader, rows));
        *got = rows->rows;
    }
    for (; *got < rows->rows; ++*got, state->row++)
        HALO_TRY(halo_array_take(reader, rows->shape.dtype, 0, halo_row(rows, *got), samples));
out:
    return status;
}

/* As halo_image_skip, in the source of the samples. */
static HaloStatus skip_bytes(HaloReader *reader, int64_t bytes, int64_t row_bytes, bool *gone)
{
    HaloStatus status = HALO_OK;
    const HaloArrayReader *state = reader->state;
    const int64_t at = halo_source_tell(state->source), left = halo_source_size(state->source) - at;
    *gone = halo_source_seekable(state->source);
    if (!*gone) return HALO_OK;
    if (bytes > left) HALO_TRY(halo_image_ends(reader, state->row + left / row_bytes));
    status = halo_source_seek(state->source, at + (bytes < left ? bytes : left));
out:
    return status;
}

/* With random access, one by one or in lines, any row can be read. A row of a series is a frame. */
HaloStatus halo_array_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    HaloArrayReader *state = reader->state;
    const int64_t pixels = state->series ? 1 : reader->info.shape.width;
    const int64_t row_bytes = pixels * reader->info.shape.channels * state->head.size;
    bool gone = true;
    HaloStatus status = HALO_OK;
    if (state->layout.plain) HALO_TRY(skip_bytes(reader, rows * row_bytes, row_bytes, &gone));
out:
    *skipped = status == HALO_OK && gone ? rows : 0;
    state->row += *skipped;
    return status;
}

void halo_array_close(HaloReader *reader)
{
    HaloArrayReader *state = reader->state;
    if (state == NULL) return;
    if (state->line != NULL) halo_memory_release(reader->memory, line_bytes(reader));
    halo_memory_release(reader->memory, state->held_bytes);
    free(state->line);
    free(state->held);
    if (state->source != reader->source) halo_source_close(state->source);
    halo_meta_free(&state->meta);
    free(state);
    reader->state = NULL;
}
