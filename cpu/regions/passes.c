/* Regions of a picture that is read twice, a few rows at a time. In both passes a run is of the same part of a
 * region: that of the first run above that it touches, or a new one. The first pass joins the parts that meet,
 * and numbers their regions at its end; the second one writes these numbers. */
#include "passes.h"

#include <string.h>

#include "primitives.h"

#define STRIP_ROWS 16

/* Runs of the row above, with their parts. */
typedef struct Above {
    const int32_t *edge;
    const uint32_t *part;
    uint32_t count;
} Above;

/* halo_regions_state. */
typedef struct State {
    uint32_t *parts, *count; /* parts so far; runs of the row */
    int32_t *edge;
    uint32_t *part;
} State;

static State state_of(void *memory, int64_t row_most)
{
    uint32_t *const word = memory;
    return (State){word, word + 1, (int32_t *)(void *)(word + 2), word + 2 + 2 * row_most};
}

static Above above_of(const CpuRegions *r, int64_t y, const State *state)
{
    const CpuRowRuns *runs = &r->runs;
    if (y == 0) return (Above){state->edge, state->part, *state->count};
    const uint32_t first = runs->begin[y - 1];
    return (Above){runs->edge + 2 * (int64_t)first, runs->parent + first, runs->end[y - 1] - first};
}

static void keep_row(const CpuRegions *r, int64_t y, const State *state)
{
    const CpuRowRuns *runs = &r->runs;
    const uint32_t first = runs->begin[y], count = runs->end[y] - first;
    *state->count = count;
    memcpy(state->edge, runs->edge + 2 * (int64_t)first, 2 * (size_t)count * sizeof *state->edge);
    memcpy(state->part, runs->parent + first, (size_t)count * sizeof *state->part);
}

/* A part that begins with this run. */
static void begin_part(const CpuRegions *r, uint32_t run, uint32_t part)
{
    HaloRegionsFound *const found = r->how->found;
    found->parent[part] = part;
    if (found->area != NULL) found->area[part] = 0;
    if (found->mark != NULL) found->mark[part] = 0;
    if (found->left != NULL) found->left[part] = r->left[run];
}

static void add_run(const CpuRegions *r, uint32_t run, uint32_t part)
{
    HaloRegionsFound *const found = r->how->found;
    if (found->area != NULL) found->area[part] += r->area[run];
    if (found->mark != NULL) found->mark[part] |= r->mark[run];
}

/* The parts of a row's runs, in place of their parents. */
static void find_parts(CpuRegions *r, int64_t y, const State *state, bool joins)
{
    const CpuRowRuns *runs = &r->runs;
    const Above above = above_of(r, y, state);
    uint32_t at = 0;
    for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
        const int32_t from = runs->edge[2 * (int64_t)i] - runs->reach,
                      upto = runs->edge[2 * (int64_t)i + 1] + runs->reach;
        while (at < above.count && above.edge[2 * (int64_t)at + 1] <= from) at++;
        const bool begins = at == above.count || above.edge[2 * (int64_t)at] >= upto;
        const uint32_t part = begins ? (*state->parts)++ : above.part[at];
        runs->parent[i] = part;
        if (!joins) continue;
        if (begins) begin_part(r, i, part);
        for (uint32_t k = at + 1; k < above.count && above.edge[2 * (int64_t)k] < upto; k++)
            if (above.part[k] != part) cpu_runs_unite(r->how->found->parent, part, above.part[k]);
        add_run(r, i, part);
    }
}

static void find_task(void *context, int64_t strip, int worker)
{
    CpuRegions *r = context;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, r->runs.height);
    for (int64_t y = from; y < upto; y++) cpu_regions_find_row(r, y, y > from, worker);
}

/* Rows of a buffer as one that begins with them. */
static HaloBuf rows_alone(const HaloBuf *buf)
{
    HaloBuf alone = *buf;
    alone.shape.height = buf->rows;
    alone.y0 = 0;
    return alone;
}

static HaloStatus open(CpuRegions *r, int *workers)
{
    *workers = cpu_workers(r->device, (double)r->src->cols * (double)r->src->rows);
    r->channel = r->src->shape.alpha == 0;
    r->runs.reach = r->how->connect == 8;
    r->rows = STRIP_ROWS;
    return cpu_regions_prepare(r, *workers);
}

static HaloStatus number_all(HaloRegionsFound *found, const HaloRegions *how)
{
    const uint32_t first = 0;
    const CpuParts parts = {.parent = found->parent,
                            .area = found->area,
                            .left = found->left,
                            .mark = found->mark,
                            .spans = 1,
                            .begin = &first,
                            .end = &found->parts};
    return cpu_regions_number(&parts, how);
}

HaloStatus cpu_find_regions(HaloDevice *device, const HaloBuf *src, const HaloRegions *how)
{
    HaloStatus status = HALO_OK;
    HaloRegionsFound *const found = how->found;
    const HaloBuf from = rows_alone(src);
    CpuRegions r = {.src = &from, .how = how, .device = device, .y0 = src->y0, .height = src->shape.height};
    int workers;
    if (src->cols != src->shape.width || src->shape.dtype > HALO_F32)
        HALO_FAIL(HALO_ERR_BUG, "internal: regions of a part of a row");
    HALO_TRY(open(&r, &workers));
    if (src->y0 != found->upto) HALO_FAIL(HALO_ERR_BUG, "internal: regions of rows out of order");
    State state = state_of(found->state, r.runs.row_most);
    state.parts = &found->parts;
    cpu_run(device, workers, divide_up(src->rows, r.rows), find_task, &r);
    for (int64_t y = 0; y < src->rows; y++) {
        HALO_TRY(halo_regions_reserve(found, how, (int64_t)found->parts + r.runs.end[y] - r.runs.begin[y]));
        find_parts(&r, y, &state, true);
    }
    if (src->rows > 0) keep_row(&r, src->rows - 1, &state);
    found->upto += src->rows;
    if (found->upto == r.height) HALO_TRY(number_all(found, how));
out:
    return status;
}

/* Numbers in place of parts. */
static void write_task(void *context, int64_t strip, int worker)
{
    const CpuRegions *r = context;
    const HaloRegionsFound *found = r->how->found;
    const CpuRowRuns *runs = &r->runs;
    const int64_t from = strip * r->rows, upto = least(from + r->rows, runs->height);
    for (int64_t y = from; y < upto; y++)
        for (uint32_t i = runs->begin[y]; i < runs->end[y]; i++) {
            if (r->left != NULL) r->left[i] = found->left[runs->parent[i]];
            runs->parent[i] = found->parent[runs->parent[i]];
        }
    cpu_regions_write(context, strip, worker);
}

HaloStatus cpu_regions_again(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                             HaloStore store)
{
    HaloStatus status = HALO_OK;
    const HaloBuf from = rows_alone(src);
    HaloBuf to = rows_alone(dst);
    CpuRegions r = {.src = &from,
                    .dst = &to,
                    .how = how,
                    .store = store,
                    .device = device,
                    .y0 = src->y0,
                    .height = src->shape.height};
    int workers;
    if (src->cols != src->shape.width || dst->cols != src->cols || dst->rows != src->rows || dst->y0 != src->y0)
        HALO_FAIL(HALO_ERR_BUG, "internal: regions of rows that differ");
    HALO_TRY(open(&r, &workers));
    const State state = state_of(how->state, r.runs.row_most);
    const int64_t strips = divide_up(src->rows, r.rows);
    cpu_run(device, workers, strips, find_task, &r);
    for (int64_t y = 0; y < src->rows; y++) find_parts(&r, y, &state, false);
    if (src->rows > 0) keep_row(&r, src->rows - 1, &state);
    cpu_run(device, workers, strips, write_task, &r);
out:
    return status;
}
