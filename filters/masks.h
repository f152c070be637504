/* The named masks, for the operations that are one of them: `masks_view(MASK_sobel_x)`. */
#ifndef MASKS_H
#define MASKS_H

#include "halo/mask.h"

typedef enum MaskId {
#define HALO_MASK(name, ...) MASK_##name,
#include "masks.def"
#undef HALO_MASK
    MASK_COUNT
} MaskId;

/* The mask itself, not a copy: not to be written to or freed. */
HaloMask masks_view(MaskId id);

#endif
