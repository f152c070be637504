/* Strings that grow, and allocation that ends the program where memory is lacking. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "halo/fail.h"
#include "halo/text.h"

/* The command line has nothing to unwind: without memory these say so and exit with HALO_ERR_LIMIT, leaving no
 * temporary. */
void *cli_alloc(size_t count, size_t size); /* cleared */
/* Makes space for one more than `count` elements. */
void *cli_grow(void *array, size_t count, size_t *capacity, size_t size);
char *cli_copy(const char *text);
char *cli_format(const char *format, ...) HALO_PRINTF(1, 2);
char *cli_format_list(const char *format, va_list args) HALO_PRINTF(1, 0);

typedef struct CliText {
    char *data; /* ends with 0; NULL while empty */
    size_t length, capacity;
} CliText;

void cli_add(CliText *text, const char *bytes, size_t length);
/* With what halo/escape.h calls special escaped. */
void cli_add_escaped(CliText *text, const char *bytes, size_t size, const char *keep);
void cli_add_char(CliText *text, char c);
/* What is printed to the stream has been added once it is flushed or closed. */
FILE *cli_text_stream(CliText *text);

/* "1,234,567" in `text`. */
const char *cli_thousands(uint64_t value, char text[32]);

#endif
