/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Numbers in text, as C's own locale has them. A host program may have called setlocale, and under many a
 * locale strtod stops at the point of "0.5" and printf writes "0,5": no other file of the library reads or
 * prints a float, or asks what kind of character something is. */
#ifndef HALO_TEXT_H
#define HALO_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "halo/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As strtod, snprintf, vsnprintf and fprintf. */
double halo_strtod(const char *text, char **end);
int halo_snprintf(char *room, size_t size, const char *format, ...) HALO_PRINTF(3, 4);
int halo_vsnprintf(char *room, size_t size, const char *format, va_list args) HALO_PRINTF(3, 0);
int halo_fprintf(FILE *to, const char *format, ...) HALO_PRINTF(2, 3);

/* Of ASCII; every byte beyond it is none of these. */
static inline bool halo_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool halo_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool halo_is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static inline bool halo_is_print(char c) { return c >= ' ' && c <= '~'; }

/* "1 sample", "2 samples": what stands behind the word. */
static inline const char *halo_s(int64_t count) { return count == 1 ? "" : "s"; }

#ifdef __cplusplus
}
#endif
#endif
