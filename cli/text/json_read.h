/* JSON, read: what `halo merge` finds in the outputs of parts. */
#ifndef CLI_JSON_READ_H
#define CLI_JSON_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/fail.h"

typedef enum JsonType { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } JsonType;

typedef struct JsonValue {
    JsonType type;
    const char *key;  /* in objects */
    const char *text; /* of a text; the digits of a number, and whatever follows them; "true" or "false" */
    struct JsonValue *first, *next; /* of what arrays and objects hold; of what stands beside this */
} JsonValue;

/* Reads one value, after which only white space may follow. `text` is written over, and is what the values
 * point into. HALO_ERR_INPUT says what was expected, and at which character. The caller frees *value. */
HaloStatus json_read(char *text, JsonValue **value);
void json_free(JsonValue *value); /* NULL is fine */

/* The member of an object, or NULL. */
const JsonValue *json_find(const JsonValue *object, const char *key);
/* The member as what it must be: HALO_ERR_INPUT where it is missing or something else. */
HaloStatus json_get_uint(const JsonValue *object, const char *key, uint64_t *value);
HaloStatus json_get_int(const JsonValue *object, const char *key, int64_t *value);
HaloStatus json_get_number(const JsonValue *object, const char *key,
                           double *value); /* "inf", null: as written */
/* Such a number, neither infinite nor null, from `least` to `most`. */
HaloStatus json_get_finite(const JsonValue *object, const char *key, double least, double most, double *value);
/* An integer from `least` to `most`. */
HaloStatus json_get_range(const JsonValue *object, const char *key, int64_t least, int64_t most,
                          int64_t *value);
HaloStatus json_get_text(const JsonValue *object, const char *key, const char **value);
/* Arrays only: `count` is that of its elements. */
HaloStatus json_get_array(const JsonValue *object, const char *key, const JsonValue **first, int64_t *count);
/* The value of an element itself. */
bool json_is_uint(const JsonValue *value, uint64_t *number);

#endif
