/* A small PNG that replaces the samples of another (png_pixel.c). */
#ifndef HALO_IO_PNGPIXEL_H
#define HALO_IO_PNGPIXEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PNG_PIXEL_BYTES 84

/* One row of this colour type and 8 bits, up to its IEND; with a PLTE chunk? The size. */
size_t halo_png_pixel(int colour_type, bool palette, uint8_t to[PNG_PIXEL_BYTES]);

#endif
