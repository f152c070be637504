#include "head_text.h"

#include <stdarg.h>
#include <stdlib.h>

#include "halo/text.h"

/* Room for `more` bytes. */
static HaloStatus grow(HaloHeadText *text, size_t more)
{
    if (text->capacity - text->size > more) return HALO_OK;
    const size_t capacity = 2 * (text->size + more) + 256;
    char *grown = realloc(text->at, capacity);
    if (grown == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a header");
    text->at = grown;
    text->capacity = capacity;
    return HALO_OK;
}

HaloStatus halo_head_add(HaloHeadText *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int size = halo_vsnprintf(NULL, 0, format, values);
    va_end(values);
    const HaloStatus status = grow(text, (size_t)size);
    if (status != HALO_OK) return status;
    va_start(values, format);
    halo_vsnprintf(text->at + text->size, (size_t)size + 1, format, values);
    va_end(values);
    text->size += (size_t)size;
    return HALO_OK;
}

HaloStatus halo_head_add_number(HaloHeadText *text, double value)
{
    char digits[32];
    double back;
    for (int precision = 15; precision <= 17; precision++) {
        halo_snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (halo_read_number(digits, &back, NULL) && back == value) break;
    }
    return halo_head_add(text, "%s", digits);
}

HaloStatus halo_head_add_vector(HaloHeadText *text, const char *before, const double *value, int count,
                                const char *behind)
{
    HaloStatus status = HALO_OK;
    for (int i = 0; i < count; i++) {
        HALO_TRY(halo_head_add(text, "%s", i == 0 ? before : ","));
        HALO_TRY(halo_head_add_number(text, value[i] + 0.0)); /* no -0 */
    }
    HALO_TRY(halo_head_add(text, "%s", behind));
out:
    return status;
}
