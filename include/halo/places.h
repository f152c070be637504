/* For halo's own folders: the arithmetic of warps (warp.h) that every backend shares. */
#ifndef HALO_PLACES_H
#define HALO_PLACES_H

#include "halo/numerics.h"
#include "halo/warp.h"

/* The middle of point i of n of a pixel, from the pixel's. */
HALO_FN double halo_warp_point(int i, int n) { return (double)(2 * i + 1 - n) / (double)(2 * n); }

/* One coordinate of a place: its row of the matrix, without the part of x. */
HALO_FN double halo_warp_row(const double m[3], double y) { return m[1] * y + m[2]; }

HALO_FN void halo_warp_lens(const HaloLens *lens, double at_x, double at_y, double *u, double *v)
{
    const double x = (at_x - lens->cx) / lens->fx, y = (at_y - lens->cy) / lens->fy;
    const double xx = x * x, yy = y * y, xy = 2.0 * (x * y), r = xx + yy;
    const double over = 1.0 + r * (lens->k[0] + r * (lens->k[1] + r * lens->k[2]));
    const double under = 1.0 + r * (lens->k[3] + r * (lens->k[4] + r * lens->k[5]));
    const double s = over / under;
    const double dx = s * x + (lens->p[0] * xy + lens->p[1] * (r + 2.0 * xx));
    const double dy = s * y + (lens->p[0] * (r + 2.0 * yy) + lens->p[1] * xy);
    *u = lens->fx * dx + lens->cx;
    *v = lens->fy * dy + lens->cy;
}

/* The place of a point of the result; not of maps. */
HALO_FN void halo_warp_place(const HaloWarp *warp, double x, double y, double *u, double *v)
{
    const double *m = warp->m;
    if (warp->by == HALO_WARP_LENS) {
        halo_warp_lens(&warp->lens, x, y, u, v);
        return;
    }
    *u = m[0] * x + halo_warp_row(m, y);
    *v = m[3] * x + halo_warp_row(m + 3, y);
    if (warp->by != HALO_WARP_PERSPECTIVE) return;
    const double w = m[6] * x + halo_warp_row(m + 6, y);
    *u = *u / w;
    *v = *v / w;
}

/* A coordinate as a multiple of 1 / 4096, rounded half to even, in the low 44 bits. Adding 1.5 * 2^40 leaves no
 * bits below that. */
HALO_FN uint64_t halo_warp_fixed_near(double u)
{
    uint64_t bits;
    u = u + 1649267441664.0;
    memcpy(&bits, &u, sizeof bits);
    return bits;
}
/* Of any coordinate. */
HALO_FN uint64_t halo_warp_fixed(double u)
{
    u = u > -HALO_WARP_FAR ? u : -HALO_WARP_FAR;
    return halo_warp_fixed_near(u < HALO_WARP_FAR ? u : HALO_WARP_FAR);
}
/* The sample to the left of it (or above), and how far behind that it is. */
HALO_FN int32_t halo_warp_index(uint64_t fixed) { return (int32_t)(uint32_t)(fixed >> 12); }
HALO_FN int32_t halo_warp_phase(uint64_t fixed) { return (int32_t)(fixed & (HALO_WARP_PHASES - 1)); }
/* The nearest sample; of two the one behind. */
HALO_FN int32_t halo_warp_nearest(uint64_t fixed) { return halo_warp_index(fixed + HALO_WARP_PHASES / 2); }

/* Along one axis of a place: the samples that are read, -1: the border's value; and their weights. */
typedef struct HaloWarpAxis {
    int32_t index[HALO_WARP_TAPS];
    float weight[HALO_WARP_TAPS];
} HaloWarpAxis;

/* Catmull and Rom's weights at p / 4096, each rounded once: p, q = 4096 - p and their squares are exact, and so
 * are products of these in the fma. */
HALO_FN void halo_warp_cubic(float p, float *weight)
{
    const float unit = 1.0f / 137438953472.0f; /* 2^-37 */
    const float q = HALO_WARP_PHASES - p, pp = p * p, qq = q * q;
    weight[0] = 0.0f - p * qq * unit;
    weight[1] = halo_fma(-pp, 5.0f * HALO_WARP_PHASES - 3.0f * p, 137438953472.0f) * unit;
    weight[2] = halo_fma(-qq, 5.0f * HALO_WARP_PHASES - 3.0f * q, 137438953472.0f) * unit;
    weight[3] = 0.0f - q * pp * unit;
}

HALO_FN void halo_warp_weights(const HaloWarp *warp, int taps, int32_t phase, float *weight)
{
    if (taps == 1) {
        weight[0] = 1.0f;
    } else if (taps == 2) {
        weight[1] = (float)phase * (1.0f / HALO_WARP_PHASES);
        weight[0] = 1.0f - weight[1];
    } else if (taps == 4) {
        halo_warp_cubic((float)phase, weight);
    } else {
        for (int i = 0; i < taps; i++) weight[i] = warp->tap[phase * taps + i];
    }
}

HALO_FN int32_t halo_warp_first(int taps, uint64_t fixed)
{
    return taps == 1 ? halo_warp_nearest(fixed) : halo_warp_index(fixed) - (taps / 2 - 1);
}

/* Of n samples. */
HALO_FN void halo_warp_axis(const HaloWarp *warp, int taps, double u, int64_t n, HaloWarpAxis *axis)
{
    const uint64_t fixed = halo_warp_fixed(u);
    const int32_t first = halo_warp_first(taps, fixed);
    halo_warp_weights(warp, taps, halo_warp_phase(fixed), axis->weight);
    for (int i = 0; i < taps; i++)
        axis->index[i] = (int32_t)halo_border_index((int64_t)first + i, n, warp->border);
}

/* Are all samples that are read the border's value? Then so is the result. */
HALO_FN bool halo_warp_is_outside(const HaloWarpAxis *x, const HaloWarpAxis *y, int taps)
{
    bool out_x = true, out_y = true;
    for (int i = 0; i < taps; i++) {
        out_x = out_x & (x->index[i] < 0);
        out_y = out_y & (y->index[i] < 0);
    }
    return out_x | out_y;
}

/* A weight times a sample, added to a sum; the first is the sum. */
HALO_FN float halo_warp_add(float sum, float weight, float v, int i)
{
    return i == 0 ? weight * v : halo_fma(weight, v, sum);
}

/* What the sum over the points of a pixel is multiplied by. */
HALO_FN float halo_warp_share(const HaloWarp *warp)
{
    return (float)(1.0 / ((double)warp->samples_x * (double)warp->samples_y));
}

#endif
