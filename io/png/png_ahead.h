/* Independent IDAT chunks, inflated in parallel (png_ahead.c). */
#ifndef HALO_IO_PNGAHEAD_H
#define HALO_IO_PNGAHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "halo/memory.h"

#define PNG_ALONE_BYTES ((size_t)600 * 1024) /* of a chunk, at most */

typedef struct PngAhead PngAhead;

/* NULL: there is no memory, or no second thread. */
PngAhead *halo_png_ahead_new(int jobs, HaloMemory *memory);
void halo_png_ahead_free(PngAhead *ahead);

/* Space for one more chunk; NULL: there is none at the moment, or no memory. */
uint8_t *halo_png_ahead_chunk(PngAhead *ahead);
/* The chunk has been read: after `skip` bytes it holds `size` bytes of the stream. Returns whether it may be
 * independent. */
void halo_png_ahead_put(PngAhead *ahead, size_t skip, size_t size, bool alone);
/* The inflated bytes of the next chunk, valid until the call after this one; NULL: it is not independent, or
 * there is none.
 */
const uint8_t *halo_png_ahead_next(PngAhead *ahead, size_t *size);

/* Once there is no next one: the end of what was made, for others to look back into (NULL: nothing was), and
 * chunk by chunk what was put and made nothing, until the call after this one; NULL: that was all. */
uint8_t *halo_png_ahead_window(const PngAhead *ahead, size_t *size);
uint8_t *halo_png_ahead_rest(PngAhead *ahead, size_t *size);

#endif
