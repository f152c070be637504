/* Reads a table as sound: a line is a frame, a column a channel. It is read line by line, so a table may be
 * larger than memory, and may still be growing. */
#include <math.h>
#include <stdlib.h>

#include "csv.h"
#include "halo/cells.h"
#include "halo/text.h"
#include "meta/meta.h"

typedef struct CsvReader {
    HaloCells cells;
    bool first;                   /* the present row has been looked at, but not been read as numbers */
    int columns;                  /* of the table */
    int bits;                     /* of the floats that they become */
    int channels;                 /* of these, */
    int column[CSV_MOST_COLUMNS]; /* the ones that are read, from 0 on */
} CsvReader;

/* ---- rows ----------------------------------------------------------------------------------------------- */

static bool is_empty(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && halo_is_blank(text[i])) i++;
    return i == length;
}

static HaloStatus no_number(const CsvReader *state, int column, CsvNumber why, const char *text, size_t length)
{
    const int shown = (int)(length < 40 ? length : 40);
    if (why == CSV_TOO_LARGE)
        return halo_fail(HALO_ERR_INPUT, "line %lld, column %d: '%.*s' is too large for a %d-bit float",
                         state->cells.line, column + 1, shown, text, state->bits);
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d: '%.*s' is not a number", state->cells.line,
                     column + 1, shown, text);
}

/* A number as f32 or f64. */
static CsvNumber read_cell(const CsvReader *state, const char *text, size_t length, int channel, void *frame)
{
    double wide;
    if (state->bits == 32) return csv_read_number(text, length, (float *)frame + channel);
    const CsvNumber read = csv_read_wide(text, length, &wide);
    if (read == CSV_NUMBER || read == CSV_ROUNDED) ((double *)frame)[channel] = wide;
    return read;
}

static double sample_at(const CsvReader *state, const void *frame, int channel)
{
    return state->bits == 32 ? (double)((const float *)frame)[channel] : ((const double *)frame)[channel];
}

static void clear(const CsvReader *state, void *frame)
{
    for (int c = 0; c < state->channels; c++)
        if (state->bits == 32)
            ((float *)frame)[c] = NAN;
        else
            ((double *)frame)[c] = (double)NAN;
}

/* One frame. Cells that are missing at the end are empty, and empty cells NaN. */
static HaloStatus read_frame(HaloReader *reader, CsvReader *state, void *frame)
{
    HaloCells *cells = &state->cells;
    if (cells->count > state->columns && !reader->options.tolerate)
        return halo_fail(HALO_ERR_INPUT, "line %lld has more cells than the %d before", cells->line,
                         state->columns);
    clear(state, frame);
    for (int c = 0; c < state->channels; c++) {
        const int column = state->column[c];
        size_t length;
        if (column >= cells->count) continue;
        const char *text = halo_cell(cells, column, &length);
        if (is_empty(text, length)) continue;
        const CsvNumber read = read_cell(state, text, length, c, frame);
        if (read == CSV_ROUNDED)
            halo_note(&reader->info.notes,
                      sample_at(state, frame, c) != 0 ? HALO_NOTE_ROUNDED : HALO_NOTE_VANISHED, 1);
        else if (read != CSV_NUMBER && !reader->options.tolerate)
            return no_number(state, column, read, text, length);
    }
    return HALO_OK;
}

/* ---- the beginning -------------------------------------------------------------------------------------- */

/* "2,3" to columns from 0 on, which have to rise. */
static HaloStatus choose_columns(const HaloReader *reader, CsvReader *state)
{
    const char *at = reader->options.columns;
    state->channels = 0;
    if (at == NULL)
        while (state->channels < state->columns)
            state->column[state->channels] = state->channels, state->channels++;
    while (at != NULL) {
        int64_t number;
        if (!halo_read_count(at, INT32_MAX, &number, &at) || number < 1 || (*at != ',' && *at != 0))
            return halo_fail(HALO_ERR_USAGE, "columns are numbers from 1 on, such as 2,3: found '%.40s'",
                             reader->options.columns);
        if (number > state->columns)
            return halo_fail(HALO_ERR_INPUT, "there is no column %lld: the table has %d", (long long)number,
                             state->columns);
        if (state->channels > 0 && number - 1 <= state->column[state->channels - 1])
            return halo_fail(HALO_ERR_USAGE, "columns have to be in ascending order: '%.40s'",
                             reader->options.columns);
        state->column[state->channels++] = (int)number - 1;
        at = *at == ',' ? at + 1 : NULL;
    }
    return HALO_OK;
}

/* A row that has a word in it names the columns. */
static bool is_header(CsvReader *state)
{
    for (int i = 0; i < state->columns; i++) {
        size_t length;
        float value;
        const char *text = halo_cell(&state->cells, i, &length);
        if (!is_empty(text, length) && csv_read_number(text, length, &value) == CSV_NO_NUMBER) return true;
    }
    return false;
}

/* The names of the columns that are read, as a row of a table. */
static HaloStatus keep_names(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    size_t capacity = 1, used = 0, length;
    char *names = NULL;
    for (int c = 0; c < state->channels; c++) {
        halo_cell(&state->cells, state->column[c], &length);
        capacity += csv_name_size(length) + 1;
    }
    if ((names = malloc(capacity)) == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
    for (int c = 0; c < state->channels; c++) {
        const char *name = halo_cell(&state->cells, state->column[c], &length);
        if (c > 0) names[used++] = ',';
        used += csv_write_name(name, length, ',', names + used);
    }
    HALO_TRY(halo_text_add(&reader->info.meta, CSV_NAMES, names, used, HALO_UTF_8));
out:
    free(names);
    return status;
}

static HaloStatus open_table(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(halo_cells_open(&state->cells, reader->source, true));
    state->columns = state->cells.count;
    if (state->columns == 0) HALO_FAIL(HALO_ERR_INPUT, "the table has no rows");
    if (state->columns > CSV_MOST_COLUMNS) HALO_FAIL(HALO_ERR_LIMIT, "more than %d columns", CSV_MOST_COLUMNS);
    HALO_TRY(choose_columns(reader, state));
    state->first = !is_header(state);
    if (!state->first) HALO_TRY(keep_names(reader, state));
out:
    return status;
}

HaloStatus csv_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloInfo *info = &reader->info;
    CsvReader *state = calloc(1, sizeof *state);
    reader->state = state;
    if (state == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
    HALO_TRY(open_table(reader, state));
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = reader->options.wide ? HALO_F64 : HALO_F32,
                              .width = -1,
                              .height = 1,
                              .channels = state->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = reader->options.rate > 0 ? reader->options.rate : 1};
    info->rate_said = true;
    info->bits = 64;
    info->real = true;
    halo_snprintf(info->encoding, sizeof info->encoding, "text, %d column%s", state->columns,
                  halo_s(state->columns));
out:
    return status;
}

HaloStatus csv_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    CsvReader *state = reader->state;
    char *frame = rows->data;
    const size_t size = (size_t)state->channels * halo_dtype_size(rows->shape.dtype);
    state->bits = rows->shape.dtype == HALO_F64 ? 64 : 32;
    for (*got = 0; *got < rows->cols; ++*got, frame += size) {
        if (!state->first) HALO_TRY(halo_cells_next(&state->cells));
        state->first = false;
        if (state->cells.count == 0) break;
        HALO_TRY(read_frame(reader, state, frame));
    }
out:
    return status;
}

void csv_close(HaloReader *reader)
{
    CsvReader *state = reader->state;
    if (state == NULL) return;
    halo_cells_free(&state->cells);
    free(state);
    reader->state = NULL;
}
