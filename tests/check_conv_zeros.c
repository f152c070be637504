/* Dense convolution by sparse masks, on every device: zero taps may be skipped, but samples under them count
 * where they are infinite or NaN, and where a sum is -0. */
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

/* Multiplies every float. */
static void scale_samples(TestBuf *buf, float scale)
{
    const HaloShape *shape = &buf->view.shape;
    for (int64_t y = 0; shape->dtype == HALO_F32 && y < shape->height; y++)
        for (int64_t x = 0; x < shape->width * shape->channels; x++)
            ((float *)halo_at(&buf->view, 0, y))[x] *= scale;
}

/* Larger than any mask with a kernel of its own, over images of several blocks; sparse ones too, where samples
 * under zero taps count if they are infinite or NaN. */
static void masks_up_to_67_disks_and_lines(Rng *rng)
{
    const int64_t side = rng_between(rng, 25, 67), width = rng_once_in(rng, 2) ? side : rng_between(rng, 2, 67);
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, rng_once_in(rng, 3) ? 340 : 60),
                                       rng_between(rng, 1, 40), (int)rng_between(rng, 1, 5));
    const HaloDtype to = draw_dtype(rng);
    const HaloStep conv = conv_draw(rng, HALO_CONV, width, side, shape.dtype, to);
    if (!rng_once_in(rng, 3)) conv_draw_zeros(rng, (float *)conv.u.conv.tap, width, side);
    conv_check(rng, &shape, to, draw_rect(rng, &shape), &conv, rng_once_in(rng, 3));
    conv_free(&conv);
}

/* Sums that underflow to -0, which the product of a zero tap turns into +0, and a border value that does so for
 * integers. */
static void zeros_of_both_signs(Rng *rng)
{
    const int64_t side = rng_between(rng, 12, 40);
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 60), rng_between(rng, 1, 30),
                                       (int)rng_between(rng, 1, 2));
    HaloStep conv = conv_draw(rng, HALO_CONV, side, side, shape.dtype, HALO_F32);
    conv_draw_zeros(rng, (float *)conv.u.conv.tap, side, side);
    for (int64_t k = 0; k < side * side; k++)
        ((float *)conv.u.conv.tap)[k] *= rng_once_in(rng, 40) ? 1e-45f : rng_once_in(rng, 2) ? -0.0f : 0.0f;
    conv.u.conv.window.value = rng_once_in(rng, 2) ? 0.4f : -INFINITY;
    conv_only_sums(&conv);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    HaloShape out = shape;
    out.dtype = HALO_F32;
    TestBuf dst = testbuf_make(&out, test_whole(&out), rng);
    testbuf_fill(&src, false, rng);
    scale_samples(&src, 1e-3f);
    if (shape.dtype == HALO_F32 && rng_once_in(rng, 2)) /* one infinity, in all windows that hold it */
        *(float *)halo_at(&src.view, rng_between(rng, 0, shape.width - 1),
                          rng_between(rng, 0, shape.height - 1)) = INFINITY;
    conv_compare(&conv, &src, &dst);
    conv_free(&conv);
}

/* A convolution by a sparse mask, with a border value that may differ from every sample. */
static HaloStep draw_sparse(Rng *rng, int64_t width, int64_t height, HaloDtype from)
{
    static const float value[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 0.4f, 1e-40f, 3.0f};
    HaloStep conv = conv_draw(rng, HALO_CONV, width, height, from, HALO_F32);
    float *const tap = (float *)conv.u.conv.tap;
    conv_draw_zeros(rng, tap, width, height);
    if (rng_once_in(rng, 2))
        for (int64_t k = 0; k < width * height; k++)
            if (!rng_once_in(rng, 8)) tap[k] = rng_once_in(rng, 3) ? -0.0f : 0.0f;
    if (rng_once_in(rng, 2)) conv.u.conv.window.border = HALO_BORDER_CONSTANT;
    conv.u.conv.window.value = value[rng_between(rng, 0, 7)];
    conv.u.conv.window.nan_ignore = rng_once_in(rng, 6);
    conv.store = (HaloStore){1.0f, 1.0f};
    return conv;
}

/* Compares it over samples, times `scale`, of which only a few are special: most windows hold none of those. */
static void check_few_special(Rng *rng, const HaloShape *shape, TestRect rect, const HaloStep *conv,
                              float scale)
{
    HaloShape out = *shape;
    out.dtype = HALO_F32;
    TestBuf src = testbuf_make(shape, test_whole(shape), rng), dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, false, rng);
    scale_samples(&src, scale);
    testbuf_strew(&src, rng);
    conv_compare(conv, &src, &dst);
}

static void special_samples_under_zeros(Rng *rng)
{
    const bool tall = rng_once_in(rng, 4);
    const int64_t width = rng_between(rng, 2, 30), height = rng_between(rng, 2, 40);
    const HaloShape shape =
        test_shape(rng_once_in(rng, 5) ? HALO_U8 : HALO_F32, rng_between(rng, 60, tall ? 200 : 400),
                   rng_between(rng, 1, tall ? 50 : 9), (int)rng_between(rng, 1, 3));
    const HaloStep conv = draw_sparse(rng, width, height, shape.dtype);
    check_few_special(rng, &shape, draw_rect(rng, &shape), &conv, 1.0f);
    conv_free(&conv);
}

/* Blocks of a GPU, of which only some hold a special sample, through a border too. */
static void special_samples_in_some_blocks(Rng *rng)
{
    const int64_t side = rng_between(rng, 20, 45);
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 200, 500), rng_between(rng, 40, 120),
                                       (int)rng_between(rng, 1, 2));
    const HaloStep conv = draw_sparse(rng, side, side, HALO_F32);
    check_few_special(rng, &shape, draw_rect(rng, &shape), &conv, 1.0f);
    conv_free(&conv);
}

/* So tall that no ring buffer holds all of its lines: special samples may lie in any band of the mask. Where
 * products underflow, the band with the image gives sums of -0, which zeros in later bands turn into +0. */
static void thousands_of_rows_of_zeros(Rng *rng)
{
    const int64_t height = rng_between(rng, 4700, 6000);
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 400, 450), 1, 1);
    HaloStep conv = draw_sparse(rng, 2, height, HALO_F32);
    float *const tap = (float *)conv.u.conv.tap;
    const bool tiny = rng_once_in(rng, 2), far = rng_once_in(rng, 2);
    const int64_t turn = rng_between(rng, 4650, height); /* no band has so many rows */
    if (rng_once_in(rng, 3)) conv.u.conv.window.oy = 1 - turn;
    for (int64_t k = 0; k < 2 * height; k++) {
        const bool beside = k / 2 == -conv.u.conv.window.oy; /* where the picture lies */
        tap[k] = k / 2 < turn ? -0.0f : 0.0f;
        if (beside || (far && rng_once_in(rng, 2000))) tap[k] = rng_float(rng, -1, 1) * (tiny ? 1e-30f : 1.0f);
    }
    conv.u.conv.affine = false;
    conv.u.conv.window.border = tiny || rng_once_in(rng, 2) ? HALO_BORDER_ZERO : HALO_BORDER_CONSTANT;
    conv.u.conv.window.nan_ignore = rng_once_in(rng, 3);
    check_few_special(rng, &shape, test_whole(&shape), &conv, tiny ? 1e-16f : 1.0f);
    free(tap);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_up_to_67_disks_and_lines, 40), random_test(zeros_of_both_signs, 40),
        random_test(special_samples_under_zeros, 32),    random_test(special_samples_in_some_blocks, 12),
        random_test(thousands_of_rows_of_zeros, 16),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
