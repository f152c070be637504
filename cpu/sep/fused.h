/* Separable convolution by masks of few taps. */
#ifndef CPU_SEP_FUSED_H
#define CPU_SEP_FUSED_H

#include "stencil.h"

#define CPU_FUSED_ROWS 11
#define CPU_FUSED_COLS 11

/* Does this way suit a stencil, which has the window and both masks? Of bytes only where nothing is clipped. */
bool cpu_sep_is_fused(const CpuStencil *stencil);
HaloStatus cpu_sep_fused(HaloDevice *device, const CpuStencil *stencil);

#endif
