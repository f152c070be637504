/* Distances to the nearest 0: along columns first, then, from these, along rows (A. Meijster, J. Roerdink and
 * W. Hesselink, 2000), in integers. */
#include <math.h>
#include <string.h>

#include "primitives.h"
#include "runs.h"

#define STRIP_COLS 512
#define TASK_ROWS 16
/* More than any distance, which adds up without overflow. */
#define FAR (1 << 28)
#define MOST_SIDE (1 << 26)  /* squares are exact in f64 */
#define SHORT_SIDE (1 << 20) /* products in the search of the envelope are less than 2^63 */

typedef struct Distance {
    const HaloBuf *src;
    HaloBuf *dst;
    HaloMetric metric;
    HaloStore store;
    HaloDevice *device;
    int channel;
    bool wide;
    bool tall;     /* columns need 32 bits; else 16 */
    void *column;  /* [height][width] distances along columns; the greatest number of the type: there is none */
    uint8_t *flag; /* [workers][STRIP_COLS] */
    char *line;    /* [workers] */
    int64_t at_row, at_column, at_square, at_site, at_cost, line_bytes;
} Distance;

/* What the pass along a row keeps. */
typedef struct Line {
    float *row;      /* [width * channels] */
    int32_t *column; /* [width] distances along columns; FAR: there is none */
    int32_t *square; /* [width + …] their squares, as `nearest` takes them */
    int32_t *site;   /* [width + 1] pixels that are nearest to some of the row, */
    int64_t *cost;   /* [width + 1] and what they say of the distance */
} Line;

/* ---- columns -------------------------------------------------------------------------------------------- */

/* Down, then up again; sums stop at `top`, which stands for no distance at all. */
#define COLUMNS(type, top)                                                                                   \
    do {                                                                                                     \
        type *const column = (type *)d->column + x;                                                          \
        for (int64_t y = 0; y < height; y++) {                                                               \
            type *const here = column + y * width, *const above = here - width;                              \
            cpu_flags(&part, y, d->channel, HALO_REGIONS_FOREGROUND, 0.0, flag);                             \
            if (y == 0)                                                                                      \
                for (int64_t i = 0; i < n; i++) here[i] = flag[i] ? top : 0;                                 \
            else                                                                                             \
                for (int64_t i = 0; i < n; i++) here[i] = flag[i] ? (type)(above[i] + (above[i] < top)) : 0; \
        }                                                                                                    \
        for (int64_t y = height - 2; y >= 0; y--) {                                                          \
            type *const here = column + y * width, *const below = here + width;                              \
            for (int64_t i = 0; i < n; i++) {                                                                \
                const type next = (type)(below[i] + (below[i] < top));                                       \
                here[i] = here[i] < next ? here[i] : next;                                                   \
            }                                                                                                \
        }                                                                                                    \
    } while (0)

#define NONE16 INT16_MAX

static void column_task(void *context, int64_t strip, int worker)
{
    const Distance *d = context;
    const int64_t width = d->src->cols, height = d->src->rows, x = strip * STRIP_COLS,
                  n = least(STRIP_COLS, width - x);
    uint8_t *const flag = d->flag + worker * STRIP_COLS;
    HaloBuf part = *d->src;
    part.data = halo_at(d->src, x, 0);
    part.cols = n;
    if (d->tall)
        COLUMNS(int32_t, FAR);
    else
        COLUMNS(int16_t, NONE16);
}

static void load_column(const Distance *d, int64_t y, int32_t *column)
{
    const int64_t width = d->src->cols;
    if (d->tall) {
        memcpy(column, (const int32_t *)d->column + y * width, (size_t)width * sizeof *column);
        return;
    }
    const int16_t *const from = (const int16_t *)d->column + y * width;
    for (int64_t x = 0; x < width; x++) column[x] = from[x] == NONE16 ? FAR : from[x];
}

/* ---- Euclid --------------------------------------------------------------------------------------------- */

static inline int64_t square(int64_t a) { return a * a; }

/* Does the line from point a to c pass below b, so that b is nearest nowhere? */
static inline bool passes_below(const Line *line, int64_t b, int32_t site, int64_t cost, bool wide)
{
    __extension__ typedef __int128 Wide;
    const int64_t up = line->cost[b] - line->cost[b - 1], more = cost - line->cost[b];
    const int64_t before = line->site[b] - line->site[b - 1], behind = site - line->site[b];
    return wide ? (Wide)up * behind >= (Wide)more * before : up * behind >= more * before;
}

/* Sites are the lower hull of the points (x, x² + column²), as a distance is x² + cost - 2 x site. */
static inline int64_t add_site(const Line *line, int64_t sites, int64_t x, int64_t column, bool wide)
{
    const int64_t cost = square(x) + square(column);
    while (sites > 1 && passes_below(line, sites - 1, (int32_t)x, cost, wide)) sites--;
    line->site[sites] = (int32_t)x;
    line->cost[sites] = cost;
    return sites + 1;
}

/* Both are the correctly rounded root of the integer. */
static inline float root_of(int64_t squared)
{
    return squared < 1 << 24 ? sqrtf((float)squared) : (float)sqrt((double)squared);
}

/* Pixels [from, upto), between two that are 0, or the ends of the row. */
static inline void euclid_between(const Distance *d, const Line *line, const int32_t *column, int64_t from,
                                  int64_t upto, float *out, bool wide)
{
    const int64_t width = d->src->cols, channels = d->src->shape.channels;
    int64_t sites = 0, at = 0;
    if (from > 0) sites = add_site(line, sites, from - 1, 0, wide);
    for (int64_t x = from; x < upto; x++)
        if (column[x] < FAR) sites = add_site(line, sites, x, column[x], wide);
    if (upto < width) sites = add_site(line, sites, upto, 0, wide);
    for (int64_t x = from; x < upto; x++) {
        if (sites == 0) {
            out[x * channels] = INFINITY;
            continue;
        }
        while (at + 1 < sites &&
               line->cost[at + 1] - line->cost[at] <= 2 * x * (int64_t)(line->site[at + 1] - line->site[at]))
            at++;
        out[x * channels] = root_of(square(x) + line->cost[at] - 2 * x * line->site[at]);
    }
}

/* Squares up to here are exact floats, and add up without overflow. */
#define NEAR_SIDE 4096

/* Where no pixel is far from a 0 along its row and column, all offsets are tried, of many pixels at once. */
static bool try_near(const Distance *d, const Line *line, float *out)
{
    const int64_t width = d->src->cols;
    int32_t *const square = line->square + CPU_NEAREST_REACH;
    if (d->src->shape.channels > 1) return false;
    for (int64_t x = 0; x < width; x++)
        square[x] = line->column[x] < NEAR_SIDE ? line->column[x] * line->column[x] : CPU_NEAREST_FAR;
    return d->device->kernels->regions->nearest(square, width, out);
}

static void euclid(const Distance *d, const Line *line, const int32_t *column, float *out)
{
    const int64_t width = d->src->cols, channels = d->src->shape.channels;
    if (try_near(d, line, out)) return;
    for (int64_t x = 0; x < width;) {
        int64_t upto = x;
        if (column[x] == 0) {
            out[x++ * channels] = 0.0f;
            continue;
        }
        while (upto < width && column[upto] != 0) upto++;
        if (d->wide)
            euclid_between(d, line, column, x, upto, out, true);
        else
            euclid_between(d, line, column, x, upto, out, false);
        x = upto;
    }
}

/* ---- the others ----------------------------------------------------------------------------------------- */

static float finite(int64_t distance) { return distance >= FAR ? INFINITY : (float)distance; }

static void taxicab(const Distance *d, const Line *line, const int32_t *column, float *out)
{
    const int64_t width = d->src->cols, channels = d->src->shape.channels;
    int32_t *const nearest = line->site;
    for (int64_t x = 0; x < width; x++)
        nearest[x] = x > 0 && nearest[x - 1] + 1 < column[x] ? nearest[x - 1] + 1 : column[x];
    for (int64_t x = width - 1; x >= 0; x--) {
        if (x + 1 < width && nearest[x + 1] + 1 < nearest[x]) nearest[x] = nearest[x + 1] + 1;
        out[x * channels] = finite(nearest[x]);
    }
}

static int64_t chessboard_from(const int32_t *column, int64_t x, int64_t site)
{
    const int64_t along = x < site ? site - x : x - site;
    return along > column[site] ? along : column[site];
}

/* The last pixel that is not nearer to the later one of two sites. */
static int64_t last_of(const int32_t *column, int64_t a, int64_t b)
{
    const int64_t middle = (a + b) / 2;
    if (column[a] <= column[b]) return most(a + column[b], middle);
    return least(b - column[a], middle);
}

/* Site k is nearest to the pixels from cost[k] on. */
static void chessboard(const Distance *d, const Line *line, const int32_t *column, float *out)
{
    const int64_t width = d->src->cols, channels = d->src->shape.channels;
    int32_t *const site = line->site;
    int64_t *const from = line->cost, last = 0;
    site[0] = 0;
    from[0] = 0;
    for (int64_t x = 1; x < width; x++) {
        while (last >= 0 &&
               chessboard_from(column, from[last], site[last]) > chessboard_from(column, from[last], x))
            last--;
        const int64_t begin = last < 0 ? 0 : 1 + last_of(column, site[last], x);
        if (begin >= width) continue;
        site[++last] = (int32_t)x;
        from[last] = begin;
    }
    for (int64_t x = width - 1; x >= 0; x--) {
        out[x * channels] = finite(chessboard_from(column, x, site[last]));
        if (x == from[last]) last--;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* What lies beside the squares is far. */
static void pad_squares(const Distance *d, int32_t *square)
{
    const int64_t width = d->src->cols, end = width + 2 * CPU_NEAREST_REACH;
    for (int64_t x = 0; x < CPU_NEAREST_REACH; x++) square[x] = CPU_NEAREST_FAR;
    for (int64_t x = CPU_NEAREST_REACH + width; x < end; x++) square[x] = CPU_NEAREST_FAR;
}

static void row_task(void *context, int64_t task, int worker)
{
    const Distance *d = context;
    const CpuRowKernels *kernels = d->device->kernels->rows;
    const int64_t width = d->src->cols, n = width * d->src->shape.channels;
    char *const own = d->line + worker * d->line_bytes;
    const Line line = {(float *)(void *)(own + d->at_row), (int32_t *)(void *)(own + d->at_column),
                       (int32_t *)(void *)(own + d->at_square), (int32_t *)(void *)(own + d->at_site),
                       (int64_t *)(void *)(own + d->at_cost)};
    uint64_t clipped = 0;
    pad_squares(d, line.square);
    for (int64_t y = task * TASK_ROWS; y < least((task + 1) * TASK_ROWS, d->src->rows); y++) {
        load_column(d, y, line.column);
        if (d->src->shape.channels > 1) kernels->load[d->src->shape.dtype](halo_at(d->src, 0, y), n, line.row);
        float *const out = line.row + d->channel;
        if (d->metric == HALO_METRIC_EUCLID)
            euclid(d, &line, line.column, out);
        else if (d->metric == HALO_METRIC_TAXICAB)
            taxicab(d, &line, line.column, out);
        else
            chessboard(d, &line, line.column, out);
        kernels->store[d->dst->shape.dtype](line.row, n, d->store, halo_at(d->dst, 0, y), &clipped);
    }
    cpu_count_clipped(d->device, clipped);
}

static HaloStatus prepare(Distance *d, int workers)
{
    HaloStatus status = HALO_OK;
    const int64_t width = d->src->cols, height = d->src->rows;
    int64_t total = 0, at_column, at_flag, at_line, pixels;
    void *scratch;
    if (width >= MOST_SIDE || height >= MOST_SIDE || !halo_mul(width, height, &pixels) ||
        !cpu_reserve(&d->line_bytes, width * d->src->shape.channels, sizeof(float), &d->at_row) ||
        !cpu_reserve(&d->line_bytes, width, sizeof(int32_t), &d->at_column) ||
        !cpu_reserve(&d->line_bytes, width + 2 * CPU_NEAREST_REACH, sizeof(int32_t), &d->at_square) ||
        !cpu_reserve(&d->line_bytes, width + 1, sizeof(int32_t), &d->at_site) ||
        !cpu_reserve(&d->line_bytes, width + 1, sizeof(int64_t), &d->at_cost) ||
        !cpu_reserve(&total, pixels, d->tall ? sizeof(int32_t) : sizeof(int16_t), &at_column) ||
        !cpu_reserve(&total, workers, STRIP_COLS, &at_flag) ||
        !cpu_reserve(&total, workers, d->line_bytes, &at_line))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many for distances: crop or resize before",
                  (long long)width, (long long)height);
    HALO_TRY(cpu_scratch(d->device, total, &scratch));
    d->column = (char *)scratch + at_column;
    d->flag = (uint8_t *)scratch + at_flag;
    d->line = (char *)scratch + at_line;
out:
    return status;
}

HaloStatus cpu_distance(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDistance *how,
                        HaloStore store)
{
    HaloStatus status = HALO_OK;
    Distance d = {.src = src, .dst = dst, .metric = how->metric, .store = store, .device = device};
    if (!cpu_are_planes(src, dst)) HALO_FAIL(HALO_ERR_BUG, "internal: distances in buffers that differ");
    if (dst->cols < 1 || dst->rows < 1) goto out;
    const int workers = cpu_workers(device, 8.0 * (double)src->cols * (double)src->rows);
    d.channel = src->shape.alpha == 0;
    d.tall = src->rows >= NONE16;
    d.wide = src->cols > SHORT_SIDE || src->rows > SHORT_SIDE;
    HALO_TRY(prepare(&d, workers));
    cpu_run(device, workers, divide_up(src->cols, STRIP_COLS), column_task, &d);
    cpu_run(device, workers, divide_up(src->rows, TASK_ROWS), row_task, &d);
out:
    return status;
}
