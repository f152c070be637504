/* Linear prediction: a sample as a weighted sum of those before it (docs/numerics.md, "Clicks and clipping").
 */
#ifndef PREDICT_H
#define PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#define PREDICT_MOST 64 /* coefficients */

/* The coefficients a[0] = 1, ..., a[order] that make the sum of a[k] x[i - k] small, by the
 * autocorrelation of x under `window` and Levinson's recursion. False: x is silent, or not finite. `work` holds
 * n numbers. */
bool predict_fit(const double *x, const double *window, int64_t n, int order, double *work, double *a);

/* e[i] = the sum of a[k] x[i - k], or, backward, of a[k] x[i + k]; 0 where it would reach beyond the ends. */
void predict_residual(const double *x, int64_t n, const double *a, int order, bool backward, double *e);

/* Gives the samples x[unknown[i]], in ascending order, the values that make the sum of all squared residuals
 * least. False: there are none, and x is lost. `work` holds predict_work(count, order) numbers. */
bool predict_interpolate(double *x, int64_t n, const int64_t *unknown, int64_t count, const double *a,
                         int order, double *work);
static inline int64_t predict_work(int64_t count, int order) { return count * (order + 2); }

/* The element at place k of x sorted, which is reordered. */
double predict_select(double *x, int64_t n, int64_t k);

#endif
