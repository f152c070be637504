/* The sums of regions on a GPU, as atomics add them up. */
#ifndef HALO_CUDA_REGIONS_OBJECTS_CUH
#define HALO_CUDA_REGIONS_OBJECTS_CUH

#include "regions.cuh"

typedef unsigned long long ObjectSum;

/* Squares, and sums of them, have 64 bits below. */
static const int object_most_side = 1 << 26;

/* A sum of numbers beyond 32 bits is two: of their low halves, and of the rest. */
struct ObjectWide {
    ObjectSum low, high;
};

/* What HaloObject has. */
struct ObjectPixels {
    ObjectSum area, x, y, quads;
    ObjectWide xx, yy, xy;
    unsigned x0, y0; /* object_most_side - the least, so that lists begin with zeros */
    unsigned x1, y1;
    unsigned straight, diagonal, corner, unused;
};

struct ObjectIntegers {
    ObjectSum sum, squares;
    ObjectWide x, y;
    unsigned below, max;
};

/* Minima and maxima are keys in the order of floats; of the minimum all bits are inverted. */
struct ObjectFloats {
    ObjectSum count;
    unsigned above, below, min, max;
    ObjectSum sum[HALO_SUM_WORDS], squares[HALO_SQUARES_WORDS];
    ObjectSum x[HALO_PRODUCT_WORDS], y[HALO_PRODUCT_WORDS];
};

struct ObjectArgs {
    const char *label;
    int64_t label_stride;
    HaloDtype label_dtype;
    const char *of; /* NULL: none */
    int64_t of_stride;
    HaloDtype of_dtype;
    int channels;
    int64_t width, height;
    int diagonal; /* what a window with two pixels on a diagonal counts */
    ObjectPixels *pixels;
    ObjectIntegers *integers; /* [regions][channels] */
    ObjectFloats *floats;
};

/* Pixels of one region in a tile of a warp, a row to each lane. */
struct TilePixels {
    int64_t x, y; /* of column 0 and of row 0 */
    int lane;
    unsigned label, mine; /* a bit for each column */
};

CUDA_INLINE void add_sum(ObjectSum *to, ObjectSum value) { atomicAdd(to, value); }

CUDA_INLINE void add_wide(ObjectWide *to, ObjectSum value)
{
    atomicAdd(&to->low, value & 0xffffffffu);
    if (value >> 32 != 0) atomicAdd(&to->high, value >> 32);
}

/* Reads first: most of what comes changes nothing. */
CUDA_INLINE void raise(unsigned *to, unsigned value)
{
    if (*(const volatile unsigned *)to < value) atomicMax(to, value);
}

/* objects_list.cu: the host's lists. */
void cuda_objects_list(const ObjectPixels *pixels, const ObjectIntegers *integers, const ObjectFloats *floats,
                       HaloObjectList *list);

#endif
