/* Masks of integers over integer samples, which a backend may sum by integers: near every limit of those, on
 * every device against the plain double loop. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conv_cases.h"
#include "draw.h"
#include "oracle.h"

/* Integers of a few bits or many, times a power of two. */
static void draw_whole_taps(Rng *rng, float *tap, int64_t n)
{
    const int64_t most = (int64_t)1 << rng_between(rng, 0, 16);
    const float unit = rng_once_in(rng, 2) ? 1.0f : ldexpf(1.0f, (int)rng_between(rng, -16, 3));
    const bool positive = rng_once_in(rng, 3);
    for (int64_t k = 0; k < n; k++) tap[k] = (float)rng_between(rng, positive ? 0 : -most, most) * unit;
}

/* Equal taps or a few taps, whose magnitudes add up to about the limit of some number of bits. */
static void draw_limit_taps(Rng *rng, float *tap, int64_t n)
{
    static const int64_t limit[] = {127, 128, 128, 256, 257, 32767, 65793};
    const float unit = ldexpf(1.0f, -(int)rng_between(rng, 0, rng_once_in(rng, 2) ? 0 : 15));
    const bool positive = rng_once_in(rng, 2);
    int64_t left = limit[rng_between(rng, 0, 6)] + rng_between(rng, -1, 2);
    const int64_t each = rng_once_in(rng, 2) ? left / n : 0;
    for (int64_t k = 0; k < n; k++) tap[k] = (float)each * unit;
    for (int64_t turn = each > 0 ? 0 : rng_between(rng, 1, 3); turn > 0; turn--) {
        const int64_t v = turn == 1 ? left : rng_between(rng, 0, left);
        float *const at = &tap[rng_between(rng, 0, n - 1)];
        if (*at == 0.0f) *at = (float)(positive || rng_once_in(rng, 2) ? v : -v) * unit;
        left -= v;
    }
}

/* Black, white, and little else: the largest sums. */
static void fill_extremes(TestBuf *src, Rng *rng)
{
    const HaloBuf *view = &src->view;
    const size_t bytes = (size_t)(view->cols * view->shape.channels) * halo_dtype_size(view->shape.dtype);
    const int64_t same = rng_between(rng, 0, 2);
    for (int64_t y = 0; y < view->rows; y++) {
        uint8_t *const row = halo_at(view, view->x0, view->y0 + y);
        for (size_t i = 0; i < bytes; i++) row[i] = same == 0 || (same == 1 && rng_once_in(rng, 2)) ? 255 : 0;
    }
}

typedef void DrawTaps(Rng *rng, float *tap, int64_t n);

static void check(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, DrawTaps *draw)
{
    const HaloDtype to = draw_dtype(rng);
    HaloStep conv = conv_draw(rng, HALO_CONV, width, height, shape->dtype, to);
    draw(rng, (float *)conv.u.conv.tap, width * height);
    if (rng_once_in(rng, 4)) conv_draw_zeros(rng, (float *)conv.u.conv.tap, width, height);
    if (rng_once_in(rng, 2)) conv.u.conv.affine = false;
    if (rng_once_in(rng, 2)) conv.store = (HaloStore){1, 1};
    if (rng_once_in(rng, 2)) conv.u.conv.window.value = rng_once_in(rng, 2) ? 255.0f : -0.0f;
    const TestRect rect = draw_rect(rng, shape);
    if (rng_once_in(rng, 2)) {
        conv_check(rng, shape, to, rect, &conv, rng_once_in(rng, 3));
    } else {
        const HaloShape out_shape = windowed_shape(shape, &conv.u.conv.window, to);
        TestBuf src = testbuf_make(shape, test_whole(shape), rng), dst = testbuf_make(&out_shape, rect, rng);
        fill_extremes(&src, rng);
        conv_compare(&conv, &src, &dst);
    }
    conv_free(&conv);
}

static HaloDtype draw_integer(Rng *rng) { return rng_once_in(rng, 4) ? HALO_U16 : HALO_U8; }

static HaloShape draw_integers(Rng *rng, int64_t most)
{
    HaloShape shape = draw_shape(rng, most);
    shape.dtype = draw_integer(rng);
    shape.white = shape.dtype == HALO_U8 ? 255 : 65535;
    return shape;
}

static void small_masks(Rng *rng)
{
    const HaloShape shape = draw_integers(rng, 220);
    check(rng, &shape, rng_between(rng, 1, 6), rng_between(rng, 1, 6), draw_whole_taps);
}

static void sums_near_limits(Rng *rng)
{
    const HaloShape shape = test_shape(draw_integer(rng), rng_between(rng, 1, 70), rng_between(rng, 2, 9), 1);
    check(rng, &shape, rng_between(rng, 1, 2), rng_between(rng, 2, 3), draw_limit_taps);
}

static void large_masks(Rng *rng)
{
    const HaloShape shape = draw_integers(rng, 60);
    check(rng, &shape, rng_between(rng, 1, 33), rng_between(rng, 1, 33), draw_whole_taps);
}

/* Several tiles, several slices. */
static void large_pictures(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2);
    const int64_t far = rng_between(rng, 800, 9000), near = rng_between(rng, 1, 300000 / far);
    const HaloShape shape =
        test_shape(draw_integer(rng), wide ? far : near, wide ? near : far, (int)rng_between(rng, 1, 4));
    check(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 9), draw_whole_taps);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(small_masks, 600),
        random_test(sums_near_limits, 3000),
        random_test(large_masks, 150),
        random_test(large_pictures, 40),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
