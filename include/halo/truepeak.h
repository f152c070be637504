/* For halo's own folders: not installed, and hidden in libhalo.so.
 *
 * Interpolation, by which true peaks are found: what lies between two samples is a sum of sin(x)/x over `side`
 * samples to each side, in a Kaiser window. */
#ifndef HALO_TRUEPEAK_H
#define HALO_TRUEPEAK_H

#ifdef __cplusplus
extern "C" {
#endif

/* That of halo's own meter. */
#define HALO_TRUE_PEAK_SIDE 64
#define HALO_TRUE_PEAK_BETA 6.0

/* The weight of sample n + i - (side - 1) in the value at n + `part`, 0 < part < 1. */
double halo_true_peak_tap(int side, double beta, double part, int i);

#ifdef __cplusplus
}
#endif
#endif
