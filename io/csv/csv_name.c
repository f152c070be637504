/* Names of columns as cells of a table. */
#include "csv.h"

#include "halo/text.h"

/* Would it be read as something else without quotation marks? */
static bool needs_quotes(const char *name, size_t length, char separator)
{
    if (length > 0 && (name[0] == '#' || halo_is_blank(name[0]) || halo_is_blank(name[length - 1])))
        return true;
    for (size_t i = 0; i < length; i++)
        if (name[i] == separator || name[i] == '"' || name[i] == '\n' || name[i] == '\r') return true;
    return false;
}

size_t csv_write_name(const char *name, size_t length, char separator, char *to)
{
    const bool quoted = needs_quotes(name, length, separator);
    size_t used = 0;
    if (quoted) to[used++] = '"';
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '"') to[used++] = '"';
        to[used++] = name[i];
    }
    if (quoted) to[used++] = '"';
    return used;
}
