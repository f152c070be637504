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

/* The first `stop` outside of quotes, of branches, and, `round`, of parentheses, which a value may hold. */
static const char *find_end(const char *at, const char *end, char stop, bool round, char *quote, int *open)
{
    const char *const from = at;
    int branches = 0, parentheses = 0;
    *quote = 0;
    for (; at < end; at++) {
        if (*quote != 0) {
            if (*at == *quote) *quote = 0;
        } else if (*at == '"' || *at == '\'') {
            *quote = *at;
        } else if (*at == '[' && opens(from, at)) {
            branches++;
        } else if (*at == ']' && branches > 0) {
            branches--;
        } else if (round && (*at == '(' || (*at == ')' && parentheses > 0))) {
            parentheses += *at == '(' ? 1 : -1;
        } else if (*at == stop && branches + parentheses == 0) {
            break;
        }
    }
    *open = branches;
    return parentheses > 0 ? NULL : at;
}

HaloStatus span_end(const char *at, const char *end, char stop, const char **piece_end)
{
    char quote;
    int branches;
    *piece_end = find_end(at, end, stop, true, &quote, &branches);
    if (*piece_end == NULL) *piece_end = find_end(at, end, stop, false, &quote, &branches); /* one stays open */
    if (quote == 0 && branches == 0) return HALO_OK;
    return halo_fail(HALO_ERR_USAGE, "a %s is not closed in the pipeline: %.80s", quote != 0 ? "quote" : "[",
                     at);
}
