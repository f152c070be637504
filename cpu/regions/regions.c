/* Regions: runs are found and joined in strips of rows side by side, then strips along their seams; then the
 * regions that stay are numbered, and written. */
#include <string.h>

#include "primitives.h"
#include "runs.h"

#define STRIP_ROWS 64

enum { AT_BORDER = 1, SEEDED = 2 }; /* marks of a region, at its root */

typedef struct Regions {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloRegions *how;
    HaloStore store;
    HaloDevice *device;
    CpuRowRuns runs;
    uint32_t
        *area;     /* [runs] pixels, at the root; or, of what is filled, the bits of its sample. NULL: unused */
    uint8_t *mark; /* [runs]; NULL: unused */
    uint8_t *flag; /* [workers][2][width] */
    float *row;    /* [workers][width * channels] */
    int channel;
    int64_t rows; /* of a strip */
    int64_t flag_pitch, row_pitch;
} Regions;

static bool needs_area(const HaloRegions *how)
{
    return how->least > 1 || how->most > 0 || how->largest > 0 || how->make == HALO_REGIONS_FILLED;
}

static bool needs_mark(const HaloRegions *how) { return how->inside || how->seeded; }

/* ---- runs ----------------------------------------------------------------------------------------------- */

static void mark_row(const Regions *r, int64_t y, const uint8_t *high)
{
    const CpuRowRuns *runs = &r->runs;
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t from = runs->edge[2 * (int64_t)i], upto = runs->edge[2 * (int64_t)i + 1];
        const bool ends = y == 0 || y + 1 == runs->height || from == 0 || upto == runs->width;
        const bool seeded = r->how->seeded && memchr(high + from, 1, (size_t)(upto - from)) != NULL;
        r->mark[i] = (uint8_t)((ends ? AT_BORDER : 0) | (seeded ? SEEDED : 0));
    }
}

static void find_row(Regions *r, int64_t y, bool follows, uint8_t *flag)
{
    const HaloRegions *how = r->how;
    const bool bytes = r->src->shape.dtype == HALO_U8 && r->src->shape.channels == 1;
    if (bytes && how->of != HALO_REGIONS_ABOVE) {
        cpu_runs_find(&r->runs, y, follows, halo_at(r->src, 0, y), how->of == HALO_REGIONS_BACKGROUND);
    } else {
        cpu_flags(r->src, y, r->channel, how->of, how->low, flag);
        cpu_runs_find(&r->runs, y, follows, flag, false);
    }
    if (how->seeded) cpu_flags(r->src, y, r->channel, HALO_REGIONS_ABOVE, how->high, flag);
    if (r->mark != NULL) mark_row(r, y, flag);
}

static void find_task(void *context, int64_t strip, int worker)
{
    Regions *r = context;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, r->runs.height);
    for (int64_t y = from; y < upto; y++) {
        find_row(r, y, y > from, r->flag + worker * r->flag_pitch);
        if (y > from) cpu_runs_join(&r->runs, y);
    }
}

/* ---- regions -------------------------------------------------------------------------------------------- */

/* Leads every run to its root, and adds areas and marks up there. Lower numbers are done before. */
static void add_up(Regions *r)
{
    const CpuRowRuns *runs = &r->runs;
    uint32_t *const parent = runs->parent;
    for (int64_t y = 0; y < runs->height; y++)
        for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
            const uint32_t root = parent[i] = parent[parent[i]];
            const uint32_t pixels = (uint32_t)(runs->edge[2 * (int64_t)i + 1] - runs->edge[2 * (int64_t)i]);
            if (r->area != NULL) r->area[i] = 0;
            if (r->area != NULL) r->area[root] += pixels;
            if (r->mark != NULL) r->mark[root] |= r->mark[i];
        }
}

static bool is_kept(const Regions *r, uint32_t root)
{
    const HaloRegions *how = r->how;
    if (r->area != NULL && (int64_t)r->area[root] < how->least) return false;
    if (how->most > 0 && (int64_t)r->area[root] > how->most) return false;
    if (how->inside && (r->mark[root] & AT_BORDER) != 0) return false;
    return !how->seeded || (r->mark[root] & SEEDED) != 0;
}

/* How many of the regions that meet the other conditions have so many pixels. */
static int64_t count_from(const Regions *r, uint32_t pixels)
{
    const CpuRowRuns *runs = &r->runs;
    int64_t count = 0;
    for (int64_t y = 0; y < runs->height; y++)
        for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++)
            count += runs->parent[i] == i && r->area[i] >= pixels && is_kept(r, i);
    return count;
}

/* The most pixels that as many as `largest` regions have; 0: there are not so many. */
static uint32_t pixels_of_largest(const Regions *r)
{
    uint32_t pixels = 0;
    for (int bit = 31; bit >= 0; bit--)
        if (count_from(r, pixels | (uint32_t)1 << bit) >= r->how->largest) pixels |= (uint32_t)1 << bit;
    return pixels;
}

static uint32_t left_of(const Regions *r, int64_t x, int64_t y)
{
    float value = 0.0f;
    uint32_t bits;
    const int64_t size = (int64_t)halo_dtype_size(r->src->shape.dtype);
    if (x > 0)
        r->device->kernels->rows->load[r->src->shape.dtype](
            (const char *)halo_at(r->src, x - 1, y) + r->channel * size, 1, &value);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* parent[i] becomes the number of the region, or 0 where it does not stay. */
static HaloStatus number_all(Regions *r)
{
    const CpuRowRuns *runs = &r->runs;
    uint32_t *const parent = runs->parent;
    const uint32_t least_of = r->how->largest > 0 ? pixels_of_largest(r) : 0;
    int64_t equal = r->how->largest;
    if (least_of > 0) equal -= count_from(r, least_of + 1);
    uint32_t numbers = 0;
    for (int64_t y = 0; y < runs->height; y++)
        for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
            const uint32_t root = parent[i];
            if (root != i) {
                parent[i] = parent[root];
                if (r->how->make == HALO_REGIONS_FILLED) r->area[i] = r->area[root];
                continue;
            }
            const bool large = least_of == 0 || r->area[i] > least_of || (r->area[i] == least_of && equal > 0);
            const bool kept = large && is_kept(r, i);
            if (kept && least_of > 0 && r->area[i] == least_of) equal--;
            parent[i] = kept ? ++numbers : 0;
            if (r->how->make == HALO_REGIONS_FILLED) r->area[i] = left_of(r, runs->edge[2 * (int64_t)i], y);
        }
    if (r->how->make == HALO_REGIONS_NUMBERS && numbers > HALO_MAX_REGIONS)
        return halo_fail(HALO_ERR_LIMIT,
                         "%u regions are more than the %d that can be numbered: leave out small ones by min=",
                         numbers, HALO_MAX_REGIONS);
    return HALO_OK;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static void fill(float *row, int64_t from, int64_t upto, int64_t channels, float value)
{
    if (channels == 1) { /* a loop for vectors */
        for (int64_t x = from; x < upto; x++) row[x] = value;
        return;
    }
    for (int64_t x = from; x < upto; x++) row[x * channels] = value;
}

static float value_of(const Regions *r, uint32_t run)
{
    float value;
    if (r->how->make == HALO_REGIONS_MASK) return r->how->white;
    if (r->how->make == HALO_REGIONS_NUMBERS) return (float)r->runs.parent[run];
    memcpy(&value, &r->area[run], sizeof value);
    return value;
}

/* Are floats stored as they are? Then rows are written where they belong. */
static bool is_direct(const Regions *r)
{
    return r->dst->shape.dtype == HALO_F32 && r->dst->shape.channels == 1 && r->store.num == 1.0f &&
           r->store.den == 1.0f && r->how->make == HALO_REGIONS_NUMBERS;
}

static void write_row(const Regions *r, int64_t y, float *row, uint64_t *clipped)
{
    const CpuRowRuns *runs = &r->runs;
    const CpuRowKernels *kernels = r->device->kernels->rows;
    const HaloRegionsMake make = r->how->make;
    const int64_t channels = r->src->shape.channels, n = runs->width * channels;
    const bool keeps = make == HALO_REGIONS_SAMPLES || make == HALO_REGIONS_FILLED || channels > 1;
    float *const line = row + r->channel;
    int64_t done = 0; /* pixels outside of regions are 0 up to here */
    if (keeps) kernels->load[r->src->shape.dtype](halo_at(r->src, 0, y), n, row);
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t from = runs->edge[2 * (int64_t)i], upto = runs->edge[2 * (int64_t)i + 1];
        if (runs->parent[i] == 0) continue;
        if (make != HALO_REGIONS_SAMPLES) fill(line, from, upto, channels, value_of(r, i));
        if (make != HALO_REGIONS_FILLED) fill(line, done, from, channels, 0.0f);
        done = upto;
    }
    if (make != HALO_REGIONS_FILLED) fill(line, done, runs->width, channels, 0.0f);
    if (row != halo_at(r->dst, 0, y))
        kernels->store[r->dst->shape.dtype](row, n, r->store, halo_at(r->dst, 0, y), clipped);
}

static void write_task(void *context, int64_t strip, int worker)
{
    const Regions *r = context;
    uint64_t clipped = 0;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, r->runs.height);
    const bool direct = is_direct(r);
    for (int64_t y = from; y < upto; y++)
        write_row(r, y, direct ? halo_at(r->dst, 0, y) : r->row + worker * r->row_pitch, &clipped);
    cpu_count_clipped(r->device, clipped);
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static HaloStatus prepare(Regions *r, int workers)
{
    HaloStatus status = HALO_OK;
    const int64_t width = r->src->cols, height = r->src->rows;
    int64_t total = 0, at_runs[4], at_area, at_mark, at_flag, at_row;
    void *scratch;
    r->flag_pitch = (width + 63) / 64 * 64;
    r->row_pitch = r->flag_pitch * r->src->shape.channels;
    const bool fits = cpu_runs_reserve(&r->runs, width, height, &total, at_runs);
    const int64_t most_runs = fits ? r->runs.row_most * height : 0;
    if (!fits || width > UINT32_MAX / height ||
        !cpu_reserve(&total, needs_area(r->how) ? most_runs : 0, sizeof(uint32_t), &at_area) ||
        !cpu_reserve(&total, needs_mark(r->how) ? most_runs : 0, 1, &at_mark) ||
        !cpu_reserve(&total, workers, r->flag_pitch, &at_flag) ||
        !cpu_reserve(&total, workers, r->row_pitch * (int64_t)sizeof(float), &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many for regions: crop or resize before",
                  (long long)width, (long long)height);
    HALO_TRY(cpu_scratch(r->device, total, &scratch));
    cpu_runs_place(&r->runs, scratch, at_runs);
    if (needs_area(r->how)) r->area = (uint32_t *)(void *)((char *)scratch + at_area);
    if (needs_mark(r->how)) r->mark = (uint8_t *)scratch + at_mark;
    r->flag = (uint8_t *)scratch + at_flag;
    r->row = (float *)(void *)((char *)scratch + at_row);
out:
    return status;
}

HaloStatus cpu_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                       HaloStore store)
{
    HaloStatus status = HALO_OK;
    Regions r = {.src = src, .dst = dst, .how = how, .store = store, .device = device};
    if (!cpu_are_planes(src, dst))
        HALO_FAIL(HALO_ERR_BUG, "internal: regions of buffers that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    const int workers = cpu_workers(device, (double)src->cols * (double)src->rows);
    r.channel = src->shape.alpha == 0;
    r.runs.reach = how->connect == 8;
    r.rows = most(STRIP_ROWS, divide_up(src->rows, 4 * (int64_t)workers));
    HALO_TRY(prepare(&r, workers));
    const int64_t strips = divide_up(src->rows, r.rows);
    cpu_run(device, workers, strips, find_task, &r);
    for (int64_t strip = 1; strip < strips; strip++) cpu_runs_join(&r.runs, strip * r.rows);
    add_up(&r);
    HALO_TRY(number_all(&r));
    cpu_run(device, workers, strips, write_task, &r);
out:
    return status;
}
