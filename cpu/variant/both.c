/* Separable convolution of bytes by few taps, both passes at once. Every sum is one chain of fused
 * multiply-adds, as in conv.c. */
#include "vector.h"

#define BOTH_VECTORS 4

#define NAME both_any
#define WIDTH both->row->width
#define HEIGHT both->column->height
#define EACH
#include "conv_both_tmpl.h"

#define NAME both_3
#define WIDTH 3
#define HEIGHT 3
#define EACH CPU_UNROLL
#include "conv_both_tmpl.h"

#define NAME both_5
#define WIDTH 5
#define HEIGHT 5
#define EACH CPU_UNROLL
#include "conv_both_tmpl.h"

#define NAME both_7
#define WIDTH 7
#define HEIGHT 7
#define EACH CPU_UNROLL
#include "conv_both_tmpl.h"

#define NAME both_9
#define WIDTH 9
#define HEIGHT 9
#define EACH CPU_UNROLL
#include "conv_both_tmpl.h"

static void both(const CpuBoth *of)
{
    switch (of->row->width == of->column->height ? of->row->width : 0) {
    case 3: both_3_from(of, 0); break;
    case 5: both_5_from(of, 0); break;
    case 7: both_7_from(of, 0); break;
    case 9: both_9_from(of, 0); break;
    default: both_any_from(of, 0);
    }
}

/* ---- two rows ------------------------------------------------------------------------------------------- */

/* So many vectors of each. */
#if defined(__AVX512F__)
#define PAIR_VECTORS 4
#else
#define PAIR_VECTORS 2
#endif

static CPU_INLINE void pair_to_bytes(CpuVector made[2][PAIR_VECTORS], uint8_t *const out[2])
{
#if PAIR_VECTORS == 4
    for (int r = 0; r < 2; r++) vectors_to_bytes(made[r], out[r]);
#else
    const CpuVector all[4] = {made[0][0], made[0][1], made[1][0], made[1][1]};
    uint8_t bytes[4 * CPU_LANES];
    vectors_to_bytes(all, bytes);
    for (int r = 0; r < 2; r++) memcpy(out[r], bytes + 2 * r * CPU_LANES, 2 * CPU_LANES);
#endif
}

#define WIDTH 3
#include "conv_pair_tmpl.h"

#define WIDTH 5
#include "conv_pair_tmpl.h"

#define WIDTH 7
#include "conv_pair_tmpl.h"

#define WIDTH 9
#include "conv_pair_tmpl.h"

/* Is a mask the same both ways, from either end? */
static bool is_symmetric(const CpuMask *row, const CpuMask *column)
{
    if (row->width != column->height) return false;
    for (int64_t i = 0; i < row->width; i++)
        if (row->tap[i] != row->tap[row->width - 1 - i] || row->tap[i] != column->tap[i]) return false;
    return true;
}

static void pair(const CpuBoth of[2])
{
    switch (is_symmetric(of->row, of->column) ? of->row->width : 0) {
    case 3: pair_3(of); break;
    case 5: pair_5(of); break;
    case 7: pair_7(of); break;
    case 9: pair_9(of); break;
    default: both(&of[0]), both(&of[1]);
    }
}

const CpuBothKernels CPU_TABLE(both) = {.both = both, .pair = pair};
