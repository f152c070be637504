/* The oracles of regions and distances: floods from each pixel, and the nearest of all pixels that are 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

typedef struct Flood {
    const HaloBuf *src;
    const HaloRegions *how;
    int channel;
    int64_t width, height;
    int64_t *region; /* [pixels] from 1; 0: none */
    int64_t *todo;   /* [pixels] */
} Flood;

static bool belongs(const Flood *f, int64_t at)
{
    const float v = oracle_get(f->src, at % f->width, at / f->width, f->channel);
    const bool foreground = !isnan(v) && v != 0.0f;
    if (f->how->of == HALO_REGIONS_ABOVE) return v > (float)f->how->low;
    return f->how->of == HALO_REGIONS_FOREGROUND ? foreground : !foreground;
}

static void flood(const Flood *f, int64_t from, int64_t number)
{
    int64_t todo = 0;
    f->region[from] = number;
    f->todo[todo++] = from;
    while (todo > 0) {
        const int64_t at = f->todo[--todo], x = at % f->width, y = at / f->width;
        for (int64_t v = y - 1; v <= y + 1; v++)
            for (int64_t u = x - 1; u <= x + 1; u++) {
                if (u < 0 || v < 0 || u >= f->width || v >= f->height) continue;
                if (f->how->connect == 4 && u != x && v != y) continue;
                const int64_t next = v * f->width + u;
                if (f->region[next] != 0 || !belongs(f, next)) continue;
                f->region[next] = number;
                f->todo[todo++] = next;
            }
    }
}

/* size[i]: pixels of region i, or 0 where it does not stay, its rank by size aside. */
static void find_sizes(const Flood *f, int64_t regions, int64_t *size)
{
    const HaloRegions *how = f->how;
    bool *border = oracle_memory(regions + 1, sizeof *border),
         *seeded = oracle_memory(regions + 1, sizeof *seeded);
    for (int64_t i = 0; i <= regions; i++) size[i] = border[i] = seeded[i] = 0;
    for (int64_t at = 0; at < f->width * f->height; at++) {
        const int64_t x = at % f->width, y = at / f->width, i = f->region[at];
        if (i == 0) continue;
        size[i]++;
        if (x == 0 || y == 0 || x == f->width - 1 || y == f->height - 1) border[i] = true;
        if (oracle_get(f->src, x, y, f->channel) > (float)how->high) seeded[i] = true;
    }
    for (int64_t i = 1; i <= regions; i++)
        if (size[i] < how->least || (how->most > 0 && size[i] > how->most) || (how->inside && border[i]) ||
            (how->seeded && !seeded[i]))
            size[i] = 0;
    free(border);
    free(seeded);
}

static void leave_largest(int64_t regions, int64_t largest, int64_t *size)
{
    int64_t *larger = oracle_memory(regions + 1, sizeof *larger);
    for (int64_t i = 1; i <= regions; i++) {
        larger[i] = 0;
        for (int64_t k = 1; k <= regions; k++) larger[i] += size[k] > size[i] || (size[k] == size[i] && k < i);
    }
    for (int64_t i = 1; i <= regions; i++)
        if (larger[i] >= largest) size[i] = 0;
    free(larger);
}

static float result_of(const Flood *f, int64_t at, int64_t number, float left)
{
    const float v = oracle_get(f->src, at % f->width, at / f->width, f->channel);
    switch (f->how->make) {
    case HALO_REGIONS_NUMBERS: return (float)number;
    case HALO_REGIONS_SAMPLES: return number > 0 ? v : 0.0f;
    case HALO_REGIONS_FILLED: return number > 0 ? left : v;
    default: return number > 0 ? f->how->white : 0.0f;
    }
}

uint64_t oracle_regions(const HaloBuf *src, HaloBuf *dst, const HaloRegions *how, HaloStore store)
{
    const int64_t width = src->shape.width, pixels = width * src->shape.height;
    Flood f = {
        .src = src, .how = how, .channel = src->shape.alpha == 0, .width = width, .height = src->shape.height};
    int64_t regions = 0, numbers = 0;
    uint64_t clipped = 0;
    f.region = oracle_memory(pixels, sizeof *f.region);
    f.todo = oracle_memory(pixels, sizeof *f.todo);
    memset(f.region, 0, (size_t)pixels * sizeof *f.region);
    for (int64_t at = 0; at < pixels; at++)
        if (f.region[at] == 0 && belongs(&f, at)) flood(&f, at, ++regions);
    int64_t *size = oracle_memory(regions + 1, sizeof *size),
            *number = oracle_memory(regions + 1, sizeof *number);
    float *left = oracle_memory(regions + 1, sizeof *left);
    number[0] = 0;
    left[0] = 0.0f;
    find_sizes(&f, regions, size);
    if (how->largest > 0) leave_largest(regions, how->largest, size);
    for (int64_t i = 1; i <= regions; i++) number[i] = size[i] > 0 ? ++numbers : 0;
    for (int64_t at = pixels - 1; at >= 0; at--) /* the first pixel comes last */
        if (f.region[at] > 0)
            left[f.region[at]] =
                at % width == 0 ? 0.0f : oracle_get(src, at % width - 1, at / width, f.channel);
    for (int64_t at = 0; at < pixels; at++)
        for (int c = 0; c < src->shape.channels; c++) {
            const int64_t region = f.region[at];
            const float v = c == f.channel ? result_of(&f, at, number[region], left[region])
                                           : oracle_get(src, at % width, at / width, c);
            clipped += oracle_put(dst, at % width, at / width, c, v, store);
        }
    free(left);
    free(number);
    free(size);
    free(f.todo);
    free(f.region);
    return clipped;
}

/* Pixels that are 0 or NaN. */
typedef struct Zeros {
    int64_t count, *x, *y;
} Zeros;

static Zeros find_zeros(const HaloBuf *src, int channel)
{
    const int64_t pixels = src->shape.width * src->shape.height;
    Zeros zeros = {0, oracle_memory(pixels, sizeof(int64_t)), oracle_memory(pixels, sizeof(int64_t))};
    for (int64_t y = 0; y < src->shape.height; y++)
        for (int64_t x = 0; x < src->shape.width; x++) {
            const float v = oracle_get(src, x, y, channel);
            if (!isnan(v) && v != 0.0f) continue;
            zeros.x[zeros.count] = x;
            zeros.y[zeros.count++] = y;
        }
    return zeros;
}

static float nearest(const Zeros *zeros, int64_t x, int64_t y, HaloMetric metric)
{
    double least = INFINITY;
    for (int64_t i = 0; i < zeros->count; i++) {
        const double dx = fabs((double)(zeros->x[i] - x)), dy = fabs((double)(zeros->y[i] - y));
        const double far = metric == HALO_METRIC_EUCLID    ? dx * dx + dy * dy
                           : metric == HALO_METRIC_TAXICAB ? dx + dy
                                                           : fmax(dx, dy);
        if (far < least) least = far;
    }
    return (float)(metric == HALO_METRIC_EUCLID ? sqrt(least) : least);
}

uint64_t oracle_distance(const HaloBuf *src, HaloBuf *dst, const HaloDistance *how, HaloStore store)
{
    const int channel = src->shape.alpha == 0;
    const Zeros zeros = find_zeros(src, channel);
    uint64_t clipped = 0;
    for (int64_t y = 0; y < src->shape.height; y++)
        for (int64_t x = 0; x < src->shape.width; x++)
            for (int c = 0; c < src->shape.channels; c++) {
                const float v = c == channel ? nearest(&zeros, x, y, how->metric) : oracle_get(src, x, y, c);
                clipped += oracle_put(dst, x, y, c, v, store);
            }
    free(zeros.x);
    free(zeros.y);
    return clipped;
}
