/* What resampling by strips shares with its way of making rows that become longer. */
#ifndef CPU_RESAMPLE_H
#define CPU_RESAMPLE_H

#include "halo/resample.h"

#include "device.h"

/* Where a worker's scratch holds what `cpu_spread_begin` makes of a strip. */
typedef struct CpuSpreadLayout {
    int64_t vectors, taps, channels, line; /* at most; elements of a line */
    int64_t at_base, at_place, at_tap, at_lines;
} CpuSpreadLayout;

/* Are rows of `src` better made by CpuSpreadKernels::rows? */
bool cpu_spread_suits(const HaloDevice *device, const HaloBuf *src, const HaloResampleAxis *axis);
/* False where sizes do not fit 63 bits. */
bool cpu_spread_reserve(CpuSpreadLayout *layout, const HaloDevice *device, int64_t cols, int64_t channels,
                        int64_t taps, int64_t *total);
/* For outputs with these taps. */
CpuSpread cpu_spread_begin(const CpuSpreadLayout *layout, const HaloDevice *device,
                           const HaloResampleTaps *taps, int64_t cols, char *scratch);
/* CPU_SPREAD_ROWS lines of outputs, of which the first `rows` are different, from row y of `src` on. */
void cpu_spread_lines(const CpuSpreadLayout *layout, const CpuSpread *spread, const HaloDevice *device,
                      const HaloBuf *src, int64_t first, int64_t pixels, int64_t y, int64_t rows,
                      float *const *out, char *scratch);

#endif
