/* What measures of whole values share that give tables. */
#include <stdlib.h>

#include "primitive.h"

bool measure_never(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return false;
}

HaloStatus measure_at_once(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first,
                           Measured *all)
{
    (void)device, (void)step, (void)block, (void)first, (void)all;
    return HALO_OK;
}

void measure_queries_none(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                          const HaloBuf *block)
{
    (void)backend, (void)device, (void)step, (void)block;
}

HaloStatus measure_open_tables(const HaloShape *shape, HaloResult *result)
{
    *result = (HaloResult){.type = HALO_RESULT_TABLE, .shape = *shape};
    result->table = calloc((size_t)shape->channels, sizeof *result->table);
    return result->table != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "not enough memory");
}
