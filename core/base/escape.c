/* Escaping what a terminal would obey, or XML does not allow. */
#include "halo/escape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "halo/utf8.h"

static bool turns_direction(uint32_t code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

static bool is_special(uint32_t code)
{
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return control || code == 0x2028 || code == 0x2029 || code == 0xfffe || code == 0xffff ||
           turns_direction(code);
}

/* The length of the character at the start; *special: it has to be escaped. */
static size_t character(const char *text, size_t size, const char *keep, bool *special)
{
    uint32_t code = 0;
    const int bytes = halo_utf8_get(text, size, &code);
    const bool kept = bytes == 1 && code != 0 && strchr(keep, (int)code) != NULL;
    *special = bytes == 0 || (is_special(code) && !kept);
    return bytes == 0 ? 1 : (size_t)bytes;
}

typedef struct Output {
    char *to; /* NULL: only the length counts */
    size_t length;
} Output;

static void add(Output *out, const char *bytes, size_t size)
{
    if (out->to != NULL) memcpy(out->to + out->length, bytes, size);
    out->length += size;
}

/* Inside $'…'. */
static void add_code(Output *out, unsigned char byte)
{
    static const char named[] = "\a\b\t\n\v\f\r", letters[] = "abtnvfr";
    const char *at = byte != 0 ? strchr(named, byte) : NULL;
    const char octal[4] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)),
                           (char)('0' + (byte & 7))};
    const char letter[2] = {'\\', at != NULL ? letters[at - named] : 0};
    if (at != NULL)
        add(out, letter, 2);
    else
        add(out, octal, 4);
}

size_t halo_escape(const char *text, size_t size, const char *keep, char *to)
{
    Output out = {to, 0};
    bool inside = false, special = false;
    for (size_t at = 0, bytes; at < size; at += bytes) {
        bytes = character(text + at, size - at, keep, &special);
        if (special && !inside) add(&out, "$'", 2);
        if (!special && inside) add(&out, "'", 1);
        inside = special;
        for (size_t i = 0; special && i < bytes; i++) add_code(&out, (unsigned char)text[at + i]);
        if (!special) add(&out, text + at, bytes);
    }
    if (inside) add(&out, "'", 1);
    return out.length;
}

/* Character by character would close and open the quotes between neighbours: runs are escaped as a whole. */
void halo_put_escaped(FILE *to, const char *text)
{
    char buffer[1024];
    const size_t most = (sizeof buffer - 3) / 4; /* bytes of text, all of them escaped */
    for (size_t left = strlen(text); left > 0;) {
        const size_t part = halo_utf8_fit(text, most);
        fwrite(buffer, 1, halo_escape(text, part, "", buffer), to);
        text += part;
        left -= part;
    }
}
