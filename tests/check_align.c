/* Fourier transforms of any length and of pictures against sums. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "align/part.h"
#include "random.h"

static const double pi = 3.141592653589793;

static double *draw(Rng *rng, int64_t n)
{
    double *v = malloc(sizeof *v * (size_t)n);
    for (int64_t i = 0; i < n; i++) v[i] = (double)rng_float(rng, -1, 1);
    return v;
}

static void transforms_of_any_length(Rng *rng)
{
    const int64_t n = rng_between(rng, 1, 70);
    const bool inverse = rng_once_in(rng, 2);
    double *z = draw(rng, 2 * n), *said = malloc(sizeof *said * 2 * (size_t)n);
    Dft dft;
    for (int64_t k = 0; k < n; k++) {
        double complex sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += (z[2 * j] + z[2 * j + 1] * I) *
                   cexp((inverse ? 2 : -2) * pi * I * (double)(j * k % n) / (double)n);
        said[2 * k] = creal(sum);
        said[2 * k + 1] = cimag(sum);
    }
    assert_int_equal(dft_open(n, &dft), HALO_OK);
    double *scratch = malloc(sizeof *scratch * (size_t)(dft_scratch(&dft) + 1));
    dft_run(&dft, z, inverse, scratch);
    for (int64_t k = 0; k < 2 * n; k++)
        if (!(fabs(z[k] - said[k]) < 1e-12)) fail_case(NULL, "%d: %g, not %g", (int)n, z[k], said[k]);
    dft_close(&dft);
    free(scratch);
    free(said);
    free(z);
}

/* The number at (k, l) of the transform of a picture. */
static double complex bin_of(const double *v, int64_t width, int64_t height, int64_t k, int64_t l)
{
    double complex sum = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            sum += v[y * width + x] *
                   cexp(-2 * pi * I *
                        ((double)(k * x % width) / (double)width + (double)(l * y % height) / (double)height));
    return sum;
}

static void transforms_of_pictures(Rng *rng)
{
    const int64_t width = rng_between(rng, 1, 20), height = rng_between(rng, 1, 20);
    HaloPool *pool;
    Planes planes;
    double *v = draw(rng, width * height);
    assert_int_equal(halo_pool_new(2, &pool), HALO_OK);
    assert_int_equal(planes_open(width, height, 2, pool, NULL, &planes), HALO_OK);
    double *spectrum = malloc(sizeof *spectrum * (size_t)planes_size(&planes));
    for (int64_t i = 0; i < width * height; i++) spectrum[i / width * 2 * planes.bins + i % width] = v[i];
    planes_forward(&planes, spectrum);
    for (int64_t l = 0; l < height; l++)
        for (int64_t k = 0; k < planes.bins; k++) {
            const double *is = spectrum + 2 * (l * planes.bins + k);
            if (!(cabs(bin_of(v, width, height, k, l) - (is[0] + is[1] * I)) < 1e-11))
                fail_case(NULL, "%d x %d: bin %d, %d", (int)width, (int)height, (int)k, (int)l);
        }
    planes_back(&planes, spectrum);
    for (int64_t i = 0; i < width * height; i++)
        if (!(fabs(spectrum[i / width * 2 * planes.bins + i % width] / (double)(width * height) - v[i]) <
              1e-13))
            fail_case(NULL, "%d x %d: sample %d", (int)width, (int)height, (int)i);
    planes_close(&planes);
    halo_pool_free(pool);
    free(spectrum);
    free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(transforms_of_any_length, 200),
        random_test(transforms_of_pictures, 60),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
