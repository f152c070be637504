/* JSON, written piece by piece: commas and quotes come by themselves. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "halo/text.h"
#include "halo/utf8.h"

static void quoted(FILE *to, const char *text)
{
    uint32_t code;
    fputc('"', to);
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        bytes = (size_t)halo_utf8_get(text, left, &code);
        if (bytes == 0)
            fputs("\xef\xbf\xbd", to); /* as it is, so that reading and writing it again gives the same */
        else if (code == '"' || code == '\\')
            fprintf(to, "\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", to);
        else if (code < 0x20 || code == 0x7f)
            fprintf(to, "\\u%04x", (unsigned)code);
        else
            fwrite(text, 1, bytes, to);
        if (bytes == 0) bytes = 1;
    }
    fputc('"', to);
}

static void before(CliJson *json, const char *key)
{
    if (json->comma) fputc(',', json->to);
    json->comma = true;
    if (key == NULL) return;
    quoted(json->to, key);
    fputc(':', json->to);
}

void json_open(CliJson *json, const char *key, char bracket)
{
    before(json, key);
    fputc(bracket, json->to);
    json->comma = false;
}

void json_close(CliJson *json, char bracket)
{
    fputc(bracket, json->to);
    json->comma = true;
}

void json_end_line(CliJson *json)
{
    fputc('\n', json->to);
    json->comma = false;
}

void json_text(CliJson *json, const char *key, const char *text)
{
    before(json, key);
    if (text == NULL)
        fputs("null", json->to);
    else
        quoted(json->to, text);
}

void json_int(CliJson *json, const char *key, int64_t value)
{
    before(json, key);
    fprintf(json->to, "%" PRId64, value);
}

void json_uint(CliJson *json, const char *key, uint64_t value)
{
    before(json, key);
    fprintf(json->to, "%" PRIu64, value);
}

void json_number(CliJson *json, const char *key, double value)
{
    before(json, key);
    if (isnan(value))
        fputs("null", json->to);
    else if (isinf(value))
        fputs(value > 0 ? "\"inf\"" : "\"-inf\"", json->to);
    else
        halo_fprintf(json->to, "%.17g", value);
}

void json_bool(CliJson *json, const char *key, bool value)
{
    before(json, key);
    fputs(value ? "true" : "false", json->to);
}

void json_null(CliJson *json, const char *key)
{
    before(json, key);
    fputs("null", json->to);
}

void json_positive(CliJson *json, const char *key, double value)
{
    if (value > 0)
        json_number(json, key, value);
    else
        json_null(json, key);
}
