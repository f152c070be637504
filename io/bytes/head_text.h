/* Headers made of text (head_text.c). */
#ifndef HALO_IO_HEAD_TEXT_H
#define HALO_IO_HEAD_TEXT_H

#include <stddef.h>

#include "halo/fail.h"

typedef struct HaloHeadText {
    char *at; /* malloc'ed, of `size` bytes and a zero */
    size_t size, capacity;
} HaloHeadText;

/* Appends as printf does, in C's locale. HALO_ERR_LIMIT without memory. */
HaloStatus halo_head_add(HaloHeadText *text, const char *format, ...) HALO_PRINTF(2, 3);
/* Appends a double with as many digits as say it. */
HaloStatus halo_head_add_number(HaloHeadText *text, double value);
/* Appends so many of them with commas between, and text before and behind them. */
HaloStatus halo_head_add_vector(HaloHeadText *text, const char *before, const double *value, int count,
                                const char *behind);

#endif
