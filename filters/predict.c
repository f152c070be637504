#include "predict.h"

#include <math.h>

/* Noise that is added to every model, against its power. */
#define FLOOR 1e-10

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

bool predict_fit(const double *x, const double *window, int64_t n, double *work, double a[PREDICT_ORDER + 1])
{
    double r[PREDICT_ORDER + 1], last[PREDICT_ORDER + 1];
    for (int64_t i = 0; i < n; i++) work[i] = x[i] * window[i];
    for (int k = 0; k <= PREDICT_ORDER; k++) r[k] = correlation(work, n, k);
    if (!(r[0] > 0.0) || !isfinite(r[0])) return false;
    double error = r[0] * (1.0 + FLOOR);
    a[0] = 1.0;
    for (int m = 1; m <= PREDICT_ORDER; m++) {
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

void predict_residual(const double *x, int64_t n, const double *a, bool backward, double *e)
{
    const int64_t from = backward ? 0 : PREDICT_ORDER, to = backward ? n - PREDICT_ORDER : n;
    for (int64_t i = 0; i < n; i++) e[i] = i >= from && i < to ? x[i] : 0.0;
    for (int k = 1; k <= PREDICT_ORDER; k++) {
        const double *at = x + (backward ? k : -k);
        for (int64_t i = from; i < to; i++) e[i] += a[k] * at[i];
    }
}

/* The symmetric matrix of the equations depends on the distance of two samples alone. */
static void make_weights(const double *a, double weight[PREDICT_ORDER + 1])
{
    for (int lag = 0; lag <= PREDICT_ORDER; lag++) {
        weight[lag] = 0.0;
        for (int k = 0; k + lag <= PREDICT_ORDER; k++) weight[lag] += a[k] * a[k + lag];
    }
}

static double right_side(const double *x, int64_t n, int64_t at, const double *weight)
{
    double sum = 0.0;
    for (int lag = -PREDICT_ORDER; lag <= PREDICT_ORDER; lag++)
        if (at + lag >= 0 && at + lag < n) sum -= weight[lag < 0 ? -lag : lag] * x[at + lag];
    return sum;
}

/* Cholesky's factor of a band: row i holds the elements in columns i - PREDICT_ORDER ... i. */
static bool factor(double *row, const int64_t *unknown, int64_t count, const double *weight)
{
    for (int64_t i = 0; i < count; i++) {
        double *to = row + i * (PREDICT_ORDER + 1);
        const int64_t first = i > PREDICT_ORDER ? i - PREDICT_ORDER : 0;
        for (int64_t j = first; j <= i; j++) {
            const double *other = row + j * (PREDICT_ORDER + 1);
            const int64_t lag = unknown[i] - unknown[j], begin = j > PREDICT_ORDER ? j - PREDICT_ORDER : 0;
            double sum = lag <= PREDICT_ORDER ? weight[lag] : 0.0;
            for (int64_t k = begin > first ? begin : first; k < j; k++)
                sum -= to[k - i + PREDICT_ORDER] * other[k - j + PREDICT_ORDER];
            if (j == i && !(sum > 0.0)) return false;
            to[j - i + PREDICT_ORDER] = j < i ? sum / other[PREDICT_ORDER] : sqrt(sum);
        }
    }
    return true;
}

/* Forward, then back, in place. */
static void solve(const double *row, int64_t count, double *y)
{
    for (int64_t i = 0; i < count; i++) {
        const double *at = row + i * (PREDICT_ORDER + 1);
        for (int64_t j = i > PREDICT_ORDER ? i - PREDICT_ORDER : 0; j < i; j++)
            y[i] -= at[j - i + PREDICT_ORDER] * y[j];
        y[i] /= at[PREDICT_ORDER];
    }
    for (int64_t i = count - 1; i >= 0; i--) {
        const double *at = row + i * (PREDICT_ORDER + 1);
        y[i] /= at[PREDICT_ORDER];
        for (int64_t j = i > PREDICT_ORDER ? i - PREDICT_ORDER : 0; j < i; j++)
            y[j] -= at[j - i + PREDICT_ORDER] * y[i];
    }
}

bool predict_interpolate(double *x, int64_t n, const int64_t *unknown, int64_t count, const double *a,
                         double *work)
{
    double weight[PREDICT_ORDER + 1], *const y = work, *const row = work + count;
    make_weights(a, weight);
    for (int64_t i = 0; i < count; i++) x[unknown[i]] = 0.0;
    for (int64_t i = 0; i < count; i++) y[i] = right_side(x, n, unknown[i], weight);
    if (!factor(row, unknown, count, weight)) return false;
    solve(row, count, y);
    for (int64_t i = 0; i < count; i++) x[unknown[i]] = y[i];
    return true;
}

double predict_select(double *x, int64_t n, int64_t k)
{
    for (int64_t from = 0, to = n - 1; from < to;) {
        const double pivot = x[k];
        int64_t i = from, j = to;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            const double swapped = x[i];
            x[i++] = x[j];
            x[j--] = swapped;
        }
        if (j < k) from = i;
        if (i > k) to = j;
    }
    return x[k];
}
