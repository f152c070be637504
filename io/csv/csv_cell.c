/* Cells of a table: numbers, with a decimal point or comma, and what stands for a missing one. */
#include "csv.h"

#include <string.h>

#include "halo/text.h"
#include "meta/times.h"

bool csv_is_missing(const char *text, size_t length)
{
    static const char *const words[] = {"-", "na", "n/a", "null"};
    while (length > 0 && halo_is_blank(text[length - 1])) length--;
    while (length > 0 && halo_is_blank(*text)) text++, length--;
    if (length == 0) return true;
    if (length > 4 || (length > 1 && !halo_is_letter(*text))) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t same = 0;
        while (same < length && words[i][same] != 0 &&
               (halo_is_letter(text[same]) ? text[same] | 0x20 : text[same]) == words[i][same])
            same++;
        if (same == length && words[i][same] == 0) return true;
    }
    return false;
}

#define LONGEST 512 /* of a number with a comma; what is longer is none */

static CsvNumber read_number(const char *text, size_t length, float *value, double *wide)
{
    return value != NULL ? csv_read_number(text, length, value) : csv_read_wide(text, length, wide);
}

CsvNumber csv_read_cell(bool comma, const char *text, size_t length, float *value, double *wide)
{
    char copy[LONGEST];
    if (!comma) return read_number(text, length, value, wide);
    if (length > sizeof copy || memchr(text, '.', length) != NULL) return CSV_NO_NUMBER;
    for (size_t i = 0; i < length; i++) copy[i] = text[i] == ',' ? '.' : text[i];
    return read_number(copy, length, value, wide);
}

bool csv_is_name(bool comma, const char *text, size_t length)
{
    float value;
    HaloNotation notation;
    return !csv_is_missing(text, length) && csv_read_cell(comma, text, length, &value, NULL) == CSV_NO_NUMBER &&
           !halo_time_guess(text, length, &notation) && !halo_time_is_ambiguous(text, length);
}

HaloStatus csv_fail_at(CsvReader *state, int column, const char *what)
{
    size_t length = 0;
    HaloCells *cells = &state->cells;
    const char *text = column < cells->count ? halo_cell(cells, column, &length) : "";
    const int shown = (int)(length < 40 ? length : 40);
    return halo_fail(HALO_ERR_INPUT, "line %lld, column %d: '%.*s' %s", cells->line, column + 1, shown, text,
                     what);
}
