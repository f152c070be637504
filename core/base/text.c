/* Reading and printing numbers in C's locale, whatever the program's is: the thread's own is set for as long.
 */
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

double halo_strtod(const char *text, char **end)
{
    const locale_t before = go_plain();
    const double value = strtod(text, end);
    uselocale(before);
    return value;
}

int halo_vsnprintf(char *room, size_t size, const char *format, va_list args)
{
    const locale_t before = go_plain();
    const int length = vsnprintf(room, size, format, args);
    uselocale(before);
    return length;
}

int halo_snprintf(char *room, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = halo_vsnprintf(room, size, format, args);
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
