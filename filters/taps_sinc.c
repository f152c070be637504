/* Coefficients of the windowed-sinc filters. */
#include <math.h>
#include <stdbool.h>

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

double taps_kaiser(double beta, double t) { return bessel_i0(beta * sqrt(1.0 - t * t)); }

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

/* ---- what a design keeps --------------------------------------------------------------------------------- */

/* What is left of a sine at this frequency: the response of the coefficients as they are used, in f32. */
static double left_at(const HaloMask *row, double frequency)
{
    const int64_t half = row->width / 2;
    const double turn_re = cos(2.0 * pi * frequency), turn_im = sin(2.0 * pi * frequency);
    double sum = 0.0, re = 1.0, im = 0.0;
    for (int64_t m = 0; m <= half; m++) {
        const double tap = (double)(float)row->tap[half + m], next = re * turn_re - im * turn_im;
        sum += m == 0 ? tap : 2.0 * tap * re;
        im = re * turn_im + im * turn_re;
        re = next;
    }
    return fabs(sum);
}

/* The largest gain in the stop band from `edge` towards `end`, sampled at `points` frequencies per ripple. */
static double most_near(const HaloMask *row, double edge, double end, int64_t points, int64_t count)
{
    const double step = (end > edge ? 1.0 : -1.0) / ((double)points * (double)row->width);
    double most = left_at(row, end);
    for (int64_t i = 0; i < count && fabs(step) * (double)i < fabs(end - edge); i++) {
        const double left = left_at(row, edge + step * (double)i);
        if (left > most) most = left;
    }
    return most;
}

/* The most that is left from `edge` to `end`, which is 0 or 0.5. The first ripple is steep. They get smaller
 * away from the band, but for those at the end, where they meet their own image: of many the first and the last
 * tell. */
static double most_left(const HaloMask *row, double edge, double end)
{
    enum { FINE = 128, FINE_RIPPLES = 4, POINTS = 16, WORK = 1 << 24, LEAST_RIPPLES = 8 };
    const int64_t looks = WORK / row->width + LEAST_RIPPLES * POINTS;
    const double first = most_near(row, edge, end, FINE, FINE * FINE_RIPPLES),
                 others = most_near(row, edge, end, POINTS, looks),
                 last = most_near(row, end, edge, POINTS, looks);
    return fmax(first, fmax(others, last));
}

double taps_sinc_attenuation(const HaloMask *row, double low, double high, double transition)
{
    const double below = low - transition / 2.0, above = high + transition / 2.0;
    const double left_below = low > 0.0 && below >= 0.0 ? most_left(row, below, 0.0) : 0.0,
                 left_above = high < 0.5 && above <= 0.5 ? most_left(row, above, 0.5) : 0.0;
    return -20.0 * log10(fmax(left_below, left_above)); /* without stop bands infinite */
}

/* Kaiser's formulas are for one edge and many coefficients: what is missing is asked for in addition. */
HaloStatus taps_sinc_attaining(double low, double high, double transition, double attenuation, HaloMask *row)
{
    enum { TRIES = 60 };
    const double spare = 0.1, least = 0.25; /* dB: between the points that are looked at; and to get on */
    double asked = attenuation;
    for (int i = 0; i < TRIES; i++) {
        const double count = taps_sinc_count(transition, asked);
        if (!(count <= HALO_MASK_MAX_SIDE)) break;
        const HaloStatus status = taps_sinc(low, high, count > 1.0 ? (int64_t)count : 1, asked, row);
        if (status != HALO_OK) return status;
        const double missing = attenuation + spare - taps_sinc_attenuation(row, low, high, transition);
        if (missing <= 0.0) return HALO_OK;
        asked += missing > least ? missing : least;
        halo_mask_free(row);
    }
    return halo_fail(HALO_ERR_USAGE,
                     "%g dB would need more than %d taps: lower the attenuation, or widen the transition",
                     attenuation, HALO_MASK_MAX_SIDE);
}
