/* Numbers as text: columns of CSV. */
#ifndef HALO_IO_CSV_H
#define HALO_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "halo/cells.h"
#include "halo/format.h"

/* The key of a text (HaloMeta) that names the columns: a row of a table, with commas. */
#define CSV_NAMES "Columns"

#define CSV_MOST_COLUMNS HALO_MOST_CELLS
#define CSV_NUMBER_SIZE 32

typedef enum CsvNumber {
    CSV_NO_NUMBER,
    CSV_TOO_LARGE, /* a number that would become infinite */
    CSV_ROUNDED,   /* a number that loses more than a fraction, or becomes 0 */
    CSV_NUMBER
} CsvNumber;

/* csv_number.c: a number, "nan" and "inf" among them, to the nearest float. Blanks around it do not count. */
CsvNumber csv_read_number(const char *text, size_t length, float *value);
/* The same to the nearest f64: CSV_ROUNDED is an integer that loses digits, or a number that becomes 0. */
CsvNumber csv_read_wide(const char *text, size_t length, double *value);
/* The fewest digits that are read back as this float. Returns how many characters. */
size_t csv_write_number(float value, char text[CSV_NUMBER_SIZE]);
/* csv_digits.c: the same of f64. */
size_t csv_write_wide(double value, char text[CSV_NUMBER_SIZE]);
/* `digits` are `count`, and the first of them stands for 10^power. */
size_t csv_put_digits(uint64_t digits, int count, int power, char *to);

/* csv_name.c: a cell that is read back as this text, in quotation marks where it needs them; into `to`, which
 * has csv_name_size bytes. Returns how many it took. */
size_t csv_write_name(const char *name, size_t length, char separator, char *to);
static inline size_t csv_name_size(size_t length) { return 2 * length + 2; }

/* csv_read.c */
HaloStatus csv_open(HaloReader *reader);
HaloStatus csv_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void csv_close(HaloReader *reader);

/* csv_write.c */
HaloStatus csv_create(HaloWriter *writer);
HaloStatus csv_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus csv_finish(HaloWriter *writer);
void csv_discard(HaloWriter *writer);

#endif
