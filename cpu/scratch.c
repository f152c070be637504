/* What a step would take beside its buffers: its primitive itself is asked, on a device that gives no scratch.
 */
#include <stdlib.h>

#include "device.h"

/* Single values of integers are counted, whatever the bins are that are wanted (core/measure/measure.c). */
static HaloHist levels_of(const HaloBuf *src, int64_t bins)
{
    const HaloDtype dtype = src->shape.dtype;
    return (HaloHist){.bins = dtype == HALO_U8 ? 256 : dtype == HALO_U16 ? 65536 : bins, .hi = 1.0};
}

/* The results are not touched. */
static void ask_measure(HaloDevice *device, const HaloStep *step, const HaloBuf *src)
{
    const HaloHist levels = levels_of(src, step->primitive == HALO_HIST ? step->u.hist.bins : 65536);
    HaloHistogram counts = {.bins = levels.bins, .channels = src->shape.channels};
    HaloMoments moments;
    double folded;
    if (step->primitive == HALO_REDUCE) cpu_reduce(device, src, step->u.want, &moments);
    if (step->primitive == HALO_FOLD) cpu_fold(device, src, &step->u.fold, &folded);
    if (step->primitive == HALO_HIST || step->detail != NULL) cpu_hist(device, src, &levels, &counts);
}

int64_t cpu_scratch_of(HaloDevice *device, const HaloStep *step, const HaloBuf *src, HaloBuf *dst)
{
    device->asking = true;
    device->asked = 0;
    switch (step->primitive) {
    case HALO_CONV: cpu_conv(device, src, dst, &step->u.conv); break;
    case HALO_SEP: cpu_sep(device, src, dst, &step->u.sep); break;
    case HALO_SCAN: cpu_scan(device, src, dst, &step->u.scan); break;
    case HALO_RANK: cpu_rank(device, src, dst, &step->u.rank); break;
    case HALO_EQUALIZE: cpu_equalize(device, src, dst, &step->u.equalize); break;
    case HALO_REDUCE:
    case HALO_FOLD:
    case HALO_HIST: ask_measure(device, step, src); break;
    default: break; /* maps and their like go row by row */
    }
    device->asking = false;
    const int64_t own = device->jobs * CPU_OWN_BYTES;
    return device->asked > own ? device->asked - own : 0;
}
