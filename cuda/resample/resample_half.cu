/* Chooses the route for halving: see resample_half.cuh. */
#include "resample_half.cuh"

/* Does the axis halve, apart from its ends, with a number of taps that has a kernel? Those are area, linear,
 * cubic (lanczos2 and mitchell have as many taps) and lanczos3. */
static bool is_half(const HaloResampleAxis *axis)
{
    const int64_t taps = axis->taps;
    if (axis->up != 1 || axis->down != 2 || (taps != 2 && taps != 4 && taps != 8 && taps != HALF_TAPS))
        return false;
    const HaloResampleTaps middle = halo_resample_at(axis, axis->left);
    return middle.count == taps && middle.first == 2 * axis->left - half_before((int)taps);
}

bool resample_half_takes(const ResampleArgs *args, const HaloResample *host)
{
    return args->channels != 2 && args->channels <= 4 && host->x.taps == host->y.taps && is_half(&host->x) &&
           is_half(&host->y);
}

int resample_half_columns(const ResampleArgs *args)
{
    return args->channels == 1 ? Half<float, 1, 2>::columns : Half<float, 3, 2>::columns;
}

HaloStatus resample_half(HaloDevice *device, StripArgs *args)
{
    switch (args->all.src_dtype) {
    case HALO_U8: return resample_half_u8(device, args);
    case HALO_U16: return resample_half_u16(device, args);
    default: return resample_half_f32(device, args);
    }
}
