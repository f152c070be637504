/* Reads and prints numbers in the C locale, whatever locale the program has set: it is switched for this
 * thread. */
#include "halo/text.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static locale_t plain; /* never freed; (locale_t)0, where it cannot be had, leaves the thread's as it is */

static void make_plain(void) { plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

static locale_t go_plain(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return uselocale(plain);
}

/* May the number end here? */
static bool ends(const char *at, const char **end)
{
    if (end != NULL) *end = at;
    return end != NULL || *at == 0;
}

bool halo_read_uint(const char *text, uint64_t most, uint64_t *value, const char **end)
{
    uint64_t number = 0;
    const char *at = text;
    for (; halo_is_digit(*at); at++)
        if (!halo_add_digit(&number, *at, most)) return false;
    if (at == text || !ends(at, end)) return false;
    *value = number;
    return true;
}

bool halo_read_int(const char *text, int64_t least, int64_t most, int64_t *value, const char **end)
{
    uint64_t size = 0;
    const bool negative = *text == '-';
    if (!halo_read_uint(text + (negative || *text == '+'), (uint64_t)INT64_MAX + negative, &size, end))
        return false;
    const int64_t number = negative ? (int64_t)(0 - size) : (int64_t)size;
    if (number < least || number > most) return false;
    *value = number;
    return true;
}

static const char *digits(const char *at)
{
    while (halo_is_digit(*at)) at++;
    return at;
}

/* The end of the number that the text begins with; NULL: there is none. */
static const char *number_end(const char *text)
{
    const char *start = text + (*text == '-' || *text == '+'), *at = digits(start);
    const bool point = *at == '.';
    if (point) at = digits(at + 1);
    if (at == start + point) return NULL; /* no digit */
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
        if (halo_is_digit(*exponent)) at = digits(exponent);
    }
    return at;
}

bool halo_read_number(const char *text, double *value, const char **end)
{
    const char *at = number_end(text);
    char *stop;
    if (at == NULL) return false;
    const locale_t before = go_plain();
    const double number = strtod(text, &stop);
    uselocale(before);
    if (stop != at || !ends(at, end)) return false; /* it goes on where "0x" stands */
    *value = number;
    return true;
}

bool halo_read_float(const char *text, float *value)
{
    const char *at = number_end(text);
    char *stop;
    if (at == NULL || *at != 0) return false;
    const locale_t before = go_plain();
    const float number = strtof(text, &stop);
    uselocale(before);
    if (stop != at) return false;
    *value = number;
    return true;
}

bool halo_read_hex(const char *text, int count, uint64_t *value)
{
    *value = 0;
    for (int i = 0; i < count; i++) {
        const char c = text[i];
        const int lower = halo_is_letter(c) ? c | 0x20 : c;
        if (!halo_is_digit(c) && (lower < 'a' || lower > 'f')) return false;
        *value = *value << 4 | (uint64_t)(halo_is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return true;
}

int halo_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
    const locale_t before = go_plain();
    const int length = vsnprintf(text, size, format, args);
    uselocale(before);
    return length;
}

int halo_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = halo_vsnprintf(text, size, format, args);
    va_end(args);
    return length;
}

int halo_fprintf(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const locale_t before = go_plain();
    const int length = vfprintf(to, format, args);
    uselocale(before);
    va_end(args);
    return length;
}
