/* JSON, read: recursive descent over a text that it writes over, as strings lose their escapes. */
#include "json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/text.h"
#include "halo/utf8.h"
#include "text.h"

#define DEEPEST 32 /* arrays in objects in arrays: more than halo ever writes */

typedef struct Input {
    char *begin, *at;
    int depth;
} Input;

static HaloStatus wrong(const Input *input, const char *expected)
{
    return halo_fail(HALO_ERR_INPUT, "character %lld: expected %s", (long long)(input->at - input->begin) + 1,
                     expected);
}

static void skip_space(Input *input) { input->at += strspn(input->at, " \t\r\n"); }

/* ---- strings -------------------------------------------------------------------------------------------- */

static HaloStatus read_escape(Input *input, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint64_t code, low;
    const char *letter = *input->at != 0 ? strchr(letters, *input->at) : NULL;
    if (letter != NULL) {
        *(*to)++ = meant[letter - letters];
        input->at++;
        return HALO_OK;
    }
    if (*input->at != 'u' || !halo_read_hex(input->at + 1, 4, &code) || code == 0)
        return wrong(input, "an escape such as \\n or \\u00e9");
    input->at += 5;
    if (code >= 0xd800 && code < 0xdc00 && input->at[0] == '\\' && input->at[1] == 'u' &&
        halo_read_hex(input->at + 2, 4, &low) && low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        input->at += 6;
    }
    *to = halo_utf8_put(*to, (uint32_t)code); /* never longer than the escape it stands for */
    return HALO_OK;
}

static HaloStatus read_string(Input *input, const char **text)
{
    char *to = ++input->at;
    *text = to;
    while (*input->at != '"') {
        if ((unsigned char)*input->at < 0x20) return wrong(input, "the end of a text");
        if (*input->at != '\\') {
            *to++ = *input->at++;
            continue;
        }
        input->at++;
        const HaloStatus status = read_escape(input, &to);
        if (status != HALO_OK) return status;
    }
    input->at++;
    *to = 0;
    return HALO_OK;
}

/* ---- values --------------------------------------------------------------------------------------------- */

static HaloStatus read_value(Input *input, JsonValue *value);

/* "[" or "{", elements with commas between them, "]" or "}". */
static HaloStatus read_elements(Input *input, JsonValue *value, char close)
{
    HaloStatus status = HALO_OK;
    JsonValue **link = &value->first;
    if (++input->depth > DEEPEST) HALO_FAIL(HALO_ERR_INPUT, "arrays and objects are nested too deeply");
    input->at++;
    skip_space(input);
    while (*input->at != close) {
        JsonValue *element = *link = cli_alloc(1, sizeof *element);
        link = &element->next;
        if (close == '}') {
            if (*input->at != '"') HALO_TRY(wrong(input, "a key"));
            HALO_TRY(read_string(input, &element->key));
            skip_space(input);
            if (*input->at++ != ':') HALO_FAIL(HALO_ERR_INPUT, "a : is missing after \"%.40s\"", element->key);
        }
        HALO_TRY(read_value(input, element));
        skip_space(input);
        if (*input->at == close) break;
        if (*input->at != ',') HALO_TRY(wrong(input, "a comma"));
        input->at++;
        skip_space(input);
        if (*input->at == close) HALO_TRY(wrong(input, "a value"));
    }
    input->at++;
    input->depth--;
out:
    return status;
}

static bool read_word(Input *input, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(input->at, word, length) != 0) return false;
    input->at += length;
    return true;
}

static HaloStatus read_value(Input *input, JsonValue *value)
{
    char *end;
    skip_space(input);
    value->text = input->at;
    switch (*input->at) {
    case '{': value->type = JSON_OBJECT; return read_elements(input, value, '}');
    case '[': value->type = JSON_ARRAY; return read_elements(input, value, ']');
    case '"': value->type = JSON_TEXT; return read_string(input, &value->text);
    case 'n': return read_word(input, "null") ? HALO_OK : wrong(input, "null");
    case 't':
    case 'f':
        value->type = JSON_BOOL;
        return read_word(input, "true") || read_word(input, "false") ? HALO_OK : wrong(input, "true or false");
    default:
        value->type = JSON_NUMBER;
        if (strchr("-0123456789", *input->at) == NULL || *input->at == 0) return wrong(input, "a value");
        end = input->at + strspn(input->at, "-+.0123456789eE");
        input->at = end;
        return HALO_OK;
    }
}

HaloStatus json_read(char *text, JsonValue **value)
{
    HaloStatus status = HALO_OK;
    Input input = {text, text, 0};
    *value = cli_alloc(1, sizeof **value);
    HALO_TRY(read_value(&input, *value));
    skip_space(&input);
    if (*input.at != 0) HALO_TRY(wrong(&input, "the end"));
out:
    if (status != HALO_OK) {
        json_free(*value);
        *value = NULL;
    }
    return status;
}

void json_free(JsonValue *value)
{
    while (value != NULL) {
        JsonValue *next = value->next;
        json_free(value->first);
        free(value);
        value = next;
    }
}

/* ---- what is in them ------------------------------------------------------------------------------------ */

const JsonValue *json_find(const JsonValue *object, const char *key)
{
    if (object == NULL || object->type != JSON_OBJECT) return NULL;
    for (const JsonValue *v = object->first; v != NULL; v = v->next)
        if (strcmp(v->key, key) == 0) return v;
    return NULL;
}

static HaloStatus missing(const char *key, const char *what)
{
    return halo_fail(HALO_ERR_INPUT, "\"%s\" is missing or not %s", key, what);
}

/* Does the number end where its digits do? What follows it is still there. */
static bool ends(const char *end) { return *end == 0 || strchr("-+.0123456789eE", *end) == NULL; }

bool json_is_uint(const JsonValue *value, uint64_t *number)
{
    const char *end;
    return value != NULL && value->type == JSON_NUMBER &&
           halo_read_uint(value->text, UINT64_MAX, number, &end) && ends(end);
}

HaloStatus json_get_uint(const JsonValue *object, const char *key, uint64_t *value)
{
    return json_is_uint(json_find(object, key), value) ? HALO_OK : missing(key, "an integer");
}

HaloStatus json_get_int(const JsonValue *object, const char *key, int64_t *value)
{
    const char *end;
    const JsonValue *found = json_find(object, key);
    const bool read = found != NULL && found->type == JSON_NUMBER &&
                      halo_read_int(found->text, INT64_MIN, INT64_MAX, value, &end) && ends(end);
    return read ? HALO_OK : missing(key, "an integer");
}

HaloStatus json_get_range(const JsonValue *object, const char *key, int64_t least, int64_t most, int64_t *value)
{
    const HaloStatus status = json_get_int(object, key, value);
    if (status != HALO_OK || (*value >= least && *value <= most)) return status;
    return halo_fail(HALO_ERR_INPUT, "\"%s\" is %lld, outside %lld to %lld", key, (long long)*value,
                     (long long)least, (long long)most);
}

HaloStatus json_get_finite(const JsonValue *object, const char *key, double least, double most, double *value)
{
    const HaloStatus status = json_get_number(object, key, value);
    if (status != HALO_OK || (*value >= least && *value <= most)) return status;
    return halo_fail(HALO_ERR_INPUT, "\"%s\" is not a number from %g to %g", key, least, most);
}

HaloStatus json_get_number(const JsonValue *object, const char *key, double *value)
{
    const char *end;
    const JsonValue *found = json_find(object, key);
    if (found == NULL || found->type == JSON_BOOL || found->type >= JSON_ARRAY) return missing(key, "a number");
    *value = NAN;
    if (found->type == JSON_NULL) return HALO_OK;
    if (found->type == JSON_TEXT) {
        if (strcmp(found->text, "inf") != 0 && strcmp(found->text, "-inf") != 0)
            return missing(key, "a number");
        *value = *found->text == '-' ? -(double)INFINITY : (double)INFINITY;
        return HALO_OK;
    }
    return halo_read_number(found->text, value, &end) && ends(end) ? HALO_OK : missing(key, "a number");
}

HaloStatus json_get_text(const JsonValue *object, const char *key, const char **value)
{
    const JsonValue *found = json_find(object, key);
    if (found == NULL || found->type != JSON_TEXT) return missing(key, "text");
    *value = found->text;
    return HALO_OK;
}

HaloStatus json_get_array(const JsonValue *object, const char *key, const JsonValue **first, int64_t *count)
{
    const JsonValue *found = json_find(object, key);
    if (found == NULL || found->type != JSON_ARRAY) return missing(key, "an array");
    *first = found->first;
    *count = 0;
    for (const JsonValue *v = found->first; v != NULL; v = v->next) ++*count;
    return HALO_OK;
}
