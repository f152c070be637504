/* csv, tsv: tables of numbers as sound, a frame a line, a channel a column. Samples keep their units. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "meta/meta.h"

#define ROOM 65536
#define LONGEST 32 /* characters of a cell, and what is behind it */

typedef struct CsvWriter {
    char between;
    size_t used;
    char text[ROOM];
} CsvWriter;

static HaloStatus send(HaloWriter *writer)
{
    CsvWriter *state = writer->state;
    const size_t used = state->used;
    state->used = 0;
    return halo_sink_write(writer->sink, state->text, used);
}

/* In quotation marks where it would be read as more than one cell; these are doubled. */
static HaloStatus put_name(HaloWriter *writer, const char *name, size_t length)
{
    HaloStatus status = HALO_OK;
    CsvWriter *state = writer->state;
    const bool quoted = memchr(name, state->between, length) != NULL || memchr(name, '"', length) != NULL;
    if (quoted) HALO_TRY(halo_sink_write(writer->sink, "\"", 1));
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"') HALO_TRY(halo_sink_write(writer->sink, "\"", 1));
        HALO_TRY(halo_sink_write(writer->sink, name + i, 1));
    }
    if (quoted) HALO_TRY(halo_sink_write(writer->sink, "\"", 1));
out:
    return status;
}

static int count_lines(const char *text)
{
    int lines = 1;
    for (; *text != 0; text++) lines += *text == '\n';
    return lines;
}

/* The input's names where it has as many channels, else "channel1", which no reader takes for a number. */
static HaloStatus put_header(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    CsvWriter *state = writer->state;
    const int channels = writer->info.shape.channels;
    const char *names = halo_text_find(&writer->info.meta, CSV_NAMES);
    if (names != NULL && count_lines(names) != channels) names = NULL;
    for (int c = 0; c < channels; c++) {
        char room[32];
        const char *name = room;
        size_t length = (size_t)halo_snprintf(room, sizeof room, "channel%d", c + 1);
        if (names != NULL) {
            name = names;
            length = strcspn(names, "\n");
            names += length + (names[length] == '\n');
        }
        if (c > 0) HALO_TRY(halo_sink_write(writer->sink, &state->between, 1));
        HALO_TRY(put_name(writer, name, length));
    }
    HALO_TRY(halo_sink_write(writer->sink, "\n", 1));
out:
    return status;
}

static HaloStatus create(HaloWriter *writer)
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
    case HALO_F64: return (size_t)halo_snprintf(to, LONGEST, "%.17g", ((const double *)rows->data)[i]);
    default: return csv_write_number(((const float *)rows->data)[i], to);
    }
}

static HaloStatus write_rows(HaloWriter *writer, const HaloBuf *rows)
{
    CsvWriter *state = writer->state;
    const int channels = rows->shape.channels;
    for (int64_t i = 0; i < rows->cols; i++)
        for (int c = 0; c < channels; c++) {
            if (state->used + LONGEST > ROOM) {
                const HaloStatus status = send(writer);
                if (status != HALO_OK) return status;
            }
            state->used += put_sample(rows, i * channels + c, state->text + state->used);
            state->text[state->used++] = c + 1 < channels ? state->between : '\n';
        }
    return send(writer);
}

static HaloStatus finish(HaloWriter *writer)
{
    (void)writer;
    return HALO_OK;
}

static void discard(HaloWriter *writer)
{
    free(writer->state);
    writer->state = NULL;
}

#define TABLE(format, what, ends)                                                                      \
    {                                                                                                  \
        .name = format, .help = what, .extensions = ends, .kinds = HALO_AUDIO,                         \
        .dtypes = 1u << HALO_F32 | 1u << HALO_I64 | 1u << HALO_F64, .channels = HALO_ANY_CHANNELS,     \
        .holds = HALO_META_TEXT, .keeps_units = true, .named = true, .no_rate = true, .endless = true, \
        .open = csv_open, .read = csv_read, .close = csv_close, .create = create, .write = write_rows, \
        .finish = finish, .discard = discard                                                           \
    }

const HaloFormat halo_format_csv =
    TABLE("csv", "tables of numbers: a line for each frame, a column for each channel", "csv,txt");
const HaloFormat halo_format_tsv = TABLE("tsv", "the same with tabs between the columns", "tsv,tab");
