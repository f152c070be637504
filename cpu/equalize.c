/* Equalization: levels are counted tile by tile, counts become tables, and every sample is looked up in those
 * of the tiles around it. */
#include <string.h>

#include "device.h"
#include "packed.h"
#include "point/table.h"
#include "primitives.h"

/* What floats count beside the bins: below, above, NaN. */
#define OTHERS 3
#define SLICES_PER_WORKER 4
#define ROWS_PER_TASK 16
/* Levels whose results are made at a time: the fewest that there are. */
#define LEVELS_AT_ONCE 256

typedef struct Equalize {
    const HaloBuf *src;
    HaloBuf *dst;
    const HaloEqualize *how;
    HaloStore store;
    int64_t sets;             /* tables of a tile: one for each channel, or one */
    int64_t counters, copies; /* of a channel; of them all in a worker */
    int64_t tile, slice_rows; /* the tile that is cut into slices, where there are fewer tiles than workers */
    uint64_t *counter;        /* [workers][copies][channels][counters] */
    uint32_t *bin;            /* [workers] the bins of a row */
    float *table;             /* [tiles][sets][bins] */
    CpuBetween *column;       /* [cols] */
    CpuTables look;           /* where a level has one result in the whole image */
    float *row;               /* [workers] a row of samples, then of results */
    int64_t bin_pitch, row_pitch;
    HaloDevice *device;
} Equalize;

static int64_t larger_of(int64_t a, int64_t b) { return a > b ? a : b; }

/* ---- counting ------------------------------------------------------------------------------------------- */

static int64_t of_worker(const Equalize *e) { return e->copies * e->src->shape.channels * e->counters; }

static void count_pixels(const Equalize *e, int64_t x, int64_t y, int64_t pixels, int worker)
{
    const CpuHistKernels *kernels = e->device->kernels->hist;
    const HaloDtype dtype = e->src->shape.dtype;
    const int64_t channels = e->src->shape.channels;
    const HaloHist levels = {.bins = e->how->bins, .hi = (double)e->how->white};
    uint64_t *counter = e->counter + worker * of_worker(e);
    const void *values = halo_at(e->src, x, y);
    if (dtype == HALO_F32) {
        kernels->bin(values, pixels * channels, &levels, e->bin + worker * e->bin_pitch);
        values = e->bin + worker * e->bin_pitch;
    }
    kernels->count[dtype](values, pixels, channels, e->counters, e->copies, counter);
}

/* Rows [from, to) of a tile, counted from its top; what reaches past the image is mirrored. */
static void count_rows(const Equalize *e, int64_t tile, int64_t from, int64_t to, int worker)
{
    const HaloEqualize *how = e->how;
    const int64_t width = e->src->shape.width, height = e->src->shape.height;
    const int64_t x = tile % how->tiles_x * how->tile_width, top = tile / how->tiles_x * how->tile_height;
    const int64_t inside = x < width ? least(how->tile_width, width - x) : 0;
    for (int64_t y = top + from; y < top + to; y++) {
        const int64_t row = halo_border_index(y, height, HALO_BORDER_MIRROR);
        if (inside > 0) count_pixels(e, x, row, inside, worker);
        for (int64_t i = inside; i < how->tile_width; i++)
            count_pixels(e, halo_border_index(x + i, width, HALO_BORDER_MIRROR), row, 1, worker);
    }
}

/* ---- tables --------------------------------------------------------------------------------------------- */

/* Adds what channels [first, end) have counted in `copies` sets of counters up into the first of them. */
static uint64_t *gather(const Equalize *e, uint64_t *counter, int64_t copies, int64_t first, int64_t end)
{
    const int64_t channels = e->src->shape.channels, bins = e->how->bins;
    uint64_t *sum = counter + first * e->counters;
    for (int64_t i = 0; i < copies * channels; i++) {
        const int64_t channel = i % channels;
        const uint64_t *more = counter + i * e->counters;
        if (more == sum || channel < first || channel >= end || channel == e->dst->shape.alpha) continue;
        for (int64_t b = 0; b < e->counters; b++) sum[b] += more[b];
    }
    if (e->counters > bins) {
        sum[0] += sum[bins];
        sum[bins - 1] += sum[bins + 1];
    }
    return sum;
}

static void make_table(const Equalize *e, const uint64_t *count, float *table)
{
    const HaloEqualize *how = e->how;
    const bool whole = e->src->shape.dtype != HALO_F32;
    const float top = whole ? (float)(how->bins - 1) : how->white;
    uint64_t total = 0, first = 0, excess = 0, upto = 0;
    for (int64_t b = 0; b < how->bins; b++) {
        if (how->from_least && total == 0) first = count[b];
        total += count[b];
    }
    const uint64_t most = halo_equalize_most(how->limit, total, how->bins);
    for (int64_t b = 0; b < how->bins; b++) excess += count[b] > most ? count[b] - most : 0;
    for (int64_t b = 0; b < how->bins; b++) {
        upto += halo_equalize_count(count[b], most, excess, how->bins, b);
        table[b] = halo_equalize_level(upto, first, total, top, whole);
    }
}

/* From `copies` sets of counters, one after the other. Alpha, too, gets a table, which is not used. */
static void make_tables(const Equalize *e, int64_t tile, uint64_t *counter, int64_t copies)
{
    const int64_t channels = e->src->shape.channels;
    for (int64_t s = 0; s < e->sets; s++) {
        const int64_t colour = e->dst->shape.alpha == 0 && channels > 1;
        const uint64_t *count =
            e->how->joint ? gather(e, counter, copies, colour, channels) : gather(e, counter, copies, s, s + 1);
        make_table(e, count, e->table + (tile * e->sets + s) * e->how->bins);
    }
}

static void tile_task(void *context, int64_t tile, int worker)
{
    const Equalize *e = context;
    uint64_t *counter = e->counter + worker * of_worker(e);
    memset(counter, 0, (size_t)of_worker(e) * sizeof *counter);
    count_rows(e, tile, 0, e->how->tile_height, worker);
    make_tables(e, tile, counter, e->copies);
}

static void slice_task(void *context, int64_t slice, int worker)
{
    const Equalize *e = context;
    const int64_t from = slice * e->slice_rows;
    count_rows(e, e->tile, from, least(from + e->slice_rows, e->how->tile_height), worker);
}

static void count_all(Equalize *e, int workers)
{
    const int64_t tiles = e->how->tiles_x * e->how->tiles_y;
    if (tiles >= workers) {
        cpu_run(e->device, workers, tiles, tile_task, e);
        return;
    }
    e->slice_rows = divide_up(e->how->tile_height, (int64_t)workers * SLICES_PER_WORKER);
    for (e->tile = 0; e->tile < tiles; e->tile++) {
        memset(e->counter, 0, (size_t)(workers * of_worker(e)) * sizeof *e->counter);
        cpu_run(e->device, workers, divide_up(e->how->tile_height, e->slice_rows), slice_task, e);
        make_tables(e, e->tile, e->counter, workers * e->copies);
    }
}

/* ---- looking up ----------------------------------------------------------------------------------------- */

/* Floats outside of the bins count in the first and the last; NaN stay, whatever their bin. */
static void find_bins(const Equalize *e, const void *samples, const float *row, int64_t n, uint32_t *bin)
{
    const HaloHist levels = {.bins = e->how->bins, .hi = (double)e->how->white};
    const uint32_t bins = (uint32_t)e->how->bins;
    if (e->src->shape.dtype != HALO_F32) {
        e->device->kernels->equalize->whole(row, n, bin);
        return;
    }
    e->device->kernels->hist->bin(samples, n, &levels, bin);
    for (int64_t i = 0; i < n; i++)
        if (bin[i] >= bins) bin[i] = bin[i] == bins + 1 ? bins - 1 : 0;
}

static CpuLevels levels_at(const Equalize *e, int64_t y)
{
    const HaloEqualize *how = e->how;
    const int64_t pitch = how->tiles_x * e->sets * how->bins;
    int64_t before, behind;
    CpuLevels levels = {.set = how->joint ? 0 : how->bins};
    halo_tiles_around(y, how->tile_height, how->tiles_y, how->mixed, &before, &behind, &levels.share);
    levels.before = e->table + before * pitch;
    levels.behind = e->table + behind * pitch;
    return levels;
}

static void rows_task(void *context, int64_t index, int worker)
{
    const Equalize *e = context;
    const CpuRowKernels *rows = e->device->kernels->rows;
    const int64_t channels = e->src->shape.channels, cols = e->dst->cols;
    float *row = e->row + worker * e->row_pitch;
    uint32_t *bin = e->bin + worker * e->bin_pitch;
    uint64_t clipped = 0;
    for (int64_t y = index * ROWS_PER_TASK; y < least((index + 1) * ROWS_PER_TASK, e->dst->rows); y++) {
        const void *samples = halo_at(e->src, 0, y);
        const CpuLevels levels = levels_at(e, y);
        rows->load[e->src->shape.dtype](samples, cols * channels, row);
        find_bins(e, samples, row, cols * channels, bin);
        e->device->kernels->equalize->mix(row, bin, cols, (int)channels, e->dst->shape.alpha, e->column,
                                          &levels);
        rows->store[e->dst->shape.dtype](row, cols * channels, e->store, halo_at(e->dst, 0, y), &clipped);
    }
    cpu_count_clipped(e->device, clipped);
}

/* One table for all of the image: levels are looked up as they come, with what they are stored as. */
static bool is_one(const Equalize *e)
{
    return e->how->tiles_x == 1 && e->how->tiles_y == 1 && !e->how->mixed && e->sets == 1 &&
           e->src->shape.dtype != HALO_F32;
}

static void make_look(Equalize *e)
{
    const CpuBetween alone = {0, 0, 0.0f};
    const CpuLevels levels = levels_at(e, 0);
    float level[LEVELS_AT_ONCE];
    uint32_t bin[LEVELS_AT_ONCE];
    for (int64_t at = 0; at < e->how->bins; at += LEVELS_AT_ONCE) {
        for (int i = 0; i < LEVELS_AT_ONCE; i++) {
            bin[i] = (uint32_t)(at + i);
            level[i] = (float)bin[i];
            e->device->kernels->equalize->mix(&level[i], &bin[i], 1, 1, -1, &alone, &levels);
        }
        cpu_tables_set(&e->look, &e->look.points, at, level, LEVELS_AT_ONCE, e->store);
    }
    cpu_tables_set_straight(&e->look, e->store);
}

static void look_task(void *context, int64_t index, int worker)
{
    const Equalize *e = context;
    uint64_t clipped = 0;
    (void)worker;
    for (int64_t y = index * ROWS_PER_TASK; y < least((index + 1) * ROWS_PER_TASK, e->dst->rows); y++)
        cpu_tables_look(&e->look, halo_at(e->src, 0, y), e->dst->cols, halo_at(e->dst, 0, y), &clipped);
    cpu_count_clipped(e->device, clipped);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

static HaloStatus prepare(Equalize *e, int workers)
{
    HaloStatus status = HALO_OK;
    const HaloEqualize *how = e->how;
    const int64_t channels = e->src->shape.channels;
    const bool real = e->src->shape.dtype == HALO_F32;
    int64_t tables, counters, bins, row, rows, total = 0, at_counter, at_bin, at_table, at_column, at_row,
                                               at_look;
    void *scratch;
    e->counters = how->bins + (real ? OTHERS : 0);
    e->copies = how->bins <= 4096 ? 4 : 1;
    if (!halo_mul(how->tiles_x, how->tiles_y, &tables) || !halo_mul(tables, e->sets, &tables) ||
        !halo_mul(tables, how->bins, &tables) || !halo_mul(e->counters * e->copies, channels, &counters) ||
        !halo_mul(counters, workers, &counters) ||
        !halo_mul(larger_of(how->tile_width, e->dst->cols), channels, &e->bin_pitch) ||
        !halo_mul(e->bin_pitch, workers, &bins) || !halo_mul(e->dst->cols, channels, &row) ||
        !halo_mul(row, workers, &rows) || tables > INT32_MAX ||
        !cpu_reserve(&total, counters, sizeof(uint64_t), &at_counter) ||
        !cpu_reserve(&total, bins, sizeof(uint32_t), &at_bin) ||
        !cpu_reserve(&total, tables, sizeof(float), &at_table) ||
        !cpu_reserve(&total, e->dst->cols, sizeof(CpuBetween), &at_column) ||
        !cpu_reserve(&total, rows, sizeof(float), &at_row) ||
        !cpu_reserve(&total, is_one(e) ? cpu_tables_bytes(e->src, e->dst) : 0, 1, &at_look))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld x %lld tables of %lld levels",
                  (long long)how->tiles_x, (long long)how->tiles_y, (long long)how->bins);
    HALO_TRY(cpu_scratch(e->device, total, &scratch));
    e->counter = (uint64_t *)(void *)((char *)scratch + at_counter);
    e->bin = (uint32_t *)(void *)((char *)scratch + at_bin);
    e->table = (float *)(void *)((char *)scratch + at_table);
    e->column = (CpuBetween *)(void *)((char *)scratch + at_column);
    e->row = (float *)(void *)((char *)scratch + at_row);
    e->row_pitch = row;
    if (is_one(e)) cpu_tables_place(&e->look, e->device, e->src, e->dst, (char *)scratch + at_look);
    for (int64_t x = 0; x < e->dst->cols; x++) {
        int64_t before, behind;
        halo_tiles_around(x, how->tile_width, how->tiles_x, how->mixed, &before, &behind, &e->column[x].share);
        e->column[x].before = (int32_t)(before * e->sets * how->bins);
        e->column[x].behind = (int32_t)(behind * e->sets * how->bins);
    }
out:
    return status;
}

HaloStatus cpu_equalize(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    const int64_t levels = src->shape.dtype == HALO_U8 ? 256 : 65536;
    Equalize e = {.src = src, .dst = dst, .how = equalize, .store = store, .device = device};
    if (src->shape.dtype > HALO_F32 || dst->shape.dtype > HALO_F32 || !halo_buf_is_whole(src) ||
        !halo_buf_is_whole(dst) || src->cols != dst->cols || src->rows != dst->rows ||
        src->shape.channels != dst->shape.channels || equalize->bins != levels || equalize->tiles_x < 1 ||
        equalize->tiles_y < 1 || equalize->tile_width < 1 || equalize->tile_height < 1)
        HALO_FAIL(HALO_ERR_BUG, "internal: the tiles or levels of an equalization do not suit its source");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    const HaloBuf src_row = cpu_as_one_row(src);
    HaloBuf dst_row = cpu_as_one_row(dst);
    HaloEqualize one = *equalize;
    one.tile_width = src_row.cols;
    one.tile_height = 1;
    /* Not if levels are mixed: the weights are of places in the tile. */
    if (cpu_are_narrow(src, dst) && !one.mixed && one.tiles_x == 1 && one.tiles_y == 1 &&
        equalize->tile_width == src->cols && equalize->tile_height == src->rows) {
        e.src = &src_row;
        e.dst = dst = &dst_row;
        e.how = &one;
    }
    e.sets = equalize->joint ? 1 : src->shape.channels;
    const double samples = (double)src->cols * (double)src->rows * src->shape.channels;
    const int workers = cpu_workers(device, samples * 8);
    HALO_TRY(prepare(&e, workers));
    count_all(&e, workers);
    if (is_one(&e)) make_look(&e);
    cpu_run(device, workers, divide_up(dst->rows, ROWS_PER_TASK), is_one(&e) ? look_task : rows_task, &e);
out:
    return status;
}
