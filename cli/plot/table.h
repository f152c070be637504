/* A table of numbers as text (CSV, as halo/cells.h has it): a line that names the columns, then a line of
 * numbers for every row, before which a word may stand that names the row. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "halo/extend.h"
#include "text/text.h"

typedef struct CliTable {
    CliText names, labels; /* one behind the other, each with its zero byte */
    bool labelled;         /* the first column is words: those of the rows */
    int columns;
    const char *name[64];
    double *value; /* [rows][columns]; NaN: an empty cell, or a word */
    size_t rows, capacity;
    HaloSource *source; /* where it is read from; or NULL */
} CliTable;

/* From the source, which is set. HALO_ERR_INPUT names the line and the column. Free it in any case. */
HaloStatus cli_table_read(CliTable *table);
void cli_table_free(CliTable *table);

#endif
