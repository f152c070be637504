/* How much host memory there is, and whether a plan stays inside what is allowed. */
#include <unistd.h>

#include "core.h"

int64_t memory_default(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (int64_t)pages * size / 4 * 3 : INT64_MAX;
}

int64_t memory_whole(const HaloPlan *plan, int64_t band)
{
    int64_t in, out = 0;
    if (halo_shape_bytes(&plan->reg[plan->input], &in) != HALO_OK) return -1;
    if (plan->wants_output && halo_shape_bytes(&plan->reg[plan->output], &out) != HALO_OK) return -1;
    const int64_t between = bands_memory(plan, band, false);
    return in > INT64_MAX - out || in + out > INT64_MAX - between ? -1 : in + out + between;
}

HaloStatus memory_check(int64_t needed, const HaloOptions *options)
{
    if (needed >= 0 && needed <= options->max_memory) return HALO_OK;
    if (needed < 0) return halo_fail(HALO_ERR_LIMIT, "needs more memory than can be addressed");
    return halo_fail(HALO_ERR_LIMIT,
                     "needs %lld MiB of memory and %lld MiB are allowed; --max-memory sets the limit",
                     (long long)(needed >> 20), (long long)(options->max_memory >> 20));
}
