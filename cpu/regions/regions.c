/* Regions of a picture in memory: runs are found and joined in strips of rows side by side, then strips along
 * their seams; then the regions that stay are numbered, and written. */
#include "regions.h"

#include "passes.h"
#include "primitives.h"

#define STRIP_ROWS 64

static void find_task(void *context, int64_t strip, int worker)
{
    CpuRegions *r = context;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, r->runs.height);
    for (int64_t y = from; y < upto; y++) {
        cpu_regions_find_row(r, y, y > from, worker);
        if (y > from) cpu_runs_join(&r->runs, y);
    }
}

HaloStatus cpu_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                       HaloStore store)
{
    HaloStatus status = HALO_OK;
    CpuRegions r = {
        .src = src, .dst = dst, .how = how, .store = store, .device = device, .height = src->shape.height};
    if (how->found != NULL) return cpu_regions_again(device, src, dst, how, store);
    if (!cpu_are_planes(src, dst))
        HALO_FAIL(HALO_ERR_BUG, "internal: regions of buffers that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    const int workers = cpu_workers(device, (double)src->cols * (double)src->rows);
    r.channel = src->shape.alpha == 0;
    r.runs.reach = how->connect == 8;
    r.rows = most(STRIP_ROWS, divide_up(src->rows, 4 * (int64_t)workers));
    HALO_TRY(cpu_regions_prepare(&r, workers));
    const int64_t strips = divide_up(src->rows, r.rows);
    cpu_run(device, workers, strips, find_task, &r);
    for (int64_t strip = 1; strip < strips; strip++) cpu_runs_join(&r.runs, strip * r.rows);
    const CpuParts runs = {r.runs.parent,         r.area,           r.left, r.mark, .spans = src->rows,
                           .begin = r.runs.begin, .end = r.runs.end};
    HALO_TRY(cpu_regions_number(&runs, how));
    cpu_run(device, workers, strips, cpu_regions_write, &r);
out:
    return status;
}
