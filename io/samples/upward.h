/* Rows of one length that a file may hold from the bottom up: PFM, BMP and TGA. */
#ifndef HALO_IO_UPWARD_H
#define HALO_IO_UPWARD_H

#include "halo/format.h"

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct HaloUpward {
    bool down;          /* the first row comes first */
    int64_t row_bytes;  /* in the file, padding included */
    int64_t data;       /* where the rows begin in `source` */
    int64_t there;      /* bytes of them; fewer than wanted only in a damaged file, INT64_MAX: not known */
    int64_t row;        /* the next one */
    HaloSource *source; /* the reader's, or of `held` */
    uint8_t *held;      /* all rows, or NULL; bytes that count: */
    int64_t held_bytes;
} HaloUpward;

/* The rows begin at the source's next byte. Where the last one comes first and the source cannot seek, all are
 * read now. */
HaloStatus halo_upward_open(HaloReader *reader, HaloUpward *upward);
/* Memory for all rows, which the caller fills: of compressed files. Cleared. */
HaloStatus halo_upward_hold(HaloReader *reader, HaloUpward *upward);
/* Once it is filled. */
HaloStatus halo_upward_held(HaloUpward *upward);
/* Fills rows->rows rows: `unpack` makes samples of the bytes of one. */
HaloStatus halo_upward_read(HaloReader *reader, HaloUpward *upward, HaloBuf *rows,
                            void (*unpack)(const HaloReader *reader, const uint8_t *from, void *to));
HaloStatus halo_upward_skip(HaloReader *reader, HaloUpward *upward, int64_t rows, int64_t *skipped);
void halo_upward_close(HaloReader *reader, HaloUpward *upward);

/* ---- writing -------------------------------------------------------------------------------------------- */

/* If the file can seek, rows are written to their places as they arrive; else all are gathered first. */
typedef struct HaloUpwardRow {
    int64_t row_bytes;                                                     /* in the file */
    HaloStatus (*head)(HaloWriter *writer);                                /* what precedes the rows */
    void (*pack)(const HaloWriter *writer, const void *from, uint8_t *to); /* `to` is cleared at first */
} HaloUpwardRow;

HaloStatus halo_upward_create(HaloWriter *writer, const HaloUpwardRow *row);
HaloStatus halo_upward_write(HaloWriter *writer, const HaloBuf *rows);
/* Then the sink stands behind the rows, and another image may follow. */
HaloStatus halo_upward_finish(HaloWriter *writer);
void halo_upward_discard(HaloWriter *writer);

#endif
