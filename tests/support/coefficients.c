/* Comparing coefficients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "coefficients.h"

void expect_near(const HaloMask *mask, int64_t from, const double *want, int64_t count)
{
    assert_true(from + count <= mask->width * mask->height);
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(mask->tap[from + i] - want[i]) <= 1e-14))
            fail_msg("coefficient %d is %.17g, not %.17g", (int)(from + i), mask->tap[from + i], want[i]);
}

double sum_of(const HaloMask *mask)
{
    double sum = 0.0;
    for (int64_t i = 0; i < mask->width * mask->height; i++) sum += mask->tap[i];
    return sum;
}

void expect_row(HaloMask *mask, HaloStatus status, const double *want, int64_t count)
{
    assert_int_equal(status, HALO_OK);
    assert_int_equal(mask->width, count);
    assert_int_equal(mask->height, 1);
    assert_int_equal(mask->anchor_x, count / 2);
    expect_near(mask, 0, want, count);
    halo_mask_free(mask);
}
