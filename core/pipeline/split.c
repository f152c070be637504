/* Splits the text of a pipeline. */
#include <stdlib.h>
#include <string.h>

#include "split.h"

Span span_trimmed(const char *from, const char *to)
{
    while (from < to && halo_is_blank(*from)) from++;
    while (to > from && halo_is_blank(to[-1])) to--;
    return (Span){from, (size_t)(to - from)};
}

char *span_copy(Span span)
{
    char *copy = malloc(span.length + 1);
    if (copy == NULL) return NULL;
    memcpy(copy, span.at, span.length);
    copy[span.length] = 0;
    return copy;
}

bool span_within(Span span, const char *quotes, Span *inner)
{
    if (span.length < 2 || span.at[0] != quotes[0] || span.at[span.length - 1] != quotes[1]) return false;
    *inner = (Span){span.at + 1, span.length - 2};
    return true;
}

/* A bracket opens a branch where a value begins; elsewhere it is part of a file's name. */
static bool opens(const char *from, const char *bracket)
{
    while (bracket > from && halo_is_blank(bracket[-1])) bracket--;
    return bracket == from || strchr(":,=", bracket[-1]) != NULL;
}

HaloStatus span_end(const char *at, const char *end, char stop, const char **piece_end)
{
    const char *const from = at;
    char quote = 0;
    int branches = 0;
    for (; at < end; at++) {
        if (quote != 0) {
            if (*at == quote) quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '[' && opens(from, at)) {
            branches++;
        } else if (*at == ']' && branches > 0) {
            branches--;
        } else if (*at == stop && branches == 0) {
            break;
        }
    }
    *piece_end = at;
    if (quote == 0 && branches == 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "a %s is not closed in the pipeline: %.80s", quote != 0 ? "quote" : "[",
                     from);
}
