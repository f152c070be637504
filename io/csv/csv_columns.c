/* Which columns of a table are read: by number, by name, and by range. */
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "halo/text.h"
#include "meta/names.h"

static HaloStatus add(CsvReader *state, int column)
{
    if (csv_is_time(state, column)) return HALO_OK; /* it comes back in any case */
    if (state->channels == CSV_MOST_COLUMNS)
        return halo_fail(HALO_ERR_LIMIT, "more than %d columns", CSV_MOST_COLUMNS);
    state->column[state->channels++] = column;
    return HALO_OK;
}

static int find_name(const CsvReader *state, const char *name)
{
    for (int c = 0; c < state->names.count; c++)
        if (strcmp(state->names.name[c], name) == 0) return c;
    return -1;
}

static HaloStatus no_such_name(const CsvReader *state, const char *name)
{
    char list[200] = "";
    size_t used = 0;
    if (state->names.count == 0)
        return halo_fail(HALO_ERR_INPUT,
                         "there is no column '%.40s': the columns have no names, but numbers from 1 on", name);
    for (int c = 0; c < state->names.count && used < sizeof list - 1; c++)
        used += (size_t)halo_snprintf(list + used, sizeof list - used, "%s%.40s", c > 0 ? ", " : "",
                                      state->names.name[c]);
    return halo_fail(HALO_ERR_INPUT, "there is no column '%.40s': the table has %s", name, list);
}

/* "2", "2-5", "2-" */
static bool read_range(const CsvReader *state, const char *text, int64_t range[2])
{
    const char *end;
    if (!halo_read_count(text, INT32_MAX, &range[0], &end)) return false;
    range[1] = range[0];
    if (*end == 0) return true;
    if (*end++ != '-') return false;
    range[1] = state->columns;
    return *end == 0 || (halo_read_count(end, INT32_MAX, &range[1], &end) && *end == 0);
}

/* A name, or, where no column is called so, a number or a range of them. */
static HaloStatus add_chosen(CsvReader *state, const char *word)
{
    HaloStatus status = HALO_OK;
    int64_t range[2];
    const int named = find_name(state, word);
    if (named >= 0) return add(state, named);
    if (!read_range(state, word, range)) return no_such_name(state, word);
    if (range[0] < 1 || range[1] < range[0])
        return halo_fail(HALO_ERR_USAGE, "--columns: '%.40s' is no range: columns are numbered from 1 on",
                         word);
    if (range[1] > state->columns)
        return halo_fail(HALO_ERR_INPUT, "there is no column %lld: the table has %d", (long long)range[1],
                         state->columns);
    for (int64_t c = range[0]; c <= range[1]; c++) HALO_TRY(add(state, (int)c - 1));
out:
    return status;
}

/* The list is a row of a table itself, so that a name with a comma stands in quotation marks. */
static HaloStatus choose(const char *list, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    HaloSource *source = NULL;
    HaloNames chosen = {0};
    HaloCells *cells = calloc(1, sizeof *cells);
    if (cells == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to read a table");
    HALO_TRY(halo_source_from_memory(list, strlen(list), &source));
    HALO_TRY(halo_cells_of(cells, source, ','));
    HALO_TRY(halo_names_of(cells, &chosen));
    if (chosen.count == 0)
        HALO_FAIL(HALO_ERR_USAGE, "--columns: expected names or numbers, such as temp or 2-5");
    for (int i = 0; i < chosen.count; i++) HALO_TRY(add_chosen(state, chosen.name[i]));
out:
    free(chosen.name);
    if (cells != NULL) halo_cells_free(cells);
    free(cells);
    halo_source_close(source);
    return status;
}

static HaloStatus name_channels(HaloReader *reader, const CsvReader *state)
{
    if (state->names.count == 0) return HALO_OK;
    const char **name = calloc((size_t)state->channels, sizeof *name);
    if (name == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for names of columns");
    for (int c = 0; c < state->channels; c++)
        name[c] = state->column[c] < state->names.count ? state->names.name[state->column[c]] : "";
    const HaloStatus status = halo_names_set(&reader->info.meta, state->channels, name);
    free(name);
    return status;
}

HaloStatus csv_choose_columns(HaloReader *reader, CsvReader *state)
{
    HaloStatus status = HALO_OK;
    state->channels = 0;
    if (reader->options.columns != NULL)
        HALO_TRY(choose(reader->options.columns, state));
    else
        for (int c = 0; c < state->columns; c++) HALO_TRY(add(state, c));
    if (state->channels == 0)
        HALO_FAIL(HALO_ERR_INPUT,
                  "the table has no column beside its times; --time=none reads these as numbers");
    HALO_TRY(name_channels(reader, state));
out:
    return status;
}
