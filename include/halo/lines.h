/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Text, line by line, without holding all of it (io/bytes/lines.c). */
#ifndef HALO_LINES_H
#define HALO_LINES_H

#include "halo/format.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As halo_source_take: what has come, up to `size` bytes; *got is 0 at the end alone. */
typedef HaloStatus (*HaloTake)(void *from, void *bytes, size_t size, size_t *got);

/* Set `take`, `from` and `most` (halo_lines_of does it for a source), and free it in any case. */
typedef struct HaloLines {
    HaloTake take;
    void *from;
    size_t most;    /* bytes that a line may have */
    bool skip_long; /* longer lines are skipped; else they are HALO_ERR_INPUT */

    long long line; /* the number of the line that was read last, from 1 */
    char *text;     /* bytes taken from the source and not read yet: [begin, filled) of `capacity` */
    size_t begin, filled, capacity;
    bool at_end; /* the source has no more */
    bool skipping;
} HaloLines;

HaloLines halo_lines_of(HaloSource *source, size_t most);
void halo_lines_free(HaloLines *lines);
/* Takes more text, which goes behind what there is; that may move. HALO_ERR_INPUT where it has `most` bytes. */
HaloStatus halo_lines_fill(HaloLines *lines);
/* Before anything is read: leaves out the byte order mark of UTF-8. */
HaloStatus halo_lines_skip_mark(HaloLines *lines);
/* The next line, without its `end`, which a zero byte replaces. It lasts until the next call; NULL at the end
 * of the text, where the last line may lack its `end`. */
HaloStatus halo_lines_next(HaloLines *lines, char end, char **line, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
