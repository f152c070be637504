#include "transform.h"

#include <math.h>

#include "halo/fourier.h"

static const double pi = 3.14159265358979323846;

/* L. Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970: with jk =
 * (j^2 + k^2 - (k - j)^2) / 2 a transform is a convolution with a chirp, which transforms of a power of two
 * compute. */
static HaloStatus keep_chirp(HaloBuilder *builder, Transform *transform)
{
    const int64_t n = transform->length, m = transform->size;
    double *const chirp = halo_build_keep(builder, 2 * (size_t)n * sizeof *chirp),
                  *const kernel = halo_build_keep(builder, 2 * (size_t)m * sizeof *kernel);
    if (chirp == NULL || kernel == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int64_t i = 0; i < 2 * m; i++) kernel[i] = 0.0;
    for (int64_t k = 0, square = 0; k < n; square = (square + 2 * k + 1) % (2 * n), k++) {
        const double angle = pi * (double)square / (double)n;
        chirp[2 * k] = cos(angle);
        chirp[2 * k + 1] = -sin(angle);
        for (int side = 0; side < 2; side++) {
            double *const at = kernel + 2 * (side == 0 || k == 0 ? k : m - k);
            at[0] = cos(angle) / (double)m;
            at[1] = sin(angle) / (double)m;
        }
    }
    halo_fourier(kernel, m, transform->turn, m);
    transform->chirp = chirp;
    transform->kernel = kernel;
    return HALO_OK;
}

HaloStatus transform_keep(HaloBuilder *builder, int64_t length, Transform *transform)
{
    const bool even = (length & (length - 1)) == 0 && length > 1;
    int64_t size = 2;
    while (size < (even ? length : 2 * length - 1)) size *= 2;
    double *const turn = halo_build_keep(builder, (size_t)(size + 2) * sizeof *turn);
    if (turn == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    halo_fourier_turns(size, turn);
    *transform = (Transform){.length = length, .size = size, .turn = turn};
    return even ? HALO_OK : keep_chirp(builder, transform);
}

/* a b, or, conjugated, what a transform makes an inverse one of. */
static void multiply(double *a, const double *b, bool conjugated)
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    a[0] = re;
    a[1] = conjugated ? -im : im;
}

static void convolve_chirp(const Transform *transform, double *z)
{
    const int64_t n = transform->length, m = transform->size;
    for (int64_t k = n; k-- > 0;) {
        const double x = z[k];
        z[2 * k] = x * transform->chirp[2 * k];
        z[2 * k + 1] = x * transform->chirp[2 * k + 1];
    }
    for (int64_t i = 2 * n; i < 2 * m; i++) z[i] = 0.0;
    halo_fourier(z, m, transform->turn, m);
    for (int64_t k = 0; k < m; k++) multiply(z + 2 * k, transform->kernel + 2 * k, true);
    halo_fourier(z, m, transform->turn, m);
}

/* The last factor of Bluestein's, exp(-pi i k^2 / n), has magnitude 1. */
void transform_power(const Transform *transform, double *x, double *power)
{
    if (transform->chirp == NULL)
        halo_fourier_real(x, transform->length, transform->turn);
    else
        convolve_chirp(transform, x);
    for (int64_t k = 0; k <= transform->length / 2; k++)
        power[k] = x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1];
}
