#include "upward.h"

#include <stdlib.h>
#include <string.h>

#include "image.h"

/* ---- reading -------------------------------------------------------------------------------------------- */

HaloStatus halo_upward_hold(HaloReader *reader, HaloUpward *upward)
{
    int64_t bytes;
    if (!halo_mul(upward->row_bytes, reader->info.shape.height, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to read an image");
    const HaloStatus status = halo_memory_hold(reader->memory, bytes);
    if (status != HALO_OK) return status;
    upward->held_bytes = bytes;
    upward->held = calloc((size_t)bytes, 1);
    if (upward->held == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to read an image");
    upward->there = bytes;
    return HALO_OK;
}

HaloStatus halo_upward_held(HaloUpward *upward)
{
    upward->data = 0;
    return halo_source_from_memory(upward->held, (size_t)upward->held_bytes, &upward->source);
}

HaloStatus halo_upward_open(HaloReader *reader, HaloUpward *upward)
{
    HaloStatus status = HALO_OK;
    size_t got;
    upward->source = reader->source;
    upward->data = halo_source_tell(reader->source);
    upward->there = halo_source_size(reader->source) - upward->data;
    if (halo_source_seekable(reader->source)) return HALO_OK;
    upward->there = INT64_MAX;
    if (upward->down) return HALO_OK;
    HALO_TRY(halo_upward_hold(reader, upward));
    HALO_TRY(halo_source_read(reader->source, upward->held, (size_t)upward->held_bytes, &got));
    upward->there = (int64_t)got;
    HALO_TRY(halo_upward_held(upward));
out:
    return status;
}

/* A file from the bottom up lacks its first rows where it was cut short. */
static HaloStatus check_there(HaloReader *reader, const HaloUpward *upward, int64_t last)
{
    const int64_t height = upward->down ? last : reader->info.shape.height;
    const int64_t there = upward->there / upward->row_bytes;
    if (there >= height) return HALO_OK;
    return halo_image_ends(reader, upward->down || !reader->options.tolerate ? there : -1);
}

/* Behind the last row the reader's source stands behind all of them. */
static HaloStatus leave(HaloReader *reader, const HaloUpward *upward)
{
    const int64_t height = reader->info.shape.height;
    if (upward->row < height || upward->held != NULL || upward->there / upward->row_bytes < height ||
        !halo_source_seekable(reader->source))
        return HALO_OK;
    return halo_source_seek(reader->source, upward->data + upward->row_bytes * height);
}

/* The place of row y among those of the file. */
static int64_t place_of(const HaloReader *reader, const HaloUpward *upward, int64_t y)
{
    return upward->down ? y : reader->info.shape.height - 1 - y;
}

static HaloStatus take_row(HaloReader *reader, HaloUpward *upward, int64_t y, uint8_t *bytes)
{
    HaloStatus status = HALO_OK;
    const int64_t at = place_of(reader, upward, y) * upward->row_bytes;
    size_t got = 0;
    if (at < upward->there) {
        if (halo_source_seekable(upward->source)) HALO_TRY(halo_source_seek(upward->source, upward->data + at));
        HALO_TRY(halo_source_read(upward->source, bytes, (size_t)upward->row_bytes, &got));
    }
    memset(bytes + got, 0, (size_t)upward->row_bytes - got);
    if (got < (size_t)upward->row_bytes) HALO_TRY(halo_image_ends(reader, upward->down ? y : -1));
out:
    return status;
}

HaloStatus halo_upward_read(HaloReader *reader, HaloUpward *upward, HaloBuf *rows,
                            void (*unpack)(const HaloReader *reader, const uint8_t *from, void *to))
{
    HaloStatus status = HALO_OK;
    uint8_t *bytes = malloc((size_t)upward->row_bytes);
    if (bytes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a row");
    HALO_TRY(check_there(reader, upward, upward->row + rows->rows));
    for (int64_t i = 0; i < rows->rows; i++) { /* in the order of the file */
        const int64_t y = upward->down ? i : rows->rows - 1 - i;
        HALO_TRY(take_row(reader, upward, upward->row + y, bytes));
        unpack(reader, bytes, halo_row(rows, y));
    }
    upward->row += rows->rows;
    HALO_TRY(leave(reader, upward));
out:
    free(bytes);
    return status;
}

HaloStatus halo_upward_skip(HaloReader *reader, HaloUpward *upward, int64_t rows, int64_t *skipped)
{
    HaloStatus status = HALO_OK;
    *skipped = 0;
    if (!halo_source_seekable(upward->source)) return HALO_OK;
    HALO_TRY(check_there(reader, upward, upward->row + rows));
    upward->row += *skipped = rows;
    HALO_TRY(leave(reader, upward));
out:
    return status;
}

void halo_upward_close(HaloReader *reader, HaloUpward *upward)
{
    if (upward->source != reader->source) halo_source_close(upward->source);
    free(upward->held);
    halo_memory_release(reader->memory, upward->held_bytes);
    *upward = (HaloUpward){0};
}

/* ---- writing -------------------------------------------------------------------------------------------- */

typedef struct State {
    HaloUpwardRow row;
    int64_t data, next; /* where the rows begin; the row that comes next, from the top */
    uint8_t *bytes;     /* of one row */
    HaloBuf whole;      /* where the sink cannot seek */
} State;

HaloStatus halo_upward_create(HaloWriter *writer, const HaloUpwardRow *row)
{
    HaloStatus status = HALO_OK;
    State *state = writer->state = calloc(1, sizeof *state);
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an image");
    state->row = *row;
    state->bytes = calloc((size_t)row->row_bytes, 1);
    if (state->bytes == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write an image");
    if (!halo_sink_seekable(writer->sink))
        return halo_memory_alloc(writer->memory, &state->whole, &writer->info.shape);
    HALO_TRY(row->head(writer));
    HALO_TRY(halo_sink_tell(writer->sink, &state->data));
out:
    return status;
}

/* These rows, the last one first. */
static HaloStatus put_rows(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    State *state = writer->state;
    for (int64_t y = rows->rows - 1; y >= 0; y--) {
        state->row.pack(writer, halo_row(rows, y), state->bytes);
        HALO_TRY(halo_sink_write(writer->sink, state->bytes, (size_t)state->row.row_bytes));
    }
out:
    return status;
}

HaloStatus halo_upward_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    State *state = writer->state;
    const int64_t below = writer->info.shape.height - state->next - rows->rows;
    if (below < 0) HALO_FAIL(HALO_ERR_BUG, "internal: more rows than the image has");
    for (int64_t y = 0; y < rows->rows && state->whole.data != NULL; y++)
        memcpy(halo_row(&state->whole, state->next + y), halo_row(rows, y),
               (size_t)halo_row_bytes(&state->whole));
    state->next += rows->rows;
    if (state->whole.data != NULL) return HALO_OK;
    HALO_TRY(halo_sink_seek(writer->sink, state->data + below * state->row.row_bytes));
    HALO_TRY(put_rows(writer, rows));
out:
    return status;
}

HaloStatus halo_upward_finish(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    State *state = writer->state;
    const int64_t height = writer->info.shape.height;
    if (state->next < height) HALO_FAIL(HALO_ERR_BUG, "internal: fewer rows than the image has");
    if (state->whole.data != NULL) {
        HALO_TRY(state->row.head(writer));
        HALO_TRY(put_rows(writer, &state->whole));
    } else {
        HALO_TRY(halo_sink_seek(writer->sink, state->data + height * state->row.row_bytes));
    }
    halo_upward_discard(writer);
out:
    return status;
}

void halo_upward_discard(HaloWriter *writer)
{
    State *state = writer->state;
    if (state == NULL) return;
    halo_memory_free(writer->memory, &state->whole);
    free(state->bytes);
    free(state);
    writer->state = NULL;
}
