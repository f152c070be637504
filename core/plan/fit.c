/* Least squares by normal equations, which are well conditioned here: the functions are nearly orthogonal. */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "fit.h"

/* The functions are smooth: this many phases are enough, and this many positions to find the factors. */
#define PHASES 8
#define PLACES 16
/* The weight of positions that hardly count. */
#define LOOSE 1e-3

static int64_t phases_of(const Fit *fit) { return smaller(fit->phases, PHASES); }

static int64_t phase_of(const Fit *fit, int64_t i) { return i * fit->phases / phases_of(fit); }

static double tap_at(const HaloSepTaps *taps, int64_t place)
{
    const int64_t i = place - taps->first;
    return i >= 0 && i < taps->count ? (double)taps->tap[i] : 0.0;
}

static double weight_at(const Fit *fit, int64_t place)
{
    const int64_t i = place - fit->tap.first, n = fit->tap.count;
    const bool loose = (i >= -fit->loose && i < fit->loose) || (i >= n - fit->loose && i < n + fit->loose);
    return loose ? LOOSE : 1.0;
}

static double made(const Fit *fit, const float *factor, int64_t phase, int64_t place)
{
    double value[FIT_WIDEST], sum = 0;
    int64_t from;
    const int n = fit->at(fit->context, phase, place, &from, value);
    for (int i = 0; i < n; i++) {
        const int64_t at = from + i - fit->first;
        if (at >= 0 && at < fit->count) sum += value[i] * (double)factor[at];
    }
    return sum;
}

/* ---- the equations -------------------------------------------------------------------------------------- */

/* Adds the equations of one position; their last column is the right side. */
static void add_place(const Fit *fit, int64_t phase, int64_t place, double *equation)
{
    double value[FIT_WIDEST];
    int64_t from;
    const double weight = weight_at(fit, place), target = tap_at(&fit->tap, place);
    const int n = fit->at(fit->context, phase, place, &from, value);
    for (int i = 0; i < n; i++) {
        const int64_t row = from + i - fit->first;
        if (row < 0 || row >= fit->count) continue;
        double *to = equation + row * (fit->count + 1);
        for (int k = 0; k < n; k++) {
            const int64_t column = from + k - fit->first;
            if (column >= 0 && column < fit->count) to[column] += weight * value[i] * value[k];
        }
        to[fit->count] += weight * value[i] * target;
    }
}

/* Gauss-Jordan elimination without pivoting: the matrix is symmetric and positive definite. */
static bool eliminate(double *equation, int64_t count)
{
    const int64_t pitch = count + 1;
    for (int64_t a = 0; a < count; a++) {
        const double *pivot = equation + a * pitch;
        if (!(pivot[a] > 0)) return false;
        for (int64_t r = 0; r < count; r++) {
            double *row = equation + r * pitch;
            const double share = row[a] / pivot[a];
            if (r == a || share == 0.0) continue;
            for (int64_t k = a; k < pitch; k++) row[k] -= share * pivot[k];
        }
    }
    return true;
}

bool fit_solve(const Fit *fit, float *factor)
{
    const int64_t n = fit->count, stride = larger(1, fit->phases / PLACES);
    double *equation = calloc((size_t)(n * (n + 1)), sizeof *equation);
    if (equation == NULL) return false;
    for (int64_t p = 0; p < phases_of(fit); p++)
        for (int64_t place = fit->lowest; place <= fit->highest; place += stride)
            add_place(fit, phase_of(fit, p), place, equation);
    const bool solved = eliminate(equation, n);
    for (int64_t i = 0; solved && i < n; i++)
        factor[i] = (float)(equation[i * (n + 1) + n] / equation[i * (n + 1) + i]);
    free(equation);
    return solved;
}

/* ---- what is left --------------------------------------------------------------------------------------- */

double fit_left(const Fit *fit, const float *factor, int64_t place)
{
    double sum = 0;
    for (int64_t p = 0; p < phases_of(fit); p++) sum += made(fit, factor, phase_of(fit, p), place);
    return tap_at(&fit->tap, place) - sum / (double)phases_of(fit);
}

double fit_error(const Fit *fit, const float *factor, const HaloSepTaps rest[2])
{
    double most = 0;
    for (int64_t p = 0; p < phases_of(fit); p++) {
        double sum = 0;
        for (int64_t place = fit->lowest; place <= fit->highest; place++)
            sum += fabs(tap_at(&fit->tap, place) - made(fit, factor, phase_of(fit, p), place) -
                        tap_at(&rest[0], place) - tap_at(&rest[1], place));
        if (!(sum <= most)) most = sum; /* NaN, too */
    }
    return most;
}
