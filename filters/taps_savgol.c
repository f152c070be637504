/* Coefficients of the Savitzky-Golay smoother. */
#include <math.h>

#include "taps.h"

/* The fit at the centre is the sum over k of q_k(0) q_k(x), where q_0, q_1, … are the polynomials that are
 * orthonormal on the samples -m .. m (Gram's, or discrete Chebyshev's). They follow
 *     beta_{k+1} q_{k+1}(x) = x q_k(x) - beta_k q_{k-1}(x),   beta_k^2 = k^2 (n^2 - k^2) / (4 (4k^2 - 1)),
 * (W. Gautschi, "Orthogonal Polynomials: Computation and Approximation", 2004, section 1.5): no system of
 * equations, so nothing ill-conditioned. The odd ones are 0 at the centre. */
HaloStatus taps_savgol(int64_t window, int64_t order, HaloMask *row)
{
    double beta[TAPS_SAVGOL_MAX_ORDER + 2] = {0}, centre[TAPS_SAVGOL_MAX_ORDER + 2];
    if (window % 2 == 0)
        return halo_fail(HALO_ERR_USAGE, "window has to be odd, not %lld: take %lld or %lld samples",
                         (long long)window, (long long)window - 1, (long long)window + 1);
    if (order < 0 || order >= window || order > TAPS_SAVGOL_MAX_ORDER)
        return halo_fail(HALO_ERR_USAGE, "order has to be less than the window, %lld, and at most %d, not %lld",
                         (long long)window, TAPS_SAVGOL_MAX_ORDER, (long long)order);
    const HaloStatus status = halo_mask_alloc(row, window, 1);
    if (status != HALO_OK) return status;
    const int64_t m = window / 2;
    const double n = (double)window;
    for (int64_t k = 1; k <= order; k++)
        beta[k] = sqrt((double)(k * k) * ((n - (double)k) * (n + (double)k)) / (4.0 * (double)(4 * k * k - 1)));
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
