/* The filters of PNG's rows (PNG 3rd edition, 9): undone (png_unfilter.c) and applied (png_filter.c). */
#ifndef HALO_IO_PNGFILTER_H
#define HALO_IO_PNGFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum PngFilter { PNG_NO_FILTER, PNG_SUB, PNG_UP, PNG_AVERAGE, PNG_PAETH };

/* Sets of them, 1 << PngFilter, that levels try. */
#define PNG_FEW_FILTERS (1u << PNG_SUB | 1u << PNG_UP | 1u << PNG_AVERAGE)
#define PNG_EVERY_FILTER 0x1fu

/* One row: `from` holds it filtered, `above` the row before it as it was (zeros above the first), and `to`,
 * which overlaps neither, becomes the row. Whole pixels of 1, 2, 3, 4, 6 or 8 bytes. False: there is no such
 * filter. */
bool halo_png_unfilter(int filter, size_t pixel, size_t bytes, const uint8_t *from, const uint8_t *above,
                       uint8_t *to);

/* Two rows, one below the other, with the same rules; the upper one's `to` is what the lower one has above it.
 */
typedef struct PngTwoRows {
    const uint8_t *from[2], *above;
    uint8_t *to[2];
} PngTwoRows;
bool halo_png_unfilter_two(int upper, int lower, size_t pixel, size_t bytes, const PngTwoRows *rows);

/* Four rows of one filter in the same way. Worthwhile for PNG_AVERAGE and PNG_PAETH. */
typedef struct PngFourRows {
    const uint8_t *from[4], *above;
    uint8_t *to[4];
} PngFourRows;
bool halo_png_unfilter_four(int filter, size_t pixel, size_t bytes, const PngFourRows *rows);

/* Filters one row with that filter of the set (1 << PngFilter) that has the minimum sum of absolute
 * differences, the usual heuristic; of equals the first. `to` becomes the filter's byte and the bytes behind
 * it. */
void halo_png_filter(unsigned filters, size_t pixel, size_t bytes, const uint8_t *row, const uint8_t *above,
                     uint8_t *to);

#endif
