/* Coefficients of the Savitzky-Golay smoother, and of its derivatives. */
#include <math.h>
#include <string.h>

#include "taps.h"

/* The fit at the centre is the sum over k of q_k(0) q_k(x), where q_0, q_1, … are the polynomials that are
 * orthonormal on the samples -m .. m (Gram's, or discrete Chebyshev's). They follow
 *     beta_{k+1} q_{k+1}(x) = x q_k(x) - beta_k q_{k-1}(x),   beta_k^2 = k^2 (n^2 - k^2) / (4 (4k^2 - 1)),
 * (W. Gautschi, "Orthogonal Polynomials: Computation and Approximation", 2004, section 1.5): no system of
 * equations, so nothing ill-conditioned. The odd ones are 0 at the centre. Derivative d of the fit has the same
 * sum with derivatives of the former factor, which follow
 *     beta_{k+1} q_{k+1}^(d)(x) = x q_k^(d)(x) + d q_k^(d-1)(x) - beta_k q_{k-1}^(d)(x). */
static HaloStatus check_fit(int64_t window, int64_t order, int64_t derivative)
{
    if (window % 2 == 0)
        return halo_fail(HALO_ERR_USAGE, "window has to be odd, not %lld: use %lld or %lld samples",
                         (long long)window, (long long)window - 1, (long long)window + 1);
    if (order < 0 || order >= window || order > TAPS_SAVGOL_MAX_ORDER)
        return halo_fail(HALO_ERR_USAGE, "order has to be less than the window, %lld, and at most %d, not %lld",
                         (long long)window, TAPS_SAVGOL_MAX_ORDER, (long long)order);
    if (derivative < 0 || derivative > order)
        return halo_fail(HALO_ERR_USAGE,
                         "deriv %lld of a polynomial of degree %lld is 0: raise order, or lower deriv",
                         (long long)derivative, (long long)order);
    return HALO_OK;
}

/* beta_1 .. beta_order for n samples. */
static void recurrence(int64_t window, int64_t order, double beta[TAPS_SAVGOL_MAX_ORDER + 2])
{
    const double n = (double)window;
    for (int64_t k = 1; k <= order; k++)
        beta[k] = sqrt((double)(k * k) * ((n - (double)k) * (n + (double)k)) / (4.0 * (double)(4 * k * k - 1)));
}

/* q_0(x) .. q_order(x), or their derivatives. */
static void polynomials(int64_t order, int64_t derivative, const double *beta, double first, double x,
                        double *q)
{
    double lower[TAPS_SAVGOL_MAX_ORDER + 1], made[TAPS_SAVGOL_MAX_ORDER + 1] = {0};
    for (int64_t d = 0; d <= derivative; d++) {
        memcpy(lower, made, sizeof lower);
        made[0] = d == 0 ? first : 0.0;
        for (int64_t k = 0; k < order; k++) {
            const double before = k > 0 ? made[k - 1] : 0.0;
            made[k + 1] = (x * made[k] + (double)d * lower[k] - beta[k] * before) / beta[k + 1];
        }
    }
    memcpy(q, made, sizeof *q * (size_t)(order + 1));
}

/* The weights of the samples of a window in the derivative of the fit at x = `at`. */
static void fit(int64_t window, int64_t order, int64_t derivative, double at, double *tap)
{
    double beta[TAPS_SAVGOL_MAX_ORDER + 2] = {0}, here[TAPS_SAVGOL_MAX_ORDER + 1], q[TAPS_SAVGOL_MAX_ORDER + 1];
    const int64_t m = window / 2;
    const double first = 1.0 / sqrt((double)window);
    recurrence(window, order, beta);
    polynomials(order, derivative, beta, first, at, here);
    for (int64_t x = 0; x < window; x++) {
        double sum = 0.0;
        polynomials(order, 0, beta, first, (double)(x - m), q);
        for (int64_t k = 0; k <= order; k++) sum += here[k] * q[k];
        tap[x] = sum;
    }
}

/* Taps at equal distances from the centre are the same, but for the sign of odd derivatives. */
HaloStatus taps_savgol(int64_t window, int64_t order, int64_t derivative, HaloMask *row)
{
    HaloStatus status = check_fit(window, order, derivative);
    if (status == HALO_OK) status = halo_mask_alloc(row, window, 1);
    if (status != HALO_OK) return status;
    fit(window, order, derivative, 0.0, row->tap);
    const double sign = derivative % 2 == 0 ? 1.0 : -1.0;
    for (int64_t x = 0; x < window / 2; x++) row->tap[x] = sign * row->tap[window - 1 - x];
    if (derivative % 2 == 1) row->tap[window / 2] = 0.0;
    return HALO_OK;
}

HaloStatus taps_savgol_ends(int64_t window, int64_t order, int64_t derivative, HaloMask *ends)
{
    const int64_t m = window / 2;
    HaloStatus status = check_fit(window, order, derivative);
    if (status == HALO_OK && window > TAPS_SAVGOL_MAX_ENDS)
        status = halo_fail(HALO_ERR_USAGE, "edge=interp supports windows of up to %d samples, not %lld",
                           TAPS_SAVGOL_MAX_ENDS, (long long)window);
    if (status == HALO_OK) status = halo_mask_alloc(ends, window, m > 0 ? m : 1);
    if (status != HALO_OK) return status;
    ends->height = m; /* a window of one sample has no ends */
    for (int64_t i = 0; i < m; i++) fit(window, order, derivative, (double)(i - m), ends->tap + i * window);
    return HALO_OK;
}
