/* The rows that are in memory while a file flows: two buffers of the input's and two of the output's, so that one is
 * read or written while the other is computed. One of each where there is but one band. */
#ifndef CORE_JOB_FLOW_ROWS_H
#define CORE_JOB_FLOW_ROWS_H

#include "plan/bands.h"

typedef struct FlowRows {
    HaloBuf in[2], out[2];
    int64_t room;  /* rows in in[], */
    int64_t band;  /* and in out[] */
    int64_t x0, cols; /* columns of in[], where it is an image */
    Device *owner; /* whose buffers they are; NULL: they lie in memory that a device keeps */
} FlowRows;

/* Memory that copies to and from `device` like best, where it has any; else buffers of `host`. Without `writes` there
 * is no memory for the output; `narrow`: just the columns of an image that are needed are read. */
HaloStatus flow_rows_take(FlowRows *rows, Device *host, Device *device, const HaloPlan *plan, int64_t band,
                          bool writes, bool narrow);
/* The rectangle of these rows of the input; and these rows of a window, with all columns that it has. */
void flow_rows_set(const FlowRows *rows, HaloBuf *in, Rows window);
HaloBuf flow_rows_of(const FlowRows *rows, const HaloBuf *window, Rows part);
void flow_rows_give(FlowRows *rows);

#endif
