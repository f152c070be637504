/* The oracle of dithering. */
#include <math.h>
#include <stdlib.h>

#include "halo/dither.h"
#include "oracle.h"

/* D. Bayer's matrix by its recursion: [4 M, 4 M + 2; 4 M + 3, 4 M + 1]. */
static int bayer(int x, int y, int side)
{
    static const int quarter[2][2] = {{0, 2}, {3, 1}};
    if (side == 1) return 0;
    const int half = side / 2;
    return 4 * bayer(x % half, y % half, half) + quarter[y / half][x / half];
}

static uint64_t scramble(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static float level_of(const HaloDither *how, float at) { return at < 0 ? 0 : at > how->most ? how->most : at; }

static float dithered(const HaloDither *how, float v, int64_t x, int64_t y, int c)
{
    const float at = v * how->scale;
    if (how->kind == HALO_DITHER_ORDERED)
        return level_of(how, floorf(at + ((float)bayer((int)(x % 8), (int)(y % 8), 8) + 0.5f) / 64));
    const uint64_t golden = 0x9e3779b97f4a7c15u, row = scramble((uint64_t)(y + 1) * golden);
    const uint64_t r = scramble(row + (uint64_t)(x * 64 + c) * golden);
    const float moved = at + (float)((int64_t)(r >> 40) - (int64_t)(r & 0xffffff)) / 16777216;
    return level_of(how, nearbyintf(moved) + 0.0f); /* no -0 */
}

/* error[y][x]: what comes from above; each row in turn, from left to right. */
static uint64_t diffuse(const HaloBuf *src, HaloBuf *dst, int c, const HaloDither *how, HaloStore store)
{
    const int64_t cols = dst->cols, rows = dst->rows;
    float *error = oracle_memory((cols + 2) * (rows + 1), sizeof *error);
    uint64_t clipped = 0;
    for (int64_t i = 0; i < (cols + 2) * (rows + 1); i++) error[i] = 0;
    for (int64_t y = 0; y < rows; y++) {
        float left = 0;
        for (int64_t x = 0; x < cols; x++) {
            float *below = error + (y + 1) * (cols + 2) + x;
            const float v = oracle_get(src, dst->x0 + x, dst->y0 + y, c) * how->scale;
            const float wanted = (v + error[y * (cols + 2) + x + 1]) + left;
            const float level = level_of(how, fabsf(wanted) < 1e6f ? nearbyintf(wanted) + 0.0f : wanted);
            const float lost = isfinite(wanted - level) ? wanted - level : 0;
            left = lost * (7 / 16.0f);
            below[0] += lost * (3 / 16.0f);
            below[1] += lost * (5 / 16.0f);
            below[2] += lost / 16;
            clipped += oracle_put(dst, dst->x0 + x, dst->y0 + y, c, level * how->unit, store);
        }
    }
    free(error);
    return clipped;
}

uint64_t oracle_dither(const HaloBuf *src, HaloBuf *dst, const HaloDither *how, HaloStore store)
{
    uint64_t clipped = 0;
    for (int c = 0; c < dst->shape.channels; c++) {
        if (how->kind == HALO_DITHER_ERROR && c != dst->shape.alpha) {
            clipped += diffuse(src, dst, c, how, store);
            continue;
        }
        for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
            for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++) {
                const float v = oracle_get(src, x, y, c);
                clipped += oracle_put(dst, x, y, c,
                                      c == dst->shape.alpha ? v : dithered(how, v, x, y, c) * how->unit, store);
            }
    }
    return clipped;
}
