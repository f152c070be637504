/* Writes arrays: the sample type, rows, and pages that are alike. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bytes/endian.h"
#include "image.h"
#include "meta/grid.h"
#include "stored.h"

#define BLOCK_SAMPLES 4096

typedef struct Type {
    char kind;
    int size;
} Type;

static bool among(const char *types, Type type)
{
    for (; *types != 0; types += 2)
        if (types[0] == type.kind && types[1] - '0' == type.size) return true;
    return false;
}

/* That of the samples, or, where they were only moved, of the file that they are from. */
static Type type_of(const HaloWriter *writer, const char *types, bool *stored)
{
    static const Type type[HALO_DTYPES] = {{'u', 1}, {'u', 2}, {'f', 4}, {'i', 8}, {'f', 8}};
    static const char kind[] = {[HALO_STORED_UNSIGNED] = 'u',
                                [HALO_STORED_SIGNED] = 'i',
                                [HALO_STORED_FLOAT] = 'f',
                                [HALO_STORED_BOOL] = 'b'};
    const Type again = {kind[writer->info.stored], writer->info.bits / 8};
    *stored = halo_stored_again(writer) && among(types, again);
    return *stored ? again : type[writer->info.shape.dtype];
}

/* Another page, which has to be like the first. */
static HaloStatus check_page(const HaloWriter *writer, Type type)
{
    const HaloArrayWriter *state = writer->state;
    const HaloShape *shape = &writer->info.shape;
    const HaloArrayHead *head = &state->head;
    if (shape->height == head->dim[0] && shape->width == head->dim[1] &&
        shape->channels == (head->dims == 3 ? head->dim[2] : 1) && head->kind == type.kind &&
        head->size == type.size)
        return HALO_OK;
    return halo_fail(
        HALO_ERR_OUTPUT,
        "page %lld has another size or type than those before, and %s stores pages that are alike: crop, pad "
        "or resize first, or use --split",
        (long long)state->pages + 1, writer->format->name);
}

static HaloArrayHead head_of(const HaloShape *shape, Type type)
{
    HaloArrayHead head = {.kind = type.kind, .size = type.size, .little = true};
    if (shape->kind == HALO_AUDIO) {
        head.dims = 2;
        head.dim[0] = shape->width < 0 ? 0 : shape->width;
        head.dim[1] = shape->channels;
    } else {
        head.dims = shape->channels == 1 ? 2 : 3;
        head.dim[0] = shape->height;
        head.dim[1] = shape->width;
        head.dim[2] = shape->channels;
    }
    return head;
}

HaloStatus halo_array_create(HaloWriter *writer, const char *types, bool *first)
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    bool stored;
    if (state == NULL) state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write an array");
    const Type type = type_of(writer, types, &stored);
    *first = state->pages == 0;
    if (*first) {
        state->head = head_of(&writer->info.shape, type);
        state->stored = stored;
        if ((writer->format->holds & HALO_META_GRID) != 0)
            HALO_TRY(halo_meta_copy(&writer->info.meta, &state->meta));
        if (state->meta.grid.mixed) halo_note_outdated(&writer->notes, HALO_OUTDATED_SLICES);
        halo_grid_of_resolution(&state->meta);
    } else {
        HALO_TRY(check_page(writer, type));
    }
    state->pages++;
out:
    return status;
}

HaloStatus halo_array_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloArrayWriter *state = writer->state;
    state->frames += rows->cols;
    return state->stored ? halo_stored_write(writer, rows) : halo_rows_write(writer->sink, rows, true);
}

HaloStatus halo_array_put(HaloWriter *writer, const HaloBuf *rows,
                          HaloStatus (*put)(HaloWriter *writer, const void *bytes, size_t size))
{
    HaloStatus status = HALO_OK;
    HaloArrayWriter *state = writer->state;
    const size_t size = (size_t)state->head.size;
    const int64_t samples = rows->cols * rows->shape.channels;
    uint8_t *block = malloc(BLOCK_SAMPLES * size);
    if (block == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
    state->frames += rows->cols;
    for (int64_t y = 0; y < rows->rows; y++)
        for (int64_t done = 0; done < samples;) {
            const int64_t count = samples - done < BLOCK_SAMPLES ? samples - done : BLOCK_SAMPLES;
            if (state->stored)
                halo_stored_convert(&writer->info, rows, y, done, count, block, &writer->clipped);
            else
                memcpy(block, (const char *)halo_row(rows, y) + (size_t)done * size, (size_t)count * size);
            if (!halo_host_is_little() && size > 1) halo_swap_bytes(block, (size_t)count, size);
            HALO_TRY(put(writer, block, (size_t)count * size));
            done += count;
        }
out:
    free(block);
    return status;
}

HaloStatus halo_array_finish(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

HaloStatus halo_array_end(HaloWriter *writer, int64_t at, HaloStatus (*write_head)(HaloWriter *writer))
{
    HaloStatus status = HALO_OK;
    const HaloArrayWriter *state = writer->state;
    if (state == NULL || state->pages == state->said) return HALO_OK;
    HALO_TRY(halo_sink_seek(writer->sink, at));
    writer->changes.pages = state->pages;
    HALO_TRY(write_head(writer));
out:
    return status;
}

void halo_array_discard(HaloWriter *writer)
{
    HaloArrayWriter *state = writer->state;
    if (state != NULL) halo_meta_free(&state->meta);
    free(state);
    writer->state = NULL;
}

void halo_array_drop_grid(HaloWriter *writer)
{
    HaloArrayWriter *state = writer->state;
    halo_note_left_out(&writer->notes, HALO_META_GRID);
    state->meta.grid = (HaloGrid){.depth = state->meta.grid.depth};
}

int64_t halo_array_pages(const HaloWriter *writer, int64_t *depth)
{
    const HaloArrayWriter *state = writer->state;
    const int64_t expected = writer->changes.pages, pages = expected > state->pages ? expected : state->pages;
    const int64_t slices = state->meta.grid.depth;
    *depth = slices > 0 && pages > slices && pages % slices == 0 ? slices : 0;
    return pages;
}
