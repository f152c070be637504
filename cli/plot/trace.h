/* Samples of a sound or a series as they come, of any number, in bounded memory: all of them, or where there
 * are many the least and the greatest of neighbouring ones. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "halo/extend.h"

typedef struct Trace {
    int channels;
    int64_t limit;        /* of bins; an even number */
    int64_t per;          /* frames of a bin */
    int64_t bins;         /* of which the last may be incomplete */
    int64_t frames;       /* so far */
    double *least, *most; /* [bins][channels]; NaN: there is no sample, or none is a number */
} Trace;

Trace trace_new(int channels);
/* More frames, of any sample type. */
void trace_add(Trace *trace, const HaloBuf *rows);
void trace_free(Trace *trace);

#endif
