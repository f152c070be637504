/* Resampling: the table that `resize` makes, against its definition, and its result on every device. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"
#include "shared_session.h"

static const char *const kernel_name[] = {"lanczos3", "lanczos2", "cubic",  "mitchell",
                                          "linear",   "area",     "nearest"};
enum { LANCZOS3, LANCZOS2, CUBIC, MITCHELL, LINEAR, AREA, NEAREST, KERNELS };

/* The plan of `resize` alone, whose first step has the table. */
static HaloPlan *plan_for(const HaloShape *shape, int64_t width, int64_t height, int kernel)
{
    char text[96];
    snprintf(text, sizeof text, "resize:%" PRId64 "x%" PRId64 ",fit=exact,alpha=straight,kernel=%s", width,
             height, kernel_name[kernel]);
    return test_plan(text, shape);
}

/* ---- the definition ------------------------------------------------------------------------------------- */

static double sinc(double x)
{
    if (x == 0.0) return 1.0;
    if (x == floor(x)) return 0.0;
    return sin(3.14159265358979323846 * x) / (3.14159265358979323846 * x);
}

/* 0 where the kernel ends. */
static double kernel_at(int kernel, double x)
{
    x = fabs(x);
    switch (kernel) {
    case LANCZOS3: return sinc(x) * sinc(x / 3.0);
    case LANCZOS2: return sinc(x) * sinc(x / 2.0);
    case CUBIC: return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((2.5 - 0.5 * x) * x - 4) * x + 2;
    case MITCHELL:
        return x < 1 ? ((7 * x - 12) * x * x + 16.0 / 3.0) / 6
                     : (((12 - 7.0 / 3.0 * x) * x - 20) * x + 32.0 / 3.0) / 6;
    default: return 1 - x;
    }
}

static const int radius[] = {3, 2, 2, 2, 1};

/* Is sample j among those of output i? And how it is weighted. */
static bool weighs(int kernel, int64_t n, int64_t m, int64_t i, int64_t j, double *weight)
{
    *weight = 1.0;
    if (n == m) return i == j;
    if (kernel == NEAREST) return j == (int64_t)floor(((double)i + 0.5) * (double)n / (double)m);
    if (kernel == AREA) {
        const int64_t from = j * m > i * n ? j * m : i * n,
                      to = (j + 1) * m < (i + 1) * n ? (j + 1) * m : (i + 1) * n;
        *weight = (double)(to - from);
        return to > from;
    }
    const int64_t away = 2 * m * j + m - (2 * i + 1) * n, unit = 2 * (n > m ? n : m);
    *weight = kernel_at(kernel, (double)away / (double)unit);
    return llabs(away) < radius[kernel] * unit;
}

static void expect_definition(int kernel, const HaloResampleAxis *axis)
{
    const int64_t n = axis->length, m = axis->size;
    int64_t before[2] = {0, 0};
    for (int64_t i = 0; i < m; i++) {
        const HaloResampleTaps taps = halo_resample_at(axis, i);
        double sum = 0.0, weight;
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++)
            if (weighs(kernel, n, m, i, j, &weight)) {
                if (count++ == 0) assert_int_equal(taps.first, j);
                sum += weight;
            }
        assert_int_equal(taps.count, count);
        for (int64_t j = 0; j < count; j++) {
            weighs(kernel, n, m, i, taps.first + j, &weight);
            const float tap = (float)(weight / sum);
            if (memcmp(&tap, &taps.tap[j], sizeof tap) != 0)
                fail_case(NULL,
                          "%s of %" PRId64 " to %" PRId64 ": tap %" PRId64 " of output %" PRId64
                          " is %a, not %a",
                          kernel_name[kernel], n, m, j, i, (double)taps.tap[j], (double)tap);
        }
        assert_true(taps.first >= before[0] && taps.first + taps.count >= before[1]);
        before[0] = taps.first;
        before[1] = taps.first + taps.count;
    }
}

static void tables_are_as_defined(Rng *rng)
{
    const int64_t most = rng_once_in(rng, 4) ? 700 : 60;
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, most), rng_between(rng, 1, most), 1);
    const int kernel = (int)rng_between(rng, 0, KERNELS - 1);
    const int64_t width = rng_once_in(rng, 3) ? (shape.width + 1) / 2 : rng_between(rng, 1, most);
    HaloPlan *const plan = plan_for(&shape, width, rng_between(rng, 1, most), kernel);
    if (plan->steps > 0) {
        expect_definition(kernel, &plan->step[0].u.resample.x);
        expect_definition(kernel, &plan->step[0].u.resample.y);
    }
    halo_plan_free(plan);
}

/* A table grows with the number of distinct rows, not with the image. */
static void tables_are_short(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 65536, 30000, 1);
    HaloPlan *const plan = plan_for(&shape, 1024, 20000, LANCZOS3);
    assert_int_equal(halo_resample_rows(&plan->step[0].u.resample.x), 1 + 2 * 3);
    assert_true(halo_resample_rows(&plan->step[0].u.resample.y) <= 2 + 2 * 3);
    halo_plan_free(plan);
}

/* ---- tables in pieces ------------------------------------------------------------------------------------ */

/* All of the table that a rule makes. */
static HaloResampleAxis table_of(const HaloResampleAxis *axis, const HaloResampleRule *rule)
{
    int64_t *const first = oracle_memory(axis->size, sizeof *first);
    int64_t *const count = oracle_memory(axis->size, sizeof *count);
    float *const tap = oracle_memory(axis->size * axis->taps, sizeof *tap);
    for (int64_t i = 0; i < axis->size; i++)
        rule->make(rule->rule, i, &first[i], &count[i], tap + i * axis->taps);
    return (HaloResampleAxis){.length = axis->length,
                              .size = axis->size,
                              .left = axis->size,
                              .taps = axis->taps,
                              .first = first,
                              .count = count,
                              .tap = tap};
}

static void table_free(const HaloResampleAxis *axis)
{
    free((void *)axis->first);
    free((void *)axis->count);
    free((void *)axis->tap);
}

/* A table that is not kept makes what all of it would. */
static void expect_in_pieces(Rng *rng, int kernel, bool tall)
{
    const int64_t size = 60013, length = rng_between(rng, 2, 9), other = rng_between(rng, 1, 3);
    const HaloShape shape =
        test_shape(HALO_F32, tall ? other : length, tall ? length : other, (int)rng_between(rng, 1, 2));
    HaloShape made = shape;
    *(tall ? &made.height : &made.width) = size;
    HaloPlan *const plan = plan_for(&shape, made.width, made.height, kernel);
    HaloResample how = plan->step[0].u.resample;
    HaloResampleAxis *const axis = tall ? &how.y : &how.x;
    assert_null(axis->tap);
    *axis = table_of(axis, tall ? &how.for_y : &how.for_x);
    if (!tall) expect_definition(kernel, axis);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng),
            want = testbuf_make(&made, test_whole(&made), rng);
    testbuf_fill(&src, false, rng);
    oracle_resample(&src.view, &want.view, &how, plan->step[0].store);
    HaloBuf out;
    assert_int_equal(halo_plan_execute(test_session, plan, &src.view, &out, NULL, NULL), HALO_OK);
    for (int64_t y = 0; y < out.rows; y++)
        assert_memory_equal(halo_at(&out, 0, y), halo_at(&want.view, 0, y), (size_t)halo_row_bytes(&out));
    halo_buf_free(&out);
    testbuf_free(&src);
    testbuf_free(&want);
    table_free(axis);
    halo_plan_free(plan);
}

static void tables_in_pieces(void **state)
{
    (void)state;
    Rng rng = {9};
    for (int kernel = 0; kernel < KERNELS; kernel++) expect_in_pieces(&rng, kernel, kernel % 2 == 1);
}

/* ---- devices -------------------------------------------------------------------------------------------- */

static HaloStatus call_resample(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->resample(device, src[0], dst, &step->u.resample, step->store);
}

/* What outputs [from, from + count) read. */
static void reads(const HaloResampleAxis *axis, int64_t from, int64_t count, int64_t *first, int64_t *size)
{
    const HaloResampleTaps last = halo_resample_at(axis, from + count - 1);
    *first = halo_resample_at(axis, from).first;
    *size = last.first + last.count - *first;
}

static void check(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, int kernel)
{
    HaloPlan *const plan = plan_for(shape, width, height, kernel);
    if (plan->steps == 0) {
        halo_plan_free(plan);
        return;
    }
    HaloShape out = *shape;
    out.dtype = draw_dtype(rng);
    out.width = width;
    out.height = height;
    if (shape->dtype == HALO_U8 && rng_once_in(rng, 3)) out.dtype = HALO_U8;
    const HaloStep step = {.u.resample = plan->step[0].u.resample,
                           .store = draw_store(rng, shape->dtype, out.dtype)};
    const TestRect rect = draw_rect(rng, &out);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) {
        reads(&step.u.resample.x, rect.x0, rect.cols, &need.x0, &need.cols);
        reads(&step.u.resample.y, rect.y0, rect.rows, &need.y0, &need.rows);
    }
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_resample(&src.view, &dst.view, &step.u.resample, step.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "resample by %s, %s -> %s, store %g/%g", kernel_name[kernel],
             testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), (double)step.store.num,
             (double)step.store.den);
    expect_everywhere(what, call_resample, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
    halo_plan_free(plan);
}

static void any_size(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 60);
    check(rng, &shape, rng_between(rng, 1, 60), rng_between(rng, 1, 60), (int)rng_between(rng, 0, KERNELS - 1));
}

/* Sizes whose tables repeat: halves, thirds, twice, 3 : 2. */
static void ratios_that_repeat(Rng *rng)
{
    static const int64_t ratio[][2] = {{2, 1}, {3, 1}, {4, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {5, 4}, {1, 1}};
    const int64_t *const r = ratio[rng_between(rng, 0, 8)], times = rng_between(rng, 4, 40),
                         tall = rng_between(rng, 4, 40);
    const int64_t *const s = rng_once_in(rng, 2) ? r : ratio[rng_between(rng, 0, 8)];
    const HaloShape shape = test_shape(draw_dtype(rng), r[0] * times, s[0] * tall, (int)rng_between(rng, 1, 5));
    check(rng, &shape, r[1] * times, s[1] * tall, (int)rng_between(rng, 0, KERNELS - 1));
}

/* 3 : 2 and 2 : 1 by few taps, of pictures that several blocks share. */
static void larger_by_turns(Rng *rng)
{
    const int64_t up = rng_between(rng, 2, 3), down = up - 1, times = rng_between(rng, 4, 250),
                  tall = rng_between(rng, 4, 90);
    const HaloShape shape = test_shape(rng_once_in(rng, 6) ? draw_dtype(rng) : HALO_U8, down * times,
                                       down * tall, (int)rng_between(rng, 1, 5));
    check(rng, &shape, up * times, up * tall, (int)rng_between(rng, LANCZOS2, MITCHELL));
}

/* Bytes that are stored past the caches, in rows that are aligned and others. */
static void larger_than_the_caches(Rng *rng)
{
    const int64_t times = rng_once_in(rng, 2) ? 1408 : rng_between(rng, 1370, 1420);
    const HaloShape shape = test_shape(HALO_U8, 2 * times, 2 * 940, 3);
    check(rng, &shape, 3 * times, 3 * 940, (int)rng_between(rng, LANCZOS2, MITCHELL));
}

/* Halves so wide that some columns are interior. */
static void wide_halves(Rng *rng)
{
    const int64_t width = rng_between(rng, 100, 700), height = rng_between(rng, 1, 40);
    const HaloShape shape = test_shape(draw_dtype(rng), 2 * width, 2 * height, (int)rng_between(rng, 1, 5));
    check(rng, &shape, width, rng_once_in(rng, 4) ? rng_between(rng, 1, 2 * height) : height,
          (int)rng_between(rng, 0, KERNELS - 1));
}

/* Means of blocks: factors that are powers of two, that are odd, and others. */
static void whole_factors(Rng *rng)
{
    static const int64_t factor[] = {1, 2, 2, 2, 3, 4, 5, 7, 8, 6, 16};
    const int64_t across = factor[rng_between(rng, 0, 10)], down = factor[rng_between(rng, 0, 10)];
    const int64_t width = rng_between(rng, 1, rng_once_in(rng, 3) ? 700 : 40), height = rng_between(rng, 1, 12);
    const HaloShape shape = test_shape(rng_once_in(rng, 3) ? HALO_U16 : HALO_U8, across * width, down * height,
                                       (int)rng_between(rng, 1, 5));
    check(rng, &shape, width, height, AREA);
}

/* Large ratios, down and up: strips and slices of several tasks. */
static void long_sides(Rng *rng)
{
    const bool wide = rng_once_in(rng, 2), grows = rng_once_in(rng, 3);
    const int64_t long_side = rng_between(rng, 600, 3000), short_side = rng_between(rng, 1, 30);
    HaloShape shape = test_shape(draw_dtype(rng), wide ? long_side : short_side, wide ? short_side : long_side,
                                 (int)rng_between(rng, 1, 4));
    int64_t width = rng_between(rng, 1, wide ? 300 : 30), height = rng_between(rng, 1, wide ? 30 : 300);
    if (grows) {
        const int64_t w = shape.width, h = shape.height;
        shape.width = width;
        shape.height = height;
        width = w;
        height = h;
    }
    check(rng, &shape, width, height, (int)rng_between(rng, 0, KERNELS - 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(tables_are_as_defined, 400), cmocka_unit_test(tables_are_short),
        cmocka_unit_test(tables_in_pieces),      random_test(any_size, 400),
        random_test(ratios_that_repeat, 300),    random_test(wide_halves, 60),
        random_test(whole_factors, 200),         random_test(long_sides, 60),
        random_test(larger_by_turns, 120),       random_test(larger_than_the_caches, 5)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_session_and_devices_open, test_session_and_devices_close);
}
