/* Point operations on every device, one sample at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_map(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                           HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->map(device, src[0], dst, &step->u.map, step->store);
}

static void check(Rng *rng, const HaloShape *from, const HaloShape *to, const HaloStep *step)
{
    const HaloMap *map = &step->u.map;
    static const char *const kind[] = {"points", "premul", "gray"};
    const TestRect rect = draw_rect(rng, to);
    const TestRect need = rng_once_in(rng, 2) ? rect : test_whole(from);
    TestBuf src = testbuf_make(from, need, rng), dst = testbuf_make(to, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_map(&src.view, &dst.view, map, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "map %s, %d points, first %d by %a and %a, %s -> %s, alpha %d, store %g/%g",
             kind[map->kind], map->points, (int)map->point[0].op, (double)map->point[0].a,
             (double)map->point[0].b, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), to->alpha,
             (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, call_map, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static HaloPoint draw_point(Rng *rng, HaloPointOp op)
{
    HaloPoint point = {op, rng_float(rng, -2, 300), rng_float(rng, -2, 300)};
    if (rng_once_in(rng, 6)) point.a = rng_special(rng);
    if (rng_once_in(rng, 6)) point.b = rng_special(rng);
    if (op >= HALO_POINT_POWER) { /* full scale, and a power, are positive */
        point.a = rng_float(rng, 0.01f, 5);
        point.b = rng_once_in(rng, 2) ? 255.0f : 1.0f;
    }
    if (op == HALO_POINT_QUANTISE) point.a = rng_once_in(rng, 2) ? 255.0f : 65535.0f;
    return point;
}

static HaloStep draw_map(Rng *rng, HaloMapKind kind, HaloDtype from, HaloDtype to)
{
    HaloStep map = {
        .u.map.kind = kind, .u.map.white = halo_dtype_white(from), .store = draw_store(rng, from, to)};
    for (int i = 0; i < 3; i++) map.u.map.w[i] = rng_float(rng, 0, 1);
    map.u.map.points = (int)rng_between(rng, 0, rng_once_in(rng, 4) ? HALO_MAX_POINTS : 2);
    for (int p = 0; p < map.u.map.points; p++)
        map.u.map.point[p] = draw_point(rng, (HaloPointOp)rng_between(rng, HALO_POINT_MUL, HALO_POINT_SRGB));
    return map;
}

static HaloShape with_alpha(Rng *rng, HaloShape shape)
{
    shape.alpha = rng_once_in(rng, 4) ? (int)rng_between(rng, 0, shape.channels - 1) : shape.channels - 1;
    return shape;
}

static void each_point(Rng *rng)
{
    HaloShape from = draw_long_shape(rng, 40);
    if (rng_once_in(rng, 3)) from = with_alpha(rng, from);
    HaloShape to = from;
    to.dtype = draw_dtype(rng);
    HaloStep map = draw_map(rng, HALO_MAP_POINTS, from.dtype, to.dtype);
    map.u.map.points = 1;
    map.u.map.point[0] = draw_point(rng, (HaloPointOp)rng_between(rng, HALO_POINT_MUL, HALO_POINT_SRGB));
    check(rng, &from, &to, &map);
}

static void programs_of_points_leave_alpha(Rng *rng)
{
    HaloShape from = draw_long_shape(rng, 60);
    if (rng_once_in(rng, 3)) from = with_alpha(rng, from);
    HaloShape to = from;
    to.dtype = draw_dtype(rng);
    const HaloStep map = draw_map(rng, HALO_MAP_POINTS, from.dtype, to.dtype);
    check(rng, &from, &to, &map);
}

/* Results larger than the caches, which the CPU writes by streaming stores. */
static void larger_than_the_caches(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 2400, 2600), 3600, 1);
    HaloStep map = draw_map(rng, HALO_MAP_POINTS, HALO_F32, HALO_F32);
    map.u.map.points = 1;
    map.u.map.point[0] = draw_point(rng, HALO_POINT_MUL);
    check(rng, &shape, &shape, &map);
}

/* The same of bytes by tables and without them, in rows that are aligned and others. */
static void bytes_larger_than_the_caches(Rng *rng)
{
    const int channels = (int)rng_between(rng, 1, 3);
    HaloShape shape = test_shape(HALO_U8, rng_between(rng, 4200, 4600) / channels, 3600, channels);
    HaloStep map = {.u.map = {.kind = HALO_MAP_POINTS, .white = 255.0f, .points = 1}, .store = {1.0f, 1.0f}};
    if (rng_once_in(rng, 2)) shape.width = 4608 / channels;
    if (rng_once_in(rng, 4)) shape = with_alpha(rng, shape);
    if (rng_once_in(rng, 2))
        map.u.map.point[0] = (HaloPoint){HALO_POINT_THRESHOLD, (float)rng_between(rng, -1, 257), 255.0f};
    else if (rng_once_in(rng, 2))
        map.u.map.point[0] = (HaloPoint){HALO_POINT_RSUB, 255.0f, 0.0f};
    else
        map.u.map.point[0] = (HaloPoint){HALO_POINT_MUL, rng_float(rng, 0.2f, 1.2f), 0.0f};
    check(rng, &shape, &shape, &map);
}

/* So many samples of 8 or 16 bits that a table is faster than computing. */
static void many_samples_of_few_values(Rng *rng)
{
    const bool most = rng_once_in(rng, 20);
    HaloShape from = draw_shape(rng, 8);
    from.dtype = most && rng_once_in(rng, 2) ? HALO_U16 : HALO_U8;
    from.white = halo_dtype_white(from.dtype);
    from.width = rng_between(rng, 50, 60) * (most ? 128 : 1) + rng_between(rng, 0, 3);
    from.height = rng_between(rng, 165, 175);
    if (most) from.channels = (int)rng_between(rng, 1, 2);
    from.alpha = -1;
    if (rng_once_in(rng, 3)) from = with_alpha(rng, from);
    HaloShape to = from;
    to.dtype = draw_dtype(rng);
    HaloStep map = draw_map(rng, HALO_MAP_POINTS, from.dtype, to.dtype);
    map.u.map.points += map.u.map.points == 0;
    map.u.map.point[0] = draw_point(rng, (HaloPointOp)rng_between(rng, HALO_POINT_MUL, HALO_POINT_SRGB));
    check(rng, &from, &to, &map);
}

/* So many bytes that become bytes that a table is faster whatever is computed. */
static void many_bytes(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U8, rng_between(rng, 700, 800), rng_between(rng, 380, 400),
                                       (int)rng_between(rng, 1, 3));
    HaloStep map = draw_map(rng, HALO_MAP_POINTS, HALO_U8, HALO_U8);
    map.u.map.points = 1;
    map.u.map.point[0] = draw_point(rng, (HaloPointOp)rng_between(rng, HALO_POINT_MUL, HALO_POINT_POWER - 1));
    if (rng_once_in(rng, 2))
        map.u.map.point[0] = (HaloPoint){HALO_POINT_RSUB, 255.0f, 0.0f}; /* clips nothing */
    check(rng, &shape, &shape, &map);
}

/* Two values, or one, are told apart by one comparison; what is inverted has its bits flipped. */
static void thresholds_of_bytes(Rng *rng)
{
    HaloShape shape = test_shape(HALO_U8, rng_between(rng, 580, 640), rng_between(rng, 460, 480),
                                 (int)rng_between(rng, 1, 4));
    if (rng_once_in(rng, 3)) shape = with_alpha(rng, shape);
    HaloStep map = {.u.map = {.kind = HALO_MAP_POINTS, .white = 255.0f, .points = 1}, .store = {1.0f, 1.0f}};
    map.u.map.point[0] = rng_once_in(rng, 4)
                             ? (HaloPoint){HALO_POINT_RSUB, 255.0f, 0.0f}
                             : (HaloPoint){HALO_POINT_THRESHOLD, (float)rng_between(rng, -1, 257),
                                           (float)rng_between(rng, 0, 255)};
    check(rng, &shape, &shape, &map);
}

static void premul_multiplies_colour(Rng *rng)
{
    const HaloShape from = with_alpha(rng, draw_long_shape(rng, 40));
    HaloShape to = from;
    to.dtype = draw_dtype(rng);
    const HaloStep map = draw_map(rng, HALO_MAP_PREMUL, from.dtype, to.dtype);
    check(rng, &from, &to, &map);
}

static void gray_weighs_three_channels(Rng *rng)
{
    HaloShape from = draw_long_shape(rng, 40);
    const bool alpha = rng_once_in(rng, 2);
    from.channels = alpha ? 4 : 3;
    from.alpha = alpha ? 3 : -1;
    HaloShape to = from;
    to.channels = alpha ? 2 : 1;
    to.alpha = alpha ? 1 : -1;
    to.dtype = draw_dtype(rng);
    const HaloStep map = draw_map(rng, HALO_MAP_GRAY, from.dtype, to.dtype);
    check(rng, &from, &to, &map);
}

/* Bytes that become bytes, with weights that add up to 1 or a little more, where full scale may be clipped. */
static void bytes_become_gray_bytes(Rng *rng)
{
    HaloShape from = draw_long_shape(rng, 300);
    from.channels = 3;
    from.alpha = -1;
    from.dtype = HALO_U8;
    from.white = 255;
    HaloShape to = from;
    to.channels = 1;
    HaloStep map = {.u.map = {.kind = HALO_MAP_GRAY, .white = 255}, .store = {1, 1}};
    const float sum = rng_once_in(rng, 2) ? 1.0f : rng_float(rng, 0.99f, 1.01f), red = rng_float(rng, 0, sum);
    map.u.map.w[0] = red;
    map.u.map.w[1] = rng_float(rng, 0, sum - red);
    map.u.map.w[2] = sum - red - map.u.map.w[1];
    check(rng, &from, &to, &map);
}

/* Results of scans, i64 and f64, converted for a format that holds neither. */
static void results_of_scans_are_rounded_to_f32(Rng *rng)
{
    HaloShape from = draw_long_shape(rng, 30);
    HaloShape to = from;
    from.dtype = rng_once_in(rng, 2) ? HALO_I64 : HALO_F64;
    const HaloStep map = draw_map(rng, HALO_MAP_POINTS, from.dtype, to.dtype);
    TestBuf src = testbuf_make(&from, test_whole(&from), rng), dst = testbuf_make(&to, test_whole(&to), rng);
    for (int64_t p = 0; p < from.width * from.height; p++)
        for (int c = 0; c < from.channels; c++) {
            void *const at = halo_at(&src.view, p % from.width, p / from.width);
            const int shift = (int)rng_between(rng, 0, 62);
            const int64_t whole = (int64_t)rng_next(rng) >> shift;
            if (from.dtype == HALO_I64)
                ((int64_t *)at)[c] = whole;
            else
                ((double *)at)[c] = rng_once_in(rng, 9) ? (double)rng_special(rng) : (double)whole * 0x1p-40;
        }
    const uint64_t clipped = oracle_map(&src.view, &dst.view, &map.u.map, map.store);
    char src_text[96], dst_text[96], what[320];
    snprintf(what, sizeof what, "map %s -> %s, %d points", testbuf_text(&src, src_text),
             testbuf_text(&dst, dst_text), map.u.map.points);
    expect_everywhere(what, call_map, &map, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Every value of every integer type through every other, by the exact ratio of the whites. */
static void every_integer_through_every_type(void **state)
{
    (void)state;
    for (HaloDtype from = HALO_U8; from <= HALO_U16; from++)
        for (HaloDtype to = HALO_U8; to <= HALO_F32; to++) {
            const HaloShape in = test_shape(from, from == HALO_U8 ? 256 : 65536, 1, 1);
            HaloShape out = in;
            out.dtype = to;
            TestBuf src = testbuf_make(&in, test_whole(&in), NULL),
                    dst = testbuf_make(&out, test_whole(&out), NULL);
            for (int64_t v = 0; v < in.width; v++)
                if (from == HALO_U8)
                    ((uint8_t *)src.view.data)[v] = (uint8_t)v;
                else
                    ((uint16_t *)src.view.data)[v] = (uint16_t)v;
            const HaloStep map = {.store = {halo_dtype_white(to), halo_dtype_white(from)}};
            assert_int_equal(oracle_map(&src.view, &dst.view, &map.u.map, map.store), 0);
            if (from == to)
                assert_memory_equal(src.view.data, dst.view.data, (size_t)halo_row_bytes(&src.view));
            expect_everywhere("every integer", call_map, &map, &src, NULL, &dst, 0);
            testbuf_free(&src);
            testbuf_free(&dst);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(each_point, 1500),
        random_test(programs_of_points_leave_alpha, 1000),
        random_test(bytes_larger_than_the_caches, 4),
        random_test(larger_than_the_caches, 2),
        random_test(many_samples_of_few_values, 200),
        random_test(many_bytes, 20),
        random_test(thresholds_of_bytes, 40),
        random_test(premul_multiplies_colour, 600),
        random_test(gray_weighs_three_channels, 400),
        random_test(bytes_become_gray_bytes, 200),
        random_test(results_of_scans_are_rounded_to_f32, 200),
        cmocka_unit_test(every_integer_through_every_type),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
