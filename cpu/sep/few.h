/* Separable convolution by masks of few taps. */
#ifndef CPU_SEP_FEW_H
#define CPU_SEP_FEW_H

#include "stencil.h"

#define CPU_FEW_ROWS 11
#define CPU_FEW_COLS 11

/* Does this way suit a stencil, which has the window and both masks? Of bytes only where nothing is clipped. */
bool cpu_sep_is_few(const CpuStencil *stencil);
HaloStatus cpu_sep_few(HaloDevice *device, const CpuStencil *stencil);

#endif
