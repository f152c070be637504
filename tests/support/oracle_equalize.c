/* The oracle of equalization: the count of every tile for every sample that is looked up there. */
#include <math.h>
#include <stdlib.h>

#include "oracle.h"

/* The level of sample v of channel c by the tile (tx, ty) alone; NaN where it says nothing. */
typedef struct Tables {
    const HaloBuf *src;
    const HaloEqualize *how;
    int alpha;
    int64_t *column, *row; /* what pixels past the edges read */
    float **table;         /* [tiles][channels] made when asked for */
} Tables;

static int64_t bin_of(const Tables *t, float v)
{
    if (t->src->shape.dtype != HALO_F32) return (int64_t)v;
    const int64_t bin = oracle_bin((double)v, 0, (double)t->how->white, t->how->bins);
    return bin == -1 ? 0 : bin == -2 ? t->how->bins - 1 : bin;
}

static void count_tile(const Tables *t, int64_t tx, int64_t ty, int c, uint64_t *count)
{
    const HaloEqualize *const how = t->how;
    for (int64_t y = ty * how->tile_height; y < (ty + 1) * how->tile_height; y++)
        for (int64_t x = tx * how->tile_width; x < (tx + 1) * how->tile_width; x++)
            for (int k = 0; k < t->src->shape.channels; k++) {
                const float v = oracle_get(t->src, t->column[x], t->row[y], k);
                const bool counts = how->joint ? k != t->alpha : k == c;
                if (counts && !isnan(v)) count[bin_of(t, v)]++;
            }
}

/* Cuts counts above the limit and redistributes the excess: evenly, then one each at a fixed distance. */
static void limit_counts(const HaloEqualize *how, uint64_t total, uint64_t *count)
{
    uint64_t most = (uint64_t)(how->limit * (double)total / (double)how->bins), cut = 0;
    if (most < 1) most = 1;
    for (int64_t b = 0; b < how->bins; b++)
        if (count[b] > most) {
            cut += count[b] - most;
            count[b] = most;
        }
    const int64_t each = (int64_t)cut / how->bins;
    int64_t left = (int64_t)cut - each * how->bins;
    for (int64_t b = 0; b < how->bins; b++) count[b] += (uint64_t)each;
    if (left == 0) return;
    const int64_t step = how->bins / left > 1 ? how->bins / left : 1;
    for (int64_t b = 0; b < how->bins && left > 0; b += step, left--) count[b]++;
}

static const float *table_of(const Tables *t, int64_t tx, int64_t ty, int c)
{
    const HaloEqualize *const how = t->how;
    float **const table = &t->table[(ty * how->tiles_x + tx) * t->src->shape.channels + c];
    if (*table != NULL) return *table;
    uint64_t *const count = oracle_memory(how->bins, sizeof *count);
    uint64_t total = 0, sum = 0, first = 0;
    const bool whole = t->src->shape.dtype != HALO_F32;
    const float top = whole ? (float)(how->bins - 1) : how->white;
    *table = oracle_memory(how->bins, sizeof **table);
    count_tile(t, tx, ty, c, count);
    for (int64_t b = how->bins - 1; b >= 0; b--) {
        total += count[b];
        if (how->from_least && count[b] > 0) first = count[b];
    }
    if (how->limit > 0) limit_counts(how, total, count);
    for (int64_t b = 0; b < how->bins; b++) {
        sum += count[b];
        const float scale = top / (float)(total - first);
        const float level = (sum < first ? 0.0f : (float)(sum - first)) * scale;
        (*table)[b] = total == first ? NAN : whole ? nearbyintf(level) : level;
    }
    free(count);
    return *table;
}

/* Neighbouring tiles of a place along one axis, and the weight of the second. */
static void around(const HaloEqualize *how, int64_t at, int64_t size, int64_t tiles, int64_t tile[2],
                   float *weight)
{
    if (!how->mixed) {
        tile[0] = tile[1] = at / size;
        *weight = 0;
        return;
    }
    const float place = (float)at * (1.0f / (float)size) - 0.5f, lower = floorf(place);
    *weight = place - lower;
    tile[0] = (int64_t)fmaxf(lower, 0.0f);
    tile[1] = (int64_t)lower + 1;
    for (int i = 0; i < 2; i++)
        if (tile[i] > tiles - 1) tile[i] = tiles - 1;
}

static float mixed(float a, float b, float weight) { return a * (1.0f - weight) + b * weight; }

static float equalized(const Tables *t, int64_t x, int64_t y, int c)
{
    const HaloEqualize *const how = t->how;
    const float v = oracle_get(t->src, x, y, c);
    int64_t tx[2], ty[2];
    float wx, wy, line[2];
    if (c == t->alpha || isnan(v)) return v;
    around(how, x, how->tile_width, how->tiles_x, tx, &wx);
    around(how, y, how->tile_height, how->tiles_y, ty, &wy);
    for (int j = 0; j < 2; j++)
        line[j] =
            mixed(table_of(t, tx[0], ty[j], c)[bin_of(t, v)], table_of(t, tx[1], ty[j], c)[bin_of(t, v)], wx);
    const float level = mixed(line[0], line[1], wy);
    return isnan(level) ? v : level;
}

uint64_t oracle_equalize(const HaloBuf *src, HaloBuf *dst, const HaloEqualize *equalize, HaloStore store)
{
    const int64_t wide = equalize->tiles_x * equalize->tile_width,
                  high = equalize->tiles_y * equalize->tile_height;
    const int64_t tables = equalize->tiles_x * equalize->tiles_y * src->shape.channels;
    Tables t = {.src = src, .how = equalize, .alpha = dst->shape.alpha};
    uint64_t clipped = 0;
    t.column = oracle_memory(wide, sizeof *t.column);
    t.row = oracle_memory(high, sizeof *t.row);
    t.table = oracle_memory(tables, sizeof *t.table);
    oracle_border(0, wide, src->shape.width, HALO_BORDER_MIRROR, t.column);
    oracle_border(0, high, src->shape.height, HALO_BORDER_MIRROR, t.row);
    for (int64_t y = 0; y < dst->rows; y++)
        for (int64_t x = 0; x < dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++)
                clipped += oracle_put(dst, x, y, c, equalized(&t, x, y, c), store);
    for (int64_t i = 0; i < tables; i++) free(t.table[i]);
    free(t.table);
    free(t.column);
    free(t.row);
    return clipped;
}
