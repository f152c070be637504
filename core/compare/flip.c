/* FLIP of pictures of low dynamic range: P. Andersson, J. Nilsson, T. Akenine-Möller, M. Oskarsson, K. Åström,
 * M. D. Fairchild, "FLIP: A difference evaluator for alternating images", 2020; constants as in its reference
 * implementation. All filters are separable: columns first, then rows; samples beyond the edges are those at
 * them. */
#include <math.h>
#include <stdlib.h>

#include "colour.h"
#include "halo/functions.h"

enum { ROWS = 32, OPPONENTS = 3 };
/* Filters of one axis: contrast sensitivity of luminance, red to green, and blue to yellow in two parts; and a
 * Gaussian for features, which edges and points are the first and second derivatives of. */
typedef enum Filter { LUMA, RED_GREEN, BLUE, BLUE_WIDE, SMOOTH, EDGE, POINT, FILTERS } Filter;
/* What columns, then rows are filtered by: of which opponent. */
enum { PASSES = 8, EDGE_X = 4, EDGE_Y, POINT_X, POINT_Y };
static const struct {
    Filter down, along;
    int opponent;
} pass[PASSES] = {{LUMA, LUMA, 0},   {RED_GREEN, RED_GREEN, 1}, {BLUE, BLUE, 2},    {BLUE_WIDE, BLUE_WIDE, 2},
                  {SMOOTH, EDGE, 0}, {EDGE, SMOOTH, 0},         {SMOOTH, POINT, 0}, {POINT, SMOOTH, 0}};

typedef struct Work {
    const Pair *pair;
    Colours of[2];
    int64_t width, height, reach; /* of the widest filter */
    int64_t radius[FILTERS];
    double *tap[FILTERS]; /* at the centre */
    double farthest;      /* the difference of the most different colours */
    double *scratch, *sum;
    int64_t of_worker;
} Work;

/* ---- filters -------------------------------------------------------------------------------------------- */

static void fill_gauss(Work *work, Filter filter, double factor)
{
    for (int64_t k = -work->radius[filter]; k <= work->radius[filter]; k++)
        work->tap[filter][k] = exp(-(double)(k * k) * factor);
}

static double sum_of(const Work *work, Filter filter, bool (*counts)(double))
{
    double sum = 0.0;
    for (int64_t k = -work->radius[filter]; k <= work->radius[filter]; k++)
        if (counts == NULL || counts(work->tap[filter][k])) sum += work->tap[filter][k];
    return sum;
}

static void scale(Work *work, Filter filter, double above, double below)
{
    for (int64_t k = -work->radius[filter]; k <= work->radius[filter]; k++)
        work->tap[filter][k] /= work->tap[filter][k] > 0.0 ? above : below;
}

static bool is_above(double v) { return v > 0.0; }
static bool is_below(double v) { return v < 0.0; }

static const double pi = 3.141592653589793;

static void fill_contrast(Work *work, double ppd)
{
    static const double wide[] = {[LUMA] = 0.0047, [RED_GREEN] = 0.0053, [BLUE] = 0.04, [BLUE_WIDE] = 0.025};
    static const double high[] = {[BLUE] = 34.1, [BLUE_WIDE] = 13.5};
    double weight[FILTERS] = {0}, total = 0.0;
    for (int f = LUMA; f <= BLUE_WIDE; f++) {
        fill_gauss(work, (Filter)f, pi * pi / (wide[f] * ppd * ppd));
        const double sum = sum_of(work, (Filter)f, NULL);
        if (f < BLUE) {
            scale(work, (Filter)f, sum, sum);
            continue;
        }
        weight[f] = high[f] * sqrt(pi / wide[f]);
        total += weight[f] * sum * sum;
    }
    for (int f = BLUE; f <= BLUE_WIDE; f++) {
        const double by = 1.0 / sqrt(weight[f] / total);
        scale(work, (Filter)f, by, by);
    }
}

static void fill_features(Work *work, double sd)
{
    const double factor = 1.0 / (2.0 * sd * sd);
    for (int f = SMOOTH; f <= POINT; f++) fill_gauss(work, (Filter)f, factor);
    for (int64_t k = -work->radius[SMOOTH]; k <= work->radius[SMOOTH]; k++) {
        work->tap[EDGE][k] *= -(double)k;
        work->tap[POINT][k] *= (double)(k * k) / (sd * sd) - 1.0;
    }
    const double sum = sum_of(work, SMOOTH, NULL);
    scale(work, SMOOTH, sum, sum);
    for (int f = EDGE; f <= POINT; f++)
        scale(work, (Filter)f, sum_of(work, (Filter)f, is_above), -sum_of(work, (Filter)f, is_below));
}

/* ---- colours -------------------------------------------------------------------------------------------- */

static const double of_red[3] = {10135552.0 / 24577794.0, 2613072.0 / 12288897.0, 1425312.0 / 73733382.0};
static const double of_green[3] = {8788810.0 / 24577794.0, 8788810.0 / 12288897.0, 8788810.0 / 73733382.0};
static const double of_blue[3] = {4435075.0 / 24577794.0, 887015.0 / 12288897.0, 70074185.0 / 73733382.0};
static const double d65[3] = {0.950428545, 1.0, 1.088900371};

/* XYZ relative to D65. */
static void relative(double r, double g, double b, double xyz[3])
{
    for (int i = 0; i < 3; i++) xyz[i] = (of_red[i] * r + of_green[i] * g + of_blue[i] * b) / d65[i];
}

static double curved(double t)
{
    const double d = 6.0 / 29.0;
    return t > 0.00885645167904 ? colour_cube_root(t) : t / (3.0 * d * d) + 4.0 / 29.0;
}

/* Lab with Hunt's adjustment, of linear sRGB. */
static void adjusted(double r, double g, double b, double lab[3])
{
    double xyz[3];
    relative(r, g, b, xyz);
    const double fx = curved(xyz[0]), fy = curved(xyz[1]), fz = curved(xyz[2]);
    lab[0] = 116.0 * fy - 16.0;
    lab[1] = 0.01 * lab[0] * (500.0 * (fx - fy));
    lab[2] = 0.01 * lab[0] * (200.0 * (fy - fz));
}

static double clipped(double v) { return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v; }

/* The same of YCxCz. */
static void adjusted_opponents(double y, double cx, double cz, double lab[3])
{
    const double v = (y + 16.0) / 116.0;
    const double x = (v + cx / 500.0) * d65[0], z = (v - cz / 200.0) * d65[2];
    adjusted(clipped(3.241003232976358 * x + -1.537398969488785 * v + -0.498615881996363 * z),
             clipped(-0.969224252202516 * x + 1.875929983695176 * v + 0.041554226340085 * z),
             clipped(0.055639419851975 * x + -0.204011206123910 * v + 1.057148977187533 * z), lab);
}

/* HyAB to the power of 0.7. */
static double apart(const double lab[3], const double other[3])
{
    const double a = lab[1] - other[1], b = lab[2] - other[2];
    return halo_function_pow(fabs(lab[0] - other[0]) + sqrt(a * a + b * b), 0.7);
}

/* ---- rows ----------------------------------------------------------------------------------------------- */

/* YCxCz of a row, three rows of samples in place of linear light. */
static void to_opponents(double *light, int64_t width)
{
    double *const r = light, *const g = light + width, *const b = light + 2 * width;
    for (int64_t x = 0; x < width; x++) {
        double xyz[3];
        relative(r[x], g[x], b[x], xyz);
        r[x] = 116.0 * xyz[1] - 16.0;
        g[x] = 500.0 * (xyz[0] - xyz[1]);
        b[x] = 200.0 * (xyz[1] - xyz[2]);
    }
}

/* One pass of one output row: `rows` are the opponents of rows around it, `line` has the row with its edges. */
static void filter(const Work *work, int p, double *const *rows, double *line, double *out)
{
    const int64_t w = work->width, down = work->radius[pass[p].down], along = work->radius[pass[p].along];
    const int64_t offset = pass[p].opponent * w, reach = work->reach;
    const bool feature = p >= EDGE_X; /* of luminance from 0 to 1 */
    double *restrict const mid = line + reach;
    for (int64_t x = 0; x < w; x++) mid[x] = 0.0;
    for (int64_t k = -down; k <= down; k++) {
        const double tap = work->tap[pass[p].down][k];
        const double *restrict const from = rows[k] + offset;
        for (int64_t x = 0; x < w; x++) mid[x] += tap * from[x];
    }
    for (int64_t k = 1; k <= reach; k++) {
        mid[-k] = mid[0];
        mid[w - 1 + k] = mid[w - 1];
    }
    for (int64_t x = 0; x < w; x++) out[x] = 0.0;
    for (int64_t k = -along; k <= along; k++) {
        const double tap = work->tap[pass[p].along][k];
        const double *restrict const from = mid + k;
        for (int64_t x = 0; x < w; x++) out[x] += tap * from[x];
    }
    for (int64_t x = 0; x < w && feature; x++) out[x] /= 116.0; /* derivatives, so that 16 / 116 falls away */
}

static double length(double x, double y) { return sqrt(x * x + y * y); }

/* The error of pixel x, from the filtered rows of both pictures. */
static double error_of(const Work *work, const double *a, const double *b, int64_t x)
{
    const int64_t w = work->width;
    const double *const row[2] = {a + x, b + x};
    double lab[2][3], edge[2], point[2];
    for (int k = 0; k < 2; k++) {
        const double *const v = row[k];
        adjusted_opponents(v[0], v[w], v[2 * w] + v[3 * w], lab[k]);
        edge[k] = length(v[EDGE_X * w], v[EDGE_Y * w]);
        point[k] = length(v[POINT_X * w], v[POINT_Y * w]);
    }
    const double near = 0.4 * work->farthest, colour = apart(lab[0], lab[1]);
    const double error =
        colour < near ? 0.95 / near * colour : 0.95 + (colour - near) / (work->farthest - near) * (1.0 - 0.95);
    const double of_edges = fabs(edge[0] - edge[1]), of_points = fabs(point[0] - point[1]);
    const double feature = sqrt(0.7071067811865475 * (of_edges > of_points ? of_edges : of_points));
    return halo_function_pow(error, 1.0 - feature);
}

static void compare_rows(void *context, int64_t task, int worker)
{
    const Work *work = context;
    const int64_t w = work->width, reach = work->reach, first = task * ROWS;
    const int64_t end = smaller(first + ROWS, work->height), kept = ROWS + 2 * reach;
    double *at = work->scratch + worker * work->of_worker, *opponents[2], *filtered[2];
    double **const rows = (double **)(void *)at;
    at += kept;
    for (int k = 0; k < 2; k++) {
        opponents[k] = at;
        filtered[k] = at + kept * OPPONENTS * w;
        at = filtered[k] + PASSES * w;
    }
    double *const line = at, *const samples = line + w + 2 * reach;
    for (int k = 0; k < 2; k++)
        for (int64_t y = larger(first - reach, 0); y < smaller(end + reach, work->height); y++) {
            double *const row = opponents[k] + (y - first + reach) * OPPONENTS * w;
            colours_row(&work->of[k], y, samples, row);
            to_opponents(row, w);
        }
    for (int64_t y = first; y < end; y++) {
        double sum = 0.0;
        for (int k = 0; k < 2; k++) {
            for (int64_t r = y - reach; r <= y + reach; r++)
                rows[r - y + reach] =
                    opponents[k] + (larger(smaller(r, work->height - 1), 0) - first + reach) * OPPONENTS * w;
            for (int p = 0; p < PASSES; p++) filter(work, p, rows + reach, line, filtered[k] + p * w);
        }
        for (int64_t x = 0; x < w; x++) sum += error_of(work, filtered[0], filtered[1], x);
        work->sum[y] = sum;
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

/* Sets the sizes of everything; the number of samples that are needed. */
static int64_t lay_out(Work *work, double ppd)
{
    const HaloShape *shape = &work->pair->a->shape;
    const double sd = 0.5 * 0.082 * ppd;
    int64_t taps = 0;
    work->width = shape->width;
    work->height = shape->height;
    for (int f = 0; f < FILTERS; f++) {
        const double reach = f < SMOOTH ? ceil(3.0 * sqrt(0.04 / (2.0 * pi * pi)) * ppd) : ceil(3.0 * sd);
        work->radius[f] = (int64_t)reach;
        work->reach = larger(work->reach, work->radius[f]);
        taps += 2 * work->radius[f] + 1;
    }
    const int64_t kept = ROWS + 2 * work->reach;
    work->of_worker = kept + 2 * (kept * OPPONENTS + PASSES) * shape->width +
                      (1 + shape->channels) * shape->width + 2 * work->reach;
    return work->of_worker * work->pair->jobs + shape->height + taps;
}

static void prepare(Work *work, double *memory, double ppd)
{
    static const double green[3] = {0.0, 1.0, 0.0}, blue[3] = {0.0, 0.0, 1.0};
    double lab[3], other[3];
    work->scratch = memory;
    work->sum = work->scratch + work->of_worker * work->pair->jobs;
    double *tap = work->sum + work->height;
    for (int f = 0; f < FILTERS; f++) {
        work->tap[f] = tap + work->radius[f];
        tap += 2 * work->radius[f] + 1;
    }
    fill_contrast(work, ppd);
    fill_features(work, 0.5 * 0.082 * ppd);
    adjusted(green[0], green[1], green[2], lab);
    adjusted(blue[0], blue[1], blue[2], other);
    work->farthest = apart(lab, other);
}

HaloStatus compare_flip(const Pair *pair, double ppd, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    const double white = (double)pair->a->shape.white;
    Work work = {.pair = pair};
    double *memory = NULL, sum = 0.0;
    all->flip = (double)NAN;
    if (!colours_known(pair)) return HALO_OK;
    const int64_t bytes = lay_out(&work, ppd) * (int64_t)sizeof(double);
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    memory = malloc((size_t)bytes);
    if (memory == NULL) {
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory");
        goto release;
    }
    if ((status = colours_open(pair, pair->a, 1.0 / white, &work.of[0])) != HALO_OK) goto release;
    if ((status = colours_open(pair, pair->b, pair->scale / white, &work.of[1])) != HALO_OK) goto release;
    prepare(&work, memory, ppd);
    halo_pool_run(pair->pool, (work.height + ROWS - 1) / ROWS, compare_rows, &work);
    for (int64_t y = 0; y < work.height; y++) sum += work.sum[y];
    all->flip = sum / (double)(work.height * work.width);
release:
    colours_close(pair, &work.of[0]);
    colours_close(pair, &work.of[1]);
    free(memory);
    halo_memory_release(pair->memory, bytes);
out:
    return status;
}
