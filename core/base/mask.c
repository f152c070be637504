/* The memory of masks. */
#include <stdlib.h>
#include <string.h>

#include "halo/mask.h"

HaloStatus halo_mask_alloc(HaloMask *mask, int64_t width, int64_t height)
{
    HaloStatus status = HALO_OK;
    int64_t count, bytes;
    memset(mask, 0, sizeof *mask);
    if (width < 1 || height < 1)
        HALO_FAIL(HALO_ERR_USAGE, "a mask of %lldx%lld has no coefficients", (long long)width,
                  (long long)height);
    if (width > HALO_MASK_MAX_SIDE || height > HALO_MASK_MAX_SIDE)
        HALO_FAIL(HALO_ERR_USAGE, "a mask of %lldx%lld is too large: no side may be longer than %d",
                  (long long)width, (long long)height, HALO_MASK_MAX_SIDE);
    if (!halo_mul(width, height, &count) || !halo_mul(count, sizeof(double), &bytes) ||
        (uint64_t)bytes > SIZE_MAX || (mask->tap = calloc((size_t)count, sizeof(double))) == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for a mask of %lldx%lld", (long long)width,
                  (long long)height);
    mask->width = width;
    mask->height = height;
    mask->anchor_x = width / 2;
    mask->anchor_y = height / 2;
    mask->scale = 1.0;
    mask->channels = 1;
out:
    return status;
}

void halo_mask_free(HaloMask *mask)
{
    free(mask->tap);
    memset(mask, 0, sizeof *mask);
}
