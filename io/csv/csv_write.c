/* Writes sound as a table: a line for each frame, a cell for each channel. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "meta/meta.h"

#define BUFFER_SIZE 65536
#define LONGEST 32 /* characters of a cell, and what is behind it */

typedef struct CsvWriter {
    char between;
    size_t used;
    char text[BUFFER_SIZE];
} CsvWriter;

static HaloStatus send(HaloWriter *writer)
{
    CsvWriter *state = writer->state;
    const size_t used = state->used;
    state->used = 0;
    return halo_sink_write(writer->sink, state->text, used);
}

static HaloStatus put_name(HaloWriter *writer, int channel, const char *name, size_t length)
{
    HaloStatus status = HALO_OK;
    const char separator = ((const CsvWriter *)writer->state)->between;
    char *cell = malloc(csv_name_size(length));
    if (cell == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write a table");
    if (channel > 0) HALO_TRY(halo_sink_write(writer->sink, &separator, 1));
    HALO_TRY(halo_sink_write(writer->sink, cell, csv_write_name(name, length, separator, cell)));
out:
    free(cell);
    return status;
}

/* Reads the input's names. *named false: there are none, of another number, or all would be read back as
 * numbers. */
static HaloStatus read_names(const HaloWriter *writer, const char *names, HaloSource **source, HaloCells *cells,
                             bool *named)
{
    HaloStatus status = HALO_OK;
    *named = false;
    if (names == NULL) return HALO_OK;
    HALO_TRY(halo_source_from_memory(names, strlen(names), source));
    HALO_TRY(halo_cells_of(cells, *source, ','));
    const bool fits = cells->count == writer->info.shape.channels && cells->count <= HALO_MOST_CELLS;
    for (int c = 0; fits && c < cells->count; c++) {
        size_t length;
        float value;
        const char *name = halo_cell(cells, c, &length);
        *named = *named || (length > 0 && csv_read_number(name, length, &value) == CSV_NO_NUMBER);
    }
out:
    return status == HALO_ERR_INPUT ? HALO_OK : status; /* a text of that key by another program */
}

/* The input's names, else "channel1", which no reader takes for a number. */
static HaloStatus put_header(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    bool named;
    HaloCells *cells = calloc(1, sizeof *cells);
    if (cells == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write a table");
    HALO_TRY(read_names(writer, halo_text_find(&writer->info.meta, CSV_NAMES), &source, cells, &named));
    for (int c = 0; c < writer->info.shape.channels; c++) {
        char text[32];
        const char *name = text;
        size_t length = (size_t)halo_snprintf(text, sizeof text, "channel%d", c + 1);
        if (named) name = halo_cell(cells, c, &length);
        HALO_TRY(put_name(writer, c, name, length));
    }
    HALO_TRY(halo_sink_write(writer->sink, "\n", 1));
out:
    if (cells != NULL) halo_cells_free(cells);
    free(cells);
    halo_source_close(source);
    return status;
}

HaloStatus csv_create(HaloWriter *writer)
{
    CsvWriter *state = malloc(sizeof *state);
    writer->state = state;
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write a table");
    state->used = 0;
    const bool named = halo_text_find(&writer->info.meta, CSV_NAMES) != NULL;
    if (writer->info.meta.texts > (size_t)named) halo_note_left_out(&writer->notes, HALO_META_TEXT);
    state->between = strcmp(writer->format->name, "tsv") == 0 ? '\t' : ',';
    return put_header(writer);
}

static size_t put_sample(const HaloBuf *rows, int64_t i, char *to)
{
    switch (rows->shape.dtype) {
    case HALO_I64:
        return (size_t)halo_snprintf(to, LONGEST, "%lld", (long long)((const int64_t *)rows->data)[i]);
    case HALO_F64: return csv_write_wide(((const double *)rows->data)[i], to);
    default: return csv_write_number(((const float *)rows->data)[i], to);
    }
}

HaloStatus csv_write(HaloWriter *writer, const HaloBuf *rows)
{
    CsvWriter *state = writer->state;
    const int channels = rows->shape.channels;
    for (int64_t i = 0; i < rows->cols; i++)
        for (int c = 0; c < channels; c++) {
            if (state->used + LONGEST > BUFFER_SIZE) {
                const HaloStatus status = send(writer);
                if (status != HALO_OK) return status;
            }
            state->used += put_sample(rows, i * channels + c, state->text + state->used);
            state->text[state->used++] = c + 1 < channels ? state->between : '\n';
        }
    return send(writer);
}

HaloStatus csv_finish(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

void csv_discard(HaloWriter *writer)
{
    free(writer->state);
    writer->state = NULL;
}
