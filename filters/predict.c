#include "predict.h"

#include <math.h>

/* Noise that is added to every model, against its power. */
#define FLOOR 1e-10

/* Residuals that are computed together, in registers. */
#define TOGETHER 16

/* In four sums. */
static double correlation(const double *x, int64_t n, int64_t lag)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = lag;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] * x[i + k - lag];
    for (; i < n; i++) sum[0] += x[i] * x[i - lag];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool predict_fit(const double *x, const double *window, int64_t n, int order, double *work, double *a)
{
    double r[PREDICT_MOST + 1], last[PREDICT_MOST + 1];
    for (int64_t i = 0; i < n; i++) work[i] = x[i] * window[i];
    for (int k = 0; k <= order; k++) r[k] = correlation(work, n, k);
    if (!(r[0] > 0.0) || !isfinite(r[0])) return false;
    double error = r[0] * (1.0 + FLOOR);
    a[0] = 1.0;
    for (int m = 1; m <= order; m++) {
        double sum = r[m];
        for (int k = 1; k < m; k++) sum += a[k] * r[m - k];
        const double reflection = -sum / error;
        for (int k = 1; k < m; k++) last[k] = a[k];
        for (int k = 1; k < m; k++) a[k] = last[k] + reflection * last[m - k];
        a[m] = reflection;
        error *= 1.0 - reflection * reflection;
    }
    return error > 0.0;
}

void predict_residual(const double *x, int64_t n, const double *a, int order, bool backward, double *e)
{
    const int64_t from = backward ? 0 : order, to = backward ? n - order : n;
    const int64_t step = backward ? 1 : -1;
    for (int64_t i = 0; i < n; i++) e[i] = i >= from && i < to ? x[i] : 0.0;
    int64_t i = from;
    for (; i + TOGETHER <= to; i += TOGETHER) {
        double sum[TOGETHER];
        for (int j = 0; j < TOGETHER; j++) sum[j] = x[i + j];
        for (int k = 1; k <= order; k++)
            for (int j = 0; j < TOGETHER; j++) sum[j] += a[k] * x[i + k * step + j];
        for (int j = 0; j < TOGETHER; j++) e[i + j] = sum[j];
    }
    for (; i < to; i++)
        for (int k = 1; k <= order; k++) e[i] += a[k] * x[i + k * step];
}

/* The symmetric matrix of the equations depends on the distance of two samples alone. */
static void make_weights(const double *a, int order, double *weight)
{
    for (int lag = 0; lag <= order && lag <= PREDICT_MOST; lag++) { /* the same, which GCC 14 does not see */
        weight[lag] = 0.0;
        for (int k = 0; k + lag <= order; k++) weight[lag] += a[k] * a[k + lag];
    }
}

static double right_side(const double *x, int64_t n, int64_t at, int order, const double *weight)
{
    double sum = 0.0;
    for (int lag = -order; lag <= order; lag++)
        if (at + lag >= 0 && at + lag < n) sum -= weight[lag < 0 ? -lag : lag] * x[at + lag];
    return sum;
}

/* Cholesky's factor of a band: row i holds the elements in columns i - order ... i. */
static bool factor(double *row, const int64_t *unknown, int64_t count, int order, const double *weight)
{
    for (int64_t i = 0; i < count; i++) {
        double *to = row + i * (order + 1);
        const int64_t first = i > order ? i - order : 0;
        for (int64_t j = first; j <= i; j++) {
            const double *other = row + j * (order + 1);
            const int64_t lag = unknown[i] - unknown[j], begin = j > order ? j - order : 0;
            double sum = lag <= order ? weight[lag] : 0.0;
            for (int64_t k = begin > first ? begin : first; k < j; k++)
                sum -= to[k - i + order] * other[k - j + order];
            if (j == i && !(sum > 0.0)) return false;
            to[j - i + order] = j < i ? sum / other[order] : sqrt(sum);
        }
    }
    return true;
}

/* Forward, then back, in place. */
static void solve(const double *row, int64_t count, int order, double *y)
{
    for (int64_t i = 0; i < count; i++) {
        const double *at = row + i * (order + 1);
        for (int64_t j = i > order ? i - order : 0; j < i; j++) y[i] -= at[j - i + order] * y[j];
        y[i] /= at[order];
    }
    for (int64_t i = count - 1; i >= 0; i--) {
        const double *at = row + i * (order + 1);
        y[i] /= at[order];
        for (int64_t j = i > order ? i - order : 0; j < i; j++) y[j] -= at[j - i + order] * y[i];
    }
}

bool predict_interpolate(double *x, int64_t n, const int64_t *unknown, int64_t count, const double *a,
                         int order, double *work)
{
    double weight[PREDICT_MOST + 1], *const y = work, *const row = work + count;
    make_weights(a, order, weight);
    for (int64_t i = 0; i < count; i++) x[unknown[i]] = 0.0;
    for (int64_t i = 0; i < count; i++) y[i] = right_side(x, n, unknown[i], order, weight);
    if (!factor(row, unknown, count, order, weight)) return false;
    solve(row, count, order, y);
    for (int64_t i = 0; i < count; i++) x[unknown[i]] = y[i];
    return true;
}

static void swap_if(double *x, int64_t i, int64_t *end, bool wanted)
{
    const double v = x[i];
    x[i] = x[*end];
    x[*end] = v;
    *end += wanted;
}

/* Parts by comparisons whose results no branch depends on: half of those would be predicted wrongly. */
double predict_select(double *x, int64_t n, int64_t k)
{
    for (int64_t from = 0, to = n; to - from > 1;) {
        const double pivot = x[k];
        int64_t less = from;
        for (int64_t i = from; i < to; i++) swap_if(x, i, &less, x[i] < pivot);
        if (k < less) {
            to = less;
            continue;
        }
        int64_t equal = less;
        for (int64_t i = less; i < to; i++) swap_if(x, i, &equal, !(x[i] > pivot));
        if (k < equal) return pivot;
        from = equal;
    }
    return x[k];
}
