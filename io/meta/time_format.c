/* --time-format, and notations that are made finer for times which the input did not have. */
#include <math.h>

#include "time_text.h"

/* ---- the format ----------------------------------------------------------------------------------------- */

/* %T and the like, written out. */
static const char *written_out(char conversion)
{
    return conversion == 'T'   ? "%H:%M:%S"
           : conversion == 'F' ? "%Y-%m-%d"
           : conversion == 'R' ? "%H:%M"
           : conversion == 'D' ? "%m/%d/%y"
           : conversion == 'e' ? "%d"
           : conversion == 'h' ? "%b"
           : conversion == 'A' ? "%a"
                               : NULL;
}

/* dd.mm.yyyy hh:mm:ss: a letter for each digit. What follows the hour are minutes. */
static char conversion_of(char letter, int64_t count, char before)
{
    switch (letter) {
    case 'y':
    case 'Y': return count == 4 ? 'Y' : count == 2 ? 'y' : 0;
    case 'd':
    case 'D': return count <= 2 ? 'd' : 0;
    case 'h':
    case 'H': return count <= 2 ? 'H' : 0;
    case 's':
    case 'S': return count <= 2 ? 'S' : 0;
    case 'm':
    case 'M': return count > 2 ? 0 : before == 'H' ? 'M' : 'm';
    default: return 0;
    }
}

/* Such a format as one of strptime; false: it is none. */
static bool read_letters(const char *format, char *out, size_t size)
{
    char before = 0;
    size_t used = 0;
    for (const char *p = format, *end; *p != 0; p = end) {
        end = p + 1;
        if (used + 3 > size || *p == '%') return false;
        const bool letter = halo_is_letter(*p) && *p != 'T';
        while (letter && *end == *p) end++;
        if (letter && (before = conversion_of(*p, end - p, before)) == 0) return false;
        if (letter) out[used++] = '%';
        out[used++] = letter ? before : *p;
    }
    out[used] = 0;
    return before != 0;
}

static HaloStatus check_format(const char *format, const HaloNotation *notation)
{
    const char *pattern = notation->pattern;
    const bool day = strstr(pattern, "%d") != NULL || strstr(pattern, "%j") != NULL;
    const bool hour = strstr(pattern, "%H") != NULL || strstr(pattern, "%I") != NULL;
    if (notation->dated ? day : hour) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE,
                     "'%.60s' says neither a day of a year (%%Y-%%m-%%d) nor an hour (%%H): write it such as "
                     "'%%d.%%m.%%Y %%H:%%M:%%S'",
                     format);
}

HaloStatus halo_time_format(const char *format, HaloNotation *notation)
{
    char letters[HALO_PATTERN_SIZE];
    *notation = (HaloNotation){.unit = HALO_SECOND};
    if (read_letters(format, letters, sizeof letters)) format = letters;
    if (strcmp(format, "%s") == 0) {
        notation->dated = true;
        return HALO_OK;
    }
    for (const char *p = format; *p != 0; p++) {
        char one[3] = {*p, 0, 0};
        if (*p == '%') {
            const bool bare = *++p == '-';
            p += bare;
            if (*p == 0 || strchr("YymdjbBaHIpMSfzTFRDehA", *p) == NULL)
                return halo_fail(HALO_ERR_USAGE,
                                 "%%%.1s is not supported; it takes %%Y %%m %%d %%H %%M %%S %%f %%z, %%y "
                                 "%%b %%B %%j %%a %%I %%p, %%F %%T %%R %%D, and %%s alone",
                                 p);
            if (bare) notation->bare |= time_bit(*p);
            one[1] = *p;
        }
        const char *out = one[0] == '%' ? written_out(one[1]) : NULL;
        if (strlen(notation->pattern) + 9 >= sizeof notation->pattern)
            return halo_fail(HALO_ERR_USAGE, "the format has more than %d characters",
                             (int)sizeof notation->pattern - 10);
        if (strncmp(p, ".%f", 3) == 0 || strncmp(p, ",%f", 3) == 0) { /* %S takes a fraction by itself */
            const size_t used = strlen(notation->pattern);
            if (used >= 2 && strcmp(notation->pattern + used - 2, "%S") == 0) {
                p += 2;
                continue;
            }
        }
        time_add(notation, out != NULL ? out : one);
    }
    notation->dated = strstr(notation->pattern, "%Y") != NULL || strstr(notation->pattern, "%y") != NULL;
    return check_format(format, notation);
}

/* ---- finer notations ------------------------------------------------------------------------------------ */

int64_t halo_time_unit(const HaloNotation *notation)
{
    const int64_t one = notation->pattern[0] == 0 ? notation->unit : HALO_SECOND;
    if (notation->pattern[0] == 0 || strstr(notation->pattern, "%S") != NULL)
        return one / time_ten[time_most_digits(notation)] > 0 ? one / time_ten[time_most_digits(notation)] : 1;
    return strstr(notation->pattern, "%M") != NULL ? TIME_MINUTE : TIME_DAY;
}

/* Is it a multiple of `unit`, but for what is rounded to a nanosecond? */
static bool is_multiple(double time, int64_t unit)
{
    return fabs(time - rint(time / (double)unit) * (double)unit) <= 0.5;
}

/* Inserts text behind a part of the pattern. */
static void insert(HaloNotation *notation, const char *behind, const char *text)
{
    char rest[HALO_PATTERN_SIZE];
    char *at = strstr(notation->pattern, behind);
    if (at == NULL) return;
    halo_snprintf(rest, sizeof rest, "%s", at + strlen(behind));
    at[strlen(behind)] = 0;
    if (strlen(notation->pattern) + strlen(text) + strlen(rest) >= sizeof notation->pattern) text = "";
    time_add(notation, text);
    time_add(notation, rest);
}

void halo_time_refine(HaloNotation *notation, int64_t start, double step)
{
    const bool number = notation->pattern[0] == 0;
    const int64_t one = number ? notation->unit : HALO_SECOND;
    if (!number && strstr(notation->pattern, "%H") == NULL && strstr(notation->pattern, "%I") == NULL &&
        !(is_multiple((double)start, TIME_DAY) && is_multiple(step, TIME_DAY)))
        time_add(notation, " %H:%M");
    if (!number && strstr(notation->pattern, "%S") == NULL &&
        !(is_multiple((double)start, TIME_MINUTE) && is_multiple(step, TIME_MINUTE)))
        insert(notation, "%M", ":%S");
    int digits = time_most_digits(notation);
    while (digits < HALO_TIME_DIGITS && one / time_ten[digits] > 1) {
        const int64_t unit = one / time_ten[digits];
        if (is_multiple((double)(start % one), unit) && is_multiple(step, unit)) break;
        if ((double)unit <= fabs(step) / 1000) break;
        digits++;
    }
    if (digits > time_most_digits(notation)) notation->seen = 1u << digits;
}
