/* Reads NPY: dimensions in any order (--axes), and every sample type that converts to f32 or f64. */
#include "npyreader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/image.h"

bool npy_probe(const uint8_t *head, size_t size) { return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0; }

static float white_of(const NpyHead *head)
{
    if (head->kind == 'b') return 1.0f;
    if (head->kind == 'i' && head->size == 1) return 127.0f;
    if (head->kind == 'i' && head->size == 2) return 32767.0f;
    return halo_dtype_white(npy_native_dtype(head));
}

static void describe(HaloInfo *info, const NpyHead *head, bool wide)
{
    const char *kind = head->kind == 'b'   ? "bool"
                       : head->kind == 'u' ? "unsigned"
                       : head->kind == 'i' ? "signed"
                                           : "float";
    info->bits = head->size * 8;
    info->real = head->kind == 'f';
    info->stored = head->kind == 'b'   ? HALO_STORED_BOOL
                   : head->kind == 'u' ? HALO_STORED_UNSIGNED
                   : head->kind == 'i' ? HALO_STORED_SIGNED
                                       : HALO_STORED_FLOAT;
    snprintf(info->encoding, sizeof info->encoding, "%d-bit %s%s", info->bits, kind,
             head->size == 1 ? ""
             : head->little  ? ", little-endian"
                             : ", big-endian");
    if (npy_is_wide(head) && wide)
        info->shape.dtype = HALO_F64;
    else if (npy_is_wide(head))
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
}

/* The page that options.image names. */
static HaloStatus begin_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    NpyReader *state = reader->state;
    const NpyHead *head = &state->head;
    const NpyLayout *layout = &state->layout;
    state->row = 0;
    HALO_TRY(npy_lay_out(head, reader->options.axes, &state->layout));
    HALO_TRY(halo_image_open(reader, layout->column.length, layout->row.length, (int)layout->channel.length,
                             npy_native_dtype(head)));
    reader->info.shape.white = white_of(head);
    reader->info.shape.numbers =
        npy_native_dtype(head) == HALO_F32 && white_of(head) == 1.0f && head->kind != 'b';
    reader->info.images = layout->pages > 1 ? layout->pages : 0;
    describe(&reader->info, head, reader->options.wide);
out:
    return status;
}

/* In their own units. With --tolerate there may be fewer frames than the header says; but not if the samples of
 * a frame are far apart. */
static HaloStatus open_series(HaloReader *reader)
{
    NpyReader *state = reader->state;
    const NpyLayout *layout = &state->layout;
    const HaloStatus status = npy_lay_out_series(&state->head, &state->layout);
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

static HaloStatus seek_sample(HaloReader *reader, int64_t sample)
{
    const NpyReader *state = reader->state;
    return halo_source_seek(reader->source, state->start + sample * state->head.size);
}

/* In a stream it is there already; samples that are not in order are read by random access. */
static HaloStatus seek_page(HaloReader *reader)
{
    const NpyReader *state = reader->state;
    if (!state->layout.plain || !halo_source_seekable(reader->source)) return HALO_OK;
    return seek_sample(reader, npy_page(&state->layout, reader->options.image));
}

HaloStatus npy_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    NpyReader *state = reader->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an array");
    HALO_TRY(halo_npy_read_head(reader->source, &state->head));
    state->start = halo_source_tell(reader->source);
    if (reader->options.rate > 0) return open_series(reader);
    HALO_TRY(begin_page(reader));
    if (reader->options.image > 0) HALO_TRY(seek_page(reader));
    state->by_channel =
        !state->layout.plain && state->layout.column.step == 1 && halo_source_seekable(reader->source);
    reader->keeps_all = !state->layout.plain && !state->by_channel && reader->info.images > 1;
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

HaloStatus npy_next(HaloReader *reader)
{
    const HaloStatus status = begin_page(reader);
    return status == HALO_OK ? seek_page(reader) : status;
}

/* The rows of one channel after those of another. */
static HaloStatus read_by_channel(HaloReader *reader, HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    NpyReader *state = reader->state;
    const NpyLayout *layout = &state->layout;
    const HaloShape *shape = &reader->info.shape;
    const int64_t channels = shape->channels, first = state->row,
                  page = npy_page(layout, reader->options.image);
    const HaloDtype dtype = rows->shape.dtype;
    const size_t size = halo_dtype_size(dtype);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t y = 0; y < rows->rows; y++) {
            char *to = (char *)halo_row(rows, y) + (size_t)c * size;
            state->row = first + y;
            HALO_TRY(seek_sample(reader, page + c * layout->channel.step + state->row * layout->row.step));
            HALO_TRY(npy_samples_read(reader, dtype, 0, state->line, (size_t)shape->width));
            for (int64_t x = 0; x < shape->width; x++)
                memcpy(to + (size_t)(x * channels) * size, (const char *)state->line + (size_t)x * size, size);
        }
    state->row = first + rows->rows;
out:
    return status;
}

static HaloStatus read_frames(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    NpyReader *state = reader->state;
    const int64_t channels = rows->shape.channels, left = state->layout.column.length - state->row;
    const int64_t frames = left < rows->cols ? left : rows->cols;
    size_t read;
    const HaloStatus status = npy_samples_read_reals(reader, rows->shape.dtype, state->row * channels,
                                                     rows->data, (size_t)(frames * channels), &read);
    if (status == HALO_OK) state->row += *got = (int64_t)read / channels;
    return status;
}

HaloStatus npy_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    NpyReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const size_t samples = (size_t)(reader->info.shape.width * reader->info.shape.channels);
    *got = 0;
    if (!state->layout.plain && !state->by_channel) HALO_TRY(npy_samples_hold(reader));
    if (state->series) return read_frames(reader, rows, got);
    if (state->by_channel) {
        HALO_TRY(read_by_channel(reader, rows));
        *got = rows->rows;
    }
    for (; *got < rows->rows; ++*got, state->row++)
        HALO_TRY(npy_samples_read(reader, rows->shape.dtype, 0, halo_row(rows, *got), samples));
out:
    return status;
}

/* With random access, one by one or in lines, any row can be read. A row of a series is a frame. */
HaloStatus npy_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    NpyReader *state = reader->state;
    const int64_t pixels = state->series ? 1 : reader->info.shape.width;
    const int64_t row_bytes = pixels * reader->info.shape.channels * state->head.size;
    bool gone = true;
    const HaloStatus status =
        state->layout.plain ? halo_image_skip(reader, rows * row_bytes, state->row, row_bytes, &gone) : HALO_OK;
    *skipped = status == HALO_OK && gone ? rows : 0;
    state->row += *skipped;
    return status;
}

void npy_close(HaloReader *reader)
{
    NpyReader *state = reader->state;
    if (state == NULL) return;
    if (state->line != NULL) halo_memory_release(reader->memory, line_bytes(reader));
    halo_memory_release(reader->memory, state->held_bytes);
    free(state->line);
    free(state->held);
    free(state);
    reader->state = NULL;
}
