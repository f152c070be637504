/* The runs of a row, and what becomes of their pixels. */
#include <string.h>

#include "primitives.h"
#include "regions.h"

/* ---- runs ----------------------------------------------------------------------------------------------- */

static void mark_row(const CpuRegions *r, int64_t y, const uint8_t *high)
{
    const CpuRowRuns *runs = &r->runs;
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t from = runs->edge[2 * (int64_t)i], upto = runs->edge[2 * (int64_t)i + 1];
        const bool ends = r->y0 + y == 0 || r->y0 + y + 1 == r->height || from == 0 || upto == runs->width;
        const bool seeded = r->how->seeded && memchr(high + from, 1, (size_t)(upto - from)) != NULL;
        r->mark[i] = (uint8_t)((ends ? CPU_REGION_AT_BORDER : 0) | (seeded ? CPU_REGION_SEEDED : 0));
    }
}

static uint32_t left_of(const CpuRegions *r, int64_t x, int64_t y)
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

/* Pixels of the runs, and what is left of them. */
static void measure_row(const CpuRegions *r, int64_t y)
{
    const CpuRowRuns *runs = &r->runs;
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t *const edge = runs->edge + 2 * (int64_t)i;
        if (r->area != NULL) r->area[i] = (uint32_t)(edge[1] - edge[0]);
        if (r->left != NULL) r->left[i] = left_of(r, edge[0], y);
    }
}

void cpu_regions_find_row(CpuRegions *r, int64_t y, bool follows, int worker)
{
    const HaloRegions *how = r->how;
    uint8_t *const flag = r->flag + worker * r->flag_pitch;
    const bool bytes = r->src->shape.dtype == HALO_U8 && r->src->shape.channels == 1;
    if (bytes && how->of != HALO_REGIONS_ABOVE) {
        cpu_runs_find(&r->runs, y, follows, halo_at(r->src, 0, y), how->of == HALO_REGIONS_BACKGROUND);
    } else {
        cpu_flags(r->src, y, r->channel, how->of, how->low, flag);
        cpu_runs_find(&r->runs, y, follows, flag, false);
    }
    if (how->seeded && r->mark != NULL) cpu_flags(r->src, y, r->channel, HALO_REGIONS_ABOVE, how->high, flag);
    if (r->mark != NULL) mark_row(r, y, flag);
    if (r->area != NULL || r->left != NULL) measure_row(r, y);
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

static float value_of(const CpuRegions *r, uint32_t run)
{
    float value;
    if (r->how->make == HALO_REGIONS_MASK) return r->how->white;
    if (r->how->make == HALO_REGIONS_NUMBERS) return (float)r->runs.parent[run];
    memcpy(&value, &r->left[run], sizeof value);
    return value;
}

/* Are floats stored as they are? Then rows are written where they belong. */
static bool is_direct(const CpuRegions *r)
{
    return r->dst->shape.dtype == HALO_F32 && r->dst->shape.channels == 1 && r->store.num == 1.0f &&
           r->store.den == 1.0f && r->how->make == HALO_REGIONS_NUMBERS;
}

static void write_row(const CpuRegions *r, int64_t y, float *row, uint64_t *clipped)
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

void cpu_regions_write(void *context, int64_t strip, int worker)
{
    const CpuRegions *r = context;
    uint64_t clipped = 0;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, r->runs.height);
    const bool direct = is_direct(r);
    for (int64_t y = from; y < upto; y++)
        write_row(r, y, direct ? halo_at(r->dst, 0, y) : r->row + worker * r->row_pitch, &clipped);
    cpu_count_clipped(r->device, clipped);
}

/* ---- memory --------------------------------------------------------------------------------------------- */

HaloStatus cpu_regions_prepare(CpuRegions *r, int workers)
{
    HaloStatus status = HALO_OK;
    const int64_t width = r->src->cols, height = r->src->rows;
    int64_t total = 0, at_runs[4], at_area, at_left, at_mark, at_flag, at_row;
    const bool finds = r->how->found == NULL || r->dst == NULL; /* else parts are known */
    const bool area = finds && halo_regions_need_area(r->how), left = halo_regions_need_left(r->how),
               mark = finds && halo_regions_need_mark(r->how);
    void *scratch;
    r->flag_pitch = (width + 63) / 64 * 64;
    r->row_pitch = r->flag_pitch * r->src->shape.channels;
    const bool fits = cpu_runs_reserve(&r->runs, width, height, &total, at_runs);
    const int64_t most_runs = fits ? r->runs.row_most * height : 0;
    if (!fits || width > UINT32_MAX / r->height ||
        !cpu_reserve(&total, area ? most_runs : 0, sizeof(uint32_t), &at_area) ||
        !cpu_reserve(&total, left ? most_runs : 0, sizeof(uint32_t), &at_left) ||
        !cpu_reserve(&total, mark ? most_runs : 0, 1, &at_mark) ||
        !cpu_reserve(&total, workers, r->flag_pitch, &at_flag) ||
        !cpu_reserve(&total, workers, r->row_pitch * (int64_t)sizeof(float), &at_row))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many for regions: crop or resize before",
                  (long long)width, (long long)r->height);
    HALO_TRY(cpu_scratch(r->device, total, &scratch));
    cpu_runs_place(&r->runs, scratch, at_runs);
    if (area) r->area = (uint32_t *)(void *)((char *)scratch + at_area);
    if (left) r->left = (uint32_t *)(void *)((char *)scratch + at_left);
    if (mark) r->mark = (uint8_t *)scratch + at_mark;
    r->flag = (uint8_t *)scratch + at_flag;
    r->row = (float *)(void *)((char *)scratch + at_row);
out:
    return status;
}
