/* NPY: NumPy arrays, (W,), (H, W) or (H, W, C), or as --axes says; pages are written as (N, H, W) or (N, H, W,
 * C), audio as (N, C). Samples keep their units. */
#include "npy.h"

#include <stdlib.h>
#include <string.h>

#include "samples/image.h"
#include "samples/stored.h"

typedef struct NpyType {
    char kind;
    int size;
} NpyType;

typedef struct NpyWriter {
    NpyHead head;
    NpyType next;   /* of the page that is written */
    int64_t frames; /* of audio, so far */
    int64_t pages;
} NpyWriter;

/* Another page, which has to be like the first. */
static HaloStatus add_page(const HaloWriter *writer)
{
    NpyWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    const NpyHead *head = &state->head;
    state->pages++;
    if (shape->height == head->dim[0] && shape->width == head->dim[1] &&
        shape->channels == (head->dims == 3 ? head->dim[2] : 1) && state->head.kind == state->next.kind &&
        state->head.size == state->next.size)
        return HALO_OK;
    return halo_fail(
        HALO_ERR_OUTPUT,
        "page %lld has another size or type than those before, and NPY stores pages that are alike",
        (long long)state->pages);
}

/* That of the samples, or, where they were only moved, of the file that they are from. */
static NpyType type_of(const HaloWriter *writer)
{
    static const NpyType type[HALO_DTYPES] = {{'u', 1}, {'u', 2}, {'f', 4}, {'i', 8}, {'f', 8}};
    static const char kind[] = {[HALO_STORED_UNSIGNED] = 'u',
                                [HALO_STORED_SIGNED] = 'i',
                                [HALO_STORED_FLOAT] = 'f',
                                [HALO_STORED_BOOL] = 'b'};
    if (!halo_stored_again(writer)) return type[writer->info.shape.dtype];
    return (NpyType){kind[writer->info.stored], writer->info.bits / 8};
}

static HaloStatus create(HaloWriter *writer)
{
    const HaloShape *shape = &writer->info.shape;
    NpyWriter *state = writer->state;
    if (state == NULL) state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write an array");
    state->next = type_of(writer);
    if (state->pages > 0) return add_page(writer);
    state->head = (NpyHead){.kind = state->next.kind, .size = state->next.size, .little = true};
    if (shape->kind == HALO_AUDIO) {
        if (shape->width < 0 && !halo_sink_seekable(writer->sink)) {
            return halo_fail(HALO_ERR_OUTPUT,
                             "NPY starts with the length, which is not known yet: write to a file");
        }
        state->head.dims = 2;
        state->head.dim[0] = shape->width < 0 ? 0 : shape->width;
        state->head.dim[1] = shape->channels;
    } else {
        state->head.dims = shape->channels == 1 ? 2 : 3;
        state->head.dim[0] = shape->height;
        state->head.dim[1] = shape->width;
        state->head.dim[2] = shape->channels;
    }
    state->pages = 1;
    return halo_npy_write_head(writer->sink, &state->head);
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    NpyWriter *state = writer->state;
    state->frames += rows->cols;
    return halo_stored_again(writer) ? halo_stored_write(writer, rows)
                                     : halo_rows_write(writer->sink, rows, true);
}

static HaloStatus finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    NpyWriter *state = writer->state;
    if (writer->info.shape.kind != HALO_AUDIO || state->frames == state->head.dim[0]) return HALO_OK;
    state->head.dim[0] = state->frames;
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(halo_npy_write_head(writer->sink, &state->head));
out:
    return status;
}

/* After the last image: of several the first dimension counts them. */
static HaloStatus end(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    NpyWriter *state = writer->state;
    if (state == NULL || state->pages < 2) return HALO_OK;
    memmove(state->head.dim + 1, state->head.dim, 3 * sizeof *state->head.dim);
    state->head.dim[0] = state->pages;
    state->head.dims++;
    if (state->head.dims == 3 || state->head.dim[3] > 4) halo_note(&writer->notes, HALO_NOTE_AXES, 1);
    HALO_TRY(halo_sink_seek(writer->sink, 0));
    HALO_TRY(halo_npy_write_head(writer->sink, &state->head));
out:
    return status;
}

static void discard(HaloWriter *writer)
{
    free(writer->state);
    writer->state = NULL;
}

const HaloFormat halo_format_npy = {
    .name = "npy",
    .help = "NumPy array: 8- and 16-bit, float, and 64-bit scans; units are kept",
    .extensions = "npy",
    .kinds = HALO_IMAGE | HALO_AUDIO,
    .dtypes = 1u << HALO_U8 | 1u << HALO_U16 | 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64,
    .channels = HALO_ANY_CHANNELS,
    .keeps_units = true,
    .plain = true,
    .no_rate = true,
    .several = HALO_SEVERAL_ALIKE,
    .probe = npy_probe,
    .open = npy_open,
    .next = npy_next,
    .read = npy_read,
    .skip = npy_skip,
    .close = npy_close,
    .create = create,
    .write = write_rows,
    .finish = finish,
    .end = end,
    .discard = discard,
};
