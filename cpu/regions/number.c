/* Numbers the regions that stay. */
#include "halo/fail.h"
#include "primitives.h"
#include "regions.h"

/* Leads every part to its root, and adds areas and marks up there. Lower numbers are done before. */
static void add_up(const CpuParts *p)
{
    uint32_t *const parent = p->parent;
    for (int64_t span = 0; span < p->spans; span++)
        for (uint32_t i = p->begin[span]; i < p->end[span]; i++) {
            const uint32_t root = parent[i] = parent[parent[i]];
            if (root == i) continue;
            if (p->area != NULL) p->area[root] += p->area[i];
            if (p->mark != NULL) p->mark[root] |= p->mark[i];
        }
}

static bool is_kept(const CpuParts *p, const HaloRegions *how, uint32_t root)
{
    if (p->area != NULL && (int64_t)p->area[root] < how->least) return false;
    if (how->most > 0 && (int64_t)p->area[root] > how->most) return false;
    if (how->inside && (p->mark[root] & CPU_REGION_AT_BORDER) != 0) return false;
    return !how->seeded || (p->mark[root] & CPU_REGION_SEEDED) != 0;
}

/* How many of the regions that meet the other conditions have so many pixels. */
static int64_t count_from(const CpuParts *p, const HaloRegions *how, uint32_t pixels)
{
    int64_t count = 0;
    for (int64_t span = 0; span < p->spans; span++)
        for (uint32_t i = p->begin[span]; i < p->end[span]; i++)
            count += p->parent[i] == i && p->area[i] >= pixels && is_kept(p, how, i);
    return count;
}

/* The most pixels that as many as `largest` regions have; 0: there are not so many. */
static uint32_t pixels_of_largest(const CpuParts *p, const HaloRegions *how)
{
    uint32_t pixels = 0;
    for (int bit = 31; bit >= 0; bit--)
        if (count_from(p, how, pixels | (uint32_t)1 << bit) >= how->largest) pixels |= (uint32_t)1 << bit;
    return pixels;
}

HaloStatus cpu_regions_number(const CpuParts *p, const HaloRegions *how)
{
    uint32_t *const parent = p->parent;
    add_up(p);
    const uint32_t least_of = how->largest > 0 ? pixels_of_largest(p, how) : 0;
    int64_t equal = how->largest;
    if (least_of > 0) equal -= count_from(p, how, least_of + 1);
    uint32_t numbers = 0;
    for (int64_t span = 0; span < p->spans; span++)
        for (uint32_t i = p->begin[span]; i < p->end[span]; i++) {
            const uint32_t root = parent[i];
            if (root != i) {
                parent[i] = parent[root];
                if (p->left != NULL) p->left[i] = p->left[root];
                continue;
            }
            const bool large = least_of == 0 || p->area[i] > least_of || (p->area[i] == least_of && equal > 0);
            const bool kept = large && is_kept(p, how, i);
            if (kept && least_of > 0 && p->area[i] == least_of) equal--;
            parent[i] = kept ? ++numbers : 0;
        }
    if (how->make == HALO_REGIONS_NUMBERS && numbers > HALO_MAX_REGIONS)
        return halo_fail(HALO_ERR_LIMIT,
                         "%u regions are more than the %d that can be numbered: leave out small ones by min=",
                         numbers, HALO_MAX_REGIONS);
    return HALO_OK;
}
