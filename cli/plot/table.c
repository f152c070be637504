#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/cells.h"

#define MOST_COLUMNS ((int)(sizeof((CliTable *)0)->name / sizeof(char *)))
/* Of the values and the names of rows together: far more than a drawing shows. */
#define MOST_BYTES ((size_t)128 << 20)

/* The present row's cell as a string, in `text`. */
static const char *cell_text(HaloCells *cells, int i, CliText *text)
{
    size_t length;
    const char *cell = halo_cell(cells, i, &length);
    text->length = 0;
    cli_add(text, cell, length);
    return text->data;
}

static HaloStatus read_names(HaloCells *cells, CliText *text, CliTable *table)
{
    size_t begin[MOST_COLUMNS];
    if (cells->count == 0) return halo_fail(HALO_ERR_INPUT, "the table has no rows");
    if (cells->count > MOST_COLUMNS) return halo_fail(HALO_ERR_LIMIT, "more than %d columns", MOST_COLUMNS);
    table->columns = cells->count;
    for (int c = 0; c < table->columns; c++) {
        begin[c] = table->names.length;
        const char *name = cell_text(cells, c, text);
        cli_add(&table->names, name, text->length + 1); /* with its zero byte */
    }
    for (int c = 0; c < table->columns; c++) table->name[c] = table->names.data + begin[c];
    return HALO_OK;
}

static HaloStatus read_value(const HaloCells *cells, const CliTable *table, int column, const char *text,
                             double *value)
{
    *value = NAN;
    if (*text == 0 || halo_read_number(text, value, NULL)) return HALO_OK;
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d (%.40s): '%.40s' is not a number", cells->line,
                     column + 1, table->name[column], text);
}

/* The first row says what the first column is. */
static bool is_label(const char *text, CliTable *table)
{
    double value;
    if (table->rows == 0 && *text != 0) table->labelled = !halo_read_number(text, &value, NULL);
    return table->labelled;
}

/* Lines may be short: the cells that are missing are empty. */
static HaloStatus read_row(HaloCells *cells, CliText *buffer, CliTable *table)
{
    HaloStatus status = HALO_OK;
    const size_t bytes = (size_t)table->columns * sizeof *table->value;
    if (cells->count > table->columns)
        HALO_FAIL(HALO_ERR_INPUT, "line %lld has more cells than the %d of the first line", cells->line,
                  table->columns);
    if ((table->rows + 1) * bytes + table->labels.length > MOST_BYTES)
        HALO_FAIL(HALO_ERR_LIMIT,
                  "line %lld: the table is too large to be drawn, with more than %zu MiB of numbers",
                  cells->line, MOST_BYTES >> 20);
    table->value = cli_grow(table->value, table->rows, &table->capacity, bytes);
    double *row = table->value + table->rows * (size_t)table->columns;
    for (int c = 0; c < table->columns; c++) {
        row[c] = NAN;
        if (c >= cells->count) continue;
        const char *text = cell_text(cells, c, buffer);
        if (c == 0 && is_label(text, table))
            cli_add(&table->labels, text, buffer->length + 1);
        else
            HALO_TRY(read_value(cells, table, c, text, &row[c]));
    }
    table->rows++;
out:
    return status;
}

HaloStatus cli_table_read(const char *path, CliTable *table)
{
    HaloStatus status = HALO_OK;
    CliText text = {0};
    HaloCells *cells = cli_alloc(1, sizeof *cells);
    HALO_TRY(halo_source_open(path, &table->source));
    HALO_TRY(halo_cells_open(cells, table->source, HALO_SEPARATORS, false));
    HALO_TRY(read_names(cells, &text, table));
    while (true) {
        HALO_TRY(halo_cells_next(cells));
        if (cells->count == 0) break;
        HALO_TRY(read_row(cells, &text, table));
    }
out:
    halo_cells_free(cells);
    free(cells);
    free(text.data);
    return status == HALO_OK
               ? status
               : halo_fail_about(status, table->source != NULL ? halo_source_name(table->source) : path);
}

void cli_table_free(CliTable *table)
{
    halo_source_close(table->source);
    free(table->names.data);
    free(table->labels.data);
    free(table->value);
}
