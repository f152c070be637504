/* Both passes of separable masks of few taps to samples of one type: define TYPE, its suffix, SIZE, PUT, which
 * stores some vectors (past the caches, where that is said), and PUT_PAIR, which stores PAIR_VECTORS of two rows. */
#define NAME both_any
#define WIDTH both->row->width
#define HEIGHT both->column->height
#define EACH
#include "conv_both_tmpl.h"

#ifdef BOTH_SIZES

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

static void CPU_PASTE(both, TYPE)(const CpuBoth *of)
{
    switch (of->row->width == of->column->height ? of->row->width : 0) {
    case 3: CPU_PASTE(both_3, TYPE)(of, 0); break;
    case 5: CPU_PASTE(both_5, TYPE)(of, 0); break;
    case 7: CPU_PASTE(both_7, TYPE)(of, 0); break;
    case 9: CPU_PASTE(both_9, TYPE)(of, 0); break;
    default: CPU_PASTE(both_any, TYPE)(of, 0);
    }
}

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

static void CPU_PASTE(both, TYPE)(const CpuBoth *of) { CPU_PASTE(both_any, TYPE)(of, 0); }
static void CPU_PASTE(pair, TYPE)(const CpuBoth of[2]) { CPU_PASTE(both, TYPE)(&of[0]), CPU_PASTE(both, TYPE)(&of[1]); }

#endif

#undef TYPE
#undef SIZE
#undef PUT
#undef PUT_PAIR
