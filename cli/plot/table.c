#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS ((int)(sizeof((CliTable *)0)->name / sizeof(char *)))

typedef struct Reader {
    const char *at, *end;
    char between;
    long long line;
    CliText cell;
} Reader;

/* Takes the next cell of the line, without its quotation marks and the blanks around it. False: the line ended
 * before. */
static bool next_cell(Reader *reader, bool *more)
{
    bool quoted = false;
    if (!*more) return false;
    reader->cell.length = 0;
    cli_add(&reader->cell, "", 0); /* its zero byte, also of an empty cell */
    for (; reader->at < reader->end && (quoted || (*reader->at != '\n' && *reader->at != reader->between));
         reader->at++) {
        if (*reader->at == '"')
            quoted = !quoted;
        else if (*reader->at != '\r' && (reader->cell.length > 0 || *reader->at != ' '))
            cli_add_char(&reader->cell, *reader->at);
    }
    while (reader->cell.length > 0 && reader->cell.data[reader->cell.length - 1] == ' ')
        reader->cell.data[--reader->cell.length] = 0;
    *more = reader->at < reader->end && *reader->at == reader->between;
    if (reader->at < reader->end) reader->at++;
    return true;
}

static HaloStatus read_names(Reader *reader, CliTable *table)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    const size_t length = (size_t)((end != NULL ? end : reader->end) - reader->at);
    size_t begin[MOST_COLUMNS];
    bool more = true;
    reader->between = memchr(reader->at, '\t', length) != NULL ? '\t' : ',';
    while (next_cell(reader, &more)) {
        if (table->columns == MOST_COLUMNS)
            return halo_fail(HALO_ERR_LIMIT, "more than %d columns", MOST_COLUMNS);
        begin[table->columns++] = table->names.length;
        cli_add(&table->names, reader->cell.data, reader->cell.length);
        cli_add_char(&table->names, 0);
    }
    for (int c = 0; c < table->columns; c++) table->name[c] = table->names.data + begin[c];
    return HALO_OK;
}

static HaloStatus read_value(const Reader *reader, const CliTable *table, int column, double *value)
{
    const char *text = reader->cell.data;
    *value = NAN;
    if (column >= table->columns)
        return halo_fail(HALO_ERR_INPUT, "line %lld has more cells than the %d that the first line names",
                         reader->line, table->columns);
    if (*text == 0 || halo_read_number(text, value, NULL)) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d (%.40s): '%.40s' is no number", reader->line,
                     column + 1, table->name[column], text);
}

/* The first row says what the first column is. */
static bool is_label(const Reader *reader, CliTable *table)
{
    double value;
    if (table->rows == 0 && reader->cell.length > 0)
        table->labelled = !halo_read_number(reader->cell.data, &value, NULL);
    return table->labelled;
}

/* Lines may be short: the cells that are missing are empty. A line without anything is no row. */
static HaloStatus read_row(Reader *reader, CliTable *table)
{
    HaloStatus status = HALO_OK;
    bool more = true;
    double value = NAN;
    int column = 0;
    table->value =
        cli_grow(table->value, table->rows, &table->room, (size_t)table->columns * sizeof *table->value);
    double *row = table->value + table->rows * (size_t)table->columns;
    for (int c = 0; c < table->columns; c++) row[c] = NAN;
    reader->line++;
    while (next_cell(reader, &more)) {
        if (column == 0 && !more && reader->cell.length == 0) return HALO_OK;
        if (column == 0 && is_label(reader, table)) {
            cli_add(&table->labels, reader->cell.data, reader->cell.length);
            cli_add_char(&table->labels, 0);
            column++;
            continue;
        }
        HALO_TRY(read_value(reader, table, column, &value));
        row[column++] = value;
    }
    table->rows++;
out:
    return status;
}

HaloStatus cli_table_read(const char *path, CliTable *table)
{
    HaloStatus status = HALO_OK;
    const uint8_t *bytes = NULL;
    size_t size = 0;
    Reader reader = {.line = 1};
    HALO_TRY(halo_source_open(path, &table->source));
    HALO_TRY(halo_source_slurp(table->source, &bytes, &size));
    if (size > 0 && memchr(bytes, 0, size) != NULL)
        HALO_FAIL(HALO_ERR_INPUT, "is no table: it has a zero byte");
    reader.at = (const char *)bytes;
    reader.end = reader.at + size;
    HALO_TRY(read_names(&reader, table));
    while (reader.at < reader.end) HALO_TRY(read_row(&reader, table));
out:
    free(reader.cell.data);
    return status == HALO_OK ? status : halo_fail_about(status, path);
}

void cli_table_free(CliTable *table)
{
    halo_source_close(table->source);
    free(table->names.data);
    free(table->labels.data);
    free(table->value);
}
