/* Pixels that change places, as they are: rows from their end on, and rows that become columns. */
#include "halo/pixels.h"
#include "halo/vector16.h"

#include "vector.h"

#define VECTOR_BYTES 16

/* ---- mirrored ------------------------------------------------------------------------------------------- */

#if defined(HALO_SHUFFLE16)
typedef HaloU8x16 Order;

/* As many whole pixels as a vector holds change places in it. A load ends where they end, so the pixels are its
 * last bytes; a store has them in front, and what follows is overwritten by the next. */
static CPU_INLINE Order mirrored(int size)
{
    uint8_t order[VECTOR_BYTES];
    for (int i = 0; i < VECTOR_BYTES; i++)
        order[i] =
            i < VECTOR_BYTES / size * size ? (uint8_t)(VECTOR_BYTES - size * (i / size + 1) + i % size) : 0x80;
    return halo_load16(order);
}

static CPU_INLINE void mirror_vector(const char *from, Order order, char *to)
{
    halo_store16(to, halo_shuffle16(halo_load16(from), order));
}

/* Returns how many pixels are done. */
static CPU_INLINE int64_t mirror_vectors(const char *from, int64_t pixels, int size, Order order, char *to)
{
    const int64_t each = VECTOR_BYTES / size;
    int64_t k = 0;
    for (; (pixels - k) * size >= VECTOR_BYTES; k += each)
        mirror_vector(from + (pixels - k) * size - VECTOR_BYTES, order, to + k * size);
    if (VECTOR_BYTES % size != 0 || k == 0 || k == pixels) return k;
    mirror_vector(from, order, to + (pixels - each) * size); /* what is left, and some of what is done */
    return pixels;
}
#else
typedef int Order;

static Order mirrored(int size) { return size; }

static int64_t mirror_vectors(const char *from, int64_t pixels, int size, Order order, char *to)
{
    (void)from, (void)pixels, (void)size, (void)order, (void)to;
    return 0;
}
#endif

static CPU_INLINE void mirror_sized(const char *from, int64_t from_pitch, int64_t rows, int64_t pixels,
                                    int size, char *to, int64_t to_pitch)
{
    const Order order = mirrored(size);
    for (int64_t r = 0; r < rows; r++, from += from_pitch, to += to_pitch) {
        const int64_t done = mirror_vectors(from, pixels, size, order, to);
        halo_copy_sized(to + done * size, size, from + (pixels - 1 - done) * size, -size, pixels - done,
                        (size_t)size);
    }
}

static void mirror(const char *from, int64_t from_pitch, int64_t rows, int64_t pixels, int64_t size, char *to,
                   int64_t to_pitch)
{
    switch (size) {
    case 1: mirror_sized(from, from_pitch, rows, pixels, 1, to, to_pitch); return;
    case 2: mirror_sized(from, from_pitch, rows, pixels, 2, to, to_pitch); return;
    case 3: mirror_sized(from, from_pitch, rows, pixels, 3, to, to_pitch); return;
    case 4: mirror_sized(from, from_pitch, rows, pixels, 4, to, to_pitch); return;
    case 6: mirror_sized(from, from_pitch, rows, pixels, 6, to, to_pitch); return;
    case 8: mirror_sized(from, from_pitch, rows, pixels, 8, to, to_pitch); return;
    }
    for (int64_t r = 0; r < rows; r++)
        halo_copy_pixels(to + r * to_pitch, size, from + r * from_pitch + (pixels - 1) * size, -size, pixels,
                         size);
}

/* ---- transposed ---------------------------------------------------------------------------------------------
 */

/* Pixels [first_row, rows) of columns [first, cols), whatever their size. */
static void transpose_plain(const CpuTranspose *t, int64_t first_row, int64_t first)
{
    for (int64_t k = first; k < t->cols; k++)
        halo_copy_pixels(t->to + first_row * t->to_pitch + k * t->size, t->to_pitch,
                         t->from + k * t->from_pitch + first_row * t->step, t->step, t->rows - first_row,
                         t->size);
}

#if defined(HALO_VECTOR16)
static CPU_INLINE HaloU8x16 low_parts(HaloU8x16 a, HaloU8x16 b, int size)
{
    return size == 1   ? halo_low_u8(a, b)
           : size == 2 ? (HaloU8x16)halo_low_u16((HaloU16x8)a, (HaloU16x8)b)
           : size == 4 ? (HaloU8x16)halo_low_u32((HaloU32x4)a, (HaloU32x4)b)
                       : (HaloU8x16)halo_low_u64((HaloU64x2)a, (HaloU64x2)b);
}

static CPU_INLINE HaloU8x16 high_parts(HaloU8x16 a, HaloU8x16 b, int size)
{
    return size == 1   ? halo_high_u8(a, b)
           : size == 2 ? (HaloU8x16)halo_high_u16((HaloU16x8)a, (HaloU16x8)b)
           : size == 4 ? (HaloU8x16)halo_high_u32((HaloU32x4)a, (HaloU32x4)b)
                       : (HaloU8x16)halo_high_u64((HaloU64x2)a, (HaloU64x2)b);
}

/* A square of pixels, a row in each of `side` vectors: each round of merging the first half of the vectors with
 * the second moves one bit of a pixel's place from its row to its column. */
static CPU_INLINE void transpose_square(HaloU8x16 *v, int side, int size)
{
    for (int round = 1; round < side; round *= 2) {
        HaloU8x16 next[VECTOR_BYTES];
        CPU_UNROLL for (int k = 0; k < side / 2; k++)
        {
            next[2 * k] = low_parts(v[k], v[k + side / 2], size);
            next[2 * k + 1] = high_parts(v[k], v[k + side / 2], size);
        }
        CPU_UNROLL for (int k = 0; k < side; k++) v[k] = next[k];
    }
}

/* Squares of as many rows and columns as a vector has pixels; `size` is a constant. */
static CPU_INLINE void transpose_squares(const CpuTranspose *t, int size)
{
    const int side = VECTOR_BYTES / size;
    const int64_t rows = t->rows / side * side, cols = t->cols / side * side;
    for (int64_t r = 0; r < rows; r += side)
        for (int64_t k = 0; k < cols; k += side) {
            HaloU8x16 v[VECTOR_BYTES];
            const char *const from = t->from + k * t->from_pitch + r * size;
            char *const to = t->to + r * t->to_pitch + k * size;
            CPU_UNROLL for (int i = 0; i < side; i++) v[i] = halo_load16(from + i * t->from_pitch);
            transpose_square(v, side, size);
            CPU_UNROLL for (int i = 0; i < side; i++) halo_store16(to + i * t->to_pitch, v[i]);
        }
    CpuTranspose above = *t;
    above.rows = rows;
    transpose_plain(&above, 0, cols);
    transpose_plain(t, rows, 0);
}
#endif

#if defined(HALO_SHUFFLE16)
/* Pixels of three bytes are four meanwhile. A load has a byte and a pixel more than it needs, a store four
 * bytes more. */
static void transpose_threes(const CpuTranspose *t)
{
    const HaloU8x16 apart = {0, 1, 2, 255, 3, 4, 5, 255, 6, 7, 8, 255, 9, 10, 11, 255},
                    close = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255};
    const int64_t rows = t->rows < 6 ? 0 : (t->rows - 2) / 4 * 4, cols = t->cols / 4 * 4;
    for (int64_t r = 0; r < rows; r += 4)
        for (int64_t k = 0; k < cols; k += 4) {
            HaloU8x16 v[4];
            const char *const from = t->from + k * t->from_pitch + r * 3;
            char *const to = t->to + r * t->to_pitch + k * 3;
            CPU_UNROLL for (int i = 0; i < 4; i++) v[i] =
                halo_shuffle16(halo_load16(from + i * t->from_pitch), apart);
            transpose_square(v, 4, 4);
            CPU_UNROLL for (int i = 0; i < 4; i++)
                halo_store16(to + i * t->to_pitch, halo_shuffle16(v[i], close));
        }
    CpuTranspose above = *t;
    above.rows = rows;
    transpose_plain(&above, 0, cols);
    transpose_plain(t, rows, 0);
}
#endif

static void transpose(const CpuTranspose *how)
{
    CpuTranspose t = *how;
    if (t.step == -t.size) { /* the same from the last row on, upwards */
        t.from += (t.rows - 1) * t.step;
        t.to += (t.rows - 1) * t.to_pitch;
        t.to_pitch = -t.to_pitch;
        t.step = t.size;
    }
#if defined(HALO_VECTOR16)
    if (t.step == t.size) switch (t.size) {
        case 1: transpose_squares(&t, 1); return;
        case 2: transpose_squares(&t, 2); return;
        case 4: transpose_squares(&t, 4); return;
        case 8: transpose_squares(&t, 8); return;
#if defined(HALO_SHUFFLE16)
        case 3: transpose_threes(&t); return;
#endif
        }
#endif
    transpose_plain(&t, 0, 0);
}

const CpuPixelKernels CPU_TABLE(pixels) = {.mirror = mirror, .transpose = transpose};
