/* Coefficients of gauss, binomial and log. */
#include <math.h>
#include <string.h>

#include "taps.h"

HaloStatus taps_gauss(double sigma, double truncate, HaloMask *row)
{
    const double radius = floor(truncate * sigma + 0.5);
    double sum = 0.0;
    if (!(sigma > 0.0) || !(radius >= 0.0) || 2.0 * radius + 1.0 > HALO_MASK_MAX_SIDE)
        return halo_fail(HALO_ERR_USAGE, "a gaussian of sigma %g would need %g coefficients, more than %d",
                         sigma, 2.0 * radius + 1.0, HALO_MASK_MAX_SIDE);
    const int64_t r = (int64_t)radius;
    const HaloStatus status = halo_mask_alloc(row, 2 * r + 1, 1);
    if (status != HALO_OK) return status;
    for (int64_t x = r; x >= 0; x--) { /* the small ones first, for the sum's sake */
        const double t = (double)x / sigma, tap = exp(-0.5 * t * t);
        row->tap[r - x] = row->tap[r + x] = tap;
        sum += x == 0 ? tap : 2.0 * tap;
    }
    for (int64_t i = 0; i < row->width; i++) row->tap[i] /= sum;
    return HALO_OK;
}

HaloStatus taps_gauss_window(int64_t width, HaloMask *row)
{
    const double middle = (double)(width - 1) / 2, sigma = 0.3 * (middle - 1.0) + 0.8;
    const HaloStatus status = halo_mask_alloc(row, width, 1);
    double sum = 0.0;
    if (status != HALO_OK) return status;
    for (int64_t i = 0; i < (width + 1) / 2; i++) { /* from both ends */
        const double t = ((double)i - middle) / sigma, tap = exp(-0.5 * t * t);
        row->tap[i] = row->tap[width - 1 - i] = tap;
        sum += 2 * i == width - 1 ? tap : 2.0 * tap;
    }
    for (int64_t i = 0; i < width; i++) row->tap[i] /= sum;
    return HALO_OK;
}

HaloStatus taps_binomial(int64_t width, HaloMask *row)
{
    const HaloStatus status = halo_mask_alloc(row, width, 1);
    if (status != HALO_OK) return status;
    /* Each row of the triangle is the mean of the one before and itself moved by one: no factorial, no
     * overflow, and exact while f64 holds the counts. */
    row->tap[0] = 1.0;
    for (int64_t n = 1; n < width; n++)
        for (int64_t k = n; k >= 0; k--) row->tap[k] = 0.5 * (row->tap[k] + (k > 0 ? row->tap[k - 1] : 0.0));
    return HALO_OK;
}

/* Subtracts their mean from the taps, so that they sum to 0. */
static void balance(HaloMask *mask)
{
    const int64_t count = mask->width * mask->height;
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += mask->tap[i];
    const double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) mask->tap[i] -= mean;
}

HaloStatus taps_log(double sigma, HaloMask *square)
{
    HaloMask gauss = {0};
    HaloStatus status = HALO_OK;
    memset(square, 0, sizeof *square);
    HALO_TRY(taps_gauss(sigma, 4.0, &gauss));
    HALO_TRY(halo_mask_alloc(square, gauss.width, gauss.width));
    const int64_t n = gauss.width, r = n / 2;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double x = (double)(i - r) / sigma, y = (double)(j - r) / sigma;
            square->tap[j * n + i] = gauss.tap[i] * gauss.tap[j] * (x * x + y * y - 2.0) / (sigma * sigma);
        }
    balance(square);
out:
    halo_mask_free(&gauss);
    return status;
}
