/* The oracle of objects: pixel by pixel, and sums bit by bit. */
#include <math.h>
#include <string.h>

#include "oracle.h"

__extension__ typedef unsigned __int128 Wide;

static uint32_t label_of(const HaloBuf *labels, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= labels->shape.width || y >= labels->shape.height) return 0;
    const float v = oracle_get(labels, x, y, 0);
    return isnan(v) ? 0 : (uint32_t)v;
}

static bool in_border(const HaloBuf *labels, int64_t x, int64_t y, uint32_t label)
{
    return label_of(labels, x, y) == label &&
           (label_of(labels, x - 1, y) != label || label_of(labels, x + 1, y) != label ||
            label_of(labels, x, y - 1) != label || label_of(labels, x, y + 1) != label);
}

/* The sum of scikit-image's weights of the border pixels around one. */
static void add_border(const HaloBuf *labels, int64_t x, int64_t y, uint32_t label, HaloObject *object)
{
    int sum = 0;
    if (!in_border(labels, x, y, label)) return;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (in_border(labels, x + u, y + v, label)) sum += u == 0 && v == 0 ? 1 : u == 0 || v == 0 ? 2 : 10;
    object->diagonal += sum == 21 || sum == 33;
    object->corner += sum == 13 || sum == 23;
    object->straight += sum == 5 || sum == 7 || sum == 15 || sum == 17 || sum == 25 || sum == 27;
}

static void add_wide(HaloWide *to, Wide value)
{
    const Wide sum = ((Wide)to->high << 64 | to->low) + value;
    *to = (HaloWide){(uint64_t)sum, (uint64_t)(sum >> 64)};
}

static void add_place(int64_t x, int64_t y, HaloObject *o)
{
    const Wide wx = (Wide)x, wy = (Wide)y;
    if (o->area == 0) *o = (HaloObject){.x0 = (int32_t)x, .y0 = (int32_t)y, .quads = o->quads};
    o->x0 = x < o->x0 ? (int32_t)x : o->x0;
    o->y0 = y < o->y0 ? (int32_t)y : o->y0;
    o->x1 = x >= o->x1 ? (int32_t)x + 1 : o->x1;
    o->y1 = y >= o->y1 ? (int32_t)y + 1 : o->y1;
    o->area++;
    o->x += (uint64_t)x;
    o->y += (uint64_t)y;
    add_wide(&o->xx, wx * wx);
    add_wide(&o->yy, wy * wy);
    add_wide(&o->xy, wx * wy);
}

/* Corners, edges and faces of pixels: as squares (8), or as a graph of their centres (4). */
static void add_euler(const HaloBuf *labels, int64_t x, int64_t y, int connect, HaloObjectList *list)
{
    const uint32_t cell[4] = {label_of(labels, x - 1, y - 1), label_of(labels, x, y - 1),
                              label_of(labels, x - 1, y), label_of(labels, x, y)};
    for (int k = 0; k < 4; k++) {
        const uint32_t label = cell[k];
        bool first = label != 0;
        for (int i = 0; i < k; i++) first = first && cell[i] != label;
        if (!first) continue;
        const bool a = cell[0] == label, b = cell[1] == label, c = cell[2] == label, d = cell[3] == label;
        const int eight = 1 - ((b || d) + (c || d)) + d, four = d - ((b && d) + (c && d)) + (a && b && c && d);
        list->object[label - 1].quads += 4 * (connect == 8 ? eight : four);
    }
}

/* word += or -= 2^bit */
static void add_bit(uint64_t *word, int words, int bit, bool negative)
{
    for (int i = bit / 64; i < words; i++) {
        const uint64_t one = i == bit / 64 ? (uint64_t)1 << bit % 64 : 1, before = word[i];
        word[i] = negative ? before - one : before + one;
        if (negative ? before >= one : word[i] >= before) return;
    }
}

static void add_bits(uint64_t *word, int words, uint64_t bits, int shift, bool negative)
{
    for (int k = 0; k < 64; k++)
        if ((bits >> k & 1) != 0) add_bit(word, words, k + shift, negative);
}

static void add_float(float v, int64_t x, int64_t y, HaloObjectFloats *to)
{
    int exponent;
    if (isnan(v)) return;
    if (v == 0.0f) v = 0.0f; /* without its sign */
    to->min = to->count == 0 || v < to->min ? v + 0.0f : to->min;
    to->max = to->count == 0 || v > to->max ? v + 0.0f : to->max;
    to->count++;
    if (isinf(v)) {
        to->above = to->above || v > 0;
        to->below = to->below || v < 0;
        return;
    }
    const double fraction = frexp(fabs((double)v), &exponent);
    int shift = exponent - 24 + 149;
    uint64_t digits = (uint64_t)ldexp(fraction, 24);
    if (shift < 0) digits >>= -shift;
    if (shift < 0) shift = 0;
    add_bits(to->sum, HALO_SUM_WORDS, digits, shift, v < 0);
    add_bits(to->squares, HALO_SQUARES_WORDS, digits * digits, 2 * shift, false);
    add_bits(to->x, HALO_PRODUCT_WORDS, digits * (uint64_t)x, shift, v < 0);
    add_bits(to->y, HALO_PRODUCT_WORDS, digits * (uint64_t)y, shift, v < 0);
}

static void add_integer(uint64_t v, int64_t x, int64_t y, HaloObjectIntegers *to)
{
    to->below = 65535 - v > to->below ? (uint16_t)(65535 - v) : to->below;
    to->max = v > to->max ? (uint16_t)v : to->max;
    to->sum += v;
    to->squares += v * v;
    add_wide(&to->x, (Wide)v * (Wide)x);
    add_wide(&to->y, (Wide)v * (Wide)y);
}

HaloStatus oracle_objects(const HaloBuf *labels, const HaloBuf *of, const HaloObjects *how,
                          HaloObjectList *list)
{
    const int64_t width = labels->shape.width, height = labels->shape.height;
    uint32_t greatest = 0;
    for (int64_t at = 0; at < width * height; at++) {
        const float v = oracle_get(labels, at % width, at / width, 0);
        if (!isnan(v) && !(v >= 0 && v <= (float)HALO_MAX_REGIONS && v == floorf(v)))
            return halo_fail(HALO_ERR_INPUT, "no label");
        const uint32_t label = label_of(labels, at % width, at / width);
        greatest = label > greatest ? label : greatest;
    }
    const HaloStatus status = halo_object_list_alloc(list, greatest, of != NULL ? &of->shape : NULL);
    if (status != HALO_OK) return status;
    for (int64_t y = 0; y <= height; y++)
        for (int64_t x = 0; x <= width; x++) {
            const uint32_t label = label_of(labels, x, y);
            add_euler(labels, x, y, how->connect, list);
            if (label == 0) continue;
            add_place(x, y, &list->object[label - 1]);
            add_border(labels, x, y, label, &list->object[label - 1]);
            for (int c = 0; c < list->channels; c++) {
                const int64_t i = (label - 1) * (int64_t)list->channels + c;
                if (list->floats != NULL)
                    add_float(oracle_get(of, x, y, c), x, y, &list->floats[i]);
                else
                    add_integer((uint64_t)oracle_get(of, x, y, c), x, y, &list->integers[i]);
            }
        }
    return HALO_OK;
}
