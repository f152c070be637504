/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Numbers in text, as C's own locale has them (core/base/text.c). A host program may have called setlocale, and
 * under many a locale strtod stops at the point of "0.5" and printf writes "0,5": no other file of the library
 * reads a number, prints a float, or asks what kind of character something is. */
#ifndef HALO_TEXT_H
#define HALO_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As snprintf, vsnprintf and fprintf. */
int halo_snprintf(char *text, size_t size, const char *format, ...) HALO_PRINTF(3, 4);
int halo_vsnprintf(char *text, size_t size, const char *format, va_list args) HALO_PRINTF(3, 0);
int halo_fprintf(FILE *to, const char *format, ...) HALO_PRINTF(2, 3);

/* Of ASCII; every other byte is none of these. */
static inline bool halo_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool halo_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool halo_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool halo_is_print(char c) { return c >= ' ' && c <= '~'; }

/* Parse a number at the start of a text; *end is after it; with `end` NULL it has to be all of the text. False
 * otherwise: leading blanks, hexadecimal numbers, "nan" and "inf" are refused. The value is unchanged then. */
bool halo_read_uint(const char *text, uint64_t most, uint64_t *value,
                    const char **end); /* digits, up to `most` */
/* Digits with a sign before them or none. */
bool halo_read_int(const char *text, int64_t least, int64_t most, int64_t *value, const char **end);
/* [+-] digits [. digits] [e [+-] digits]; infinite where no double is that large. */
bool halo_read_number(const char *text, double *value, const char **end);
/* The same as the nearest float, rounded once; it is all of the text. */
bool halo_read_float(const char *text, float *value);
/* Digits alone, as a signed number. */
static inline bool halo_read_count(const char *text, int64_t most, int64_t *value, const char **end)
{
    uint64_t count;
    const bool read = halo_read_uint(text, (uint64_t)most, &count, end);
    if (read) *value = (int64_t)count;
    return read;
}
/* Appends a digit to `value`. False: it would exceed `most`. */
static inline bool halo_add_digit(uint64_t *value, char digit, uint64_t most)
{
    const uint64_t unit = (uint64_t)(digit - '0');
    if (unit > most || *value > (most - unit) / 10) return false;
    *value = *value * 10 + unit;
    return true;
}
/* Parses a number of hexadecimal digits. */
bool halo_read_hex(const char *text, int digits, uint64_t *value);

/* The plural: "1 sample", "2 samples". */
static inline const char *halo_s(int64_t count) { return count == 1 ? "" : "s"; }

#ifdef __cplusplus
}
#endif
#endif
