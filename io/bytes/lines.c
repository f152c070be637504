/* Reads text line by line; the buffer grows up to the longest line that is allowed. */
#include "halo/lines.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)65536)

static HaloStatus take_source(void *source, void *bytes, size_t size, size_t *got)
{
    return halo_source_take(source, bytes, size, got);
}

HaloLines halo_lines_of(HaloSource *source, size_t most)
{
    return (HaloLines){.take = take_source, .from = source, .most = most};
}

void halo_lines_free(HaloLines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

/* Space for a block, and for a zero byte behind it. */
static HaloStatus ensure_capacity(HaloLines *lines)
{
    if (lines->begin > 0) {
        memmove(lines->text, lines->text + lines->begin, lines->filled - lines->begin);
        lines->filled -= lines->begin;
        lines->begin = 0;
    }
    if (lines->capacity - lines->filled > BLOCK) return HALO_OK;
    const size_t capacity = lines->filled + lines->filled / 2 + 2 * BLOCK;
    char *more = realloc(lines->text, capacity);
    if (more == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for a line of text");
    lines->text = more;
    lines->capacity = capacity;
    return HALO_OK;
}

HaloStatus halo_lines_fill(HaloLines *lines)
{
    HaloStatus status = HALO_OK;
    size_t got;
    if (lines->filled - lines->begin > lines->most)
        HALO_FAIL(HALO_ERR_INPUT, "line %lld has more than %zu bytes", lines->line + 1, lines->most);
    HALO_TRY(ensure_capacity(lines));
    /* Takes only the bytes that are available: the program that writes the text may be waiting for the result.
     */
    HALO_TRY(lines->take(lines->from, lines->text + lines->filled, BLOCK, &got));
    lines->filled += got;
    lines->at_end = got == 0;
out:
    return status;
}

HaloStatus halo_lines_skip_mark(HaloLines *lines)
{
    HaloStatus status = HALO_OK;
    while (lines->filled < 3 && !lines->at_end) HALO_TRY(halo_lines_fill(lines));
    if (lines->filled >= 3 && memcmp(lines->text, "\xef\xbb\xbf", 3) == 0) lines->begin = 3;
out:
    return status;
}

/* Forgets the beginning of a line that is too long. */
static void skip_begun(HaloLines *lines, size_t *seen)
{
    if (!lines->skip_long || lines->filled - lines->begin <= lines->most) return;
    lines->skipping = true;
    lines->begin = lines->filled;
    *seen = 0;
}

static HaloStatus next(HaloLines *lines, char end, char **line, size_t *length)
{
    HaloStatus status = HALO_OK;
    const char *stop = NULL;
    size_t seen = 0;
    *line = NULL;
    while (true) {
        const size_t left = lines->filled - lines->begin - seen;
        if (left > 0) stop = memchr(lines->text + lines->begin + seen, end, left);
        if (stop != NULL || lines->at_end) break;
        seen += left;
        skip_begun(lines, &seen);
        HALO_TRY(halo_lines_fill(lines));
    }
    char *first = lines->text + lines->begin;
    *length = stop != NULL ? (size_t)(stop - first) : lines->filled - lines->begin;
    if (stop == NULL && *length == 0 && !lines->skipping) return HALO_OK;
    first[*length] = 0; /* there is space behind the last line */
    lines->begin += *length + (stop != NULL);
    lines->line++;
    *line = first;
out:
    return status;
}

HaloStatus halo_lines_next(HaloLines *lines, char end, char **line, size_t *length)
{
    HaloStatus status;
    bool skipped;
    do {
        lines->skipping = false;
        status = next(lines, end, line, length);
        skipped = status == HALO_OK && *line != NULL && (lines->skipping || *length > lines->most);
        if (skipped && !lines->skip_long)
            return halo_fail(HALO_ERR_INPUT, "line %lld has more than %zu bytes", lines->line, lines->most);
    } while (skipped);
    return status;
}
