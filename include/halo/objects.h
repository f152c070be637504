/* Measured regions of a labelled picture: exact sums, which may be added up in any order. docs/numerics.md says
 * what is made of them. */
#ifndef HALO_OBJECTS_H
#define HALO_OBJECTS_H

#include <stdbool.h>

#include "halo/buffer.h"
#include "halo/memory.h"
#include "halo/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the greatest label, a place, and the sample there: */
#define HALO_NO_OBJECT                                                                                   \
    "labels are integers from 0 to %d, and the sample at x=%lld, y=%lld is %g: put label before it, or " \
    "threshold"

/* Labels are integers from 0, which is no region, to HALO_MAX_REGIONS; NaN is 0. */
struct HaloObjects {
    int connect; /* 4 or 8: for the Euler number */
    /* halo_objects_kept bytes: rows that are needed again, of a picture that comes a few rows at a time, in
     * order. NULL: it comes as a whole. */
    void *kept;
};

/* Colours that the second picture may have. */
#define HALO_MAX_OBJECT_CHANNELS 4

/* An integer of 128 bits. */
typedef struct HaloWide {
    uint64_t low, high;
} HaloWide;

/* The pixels of a region. x and y count from the top left corner of the picture. */
typedef struct HaloObject {
    uint64_t area;          /* 0: there is none of this label */
    int32_t x0, y0, x1, y1; /* it lies in [x0, x1) and [y0, y1) */
    uint64_t x, y;          /* sums */
    HaloWide xx, yy, xy;
    uint32_t straight, diagonal, corner; /* pixels of its border that count 1, sqrt 2 and their mean in its
                                            length */
    int64_t quads;                       /* 4 times the Euler number */
} HaloObject;

/* Sums of the samples v of a region in a picture of u8 or u16, */
typedef struct HaloObjectIntegers {
    uint64_t sum, squares;
    HaloWide x, y;       /* of v * x and v * y */
    uint16_t below, max; /* below: 65535 - the minimum, as lists begin with zeros */
} HaloObjectIntegers;

/* and of f32: fixed-point numbers of 64-bit words, the lowest first, in two's complement. The unit is 2^-149,
 * of squares 2^-298. NaN are left out, and infinities are counted only. */
#define HALO_SUM_WORDS 5
#define HALO_SQUARES_WORDS 10
#define HALO_PRODUCT_WORDS 6
typedef struct HaloObjectFloats {
    uint64_t count;    /* samples that are not NaN */
    bool above, below; /* is one of them +inf, or -inf? */
    float min, max;
    uint64_t sum[HALO_SUM_WORDS], squares[HALO_SQUARES_WORDS];
    uint64_t x[HALO_PRODUCT_WORDS], y[HALO_PRODUCT_WORDS];
} HaloObjectFloats;

/* Region i + 1 is object[i]; of channel c of a second picture, integers[i * channels + c] or floats[…]. */
typedef struct HaloObjectList {
    int64_t regions, capacity;
    HaloMemory *memory; /* counts it; NULL: nothing is counted */
    int64_t held;
    int channels; /* of the second picture; 0: there is none */
    HaloObject *object;
    HaloObjectIntegers *integers; /* NULL: floats */
    HaloObjectFloats *floats;
} HaloObjectList;

/* Rows whose borders are not known before the next ones come; of them and the two above labels are kept. */
#define HALO_OBJECTS_LATE 2

static inline int64_t halo_objects_kept(const HaloShape *labels, const HaloShape *of)
{
    const int64_t samples =
        of != NULL ? of->width * of->channels * (int64_t)halo_dtype_size(of->dtype) : (int64_t)0;
    return HALO_OBJECTS_LATE * (2 * labels->width * (int64_t)halo_dtype_size(labels->dtype) + samples);
}

/* core/base/objects.c: makes the list longer, by zeros; its `memory` is set, and all else 0 at first. `of`: the
 * second picture's shape, or NULL. HALO_ERR_LIMIT. */
HALO_API HaloStatus halo_object_list_alloc(HaloObjectList *list, int64_t regions, const HaloShape *of);
HALO_API void halo_object_list_free(HaloObjectList *list);

#ifdef __cplusplus
}
#endif
#endif
