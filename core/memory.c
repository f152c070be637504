/* How much host memory there is, and whether a plan stays inside what is allowed. */
#include <stdio.h>
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

/* "12.5 MiB", "640 bytes": a limit is never shown as nothing. */
static const char *size_text(int64_t bytes, char text[32])
{
    if (bytes < 1 << 20)
        snprintf(text, 32, "%lld bytes", (long long)bytes);
    else
        halo_snprintf(text, 32, "%.1f MiB", (double)bytes / (1 << 20));
    return text;
}

HaloStatus memory_check(int64_t needed, int64_t allowed)
{
    char need[32], limit[32];
    if (needed >= 0 && needed <= allowed) return HALO_OK;
    if (needed < 0) return halo_fail(HALO_ERR_LIMIT, "needs more memory than can be addressed");
    return halo_fail(HALO_ERR_LIMIT, "needs %s of memory and %s are allowed; --max-memory sets the limit",
                     size_text(needed, need), size_text(allowed, limit));
}
