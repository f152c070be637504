/* The weights of resampling. The position of an output among the samples is computed in integers, so that
 * outputs at the same fractional position get the same weights to the bit. */
#include <math.h>

#include "geometry.h"
#include "halo/resample.h"

static const double pi = 3.14159265358979323846;

/* The sine of whole multiples of pi is not quite 0. */
static double sinc(double x) { return x == 0.0 ? 1.0 : x == floor(x) ? 0.0 : sin(pi * x) / (pi * x); }

double taps_weight(ResampleKernel kernel, double x)
{
    const double a = fabs(x);
    switch (kernel) {
    case RESAMPLE_LANCZOS3: return sinc(x) * sinc(x / 3.0);
    case RESAMPLE_LANCZOS2: return sinc(x) * sinc(x / 2.0);
    case RESAMPLE_CUBIC: /* Catmull and Rom's */
        return a < 1.0 ? (1.5 * a - 2.5) * a * a + 1.0 : ((2.5 - 0.5 * a) * a - 4.0) * a + 2.0;
    case RESAMPLE_MITCHELL: /* and Netravali's, B = C = 1/3 */
        return a < 1.0 ? ((7.0 * a - 12.0) * a * a + 16.0 / 3.0) / 6.0
                       : (((12.0 - 7.0 / 3.0 * a) * a - 20.0) * a + 32.0 / 3.0) / 6.0;
    default: return 1.0 - a;
    }
}

static int64_t radius_of(ResampleKernel kernel)
{
    switch (kernel) {
    case RESAMPLE_LANCZOS3: return 3;
    case RESAMPLE_LINEAR: return 1;
    default: return 2;
    }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b rounded down, b > 0. */
static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* From `length` samples to `size`. Where the source is shrunk both are counted in shares of a sample: it has
 * `there`, and `made` are made. */
typedef struct Sizes {
    int64_t length, size, there, made;
    ResampleKernel kernel;
} Sizes;

/* The samples that output i would read if the source had no ends: the first and the last. Sample j lies
 * (2 size j + size - (2 i + 1) length) / (2 size) from the output's centre. */
static void reach(const Sizes *s, int64_t i, int64_t *first, int64_t *last)
{
    const int64_t n = s->length, m = s->size, centre = (2 * i + 1) * n;
    if (n == m) {
        *first = *last = i;
    } else if (s->kernel == RESAMPLE_NEAREST) {
        *first = *last = centre / (2 * m);
    } else if (s->kernel == RESAMPLE_AREA) {
        *first = i * n / m;
        *last = ((i + 1) * n - 1) / m;
    } else {
        const int64_t wide = 2 * radius_of(s->kernel) * most(n, m);
        *first = floor_div(centre - m - wide, 2 * m) + 1;
        *last = -floor_div(m - centre - wide, 2 * m) - 1;
    }
}

static double weight_of(const Sizes *s, int64_t i, int64_t j)
{
    const int64_t n = s->length, m = s->size;
    if (n == m || s->kernel == RESAMPLE_NEAREST) return 1.0;
    if (s->kernel == RESAMPLE_AREA) return (double)(least((j + 1) * m, (i + 1) * n) - most(j * m, i * n));
    return taps_weight(s->kernel, (double)(2 * m * j + m - (2 * i + 1) * n) / (double)(2 * most(n, m)));
}

/* One row of the table: output i, whose taps are cut off by the ends of the source. */
static void make_row(const void *rule, int64_t i, int64_t *first, int64_t *count, float *tap)
{
    const Sizes *s = rule;
    int64_t last;
    double sum = 0.0;
    reach(s, i, first, &last);
    *first = most(*first, 0);
    *count = least(last, s->there - 1) - *first + 1;
    for (int64_t j = 0; tap != NULL && j < *count; j++) sum += weight_of(s, i, *first + j);
    for (int64_t j = 0; tap != NULL && j < *count; j++) tap[j] = (float)(weight_of(s, i, *first + j) / sum);
}

/* How many outputs at each end have fewer taps than the others, and how these repeat. */
static void find_ends(const Sizes *s, HaloResampleAxis *axis)
{
    const int64_t shared = halo_common_divisor(s->length, s->size);
    int64_t first, last;
    *axis = (HaloResampleAxis){
        .length = s->there, .size = s->made, .up = s->size / shared, .down = s->length / shared};
    for (; axis->left < s->made; axis->left++) {
        reach(s, axis->left, &first, &last);
        if (first >= 0) break;
    }
    for (; axis->right < s->made - axis->left; axis->right++) {
        reach(s, s->made - 1 - axis->right, &first, &last);
        if (last < s->there) break;
    }
    if (halo_resample_rows(axis) < s->made) return;
    axis->left = s->made;
    axis->right = axis->up = 0;
}

/* The output that a row of the table stands for. */
static int64_t output_of(const HaloResampleAxis *axis, int64_t row)
{
    const int64_t from_right = row - axis->left - axis->up;
    return from_right < 0 ? row : axis->size - axis->right + from_right;
}

static HaloStatus make_table(HaloBuilder *builder, const Sizes *s, HaloResampleAxis *axis)
{
    const int64_t rows = halo_resample_rows(axis);
    int64_t *first = halo_build_keep(builder, (size_t)rows * sizeof *first);
    int64_t *count = halo_build_keep(builder, (size_t)rows * sizeof *count);
    float *tap = halo_build_keep(builder, (size_t)(rows * axis->taps) * sizeof *tap);
    if (first == NULL || count == NULL || tap == NULL)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld rows of %lld taps", (long long)rows,
                         (long long)axis->taps);
    for (int64_t row = 0; row < rows; row++)
        make_row(s, output_of(axis, row), &first[row], &count[row], tap + row * axis->taps);
    axis->first = first;
    axis->count = count;
    axis->tap = tap;
    return HALO_OK;
}

HaloStatus taps_resample(HaloBuilder *builder, int64_t length, int64_t shrunk, int64_t size,
                         ResampleKernel kernel, HaloResampleAxis *axis, HaloResampleRule *rule)
{
    const Sizes s = {length, size * shrunk, (length + shrunk - 1) / shrunk, size, kernel};
    find_ends(&s, axis);
    const int64_t rows = halo_resample_rows(axis);
    for (int64_t row = 0, first, count; row < rows; row++) {
        make_row(&s, output_of(axis, row), &first, &count, NULL);
        axis->taps = most(axis->taps, count);
    }
    if (rows <= HALO_RESAMPLE_TABLE / halo_resample_row_bytes(axis)) return make_table(builder, &s, axis);
    Sizes *kept = halo_build_keep(builder, sizeof *kept);
    if (kept == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *kept = s;
    *rule = (HaloResampleRule){make_row, kept};
    return HALO_OK;
}
