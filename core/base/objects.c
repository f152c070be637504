/* Lists of measured regions. */
#include "halo/objects.h"

#include <stdlib.h>

HaloStatus halo_object_list_alloc(HaloObjectList *list, int64_t regions, const HaloShape *of)
{
    const size_t count = (size_t)regions + 1, channels = of != NULL ? (size_t)of->channels : 0;
    const bool floats = of != NULL && of->dtype > HALO_U16;
    *list = (HaloObjectList){.regions = regions, .channels = (int)channels};
    list->object = calloc(count, sizeof *list->object);
    if (channels > 0 && floats) list->floats = calloc(count * channels, sizeof *list->floats);
    if (channels > 0 && !floats) list->integers = calloc(count * channels, sizeof *list->integers);
    if (list->object != NULL && (channels == 0 || list->floats != NULL || list->integers != NULL))
        return HALO_OK;
    halo_object_list_free(list);
    return halo_fail(HALO_ERR_LIMIT, "not enough memory to measure %lld regions", (long long)regions);
}

void halo_object_list_free(HaloObjectList *list)
{
    free(list->object);
    free(list->integers);
    free(list->floats);
    *list = (HaloObjectList){0};
}
