/* How many vectors wide a block of CPU_CONV_ROWS rows of outputs is: its sums are to stay in registers. */
#ifndef CPU_TALL_H
#define CPU_TALL_H

#include "vector.h"

#if defined(CPU_NEON)
#define TALL_VECTORS 5 /* 4 rows of 5: 20 of 32 registers, 4 for taps; GCC 12 has no space for a sixth */
#elif CPU_REGISTERS == 32
#define TALL_VECTORS 6 /* 4 rows of 6: 24 of 32 registers, and 5 for taps and samples */
#elif CPU_REGISTERS == 16
#define TALL_VECTORS 3 /* 4 rows of 3: 12 of 16 registers, 3 for samples and 1 for a tap */
#else
#define TALL_VECTORS 1
#endif

#define TALL_BLOCK (TALL_VECTORS * CPU_LANES)

#endif
