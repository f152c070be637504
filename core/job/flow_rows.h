/* The row buffers of a file that runs in bands: two for input and two for output per device, so that one is
 * read or written while the other is computed. Band k uses buffer k mod `count`. */
#ifndef CORE_JOB_FLOW_ROWS_H
#define CORE_JOB_FLOW_ROWS_H

#include "plan/bands.h"
#include "session.h"

typedef struct FlowRows {
    HaloBuf in[2 * SESSION_GPUS], out[2 * SESSION_GPUS];
    int64_t count;    /* of each; no more than there are bands */
    int64_t capacity; /* rows in in[], */
    int64_t band;     /* and in out[] */
    int64_t x0, cols; /* columns of in[], where it is an image */
    Device *owner;    /* whose buffers they are; NULL: they lie in a device's pinned memory */
} FlowRows;

/* Pinned memory if the devices have any, for fast copies; else buffers of `host`. Without
 * `writes` there is no memory for the output; `narrow`: just the columns of an image that are needed are read.
 */
HaloStatus flow_rows_take(FlowRows *rows, Device *host, Team team, const Bands *bands, bool writes,
                          bool narrow);
/* The rectangle of these rows of the input; and these rows of a window, with all columns that it has. */
void flow_rows_set(const FlowRows *rows, HaloBuf *in, Rows window);
HaloBuf flow_rows_of(const FlowRows *rows, const HaloBuf *window, Rows part);
void flow_rows_give(FlowRows *rows);

#endif
