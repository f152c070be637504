/* What a step would take beside its buffers: its primitive itself is asked, on a device that gives no scratch
 * and launches nothing. */
#include "common.cuh"

/* Single values of integers are counted, whatever the bins are that are wanted (core/measure/measure.c). */
static void ask_hist(HaloDevice *device, const HaloBuf *src, int64_t bins)
{
    const HaloDtype dtype = src->shape.dtype;
    HaloHist levels = {};
    HaloHistogram counts = {};
    levels.bins = dtype == HALO_U8 ? 256 : dtype == HALO_U16 ? 65536 : bins;
    levels.hi = 1.0;
    cuda_hist(device, src, &levels, &counts);
}

/* The results are not touched. */
static void ask_measure(HaloDevice *device, const HaloStep *step, const HaloBuf *src)
{
    HaloMoments moments;
    double folded;
    if (step->primitive == HALO_REDUCE) cuda_reduce(device, src, step->u.want, &moments);
    if (step->primitive == HALO_FOLD) cuda_fold(device, src, &step->u.fold, &folded);
    if (step->primitive == HALO_HIST)
        ask_hist(device, src, step->u.hist.bins);
    else if (step->detail != NULL)
        ask_hist(device, src, 65536);
}

int64_t cuda_scratch_of(HaloDevice *device, const HaloStep *step, const HaloBuf *src, HaloBuf *dst)
{
    device->asking = true;
    device->asked = 0;
    switch (step->primitive) {
    case HALO_CONV: cuda_conv(device, src, dst, &step->u.conv); break;
    case HALO_SEP: cuda_sep(device, src, dst, &step->u.sep); break;
    case HALO_SCAN: cuda_scan(device, src, dst, &step->u.scan); break;
    case HALO_RANK: cuda_rank(device, src, dst, &step->u.rank); break;
    case HALO_EQUALIZE: cuda_equalize(device, src, dst, &step->u.equalize); break;
    case HALO_REDUCE:
    case HALO_FOLD:
    case HALO_HIST: ask_measure(device, step, src); break;
    default: break; /* maps and their like go sample by sample */
    }
    device->asking = false;
    return device->asked;
}
