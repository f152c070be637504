/* The exact sums of regions. */
#include "measured.h"

#include <string.h>

__extension__ typedef unsigned __int128 Wide;

/* ---- labels --------------------------------------------------------------------------------------------- */

void cpu_check_labels(const HaloDevice *device, const HaloBuf *labels, int64_t y, CpuLabelCheck *check)
{
    const int64_t n = labels->cols;
    uint32_t greatest = check->greatest;
    if (labels->shape.dtype == HALO_U8) {
        const uint8_t *v = halo_at(labels, 0, y);
        for (int64_t x = 0; x < n; x++) greatest = v[x] > greatest ? v[x] : greatest;
    } else if (labels->shape.dtype == HALO_U16) {
        const uint16_t *v = halo_at(labels, 0, y);
        for (int64_t x = 0; x < n; x++) greatest = v[x] > greatest ? v[x] : greatest;
    } else {
        const float *v = halo_at(labels, 0, y);
        const bool good = device->kernels->regions->check(v, n, (float)HALO_MAX_REGIONS, &greatest);
        for (int64_t x = 0; x < n && !good && check->bad < 0; x++)
            if (!(v[x] != v[x]) &&
                !(v[x] >= 0.0f && v[x] <= (float)HALO_MAX_REGIONS && (float)(int32_t)v[x] == v[x]))
                check->bad = y * n + x;
    }
    check->greatest = greatest;
}

void cpu_labels(const HaloDevice *device, const HaloBuf *labels, int64_t y, uint32_t *row)
{
    const int64_t n = labels->cols;
    const void *at = halo_at(labels, 0, y);
    if (labels->shape.dtype == HALO_U8)
        for (int64_t x = 0; x < n; x++) row[x] = ((const uint8_t *)at)[x];
    else if (labels->shape.dtype == HALO_U16)
        for (int64_t x = 0; x < n; x++) row[x] = ((const uint16_t *)at)[x];
    else
        device->kernels->regions->to_labels(at, n, row);
}

/* ---- places --------------------------------------------------------------------------------------------- */

static void add_wide(HaloWide *sum, Wide value)
{
    const Wide all = ((Wide)sum->high << 64 | sum->low) + value;
    sum->low = (uint64_t)all;
    sum->high = (uint64_t)(all >> 64);
}

static void extend(HaloObject *object, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    if (object->area == 0) {
        object->x0 = x0;
        object->y0 = y0;
        object->x1 = x1;
        object->y1 = y1;
        return;
    }
    if (x0 < object->x0) object->x0 = x0;
    if (y0 < object->y0) object->y0 = y0;
    if (x1 > object->x1) object->x1 = x1;
    if (y1 > object->y1) object->y1 = y1;
}

void cpu_add_run(HaloObject *object, int64_t x, int64_t y, int64_t n)
{
    const uint64_t first = (uint64_t)x, row = (uint64_t)y, count = (uint64_t)n;
    const uint64_t steps = count * (count - 1), sum = count * first + steps / 2;
    extend(object, (int32_t)x, (int32_t)y, (int32_t)(x + n), (int32_t)(y + 1));
    object->area += count;
    object->x += sum;
    object->y += count * row;
    /* (x + 0)² + … + (x + n - 1)² */
    add_wide(&object->xx, (Wide)(count * first) * first + (Wide)first * steps + steps * (2 * count - 1) / 6);
    add_wide(&object->yy, (Wide)(count * row) * row);
    add_wide(&object->xy, (Wide)sum * row);
}

/* ---- integers ------------------------------------------------------------------------------------------- */

typedef struct RunSums {
    uint64_t sum, squares, x;
    uint16_t min, max;
} RunSums;

#define ADD_RUN(type)                                       \
    do {                                                    \
        const type *v = (const type *)at + c;               \
        for (int64_t i = 0; i < n; i++) {                   \
            const uint64_t value = v[i * channels];         \
            run.sum += value;                               \
            run.squares += value * value;                   \
            run.x += value * (uint64_t)i;                   \
            if (value < run.min) run.min = (uint16_t)value; \
            if (value > run.max) run.max = (uint16_t)value; \
        }                                                   \
    } while (0)

static void add_integers(const HaloBuf *of, int64_t x, int64_t y, int64_t n, int c, HaloObjectIntegers *sums)
{
    const int64_t channels = of->shape.channels;
    const void *at = halo_at(of, x, y);
    RunSums run = {.min = UINT16_MAX};
    if (of->shape.dtype == HALO_U8)
        ADD_RUN(uint8_t);
    else
        ADD_RUN(uint16_t);
    sums->sum += run.sum;
    sums->squares += run.squares;
    add_wide(&sums->x, (Wide)run.sum * (uint64_t)x + run.x);
    add_wide(&sums->y, (Wide)run.sum * (uint64_t)y);
    if (run.max > sums->max) sums->max = run.max;
    if (UINT16_MAX - run.min > sums->below) sums->below = (uint16_t)(UINT16_MAX - run.min);
}

/* ---- floats --------------------------------------------------------------------------------------------- */

/* sum += or -= magnitude * 2^shift */
static void add_exactly(uint64_t *sum, int words, uint64_t magnitude, int shift, bool negative)
{
    const int low = shift % 64;
    const uint64_t part[2] = {magnitude << low, low > 0 ? magnitude >> (64 - low) : 0};
    uint64_t carry = 0;
    for (int i = shift / 64, k = 0; i < words && (k < 2 || carry != 0); i++, k++) {
        const uint64_t add = (k < 2 ? part[k] : 0) + carry, before = sum[i];
        const bool over = carry != 0 && add == 0;
        sum[i] = negative ? before - add : before + add;
        carry = over || (negative ? before < add : sum[i] < before);
    }
}

static void add_float(HaloObjectFloats *sums, float value, uint64_t x, uint64_t y)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t exponent = bits >> 23 & 0xff;
    const bool negative = bits >> 31 != 0;
    if (value != value) return;
    value += 0.0f; /* 0 and -0 are one minimum, whichever comes first */
    if (sums->count == 0 || value < sums->min) sums->min = value;
    if (sums->count == 0 || value > sums->max) sums->max = value;
    sums->count++;
    if (exponent == 0xff) {
        sums->above = sums->above || !negative;
        sums->below = sums->below || negative;
        return;
    }
    const uint64_t digits = (bits & 0x7fffff) | (exponent > 0 ? 0x800000 : 0);
    const int shift = exponent > 0 ? (int)exponent - 1 : 0;
    if (digits == 0) return;
    add_exactly(sums->sum, HALO_SUM_WORDS, digits, shift, negative);
    add_exactly(sums->squares, HALO_SQUARES_WORDS, digits * digits, 2 * shift, false);
    add_exactly(sums->x, HALO_PRODUCT_WORDS, digits * x, shift, negative);
    add_exactly(sums->y, HALO_PRODUCT_WORDS, digits * y, shift, negative);
}

void cpu_add_samples(const HaloBuf *of, int64_t x, int64_t y, int64_t n, int64_t at, HaloObjectList *list)
{
    const int channels = list->channels;
    for (int c = 0; c < channels; c++) {
        if (list->integers != NULL) {
            add_integers(of, x, y, n, c, &list->integers[at * channels + c]);
            continue;
        }
        const float *v = (const float *)halo_at(of, x, y) + c;
        for (int64_t i = 0; i < n; i++)
            add_float(&list->floats[at * channels + c], v[i * channels], (uint64_t)(x + i), (uint64_t)y);
    }
}

/* ---- several lists -------------------------------------------------------------------------------------- */

static void join_object(HaloObject *to, const HaloObject *more)
{
    if (more->area == 0 && more->quads == 0) return;
    if (more->area > 0) extend(to, more->x0, more->y0, more->x1, more->y1);
    to->area += more->area;
    to->x += more->x;
    to->y += more->y;
    add_wide(&to->xx, (Wide)more->xx.high << 64 | more->xx.low);
    add_wide(&to->yy, (Wide)more->yy.high << 64 | more->yy.low);
    add_wide(&to->xy, (Wide)more->xy.high << 64 | more->xy.low);
    to->straight += more->straight;
    to->diagonal += more->diagonal;
    to->corner += more->corner;
    to->quads += more->quads;
}

static void join_integers(HaloObjectIntegers *to, const HaloObjectIntegers *more)
{
    to->sum += more->sum;
    to->squares += more->squares;
    add_wide(&to->x, (Wide)more->x.high << 64 | more->x.low);
    add_wide(&to->y, (Wide)more->y.high << 64 | more->y.low);
    if (more->below > to->below) to->below = more->below;
    if (more->max > to->max) to->max = more->max;
}

static void join_words(uint64_t *to, const uint64_t *more, int words)
{
    uint64_t carry = 0;
    for (int i = 0; i < words; i++) {
        const Wide sum = (Wide)to[i] + more[i] + carry;
        to[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

static void join_floats(HaloObjectFloats *to, const HaloObjectFloats *more)
{
    if (more->count == 0) return;
    if (to->count == 0 || more->min < to->min) to->min = more->min;
    if (to->count == 0 || more->max > to->max) to->max = more->max;
    to->count += more->count;
    to->above = to->above || more->above;
    to->below = to->below || more->below;
    join_words(to->sum, more->sum, HALO_SUM_WORDS);
    join_words(to->squares, more->squares, HALO_SQUARES_WORDS);
    join_words(to->x, more->x, HALO_PRODUCT_WORDS);
    join_words(to->y, more->y, HALO_PRODUCT_WORDS);
}

void cpu_join_objects(HaloObjectList *list, const HaloObjectList *more)
{
    for (int64_t i = 0; i < list->regions; i++) join_object(&list->object[i], &more->object[i]);
    for (int64_t i = 0; i < list->regions * list->channels; i++) {
        if (list->integers != NULL) join_integers(&list->integers[i], &more->integers[i]);
        if (list->floats != NULL) join_floats(&list->floats[i], &more->floats[i]);
    }
}
