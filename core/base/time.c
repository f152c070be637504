/* Times in text. */
#include "halo/time.h"

#include <math.h>
#include <string.h>

#include "halo/text.h"

static const struct {
    const char *name;
    double seconds; /* 0: frames */
} units[] = {{"ms", 0.001}, {"min", 60.0}, {"us", 0.000001}, {"s", 1.0}, {"h", 3600.0}, {"f", 0.0}};

/* "1:30" behind its first number: all but the last are whole, all but the first below 60. */
static const char *read_clock(const char *at, double *seconds)
{
    for (int parts = 1; *at == ':'; parts++) {
        double more;
        if (parts > 2 || *seconds != floor(*seconds) || !halo_is_digit(at[1]) ||
            !halo_read_number(at + 1, &more, &at) || !(more < 60))
            return NULL;
        *seconds = *seconds * 60 + more;
    }
    return at;
}

const char *halo_read_time(const char *text, double *amount, HaloTimeUnit *unit)
{
    const bool negative = *text == '-';
    const char *at, *behind;
    double divisor;
    text += negative || *text == '+';
    if (*text == '-' || *text == '+' || !halo_read_number(text, amount, &at)) return NULL;
    *unit = HALO_TIME_PLAIN;
    if (*at == ':') {
        *unit = HALO_TIME_SECONDS;
        if ((at = read_clock(at, amount)) == NULL) return NULL;
    } else if (*at == '/') {
        if (!halo_read_number(at + 1, &divisor, &at)) return NULL;
        *amount /= divisor;
    }
    if (negative) *amount = -*amount;
    if (!isfinite(*amount)) return NULL;
    if (*unit == HALO_TIME_SECONDS) return at;
    for (behind = at; halo_is_blank(*behind); behind++) continue;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(behind, units[i].name, length) != 0) continue;
        *unit = units[i].seconds > 0 ? HALO_TIME_SECONDS : HALO_TIME_FRAMES;
        if (units[i].seconds > 0) *amount *= units[i].seconds;
        return behind + length;
    }
    return at;
}
