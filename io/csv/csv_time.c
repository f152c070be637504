/* The column that holds the times of the rows. They are read before the samples, since the rate is to be known
 * before anything is planned; from a pipe that takes all of it, unless --rate says what the times will be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "halo/text.h"
#include "meta/timeline.h"
#include "meta/times.h"

#define BOTH_SIZE 160 /* of a date and a time of day */
#define HALF_DAY (43200 * HALO_SECOND)

/* ---- which column --------------------------------------------------------------------------------------- */

static const char *name_of(const CsvReader *state, int column)
{
    return column < state->names.count ? state->names.name[column] : "";
}

/* The time of the present row: of two columns, both with a blank between. */
static const char *time_cell(CsvReader *state, int column, bool clock, char both[BOTH_SIZE], size_t *length)
{
    size_t of_date, of_clock = 0;
    const char *date = halo_cell(&state->cells, column, &of_date), *time = "";
    *length = of_date;
    if (!clock) return date;
    while (of_date > 0 && halo_is_blank(date[of_date - 1])) of_date--;
    while (of_date > 0 && halo_is_blank(*date)) date++, of_date--;
    if (column + 1 < state->cells.count) time = halo_cell(&state->cells, column + 1, &of_clock);
    *length = 0;
    if (of_date + of_clock + 1 > BOTH_SIZE || csv_date_length(date, of_date) < of_date) return both;
    memcpy(both, date, of_date);
    both[of_date] = ' ';
    memcpy(both + of_date + 1, time, of_clock);
    *length = of_date + of_clock + 1;
    return both;
}

/* Does the first row have a date in this column, and a time of day in the next? */
static bool has_clock(const HaloReader *reader, CsvReader *state, int column, HaloNotation *notation)
{
    size_t length;
    char both[BOTH_SIZE];
    int64_t time;
    HaloNotation clock;
    if (column + 1 >= state->cells.count || column + 1 >= state->columns) return false;
    const char *text = halo_cell(&state->cells, column + 1, &length);
    if (!halo_time_guess(text, length, &clock) || clock.dated) return false;
    text = time_cell(state, column, true, both, &length);
    return reader->options.time_format != NULL
               ? halo_time_format(reader->options.time_format, notation) == HALO_OK && notation->dated &&
                     halo_time_read(notation, text, length, &time)
               : halo_time_guess(text, length, notation) && notation->dated;
}

/* Does the first row have a time in this column? `wanted`: --time names it. */
static bool is_time(const HaloReader *reader, CsvReader *state, int column, bool wanted, HaloNotation *notation)
{
    size_t length;
    int64_t time;
    const char *text = halo_cell(&state->cells, column, &length), *name = name_of(state, column);
    if (csv_is_missing(text, length)) return false;
    state->clock = has_clock(reader, state, column, notation);
    if (state->clock) return true;
    if (reader->options.time_format != NULL)
        return halo_time_format(reader->options.time_format, notation) == HALO_OK &&
               halo_time_read(notation, text, length, &time);
    if (halo_time_guess(text, length, notation)) return true;
    return (wanted || halo_time_is_name(name)) && halo_time_guess_number(name, text, length, notation);
}

static HaloStatus not_a_time(const HaloReader *reader, CsvReader *state, int column)
{
    if (reader->options.time_format != NULL)
        return csv_fail_at(state, column, "is not a time as --time-format has it");
    return csv_fail_at(state, column,
                       "is not a time that is recognised: --time-format says how it is written, such as "
                       "%d/%m/%Y %H:%M:%S; --time=none reads no times");
}

/* --time: a number or a name. */
static HaloStatus find_named(const HaloReader *reader, CsvReader *state)
{
    const char *wanted = reader->options.time, *end;
    int64_t number;
    for (int c = 0; c < state->names.count && state->time < 0; c++)
        if (strcmp(state->names.name[c], wanted) == 0) state->time = c;
    if (state->time >= 0) return HALO_OK;
    if (!halo_read_count(wanted, INT32_MAX, &number, &end) || *end != 0)
        return halo_fail(HALO_ERR_INPUT, "--time: there is no column '%.40s'", wanted);
    if (number < 1 || number > state->columns)
        return halo_fail(HALO_ERR_INPUT, "--time: there is no column %lld: the table has %d", (long long)number,
                         state->columns);
    state->time = (int)number - 1;
    return HALO_OK;
}

/* A cell that would be refused as a number later, though it may well be a time. */
static bool looks_like_time(const HaloReader *reader, CsvReader *state, int column)
{
    size_t length;
    float value;
    const char *text = halo_cell(&state->cells, column, &length);
    if (csv_is_missing(text, length) ||
        csv_read_cell(reader->options.comma, text, length, &value, NULL) != CSV_NO_NUMBER)
        return false;
    return halo_time_is_name(name_of(state, column)) || halo_time_is_ambiguous(text, length);
}

bool csv_is_time(const CsvReader *state, int column)
{
    return state->time >= 0 && column >= state->time && column <= state->time + state->clock;
}

size_t csv_date_length(const char *text, size_t length)
{
    const char *blank = memchr(text, ' ', length);
    return blank != NULL ? (size_t)(blank - text) : length;
}

HaloStatus csv_find_time(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    const char *wanted = reader->options.time;
    HaloNotation *notation = &reader->info.meta.time.notation;
    const int cells = state->cells.count < state->columns ? state->cells.count : state->columns;
    state->time = -1;
    if (reader->options.time_format != NULL) HALO_TRY(halo_time_format(reader->options.time_format, notation));
    if ((wanted != NULL && strcmp(wanted, "none") == 0) || cells == 0) return HALO_OK;
    if (wanted != NULL) {
        HALO_TRY(find_named(reader, state));
        if (state->time >= cells || !is_time(reader, state, state->time, true, notation))
            HALO_TRY(not_a_time(reader, state, state->time));
        return HALO_OK;
    }
    for (int c = 0; c < cells && state->time < 0; c++) {
        if (is_time(reader, state, c, false, notation))
            state->time = c;
        else if (looks_like_time(reader, state, c))
            HALO_TRY(not_a_time(reader, state, c));
    }
    if (state->time < 0 && reader->options.time_format != NULL)
        HALO_FAIL(HALO_ERR_INPUT, "line %lld: no column has a time as --time-format has it", state->cells.line);
out:
    return status;
}

/* ---- times ---------------------------------------------------------------------------------------------- */

/* The time of the present row. A clock goes on at midnight, whichever way it runs. */
static HaloStatus read_time(HaloReader *reader, CsvReader *state, bool first, int64_t *time)
{
    size_t length = 0;
    char both[BOTH_SIZE];
    HaloNotation *notation = &reader->info.meta.time.notation;
    const char *text =
        state->time < state->cells.count ? time_cell(state, state->time, state->clock, both, &length) : "";
    if (!halo_time_read(notation, text, length, time)) {
        *time = state->last;
        if (reader->options.tolerate && !first) {
            halo_note(&reader->info.notes, HALO_NOTE_GAPS, 1);
            return HALO_OK;
        }
        return csv_fail_at(state, state->time, "is not a time as in the rows before it");
    }
    if (notation->zones > 1 && reader->info.notes.count[HALO_NOTE_ZONES] == 0)
        halo_note_zones(&reader->info.notes, notation->zone, notation->other_zone);
    if (notation->pattern[0] != 0 && !notation->dated) {
        if (!first && *time + state->shift < state->last - HALF_DAY) state->shift += 2 * HALF_DAY;
        if (!first && *time + state->shift > state->last + HALF_DAY) state->shift -= 2 * HALF_DAY;
        *time += state->shift;
    }
    state->last = *time;
    return HALO_OK;
}

static HaloStatus grow(HaloReader *reader, CsvReader *state, int64_t **at, int64_t *capacity)
{
    HaloStatus status = HALO_OK;
    const int64_t more = *capacity > 0 ? *capacity : 4096, bytes = more * (int64_t)sizeof **at;
    HALO_TRY(halo_memory_hold(reader->memory, bytes));
    state->held += bytes;
    int64_t *grown = realloc(*at, (size_t)(*capacity + more) * sizeof **at);
    if (grown == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for the times of a table");
    *at = grown;
    *capacity += more;
out:
    return status;
}

/* The name of the column, and where it stands among those that are read. */
static HaloStatus begin_timeline(HaloReader *reader, const CsvReader *state)
{
    HaloTimeline *timeline = &reader->info.meta.time;
    timeline->name = strdup(name_of(state, state->time));
    if (state->clock) timeline->clock = strdup(name_of(state, state->time + 1));
    if (timeline->name == NULL || (state->clock && timeline->clock == NULL))
        return halo_fail(HALO_ERR_LIMIT, "not enough memory to read a table");
    while (timeline->column < state->channels && state->column[timeline->column] < state->time)
        timeline->column++;
    return HALO_OK;
}

/* The first row whose time turns back from the way that those before it go; 0: there is none. */
static int64_t find_turn(const HaloTimeline *timeline)
{
    int64_t way = 0;
    for (int64_t k = 1; k < timeline->frames; k++) {
        const int64_t step = timeline->at[k] - timeline->at[k - 1];
        if ((way > 0 && step < 0) || (way < 0 && step > 0)) return k;
        if (step != 0) way = step;
    }
    return 0;
}

static void note_uneven(HaloReader *reader, int64_t odd)
{
    const HaloTimeline *timeline = &reader->info.meta.time;
    const int64_t turn = find_turn(timeline);
    reader->info.notes.unsorted = turn > 0;
    if (turn > 0) odd = turn;
    halo_note(&reader->info.notes, HALO_NOTE_UNEVEN, 1);
    reader->info.notes.odd_row = odd + 1;
    reader->info.notes.odd_step = 1e-9 * (double)(timeline->at[odd] - timeline->at[odd - 1]);
    reader->info.notes.usual_step = 1e-9 * (double)timeline->span / (double)timeline->steps;
}

HaloStatus csv_read_times(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HaloShape *shape = &reader->info.shape;
    int64_t *at = NULL, capacity = 0, frames = 0, odd;
    double rate;
    bool regular;
    HALO_TRY(begin_timeline(reader, state));
    for (; state->cells.count > 0; frames++) {
        if (frames == capacity) HALO_TRY(grow(reader, state, &at, &capacity));
        HALO_TRY(read_time(reader, state, frames == 0, &at[frames]));
        HALO_TRY(halo_cells_next(&state->cells));
    }
    status = halo_timeline_set(&reader->info.meta.time, at, frames, &rate, &regular, &odd);
    at = NULL;
    HALO_TRY(status);
    shape->width = frames;
    if (reader->options.rate > 0) goto out;
    if (frames > 1) reader->info.rate_said = false;
    if (frames > 1) shape->rate = rate;
    if (!regular) note_uneven(reader, odd);
out:
    free(at);
    return status;
}

HaloStatus csv_expect_times(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HaloTimeline *timeline = &reader->info.meta.time;
    const double rate = reader->options.rate;
    const int64_t parts = rate == rint(rate) && rate < 1e9 ? (int64_t)rate : 1000000;
    HALO_TRY(begin_timeline(reader, state));
    timeline->steps = parts;
    timeline->span = llrint(fmin((double)parts * 1e9 / rate, 9e18));
    state->checked = true;
    HALO_TRY(read_time(reader, state, true, &timeline->start));
out:
    return status;
}

HaloStatus csv_check_time(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    const HaloTimeline *timeline = &reader->info.meta.time;
    int64_t time;
    if (!state->checked) return HALO_OK;
    HALO_TRY(read_time(reader, state, state->frame == 0, &time));
    const double off = fabs((double)(time - halo_time_at(timeline, NULL, state->frame)));
    const double step = fabs((double)timeline->span / (double)timeline->steps);
    state->frame++;
    if (off <= fmax(step / 1000, (double)halo_time_unit(&timeline->notation))) return HALO_OK;
    return csv_fail_at(
        state, state->time,
        "is not the time that follows from the first one and --rate; without --rate times are read first");
out:
    return status;
}
