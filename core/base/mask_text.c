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
#include <stdlib.h>
#include <string.h>

#include "halo/mask.h"
#include "halo/text.h"
#include "mask_words.h"

static_assert(HALO_MASK_MAX_SIDE == 1048576, "two messages name it");

/* ---- dialects ------------------------------------------------------------------------------------------- */

/* The mask that is made of the words read so far. */
static HaloStatus make(const MaskReader *r, int64_t width, int64_t height, HaloMask *mask)
{
    const HaloStatus status = halo_mask_alloc(mask, width, height);
    if (status != HALO_OK) return halo_fail_at(status, "%s", r->name);
    memcpy(mask->tap, r->number, (size_t)(width * height) * sizeof *mask->tap);
    return HALO_OK;
}

/* Digits that come to `least` .. `most`, or -1. */
static int64_t read_digits(MaskReader *r, int64_t least, int64_t most)
{
    const char *end;
    int64_t value;
    if (!halo_read_count(r->at, most, &value, &end) || value < least) return -1;
    r->at = end;
    return value;
}

/* "WxH+X+Y:" or "N:", then all taps. */
static HaloStatus parse_imagemagick(MaskReader *r, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    int64_t anchor_x = -1, anchor_y = -1, count;
    mask_skip(r, true);
    const int64_t width = read_digits(r, 1, HALO_MASK_MAX_SIDE);
    if (width < 0) HALO_TRY(mask_expected(r, "a size such as 3x3 or 3x3+1+1"));
    int64_t height = width;
    if (*r->at == 'x') {
        mask_step(r);
        height = read_digits(r, 1, HALO_MASK_MAX_SIDE);
        if (height < 0) HALO_TRY(mask_expected(r, "a height"));
    }
    if (*r->at == '+') {
        mask_step(r);
        anchor_x = read_digits(r, 0, width - 1);
        if (anchor_x < 0) HALO_TRY(mask_expected(r, "an anchor inside the mask"));
        if (*r->at != '+') HALO_TRY(mask_expected(r, "'+'"));
        mask_step(r);
        anchor_y = read_digits(r, 0, height - 1);
        if (anchor_y < 0) HALO_TRY(mask_expected(r, "an anchor inside the mask"));
    }
    mask_skip(r, true);
    if (*r->at != ':') HALO_TRY(mask_expected(r, "':'"));
    mask_step(r);
    r->outside = true;
    HALO_TRY(mask_read_row(r, width * height, &count));
    if (r->inside == 0)
        HALO_FAIL(HALO_ERR_USAGE,
                  "%s: all coefficients are outside ('-' or 'nan'): give a number for at least one", r->name);
    HALO_TRY(make(r, width, height, mask));
    if (anchor_x >= 0) {
        mask->anchor_x = anchor_x;
        mask->anchor_y = anchor_y;
    }
out:
    return status;
}

static HaloStatus parse_netpbm(MaskReader *r, HaloMask *mask)
{
    int64_t width = 0, height;
    mask_skip(r, true);
    if (*r->at == '=') mask_step(r);
    r->row_end = ';';
    const HaloStatus status = mask_read_rows(r, &width, &height);
    return status == HALO_OK ? make(r, width, height, mask) : status;
}

static HaloStatus read_side(MaskReader *r, const char *what, int64_t *side)
{
    mask_skip(r, false);
    const char *start = r->at;
    *side = read_digits(r, 1, HALO_MASK_MAX_SIDE);
    if (*side > 0 && mask_word_length(r) == 0) return HALO_OK;
    r->at = start;
    return mask_expected(r, what);
}

static HaloStatus parse_libvips(MaskReader *r, bool scaled, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    double divisor = 1.0, offset = 0.0;
    int64_t width, height, count;
    mask_skip(r, true);
    HALO_TRY(read_side(r, "a width from 1 to 1048576", &width));
    HALO_TRY(read_side(r, "a height from 1 to 1048576", &height));
    if (scaled) {
        mask_skip(r, false);
        const char *start = r->at;
        HALO_TRY(mask_read_number(r, &divisor));
        if (divisor == 0.0 || fabs(1.0 / divisor) > FLT_MAX) {
            r->at = start;
            HALO_TRY(mask_expected(r, "a scale that can be divided by"));
        }
        mask_skip(r, false);
        HALO_TRY(mask_read_number(r, &offset));
    }
    r->row_end = '\n';
    for (int64_t y = 0; y < height; y++) HALO_TRY(mask_read_row(r, width, &count));
    mask_skip(r, true);
    if (r->at < r->end) HALO_TRY(mask_expected(r, "the end"));
    HALO_TRY(make(r, width, height, mask));
    mask->scale = 1.0 / divisor;
    mask->bias = offset;
out:
    return status;
}

static HaloStatus parse_rows(MaskReader *r, HaloMask *mask)
{
    int64_t width = 0, height;
    r->row_end = '\n';
    const HaloStatus status = mask_read_rows(r, &width, &height);
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

static Survey survey(MaskReader r)
{
    Survey seen = {0};
    mask_skip(&r, true);
    const int64_t first = r.line;
    seen.equals = *r.at == '=';
    while (r.at < r.end) {
        const size_t length = mask_word_length(&r);
        seen.words += length > 0;
        seen.first_words += length > 0 && r.line == first;
        seen.first_comma |= *r.at == ',' && r.line == first;
        seen.colon |= *r.at == ':';
        seen.semicolon |= *r.at == ';';
        if (length > 0) {
            r.at += length;
        } else {
            mask_step(&r);
        }
        mask_skip(&r, true);
    }
    return seen;
}

HaloStatus halo_mask_parse(const char *name, const char *text, size_t length, HaloMask *mask)
{
    HaloStatus status = HALO_OK;
    MaskReader r = {.name = name, .line = 1};
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
