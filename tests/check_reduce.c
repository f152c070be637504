/* Reductions on every device: the same tree of leaves for any number of threads and any results. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

enum { MOST_CHANNELS = 16 };

/* Bit for bit, except the payload of a NaN, which no result shows. */
static bool same(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

#define EXPECT_WHOLE(field)                                                                     \
    if (e->field != g->field)                                                                   \
    fail_case(device, "%s, channel %d: " #field " should be %" PRId64 ", is %" PRId64, what, c, \
              (int64_t)e->field, (int64_t)g->field)
#define EXPECT_REAL(field)         \
    if (!same(e->field, g->field)) \
    fail_case(device, "%s, channel %d: " #field " should be %a, is %a", what, c, e->field, g->field)

static void expect_moments(const char *device, const char *what, HaloDtype dtype, unsigned want, int c,
                           const HaloMoments *e, const HaloMoments *g)
{
    EXPECT_WHOLE(count);
    EXPECT_WHOLE(nan);
    EXPECT_WHOLE(inf);
    EXPECT_WHOLE(zero);
    if (want & HALO_WANT_EXTREMES) {
        EXPECT_REAL(min);
        EXPECT_REAL(max);
    }
    if (want & HALO_WANT_POSITIONS) {
        EXPECT_WHOLE(min_at);
        EXPECT_WHOLE(max_at);
    }
    if (want & HALO_WANT_MOMENTS && dtype != HALO_F32) {
        EXPECT_WHOLE(isum);
        EXPECT_WHOLE(isq_lo);
        EXPECT_WHOLE(isq_hi);
    }
    if (want & HALO_WANT_MOMENTS && dtype == HALO_F32) {
        EXPECT_REAL(sum);
        EXPECT_REAL(mean);
        EXPECT_REAL(m2);
    }
    if (want & HALO_WANT_PRODUCT) {
        EXPECT_REAL(product);
        EXPECT_WHOLE(product_exp);
    }
}

static void check(const TestBuf *src, unsigned want)
{
    HaloMoments expected[MOST_CHANNELS];
    char what[160], text[96];
    snprintf(what, sizeof what, "reduce %s, want %u", testbuf_text(src, text), want);
    oracle_reduce(&src->view, expected);
    for (int d = 0; d < test_devices; d++) {
        const TestDevice *const device = &test_device[d];
        HaloMoments got[MOST_CHANNELS];
        HaloBuf block;
        const HaloBuf view = test_lend(device, src, &block);
        memset(got, 0xa5, sizeof got);
        expect_ok(device->name, what, device->backend->reduce(device->device, &view, want, got));
        expect_ok(device->name, what, device->backend->finish(device->device, NULL));
        test_return(device, &block);
        for (int c = 0; c < src->view.shape.channels; c++)
            expect_moments(device->name, what, src->view.shape.dtype, want, c, &expected[c], &got[c]);
    }
}

static unsigned draw_want(Rng *rng)
{
    const unsigned want = rng_once_in(rng, 2) ? HALO_WANT_ALL : (unsigned)rng_between(rng, 0, HALO_WANT_ALL);
    return want & HALO_WANT_POSITIONS ? want | HALO_WANT_EXTREMES : want;
}

static void run_case(Rng *rng, const HaloShape *shape, bool special, unsigned want)
{
    TestBuf src = testbuf_make(shape, test_whole(shape), rng);
    const TestContent content = rng_once_in(rng, 2) ? TEST_MIXED : TEST_WIDE_RANGE;
    if (special || rng_once_in(rng, 4))
        testbuf_fill(&src, special, rng);
    else
        testbuf_fill_with(&src, content, rng);
    check(&src, want);
    testbuf_free(&src);
}

/* ---- random cases --------------------------------------------------------------------------------------- */

static void small_images(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 40);
    run_case(rng, &shape, rng_once_in(rng, 3), draw_want(rng));
}

/* The lengths at which a lane, a row of lanes or a leaf ends. */
static void lengths_round_lanes_and_leaves(Rng *rng)
{
    static const int64_t edge[] = {1, 4, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 8192, 12288, 4096 * 7};
    int64_t length = edge[rng_between(rng, 0, (int64_t)(sizeof edge / sizeof *edge) - 1)];
    if (rng_once_in(rng, 3)) length = 128 * rng_between(rng, 1, 150);
    if (rng_once_in(rng, 4)) length += rng_between(rng, 0, 3);
    const HaloShape shape = test_shape(draw_dtype(rng), length, 1, (int)rng_between(rng, 1, 4));
    run_case(rng, &shape, rng_once_in(rng, 4), draw_want(rng));
}

/* Leaves that run over the ends of rows, in any number that is not a power of two. */
static void leaves_across_rows(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 700), rng_between(rng, 100, 300),
                                       (int)rng_between(rng, 1, rng_once_in(rng, 4) ? 9 : 4));
    run_case(rng, &shape, rng_once_in(rng, 4), draw_want(rng));
}

/* More leaves than a GPU joins at once, with the product and without. */
static void thousands_of_leaves(Rng *rng)
{
    const HaloShape real = test_shape(HALO_F32, 4096 * 2500 + rng_between(rng, 1, 9000), 1, 1);
    const HaloShape whole = test_shape(HALO_U8, 2049, 2050, 3), pairs = test_shape(HALO_U8, 2049, 1027, 1);
    TestBuf src = testbuf_make(&real, test_whole(&real), rng);
    testbuf_fill_with(&src, TEST_MIXED, rng);
    check(&src, HALO_WANT_ALL);
    check(&src, HALO_WANT_ALL & ~(unsigned)HALO_WANT_PRODUCT);
    testbuf_free(&src);
    run_case(rng, &whole, false, HALO_WANT_ALL);
    run_case(rng, &pairs, false, HALO_WANT_ALL); /* whose values are counted by pairs */
}

/* The same of several channels: those that are read together, and more. */
static void thousands_with_channels(Rng *rng)
{
    const int channels = (int)rng_between(rng, 2, 6);
    const HaloShape shape = test_shape(HALO_F32, 4096 * 260, 2, channels);
    run_case(rng, &shape, rng_once_in(rng, 2),
             rng_once_in(rng, 2) ? HALO_WANT_ALL : HALO_WANT_ALL & ~(unsigned)HALO_WANT_PRODUCT);
}

/* ---- hard samples --------------------------------------------------------------------------------------- */

/* One value everywhere: NaN, an infinity, a zero; the first of equals has the position. */
static void one_value_everywhere(void **state)
{
    (void)state;
    static const float value[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-42f, 3.4e38f, -2.5f};
    for (size_t v = 0; v < sizeof value / sizeof *value; v++)
        for (int64_t n = 1; n < 20000; n = n * 5 + 1) {
            const HaloShape shape = test_shape(HALO_F32, n, 1, 1);
            TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
            for (int64_t i = 0; i < n; i++) ((float *)src.view.data)[i] = value[v];
            check(&src, HALO_WANT_ALL);
            testbuf_free(&src);
        }
}

/* Equal extremes and zeros of either sign: the first wins, with positions asked for and without. */
static void first_of_equals_wins(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 30000), 1, (int)rng_between(rng, 1, 2));
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    const float low = rng_once_in(rng, 2) ? -0.0f : -1.0f;
    for (int64_t i = 0; i < shape.width; i++)
        for (int c = 0; c < shape.channels; c++) {
            float v = rng_once_in(rng, 2) ? low : 0.0f;
            if (rng_once_in(rng, 50)) v = NAN;
            ((float *)halo_at(&src.view, i, 0))[c] = v;
        }
    check(&src, HALO_WANT_EXTREMES);
    check(&src, HALO_WANT_ALL);
    testbuf_free(&src);
}

/* One extreme among equals, wherever it lies. */
static void one_extreme_anywhere(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 9000), rng_between(rng, 1, 3), 2);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t p = 0; p < shape.width * shape.height; p++)
        for (int c = 0; c < 2; c++)
            oracle_put(&src.view, p % shape.width, p / shape.width, c, 100, (HaloStore){1, 1});
    for (int i = 0; i < 2; i++)
        oracle_put(&src.view, rng_between(rng, 0, shape.width - 1), rng_between(rng, 0, shape.height - 1),
                   (int)rng_between(rng, 0, 1), rng_once_in(rng, 2) ? 99 : 101, (HaloStore){1, 1});
    check(&src, draw_want(rng) | HALO_WANT_EXTREMES);
    testbuf_free(&src);
}

/* Integers without a zero, whose products are those of all they count, and with one zero, wherever it lies. */
static void products_without_zeros(Rng *rng)
{
    const HaloDtype dtype = rng_once_in(rng, 2) ? HALO_U8 : HALO_U16;
    const HaloShape shape = test_shape(dtype, rng_between(rng, 1, 900), rng_between(rng, 1, 300),
                                       (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 9 : 4));
    const int64_t most = rng_once_in(rng, 3) ? rng_between(rng, 1, 40) : dtype == HALO_U8 ? 255 : 65535;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t p = 0; p < shape.width * shape.height; p++)
        for (int c = 0; c < shape.channels; c++)
            oracle_put(&src.view, p % shape.width, p / shape.width, c, (float)rng_between(rng, 1, most),
                       (HaloStore){1, 1});
    for (int c = 0; c < shape.channels; c++)
        if (rng_once_in(rng, 3))
            oracle_put(&src.view, rng_between(rng, 0, shape.width - 1), rng_between(rng, 0, shape.height - 1),
                       c, 0, (HaloStore){1, 1});
    check(&src, draw_want(rng) | HALO_WANT_PRODUCT);
    testbuf_free(&src);
}

/* A NaN as the first sample has no effect; leaves of only NaN add nothing. */
static void leaves_of_nan(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, 4096 * rng_between(rng, 2, 6) + 17, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&src, false, rng);
    for (int64_t leaf = 0; leaf * 4096 < shape.width; leaf++) {
        const int64_t first = leaf * 4096;
        float *const x = (float *)src.view.data + first;
        const int64_t n = shape.width - first < 4096 ? shape.width - first : 4096;
        if (rng_once_in(rng, 3)) x[0] = rng_once_in(rng, 2) ? NAN : INFINITY;
        if (rng_once_in(rng, 3))
            for (int64_t i = 0; i < n; i++) x[i] = NAN;
    }
    check(&src, HALO_WANT_ALL);
    testbuf_free(&src);
}

/* A leaf that is flat but for a first NaN: q - s*s/n is 0, less what was rounded, and never below 0. */
static void variance_is_never_negative(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 2, 5000), 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    const float value = rng_float(rng, -3, 3);
    for (int64_t i = 0; i < shape.width; i++) ((float *)src.view.data)[i] = i == 0 ? NAN : value;
    check(&src, HALO_WANT_ALL);
    testbuf_free(&src);
}

/* ---- the oracle itself, by hand ------------------------------------------------------------------------- */

static void oracle_by_hand(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 4, 1, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    memcpy(src.view.data, (const float[4]){3, NAN, -1, 4}, 4 * sizeof(float));
    HaloMoments m;
    oracle_reduce(&src.view, &m);
    assert_true(m.count == 4 && m.nan == 1 && m.inf == 0 && m.zero == 0);
    assert_true(m.min == -1.0 && m.min_at == 2 && m.max == 4.0 && m.max_at == 3);
    assert_true(m.sum == 6.0 && m.mean == 2.0 && m.m2 == 14.0);
    assert_true(m.product == -1.5 && m.product_exp == 3);
    testbuf_free(&src);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_by_hand),
        random_test(small_images, 200),
        random_test(lengths_round_lanes_and_leaves, 60),
        random_test(leaves_across_rows, 12),
        cmocka_unit_test(one_value_everywhere),
        random_test(first_of_equals_wins, 25),
        random_test(one_extreme_anywhere, 200),
        random_test(products_without_zeros, 30),
        random_test(leaves_of_nan, 25),
        random_test(variance_is_never_negative, 60),
        random_test(thousands_of_leaves, 1),
        random_test(thousands_with_channels, 4),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
