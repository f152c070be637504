/* Both passes of separable masks of few taps to samples of one type: define TYPE, its suffix, SIZE, PUT, which
 * stores some vectors (past the caches, where that is said), and PUT_PAIR, which stores PAIR_VECTORS of two
 * rows. */
#include "fused_row_tmpl.h"

static void CPU_PASTE(fused, TYPE)(const CpuFused *of) { CPU_PASTE(fused_from, TYPE)(of, 0); }

#ifdef PAIR_SIZES

#define WIDTH 3
#include "fused_pair_tmpl.h"

#define WIDTH 5
#include "fused_pair_tmpl.h"

#define WIDTH 7
#include "fused_pair_tmpl.h"

#define WIDTH 9
#include "fused_pair_tmpl.h"

static void CPU_PASTE(pair, TYPE)(const CpuFused of[2])
{
    switch (is_symmetric(of->row, of->column) ? of->row->width : 0) {
    case 3: CPU_PASTE(pair_3, TYPE)(of); break;
    case 5: CPU_PASTE(pair_5, TYPE)(of); break;
    case 7: CPU_PASTE(pair_7, TYPE)(of); break;
    case 9: CPU_PASTE(pair_9, TYPE)(of); break;
    default: CPU_PASTE(fused, TYPE)(&of[0]), CPU_PASTE(fused, TYPE)(&of[1]);
    }
}

#else

static void CPU_PASTE(pair, TYPE)(const CpuFused of[2])
{
    CPU_PASTE(fused, TYPE)(&of[0]), CPU_PASTE(fused, TYPE)(&of[1]);
}

#endif

#undef TYPE
#undef SIZE
#undef PUT
#undef PUT_PAIR
