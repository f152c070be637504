/* The words, numbers and rows of numbers of a mask's text. */
#include "mask_words.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "halo/text.h"

/* ---- characters and words ------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool ends_word(char c)
{
    return is_blank(c) || c == '\n' || c == ',' || c == ';' || c == ':' || c == '#';
}

void mask_step(MaskReader *r)
{
    if (*r->at++ == '\n') {
        r->line++;
        r->line_start = r->at;
    }
}

void mask_skip(MaskReader *r, bool lines)
{
    while (r->at < r->end) {
        if (*r->at == '#') {
            while (r->at < r->end && *r->at != '\n') r->at++;
        } else if (is_blank(*r->at) || (lines && *r->at == '\n')) {
            mask_step(r);
        } else {
            return;
        }
    }
}

size_t mask_word_length(const MaskReader *r)
{
    const char *c = r->at;
    while (c < r->end && !ends_word(*c)) c++;
    return (size_t)(c - r->at);
}

HaloStatus mask_expected(const MaskReader *r, const char *what)
{
    char found[32] = "the end", word[20 + 1] = "";
    const size_t length = mask_word_length(r), shown = length > 20 ? 20 : length > 0 ? length : 1;
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

HaloStatus mask_read_number(MaskReader *r, double *value)
{
    const char *end;
    const size_t length = mask_word_length(r);
    if (!halo_read_number(r->at, value, &end) || end != r->at + length) return mask_expected(r, "a number");
    if (!(fabs(*value) <= FLT_MAX)) return mask_expected(r, "a number within 32-bit floats");
    r->at += length;
    return HALO_OK;
}

static bool is_outside(const MaskReader *r, size_t length)
{
    return r->outside &&
           ((length == 1 && *r->at == '-') ||
            (length == 3 && (r->at[0] | 0x20) == 'n' && (r->at[1] | 0x20) == 'a' && (r->at[2] | 0x20) == 'n'));
}

static HaloStatus read_tap(MaskReader *r)
{
    double value = 0.0;
    const size_t length = mask_word_length(r);
    if (is_outside(r, length)) {
        r->at += length;
    } else {
        const HaloStatus status = mask_read_number(r, &value);
        if (status != HALO_OK) return status;
        r->inside++;
    }
    r->number[r->numbers++] = value;
    return HALO_OK;
}

HaloStatus mask_read_row(MaskReader *r, int64_t wanted, int64_t *count)
{
    HaloStatus status = HALO_OK;
    const bool lines = r->row_end != '\n';
    mask_skip(r, true);
    for (*count = 0;;) {
        HALO_TRY(read_tap(r));
        ++*count;
        mask_skip(r, lines);
        const bool comma = *r->at == ',', last = r->at == r->end || (r->row_end != 0 && *r->at == r->row_end);
        if (last && (wanted == 0 || *count == wanted)) break;
        if (*count == wanted) HALO_TRY(mask_expected(r, r->row_end == 0 ? "the end" : "the end of the row"));
        if (comma) mask_step(r);
        mask_skip(r, lines);
    }
out:
    return status;
}

HaloStatus mask_read_rows(MaskReader *r, int64_t *width, int64_t *height)
{
    HaloStatus status = HALO_OK;
    for (*height = 0;;) {
        HALO_TRY(mask_read_row(r, *width, width));
        ++*height;
        if (r->row_end == '\n') mask_skip(r, true);
        if (r->at == r->end) break;
        if (*r->at == r->row_end) mask_step(r);
    }
out:
    return status;
}
