/* JSON, written piece by piece: commas and quotes come by themselves. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "halo/text.h"

/* The length of the UTF-8 sequence at `s`, or 0 where it is none: overlong forms, surrogates and what lies
 * beyond U+10FFFF included. */
static int utf8_length(const unsigned char *s)
{
    const int more = s[0] < 0x80                   ? 0
                     : s[0] >= 0xc2 && s[0] < 0xe0 ? 1
                     : s[0] >= 0xe0 && s[0] < 0xf0 ? 2
                     : s[0] >= 0xf0 && s[0] < 0xf5 ? 3
                                                   : -1;
    for (int i = 1; i <= more; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return more + 1;
}

static void quoted(FILE *to, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', to);
    while (*s != 0) {
        const int length = utf8_length(s);
        if (length == 0)
            fputs("\xef\xbf\xbd", to); /* as it is, so that reading and writing it again gives the same */
        else if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", to);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(to, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)length, to);
        s += length > 0 ? length : 1;
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
