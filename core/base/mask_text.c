/* Masks written as text, in the dialects of the tools people come from. Which one it is follows from the text
 * alone, comments ('#' to the end of the line) left out; the first rule that holds decides:
 *
 *   it has a ':'                  ImageMagick: "WxH[+X+Y]: a,b,…", or "N: …" for N x N; '-' or 'nan' is outside
 *   it has a ';' or starts with '='   netpbm -matrix: rows end with ';', "=1,2,1" is one row
 *   its first line has no ',' and 2 or 4 words   libvips: "W H [scale offset]", then H lines of W numbers;
 *                                 the sum is divided by their scale, the offset added
 *   else                          rows of numbers, one a line (CSV, or with blanks)
 *
 * Rows of a single number each are a filter in one dimension (SoX), so a row of N taps. A single row of n * n
 * numbers is n x n, as in ImageMagick; "9x1: …" or "=…" keeps it a row. Numbers of a row are separated by a
 * comma or blanks. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo/mask.h"
#include "halo/text.h"

typedef struct Reader {
    const char *name;
    const char *at, *end; /* *end is 0 */
    const char *line_start;
    int64_t line;
    char row_end;   /* what ends a row of numbers: '\n', ';', or 0 */
    bool outside;   /* '-' and 'nan' are taps outside the mask */
    double *number; /* those read so far; there is room for every word */
    int64_t numbers;
} Reader;

/* ---- characters and words ------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == ',' || c == ';' || c == ':' || c == '#';
}

static void step(Reader *r)
{
    if (*r->at++ == '\n') {
        r->line++;
        r->line_start = r->at;
    }
}

/* Goes over blanks and comments; over line ends too, unless they end a row. */
static void skip(Reader *r, bool lines)
{
    while (r->at < r->end) {
        if (*r->at == '#') {
            while (r->at < r->end && *r->at != '\n') r->at++;
        } else if (is_blank(*r->at) || (lines && *r->at == '\n')) {
            step(r);
        } else {
            return;
        }
    }
}

static size_t word_length(const Reader *r)
{
    const char *c = r->at;
    while (c < r->end && !ends_word(*c)) c++;
    return (size_t)(c - r->at);
}

/* "k.mat:3:7: expected a number, found 'x'" */
static HaloStatus expected(const Reader *r, const char *what)
{
    char found[32] = "the end", word[20 + 1] = "";
    const size_t length = word_length(r), shown = length > 20 ? 20 : length > 0 ? length : 1;
    const int64_t column = r->at - r->line_start + 1;
    if (r->at < r->end && *r->at == '\n') {
        snprintf(found, sizeof found, "the end of the line");
    } else if (r->at < r->end && !halo_is_print(*r->at)) {
        snprintf(found, sizeof found, "byte 0x%02x", (unsigned char)*r->at);
    } else if (r->at < r->end) {
        for (size_t i = 0; i < shown; i++) word[i] = halo_is_print(r->at[i]) ? r->at[i] : '?';
        snprintf(found, sizeof found, "'%s%s'", word, length > shown ? "..." : "");
    }
    return halo_fail(HALO_ERR_USAGE, "%s:%lld:%lld: expected %s, found %s", r->name, (long long)r->line,
                     (long long)column, what, found);
}

/* ---- numbers -------------------------------------------------------------------------------------------- */

static HaloStatus read_number(Reader *r, double *value)
{
    const char *end;
    const size_t length = word_length(r);
    if (!halo_read_number(r->at, value, &end) || end != r->at + length) return expected(r, "a number");
    if (!(fabs(*value) <= FLT_MAX)) return expected(r, "a number within 32-bit floats");
    r->at += length;
    return HALO_OK;
}

static bool is_outside(const Reader *r, size_t length)
{
    return r->outside &&
           ((length == 1 && *r->at == '-') ||
            (length == 3 && (r->at[0] | 0x20) == 'n' && (r->at[1] | 0x20) == 'a' && (r->at[2] | 0x20) == 'n'));
}

static HaloStatus read_tap(Reader *r)
{
    double value = 0.0;
    const size_t length = word_length(r);
    if (is_outside(r, length)) {
        r->at += length;
    } else {
        const HaloStatus status = read_number(r, &value);
        if (status != HALO_OK) return status;
    }
    r->number[r->numbers++] = value;
    return HALO_OK;
}

/* One row: at least one number, exactly `wanted` unless that is 0. Stops at what ends the row, or the text. */
static HaloStatus read_row(Reader *r, int64_t wanted, int64_t *count)
{
    HaloStatus status = HALO_OK;
    const bool lines = r->row_end != '\n';
    skip(r, true);
    for (*count = 0;;) {
        HALO_TRY(read_tap(r));
        ++*count;
        skip(r, lines);
        const bool comma = *r->at == ',', last = r->at == r->end || (r->row_end != 0 && *r->at == r->row_end);
        if (last && (wanted == 0 || *count == wanted)) break;
        if (*count == wanted) HALO_TRY(expected(r, r->row_end == 0 ? "the end" : "the end of the row"));
        if (comma) step(r);
        skip(r, lines);
    }
out:
    return status;
}

/* Rows up to the end of the text, each as long as the first, or as `width` where that is not 0. */
static HaloStatus read_rows(Reader *r, int64_t *width, int64_t *height)
{
    HaloStatus status = HALO_OK;
    for (*height = 0;;) {
        HALO_TRY(read_row(r, *width, width));
        ++*height;
        if (r->row_end == '\n') skip(r, true);
        if (r->at == r->end) break;
        if (*r->at == r->row_end) step(r);
    }
out:
    return status;
}

static_assert(HALO_MASK_MAX_SIDE == 1048576, "two messages name it");

/* ---- dialects ------------------------------------------------------------------------------------------- */

/* What the words read so far become. */
static HaloStatus make(const Reader *r, int64_t width, int64_t height, HaloMask *mask)
{
    const HaloStatus status = halo_mask_alloc(mask, width, height);
    if (status != HALO_OK) return halo_fail_at(status, "%s", r->name);
    memcpy(mask->tap, r->number, (size_t)(width * height) * sizeof *mask->tap);
    return HALO_OK;
}

/* Digits that come to `least` .. `most`, or -1. */
static int64_t read_digits(Reader *r, int64_t least, int64_t most)
{
    const char *end;
    int64_t value;
    if (!halo_read_count(r->at, most, &value, &end) || value < least) return -1;
    r->at = end;
    return value;
}

/* "WxH+X+Y:" or "N:", then all taps. */
static HaloStatus parse_imagemagick(Reader *r, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    int64_t anchor_x = -1, anchor_y = -1, count;
    skip(r, true);
    const int64_t width = read_digits(r, 1, HALO_MASK_MAX_SIDE);
    if (width < 0) HALO_TRY(expected(r, "a size such as 3x3 or 3x3+1+1"));
    int64_t height = width;
    if (*r->at == 'x') {
        step(r);
        height = read_digits(r, 1, HALO_MASK_MAX_SIDE);
        if (height < 0) HALO_TRY(expected(r, "a height"));
    }
    if (*r->at == '+') {
        step(r);
        anchor_x = read_digits(r, 0, width - 1);
        if (anchor_x < 0) HALO_TRY(expected(r, "an anchor inside the mask"));
        if (*r->at != '+') HALO_TRY(expected(r, "'+'"));
        step(r);
        anchor_y = read_digits(r, 0, height - 1);
        if (anchor_y < 0) HALO_TRY(expected(r, "an anchor inside the mask"));
    }
    skip(r, true);
    if (*r->at != ':') HALO_TRY(expected(r, "':'"));
    step(r);
    r->outside = true;
    HALO_TRY(read_row(r, width * height, &count));
    HALO_TRY(make(r, width, height, mask));
    if (anchor_x >= 0) {
        mask->anchor_x = anchor_x;
        mask->anchor_y = anchor_y;
    }
out:
    return status;
}

static HaloStatus parse_netpbm(Reader *r, HaloMask *mask)
{
    int64_t width = 0, height;
    skip(r, true);
    if (*r->at == '=') step(r);
    r->row_end = ';';
    const HaloStatus status = read_rows(r, &width, &height);
    return status == HALO_OK ? make(r, width, height, mask) : status;
}

static HaloStatus read_side(Reader *r, const char *what, int64_t *side)
{
    skip(r, false);
    const char *start = r->at;
    *side = read_digits(r, 1, HALO_MASK_MAX_SIDE);
    if (*side > 0 && word_length(r) == 0) return HALO_OK;
    r->at = start;
    return expected(r, what);
}

static HaloStatus parse_libvips(Reader *r, bool scaled, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    double divisor = 1.0, offset = 0.0;
    int64_t width, height, count;
    skip(r, true);
    HALO_TRY(read_side(r, "a width from 1 to 1048576", &width));
    HALO_TRY(read_side(r, "a height from 1 to 1048576", &height));
    if (scaled) {
        skip(r, false);
        const char *start = r->at;
        HALO_TRY(read_number(r, &divisor));
        if (divisor == 0.0 || fabs(1.0 / divisor) > FLT_MAX) {
            r->at = start;
            HALO_TRY(expected(r, "a scale that can be divided by"));
        }
        skip(r, false);
        HALO_TRY(read_number(r, &offset));
    }
    r->row_end = '\n';
    for (int64_t y = 0; y < height; y++) HALO_TRY(read_row(r, width, &count));
    skip(r, true);
    if (r->at < r->end) HALO_TRY(expected(r, "the end"));
    HALO_TRY(make(r, width, height, mask));
    mask->scale = 1.0 / divisor;
    mask->bias = offset;
out:
    return status;
}

static HaloStatus parse_rows(Reader *r, HaloMask *mask)
{
    int64_t width = 0, height;
    r->row_end = '\n';
    const HaloStatus status = read_rows(r, &width, &height);
    if (status != HALO_OK) return status;
    if (width == 1) return make(r, height, 1, mask);
    if (height == 1) {
        const int64_t side = (int64_t)sqrt((double)width);
        if (side * side == width) return make(r, side, side, mask);
    }
    return make(r, width, height, mask);
}

/* ---- which one ------------------------------------------------------------------------------------------ */

typedef struct Survey {
    int64_t words;
    int64_t first_words; /* on the first line that is not empty */
    bool first_comma;
    bool colon, semicolon, equals;
} Survey;

static Survey survey(Reader r)
{
    Survey seen = {0};
    skip(&r, true);
    const int64_t first = r.line;
    seen.equals = *r.at == '=';
    while (r.at < r.end) {
        const size_t length = word_length(&r);
        seen.words += length > 0;
        seen.first_words += length > 0 && r.line == first;
        seen.first_comma |= *r.at == ',' && r.line == first;
        seen.colon |= *r.at == ':';
        seen.semicolon |= *r.at == ';';
        if (length > 0) {
            r.at += length;
        } else {
            step(&r);
        }
        skip(&r, true);
    }
    return seen;
}

HaloStatus halo_mask_parse(const char *name, const char *text, size_t length, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    Reader r = {.name = name, .line = 1};
    char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL; /* with a 0 at the end, for strtod */
    memset(mask, 0, sizeof *mask);
    if (copy == NULL) HALO_FAIL(HALO_ERR_LIMIT, "%s: not enough memory", name);
    if (length > 0) memcpy(copy, text, length);
    copy[length] = 0;
    r.at = r.line_start = copy;
    r.end = copy + length;
    if (length >= 3 && memcmp(copy, "\xef\xbb\xbf", 3) == 0) r.at = r.line_start = copy + 3; /* UTF-8's mark */
    const Survey seen = survey(r);
    r.number =
        calloc((size_t)seen.words + 1, sizeof *r.number); /* a word takes a byte, so this cannot overflow */
    if (r.number == NULL) HALO_FAIL(HALO_ERR_LIMIT, "%s: not enough memory", name);
    if (seen.colon) {
        status = parse_imagemagick(&r, mask);
    } else if (seen.semicolon || seen.equals) {
        status = parse_netpbm(&r, mask);
    } else if (!seen.first_comma && (seen.first_words == 2 || seen.first_words == 4)) {
        status = parse_libvips(&r, seen.first_words == 4, mask);
    } else {
        status = parse_rows(&r, mask);
    }
out:
    free(r.number);
    free(copy);
    return status;
}
