#include "halo/fourier.h"

#include <math.h>

static const double pi = 3.141592653589793238;

void halo_fourier_turns(int64_t n, double *turn)
{
    for (int64_t k = 0; k <= n / 2; k++) {
        const bool quarter = 4 * k == n, half = 2 * k == n;
        turn[2 * k] = quarter ? 0.0 : half ? -1.0 : cos(2.0 * pi * (double)k / (double)n);
        turn[2 * k + 1] = quarter ? -1.0 : half ? 0.0 : -sin(2.0 * pi * (double)k / (double)n);
    }
}

/* n pairs, their order that of their numbers with the bits reversed. */
static void reverse_bits(double *z, int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        for (int k = 0; k < 2; k++) {
            const double kept = z[2 * i + k];
            z[2 * i + k] = z[2 * j + k];
            z[2 * j + k] = kept;
        }
    }
}

void halo_fourier(double *z, int64_t n, const double *turn, int64_t m)
{
    reverse_bits(z, n);
    for (int64_t size = 2; size <= n; size *= 2) {
        const int64_t half = size / 2, apart = m / size;
        for (int64_t from = 0; from < n; from += size)
            for (int64_t k = 0; k < half; k++) {
                double *const a = z + 2 * (from + k), *const b = a + 2 * half;
                const double re = turn[2 * k * apart], im = turn[2 * k * apart + 1];
                const double t_re = re * b[0] - im * b[1], t_im = re * b[1] + im * b[0];
                b[0] = a[0] - t_re;
                b[1] = a[1] - t_im;
                a[0] = a[0] + t_re;
                a[1] = a[1] + t_im;
            }
    }
}

/* Of samples as pairs Z is the transform: with A = Z(k) and B the conjugate of Z(N - k), N = n / 2, E = (A + B)
 * / 2 and O = (A - B) / 2, bin k is E - i turn(k) O, and bin N - k the conjugate of E + i turn(k) O. */
void halo_fourier_real(double *x, int64_t n, const double *turn)
{
    const int64_t half = n / 2;
    halo_fourier(x, half, turn, n);
    x[n] = x[0];
    x[n + 1] = x[1];
    for (int64_t k = 0; k <= half / 2; k++) {
        double *const a = x + 2 * k, *const b = x + 2 * (half - k);
        const double e_re = 0.5 * (a[0] + b[0]), e_im = 0.5 * (a[1] - b[1]);
        const double o_re = 0.5 * (a[0] - b[0]), o_im = 0.5 * (a[1] + b[1]);
        const double t_re = turn[2 * k] * o_im + turn[2 * k + 1] * o_re,
                     t_im = turn[2 * k] * o_re - turn[2 * k + 1] * o_im;
        a[0] = e_re + t_re;
        a[1] = e_im - t_im;
        b[0] = e_re - t_re;
        b[1] = -(e_im + t_im);
    }
}

/* The inverse of the above: E = (X(k) + B) / 2, D = (X(k) - B) / 2 = -i turn(k) O, B the conjugate of X(N - k).
 */
void halo_fourier_real_back(double *x, int64_t n, const double *turn)
{
    const int64_t half = n / 2;
    const double scale = 1.0 / (double)half;
    x[1] = x[n + 1] = 0.0;
    for (int64_t k = 0; k <= half / 2; k++) {
        double *const a = x + 2 * k, *const b = x + 2 * (half - k);
        const double e_re = 0.5 * (a[0] + b[0]), e_im = 0.5 * (a[1] - b[1]);
        const double d_re = 0.5 * (a[0] - b[0]), d_im = 0.5 * (a[1] + b[1]);
        const double o_re = -(turn[2 * k] * d_im - turn[2 * k + 1] * d_re),
                     o_im = turn[2 * k] * d_re + turn[2 * k + 1] * d_im;
        /* Conjugates, of which the forward transform makes the conjugate of the inverse. */
        a[0] = e_re + o_re;
        a[1] = -(e_im + o_im);
        b[0] = e_re - o_re;
        b[1] = e_im - o_im;
    }
    halo_fourier(x, half, turn, n);
    for (int64_t i = 0; i < half; i++) {
        x[2 * i] = x[2 * i] * scale;
        x[2 * i + 1] = -(x[2 * i + 1] * scale);
    }
}
