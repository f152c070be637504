/* Lists of regions on the host, of what a GPU has added up. */
#include <string.h>

#include "objects.cuh"

static HaloWide wide_of(const ObjectWide &sums)
{
    const uint64_t above = sums.high << 32, low = sums.low + above;
    return {low, (sums.high >> 32) + (low < above)};
}

static void object_of(const ObjectPixels &p, HaloObject *to)
{
    if (p.area == 0) return;
    to->area = p.area;
    to->x0 = object_most_side - (int32_t)p.x0;
    to->y0 = object_most_side - (int32_t)p.y0;
    to->x1 = (int32_t)p.x1;
    to->y1 = (int32_t)p.y1;
    to->x = p.x;
    to->y = p.y;
    to->xx = wide_of(p.xx);
    to->yy = wide_of(p.yy);
    to->xy = wide_of(p.xy);
    to->straight = p.straight;
    to->diagonal = p.diagonal;
    to->corner = p.corner;
    to->quads = (int64_t)p.quads;
}

static HaloObjectIntegers integers_of(const ObjectIntegers &p)
{
    HaloObjectIntegers made = {};
    made.sum = p.sum;
    made.squares = p.squares;
    made.x = wide_of(p.x);
    made.y = wide_of(p.y);
    made.below = (uint16_t)p.below;
    made.max = (uint16_t)p.max;
    return made;
}

static float float_of(unsigned key)
{
    const unsigned bits = key >> 31 ? key & 0x7fffffffu : ~key;
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void floats_of(const ObjectFloats &p, HaloObjectFloats *to)
{
    if (p.count == 0) return;
    to->count = p.count;
    to->above = p.above != 0;
    to->below = p.below != 0;
    to->min = float_of(~p.min);
    to->max = float_of(p.max);
    for (int i = 0; i < HALO_SUM_WORDS; i++) to->sum[i] = p.sum[i];
    for (int i = 0; i < HALO_SQUARES_WORDS; i++) to->squares[i] = p.squares[i];
    for (int i = 0; i < HALO_PRODUCT_WORDS; i++) {
        to->x[i] = p.x[i];
        to->y[i] = p.y[i];
    }
}

void cuda_objects_list(const ObjectPixels *pixels, const ObjectIntegers *integers, const ObjectFloats *floats,
                       HaloObjectList *list)
{
    const int64_t samples = list->regions * list->channels;
    for (int64_t i = 0; i < list->regions; i++) object_of(pixels[i], &list->object[i]);
    for (int64_t i = 0; i < samples && list->integers != NULL; i++)
        list->integers[i] = integers_of(integers[i]);
    for (int64_t i = 0; i < samples && list->floats != NULL; i++) floats_of(floats[i], &list->floats[i]);
}
