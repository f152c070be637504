/* Extremes of any samples of windows, and tiles of what takes their samples in order. */
#include "local.h"

#include "primitives.h"

#define TILE_FLOATS 4096 /* of a line: all lines of a tile stay in the second-level cache */
#define TILE_ROWS 32

/* ---- extremes -------------------------------------------------------------------------------------------- */

static bool is_extreme(const HaloLocal *how) { return how->kind <= HALO_LOCAL_GREATEST; }

/* NaN wins, or, left out, loses. */
static int32_t key_of_nan(const HaloLocal *how)
{
    return (how->kind == HALO_LOCAL_GREATEST) == how->window.nan_ignore ? INT32_MIN : INT32_MAX;
}

static void extreme(const CpuLocalTile *tile, int64_t row)
{
    const CpuLocal *l = tile->l;
    const HaloLocal *how = l->how;
    const int64_t channels = l->dst->shape.channels;
    const float **const line = (const float **)(void *)tile->own;
    float *const height = (float *)(void *)(line + how->members);
    for (int64_t m = 0; m < how->members; m++) {
        line[m] = tile->line + (row + how->member[m].y) * l->pitch + how->member[m].x * channels;
        height[m] = how->member[m].height;
    }
    const CpuMembers members = {how->members, line, how->flat ? NULL : height, key_of_nan(how)};
    l->device->kernels->local->extreme[how->kind == HALO_LOCAL_GREATEST](&members, tile->cols * channels,
                                                                         tile->out);
}

/* ---- tiles ----------------------------------------------------------------------------------------------- */

static void make_row(const CpuLocalTile *tile, int64_t row)
{
    if (tile->l->counted) {
        cpu_local_counted(tile, row);
        return;
    }
    switch (tile->l->how->kind) {
    case HALO_LOCAL_MODE: cpu_local_mode(tile, row); break;
    case HALO_LOCAL_MAD: cpu_local_deviation(tile, row); break;
    case HALO_LOCAL_ENTROPY: cpu_local_entropy(tile, row); break;
    default: extreme(tile, row); break;
    }
}

static void read_line(const CpuLocalTile *tile, int64_t i)
{
    const CpuLocal *l = tile->l;
    const HaloLocal *how = l->how;
    const int64_t n = (tile->cols + how->window.width - 1) * l->dst->shape.channels;
    float *const line = tile->line + i * l->pitch;
    cpu_source_line(&l->source, tile->x, tile->y + how->window.oy + i, tile->cols, line);
    if (is_extreme(how) && how->flat) l->device->kernels->local->to_keys(line, n, key_of_nan(how));
    if (how->kind == HALO_LOCAL_ENTROPY) cpu_local_bins(tile, line, n);
}

static void run_task(void *context, int64_t index, int worker)
{
    const CpuLocal *l = context;
    char *const own = l->scratch + worker * l->scratch_bytes;
    const int64_t x = index % l->tiles * l->tile_cols, y = index / l->tiles * l->tile_rows;
    const CpuLocalTile tile = {.l = l,
                               .x = l->dst->x0 + x,
                               .y = l->dst->y0 + y,
                               .cols = least(l->tile_cols, l->dst->cols - x),
                               .rows = least(l->tile_rows, l->dst->rows - y),
                               .line = (float *)(void *)(own + l->at_line),
                               .out = (float *)(void *)(own + l->at_out),
                               .own = own + l->at_own};
    uint64_t clipped = 0;
    for (int64_t i = 0; i < tile.rows + l->how->window.height - 1; i++) read_line(&tile, i);
    for (int64_t row = 0; row < tile.rows; row++) {
        make_row(&tile, row);
        l->device->kernels->rows->store[l->dst->shape.dtype](tile.out, tile.cols * l->dst->shape.channels,
                                                             l->store, halo_at(l->dst, tile.x, tile.y + row),
                                                             &clipped);
    }
    cpu_count_clipped(l->device, clipped);
}

/* ---- laying out ------------------------------------------------------------------------------------------ */

static int64_t own_bytes(const CpuLocal *l)
{
    const HaloLocal *how = l->how;
    if (is_extreme(how)) return how->members * (int64_t)(sizeof(float *) + sizeof(float));
    if (l->counted) return cpu_local_counts_bytes();
    return how->kind == HALO_LOCAL_ENTROPY ? cpu_local_entropy_bytes(l) : cpu_local_order_bytes(l);
}

/* False where sizes do not fit 63 bits. */
static bool choose_scratch(CpuLocal *l)
{
    const HaloWindow *window = &l->how->window;
    const int64_t channels = l->dst->shape.channels;
    int64_t total = 0, lines;
    l->tile_cols = least(l->dst->cols, most(divide_up(TILE_FLOATS, channels), 2 * window->width));
    l->tile_rows = least(l->dst->rows, most(TILE_ROWS, window->height / 2));
    l->tiles = divide_up(l->dst->cols, l->tile_cols);
    l->pitch = divide_up((l->tile_cols + window->width - 1) * channels, 16) * 16;
    return halo_mul(l->pitch, l->tile_rows + window->height - 1, &lines) &&
           cpu_reserve(&total, lines, sizeof(float), &l->at_line) &&
           cpu_reserve(&total, l->pitch, sizeof(float), &l->at_out) &&
           cpu_reserve(&total, 1, own_bytes(l), &l->at_own) && ((l->scratch_bytes = total), true);
}

HaloStatus cpu_local(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloLocal *local,
                     HaloStore store)
{
    HaloStatus status = HALO_OK;
    const HaloWindow *window = &local->window;
    CpuLocal l = {.how = local, .dst = dst, .store = store, .device = device};
    void *scratch;
    l.source = cpu_window_stencil(device, src, dst, window);
    if (dst->cols < 1 || dst->rows < 1) goto out;
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 ||
        src->shape.channels != dst->shape.channels || !cpu_holds_needed(&l.source))
        HALO_FAIL(HALO_ERR_BUG, "internal: the source of windows does not hold the samples they need");
    l.counted = cpu_local_is_counted(&l);
    if (!choose_scratch(&l))
        HALO_FAIL(HALO_ERR_LIMIT, "a window of %lld x %lld needs more memory than can be addressed",
                  (long long)window->width, (long long)window->height);
    HALO_TRY(cpu_scratch_each(device, &l.scratch_bytes, &scratch));
    l.scratch = scratch;
    const double samples = is_extreme(local) ? (double)local->members : 8.0 * (double)window->width;
    const double work = samples * (double)dst->cols * (double)dst->rows * dst->shape.channels;
    cpu_run(device, cpu_workers(device, work), l.tiles * divide_up(dst->rows, l.tile_rows), run_task, &l);
out:
    return status;
}
