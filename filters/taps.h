/* The coefficients of the smoothers and of the frequency filters, computed in f64 on the host and normalised
 * there. Each function allocates a mask of height 1 (taps_log, taps_disk, taps_motion: a dense one)
 * that the caller frees; HALO_ERR_USAGE names the parameter that asks for too much. */
#ifndef TAPS_H
#define TAPS_H

#include "halo/mask.h"

/* exp(-x^2 / (2 sigma^2)) at the integers of -r .. r, r = floor(truncate * sigma + 0.5); sums to 1. */
HaloStatus taps_gauss(double sigma, double truncate, HaloMask *row);

/* The same at the samples of a window, about its middle, which for an even number is between two samples; sigma
 * is 0.3 ((width - 1) / 2 - 1) + 0.8, as in OpenCV. */
HaloStatus taps_gauss_window(int64_t width, HaloMask *row);

/* Row `width` - 1 of Pascal's triangle over 2^(width - 1). */
HaloStatus taps_binomial(int64_t width, HaloMask *row);

/* The Laplacian of a Gaussian, g (x^2 + y^2 - 2 sigma^2) / sigma^4 where the samples of g sum to 1, over a
 * square of radius floor(4 sigma + 0.5), less its mean: sums to 0. Negative at the centre, like the Laplacian's
 * masks. */
HaloStatus taps_log(double sigma, HaloMask *square);

/* The part of each pixel that lies in a circle of this radius about the middle one, over the sum of them: a
 * pillbox whose edge is exact, like MATLAB's fspecial('disk', radius). A square that just holds the circle. */
HaloStatus taps_disk(double radius, HaloMask *square);

/* max(1 - d, 0), d being the distance of a pixel to a line of length - 1 through the middle one, `angle`
 * degrees counter-clockwise from the x axis, over the sum of them: what MATLAB documents of fspecial('motion',
 * length, angle). A row or a column where the angle is a multiple of 90. */
HaloStatus taps_motion(double length, double angle, HaloMask *mask);

/* The value at the centre of the polynomial of degree `order` fitted to `window` samples, an odd number, by
 * least squares, or its derivative, of samples 1 apart: A. Savitzky, M. J. E. Golay, "Smoothing and
 * differentiation of data by simplified least squares procedures", 1964. */
HaloStatus taps_savgol(int64_t window, int64_t order, int64_t derivative, HaloMask *row);
#define TAPS_SAVGOL_MAX_ORDER 20

/* The values of the same fit at the first window / 2 of its samples: a row of taps for each. */
HaloStatus taps_savgol_ends(int64_t window, int64_t order, int64_t derivative, HaloMask *ends);
#define TAPS_SAVGOL_MAX_ENDS 4095

/* The ideal filter that passes frequencies between `low` and `high`, in cycles per sample, 0 <= low < high <=
 * 0.5, under a Kaiser window of `count` taps, an odd number: low-pass where low is 0, high-pass where high is
 * 0.5. Unity gain at 0, at half the sample rate, or in the middle of the band. */
HaloStatus taps_sinc(double low, double high, int64_t count, double attenuation, HaloMask *row);

/* How many taps, an odd number, attain `attenuation` dB within a transition of that many cycles per sample.
 * J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", 1974; the same formulas
 * as in A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 7.5.3. */
double taps_sinc_count(double transition, double attenuation);

/* The attenuation of such a filter, as f32, from half a transition outside of its band on: dB. */
double taps_sinc_attenuation(const HaloMask *row, double low, double high, double transition);

/* As many taps, and such a window, that this is at least `attenuation`. */
HaloStatus taps_sinc_attaining(double low, double high, double transition, double attenuation, HaloMask *row);
/* Kaiser's window, but for a factor: I0(beta sqrt(1 - t^2)), at |t| <= 1. */
double taps_kaiser(double beta, double t);

#endif
