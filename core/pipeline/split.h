/* Splits the text of a pipeline at bars and commas, but not at those in quotes and in branches. */
#ifndef CORE_PIPELINE_SPLIT_H
#define CORE_PIPELINE_SPLIT_H

#include "core.h"

/* A piece of the text. */
typedef struct Span {
    const char *at;
    size_t length;
} Span;

Span span_trimmed(const char *from, const char *to);
char *span_copy(Span span); /* malloc'ed; NULL without memory */
/* Is it all between these two quotes or brackets? Then *inner is the text between them. */
bool span_within(Span span, const char *quotes, Span *inner);
/* The end of the piece that starts at `at` and runs up to `stop` outside quotes and branches. A branch is a
 * pipeline in brackets, "[…]", in the place of a value. HALO_ERR_USAGE where a quote or bracket is not closed.
 */
HaloStatus span_end(const char *at, const char *end, char stop, const char **piece_end);

#endif
