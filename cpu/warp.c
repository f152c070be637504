/* Warps: tiles of the result, which read neighbouring parts of the source, in chunks of a row. */
#include "halo/places.h"

#include "device.h"
#include "primitives.h"

#define TILE_COLS (4 * CPU_WARP_CHUNK)
#define TILE_ROWS 64

typedef struct Warp {
    CpuWarpSource from;
    const HaloBuf *map;
    HaloBuf *dst;
    HaloStore store;
    int64_t tiles;                                 /* side by side */
    int64_t scratch_bytes, at_out, at_row, at_sum; /* of a worker */
    char *scratch;
    HaloDevice *device;
} Warp;

/* A worker's rows: one point of each pixel, the points of one of its rows, and all of them. */
typedef struct Rows {
    float *out, *row, *sum;
} Rows;

/* Do all samples that are read lie in the source? */
static bool is_inside(const Warp *w, const CpuWarpPlaces *p)
{
    const HaloShape *shape = &w->from.src->shape;
    const int64_t taps = w->from.how->taps;
    return p->least_x >= 0 && p->least_y >= 0 && p->most_x + taps <= shape->width &&
           p->most_y + taps <= shape->height;
}

/* Are they all beyond one side of it? */
static bool is_outside(const Warp *w, const CpuWarpPlaces *p)
{
    const HaloShape *shape = &w->from.src->shape;
    const int64_t taps = w->from.how->taps;
    return p->most_x + taps <= 0 || p->most_y + taps <= 0 || p->least_x >= shape->width ||
           p->least_y >= shape->height;
}

static void sample_places(const Warp *w, const CpuWarpPlaces *p, int64_t n, float *out)
{
    const CpuWarpKernels *kernels = w->device->kernels->warp;
    if (is_inside(w, p))
        kernels->inside(&w->from, p, n, out);
    else if (halo_border_is_fixed(w->from.how->border) && is_outside(w, p))
        for (int64_t e = 0; e < n * w->dst->shape.channels; e++) out[e] = w->from.outside;
    else
        kernels->anywhere(&w->from, p, n, out);
}

static void add(float *sum, const float *more, int64_t n, int first)
{
    for (int64_t e = 0; e < n; e++) sum[e] = first == 0 ? more[e] : sum[e] + more[e];
}

static void make_points(const Warp *w, int64_t x, int64_t y, int64_t n, const Rows *rows)
{
    const HaloWarp *how = w->from.how;
    const CpuWarpKernels *kernels = w->device->kernels->warp;
    const int64_t elements = n * w->dst->shape.channels;
    const float share = halo_warp_share(how);
    CpuWarpPlaces p;
    for (int j = 0; j < how->samples_y; j++) {
        const double at_y = (double)y + halo_warp_point(j, how->samples_y);
        for (int i = 0; i < how->samples_x; i++) {
            kernels->places(how, x, halo_warp_point(i, how->samples_x), at_y, n, &p);
            sample_places(w, &p, n, rows->out);
            add(rows->row, rows->out, elements, i);
        }
        add(rows->sum, rows->row, elements, j);
    }
    for (int64_t e = 0; e < elements; e++) rows->out[e] = rows->sum[e] * share;
}

static void make_chunk(const Warp *w, int64_t x, int64_t y, int64_t n, const Rows *rows, uint64_t *clipped)
{
    const HaloWarp *how = w->from.how;
    const CpuKernels *kernels = w->device->kernels;
    CpuWarpPlaces p;
    if (w->map != NULL) {
        float map[2 * CPU_WARP_CHUNK];
        kernels->rows->load[w->map->shape.dtype](halo_at(w->map, x, y), 2 * n, map);
        kernels->warp->places_of_map(how, map, n, &p);
        sample_places(w, &p, n, rows->out);
    } else if (how->samples_x == 1 && how->samples_y == 1) {
        kernels->warp->places(how, x, 0.0, (double)y, n, &p);
        sample_places(w, &p, n, rows->out);
    } else {
        make_points(w, x, y, n, rows);
    }
    kernels->rows->store[w->dst->shape.dtype](rows->out, n * w->dst->shape.channels, w->store,
                                              halo_at(w->dst, x, y), clipped);
}

static void run_task(void *context, int64_t index, int worker)
{
    const Warp *w = context;
    char *const own = w->scratch + worker * w->scratch_bytes;
    const Rows rows = {(float *)(void *)(own + w->at_out), (float *)(void *)(own + w->at_row),
                       (float *)(void *)(own + w->at_sum)};
    const int64_t left = index % w->tiles * TILE_COLS, top = index / w->tiles * TILE_ROWS;
    const int64_t right = least(left + TILE_COLS, w->dst->cols), bottom = least(top + TILE_ROWS, w->dst->rows);
    uint64_t clipped = 0;
    for (int64_t x = left; x < right; x += CPU_WARP_CHUNK)
        for (int64_t y = top; y < bottom; y++)
            make_chunk(w, w->dst->x0 + x, w->dst->y0 + y, least(CPU_WARP_CHUNK, right - x), &rows, &clipped);
    cpu_count_clipped(w->device, clipped);
}

static bool choose_scratch(Warp *w)
{
    const int64_t elements = CPU_WARP_CHUNK * w->dst->shape.channels;
    int64_t total = 0;
    return cpu_reserve(&total, elements, sizeof(float), &w->at_out) &&
           cpu_reserve(&total, elements, sizeof(float), &w->at_row) &&
           cpu_reserve(&total, elements, sizeof(float), &w->at_sum) && ((w->scratch_bytes = total), true);
}

HaloStatus cpu_warp(HaloDevice *device, const HaloBuf *src, const HaloBuf *map, HaloBuf *dst,
                    const HaloWarp *warp, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Warp w = {.from = {.how = warp, .src = src, .outside = halo_border_value(warp->border, (float)warp->value)},
              .map = map,
              .dst = dst,
              .store = store,
              .device = device};
    void *scratch;
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || (warp->by == HALO_WARP_MAP) != (map != NULL))
        HALO_FAIL(HALO_ERR_BUG, "internal: a warp of other samples than it makes");
    if (!choose_scratch(&w))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %d channels", dst->shape.channels);
    HALO_TRY(cpu_scratch_each(device, &w.scratch_bytes, &scratch));
    w.scratch = scratch;
    w.tiles = divide_up(dst->cols, TILE_COLS);
    const double points = (double)warp->samples_x * warp->samples_y, taps = (double)warp->taps * warp->taps;
    const double work = points * (8.0 + taps * dst->shape.channels) * (double)dst->cols * (double)dst->rows;
    cpu_run(device, cpu_workers(device, work), w.tiles * divide_up(dst->rows, TILE_ROWS), run_task, &w);
out:
    return status;
}
