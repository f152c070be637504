/* Reads a table as sound: a line is a frame, a column a channel. It is read line by line, so a table may be
 * larger than memory, and may still be growing. */
#include <math.h>
#include <stdlib.h>

#include "csv.h"
#include "halo/text.h"
#include "meta/names.h"
#include "meta/times.h"

/* ---- rows ----------------------------------------------------------------------------------------------- */

static double sample_at(const CsvReader *state, const void *frame, int channel)
{
    return state->bits == 32 ? (double)((const float *)frame)[channel] : ((const double *)frame)[channel];
}

static void clear_sample(const CsvReader *state, void *frame, int channel)
{
    if (state->bits == 32)
        ((float *)frame)[channel] = NAN;
    else
        ((double *)frame)[channel] = (double)NAN;
}

static HaloStatus fail_at_cell(const HaloReader *reader, CsvReader *state, int column, CsvNumber read)
{
    size_t length;
    float value;
    const char *text = halo_cell(&state->cells, column, &length);
    if (read == CSV_TOO_LARGE)
        return csv_fail_at(state, column,
                           state->bits == 64 ? "is too large for a 64-bit float"
                                             : "is too large for a 32-bit float");
    if (!reader->options.comma && csv_read_cell(true, text, length, &value, NULL) != CSV_NO_NUMBER)
        return csv_fail_at(state, column, "is not a number; --decimal=, reads decimal commas");
    return csv_fail_at(state, column,
                       "is not a number; --columns leaves columns out, --tolerate takes such cells for gaps");
}

/* One frame. Cells that are missing at the end are empty, and empty cells NaN. */
static HaloStatus read_frame(HaloReader *reader, CsvReader *state, void *frame)
{
    HaloCells *cells = &state->cells;
    if (cells->count > state->columns && !reader->options.tolerate)
        return halo_fail(HALO_ERR_INPUT, "line %lld has more cells than the %d before", cells->line,
                         state->columns);
    if (cells->count > state->columns)
        halo_note(&reader->info.notes, HALO_NOTE_GAPS, (uint64_t)(cells->count - state->columns));
    for (int c = 0; c < state->channels; c++) {
        clear_sample(state, frame, c);
        const int column = state->column[c];
        size_t length;
        if (column >= cells->count) continue;
        const char *text = halo_cell(cells, column, &length);
        if (csv_is_missing(text, length)) continue;
        const bool wide = state->bits == 64;
        const CsvNumber read =
            csv_read_cell(reader->options.comma, text, length, wide ? NULL : (float *)frame + c,
                          wide ? (double *)frame + c : NULL);
        reader->info.notes.table |= read == CSV_ROUNDED;
        if (read == CSV_ROUNDED)
            halo_note(&reader->info.notes,
                      sample_at(state, frame, c) == 0 ? HALO_NOTE_VANISHED
                      : wide                          ? HALO_NOTE_ROUNDED_WIDE
                                                      : HALO_NOTE_ROUNDED,
                      1);
        else if (read != CSV_NUMBER && !reader->options.tolerate)
            return fail_at_cell(reader, state, column, read);
        else if (read != CSV_NUMBER)
            halo_note(&reader->info.notes, HALO_NOTE_GAPS, 1);
        if (read == CSV_TOO_LARGE) clear_sample(state, frame, c);
    }
    return csv_check_time(reader, state);
}

/* ---- the beginning -------------------------------------------------------------------------------------- */

/* A row that has a word in it names the columns. */
static bool is_header(const HaloReader *reader, CsvReader *state)
{
    const char *format = reader->options.time_format;
    for (int i = 0; i < state->columns; i++) {
        size_t length;
        int64_t time;
        HaloNotation notation;
        const char *text = halo_cell(&state->cells, i, &length);
        if (!csv_is_name(reader->options.comma, text, length)) continue;
        if (format != NULL && halo_time_format(format, &notation) == HALO_OK &&
            halo_time_read(&notation, text, length, &time))
            continue;
        return true;
    }
    return false;
}

/* Goes to the first row of numbers, behind the names. */
static HaloStatus begin_rows(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(
        halo_cells_open(&state->cells, reader->source, reader->options.comma ? "\t;" : HALO_SEPARATORS, true));
    if (state->columns == 0) { /* the first time */
        state->columns = state->cells.count;
        if (state->columns == 0) HALO_FAIL(HALO_ERR_INPUT, "the table has no rows");
        if (state->columns > CSV_MOST_COLUMNS)
            HALO_FAIL(HALO_ERR_LIMIT, "more than %d columns", CSV_MOST_COLUMNS);
        if (is_header(reader, state)) HALO_TRY(halo_names_of(&state->cells, &state->names));
    }
    if (state->names.count > 0) HALO_TRY(halo_cells_next(&state->cells));
    state->first = true;
out:
    return status;
}

/* Times are read first: then the rows are read once more, from the file or from memory. */
static HaloStatus open_table(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = reader->source;
    const int64_t from = halo_source_tell(source);
    const bool seeks = halo_source_seekable(source);
    HALO_TRY(begin_rows(reader, state));
    HALO_TRY(csv_find_time(reader, state));
    HALO_TRY(csv_choose_columns(reader, state));
    if (state->time < 0) return HALO_OK;
    if (!seeks && reader->options.rate > 0) return csv_expect_times(reader, state);
    if (!seeks) HALO_TRY(halo_cells_keep(&state->cells, reader->memory, &state->held));
    HALO_TRY(csv_read_times(reader, state));
    if (!seeks) return halo_cells_return(&state->cells);
    halo_cells_free(&state->cells);
    HALO_TRY(halo_source_seek(source, from));
    HALO_TRY(begin_rows(reader, state));
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
    info->rate_said = true;
    info->shape = (HaloShape){.kind = HALO_AUDIO,
                              .dtype = reader->options.wide ? HALO_F64 : HALO_F32,
                              .width = -1,
                              .height = 1,
                              .alpha = -1,
                              .white = 1.0f,
                              .numbers = true,
                              .rate = reader->options.rate > 0 ? reader->options.rate : 1};
    info->bits = 64;
    info->real = true;
    info->meta.comma = reader->options.comma;
    HALO_TRY(open_table(reader, state));
    info->shape.channels = state->channels;
    info->rate_assumed = reader->options.rate <= 0 && info->meta.time.name == NULL;
    halo_snprintf(info->encoding, sizeof info->encoding, "text, %d column%s", state->columns,
                  halo_s(state->columns));
out:
    return status;
}

HaloStatus csv_next_frame(HaloReader *reader, void *frame, bool *more)
{
    HaloStatus status = HALO_OK;
    CsvReader *state = reader->state;
    if (!state->first) HALO_TRY(halo_cells_next(&state->cells));
    state->first = false;
    *more = state->cells.count > 0;
    if (!*more && reader->info.shape.width >= 0 && !reader->options.tolerate)
        HALO_FAIL(HALO_ERR_INPUT, "has changed while it was being read");
    if (*more) HALO_TRY(read_frame(reader, state, frame));
out:
    return status;
}

HaloStatus csv_read(HaloReader *reader, HaloBuf *rows, int64_t *got)
{
    HaloStatus status = HALO_OK;
    CsvReader *state = reader->state;
    char *frame = rows->data;
    bool more = true;
    const size_t size = (size_t)state->channels * halo_dtype_size(rows->shape.dtype);
    state->bits = rows->shape.dtype == HALO_F64 ? 64 : 32;
    for (*got = 0; *got < rows->cols; ++*got, frame += size) {
        HALO_TRY(csv_next_frame(reader, frame, &more));
        if (!more) break;
    }
out:
    return status;
}

void csv_close(HaloReader *reader)
{
    CsvReader *state = reader->state;
    if (state == NULL) return;
    halo_cells_free(&state->cells);
    halo_memory_release(reader->memory, state->held);
    free(state->names.name);
    free(state);
    reader->state = NULL;
}
