/* CIEDE2000: G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 color-difference formula", 2005. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "halo/functions.h"

#define DEGREE 0.017453292519943295
/* Opposite hues are half a turn apart, whatever rounding says. */
#define HALF_TURN (180.0 + 1e-9)

/* An angle in degrees, 0 to 360; 0 of no chroma. */
static double hue(double a, double b)
{
    if (a == 0.0 && b == 0.0) return 0.0;
    const double angle = halo_function_atan2(b, a) / DEGREE;
    return angle < 0.0 ? angle + 360.0 : angle;
}

static double cosine(double degrees) { return halo_function_cos(degrees * DEGREE); }

/* sqrt(c^7 / (c^7 + 25^7)) */
static double of_chroma(double c)
{
    const double c3 = c * c * c, c7 = c3 * c3 * c;
    return sqrt(c7 / (c7 + 6103515625.0));
}

/* The mean of two hues along the shorter way. */
static double mean_hue(double h1, double h2, bool gray)
{
    const double sum = h1 + h2;
    if (gray) return sum;
    if (fabs(h1 - h2) <= HALF_TURN) return 0.5 * sum;
    return sum < 360.0 ? 0.5 * (sum + 360.0) : 0.5 * (sum - 360.0);
}

double colour_difference(const double lab[3], const double other[3])
{
    const double c_mean =
        0.5 * (sqrt(lab[1] * lab[1] + lab[2] * lab[2]) + sqrt(other[1] * other[1] + other[2] * other[2]));
    const double more = 1.0 + 0.5 * (1.0 - of_chroma(c_mean));
    const double a1 = more * lab[1], a2 = more * other[1];
    const double c1 = sqrt(a1 * a1 + lab[2] * lab[2]), c2 = sqrt(a2 * a2 + other[2] * other[2]);
    const double h1 = hue(a1, lab[2]), h2 = hue(a2, other[2]);
    const bool gray = c1 * c2 == 0.0;
    double turn = gray ? 0.0 : h2 - h1;
    turn = turn > HALF_TURN ? turn - 360.0 : turn < -HALF_TURN ? turn + 360.0 : turn;
    const double dl = other[0] - lab[0], dc = c2 - c1,
                 dh = 2.0 * sqrt(c1 * c2) * halo_function_sin(0.5 * turn * DEGREE);
    const double l = 0.5 * (lab[0] + other[0]) - 50.0, c = 0.5 * (c1 + c2), h = mean_hue(h1, h2, gray);
    const double t = 1.0 - 0.17 * cosine(h - 30.0) + 0.24 * cosine(2.0 * h) + 0.32 * cosine(3.0 * h + 6.0) -
                     0.20 * cosine(4.0 * h - 63.0);
    const double s_l = 1.0 + 0.015 * l * l / sqrt(20.0 + l * l), s_c = 1.0 + 0.045 * c,
                 s_h = 1.0 + 0.015 * c * t;
    const double from_blue = (h - 275.0) / 25.0;
    const double rotation =
        -2.0 * of_chroma(c) * halo_function_sin(60.0 * halo_function_exp(-from_blue * from_blue) * DEGREE);
    const double x = dl / s_l, y = dc / s_c, z = dh / s_h;
    return sqrt(x * x + y * y + z * z + rotation * y * z);
}

/* ---- pictures ------------------------------------------------------------------------------------------- */

typedef struct Work {
    Colours a, b;
    int64_t width, of_worker;
    double *scratch; /* [workers] rows of samples, and two rows of colours */
    double *found;   /* [height][width] */
    double *sum;     /* [height] */
} Work;

static double curved(double t)
{
    return t > 216.0 / 24389.0 ? colour_cube_root(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

/* CIE Lab of linear sRGB, relative to D65 (x = 0.3127, y = 0.3290); the matrix is that of CSS Color 4. */
static void lab_of(double r, double g, double b, double lab[3])
{
    const double x = (506752.0 / 1228815.0) * r + (87881.0 / 245763.0) * g + (12673.0 / 70218.0) * b;
    const double y = (87098.0 / 409605.0) * r + (175762.0 / 245763.0) * g + (12673.0 / 175545.0) * b;
    const double z = (7918.0 / 409605.0) * r + (87881.0 / 737289.0) * g + (1001167.0 / 1053270.0) * b;
    const double fx = curved(x / (0.3127 / 0.3290)), fy = curved(y), fz = curved(z / (0.3583 / 0.3290));
    lab[0] = 116.0 * fy - 16.0;
    lab[1] = 500.0 * (fx - fy);
    lab[2] = 200.0 * (fy - fz);
}

static void compare_row(void *context, int64_t y, int worker)
{
    const Work *work = context;
    const int64_t w = work->width;
    double *const row = work->scratch + worker * work->of_worker, *const a = row + work->of_worker - 6 * w,
                  *const b = a + 3 * w, *const found = work->found + y * w;
    double sum = 0.0;
    colours_row(&work->a, y, row, a);
    colours_row(&work->b, y, row, b);
    for (int64_t x = 0; x < w; x++) {
        double lab[3], other[3];
        const bool same = a[x] == b[x] && a[x + w] == b[x + w] && a[x + 2 * w] == b[x + 2 * w];
        if (!same) lab_of(a[x], a[x + w], a[x + 2 * w], lab);
        if (!same) lab_of(b[x], b[x + w], b[x + 2 * w], other);
        found[x] = same ? 0.0 : colour_difference(lab, other);
        sum += found[x];
    }
    work->sum[y] = sum;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Moves the samples so that number k of the sorted ones is at its place, smaller ones before it. */
static void select_at(double *v, int64_t n, int64_t k)
{
    int64_t from = 0, to = n - 1;
    while (to - from > 64) {
        const double pivot = v[from + (to - from) / 2];
        int64_t i = from, j = to;
        while (i <= j) {
            while (v[i] < pivot) i++;
            while (v[j] > pivot) j--;
            if (i > j) break;
            const double kept = v[i];
            v[i++] = v[j];
            v[j--] = kept;
        }
        if (k <= j)
            to = j;
        else if (k >= i)
            from = i;
        else
            return;
    }
    qsort(v + from, (size_t)(to - from + 1), sizeof *v, by_size);
}

/* As NumPy has it: linear between the two nearest in order. */
static double percentile(double *v, int64_t n, double part)
{
    const double at = part * (double)(n - 1);
    const int64_t k = (int64_t)at;
    select_at(v, n, k);
    double next = v[k];
    if (k + 1 < n) next = v[k + 1];
    for (int64_t i = k + 1; i < n; i++) next = v[i] < next ? v[i] : next;
    return v[k] + (next - v[k]) * (at - (double)k);
}

static void sum_up(const Work *work, int64_t height, HaloComparison *all)
{
    const int64_t n = height * work->width;
    double sum = 0.0, max = 0.0;
    for (int64_t y = 0; y < height; y++) sum += work->sum[y];
    for (int64_t i = 0; i < n; i++) max = work->found[i] > max ? work->found[i] : max;
    if (isnan(sum)) return;
    all->deltae = sum / (double)n;
    all->deltae_max = max;
    all->deltae_95 = percentile(work->found, n, 0.95);
}

HaloStatus compare_colours(const Pair *pair, HaloComparison *all)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &pair->a->shape;
    const double white = (double)shape->white;
    Work work = {.width = shape->width, .of_worker = shape->width * (shape->channels + 6)};
    int64_t bytes =
        (work.of_worker * pair->jobs + shape->height * (shape->width + 1)) * (int64_t)sizeof(double);
    all->deltae = all->deltae_95 = all->deltae_max = (double)NAN;
    if (!colours_known(pair)) return HALO_OK;
    HALO_TRY(halo_memory_hold(pair->memory, bytes));
    work.found = malloc((size_t)bytes);
    if (work.found == NULL) {
        status = halo_fail(HALO_ERR_LIMIT, "not enough memory");
        goto release;
    }
    work.sum = work.found + shape->height * shape->width;
    work.scratch = work.sum + shape->height;
    if ((status = colours_open(pair, pair->a, 1.0 / white, &work.a)) != HALO_OK) goto release;
    if ((status = colours_open(pair, pair->b, pair->scale / white, &work.b)) != HALO_OK) goto release;
    halo_pool_run(pair->pool, shape->height, compare_row, &work);
    sum_up(&work, shape->height, all);
release:
    colours_close(pair, &work.a);
    colours_close(pair, &work.b);
    free(work.found);
    halo_memory_release(pair->memory, bytes);
out:
    return status;
}
