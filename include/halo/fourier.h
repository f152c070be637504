/* Fourier transforms in f64 of 2^k samples, radix 2, decimated in time: the same operations in the same order
 * everywhere (docs/numerics.md, "Spectra"). */
#ifndef HALO_FOURIER_H
#define HALO_FOURIER_H

#include <stdint.h>

#include "halo/fail.h"

#ifdef __cplusplus
extern "C" {
#endif

/* turn[2k], turn[2k + 1] = exp(-2 pi i k / n), 0 <= k <= n / 2; n a power of two. */
HALO_API void halo_fourier_turns(int64_t n, double *turn);
/* n complex samples, pairs, in place: z(k) becomes the sum of z(j) exp(-2 pi i j k / n). `turn` is the table of
 * m, a multiple of n. */
HALO_API void halo_fourier(double *z, int64_t n, const double *turn, int64_t m);
/* n real samples become n / 2 + 1 complex bins, in place: x holds n + 2 numbers. `turn` is the table of n, n >=
 * 2. */
HALO_API void halo_fourier_real(double *x, int64_t n, const double *turn);
/* The inverse: n / 2 + 1 bins become n samples. The imaginary parts of the first and the last bin are taken for
 * 0. */
HALO_API void halo_fourier_real_back(double *x, int64_t n, const double *turn);

#ifdef __cplusplus
}
#endif
#endif
