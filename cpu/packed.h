/* Rows that follow each other without a gap are one long row: narrow pictures then take no time for their rows.
 */
#ifndef CPU_PACKED_H
#define CPU_PACKED_H

#include "halo/buffer.h"

/* Of fewer pixels in a row beginning and ending it takes as long as what is done to them. */
#define CPU_NARROW 256

static inline bool cpu_is_packed(const HaloBuf *buf) { return buf->stride == halo_row_bytes(buf); }

/* Are rows of the one, narrow as they are, of the same columns as those of the other, and both packed? */
static inline bool cpu_are_narrow(const HaloBuf *a, const HaloBuf *b)
{
    return a->x0 == b->x0 && a->cols == b->cols && a->cols < CPU_NARROW && cpu_is_packed(a) && cpu_is_packed(b);
}

/* Rows [y, y + rows) of it as a whole of one row. */
static inline HaloBuf cpu_rows_as_one(const HaloBuf *buf, int64_t y, int64_t rows)
{
    HaloBuf row = *buf;
    row.data = buf->data != NULL ? halo_at(buf, buf->x0, y) : NULL; /* none: of a plan, for its workspace */
    row.cols = row.shape.width = buf->cols * rows;
    row.rows = row.shape.height = 1;
    row.x0 = row.y0 = 0;
    row.stride = buf->stride * rows;
    return row;
}

static inline HaloBuf cpu_as_one_row(const HaloBuf *buf) { return cpu_rows_as_one(buf, buf->y0, buf->rows); }

#endif
