/* Peaks of samples that come in parts, against the definition of scipy.signal.find_peaks over all of them. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "apart.h"
#include "draw.h"
#include "oracle.h"
#include "prominence.h"

enum { MOST = 400 };

/* Integers have many equal samples; some samples are NaN or infinite; sums of them are slopes. */
static int64_t draw_samples(Rng *rng, double *x)
{
    const int64_t n = rng_between(rng, 1, MOST), kind = rng_between(rng, 0, 3);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)rng_between(rng, -4, 4) + (kind > 1 ? rng_unit(rng) : 0.0);
        if (kind % 2 == 1 && i > 0) x[i] += x[i - 1];
    }
    for (int64_t i = 0; i < n && rng_once_in(rng, 2); i++) {
        const int64_t at = rng_between(rng, 0, n - 1);
        x[at] = rng_once_in(rng, 2) ? (double)NAN : rng_once_in(rng, 2) ? (double)INFINITY : -(double)INFINITY;
    }
    return n;
}

/* ---- by definition -------------------------------------------------------------------------------------- */

static double base_at(const double *x, int64_t n, int64_t peak)
{
    double least[2] = {x[peak], x[peak]};
    for (int side = 0; side < 2; side++)
        for (int64_t i = peak; i >= 0 && i < n && x[i] <= x[peak]; i += 2 * side - 1)
            least[side] = x[i] < least[side] ? x[i] : least[side];
    return least[0] > least[1] ? least[0] : least[1];
}

static double crossing(const double *x, int64_t n, int64_t peak, int step, double level)
{
    int64_t i = peak;
    while (i + step >= 0 && i + step < n && level < x[i]) i += step;
    if (x[i] < level && isinf(x[i])) return (double)(i - step);
    return x[i] < level ? (double)i - step * ((level - x[i]) / (x[i - step] - x[i])) : (double)i;
}

/* The greatest that is left stays, of equal ones the last, and drops those near to it. */
static void keep_apart(const double *x, const int64_t *at, bool *kept, int64_t count, int64_t distance)
{
    bool *left = malloc((size_t)count + 1);
    for (int64_t k = 0; k < count; k++) left[k] = true, kept[k] = false;
    for (;;) {
        int64_t best = -1;
        for (int64_t k = 0; k < count; k++)
            if (left[k] && (best < 0 || x[at[k]] >= x[at[best]])) best = k;
        if (best < 0) break;
        kept[best] = true;
        for (int64_t k = 0; k < count; k++)
            if (llabs(at[k] - at[best]) < distance || k == best) left[k] = false;
    }
    free(left);
}

static int64_t find(const double *x, int64_t n, double height, int64_t *at)
{
    int64_t count = 0;
    for (int64_t i = 1, last; i < n - 1; i = last + 1) {
        last = i;
        while (last < n - 1 && x[last + 1] == x[i]) last++;
        if (last < n - 1 && x[i - 1] < x[i] && x[last + 1] < x[i] && x[i] >= height)
            at[count++] = (i + last) / 2;
    }
    return count;
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

static void search_in_parts(Rng *rng, const PeakLimits *limits, const double *x, int64_t n, HaloTable *table)
{
    void *state;
    HaloTableLine line = {.dtype = HALO_F64, .step = 1, .rows = 1, .rate = 8.0};
    assert_int_equal(peak_search_open(limits, INT64_MAX, &state), HALO_OK);
    for (int64_t from = 0; from < n; from += line.frames) {
        line.sample = x + from;
        line.frames = rng_between(rng, 1, n - from);
        assert_int_equal(peak_search_add(state, &line, table), HALO_OK);
    }
    assert_int_equal(peak_search_end(state, table), HALO_OK);
    peak_search_close(state);
}

static void peaks_in_parts(Rng *rng)
{
    double x[MOST];
    int64_t at[MOST] = {0}, row = 0;
    bool kept[MOST];
    const int64_t n = draw_samples(rng, x);
    const PeakLimits limits = {.height = rng_once_in(rng, 2) ? rng_unit(rng) : -(double)INFINITY,
                               .prominence = rng_once_in(rng, 2) ? 3.0 * rng_unit(rng) : -(double)INFINITY,
                               .width = rng_once_in(rng, 2) ? 4.0 * rng_unit(rng) : -(double)INFINITY,
                               .distance = rng_once_in(rng, 2) ? rng_between(rng, 1, 30) : 1};
    HaloTable table = {.columns = PEAK_COLUMNS};
    search_in_parts(rng, &limits, x, n, &table);
    const int64_t count = find(x, n, limits.height, at);
    keep_apart(x, at, kept, count, limits.distance);
    for (int64_t k = 0; k < count; k++) {
        const double value = x[at[k]], prominence = value - base_at(x, n, at[k]),
                     level = value - 0.5 * prominence;
        const double width = crossing(x, n, at[k], 1, level) - crossing(x, n, at[k], -1, level);
        if (!kept[k] || !(prominence >= limits.prominence) || !(width >= limits.width)) continue;
        const double want[PEAK_COLUMNS] = {(double)at[k], (double)at[k] / 8.0, value, prominence, width};
        if (row == table.rows) fail_case(NULL, "no peak at %" PRId64, at[k]);
        for (int c = 0; c < PEAK_COLUMNS; c++) {
            const double is = table.cell[row * PEAK_COLUMNS + c];
            if (is != want[c] && !(isnan(is) && isnan(want[c])))
                fail_case(NULL, "column %d of the peak at %" PRId64 " is %.17g, not %.17g", c, at[k], is,
                          want[c]);
        }
        row++;
    }
    if (row != table.rows) fail_case(NULL, "%" PRId64 " peaks, not %" PRId64, table.rows, row);
    free(table.cell);
}

/* Whenever it is decided, as far as that is possible, the same ones stay. */
static void decided_early(Rng *rng)
{
    double x[4 * MOST] = {0};
    int64_t at[MOST] = {0}, frame = 0, taken = 0;
    bool kept[MOST];
    const int64_t count = rng_between(rng, 1, MOST);
    Apart apart = {.distance = rng_between(rng, 1, 20), .most = INT64_MAX};
    for (int64_t k = 0; k < count; k++) {
        at[k] = frame += rng_between(rng, 1, 3);
        x[frame] = (double)rng_between(rng, 0, 30);
    }
    keep_apart(x, at, kept, count, apart.distance);
    for (int64_t k = 0; k <= count; k++) {
        ApartPeak peak;
        if (k == count || rng_once_in(rng, 9)) {
            assert_int_equal(apart_decide(&apart, k == count ? INT64_MAX : at[k]), HALO_OK);
            for (int64_t next = 0; apart_take(&apart, &next, &peak); taken++)
                for (int64_t i = 0; i < count; i++)
                    if (at[i] == peak.frame && !kept[i])
                        fail_case(NULL, "%" PRId64 " does not stay", peak.frame);
        }
        if (k == count) break;
        assert_int_equal(apart_add(&apart, at[k], x[at[k]]), HALO_OK);
        apart_find(&apart, at[k])->known = true;
    }
    for (int64_t k = 0; k < count; k++) taken -= kept[k];
    if (taken != 0) fail_case(NULL, "%" PRId64 " peaks too many stay", taken);
    free(apart.peak);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(peaks_in_parts, 400), random_test(decided_early, 200)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
