/* Makes overviews: each has half the width and height of the one before, rounded up, and its samples are the
 * means of 2 x 2. At an odd edge a sample counts twice. Colours are weighted by their alpha; where that is 0
 * they are 0. Integers are exact and rounded half to even; floats are added in f64, pairs of a row first, and
 * rounded once. */
#ifdef HALO_HAVE_TIFF
#include "halo/numerics.h"
#include "tiffwriter.h"

HaloShape tiff_halved(const HaloShape *shape)
{
    HaloShape half = *shape;
    half.width = (shape->width + 1) / 2;
    half.height = (shape->height + 1) / 2;
    return half;
}

/* sum / by, half to even; 0 / 0 is 0. */
static inline uint32_t quotient(uint64_t sum, uint64_t by)
{
    if (by == 0) return 0;
    const uint64_t whole = sum / by, rest = sum % by;
    return (uint32_t)(whole + (2 * rest > by || (2 * rest == by && whole % 2 == 1)));
}

static inline float mean_of(double sum, double by)
{
    return by == 0 ? 0.0f : halo_canonical((float)(sum / by));
}

static inline double mean_of_doubles(double sum, double by)
{
    return by == 0 ? 0.0 : halo_canonical_f64(sum / by);
}

/* Where the four samples of each mean are: two columns of two rows, as pixels. */
typedef struct Four {
    int64_t left, right;
} Four;

static inline Four columns(const HaloShape *shape, int64_t x)
{
    return (Four){2 * x * shape->channels, (2 * x + 1 < shape->width ? 2 * x + 1 : 2 * x) * shape->channels};
}

/* The same for three types of samples; SUM adds what is alpha, or counts as 1 where there is none. */
#define HALVE(name, T, Sum, divide)                                                                           \
    static void name(const HaloShape *shape, const T *upper, const T *lower, T *to)                           \
    {                                                                                                         \
        const int channels = shape->channels, alpha = shape->alpha;                                           \
        for (int64_t x = 0; x < (shape->width + 1) / 2; x++, to += channels) {                                \
            const Four at = columns(shape, x);                                                                \
            const T *a = upper + at.left, *b = upper + at.right, *c = lower + at.left, *d = lower + at.right; \
            for (int i = 0; i < channels; i++) {                                                              \
                if (alpha < 0 || i == alpha) {                                                                \
                    to[i] = (T)divide(((Sum)a[i] + b[i]) + ((Sum)c[i] + d[i]), 4);                            \
                } else {                                                                                      \
                    const Sum weight = ((Sum)a[alpha] + b[alpha]) + ((Sum)c[alpha] + d[alpha]);               \
                    to[i] = (T)divide(((Sum)a[i] * a[alpha] + (Sum)b[i] * b[alpha]) +                         \
                                          ((Sum)c[i] * c[alpha] + (Sum)d[i] * d[alpha]),                      \
                                      weight);                                                                \
                }                                                                                             \
            }                                                                                                 \
        }                                                                                                     \
    }

HALVE(halve_u8, uint8_t, uint64_t, quotient)
HALVE(halve_u16, uint16_t, uint64_t, quotient)
HALVE(halve_f32, float, double, mean_of)
HALVE(halve_f64, double, double, mean_of_doubles)

void tiff_halve_rows(const HaloShape *shape, const void *upper, const void *lower, void *to)
{
    if (shape->dtype == HALO_U8)
        halve_u8(shape, upper, lower, to);
    else if (shape->dtype == HALO_U16)
        halve_u16(shape, upper, lower, to);
    else if (shape->dtype == HALO_F64)
        halve_f64(shape, upper, lower, to);
    else
        halve_f32(shape, upper, lower, to);
}
#endif
