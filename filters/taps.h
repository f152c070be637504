/* The coefficients of the smoothers and of the frequency filters, computed in f64 on the host and normalised
 * there. Each function allocates a mask of height 1 (taps_log: a square) that the caller frees; HALO_ERR_USAGE
 * names the parameter that asks for too much. */
#ifndef TAPS_H
#define TAPS_H

#include "halo/mask.h"

/* `width` equal taps that sum to 1. */
HaloStatus taps_box(int64_t width, HaloMask *row);

/* exp(-x^2 / (2 sigma^2)) at the whole numbers of -r .. r, r = floor(truncate * sigma + 0.5); sums to 1. */
HaloStatus taps_gauss(double sigma, double truncate, HaloMask *row);

/* Row `width` - 1 of Pascal's triangle over 2^(width - 1). */
HaloStatus taps_binomial(int64_t width, HaloMask *row);

/* The Laplacian of a Gaussian, g (x^2 + y^2 - 2 sigma^2) / sigma^4 where the samples of g sum to 1, over a
 * square of radius floor(4 sigma + 0.5), less its mean: sums to 0. Negative at the centre, like the Laplacian's
 * masks. */
HaloStatus taps_log(double sigma, HaloMask *square);

/* The value at the centre of the polynomial of degree `order` fitted to `window` samples, an odd number, by
 * least squares: A. Savitzky, M. J. E. Golay, "Smoothing and differentiation of data by simplified least
 * squares procedures", 1964. */
HaloStatus taps_savgol(int64_t window, int64_t order, HaloMask *row);
#define TAPS_SAVGOL_MAX_ORDER 20

/* A low-pass filter, or its complement: an ideal one of cut-off `cutoff`, in cycles per sample (0 .. 0.5),
 * under a Kaiser window of `count` taps, an odd number. Unity gain at 0, or at half the sample rate for
 * high-pass. */
typedef enum TapsBand { TAPS_LOWPASS, TAPS_HIGHPASS } TapsBand;
HaloStatus taps_sinc(TapsBand band, double cutoff, int64_t count, double attenuation, HaloMask *row);

/* How many taps, an odd number, attain `attenuation` dB within a transition of that many cycles per sample.
 * J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function", 1974; the same formulas
 * as in A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 7.5.3. */
double taps_sinc_count(double transition, double attenuation);

#endif
