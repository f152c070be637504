/* Coefficients of disk and motion: shapes drawn on the grid of pixels. */
#include <math.h>

#include "taps.h"

/* The area under the circle of radius r from 0 to y. */
static double under_circle(double r, double y)
{
    return 0.5 * (y * sqrt(fmax(r * r - y * y, 0.0)) + r * r * asin(fmin(y / r, 1.0)));
}

static double limit(double value, double min, double max) { return fmin(fmax(value, min), max); }

/* The area of pixel (i, j), 0 <= j <= i, inside the circle. On the axes it is twice that of half the pixel. For
 * y below `full` the circle lies beyond the far side of the pixel, from `none` on before the near side. */
static double covered(double r, int64_t i, int64_t j)
{
    const double x0 = i > 0 ? (double)i - 0.5 : 0.0, x1 = (double)i + 0.5;
    const double y0 = j > 0 ? (double)j - 0.5 : 0.0, y1 = (double)j + 0.5;
    const double full = limit(sqrt(fmax(r * r - x1 * x1, 0.0)), y0, y1);
    const double none = limit(sqrt(fmax(r * r - x0 * x0, 0.0)), y0, y1);
    const double area =
        (full - y0) * (x1 - x0) + (under_circle(r, none) - under_circle(r, full)) - x0 * (none - full);
    return fmax(area, 0.0) * (i > 0 ? 1.0 : 2.0) * (j > 0 ? 1.0 : 2.0);
}

HaloStatus taps_disk(double radius, HaloMask *square)
{
    const int64_t m = (int64_t)ceil(radius - 0.5), n = 2 * m + 1;
    double sum = 0.0;
    const HaloStatus status = halo_mask_alloc(square, n, n);
    if (status != HALO_OK) return status;
    for (int64_t i = 0; i <= m; i++)
        for (int64_t j = 0; j <= i; j++) { /* an eighth of the circle, and the seven others alike */
            const double area = covered(radius, i, j);
            for (int mirrored = 0; mirrored < 8; mirrored++) {
                const int64_t x = mirrored & 1 ? -i : i, y = mirrored & 2 ? -j : j;
                square->tap[mirrored & 4 ? (m + x) * n + m + y : (m + y) * n + m + x] = area;
            }
        }
    for (int64_t k = 0; k < n * n; k++) sum += square->tap[k];
    for (int64_t k = 0; k < n * n; k++) square->tap[k] /= sum;
    return HALO_OK;
}

HaloStatus taps_motion(double length, double angle, HaloMask *mask)
{
    static const double radians = 3.14159265358979323846 / 180.0;
    /* A pixel a whole one beyond the end has no weight, and the cosine of 90 degrees is not quite 0: without
     * the slack both would add empty rows. */
    static const double slack = 1e-9;
    const double c = cos(angle * radians), s = sin(angle * radians), half = (length - 1.0) / 2.0;
    const int64_t mx = (int64_t)(half * fabs(c) + 1.0 - slack), my = (int64_t)(half * fabs(s) + 1.0 - slack);
    double sum = 0.0;
    const HaloStatus status = halo_mask_alloc(mask, 2 * mx + 1, 2 * my + 1);
    if (status != HALO_OK) return status;
    for (int64_t j = 0; j < mask->height; j++)
        for (int64_t i = 0; i < mask->width; i++) {
            const double x = (double)(i - mx), y = (double)(my - j); /* upwards, as angles are counted */
            const double along = limit(x * c + y * s, -half, half);
            const double dx = x - along * c, dy = y - along * s;
            const double tap = fmax(1.0 - sqrt(dx * dx + dy * dy), 0.0);
            mask->tap[j * mask->width + i] = tap;
            sum += tap;
        }
    for (int64_t k = 0; k < mask->width * mask->height; k++) mask->tap[k] /= sum;
    return HALO_OK;
}
