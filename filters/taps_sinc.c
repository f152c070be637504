/* Coefficients of the windowed-sinc filters. */
#include <math.h>

#include "taps.h"

static const double pi = 3.14159265358979323846;

/* The modified Bessel function of order 0, by its power series: all terms are positive, and 21 dB to 200 dB ask
 * for no x beyond 22. */
static double bessel_i0(double x)
{
    const double quarter = x * x / 4.0;
    double term = 1.0, sum = 1.0;
    for (double k = 1.0; term > sum * 1e-17; k += 1.0) {
        term *= quarter / (k * k);
        sum += term;
    }
    return sum;
}

static double kaiser_beta(double attenuation)
{
    if (attenuation > 50.0) return 0.1102 * (attenuation - 8.7);
    if (attenuation > 21.0) return 0.5842 * pow(attenuation - 21.0, 0.4) + 0.07886 * (attenuation - 21.0);
    return 0.0;
}

double taps_sinc_count(double transition, double attenuation)
{
    const double count = ceil((attenuation - 7.95) / (2.285 * 2.0 * pi * transition) + 1.0);
    return fmod(count, 2.0) == 0.0 ? count + 1.0 : count;
}

/* The impulse response of the ideal low-pass filter, `m` samples from its centre. All of the spectrum is just
 * an impulse: the sine of whole multiples of pi is not quite 0. */
static double ideal(double cutoff, int64_t m)
{
    if (cutoff >= 0.5) return m == 0 ? 1.0 : 0.0;
    return m == 0 ? 2.0 * cutoff : sin(2.0 * pi * cutoff * (double)m) / (pi * (double)m);
}

/* Half of the impulse response is computed; `m` counts from the centre. */
HaloStatus taps_sinc(double low, double high, int64_t count, double attenuation, HaloMask *row)
{
    const HaloStatus status = halo_mask_alloc(row, count, 1);
    if (status != HALO_OK) return status;
    const int64_t half = count / 2;
    const double beta = kaiser_beta(attenuation), peak = bessel_i0(beta);
    const double middle = low <= 0.0 ? 0.0 : high >= 0.5 ? 0.5 : 0.5 * (low + high);
    double gain = 0.0;
    for (int64_t m = half; m >= 0; m--) {
        const double t = half > 0 ? (double)m / (double)half : 0.0;
        const double window = bessel_i0(beta * sqrt(1.0 - t * t)) / peak;
        const double tap = (ideal(high, m) - ideal(low, m)) * window;
        row->tap[half - m] = row->tap[half + m] = tap;
        gain += cos(2.0 * pi * middle * (double)m) * (m == 0 ? tap : 2.0 * tap);
    }
    for (int64_t i = 0; i < count; i++) row->tap[i] /= gain;
    return HALO_OK;
}
