/* Separable convolution by few taps, both passes at once. Every sum is one chain of fused
 * multiply-adds, as in conv.c. */
#include "vector.h"

/* So many that sums wait less for themselves; bytes are made of fours. */
#if CPU_LANES == 4
#define FUSED_VECTORS 8
#else
#define FUSED_VECTORS 4
#endif

/* Of each of two rows. */
#if CPU_REGISTERS == 32
#define PAIR_VECTORS 4
#else
#define PAIR_VECTORS 2
#endif

/* Pairs of rows of symmetric masks have code for each size. Where a multiply-add is a call of the C library, a
 * hundred of them side by side are no faster than a loop, and take minutes to compile. */
#if defined(__FMA__) || defined(__FP_FAST_FMAF)
#define PAIR_SIZES
#endif

#ifdef PAIR_SIZES
/* Is a mask the same both ways, from either end? */
static bool is_symmetric(const CpuMask *row, const CpuMask *column)
{
    if (row->width != column->height) return false;
    for (int64_t i = 0; i < row->width; i++)
        if (row->tap[i] != row->tap[row->width - 1 - i] || row->tap[i] != column->tap[i]) return false;
    return true;
}
#endif

/* ---- u8 ------------------------------------------------------------------------------------------------- */

#ifdef PAIR_SIZES
static CPU_INLINE void pair_to_bytes(CpuVector made[2][PAIR_VECTORS], bool past, void *a, void *b)
{
    (void)past;
#if PAIR_VECTORS == 4
    vectors_to_bytes(made[0], 4, a);
    vectors_to_bytes(made[1], 4, b);
#else
    const CpuVector all[4] = {made[0][0], made[0][1], made[1][0], made[1][1]};
    uint8_t bytes[4 * CPU_LANES];
    vectors_to_bytes(all, 4, bytes);
    memcpy(a, bytes, 2 * CPU_LANES);
    memcpy(b, bytes + 2 * CPU_LANES, 2 * CPU_LANES);
#endif
}
#endif

#define TYPE u8
#define SIZE 1
#define PUT(made, vectors, past, to) vectors_to_bytes(made, vectors, (void *)(to))
#define PUT_PAIR pair_to_bytes
#include "fused_tmpl.h"

/* ---- u16 ------------------------------------------------------------------------------------------------ */

#ifdef PAIR_SIZES
static CPU_INLINE void pair_to_words(CpuVector made[2][PAIR_VECTORS], bool past, void *a, void *b)
{
    (void)past;
    vectors_to_words(made[0], PAIR_VECTORS, a);
    vectors_to_words(made[1], PAIR_VECTORS, b);
}
#endif

#define TYPE u16
#define SIZE (int64_t)sizeof(uint16_t)
#define PUT(made, vectors, past, to) vectors_to_words(made, vectors, (void *)(to))
#define PUT_PAIR pair_to_words
#include "fused_tmpl.h"

/* ---- floats --------------------------------------------------------------------------------------------- */

#ifdef PAIR_SIZES
static CPU_INLINE void pair_to_floats(CpuVector made[2][PAIR_VECTORS], bool past, void *a, void *b)
{
    vectors_put(made[0], PAIR_VECTORS, past, a);
    vectors_put(made[1], PAIR_VECTORS, past, b);
}
#endif

#define TYPE f32
#define SIZE (int64_t)sizeof(float)
#define PUT(made, vectors, past, to) vectors_put(made, vectors, past, (float *)(void *)(to))
#define PUT_PAIR pair_to_floats
#include "fused_tmpl.h"

const CpuFusedKernels CPU_TABLE(fused) = {.row = {fused_u8, fused_u16, fused_f32},
                                          .pair = {pair_u8, pair_u16, pair_f32}};
