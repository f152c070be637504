/* Compression by ISA-L. */
#ifndef HALO_IO_PNGFAST_H
#define HALO_IO_PNGFAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct PngFast PngFast;

/* Is ISA-L there? */
bool halo_png_has_fast(void);
/* NULL: there is no memory. */
PngFast *halo_png_fast_new(void);
void halo_png_fast_free(PngFast *fast);
/* What `bytes` become, ready for more behind it unless this is the last; its size. 0: it has failed. `runs`: no
 * bytes are sought but those that repeat the one or two before them. */
size_t halo_png_fast(PngFast *fast, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                     size_t room);

#endif
