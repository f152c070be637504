/* Coefficients of the Savitzky-Golay smoother. */
#include <math.h>

#include "taps.h"

/* The fit at the centre is the sum over k of q_k(0) q_k(x), where q_0, q_1, … are the polynomials that are
 * orthonormal on the samples -m .. m (Gram's, or discrete Chebyshev's). They follow
 *     beta_{k+1} q_{k+1}(x) = x q_k(x) - beta_k q_{k-1}(x),   beta_k^2 = k^2 (n^2 - k^2) / (4 (4k^2 - 1)),
 * (W. Gautschi, "Orthogonal Polynomials: Computation and Approximation", 2004, section 1.5): no system of
 * equations, so nothing ill-conditioned. The odd ones are 0 at the centre. */
static HaloStatus check_fit(int64_t window, int64_t order)
{
    if (window % 2 == 0)
        return halo_fail(HALO_ERR_USAGE, "window has to be odd, not %lld: use %lld or %lld samples",
                         (long long)window, (long long)window - 1, (long long)window + 1);
    if (order < 0 || order >= window || order > TAPS_SAVGOL_MAX_ORDER)
        return halo_fail(HALO_ERR_USAGE, "order has to be less than the window, %lld, and at most %d, not %lld",
                         (long long)window, TAPS_SAVGOL_MAX_ORDER, (long long)order);
    return HALO_OK;
}

/* beta_1 .. beta_order for n samples. */
static void recurrence(int64_t window, int64_t order, double beta[TAPS_SAVGOL_MAX_ORDER + 2])
{
    const double n = (double)window;
    for (int64_t k = 1; k <= order; k++)
        beta[k] = sqrt((double)(k * k) * ((n - (double)k) * (n + (double)k)) / (4.0 * (double)(4 * k * k - 1)));
}

HaloStatus taps_savgol(int64_t window, int64_t order, HaloMask *row)
{
    double beta[TAPS_SAVGOL_MAX_ORDER + 2] = {0}, centre[TAPS_SAVGOL_MAX_ORDER + 2];
    HaloStatus status = check_fit(window, order);
    if (status == HALO_OK) status = halo_mask_alloc(row, window, 1);
    if (status != HALO_OK) return status;
    const int64_t m = window / 2;
    const double n = (double)window;
    recurrence(window, order, beta);
    for (int64_t x = 0; x <= m; x++) { /* symmetric; 0 first, which fills `centre` */
        double before = 0.0, q = 1.0 / sqrt(n), sum = 0.0;
        for (int64_t k = 0; k <= order; k++) {
            if (x == 0) centre[k] = q;
            sum += centre[k] * q;
            if (k == order) break;
            const double next = ((double)x * q - beta[k] * before) / beta[k + 1];
            before = q;
            q = next;
        }
        row->tap[m - x] = row->tap[m + x] = sum;
    }
    return HALO_OK;
}

/* q_0(x) .. q_order(x) */
static void polynomials(int64_t window, int64_t order, const double *beta, double x, double *q)
{
    double before = 0.0;
    q[0] = 1.0 / sqrt((double)window);
    for (int64_t k = 0; k < order; k++) {
        q[k + 1] = (x * q[k] - beta[k] * before) / beta[k + 1];
        before = q[k];
    }
}

/* The fit at i - m is the sum over k of q_k(i - m) q_k(x). */
HaloStatus taps_savgol_ends(int64_t window, int64_t order, HaloMask *ends)
{
    double beta[TAPS_SAVGOL_MAX_ORDER + 2] = {0}, at[TAPS_SAVGOL_MAX_ORDER + 1], q[TAPS_SAVGOL_MAX_ORDER + 1];
    const int64_t m = window / 2;
    HaloStatus status = check_fit(window, order);
    if (status == HALO_OK && window > TAPS_SAVGOL_MAX_ENDS)
        status = halo_fail(HALO_ERR_USAGE, "edge=interp supports windows of up to %d samples, not %lld",
                           TAPS_SAVGOL_MAX_ENDS, (long long)window);
    if (status == HALO_OK) status = halo_mask_alloc(ends, window, m > 0 ? m : 1);
    if (status != HALO_OK) return status;
    ends->height = m; /* a window of one sample has no ends */
    recurrence(window, order, beta);
    for (int64_t i = 0; i < m; i++) {
        polynomials(window, order, beta, (double)(i - m), at);
        for (int64_t x = 0; x < window; x++) {
            double sum = 0.0;
            polynomials(window, order, beta, (double)(x - m), q);
            for (int64_t k = 0; k <= order; k++) sum += at[k] * q[k];
            ends->tap[i * window + x] = sum;
        }
    }
    return HALO_OK;
}
