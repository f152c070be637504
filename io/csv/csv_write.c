/* Writes sound as a table: a line for each frame, a cell for each channel. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "meta/meta.h"
#include "meta/names.h"

#define BUFFER_SIZE 65536
#define LONGEST 32 /* characters of a cell, and what is behind it */

typedef struct CsvWriter {
    char between[2];    /* a string */
    char separators[8]; /* a string */
    int time;           /* behind so many channels stands the time; -1: nowhere */
    size_t used;
    char text[BUFFER_SIZE];
} CsvWriter;

HaloStatus csv_send(HaloWriter *writer)
{
    CsvWriter *state = writer->state;
    const size_t used = state->used;
    state->used = 0;
    return halo_sink_write(writer->sink, state->text, used);
}

/* Columns of times without a name get one, since the other columns have names. */
static const char *time_name(const HaloWriter *writer)
{
    const HaloTimeline *time = &writer->info.meta.time;
    return *time->name != 0 ? time->name : time->clock != NULL ? "date" : "time";
}

static const char *clock_name(const HaloWriter *writer)
{
    const char *name = writer->info.meta.time.clock;
    return *name != 0 ? name : "time";
}

static HaloStatus put_name(HaloWriter *writer, const char *name, bool first)
{
    HaloStatus status = HALO_OK;
    const CsvWriter *state = writer->state;
    const size_t length = strlen(name);
    char *cell = malloc(halo_name_size(length));
    if (cell == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write a table");
    if (!first) HALO_TRY(halo_sink_write(writer->sink, state->between, 1));
    HALO_TRY(halo_sink_write(writer->sink, cell, halo_name_write(name, length, state->separators, cell)));
out:
    free(cell);
    return status;
}

/* Would the row of names be read back as names, not as numbers, times or missing values? */
static bool are_names(const HaloWriter *writer, const HaloNames *names)
{
    const bool comma = writer->info.meta.comma;
    for (int c = 0; c < names->count; c++)
        if (csv_is_name(comma, names->name[c], strlen(names->name[c]))) return true;
    if (names->count == 0 || writer->info.meta.time.name == NULL) return false;
    const char *time = time_name(writer);
    return csv_is_name(comma, time, strlen(time));
}

/* The input's names, else "channel1", which no reader takes for a number; before those the time stands behind.
 */
static HaloStatus put_header(HaloWriter *writer)
{
    HaloStatus status = HALO_OK;
    const int channels = writer->info.shape.channels, time = ((const CsvWriter *)writer->state)->time;
    const bool clock = writer->info.meta.time.clock != NULL;
    HaloNames names;
    HALO_TRY(halo_names_get(&writer->info.meta, channels, &names));
    const bool named = are_names(writer, &names);
    for (int c = 0; c <= channels; c++) {
        char text[32];
        halo_snprintf(text, sizeof text, "channel%d", c + 1);
        if (c == time) HALO_TRY(put_name(writer, time_name(writer), c == 0));
        if (c == time && clock) HALO_TRY(put_name(writer, clock_name(writer), false));
        if (c == channels) break;
        HALO_TRY(put_name(writer, named && names.name[c][0] != 0 ? names.name[c] : text, c == 0 && time != 0));
    }
    HALO_TRY(halo_sink_write(writer->sink, "\n", 1));
out:
    free(names.name);
    return status;
}

/* At what a reader may divide the first row: it prefers the first of HALO_SEPARATORS that divides it, and
 * blanks divide a row without any, such as that of a table of one column. */
static void find_separators(CsvWriter *state, bool one_column)
{
    const char *all = one_column ? HALO_SEPARATORS " \v\f" : HALO_SEPARATORS;
    const size_t count = one_column ? strlen(all) : strcspn(all, state->between) + 1;
    memcpy(state->separators, all, count);
    state->separators[count] = 0;
}

HaloStatus csv_create(HaloWriter *writer)
{
    const HaloMeta *meta = &writer->info.meta;
    const int channels = writer->info.shape.channels;
    CsvWriter *state = malloc(sizeof *state);
    writer->state = state;
    if (state == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory to write a table");
    state->used = 0;
    state->time = meta->time.name == NULL ? -1 : meta->time.column < channels ? meta->time.column : channels;
    for (size_t i = 0; i < meta->texts; i++)
        if (strcmp(meta->text[i].key, HALO_NAMES_KEY) != 0) halo_text_left_out(&writer->notes, &meta->text[i]);
    state->between[0] = strcmp(writer->format->name, "tsv") == 0 ? '\t' : meta->comma ? ';' : ',';
    state->between[1] = 0;
    find_separators(state, channels == 1 && state->time < 0);
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

static HaloStatus leave_space(HaloWriter *writer, size_t bytes)
{
    return ((const CsvWriter *)writer->state)->used + bytes > BUFFER_SIZE ? csv_send(writer) : HALO_OK;
}

static void put_between(CsvWriter *state, bool last)
{
    state->text[state->used++] = last ? '\n' : state->between[0];
}

/* A time may need quotation marks, where its notation has the separator in it. */
static HaloStatus put_time(HaloWriter *writer, int64_t frame, bool last)
{
    HaloStatus status = HALO_OK;
    CsvWriter *state = writer->state;
    const HaloTimeline *timeline = &writer->info.meta.time;
    char text[HALO_TIME_SIZE];
    HALO_TRY(leave_space(writer, 2 * sizeof text));
    size_t length = halo_time_write(&timeline->notation, halo_time_at(timeline, &writer->changes, frame), text);
    const size_t date = timeline->clock != NULL ? csv_date_length(text, length) : length;
    if (date < length) {
        state->used += halo_name_write(text, date, state->between, state->text + state->used);
        put_between(state, false);
        length -= date + 1;
        memmove(text, text + date + 1, length);
    }
    state->used += halo_name_write(text, length, state->between, state->text + state->used);
    put_between(state, last);
out:
    return status;
}

int csv_time_place(const HaloWriter *writer) { return ((const CsvWriter *)writer->state)->time; }

HaloStatus csv_put_text(HaloWriter *writer, const char *text, size_t length, bool last)
{
    HaloStatus status = HALO_OK;
    CsvWriter *state = writer->state;
    char *longer = NULL;
    const size_t size = halo_name_size(length) + 1;
    HALO_TRY(leave_space(writer, size));
    if (size <= BUFFER_SIZE) {
        state->used += halo_name_write(text, length, state->between, state->text + state->used);
    } else { /* the buffer is empty now */
        longer = malloc(size);
        if (longer == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to write a table");
        HALO_TRY(halo_sink_write(writer->sink, longer, halo_name_write(text, length, state->between, longer)));
    }
    put_between(state, last);
out:
    free(longer);
    return status;
}

static void put_comma(char *text, size_t length)
{
    char *point = memchr(text, '.', length);
    if (point != NULL) *point = ',';
}

static HaloStatus put_frame(HaloWriter *writer, const HaloBuf *rows, int64_t i)
{
    HaloStatus status = HALO_OK;
    CsvWriter *state = writer->state;
    const int channels = rows->shape.channels;
    for (int c = 0; c < channels; c++) {
        if (c == state->time) HALO_TRY(put_time(writer, rows->x0 + i, false));
        HALO_TRY(leave_space(writer, LONGEST));
        char *text = state->text + state->used;
        const size_t length = put_sample(rows, i * channels + c, text);
        if (writer->info.meta.comma) put_comma(text, length);
        state->used += length;
        put_between(state, c + 1 == channels && state->time != channels);
    }
    if (state->time == channels) HALO_TRY(put_time(writer, rows->x0 + i, true));
out:
    return status;
}

HaloStatus csv_write(HaloWriter *writer, const HaloBuf *rows)
{
    HaloStatus status = HALO_OK;
    for (int64_t i = 0; i < rows->cols; i++) HALO_TRY(put_frame(writer, rows, i));
    HALO_TRY(csv_send(writer));
out:
    return status;
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
