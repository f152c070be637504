/* The table of named masks, made of masks.def. */
#include "masks.h"

#define HALO_MASK(name, help, w, h, ...) static const double taps_##name[(w) * (h)] = {__VA_ARGS__};
#include "masks.def"
#undef HALO_MASK

extern const HaloMaskRow halo_masks[];
extern const int halo_mask_count;

const HaloMaskRow halo_masks[] = {
#define HALO_MASK(name, help, w, h, ...) {#name, help, w, h, taps_##name},
#include "masks.def"
#undef HALO_MASK
};

const int halo_mask_count = MASK_COUNT;

HaloMask masks_view(MaskId id)
{
    const HaloMaskRow *row = &halo_masks[id];
    return (HaloMask){.width = row->width,
                      .height = row->height,
                      .anchor_x = row->width / 2,
                      .anchor_y = row->height / 2,
                      .scale = 1.0,
                      .tap = (double *)row->tap}; /* HaloMask has no const view */
}
