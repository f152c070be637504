/* What is made of the samples of a window, one by one: extremes of any of them, with heights; entropy, the most
 * frequent value, the median absolute deviation. */
#ifndef HALO_LOCAL_H
#define HALO_LOCAL_H

#include "halo/buffer.h"
#include "halo/primitive.h"

typedef enum HaloLocalKind {
    HALO_LOCAL_LEAST,    /* the least of v - height, -0 before +0 */
    HALO_LOCAL_GREATEST, /* the greatest of v + height */
    HALO_LOCAL_MODE,     /* the value that occurs most often, of equally frequent ones the least; -0 is +0 */
    HALO_LOCAL_MAD,      /* the median of |v - m|, m being the median of the window: of n samples in order the
                            one number (n - 1) / 2, counted from 0 */
    HALO_LOCAL_ENTROPY   /* in bits, of the samples that fall into bins */
} HaloLocalKind;

/* A sample of the window that counts, and its height. */
typedef struct HaloMember {
    int32_t x, y;
    float height;
} HaloMember;

/* No side of a window whose samples are all looked at is longer: counts of samples fit 32 bits, and what
 * halo_local_information gives for them fits 64. */
#define HALO_LOCAL_MOST_SIDE 255

/* Sums and differences are rounded to f32. A NaN that counts makes NaN; with nan_ignore NaN are left out, and
 * where nothing is left the result is NaN. */
struct HaloLocal {
    HaloWindow window;
    HaloLocalKind kind;
    bool flat; /* all heights are 0 */
    int64_t members;
    const HaloMember *member; /* of least and greatest, at least one; of the others all samples count */
    int64_t bins;             /* of entropy, over [lo, hi]: see halo_bin */
    double lo, hi;
};

#ifdef __cplusplus
extern "C" {
#endif

/* core/base/local.c: made[c] = c log2(c) in units of 2^-32, rounded, for c from 0 to n. The entropy of n
 * samples is (made[n] - the sum of made[count] over all bins) / (n * 2^32), where the numerator is exact. */
HALO_API void halo_local_information(int64_t n, int64_t *made);

#ifdef __cplusplus
}
#endif
#endif
