/* The design of a decimated filter from the mask alone: within the bound, and none where the mask is not
 * smooth. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fast.h"
#include "smooth_masks.h"

/* Of the bound of docs/numerics.md, what the design may take of the greatest sample times the sum of the taps'
 * magnitudes; the rest is for rounding. */
#define OF_TAPS 6.3e-6

static int64_t floor_of(int64_t a, int64_t b) { return (int64_t)floor((double)a / (double)b); }

static void add_taps(double *sum, int64_t lowest, const HaloSepTaps *taps, double share)
{
    for (int64_t i = 0; i < taps->count; i++) sum[taps->first + i - lowest] += share * (double)taps->tap[i];
}

/* Output n from samples n + lowest on, by control points along one axis. */
static void nodes_of(const HaloSepSpline *how, int64_t n, int64_t lowest, double *sum)
{
    const int64_t step = how->step;
    for (int w = 0; w < HALO_SEP_SUPPORT; w++)
        for (int64_t i = 0; i < how->decimated.count; i++)
            for (int64_t d = 0; d < HALO_SEP_SUPPORT * step; d++) {
                const double tap = (double)how->from[(HALO_SEP_SUPPORT - 1 - w) * step + n] *
                                   (double)how->decimated.tap[i] * (double)how->into[d];
                if (tap != 0) sum[(how->decimated.first + i + w - 2) * step + d - 3 * step - n - lowest] += tap;
            }
    add_taps(sum, lowest, &how->rest[0], 1);
    add_taps(sum, lowest, &how->rest[1], 1);
}

static void across_of(const HaloSepFast *how, int64_t n, double *sum)
{
    const int64_t block = how->block, span = HALO_SEP_EVERY * block, left = floor_of(n - span / 2, span);
    const double way = ((double)(n - span / 2 - left * span) + 0.5) / (double)span;
    for (int64_t i = 0; i < how->cross.count; i++)
        for (int64_t k = 0; k < 2 * span; k++) {
            const int64_t at = k % span; /* of the blocks under both sums */
            if (at >= block) continue;
            sum[((left + k / span) * HALO_SEP_EVERY + how->cross.first + i) * block + at - n - how->ox] +=
                (double)how->cross.tap[i] * (k < span ? 1 - way : way);
        }
}

static double off_by(const double *sum, int64_t count)
{
    double off = 0;
    for (int64_t i = 0; i < count; i++) off += fabs(sum[i]);
    return off;
}

/* How far all outputs may be off, as a part of the greatest sample times the sum of magnitudes. */
static double axis_off(const HaloSepSpline *how, const HaloSepTaps *mask, int64_t lowest, int64_t count,
                       double *sum)
{
    double most = 0;
    for (int64_t n = 0; n < how->step; n++) {
        memset(sum, 0, (size_t)count * sizeof *sum);
        nodes_of(how, n, lowest, sum);
        add_taps(sum, lowest, mask, -1);
        most = fmax(most, off_by(sum, count));
    }
    return most / magnitude_of(mask->tap, mask->count);
}

/* The error of the blocks counts as much as that of the other columns. */
static double blocks_off(const HaloSep *sep, const HaloSepFast *how, double *sum)
{
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x}, *rest = how->vertical.rest;
    double most = 0;
    for (int64_t n = 0; n < HALO_SEP_EVERY * how->block; n++) {
        memset(sum, 0, (size_t)how->width * sizeof *sum);
        across_of(how, n, sum);
        add_taps(sum, how->ox, &row, -1);
        most = fmax(most, off_by(sum, how->width));
    }
    return most / magnitude_of(row.tap, row.count) *
           (magnitude_of(rest[0].tap, rest[0].count) + magnitude_of(rest[1].tap, rest[1].count)) /
           magnitude_of(sep->tap_y, sep->window.height);
}

static void designs_are_within_the_bound(Rng *rng)
{
    SmoothMask mask = smooth_mask_draw(rng, 8, 60);
    const HaloSep *sep = &mask.step.u.sep;
    smooth_mask_design(&mask);
    if (sep->fast == NULL)
        fail_case("host", "%" PRId64 " x %" PRId64 ": no design", sep->window.width, sep->window.height);
    double *sum = calloc((size_t)(sep->fast->width + sep->fast->height), sizeof *sum);
    if (sum == NULL) fail_case("host", "not enough memory");
    const HaloSepTaps row = {sep->window.ox, sep->window.width, sep->tap_x},
                      column = {sep->window.oy, sep->window.height, sep->tap_y};
    const double down = axis_off(&sep->fast->vertical, &column, sep->fast->oy, sep->fast->height, sum),
                 along = axis_off(&sep->fast->horizontal, &row, sep->fast->ox, sep->fast->width, sum),
                 blocks = blocks_off(sep, sep->fast, sum);
    if (!(down + along + blocks <= OF_TAPS))
        fail_case("host", "%" PRId64 " x %" PRId64 " taps, %" PRId64 " rows a node: off by %g, %g and %g",
                  sep->window.width, sep->window.height, sep->fast->vertical.step, down, along, blocks);
    free(sum);
    smooth_mask_free(&mask);
}

/* Masks that are not smooth, are truncated at a high value or are short have no design. */
static void other_masks_have_no_design(void **state)
{
    (void)state;
    Rng rng = {5};
    for (int kind = 0; kind < 4; kind++) {
        SmoothMask mask = smooth_mask_draw(&rng, 20, 21);
        HaloSep *sep = &mask.step.u.sep;
        const int64_t n = sep->window.height;
        sep->window.border = HALO_BORDER_ZERO;
        if (kind == 0) mask.column[n / 2] += 1e-3f;
        for (int64_t i = 0; kind == 1 && i < n; i++) mask.column[i] = 1.0f;
        if (kind == 2) sep->window.height = 33;
        if (kind == 3) mask.column[3] = NAN;
        smooth_mask_design(&mask);
        assert_null(sep->fast);
        smooth_mask_free(&mask);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(designs_are_within_the_bound, 20),
        cmocka_unit_test(other_masks_have_no_design),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
