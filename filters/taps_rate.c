/* The weights of another sample rate: a sinc under Kaiser's window, as wide as the lower of the two rates has
 * it. */
#include <math.h>
#include <stdlib.h>

#include "geometry.h"
#include "taps.h"

static const double pi = 3.14159265358979323846;

/* Where the response is down to a half, of the lower rate's half: the pass band goes to 0.95 of that, the stop
 * band begins at 1. Half the window's length, in samples of the lower rate, and its shape: 121 dB (A. V.
 * Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", section 7.5.3), so that with taps in f32 more
 * than 120 are left. */
#define MIDDLE 0.975
#define RADIUS 157.5
#define BETA 12.375

/* The table grows with what rates do not have in common. Those that people use have far less. */
#define MOST_TAPS ((int64_t)1 << 22)

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/* Output i lies at sample i * down / up: of the samples around it, in units of 1 / up, those less than `wide`
 * away. */
static void reach(int64_t i, int64_t up, int64_t down, int64_t wide, int64_t *first, int64_t *count)
{
    *first = floor_div(i * down - wide, up) + 1;
    *count = -floor_div(-(i * down + wide), up) - *first;
}

/* The weights at 0 to wide - 1 such units of distance; `unit` of them are a sample of the lower rate. All that
 * there are, on both sides, add up to `up`. NULL without memory. */
static double *make_weights(int64_t wide, double unit, int64_t up)
{
    double *weight = malloc((size_t)wide * sizeof *weight), sum = 0.0;
    for (int64_t k = 0; k < wide && weight != NULL; k++) {
        const double x = (double)k / unit, y = pi * MIDDLE * x;
        weight[k] = (k == 0 ? 1.0 : sin(y) / y) * taps_kaiser(BETA, x / RADIUS);
        sum += k == 0 ? weight[k] : 2.0 * weight[k];
    }
    for (int64_t k = 0; k < wide && weight != NULL; k++) weight[k] = weight[k] / sum * (double)up;
    return weight;
}

int64_t taps_rate_reach(int64_t up, int64_t down)
{
    const int64_t reach = (int64_t)ceil(RADIUS * (double)(up > down ? up : down)) / up + 1;
    return (reach + down - 1) / down * down;
}

HaloStatus taps_rate(HaloBuilder *builder, int64_t length, int64_t up, int64_t down, HaloResampleAxis *axis)
{
    HaloStatus status = HALO_OK;
    const double unit = (double)(up > down ? up : down);
    const int64_t wide = (int64_t)ceil(RADIUS * unit);
    double *weight = NULL;
    *axis =
        (HaloResampleAxis){.length = length, .up = up, .down = down, .taps = 2 * wide / up + 1, .cut = true};
    axis->size = length / down * up + (length % down * up + down - 1) / down;
    if (axis->taps > MOST_TAPS / up)
        HALO_FAIL(HALO_ERR_USAGE,
                  "rate: %lld samples for every %lld: such a ratio needs a table of %lld rows of %lld taps; "
                  "choose a rate nearby",
                  (long long)up, (long long)down, (long long)up, (long long)axis->taps);
    weight = make_weights(wide, unit, up);
    int64_t *const first = halo_build_keep(builder, (size_t)up * sizeof *first);
    int64_t *const count = halo_build_keep(builder, (size_t)up * sizeof *count);
    float *const tap = halo_build_keep(builder, (size_t)(up * axis->taps) * sizeof *tap);
    double *const all = halo_build_keep(builder, (size_t)(up * axis->taps) * sizeof *all);
    if (weight == NULL || first == NULL || count == NULL || tap == NULL || all == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld rows of taps", (long long)up);
    for (int64_t i = 0; i < up; i++) {
        reach(i, up, down, wide, &first[i], &count[i]);
        for (int64_t j = 0; j < count[i]; j++) {
            const double one = weight[llabs((first[i] + j) * up - i * down)];
            all[i * axis->taps + j] = one;
            tap[i * axis->taps + j] = (float)one;
        }
    }
    axis->first = first;
    axis->count = count;
    axis->tap = tap;
    axis->wide = all;
out:
    free(weight);
    return status;
}
