/* The header of NPY, versions 1 to 3 (NumPy Enhancement Proposal 1): a magic, a length, and a Python dictionary
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (480, 640, 3), }
 *
 * of which exactly these three keys are read, in any order, each once. */
#include "bytes/endian.h"
#include "halo/text.h"
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAX_HEAD_BYTES 65536

/* ---- a strict reader of the dictionary ------------------------------------------------------------------ */

typedef struct Text {
    const char *at, *end; /* a zero stands at the end */
} Text;

static HaloStatus bad(const char *what) { return halo_fail(HALO_ERR_INPUT, "bad NPY header: %s", what); }

static void skip_space(Text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' || *text->at == '\t')) text->at++;
}

/* Takes `c`, after any space. */
static bool accept(Text *text, char c)
{
    skip_space(text);
    if (text->at == text->end || *text->at != c) return false;
    text->at++;
    return true;
}

static bool accept_word(Text *text, const char *word)
{
    const size_t n = strlen(word);
    skip_space(text);
    if ((size_t)(text->end - text->at) < n || memcmp(text->at, word, n) != 0) return false;
    text->at += n;
    return true;
}

static HaloStatus parse_string(Text *text, char word[32])
{
    size_t n = 0;
    const char quote = accept(text, '\'') ? '\'' : accept(text, '"') ? '"' : '\0';
    if (quote == '\0') return bad("a string is missing");
    for (; text->at < text->end && *text->at != quote; text->at++) {
        if (n == 31 || *text->at == '\\') return bad("an invalid string");
        word[n++] = *text->at;
    }
    word[n] = '\0';
    return accept(text, quote) ? HALO_OK : bad("an unterminated string");
}

static HaloStatus parse_int(Text *text, int64_t *number)
{
    skip_space(text);
    if (!halo_is_digit(*text->at)) return bad("a number is missing in the shape");
    if (!halo_read_count(text->at, INT64_MAX, number, &text->at)) return bad("a number is too large");
    if (text->at < text->end && *text->at == 'L') text->at++; /* Python 2 wrote long integers so */
    return HALO_OK;
}

static HaloStatus parse_shape(Text *text, HaloArrayHead *head)
{
    HaloStatus status = HALO_OK;
    bool comma = true;
    if (!accept(text, '(')) return bad("the shape is not a tuple");
    while (!accept(text, ')')) {
        if (!comma) return bad("a comma is missing in the shape");
        if (head->dims == HALO_MOST_AXES)
            return halo_fail(HALO_ERR_INPUT, "an array of more than %d dimensions is not supported",
                             HALO_MOST_AXES);
        HALO_TRY(parse_int(text, &head->dim[head->dims++]));
        comma = accept(text, ',');
    }
    if (head->dims == 0) return halo_fail(HALO_ERR_INPUT, "an array without dimensions is not supported");
    if (head->dims == 1 && !comma) return bad("(N) is not a tuple");
out:
    return status;
}

static HaloStatus parse_descr(Text *text, HaloArrayHead *head)
{
    char word[32];
    skip_space(text);
    if (text->at < text->end && *text->at == '[')
        return halo_fail(HALO_ERR_INPUT, "an array of records is not supported");
    const HaloStatus status = parse_string(text, word);
    if (status != HALO_OK) return status;
    const char order = word[0];
    const bool known = strlen(word) == 3 && strchr("<>|=", order) != NULL && strchr("buif", word[1]) != NULL &&
                       strchr("1248", word[2]) != NULL;
    const bool real = known && word[1] == 'f';
    if (!known || (word[1] == 'b' && word[2] != '1') || (real && word[2] == '1') ||
        (order == '|' && word[2] != '1')) {
        return halo_fail(HALO_ERR_INPUT,
                         "an array of '%s'; halo reads bool, integers and floats of 16, 32 and 64 bits", word);
    }
    head->kind = word[1];
    head->size = word[2] - '0';
    head->little = order == '<' || (order == '=' && halo_host_is_little());
    return HALO_OK;
}

static HaloStatus parse_order(Text *text, HaloArrayHead *head)
{
    head->fortran = accept_word(text, "True");
    return head->fortran || accept_word(text, "False") ? HALO_OK
                                                       : bad("fortran_order is neither True nor False");
}

static HaloStatus parse_head(Text *text, HaloArrayHead *head)
{
    static const char *const keys[3] = {"descr", "fortran_order", "shape"};
    HaloStatus status = HALO_OK;
    bool seen[3] = {false, false, false}, comma = true;
    if (!accept(text, '{')) return bad("it is not a dictionary");
    while (!accept(text, '}')) {
        char word[32];
        int key = 0;
        if (!comma) return bad("a comma is missing");
        HALO_TRY(parse_string(text, word));
        while (key < 3 && strcmp(word, keys[key]) != 0) key++;
        if (key == 3) return bad("an unknown key");
        if (seen[key]) return bad("a duplicate key");
        if (!accept(text, ':')) return bad("a colon is missing");
        HALO_TRY(key == 0   ? parse_descr(text, head)
                 : key == 1 ? parse_order(text, head)
                            : parse_shape(text, head));
        seen[key] = true;
        comma = accept(text, ',');
    }
    skip_space(text);
    if (text->at != text->end) return bad("something follows the dictionary");
    if (!seen[0] || !seen[1] || !seen[2]) return bad("descr, fortran_order or shape is missing");
out:
    return status;
}

HaloStatus halo_npy_read_head(HaloSource *source, HaloArrayHead *head, uint32_t *crc)
{
    HaloStatus status = HALO_OK;
    uint8_t start[12];
    char *text = NULL;
    size_t got;
    *head = (HaloArrayHead){0};
    HALO_TRY(halo_source_read(source, start, 8, &got));
    if (got != 8 || memcmp(start, "\x93NUMPY", 6) != 0) HALO_FAIL(HALO_ERR_INPUT, "not an NPY file");
    if (start[6] < 1 || start[6] > 3)
        HALO_FAIL(HALO_ERR_INPUT, "NPY version %d.%d is unknown", start[6], start[7]);
    const size_t bytes = start[6] == 1 ? 2 : 4;
    HALO_TRY(halo_source_read(source, start + 8, bytes, &got));
    if (got != bytes) HALO_FAIL(HALO_ERR_INPUT, "truncated in the NPY header");
    const size_t size = (size_t)halo_get_le(start + 8, bytes);
    if (size > MAX_HEAD_BYTES) HALO_FAIL(HALO_ERR_INPUT, "the NPY header is too long, %zu bytes", size);
    if ((text = malloc(size + 1)) == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for an NPY header");
    HALO_TRY(halo_source_read(source, text, size, &got));
    if (got != size) HALO_FAIL(HALO_ERR_INPUT, "truncated in the NPY header");
    text[size] = 0;
    if (crc != NULL)
        *crc = (uint32_t)crc32(crc32(0, start, 8 + (unsigned)bytes), (Bytef *)text, (unsigned)size);
    HALO_TRY(parse_head(&(Text){text, text + size}, head));
out:
    free(text);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

HaloStatus halo_npy_print_head(const HaloArrayHead *head, char bytes[NPY_HEAD_BYTES + 1])
{
    char shape[80];
    int n = 0;
    for (int i = 0; i < head->dims; i++) {
        n +=
            snprintf(shape + n, sizeof shape - (size_t)n, "%s%lld", i > 0 ? ", " : "", (long long)head->dim[i]);
    }
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10); /* version 1.0; 118 bytes follow */
    n = 10 + snprintf(bytes + 10, NPY_HEAD_BYTES + 1 - 10,
                      "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%s), }",
                      head->size == 1 ? '|' : '<', head->kind, head->size, shape);
    if (n >= NPY_HEAD_BYTES) return halo_fail(HALO_ERR_BUG, "internal: an NPY header of %d bytes", n);
    memset(bytes + n, ' ', (size_t)(NPY_HEAD_BYTES - n));
    bytes[NPY_HEAD_BYTES - 1] = '\n';
    bytes[NPY_HEAD_BYTES] = 0;
    return HALO_OK;
}

HaloStatus halo_npy_write_head(HaloSink *sink, const HaloArrayHead *head)
{
    char bytes[NPY_HEAD_BYTES + 1];
    const HaloStatus status = halo_npy_print_head(head, bytes);
    return status == HALO_OK ? halo_sink_write(sink, bytes, NPY_HEAD_BYTES) : status;
}

void halo_npy_add_pages(HaloArrayHead *head, int64_t pages)
{
    memmove(head->dim + 1, head->dim, 3 * sizeof *head->dim);
    head->dim[0] = pages;
    head->dims++;
}
