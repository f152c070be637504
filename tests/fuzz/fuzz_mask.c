/* Any bytes as the text of a mask: either a valid mask, or an error with its position. */
#include <stdlib.h>
#include <string.h>

#include "halo/mask.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    HaloMask mask;
    const HaloStatus status = halo_mask_parse("fuzz", (const char *)data, size, &mask);
    if (status == HALO_OK) {
        if (mask.width < 1 || mask.height < 1 || mask.anchor_x < 0 || mask.anchor_x >= mask.width ||
            mask.anchor_y < 0 || mask.anchor_y >= mask.height || mask.scale == 0.0)
            abort();
        for (int64_t i = 0; i < mask.width * mask.height; i++)
            if (mask.tap[i] - mask.tap[i] != 0.0) abort();
    } else if (status != HALO_ERR_USAGE || strncmp(halo_error(), "fuzz:", 5) != 0) {
        abort();
    }
    halo_mask_free(&mask);
    return 0;
}
