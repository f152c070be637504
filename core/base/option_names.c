/* Messages are written for the command line. Programs that use the library, and Python, whose keywords are the
 * members of the structs, get those in the place of options. */
#include "option_names.h"

#include <stdbool.h>
#include <string.h>

#include "halo/front_end.h"

static bool serves_program;

void halo_serve_program(void) { serves_program = true; }

/* Options that members stand for, of HaloOptions, HaloFile and HaloArray; others stay as they are. */
static const struct {
    const char *option, *member;
} names[] = {
    {"--axes", "axes"},
    {"--bits", "bits"},
    {"--columns", "columns"},
    {"--decimal", "comma"},
    {"--device", "device"},
    {"--effort", "effort"},
    {"--force", "replace=true"},
    {"--linear", "linear"},
    {"--lossless", "lossless=true"},
    {"--max-memory", "max_memory"},
    {"--max-pixels", "max_pixels"},
    {"--quality", "quality"},
    {"--rate", "rate"},
    {"--strip", "strip=true"},
    {"--time", "time"},
    {"--time-format", "time_format"},
    {"--to", "format"},
    {"--tolerate", "tolerate=true"},
    {"--verify", "verify"},
    {"--white", "white"},
};

void option_names_format(const char *format, char *copy, size_t size)
{
    bool skips = false;
    size_t used = 0;
    for (; *format != 0 && used + 1 < size; format++) {
        if (*format == HALO_FOR_PROGRAM("")[0])
            skips = !serves_program;
        else if (*format == HALO_FOR_PROGRAM("")[1])
            skips = false;
        else if (!skips)
            copy[used++] = *format;
    }
    copy[used] = 0;
}

/* The row of the option that begins here. */
static int option_at(const char *text, size_t *length)
{
    *length = 2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz-");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].option) == *length && memcmp(text, names[i].option, *length) == 0) return (int)i;
    return -1;
}

void option_names_replace(char *text, size_t size)
{
    size_t length;
    if (serves_program) return;
    for (char *at = text; (at = strstr(at, "--")) != NULL; at++) {
        const int row = at == text || strchr(" (", at[-1]) != NULL ? option_at(at, &length) : -1;
        if (row < 0) continue;
        const size_t made = strlen(names[row].member), rest = strlen(at + length) + 1;
        if ((size_t)(at - text) + made + rest > size) return;
        memmove(at + made, at + length, rest);
        memcpy(at, names[row].member, made);
    }
}
