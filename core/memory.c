/* How much host memory there is, and whether a plan stays inside what is allowed. */
#include <unistd.h>

#include "core.h"

int64_t memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (int64_t)pages * size / 4 * 3 : INT64_MAX;
}

HaloStatus memory_check(const HaloPlan *plan, const HaloOptions *options)
{
    int64_t in, out = 0;
    HaloStatus status = halo_shape_bytes(&plan->reg[plan->input], &in);
    if (status == HALO_OK && plan->wants_output) status = halo_shape_bytes(&plan->reg[plan->output], &out);
    if (status != HALO_OK) return status;
    const int64_t between = bands_memory(plan, bands_choose(plan, options->band_rows), false);
    if (in > options->max_memory - out || in + out > options->max_memory - between)
        return halo_fail(HALO_ERR_LIMIT,
                         "needs %lld MiB of memory and %lld MiB are allowed; --max-memory sets the limit",
                         (long long)((double)in + (double)out + (double)between) >> 20,
                         (long long)options->max_memory >> 20);
    return HALO_OK;
}
