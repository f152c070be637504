/* Fourier transforms of any length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/fourier.h"
#include "part.h"

static const double pi = 3.141592653589793;

/* exp(-i pi k^2 / n): k^2 is reduced first, which is exact. */
static void fill_chirp(Dft *dft)
{
    const int64_t n = dft->length, m = dft->padded;
    for (int64_t k = 0, square = 0; k < n; k++) {
        const double angle = pi * (double)square / (double)n;
        dft->chirp[2 * k] = cos(angle);
        dft->chirp[2 * k + 1] = -sin(angle);
        square = (square + 2 * k + 1) % (2 * n);
    }
    memset(dft->kernel, 0, sizeof(double) * 2 * (size_t)m);
    for (int64_t k = 0; k < n; k++) {
        double *const ahead = dft->kernel + 2 * k, *const behind = dft->kernel + 2 * ((m - k) % m);
        ahead[0] = behind[0] = dft->chirp[2 * k] / (double)m;
        ahead[1] = behind[1] = -dft->chirp[2 * k + 1] / (double)m;
    }
    halo_fourier(dft->kernel, m, dft->turn, m);
}

HaloStatus dft_open(int64_t length, Dft *dft)
{
    HaloStatus status = HALO_OK;
    int64_t power = 1;
    while (power < length) power *= 2;
    *dft = (Dft){.length = length, .padded = power == length ? power : 1};
    while (dft->padded < 2 * length - 1 && power != length) dft->padded *= 2;
    dft->turn = malloc(sizeof(double) * (size_t)(dft->padded + 2));
    if (dft->turn == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    halo_fourier_turns(dft->padded, dft->turn);
    if (power == length) return HALO_OK;
    dft->chirp = malloc(sizeof(double) * 2 * (size_t)length);
    dft->kernel = malloc(sizeof(double) * 2 * (size_t)dft->padded);
    if (dft->chirp == NULL || dft->kernel == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    fill_chirp(dft);
out:
    return status;
}

void dft_close(Dft *dft)
{
    free(dft->turn);
    free(dft->chirp);
    free(dft->kernel);
}

int64_t dft_scratch(const Dft *dft) { return dft->chirp != NULL ? 2 * dft->padded : 0; }

/* The inverse is the transform with real and imaginary parts exchanged. */
static void exchange(double *z, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const double re = z[2 * k];
        z[2 * k] = z[2 * k + 1];
        z[2 * k + 1] = re;
    }
}

/* to = a * b */
static void multiply(const double *a, const double *b, int64_t n, double *to)
{
    for (int64_t k = 0; k < n; k++) {
        const double re = a[2 * k] * b[2 * k] - a[2 * k + 1] * b[2 * k + 1],
                     im = a[2 * k] * b[2 * k + 1] + a[2 * k + 1] * b[2 * k];
        to[2 * k] = re;
        to[2 * k + 1] = im;
    }
}

static void by_chirp(const Dft *dft, double *z, double *scratch)
{
    const int64_t n = dft->length, m = dft->padded;
    multiply(z, dft->chirp, n, scratch);
    memset(scratch + 2 * n, 0, sizeof(double) * 2 * (size_t)(m - n));
    halo_fourier(scratch, m, dft->turn, m);
    multiply(scratch, dft->kernel, m, scratch);
    exchange(scratch, m);
    halo_fourier(scratch, m, dft->turn, m);
    exchange(scratch, m);
    multiply(scratch, dft->chirp, n, z);
}

void dft_run(const Dft *dft, double *z, bool inverse, double *scratch)
{
    if (inverse) exchange(z, dft->length);
    if (dft->chirp != NULL)
        by_chirp(dft, z, scratch);
    else
        halo_fourier(z, dft->length, dft->turn, dft->padded);
    if (inverse) exchange(z, dft->length);
}
