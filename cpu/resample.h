/* What resampling by strips shares with its way of making rows that become longer. */
#ifndef CPU_RESAMPLE_H
#define CPU_RESAMPLE_H

#include "halo/resample.h"

#include "device.h"

/* Where a worker's scratch holds what `cpu_spread_begin` makes of a strip. */
typedef struct CpuSpreadLayout {
    int64_t vectors, taps, channels, line; /* at most; elements of a line */
    int64_t period;                        /* after so many vectors the same taps may come */
    int64_t at_base, at_kind, at_place, at_tap, at_lines;
} CpuSpreadLayout;

/* Are rows of `src` better made by CpuSpreadKernels::rows? */
bool cpu_spread_suits(const HaloDevice *device, const HaloBuf *src, const HaloResampleAxis *axis);
/* False where sizes do not fit 63 bits. */
bool cpu_spread_reserve(CpuSpreadLayout *layout, const HaloDevice *device, int64_t cols, int64_t channels,
                        const HaloResampleAxis *axis, int64_t *total);
/* For outputs with these taps. */
CpuSpread cpu_spread_begin(const CpuSpreadLayout *layout, const HaloDevice *device,
                           const HaloResampleTaps *taps, int64_t cols, char *scratch);
/* CPU_SPREAD_ROWS rows of `src`, of which the first `rows` are different, from row y on, as floats. */
void cpu_spread_load(const CpuSpreadLayout *layout, const HaloDevice *device, const HaloBuf *src, int64_t first,
                     int64_t pixels, int64_t y, int64_t rows, char *scratch,
                     const float *line[CPU_SPREAD_ROWS]);

#endif
