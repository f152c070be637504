/* Strings that grow, and allocation that ends the program where memory is lacking. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cookie.h"
#include "halo/escape.h"
#include "halo/format.h"

/* Ends the process from any thread, while others may be writing outputs: their temporaries are removed. */
static void *or_exit(void *memory)
{
    static const char said[] = "halo: not enough memory\n";
    if (memory != NULL) return memory;
    halo_sink_abandon_all();
    const ssize_t ignored = write(STDERR_FILENO, said, sizeof said - 1);
    (void)ignored;
    _exit(HALO_ERR_LIMIT);
}

void *cli_alloc(size_t count, size_t size) { return or_exit(calloc(count != 0 ? count : 1, size)); }

void *cli_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return array;
    const size_t wanted = *capacity < 16 ? 16 : *capacity * 2;
    if (wanted > SIZE_MAX / 2 / size) or_exit(NULL);
    *capacity = wanted;
    return or_exit(realloc(array, wanted * size));
}

char *cli_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(cli_alloc(size, 1), text, size);
}

char *cli_format_list(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    char *made = cli_alloc(length > 0 ? (size_t)length + 1 : 1, 1);
    if (length > 0) vsnprintf(made, (size_t)length + 1, format, again);
    va_end(again);
    return made;
}

char *cli_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *made = cli_format_list(format, args);
    va_end(args);
    return made;
}

static void ensure_capacity(CliText *text, size_t length)
{
    while (text->length + length + 1 > text->capacity)
        text->data = cli_grow(text->data, text->capacity, &text->capacity, 1);
}

void cli_add(CliText *text, const char *bytes, size_t length)
{
    ensure_capacity(text, length);
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = 0;
}

void cli_add_escaped(CliText *text, const char *bytes, size_t size, const char *keep)
{
    const size_t length = halo_escape(bytes, size, keep, NULL);
    ensure_capacity(text, length);
    halo_escape(bytes, size, keep, text->data + text->length);
    text->length += length;
    text->data[text->length] = 0;
}

void cli_add_char(CliText *text, char c) { cli_add(text, &c, 1); }

static CookieWritten add_written(void *text, const char *bytes, CookieSize size)
{
    cli_add(text, bytes, (size_t)size);
    return (CookieWritten)size;
}

/* Not open_memstream, which drops what is written without an error where it has no memory. */
FILE *cli_text_stream(CliText *text) { return or_exit(COOKIE_OPEN(text, add_written)); }

const char *cli_thousands(uint64_t value, char text[32])
{
    char digits[24];
    const int count = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = text;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}
