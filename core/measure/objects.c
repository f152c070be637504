/* What is said of regions, from their exact sums: rows of a table whose columns are called as scikit-image's
 * regionprops_table has them. */
#include "halo/objects.h"

#include <math.h>
#include <string.h>

#include "halo/table.h"
#include "measure.h"

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

#define PI 3.14159265358979323846
#define SQRT2 1.41421356237309504880

enum { OF_REGION = 16, OF_CHANNEL = 7, MOST_COLUMNS = OF_REGION + HALO_MAX_OBJECT_CHANNELS * OF_CHANNEL };

#define REGION_COLUMNS                                                                                       \
    "label", "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "centroid-0", "centroid-1",                     \
        "equivalent_diameter_area", "axis_major_length", "axis_minor_length", "orientation", "eccentricity", \
        "perimeter", "euler_number", "touches_border"
#define CHANNEL_COLUMNS(c)                                                                          \
    "intensity_min" c, "intensity_max" c, "intensity_sum" c, "intensity_mean" c, "intensity_std" c, \
        "centroid_weighted-0" c, "centroid_weighted-1" c

static const char *const of_one[OF_REGION + OF_CHANNEL] = {REGION_COLUMNS, CHANNEL_COLUMNS("")};
static const char *const of_several[MOST_COLUMNS] = {
    REGION_COLUMNS, CHANNEL_COLUMNS("-0"), CHANNEL_COLUMNS("-1"), CHANNEL_COLUMNS("-2"), CHANNEL_COLUMNS("-3")};

/* ---- numbers of many words --------------------------------------------------------------------------------
 */

#define MOST_WORDS 12

/* The magnitude of a number of words in two's complement; true where it is negative. */
static bool magnitude_of(const uint64_t *word, int words, uint64_t out[MOST_WORDS])
{
    const bool negative = word[words - 1] >> 63 != 0;
    uint64_t carry = negative;
    memset(out, 0, MOST_WORDS * sizeof *out);
    for (int i = 0; i < words; i++) {
        out[i] = (negative ? ~word[i] : word[i]) + carry;
        carry = carry != 0 && out[i] == 0;
    }
    return negative;
}

/* The number times 2^exponent, rounded to f64 once, half to even. */
static double rounded(const uint64_t word[MOST_WORDS], int exponent)
{
    int top = MOST_WORDS - 1;
    while (top > 0 && word[top] == 0) top--;
    if (word[top] == 0) return 0.0;
    const int zeros = __builtin_clzll(word[top]);
    uint64_t lead = word[top] << zeros, rest = 0;
    if (top > 0 && zeros > 0) lead |= word[top - 1] >> (64 - zeros);
    if (top > 0) rest = word[top - 1] << zeros;
    for (int i = 0; i < top - 1; i++) rest |= word[i];
    /* The last of 64 bits stands for all behind it, far below the place of rounding. */
    lead |= rest != 0;
    return ldexp((double)lead, exponent + 64 * top - zeros);
}

/* a += b * factor, at word `at`. */
static void add_product(uint64_t a[MOST_WORDS], const uint64_t *b, int words, uint64_t factor, int at)
{
    UnsignedWide carry = 0;
    for (int i = 0; at + i < MOST_WORDS; i++) {
        carry += (UnsignedWide)(i < words ? b[i] : 0) * factor + a[at + i];
        a[at + i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* a -= b, which is not greater. */
static void take_away(uint64_t a[MOST_WORDS], const uint64_t b[MOST_WORDS])
{
    uint64_t borrow = 0;
    for (int i = 0; i < MOST_WORDS; i++) {
        const uint64_t take = b[i] + borrow, over = borrow != 0 && take == 0;
        borrow = over || a[i] < take;
        a[i] -= take;
    }
}

static double wide_to_double(Wide value)
{
    uint64_t word[MOST_WORDS] = {0};
    const UnsignedWide size = value < 0 ? -(UnsignedWide)value : (UnsignedWide)value;
    word[0] = (uint64_t)size;
    word[1] = (uint64_t)(size >> 64);
    return value < 0 ? -rounded(word, 0) : rounded(word, 0);
}

static Wide wide_of(HaloWide wide) { return (Wide)((UnsignedWide)wide.high << 64 | wide.low); }

/* ---- places and shapes ----------------------------------------------------------------------------------- */

/* The second central moments, from integers that are rounded once. */
static void add_axes(const HaloObject *o, double *row)
{
    const double n = (double)o->area, squared = n * n;
    const Wide area = (Wide)o->area, x = (Wide)o->x, y = (Wide)o->y;
    const double xx = wide_to_double(area * wide_of(o->xx) - x * x) / squared,
                 yy = wide_to_double(area * wide_of(o->yy) - y * y) / squared,
                 xy = wide_to_double(area * wide_of(o->xy) - x * y) / squared;
    const double middle = (xx + yy) / 2, apart = sqrt(4 * xy * xy + (xx - yy) * (xx - yy)) / 2;
    const double large = middle + apart, small = middle - apart > 0 ? middle - apart : 0.0;
    row[0] = 4 * sqrt(large);
    row[1] = 4 * sqrt(small);
    row[2] = xx == yy ? (xy > 0 ? PI / 4 : -PI / 4) : 0.5 * atan2(2 * xy, yy - xx);
    row[3] = large == 0 ? 0.0 : sqrt(1 - small / large);
}

static void add_region(const HaloObject *o, int64_t label, const HaloShape *shape, double *row)
{
    const double area = (double)o->area;
    row[0] = (double)label;
    row[1] = area;
    row[2] = o->y0;
    row[3] = o->x0;
    row[4] = o->y1;
    row[5] = o->x1;
    row[6] = (double)o->y / area;
    row[7] = (double)o->x / area;
    row[8] = sqrt(4 * area / PI);
    add_axes(o, row + 9);
    row[13] = o->straight + o->diagonal * SQRT2 + o->corner * ((1 + SQRT2) / 2);
    row[14] = (double)(o->quads / 4);
    row[15] = o->x0 == 0 || o->y0 == 0 || o->x1 == shape->width || o->y1 == shape->height;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

/* What all types have in common: n samples, and their sums, in words of 2^-149 and 2^-298. */
typedef struct Sums {
    uint64_t n;
    uint64_t sum[MOST_WORDS], squares[MOST_WORDS], x[MOST_WORDS], y[MOST_WORDS];
    bool negative, x_negative, y_negative;
    int unit; /* of the sums: 2^unit; of squares, twice */
} Sums;

static double signed_of(const uint64_t word[MOST_WORDS], bool negative, int unit)
{
    return negative ? -rounded(word, unit) : rounded(word, unit);
}

/* The root of (n * squares - sum * sum) / (n * n), whose numerator is exact. */
static double deviation(const Sums *s)
{
    uint64_t n_squares[MOST_WORDS] = {0}, squared[MOST_WORDS] = {0};
    const double n = (double)s->n;
    add_product(n_squares, s->squares, MOST_WORDS, s->n, 0);
    for (int i = 0; i < HALO_SUM_WORDS; i++) add_product(squared, s->sum, HALO_SUM_WORDS, s->sum[i], i);
    take_away(n_squares, squared);
    /* f64 holds neither the least nor the greatest squares of f32: halves of the exponent come after. */
    return ldexp(sqrt(rounded(n_squares, 0)) / n, s->unit);
}

static void add_sums(const Sums *s, double *row)
{
    const double sum = signed_of(s->sum, s->negative, s->unit);
    row[2] = sum;
    row[3] = sum / (double)s->n;
    row[4] = deviation(s);
    row[5] = signed_of(s->y, s->y_negative, s->unit) / sum;
    row[6] = signed_of(s->x, s->x_negative, s->unit) / sum;
}

static void add_integers(const HaloObjectIntegers *in, uint64_t area, double *row)
{
    const Sums sums = {.n = area,
                       .sum = {in->sum},
                       .squares = {in->squares},
                       .x = {in->x.low, in->x.high},
                       .y = {in->y.low, in->y.high}};
    row[0] = UINT16_MAX - in->below;
    row[1] = in->max;
    add_sums(&sums, row);
}

static void add_floats(const HaloObjectFloats *in, double *row)
{
    Sums sums = {.n = in->count, .unit = -149};
    for (int i = 0; i < OF_CHANNEL; i++) row[i] = (double)NAN;
    if (in->count == 0) return;
    row[0] = (double)in->min;
    row[1] = (double)in->max;
    if (in->above || in->below) {
        row[2] = row[3] = in->above && in->below ? (double)NAN : in->above ? INFINITY : -INFINITY;
        return;
    }
    sums.negative = magnitude_of(in->sum, HALO_SUM_WORDS, sums.sum);
    magnitude_of(in->squares, HALO_SQUARES_WORDS, sums.squares);
    sums.x_negative = magnitude_of(in->x, HALO_PRODUCT_WORDS, sums.x);
    sums.y_negative = magnitude_of(in->y, HALO_PRODUCT_WORDS, sums.y);
    add_sums(&sums, row);
}

HaloStatus measure_objects(const HaloObjectList *list, const HaloShape *shape, int64_t most, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const int channels = list->channels;
    double row[MOST_COLUMNS];
    if (channels > HALO_MAX_OBJECT_CHANNELS) HALO_FAIL(HALO_ERR_BUG, "internal: too many channels");
    *table = (HaloTable){.name = "objects",
                         .columns = OF_REGION + channels * OF_CHANNEL,
                         .column = channels > 1 ? of_several : of_one};
    table->most = most / (table->columns * (int64_t)sizeof(double)) + 1;
    for (int64_t i = 0; i < list->regions; i++) {
        const HaloObject *object = &list->object[i];
        if (object->area == 0) continue;
        add_region(object, i + 1, shape, row);
        for (int c = 0; c < channels; c++) {
            double *const to = row + OF_REGION + c * OF_CHANNEL;
            if (list->floats != NULL)
                add_floats(&list->floats[i * channels + c], to);
            else
                add_integers(&list->integers[i * channels + c], object->area, to);
        }
        HALO_TRY(halo_table_add(table, row));
    }
out:
    if (status == HALO_ERR_LIMIT && table->rows == table->most)
        halo_fail(status, "%s; min= leaves out small regions, or --max-memory allows more", halo_error());
    return status;
}
