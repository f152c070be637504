/* The oracle of warps. */
#include <math.h>

#include "oracle.h"

/* The middles of so many parts of a pixel. */
static double point(int i, int n) { return (double)(2 * i + 1 - n) / (double)(2 * n); }

static void through_lens(const HaloLens *lens, double px, double py, double place[2])
{
    const double x = (px - lens->cx) / lens->fx, y = (py - lens->cy) / lens->fy;
    const double x2 = x * x, y2 = y * y, twice = 2.0 * (x * y), r = x2 + y2;
    double over = lens->k[2], under = lens->k[5];
    for (int i = 1; i >= 0; i--) {
        over = lens->k[i] + r * over;
        under = lens->k[3 + i] + r * under;
    }
    const double s = (1.0 + r * over) / (1.0 + r * under);
    const double tangential_x = lens->p[0] * twice + lens->p[1] * (r + 2.0 * x2);
    const double tangential_y = lens->p[0] * (r + 2.0 * y2) + lens->p[1] * twice;
    place[0] = lens->fx * (s * x + tangential_x) + lens->cx;
    place[1] = lens->fy * (s * y + tangential_y) + lens->cy;
}

void oracle_warp_place(const HaloWarp *warp, const HaloBuf *map, int64_t x, int64_t y, int i, int j,
                       double place[2])
{
    const double px = (double)x + point(i, warp->samples_x), py = (double)y + point(j, warp->samples_y);
    if (warp->by == HALO_WARP_MAP) {
        place[0] = (double)oracle_get(map, x, y, 0);
        place[1] = (double)oracle_get(map, x, y, 1);
    } else if (warp->by == HALO_WARP_LENS) {
        through_lens(&warp->lens, px, py, place);
    } else {
        double row[3];
        for (int k = 0; k < 3; k++) {
            const double y_part = warp->m[3 * k + 1] * py, rest = y_part + warp->m[3 * k + 2];
            row[k] = warp->m[3 * k] * px + rest;
        }
        place[0] = warp->by == HALO_WARP_PERSPECTIVE ? row[0] / row[2] : row[0];
        place[1] = warp->by == HALO_WARP_PERSPECTIVE ? row[1] / row[2] : row[1];
    }
}

/* oracle_border takes a step for each sample outside: whole periods are left out first, and what repeats for
 * ever. */
static int64_t border_at(int64_t at, int64_t n, HaloBorder border)
{
    const int64_t twice = border == HALO_BORDER_MIRROR && n > 1 ? 2 * n - 2 : 2 * n;
    const bool repeats =
        border == HALO_BORDER_MIRROR || border == HALO_BORDER_REFLECT || border == HALO_BORDER_WRAP;
    int64_t index;
    if (repeats && (at < 0 || at >= n)) at %= twice;
    if (!repeats && at < -1) at = -1;
    if (!repeats && at > n) at = n;
    oracle_border(at, 1, n, border, &index);
    return index;
}

/* Catmull and Rom's kernel; its weights add up to 1. */
static double cubic(double x)
{
    const double a = fabs(x);
    return a < 1 ? 1.5 * a * a * a - 2.5 * a * a + 1 : 2 - 4 * a + 2.5 * a * a - 0.5 * a * a * a;
}

void oracle_warp_axis(const HaloWarp *warp, double place, int64_t n, int64_t index[6], float weight[6])
{
    const double limit = 1073741824.0;
    if (isnan(place) || place < -limit) place = -limit;
    if (place > limit) place = limit;
    const int64_t units = (int64_t)nearbyint(place * 4096.0);
    const int64_t floor_of = units >= 0 ? units / 4096 : -((-units + 4095) / 4096);
    const int64_t phase = units - 4096 * floor_of;
    int64_t first = floor_of;
    if (warp->taps == 1) first += phase >= 2048;
    if (warp->taps == 4) first -= 1;
    if (warp->taps == 6) first -= 2;
    for (int i = 0; i < warp->taps; i++) {
        index[i] = border_at(first + i, n, warp->border);
        weight[i] = warp->taps == 1   ? 1.0f
                    : warp->taps == 2 ? (i == 1 ? (float)phase / 4096.0f : 1.0f - (float)phase / 4096.0f)
                    : warp->taps == 4 ? (float)cubic(i - 1 - (double)phase / 4096.0)
                                      : warp->tap[phase * warp->taps + i];
    }
}

static bool all_outside(const int64_t *index, int taps)
{
    int outside = 0;
    for (int i = 0; i < taps; i++) outside += index[i] < 0;
    return outside == taps;
}

static float sample_at(const HaloWarp *warp, const HaloBuf *src, const double place[2], int c)
{
    const float outside = warp->border == HALO_BORDER_CONSTANT ? (float)warp->value : 0.0f;
    int64_t x[6], y[6];
    float wx[6], wy[6], sum = 0.0f;
    oracle_warp_axis(warp, place[0], src->shape.width, x, wx);
    oracle_warp_axis(warp, place[1], src->shape.height, y, wy);
    if (all_outside(x, warp->taps) || all_outside(y, warp->taps)) return outside;
    for (int j = 0; j < warp->taps; j++) {
        float row = 0.0f;
        for (int i = 0; i < warp->taps; i++) {
            const float v = x[i] < 0 || y[j] < 0 ? outside : oracle_get(src, x[i], y[j], c);
            row = i == 0 ? wx[0] * v : fmaf(wx[i], v, row);
        }
        sum = j == 0 ? wy[0] * row : fmaf(wy[j], row, sum);
    }
    return sum;
}

uint64_t oracle_warp(const HaloBuf *src, const HaloBuf *map, HaloBuf *dst, const HaloWarp *warp,
                     HaloStore store)
{
    const int points = warp->samples_x * warp->samples_y;
    uint64_t clipped = 0;
    for (int64_t y = dst->y0; y < dst->y0 + dst->rows; y++)
        for (int64_t x = dst->x0; x < dst->x0 + dst->cols; x++)
            for (int c = 0; c < dst->shape.channels; c++) {
                float all = 0.0f;
                for (int j = 0; j < warp->samples_y; j++) {
                    float row = 0.0f;
                    for (int i = 0; i < warp->samples_x; i++) {
                        double place[2];
                        oracle_warp_place(warp, map, x, y, i, j, place);
                        const float one = sample_at(warp, src, place, c);
                        row = i == 0 ? one : row + one;
                    }
                    all = j == 0 ? row : all + row;
                }
                if (points > 1) all *= (float)(1.0 / points);
                clipped += oracle_put(dst, x, y, c, all, store);
            }
    return clipped;
}
