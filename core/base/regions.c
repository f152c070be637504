/* Memory for regions that a first pass finds: it grows with their number. */
#include "halo/regions.h"

#include <stdlib.h>
#include <string.h>

#include "halo/fail.h"

/* Room for so many more at least, so that it seldom grows. */
#define LEAST_PARTS 65536

/* `array`: the address of a pointer. */
static bool grow(void *array, int64_t count, size_t size)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, (size_t)count * size);
    if (grown != NULL) memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

HaloStatus halo_regions_reserve(HaloRegionsFound *found, const HaloRegions *how, int64_t parts)
{
    HaloStatus status = HALO_OK;
    const int64_t capacity = parts + parts / 4 + LEAST_PARTS;
    int64_t each = (int64_t)sizeof *found->parent;
    if (parts <= found->capacity) return HALO_OK;
    if (parts >= UINT32_MAX) HALO_FAIL(HALO_ERR_LIMIT, "the picture has too many regions: crop or blur before");
    if (halo_regions_need_area(how)) each += (int64_t)sizeof *found->area;
    if (halo_regions_need_left(how)) each += (int64_t)sizeof *found->left;
    if (halo_regions_need_mark(how)) each += (int64_t)sizeof *found->mark;
    const int64_t more = (capacity - found->capacity) * each;
    HALO_TRY(halo_memory_hold(found->memory, more));
    found->held += more;
    if (!grow(&found->parent, capacity, sizeof *found->parent) ||
        (halo_regions_need_area(how) && !grow(&found->area, capacity, sizeof *found->area)) ||
        (halo_regions_need_left(how) && !grow(&found->left, capacity, sizeof *found->left)) ||
        (halo_regions_need_mark(how) && !grow(&found->mark, capacity, sizeof *found->mark)))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    found->capacity = capacity;
out:
    if (status != HALO_OK)
        halo_fail(status, "%s (for %lld runs of connected pixels: blur or crop before)", halo_error(),
                  (long long)parts);
    return status;
}

void halo_regions_clear(HaloRegionsFound *found)
{
    free(found->parent);
    free(found->area);
    free(found->left);
    free(found->mark);
    free(found->state);
    halo_memory_release(found->memory, found->held);
    *found = (HaloRegionsFound){0};
}
