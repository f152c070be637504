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
/* Compresses `bytes`, so that more can follow unless this is the last; returns the size, 0 on failure. `runs`:
 * the only matches are runs that repeat the one or two bytes before them. */
size_t halo_png_fast(PngFast *fast, bool runs, const uint8_t *bytes, size_t size, bool last, uint8_t *to,
                     size_t capacity);

#endif
