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
    case 3: both_3(of); break;
    case 5: both_5(of); break;
    case 7: both_7(of); break;
    case 9: both_9(of); break;
    default: both_any(of);
    }
}

const CpuBothKernels CPU_TABLE(both) = {.both = both};
