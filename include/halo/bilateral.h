/* Weighted means of the samples of a window that lie near its middle and are like the one there. */
#ifndef HALO_BILATERAL_H
#define HALO_BILATERAL_H

#include "halo/numerics.h"

/* Of a Gaussian's weight, exp(-x), the part that is made of x: halo_bilateral_weight(CUT - x) in units where
 * the largest CUT - x is 1 is near exp(-x) times a constant, within 0.0007 of the largest; from CUT on it is 0.
 */
#define HALO_BILATERAL_CUT 9.05
#define HALO_BILATERAL_BEND 0.6

/* Every pixel p of the window, of those that `span` says belong to it, in row-major order, counts with a
 * weight. With every sample v of a pixel times `scale`, and d = v of p - v of the pixel in the middle, in each
 * channel:
 *
 *   y = start of p, then y = fma(-d, d, y) for one channel after the other
 *   w = halo_bilateral_weight(y, bend); sum of each channel = fma(w, d, sum), weight = weight + w, all from +0
 *   out = (v of the middle + sum / weight) * unscale
 *
 * each rounded to f32 once. Under nan_ignore w and every d of a pixel whose y is a NaN are +0. So weights fall
 * with the distance in the picture, which `start` has, and with that of all channels together. */
struct HaloBilateral {
    HaloWindow window;    /* of odd sides; its middle is the output sample, or, for VALID, is offset from it */
    const HaloSpan *span; /* [height] */
    const float *start;   /* [height][width], at most 1 */
    float bend;
    const double *wide; /* the same two for f64; NULL: of images */
    double wide_bend;
    float scale, unscale; /* powers of two */
};

/* (s * (s^2 + bend))^2 with s = y^2, for y from 0 to 1; 0 where y is less or a NaN. */
HALO_FN float halo_bilateral_weight(float y, float bend)
{
#if defined(__CUDA_ARCH__)
    const float t = __saturatef(y);
#else
    const float t = y > 0.0f ? y : 0.0f;
#endif
    const float s = t * t, u = s * halo_fma(s, s, bend);
    return u * u;
}

#endif
