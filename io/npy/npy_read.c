/* Reading NPY: dimensions as they are said to be, and every sample type that f32 holds. */
#include "npyreader.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/axes.h"
#include "halo/text.h"
#include "samples/image.h"

bool npy_probe(const uint8_t *head, size_t size) { return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0; }

static float white_of(const NpyHead *head)
{
    if (head->kind == 'b') return 1.0f;
    if (head->kind == 'i' && head->size == 1) return 127.0f;
    if (head->kind == 'i' && head->size == 2) return 32767.0f;
    return halo_dtype_white(npy_native_dtype(head));
}

static void describe(HaloInfo *info, const NpyHead *head)
{
    const char *kind = head->kind == 'b'   ? "bool"
                       : head->kind == 'u' ? "unsigned"
                       : head->kind == 'i' ? "signed"
                                           : "float";
    info->bits = head->size * 8;
    info->real = head->kind == 'f';
    snprintf(info->encoding, sizeof info->encoding, "%d-bit %s%s", info->bits, kind,
             head->size == 1 ? ""
             : head->little  ? ", little-endian"
                             : ", big-endian");
    if (!npy_is_native(head) && head->size > 2) {
        halo_note(&info->notes, HALO_NOTE_THROUGH_F32, (uint64_t)info->bits);
    }
}

/* What the dimensions are: those of a word such as "nhw", or rows, columns and channels, before which pages may
 * stand, as halo writes them. */
typedef struct Layout {
    int64_t pages, width, height, channels;
    bool planar;
} Layout;

static HaloStatus lay_out(const NpyHead *head, const char *text, Layout *layout)
{
    HaloAxes axes = {.letter = "hwc", .count = head->dims < 3 ? head->dims : 3};
    *layout = (Layout){1, 1, 1, 1, false};
    if (text != NULL && halo_read_axes(text, &axes) != HALO_OK) return HALO_ERR_USAGE;
    if (text == NULL && head->dims == 1) axes.letter[0] = 'w';
    if (text == NULL && head->dims == 4 && head->dim[3] <= 4) axes = (HaloAxes){.letter = "nhwc", .count = 4};
    if (axes.count != head->dims) {
        return halo_fail(HALO_ERR_INPUT, "an array of %d dimensions; --axes says what they are, such as %s",
                         head->dims,
                         head->dims == 4   ? "nhwc"
                         : head->dims == 3 ? "hwc or nhw"
                                           : "hw");
    }
    for (int i = 0; i < head->dims; i++) {
        const char axis = axes.letter[i];
        int64_t *const length = axis == 'n'   ? &layout->pages
                                : axis == 'h' ? &layout->height
                                : axis == 'w' ? &layout->width
                                              : &layout->channels;
        *length = head->dim[i];
    }
    layout->planar = layout->channels > 1 && axes.letter[head->dims - 1] != 'c';
    if (axes.alpha && (layout->channels == 1 || layout->channels == 3))
        return halo_fail(HALO_ERR_INPUT, "%lld channel%s, of which none is alpha: --axes says ',alpha'",
                         (long long)layout->channels, halo_s(layout->channels));
    if (layout->pages < 1) return halo_fail(HALO_ERR_INPUT, "an array without pages");
    return layout->channels > INT_MAX
               ? halo_fail(HALO_ERR_INPUT, "an array of %lld channels", (long long)layout->channels)
               : HALO_OK;
}

/* The page that options.image names. */
static HaloStatus begin_page(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    NpyReader *state = reader->state;
    const NpyHead *head = &state->head;
    Layout layout;
    state->row = 0;
    HALO_TRY(lay_out(head, reader->options.axes, &layout));
    HALO_TRY(
        halo_image_open(reader, layout.width, layout.height, (int)layout.channels, npy_native_dtype(head)));
    reader->info.shape.white = white_of(head);
    reader->info.shape.numbers = npy_native_dtype(head) == HALO_F32 && white_of(head) == 1.0f && head->kind != 'b';
    reader->info.images = layout.pages > 1 ? layout.pages : 0;
    state->planar = layout.planar;
    describe(&reader->info, head);
    /* More than colours and alpha: (rows, columns, channels) may not be what was meant. */
    if (layout.channels > 4 && reader->options.axes == NULL)
        halo_note(&reader->info.notes, HALO_NOTE_AXES, (uint64_t)layout.channels);
out:
    return status;
}

/* (frames) or (frames, channels), in their own units. Where damage is tolerated there may be fewer than it
 * says. */
static HaloStatus open_series(HaloReader *reader)
{
    NpyReader *state = reader->state;
    const NpyHead *head = &state->head;
    const int64_t channels = head->dims > 1 ? head->dim[1] : 1;
    if (head->dims > 2)
        return halo_fail(HALO_ERR_INPUT,
                         "an array of %d dimensions: with --rate it is a series, frames by channels",
                         head->dims);
    if (head->dim[0] < 1 || channels < 1 || channels > HALO_MAX_CHANNELS)
        return halo_fail(HALO_ERR_INPUT, "a series of %lld frames with %lld channels", (long long)head->dim[0],
                         (long long)channels);
    state->series = true;
    reader->info.shape = (HaloShape){.kind = HALO_AUDIO,
                                     .dtype = HALO_F32,
                                     .width = reader->options.tolerate ? -1 : head->dim[0],
                                     .height = 1,
                                     .channels = (int)channels,
                                     .alpha = -1,
                                     .white = 1.0f,
                                     .rate = reader->options.rate};
    reader->info.rate_said = true;
    describe(&reader->info, head);
    return HALO_OK;
}

static int64_t line_bytes(const HaloReader *reader)
{
    return reader->info.shape.width * (int64_t)sizeof(float);
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
    if (!state->planar) return HALO_OK;
    if (!halo_source_seekable(reader->source))
        HALO_FAIL(HALO_ERR_INPUT, "one channel after the other is read from files, not from pipes");
    HALO_TRY(halo_memory_hold(reader->memory, line_bytes(reader)));
    state->line = malloc((size_t)line_bytes(reader));
    if (state->line == NULL) {
        halo_memory_release(reader->memory, line_bytes(reader));
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read an array");
    }
out:
    return status;
}

/* Bytes of a page, and of the pages before. */
static int64_t page_bytes(const HaloReader *reader)
{
    const NpyReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    return shape->width * shape->height * shape->channels * state->head.size;
}

HaloStatus npy_next(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    const NpyReader *state = reader->state;
    HALO_TRY(begin_page(reader));
    if (halo_source_seekable(reader->source))
        HALO_TRY(halo_source_seek(reader->source, state->start + reader->options.image * page_bytes(reader)));
out:
    return status;
}

/* The rows of one channel after those of another. */
static HaloStatus read_planes(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    NpyReader *state = reader->state;
    const HaloShape *shape = &reader->info.shape;
    const int64_t channels = shape->channels, first = state->row, line = shape->width * state->head.size;
    const int64_t page = state->start + reader->options.image * page_bytes(reader);
    const size_t size = halo_dtype_size(shape->dtype);
    for (int64_t c = 0; c < channels; c++) {
        HALO_TRY(halo_source_seek(reader->source, page + (c * shape->height + first) * line));
        for (int64_t y = 0; y < rows->rows; y++) {
            char *to = (char *)halo_row(rows, y) + (size_t)c * size;
            state->row = first + y;
            HALO_TRY(npy_samples_read(reader, state->line, (size_t)shape->width));
            for (int64_t x = 0; x < shape->width; x++)
                memcpy(to + (size_t)(x * channels) * size, (const char *)state->line + (size_t)x * size, size);
        }
    }
    state->row = first + rows->rows;
    *got = rows->rows;
out:
    return status;
}

HaloStatus npy_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    NpyReader *state = reader->state;
    HaloStatus status = HALO_OK;
    const size_t samples = (size_t)(reader->info.shape.width * reader->info.shape.channels);
    if (state->planar) return read_planes(reader, rows, got);
    if (state->series) {
        const int64_t channels = rows->shape.channels, left = state->head.dim[0] - state->row;
        const int64_t frames = left < rows->cols ? left : rows->cols;
        size_t read;
        HALO_TRY(npy_samples_read_floats(reader, rows->data, (size_t)(frames * channels), &read));
        state->row += *got = (int64_t)read / channels;
        return HALO_OK;
    }
    for (*got = 0; *got < rows->rows; ++*got, state->row++)
        HALO_TRY(npy_samples_read(reader, halo_row(rows, *got), samples));
out:
    return status;
}

HaloStatus npy_skip(HaloReader *reader, int64_t rows, int64_t *skipped)
{
    NpyReader *state = reader->state;
    const int64_t row_bytes = reader->info.shape.width * reader->info.shape.channels * state->head.size;
    bool gone = true; /* planes are looked up */
    const HaloStatus status =
        state->planar ? HALO_OK : halo_image_skip(reader, rows * row_bytes, state->row, row_bytes, &gone);
    *skipped = status == HALO_OK && gone ? rows : 0;
    state->row += *skipped;
    return status;
}

void npy_close(HaloReader *reader)
{
    NpyReader *state = reader->state;
    if (state != NULL && state->line != NULL) {
        halo_memory_release(reader->memory, line_bytes(reader));
        free(state->line);
    }
    free(reader->state);
    reader->state = NULL;
}
