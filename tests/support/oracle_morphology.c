/* The oracles of morphology: one pixel after the other, again and again until nothing changes. */
#include "halo/morphology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---- non-maximum suppression ---------------------------------------------------------------------------- */

static float magnitude(const HaloBuf *gx, const HaloBuf *gy, int64_t x, int64_t y)
{
    if (x < 0 || y < 0 || x >= gx->shape.width || y >= gx->shape.height) return 0.0f;
    const float a = oracle_get(gx, x, y, 0), b = oracle_get(gy, x, y, 0);
    return sqrtf(fmaf(a, a, b * b));
}

/* Between the neighbour (dx, dy) and the diagonal one (ex, ey), `share` of the way. */
static float between(const HaloBuf *gx, const HaloBuf *gy, int64_t x, int64_t y, int dx, int dy, int ex, int ey,
                     float share)
{
    const float near = magnitude(gx, gy, x + dx, y + dy), far = magnitude(gx, gy, x + ex, y + ey);
    return fmaf(share, far - near, near);
}

static float maximum_at(const HaloBuf *gx, const HaloBuf *gy, int64_t x, int64_t y)
{
    const float a = oracle_get(gx, x, y, 0), b = oracle_get(gy, x, y, 0), m = magnitude(gx, gy, x, y);
    const int side = (a < 0) == (b < 0) ? 1 : -1; /* does the gradient lead down to the right? */
    float before, behind;
    if (fabsf(a) >= fabsf(b)) {
        before = between(gx, gy, x, y, -1, 0, -1, -side, fabsf(b) / fabsf(a));
        behind = between(gx, gy, x, y, 1, 0, 1, side, fabsf(b) / fabsf(a));
    } else {
        before = between(gx, gy, x, y, 0, -1, -side, -1, fabsf(a) / fabsf(b));
        behind = between(gx, gy, x, y, 0, 1, side, 1, fabsf(a) / fabsf(b));
    }
    return m > before && m >= behind ? m : 0.0f;
}

uint64_t oracle_suppress(const HaloBuf *gx, const HaloBuf *gy, HaloBuf *dst, HaloStore store)
{
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            clipped += oracle_put(dst, x, y, 0, maximum_at(gx, gy, x, y), store);
    return clipped;
}

/* ---- greyscale reconstruction --------------------------------------------------------------------------- */

static bool is_near(int connect, int dx, int dy)
{
    return (dx != 0 || dy != 0) && (connect == 8 || dx == 0 || dy == 0);
}

/* The greatest, or least, sample that a pixel takes from its neighbours and itself, cut by the picture. */
static float taken(const HaloBuf *src, const float *value, int64_t x, int64_t y, int channel,
                   const HaloReconstruct *how)
{
    const int64_t width = src->shape.width, height = src->shape.height;
    const float limit = oracle_get(src, x, y, channel);
    float best = value[y * width + x];
    if (isnan(limit)) return NAN;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const int64_t u = x + dx, v = y + dy;
            if (!is_near(how->connect, dx, dy) || u < 0 || v < 0 || u >= width || v >= height) continue;
            const float other = value[v * width + u];
            if (isnan(best) || (how->erosion ? other < best : other > best)) best = other;
        }
    if (how->erosion) return best < limit ? limit : best;
    return best > limit ? limit : best;
}

/* NaN: nothing has come there yet, which ends as the least value there is, or the greatest. */
uint64_t oracle_reconstruct(const HaloBuf *src, const HaloBuf *marker, HaloBuf *dst, const HaloReconstruct *how,
                            HaloStore store)
{
    const int64_t width = src->shape.width, height = src->shape.height;
    const int channel = src->shape.alpha == 0, other = marker->shape.alpha == 0;
    float *value = oracle_memory(width * height, sizeof *value);
    uint64_t clipped = 0;
    bool changed = true;
    for (int64_t i = 0; i < width * height; i++) {
        const float v = oracle_get(marker, i % width, i / width, other),
                    limit = oracle_get(src, i % width, i / width, channel);
        value[i] = isnan(limit) ? NAN : (how->erosion ? v < limit : v > limit) ? limit : v;
    }
    while (changed) {
        changed = false;
        for (int64_t i = 0; i < width * height; i++) {
            const float v = taken(src, value, i % width, i / width, channel, how);
            changed = changed || (v != value[i] && !(isnan(v) && isnan(value[i])));
            value[i] = v;
        }
    }
    for (int64_t i = 0; i < width * height; i++)
        for (int c = 0; c < src->shape.channels; c++) {
            float v = oracle_get(src, i % width, i / width, c);
            if (c == channel && !isnan(v)) {
                v = value[i];
                if (isnan(v)) v = how->erosion ? INFINITY : -INFINITY;
                if (v == 0.0f) v = 0.0f;
            }
            clipped += oracle_put(dst, i % width, i / width, c, v, store);
        }
    free(value);
    return clipped;
}

/* ---- thinning ------------------------------------------------------------------------------------------- */

typedef struct Plane {
    int64_t width, height;
    uint8_t *set;
} Plane;

static int at(const Plane *p, int64_t x, int64_t y)
{
    return x >= 0 && y >= 0 && x < p->width && y < p->height ? p->set[y * p->width + x] : 0;
}

/* P2 to P9 of the papers: clockwise from the pixel above. */
static void ring_of(const Plane *p, int64_t x, int64_t y, int ring[10])
{
    static const int dx[] = {0, 1, 1, 1, 0, -1, -1, -1}, dy[] = {-1, -1, 0, 1, 1, 1, 0, -1};
    for (int k = 0; k < 8; k++) ring[2 + k] = at(p, x + dx[k], y + dy[k]);
}

static bool zhang_deletes(const int p[10], int half)
{
    int set = 0, rises = 0;
    for (int k = 2; k <= 9; k++) {
        set += p[k];
        rises += p[k] == 0 && p[k == 9 ? 2 : k + 1] == 1;
    }
    if (set < 2 || set > 6 || rises != 1) return false;
    return half == 0 ? p[2] * p[4] * p[6] == 0 && p[4] * p[6] * p[8] == 0
                     : p[2] * p[4] * p[8] == 0 && p[2] * p[6] * p[8] == 0;
}

static bool guo_hall_deletes(const int p[10], int half)
{
    const int regions = (!p[2] && (p[3] || p[4])) + (!p[4] && (p[5] || p[6])) + (!p[6] && (p[7] || p[8])) +
                        (!p[8] && (p[9] || p[2]));
    const int first = (p[9] || p[2]) + (p[3] || p[4]) + (p[5] || p[6]) + (p[7] || p[8]);
    const int second = (p[2] || p[3]) + (p[4] || p[5]) + (p[6] || p[7]) + (p[8] || p[9]);
    const int least = first < second ? first : second;
    const bool stays = half == 0 ? (p[2] || p[3] || !p[5]) && p[4] : (p[6] || p[7] || !p[9]) && p[8];
    return regions == 1 && (least == 2 || least == 3) && !stays;
}

static bool delete_half(Plane *p, HaloThinKind kind, int half)
{
    Plane before = *p;
    bool changed = false;
    before.set = oracle_memory(p->width * p->height, 1);
    memcpy(before.set, p->set, (size_t)(p->width * p->height));
    for (int64_t i = 0; i < p->width * p->height; i++) {
        int ring[10];
        if (!before.set[i]) continue;
        ring_of(&before, i % p->width, i / p->width, ring);
        if (!(kind == HALO_THIN_ZHANG ? zhang_deletes : guo_hall_deletes)(ring, half)) continue;
        p->set[i] = 0;
        changed = true;
    }
    free(before.set);
    return changed;
}

uint64_t oracle_thin(const HaloBuf *src, HaloBuf *dst, const HaloThin *thin, HaloStore store)
{
    const int64_t width = src->shape.width, height = src->shape.height;
    const int channel = src->shape.alpha == 0;
    Plane p = {width, height, oracle_memory(width * height, 1)};
    uint64_t clipped = 0;
    for (int64_t i = 0; i < width * height; i++) {
        const float v = oracle_get(src, i % width, i / width, channel);
        p.set[i] = !isnan(v) && v != 0.0f;
    }
    for (int64_t pass = 0; thin->passes == 0 || pass < thin->passes; pass++) {
        const bool first = delete_half(&p, thin->kind, 0), second = delete_half(&p, thin->kind, 1);
        if (!first && !second) break;
    }
    for (int64_t i = 0; i < width * height; i++)
        for (int c = 0; c < src->shape.channels; c++)
            clipped +=
                oracle_put(dst, i % width, i / width, c,
                           c == channel && !p.set[i] ? 0.0f : oracle_get(src, i % width, i / width, c), store);
    free(p.set);
    return clipped;
}

/* ---- watershed ------------------------------------------------------------------------------------------ */

/* Pixels that wait, in the order in which they came; the first of the lowest ones is next. */
typedef struct Waiting {
    int64_t *pixel, count;
} Waiting;

static int64_t next_of(const HaloBuf *src, Waiting *waiting)
{
    const int64_t width = src->shape.width;
    int64_t best = 0;
    for (int64_t i = 1; i < waiting->count; i++)
        if (oracle_get(src, waiting->pixel[i] % width, waiting->pixel[i] / width, 0) <
            oracle_get(src, waiting->pixel[best] % width, waiting->pixel[best] / width, 0))
            best = i;
    const int64_t pixel = waiting->pixel[best];
    memmove(waiting->pixel + best, waiting->pixel + best + 1,
            (size_t)(--waiting->count - best) * sizeof *waiting->pixel);
    return pixel;
}

static bool can_be_flooded(const HaloBuf *src, const HaloBuf *mask, int64_t x, int64_t y)
{
    if (isnan(oracle_get(src, x, y, 0))) return false;
    if (mask == NULL) return true;
    const float v = oracle_get(mask, x, y, 0);
    return !isnan(v) && v != 0.0f;
}

uint64_t oracle_watershed(const HaloBuf *src, const HaloBuf *labels, const HaloBuf *mask, HaloBuf *dst,
                          const HaloWatershed *how, HaloStore store)
{
    const int64_t width = src->shape.width, height = src->shape.height, pixels = width * height;
    float *label = oracle_memory(pixels, sizeof *label);
    Waiting waiting = {oracle_memory(pixels, sizeof *waiting.pixel), 0};
    uint64_t clipped = 0;
    for (int64_t i = 0; i < pixels; i++) {
        const float v = oracle_get(labels, i % width, i / width, 0);
        label[i] = isnan(v) || !can_be_flooded(src, mask, i % width, i / width) ? 0.0f : v;
        if (label[i] != 0.0f) waiting.pixel[waiting.count++] = i;
    }
    while (waiting.count > 0) {
        const int64_t from = next_of(src, &waiting), x = from % width, y = from / width;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int64_t u = x + dx, v = y + dy, i = v * width + u;
                if (!is_near(how->connect, dx, dy) || u < 0 || v < 0 || u >= width || v >= height) continue;
                if (label[i] != 0.0f || !can_be_flooded(src, mask, u, v)) continue;
                label[i] = label[from];
                waiting.pixel[waiting.count++] = i;
            }
    }
    for (int64_t i = 0; i < pixels; i++)
        clipped += oracle_put(dst, i % width, i / width, 0, label[i] == 0.0f ? 0.0f : label[i], store);
    free(waiting.pixel);
    free(label);
    return clipped;
}
