/* Lists of measured regions. */
#include "halo/objects.h"

#include <stdlib.h>
#include <string.h>

#include "halo/fail.h"

/* The new items are zeros. `array`: the address of a pointer. */
static bool grow(void *array, int64_t from, int64_t upto, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    char *grown = realloc(old, (size_t)upto * size);
    if (grown == NULL) return false;
    memset(grown + (size_t)from * size, 0, (size_t)(upto - from) * size);
    memcpy(array, &grown, sizeof grown);
    return true;
}

HaloStatus halo_object_list_alloc(HaloObjectList *list, int64_t regions, const HaloShape *of)
{
    HaloStatus status = HALO_OK;
    const int64_t channels = of != NULL ? of->channels : 0, had = list->capacity;
    const bool floats = of != NULL && of->dtype > HALO_U16;
    const int64_t each = (int64_t)sizeof *list->object +
                         channels * (int64_t)(floats ? sizeof *list->floats : sizeof *list->integers);
    list->channels = (int)channels;
    if (regions > list->regions) list->regions = regions;
    if (regions < had) return HALO_OK;
    /* Exactly, where it is known at once how many there are; else with some to spare. */
    const int64_t capacity = had == 0 ? regions + 1 : regions + regions / 4 + 1;
    HALO_TRY(halo_memory_hold(list->memory, (capacity - had) * each));
    list->held += (capacity - had) * each;
    if (!grow(&list->object, had, capacity, sizeof *list->object) ||
        (channels > 0 && floats &&
         !grow(&list->floats, had * channels, capacity * channels, sizeof *list->floats)) ||
        (channels > 0 && !floats &&
         !grow(&list->integers, had * channels, capacity * channels, sizeof *list->integers)))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    list->capacity = capacity;
out:
    if (status != HALO_OK)
        halo_fail(status, "%s (to measure %lld regions: leave out small ones by min=)", halo_error(),
                  (long long)regions);
    return status;
}

void halo_object_list_free(HaloObjectList *list)
{
    free(list->object);
    free(list->integers);
    free(list->floats);
    halo_memory_release(list->memory, list->held);
    *list = (HaloObjectList){0};
}
