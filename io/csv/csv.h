/* Numbers in text: columns of CSV. */
#ifndef HALO_IO_CSV_H
#define HALO_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "halo/format.h"

/* The key of a text (HaloMeta) that names the columns, one in a line. */
#define CSV_NAMES "Columns"

#define CSV_MOST_COLUMNS 1024
#define CSV_NUMBER_ROOM 32

/* csv_number.c: a number with no blanks around it, "nan" and "inf" among them, to the nearest double and then
 * to the nearest float. False: it is none, or so large that it would become infinite. */
bool csv_read_number(const char *text, size_t length, float *value);
/* The fewest digits that are read back as this float. Returns how many characters. */
size_t csv_write_number(float value, char room[CSV_NUMBER_ROOM]);

/* csv_read.c */
HaloStatus csv_open(HaloReader *reader);
HaloStatus csv_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void csv_close(HaloReader *reader);

#endif
