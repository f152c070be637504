/* Reading the text of a mask: its words, numbers and rows of numbers. For mask_text.c. */
#ifndef CORE_BASE_MASK_WORDS_H
#define CORE_BASE_MASK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/fail.h"

typedef struct MaskReader {
    const char *name;
    const char *at, *end; /* *end is 0 */
    const char *line_start;
    int64_t line;
    char row_end;   /* what ends a row of numbers: '\n', ';', or 0 */
    bool outside;   /* '-' and 'nan' are taps outside the mask */
    double *number; /* those read so far; there is space for every word */
    int64_t numbers;
    int64_t inside; /* of them, those that are not outside */
} MaskReader;

/* Takes one character. */
void mask_step(MaskReader *r);
/* Skips blanks and comments; line ends too, unless they end a row. */
void mask_skip(MaskReader *r, bool lines);
size_t mask_word_length(const MaskReader *r);
/* HALO_ERR_USAGE "k.mat:3:7: expected a number, found 'x'". */
HaloStatus mask_expected(const MaskReader *r, const char *what);

HaloStatus mask_read_number(MaskReader *r, double *value);
/* One row: at least one number, exactly `wanted` unless that is 0. Stops at what ends the row, or the text. */
HaloStatus mask_read_row(MaskReader *r, int64_t wanted, int64_t *count);
/* Rows up to the end of the text, each as long as the first, or as `width` where that is not 0. */
HaloStatus mask_read_rows(MaskReader *r, int64_t *width, int64_t *height);

#endif
