/* Letters that a font of ASCII lacks. */
#include "letters.h"

#include <stddef.h>

#include "halo/utf8.h"

/* U+00A0 to U+00FF, with blanks between. */
static const char *const latin1[] = {
    " ",   "!",  "c", "GBP", "",  "Y", "|",  "S", "",  "(c)", "a", "<<", "not", "",    "(r)", "-",
    "deg", "+-", "2", "3",   "'", "u", "P",  ".", ",", "1",   "o", ">>", "1/4", "1/2", "3/4", "?",
    "A",   "A",  "A", "A",   "A", "A", "AE", "C", "E", "E",   "E", "E",  "I",   "I",   "I",   "I",
    "D",   "N",  "O", "O",   "O", "O", "O",  "x", "O", "U",   "U", "U",  "U",   "Y",   "Th",  "ss",
    "a",   "a",  "a", "a",   "a", "a", "ae", "c", "e", "e",   "e", "e",  "i",   "i",   "i",   "i",
    "d",   "n",  "o", "o",   "o", "o", "o",  "/", "o", "u",   "u", "u",  "u",   "y",   "th",  "y"};

/* U+0100 to U+017F; of digraphs the first letter. */
static const char latin_a[] = "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
                              "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

static const struct {
    uint32_t code;
    const char *text;
} others[] = {{0x3bc, "u"},    {0x3a9, "Ohm"},   {0x2126, "Ohm"}, {0x2010, "-"}, {0x2011, "-"}, {0x2012, "-"},
              {0x2013, "-"},   {0x2014, "-"},    {0x2212, "-"},   {0x2018, "'"}, {0x2019, "'"}, {0x201c, "\""},
              {0x201d, "\""},  {0x201e, "\""},   {0x2026, "..."}, {0x2009, " "}, {0x202f, " "}, {0x2070, "0"},
              {0x2074, "4"},   {0x207b, "-"},    {0x2080, "0"},   {0x2081, "1"}, {0x2082, "2"}, {0x2083, "3"},
              {0x20ac, "EUR"}, {0x2030, "/1000"}};

static const char *of_character(uint32_t code, char one[2])
{
    one[1] = 0;
    if (code >= ' ' && code <= '~') {
        one[0] = (char)code;
        return one;
    }
    if (code >= 0xa0 && code < 0x100) return latin1[code - 0xa0];
    if (code >= 0x100 && code < 0x180) {
        one[0] = latin_a[code - 0x100];
        return one;
    }
    if (code >= 0x300 && code < 0x370) return ""; /* an accent of the letter before it */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].code == code) return others[i].text;
    return "?";
}

size_t plot_letters(const char *text, char *shown, size_t size)
{
    const size_t length = strlen(text);
    size_t used = 0;
    for (size_t at = 0, bytes; at < length; at += bytes) {
        uint32_t code = 0;
        char one[2];
        bytes = (size_t)halo_utf8_get(text + at, length - at, &code);
        const char *letters = bytes > 0 ? of_character(code, one) : "?";
        if (bytes == 0) bytes = 1;
        const size_t more = strlen(letters);
        if (used + more >= size) break;
        memcpy(shown + used, letters, more);
        used += more;
    }
    shown[used] = 0;
    return used;
}
