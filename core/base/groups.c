/* Where groups of sorted pixels begin. */
#include "halo/groups.h"

#include <stdlib.h>

#include "halo/fail.h"

HaloStatus halo_group_list_alloc(HaloGroupList *list, uint32_t greatest)
{
    HaloStatus status = HALO_OK;
    const int64_t bytes = ((int64_t)greatest + 2) * (int64_t)sizeof *list->begin;
    HALO_TRY(halo_memory_hold(list->memory, bytes));
    list->held = bytes;
    list->greatest = greatest;
    list->begin = calloc((size_t)greatest + 2, sizeof *list->begin);
    if (list->begin == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    if (status != HALO_OK)
        halo_fail(status, "%s (for labels up to %lu: label before it numbers regions from 1)", halo_error(),
                  (unsigned long)greatest);
    return status;
}

void halo_group_list_free(HaloGroupList *list)
{
    free(list->begin);
    halo_memory_release(list->memory, list->held);
    *list = (HaloGroupList){0};
}
