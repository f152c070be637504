/* Numbers as text: columns of CSV. */
#ifndef HALO_IO_CSV_H
#define HALO_IO_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "halo/cells.h"
#include "halo/format.h"

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

typedef struct CsvReader {
    HaloCells cells;
    bool first;                   /* the present row has not been read as numbers yet */
    int columns;                  /* of the table */
    int bits;                     /* of the floats that they become */
    HaloNames names;              /* of all of them; or none */
    int channels;                 /* of the columns, */
    int column[CSV_MOST_COLUMNS]; /* the ones that are read as samples, from 0 on */
    int time;                     /* the one that holds times; -1: there is none */
    bool clock;                   /* that one has the date, and the one behind it the time of day */
    bool checked;                 /* each time has to be what --rate says, */
    int64_t frame;                /* of the next row */
    int64_t shift;                /* of a clock: days since the first row, in nanoseconds */
    int64_t last;                 /* the time of the row before */
    int64_t held;                 /* bytes */
} CsvReader;

/* csv_cell.c: a cell without a number: empty, NA, N/A, null, - */
bool csv_is_missing(const char *text, size_t length);
/* As csv_read_number, or csv_read_wide where `value` is NULL, with the decimal comma that --decimal says. */
CsvNumber csv_read_cell(bool comma, const char *text, size_t length, float *value, double *wide);
/* Neither a number nor a time, nor missing: a row with such a cell names the columns, where it is the first. */
bool csv_is_name(bool comma, const char *text, size_t length);
/* "line 3, column 2: 'x' is not a number" */
HaloStatus csv_fail_at(CsvReader *state, int column, const char *what);

/* csv_columns.c: chooses the columns that are read, and names the channels, when names and time are known. */
HaloStatus csv_choose_columns(HaloReader *reader, CsvReader *state);

/* csv_time.c: finds the column of times; the present row is the first of numbers. */
HaloStatus csv_find_time(HaloReader *reader, CsvReader *state);
/* Is this one of the columns of times? */
bool csv_is_time(const CsvReader *state, int column);
/* Reads the times of all rows, and leaves the cells behind the last one. */
HaloStatus csv_read_times(HaloReader *reader, CsvReader *state);
/* With --rate from a pipe: that and the first time say what the others have to be. */
HaloStatus csv_expect_times(HaloReader *reader, CsvReader *state);
/* Is the time of the present row as expected? */
HaloStatus csv_check_time(HaloReader *reader, CsvReader *state);

/* csv_read.c */
HaloStatus csv_open(HaloReader *reader);
HaloStatus csv_read(HaloReader *reader, HaloBuf *rows, int64_t *got);
void csv_close(HaloReader *reader);
/* The next row as a frame of `bits`; it stays the present one of `cells`. */
HaloStatus csv_next_frame(HaloReader *reader, void *frame, bool *more);

/* csv_write.c */
HaloStatus csv_create(HaloWriter *writer);
HaloStatus csv_write(HaloWriter *writer, const HaloBuf *rows);
HaloStatus csv_finish(HaloWriter *writer);
void csv_discard(HaloWriter *writer);
/* Passes on what is buffered. */
HaloStatus csv_send(HaloWriter *writer);
/* Behind so many channels stands the time; -1: nowhere. */
int csv_time_place(const HaloWriter *writer);
/* Of a time in two cells: how many bytes the first has. */
size_t csv_date_length(const char *text, size_t length);
/* A cell as it is, in quotation marks where it needs them, and what is behind it. */
HaloStatus csv_put_text(HaloWriter *writer, const char *text, size_t length, bool last);

/* csv_copy.c: HaloFormat::copy. */
HaloStatus csv_copy(HaloReader *reader, HaloWriter *writer, int64_t frames, int64_t *got);

#endif
