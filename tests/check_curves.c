/* The curves of light against the C library's powl, how far they are from it, and the same on every device. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/numerics.h"
#include "oracle.h"

/* ---- how exact they are --------------------------------------------------------------------------------- */

static long double linear_of(long double x)
{
    return x <= 0.04045L ? x / 12.92L : powl((x + 0.055L) / 1.055L, 2.4L);
}

static long double srgb_of(long double x)
{
    return x <= 0.0031308L ? x * 12.92L : 1.055L * powl(x, 1.0L / 2.4L) - 0.055L;
}

/* The exact value of a point that is a curve, mirrored for negative samples. */
static long double exact(float v, HaloPoint p)
{
    const long double white = p.op == HALO_POINT_POWER ? p.b : p.a, x = fabsl((long double)v) / white;
    const long double curved = p.op == HALO_POINT_POWER    ? powl(x, (long double)p.a)
                               : p.op == HALO_POINT_LINEAR ? linear_of(x)
                                                           : srgb_of(x);
    return copysignl(curved * white, (long double)v);
}

/* In units of the last place of an f32 where the exact value lies. */
static double ulps(float got, long double wanted)
{
    if (fabsl(wanted) > 3.4028235677973366e38L)
        return isinf(got) && !signbit(got) == !signbit(wanted) ? 0 : INFINITY;
    int exponent;
    frexpl(wanted, &exponent);
    if (exponent < -125) exponent = -125; /* denormals */
    return (double)(fabsl((long double)got - wanted) / ldexpl(1.0L, exponent - 24));
}

static const float white_of[] = {1.0f, 255.0f, 65535.0f};

static void expect_close(float v, HaloPoint p)
{
    const float got = halo_point(v, p);
    const double error = ulps(got, exact(v, p));
    if (!(error <= 0.5001))
        fail_case(NULL, "curve %d by %a, %a of %a is %a, which is off by %g ulp", (int)p.op, (double)p.a,
                  (double)p.b, (double)v, (double)got, error);
}

static void half_an_ulp_and_no_more(Rng *rng)
{
    static const float power[] = {1 / 2.2f, 2.2f, 0.5f, 2.0f, 3.0f, 0.01f, 100.0f, 1.0f};
    for (int i = 0; i < 1000; i++) {
        uint32_t bits = (uint32_t)rng_next(rng);
        float v = rng_float(rng, -0.25f, 1.25f);
        if (rng_once_in(rng, 2)) memcpy(&v, &bits, sizeof v); /* any float */
        const float white = white_of[rng_between(rng, 0, 2)];
        if (!isfinite(v)) continue;
        if (rng_once_in(rng, 2)) v *= white;
        if (!isfinite(v)) continue;
        expect_close(v, (HaloPoint){HALO_POINT_POWER, power[rng_between(rng, 0, 7)], white});
        expect_close(v, (HaloPoint){HALO_POINT_POWER, rng_float(rng, 0.01f, 4.0f), white});
        expect_close(v, (HaloPoint){HALO_POINT_LINEAR, white, 0});
        expect_close(v, (HaloPoint){HALO_POINT_SRGB, white, 0});
    }
}

static void special_samples(void **state)
{
    (void)state;
    for (HaloPointOp op = HALO_POINT_POWER; op <= HALO_POINT_SRGB; op++) {
        const HaloPoint p = {op, op == HALO_POINT_POWER ? 0.45f : 1.0f, 1.0f};
        assert_true(halo_point(0.0f, p) == 0.0f && halo_point(-0.0f, p) == 0.0f);
        assert_true(isnan(halo_point(NAN, p)));
        assert_true(halo_point(INFINITY, p) == INFINITY && halo_point(-INFINITY, p) == -INFINITY);
        assert_true(halo_point(-0.3f, p) == -halo_point(0.3f, p));
        if (op == HALO_POINT_POWER) assert_true(halo_point(1.0f, p) == 1.0f);
    }
}

/* ---- integers ------------------------------------------------------------------------------------------- */

/* To linear light and back, every level of 8 and of 16 bits is itself again. */
static void every_level_comes_back(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        const float white = deep ? 65535.0f : 255.0f;
        for (float v = 0; v <= white; v++) {
            const float light = halo_curve_linear(v, white);
            unsigned clipped;
            assert_true(halo_quantise(halo_curve_srgb(light, white), white, &clipped) == v && clipped == 0);
        }
    }
}

static HaloStatus call_map(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                           HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->map(device, src[0], dst, &step->u.map, step->store);
}

/* Every device gives what a table would: vectors, whatever their width, and single samples alike. */
static void integers_as_by_table(void **state)
{
    (void)state;
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_U16; dtype++)
        for (HaloPointOp op = HALO_POINT_POWER; op <= HALO_POINT_SRGB; op++) {
            const HaloShape in = test_shape(dtype, dtype == HALO_U8 ? 256 : 65536, 1, 1);
            HaloShape out = in;
            out.dtype = HALO_F32;
            const HaloPoint point = {op, op == HALO_POINT_POWER ? 1 / 2.2f : in.white, in.white};
            const HaloStep map = {.u.map.points = 1, .u.map.point = {point}, .store = {1, 1}};
            TestBuf src = testbuf_make(&in, test_whole(&in), NULL),
                    dst = testbuf_make(&out, test_whole(&out), NULL);
            for (int64_t v = 0; v < in.width; v++) {
                if (dtype == HALO_U8)
                    ((uint8_t *)src.view.data)[v] = (uint8_t)v;
                else
                    ((uint16_t *)src.view.data)[v] = (uint16_t)v;
                ((float *)dst.view.data)[v] = halo_point((float)v, point);
            }
            expect_everywhere("every level", call_map, &map, &src, NULL, &dst, 0);
            testbuf_free(&src);
            testbuf_free(&dst);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(half_an_ulp_and_no_more, 200),
        cmocka_unit_test(special_samples),
        cmocka_unit_test(every_level_comes_back),
        cmocka_unit_test(integers_as_by_table),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
