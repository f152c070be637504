/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Tables as text (CSV), row by row (io/bytes/cells.c): RFC 4180, read as generously as Python's csv module
 * reads it. A quotation mark at the beginning of a cell opens a text that may hold separators, line breaks and,
 * written twice, quotation marks; anywhere else it is a character like others. Lines end with LF, CR LF or CR.
 * Beyond that, blanks round cells do not count, and rows without any cell are skipped. */
#ifndef HALO_CELLS_H
#define HALO_CELLS_H

#include "halo/lines.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HALO_MOST_CELLS 4096    /* of a row that are kept; further ones are only counted */
#define HALO_MOST_ROW (1 << 20) /* bytes of a row */

typedef struct HaloCell {
    size_t at, length; /* in its row */
    bool quoted;       /* still in its quotation marks */
} HaloCell;

/* Set by halo_cells_open; freed in any case. */
typedef struct HaloCells {
    HaloLines lines;
    char separator; /* ' ': any blanks */
    bool comments;  /* rows that begin with # are skipped */

    /* The present row: */
    int count;      /* of cells; 0: there is no further row */
    long long line; /* in which it begins, from 1 */
    HaloCell cell[HALO_MOST_CELLS];

    size_t begin, size; /* its bytes in `lines.text`, the end of the line included */
    long long breaks;   /* in quotation marks */
    size_t from, to;    /* of the cell that is being read, and the end of it without trailing blanks */
    int state;
    bool after_cr;
    size_t kept_from; /* of halo_cells_keep: the row to return to */
    long long kept_line;
} HaloCells;

/* Skips a byte order mark, finds the separator in the first row (the first of `separators` that occurs; else
 * blanks), and reads that row. */
#define HALO_SEPARATORS "\t;,"
HaloStatus halo_cells_open(HaloCells *cells, HaloSource *source, const char *separators, bool comments);
/* The same for a table whose separator is known, without comments and byte order mark. */
HaloStatus halo_cells_of(HaloCells *cells, HaloSource *source, char separator);
void halo_cells_free(HaloCells *cells);
/* Reads all of a text that cannot be read twice into memory, which is counted and added to *held, so that
 * halo_cells_return can go back to the row that is the present one now. */
HaloStatus halo_cells_keep(HaloCells *cells, HaloMemory *memory, int64_t *held);
HaloStatus halo_cells_return(HaloCells *cells);
/* The next row, which lasts until the one after. HALO_ERR_INPUT for zero bytes, a quotation mark that is not
 * closed, and a row that is too long. */
HaloStatus halo_cells_next(HaloCells *cells);
/* Cell i < count, i < HALO_MOST_CELLS, of the present row, without its quotation marks. No zero byte ends it.
 */
const char *halo_cell(HaloCells *cells, int i, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
