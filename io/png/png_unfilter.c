/* Reverses PNG's filters. Sub, Average and Paeth make each pixel depend on the one before it, so the latency of
 * that dependency limits the speed of a row. Work that does not depend on the previous pixel runs beside it,
 * and with Average and Paeth, whose latency is high, two or four rows are interleaved. */
#include "png_filter.h"

#include <string.h>

#include "halo/vector16.h"

#ifdef HALO_VECTOR16
/* Pixels of 3 and 6 bytes are moved as 4 and 8, except at the row's end: what is too much is written over by
 * the next. */
static inline size_t moved(size_t pixel) { return pixel == 3 ? 4 : pixel == 6 ? 8 : pixel; }

typedef struct Link {
    HaloU8x16 left, corner; /* what the chain carries on; the pixel above the one before */
} Link;

static inline HaloU8x16 sub_link(Link *link, HaloU8x16 x, HaloU8x16 above)
{
    (void)above;
    return link->left = x + link->left;
}

/* `left` is kept inverted: the mean of inverted bytes, which the instruction rounds up, is the inverted mean,
 * rounded down. Two instructions a link. */
static inline HaloU8x16 average_link(Link *link, HaloU8x16 x, HaloU8x16 above)
{
    link->left = halo_mean_up_u8(link->left, ~above) - x;
    return ~link->left;
}

/* The neighbour that is nearest to left + above - corner, without its three distances: where
 * 3 corner - left - above is at least the larger of left and above, it is the smaller one; at most the smaller,
 * it is the larger one; else the corner. Samples are in lanes of 16 bits; x is added to each of the three, as
 * bytes, before one is chosen, since that is not on the chain. */
static inline HaloU8x16 paeth_link(Link *link, HaloU8x16 x, HaloU8x16 above)
{
    const HaloU8x16 zero = {0}, more = halo_low_u8(x, zero);
    const HaloS16x8 a = (HaloS16x8)link->left, b = (HaloS16x8)halo_low_u8(above, zero),
                    c = (HaloS16x8)link->corner;
    const HaloS16x8 least = halo_min_s16(a, b), most = halo_max_s16(a, b), bound = ((c + (c + c)) - b) - a;
    const HaloU8x16 below = (HaloU8x16)(most > bound), beyond = (HaloU8x16)(bound > least);
    const HaloU8x16 other = (~below & (more + (HaloU8x16)least)) | (~beyond & (more + (HaloU8x16)most));
    const HaloS16x8 left = (HaloS16x8)(other | ((more + (HaloU8x16)c) & (below & beyond)));
    link->corner = (HaloU8x16)b;
    link->left = (HaloU8x16)left;
    return halo_pack_s16(left, left);
}

typedef HaloU8x16 MakeLink(Link *link, HaloU8x16 x, HaloU8x16 above);

static inline Link first_link(int left) { return (Link){(HaloU8x16){0} + (uint8_t)left, {0}}; }

/* A separate loop for each pixel size and filter, for speed. */
#define ROWS static inline __attribute__((always_inline))

#define CHAIN(name, first)                                                                                    \
    ROWS void name##_row(size_t pixel, size_t bytes, const uint8_t *from, const uint8_t *above, uint8_t *to)  \
    {                                                                                                         \
        Link link = first_link(first);                                                                        \
        const size_t wide = moved(pixel);                                                                     \
        size_t i = 0;                                                                                         \
        for (; i + wide <= bytes; i += pixel)                                                                 \
            halo_store_low(to + i,                                                                            \
                           name##_link(&link, halo_load_low(from + i, wide), halo_load_low(above + i, wide)), \
                           wide);                                                                             \
        for (; i < bytes; i += pixel)                                                                         \
            halo_store_low(                                                                                   \
                to + i, name##_link(&link, halo_load_low(from + i, pixel), halo_load_low(above + i, pixel)),  \
                pixel);                                                                                       \
    }
CHAIN(sub, 0)
CHAIN(average, -1)
CHAIN(paeth, 0)

/* Interleaves two rows, which takes little longer than one: the lower row is one pixel behind, and uses the
 * pixel that the upper row has just produced. */
ROWS void two_rows(MakeLink *upper, int first, MakeLink *lower, int second, size_t pixel, size_t bytes,
                   const PngTwoRows *rows)
{
    Link a = first_link(first), b = first_link(second);
    const size_t wide = moved(pixel);
    const uint8_t *from = rows->from[0], *next = rows->from[1], *above = rows->above;
    uint8_t *to = rows->to[0], *below = rows->to[1];
    HaloU8x16 made = upper(&a, halo_load_low(from, pixel), halo_load_low(above, pixel));
    size_t i = pixel;
    halo_store_low(to, made, pixel);
    for (; i + wide <= bytes; i += pixel) {
        halo_store_low(below + i - pixel, lower(&b, halo_load_low(next + i - pixel, wide), made), wide);
        made = upper(&a, halo_load_low(from + i, wide), halo_load_low(above + i, wide));
        halo_store_low(to + i, made, wide);
    }
    for (; i < bytes; i += pixel) {
        halo_store_low(below + i - pixel, lower(&b, halo_load_low(next + i - pixel, pixel), made), pixel);
        made = upper(&a, halo_load_low(from + i, pixel), halo_load_low(above + i, pixel));
        halo_store_low(to + i, made, pixel);
    }
    halo_store_low(below + i - pixel, lower(&b, halo_load_low(next + i - pixel, pixel), made), pixel);
}

#define TWO_CHAINS(upper, first, lower, second)                                          \
    ROWS void upper##_##lower##_rows(size_t pixel, size_t bytes, const PngTwoRows *rows) \
    {                                                                                    \
        two_rows(upper##_link, first, lower##_link, second, pixel, bytes, rows);         \
    }
TWO_CHAINS(average, -1, average, -1)
TWO_CHAINS(average, -1, paeth, 0)
TWO_CHAINS(paeth, 0, average, -1)
TWO_CHAINS(paeth, 0, paeth, 0)

/* Each a pixel behind the one above it. At byte `i` of the first; `edge`: some have not begun, or have come to
 * their ends. From the last row to the first, since each has above it what the one before made a step ago. */
ROWS void four_pixels(MakeLink *make, Link link[4], HaloU8x16 made[4], size_t pixel, size_t size, bool edge,
                      size_t bytes, size_t i, const PngFourRows *rows)
{
#pragma GCC unroll 4
    for (int r = 3; r >= 0; r--) {
        const size_t at = i - (size_t)r * pixel;
        if (edge && (i < (size_t)r * pixel || at >= bytes)) continue;
        made[r] = make(&link[r], halo_load_low(rows->from[r] + at, size),
                       r > 0 ? made[r - 1] : halo_load_low(rows->above + at, size));
        halo_store_low(rows->to[r] + at, made[r], size);
    }
}

ROWS void four_rows(MakeLink *make, int first, size_t pixel, size_t bytes, const PngFourRows *rows)
{
    Link link[4] = {first_link(first), first_link(first), first_link(first), first_link(first)};
    HaloU8x16 made[4] = {link[0].corner, link[0].corner, link[0].corner, link[0].corner};
    const size_t wide = moved(pixel);
    size_t i = 0;
    for (; i < 3 * pixel; i += pixel) four_pixels(make, link, made, pixel, pixel, true, bytes, i, rows);
    for (; i + wide <= bytes; i += pixel) four_pixels(make, link, made, pixel, wide, false, bytes, i, rows);
    for (; i < bytes + 3 * pixel; i += pixel) four_pixels(make, link, made, pixel, pixel, true, bytes, i, rows);
}

#define FOUR_CHAINS(name, first)                                               \
    ROWS void name##_four(size_t pixel, size_t bytes, const PngFourRows *rows) \
    {                                                                          \
        four_rows(name##_link, first, pixel, bytes, rows);                     \
    }
FOUR_CHAINS(average, -1)
FOUR_CHAINS(paeth, 0)

#else

#define CHAIN(name, predicted)                                                                               \
    static inline void name##_row(size_t pixel, size_t bytes, const uint8_t *from, const uint8_t *above,     \
                                  uint8_t *to)                                                               \
    {                                                                                                        \
        for (size_t i = 0; i < bytes; i++) {                                                                 \
            const int a = i < pixel ? 0 : to[i - pixel], b = above[i], c = i < pixel ? 0 : above[i - pixel]; \
            to[i] = (uint8_t)(from[i] + (predicted));                                                        \
            (void)a, (void)b, (void)c;                                                                       \
        }                                                                                                    \
    }
static inline int nearest(int a, int b, int c)
{
    const int bound = 3 * c - a - b, least = a < b ? a : b, most = a < b ? b : a;
    return bound >= most ? least : bound <= least ? most : c;
}
CHAIN(sub, a)
CHAIN(average, (a + b) / 2)
CHAIN(paeth, nearest(a, b, c))
#endif

static void up_row(size_t bytes, const uint8_t *restrict from, const uint8_t *restrict above,
                   uint8_t *restrict to)
{
    for (size_t i = 0; i < bytes; i++) to[i] = (uint8_t)(from[i] + above[i]);
}

/* A loop for each size of pixel, so that the compiler knows it. */
#define FOR_PIXELS(row, ...)                   \
    switch (pixel) {                           \
    case 1: row(1, bytes, __VA_ARGS__); break; \
    case 2: row(2, bytes, __VA_ARGS__); break; \
    case 3: row(3, bytes, __VA_ARGS__); break; \
    case 4: row(4, bytes, __VA_ARGS__); break; \
    case 6: row(6, bytes, __VA_ARGS__); break; \
    default: row(8, bytes, __VA_ARGS__);       \
    }

bool halo_png_unfilter(int filter, size_t pixel, size_t bytes, const uint8_t *from, const uint8_t *above,
                       uint8_t *to)
{
    switch (filter) {
    case PNG_NO_FILTER: memcpy(to, from, bytes); return true;
    case PNG_SUB: FOR_PIXELS(sub_row, from, above, to) return true;
    case PNG_UP: up_row(bytes, from, above, to); return true;
    case PNG_AVERAGE: FOR_PIXELS(average_row, from, above, to) return true;
    case PNG_PAETH: FOR_PIXELS(paeth_row, from, above, to) return true;
    default: return false;
    }
}

bool halo_png_unfilter_two(int upper, int lower, size_t pixel, size_t bytes, const PngTwoRows *rows)
{
#ifdef HALO_VECTOR16
    switch (upper << 8 | lower) {
    case PNG_AVERAGE << 8 | PNG_AVERAGE: FOR_PIXELS(average_average_rows, rows) return true;
    case PNG_AVERAGE << 8 | PNG_PAETH: FOR_PIXELS(average_paeth_rows, rows) return true;
    case PNG_PAETH << 8 | PNG_AVERAGE: FOR_PIXELS(paeth_average_rows, rows) return true;
    case PNG_PAETH << 8 | PNG_PAETH: FOR_PIXELS(paeth_paeth_rows, rows) return true;
    default: break;
    }
#endif
    return halo_png_unfilter(upper, pixel, bytes, rows->from[0], rows->above, rows->to[0]) &&
           halo_png_unfilter(lower, pixel, bytes, rows->from[1], rows->to[0], rows->to[1]);
}

bool halo_png_unfilter_four(int filter, size_t pixel, size_t bytes, const PngFourRows *rows)
{
#ifdef HALO_VECTOR16
    switch (filter) {
    case PNG_AVERAGE: FOR_PIXELS(average_four, rows) return true;
    case PNG_PAETH: FOR_PIXELS(paeth_four, rows) return true;
    default: break;
    }
#endif
    for (int r = 0; r < 4; r++)
        if (!halo_png_unfilter(filter, pixel, bytes, rows->from[r], r > 0 ? rows->to[r - 1] : rows->above,
                               rows->to[r]))
            return false;
    return true;
}
