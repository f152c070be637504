/* Reading a table as sound: a line is a frame, a column a channel. Lines come one after the other, so that a
 * table may be longer than memory, and may still be growing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "halo/text.h"
#include "meta/meta.h"

#define BLOCK 65536
#define LONGEST_LINE (1 << 20)

typedef struct Cell {
    const char *at;
    size_t length;
} Cell;

typedef struct CsvReader {
    char *text; /* what has been read and not yet taken: [from, filled) of `room` bytes */
    size_t from, filled, room;
    bool at_end;
    long long line;    /* the one that was taken last, from 1 on */
    char between;      /* cells; ' ': any blanks */
    const char *first; /* the first row of numbers, which has been looked at already; NULL: it has been read */
    size_t first_length;
    char *first_copy;
    int columns;                  /* of the table */
    int channels;                 /* of these, */
    int column[CSV_MOST_COLUMNS]; /* the ones that are read, from 0 on */
} CsvReader;

/* ---- lines ---------------------------------------------------------------------------------------------- */

static HaloStatus fill(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    size_t got;
    memmove(state->text, state->text + state->from, state->filled - state->from);
    state->filled -= state->from;
    state->from = 0;
    if (state->room - state->filled < BLOCK) {
        if (state->room > LONGEST_LINE)
            HALO_FAIL(HALO_ERR_INPUT, "line %lld has more than %d bytes", state->line + 1, LONGEST_LINE);
        char *more = realloc(state->text, 2 * state->room);
        if (more == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
        state->text = more;
        state->room *= 2;
    }
    /* What is there, and no more: somebody may be waiting for it. */
    HALO_TRY(halo_source_take(reader->source, state->text + state->filled, BLOCK, &got));
    state->filled += got;
    state->at_end = got == 0;
out:
    return status;
}

/* The next line, which lasts until the one after; *line is NULL where there is none. */
static HaloStatus take_line(HaloReader *reader, CsvReader *state, Cell *line)
{
    const char *end;
    while ((end = memchr(state->text + state->from, '\n', state->filled - state->from)) == NULL &&
           !state->at_end) {
        const HaloStatus status = fill(reader, state);
        if (status != HALO_OK) return status;
    }
    line->at = state->text + state->from;
    line->length = end != NULL ? (size_t)(end - line->at) : state->filled - state->from;
    state->from += line->length + (end != NULL);
    if (end == NULL && line->length == 0) line->at = NULL;
    if (line->length > 0 && line->at[line->length - 1] == '\r') line->length--;
    state->line += line->at != NULL;
    return HALO_OK;
}

static bool is_blank(Cell line)
{
    for (size_t i = 0; i < line.length; i++)
        if (!halo_is_blank(line.at[i])) return false;
    return true;
}

/* The next line that is neither blank nor a remark. */
static HaloStatus take_row(HaloReader *reader, CsvReader *state, Cell *line)
{
    HaloStatus status;
    do {
        status = take_line(reader, state, line);
    } while (status == HALO_OK && line->at != NULL && (is_blank(*line) || line->at[0] == '#'));
    if (status == HALO_OK && line->at != NULL && memchr(line->at, 0, line->length) != NULL)
        return halo_fail(HALO_ERR_INPUT, "line %lld has a zero byte: this is no table", state->line);
    return status;
}

/* ---- cells ---------------------------------------------------------------------------------------------- */

static Cell trimmed(Cell cell)
{
    while (cell.length > 0 && halo_is_blank(cell.at[0])) cell = (Cell){cell.at + 1, cell.length - 1};
    while (cell.length > 0 && halo_is_blank(cell.at[cell.length - 1])) cell.length--;
    return cell;
}

/* Takes the next cell off a line, without its quotation marks. False: there is none. */
static bool take_cell(Cell *line, char between, bool *more, Cell *cell)
{
    if (!*more) return false;
    if (between == ' ') {
        *line = trimmed(*line);
        if (line->length == 0) return false;
    }
    size_t n = 0;
    for (bool quoted = false; n < line->length; n++) {
        if (line->at[n] == '"') quoted = !quoted;
        if (!quoted && (line->at[n] == between || (between == ' ' && halo_is_blank(line->at[n])))) break;
    }
    *cell = trimmed((Cell){line->at, n});
    *more = n < line->length;
    *line = (Cell){line->at + n + *more, line->length - n - *more};
    if (cell->length >= 2 && cell->at[0] == '"' && cell->at[cell->length - 1] == '"')
        *cell = (Cell){cell->at + 1, cell->length - 2};
    return true;
}

/* Tabs, semicolons or commas, whichever comes first in this order; else blanks. */
static char find_between(Cell line)
{
    static const char may[] = "\t;,";
    for (int i = 0; may[i] != 0; i++)
        if (memchr(line.at, may[i], line.length) != NULL) return may[i];
    return ' ';
}

static HaloStatus no_number(const CsvReader *state, int column, Cell cell)
{
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d: '%.*s' is no number", state->line, column + 1,
                     (int)(cell.length < 40 ? cell.length : 40), cell.at);
}

/* One frame. Cells that are missing at the end are empty, and empty cells NaN. */
static HaloStatus read_frame(const HaloReader *reader, const CsvReader *state, Cell line, float *frame)
{
    Cell cell;
    bool more = true;
    int column = 0, channel = 0;
    for (int c = 0; c < state->channels; c++) frame[c] = NAN;
    for (; take_cell(&line, state->between, &more, &cell); column++) {
        if (column >= state->columns && !reader->options.tolerate)
            return halo_fail(HALO_ERR_INPUT, "line %lld has more cells than the %d before", state->line,
                             state->columns);
        if (channel == state->channels || column != state->column[channel]) continue;
        if (cell.length > 0 && !csv_read_number(cell.at, cell.length, &frame[channel]) &&
            !reader->options.tolerate)
            return no_number(state, column, cell);
        channel++;
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
            return halo_fail(HALO_ERR_USAGE, "columns are named in their order: '%.40s'",
                             reader->options.columns);
        state->column[state->channels++] = (int)number - 1;
        at = *at == ',' ? at + 1 : NULL;
    }
    return HALO_OK;
}

/* A line that has a word in it names the columns. */
static bool is_header(const CsvReader *state, Cell line)
{
    Cell cell;
    float value;
    for (bool more = true; take_cell(&line, state->between, &more, &cell);)
        if (cell.length > 0 && !csv_read_number(cell.at, cell.length, &value)) return true;
    return false;
}

static HaloStatus count_columns(CsvReader *state, Cell line)
{
    Cell cell;
    for (bool more = true; take_cell(&line, state->between, &more, &cell);)
        if (++state->columns > CSV_MOST_COLUMNS)
            return halo_fail(HALO_ERR_LIMIT, "more than %d columns", CSV_MOST_COLUMNS);
    return HALO_OK;
}

/* The names of the columns that are read, one in a line. */
static HaloStatus keep_names(HaloReader *reader, const CsvReader *state, Cell line)
{
    HaloStatus status = HALO_OK;
    Cell cell;
    size_t used = 0;
    int channel = 0, column = 0;
    char *names = malloc(line.length + CSV_MOST_COLUMNS + 1);
    if (names == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
    for (bool more = true; take_cell(&line, state->between, &more, &cell); column++) {
        if (channel == state->channels || column != state->column[channel]) continue;
        if (channel++ > 0) names[used++] = '\n';
        for (size_t i = 0; i < cell.length; i++) {
            names[used++] = cell.at[i];
            i += cell.at[i] == '"'; /* which is written twice */
        }
    }
    HALO_TRY(halo_text_add(&reader->info.meta, CSV_NAMES, names, used, HALO_UTF_8));
out:
    free(names);
    return status;
}

static HaloStatus open_table(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    Cell line;
    HALO_TRY(take_row(reader, state, &line));
    if (state->filled >= 3 && state->line == 1 && line.at != NULL &&
        memcmp(state->text, "\xef\xbb\xbf", 3) == 0)
        line = (Cell){line.at + 3, line.length - 3}; /* a byte order mark */
    if (line.at == NULL) HALO_FAIL(HALO_ERR_INPUT, "the table has no rows");
    state->between = find_between(line);
    HALO_TRY(count_columns(state, line));
    HALO_TRY(choose_columns(reader, state));
    if (is_header(state, line)) {
        HALO_TRY(keep_names(reader, state, line));
    } else {
        state->first_copy = malloc(line.length + 1);
        if (state->first_copy == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
        memcpy(state->first_copy, line.at, line.length);
        state->first_length = line.length;
        state->first = state->first_copy;
    }
out:
    return status;
}

HaloStatus csv_open(HaloReader *reader)
{
    HaloStatus status = HALO_OK;
    HaloInfo *info = &reader->info;
    CsvReader *state = calloc(1, sizeof *state);
    reader->state = state;
    if (state == NULL || (state->text = malloc(2 * BLOCK)) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
    state->room = 2 * BLOCK;
    HALO_TRY(open_table(reader, state));
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = HALO_F32,
                              .width = -1,
                              .height = 1,
                              .channels = state->channels,
                              .alpha = -1,
                              .white = 1.0f,
                              .rate = reader->options.rate > 0 ? reader->options.rate : 1};
    info->rate_said = true;
    info->bits = 32;
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
    float *frame = rows->data;
    for (*got = 0; *got < rows->cols; ++*got, frame += state->channels) {
        Cell line = {state->first, state->first_length};
        if (state->first == NULL) HALO_TRY(take_row(reader, state, &line));
        state->first = NULL;
        if (line.at == NULL) break;
        HALO_TRY(read_frame(reader, state, line, frame));
    }
out:
    return status;
}

void csv_close(HaloReader *reader)
{
    CsvReader *state = reader->state;
    if (state == NULL) return;
    free(state->text);
    free(state->first_copy);
    free(state);
    reader->state = NULL;
}
