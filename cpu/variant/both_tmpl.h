/* Both passes of separable masks of few taps to samples of one type: define TYPE, its suffix, SIZE, PUT, which
 * stores some vectors (past the caches, where that is said), and PUT_PAIR, which stores PAIR_VECTORS of two rows. */
#include "conv_both_tmpl.h"

static void CPU_PASTE(both, TYPE)(const CpuBoth *of) { CPU_PASTE(both_from, TYPE)(of, 0); }

#ifdef PAIR_SIZES

#define WIDTH 3
#include "conv_pair_tmpl.h"

#define WIDTH 5
#include "conv_pair_tmpl.h"

#define WIDTH 7
#include "conv_pair_tmpl.h"

#define WIDTH 9
#include "conv_pair_tmpl.h"

static void CPU_PASTE(pair, TYPE)(const CpuBoth of[2])
{
    switch (is_symmetric(of->row, of->column) ? of->row->width : 0) {
    case 3: CPU_PASTE(pair_3, TYPE)(of); break;
    case 5: CPU_PASTE(pair_5, TYPE)(of); break;
    case 7: CPU_PASTE(pair_7, TYPE)(of); break;
    case 9: CPU_PASTE(pair_9, TYPE)(of); break;
    default: CPU_PASTE(both, TYPE)(&of[0]), CPU_PASTE(both, TYPE)(&of[1]);
    }
}

#else

static void CPU_PASTE(pair, TYPE)(const CpuBoth of[2]) { CPU_PASTE(both, TYPE)(&of[0]), CPU_PASTE(both, TYPE)(&of[1]); }

#endif

#undef TYPE
#undef SIZE
#undef PUT
#undef PUT_PAIR
