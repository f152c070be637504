/* Extremes of any samples of windows, with heights, and what takes all samples of a window in order: on every
 * device, against samples gathered one by one. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"
#include "pictures.h"

enum { MOST_MEMBERS = 400 };

static HaloStatus call_local(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                             HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->local(device, src[0], dst, &step->u.local, step->store);
}

static void check(Rng *rng, const HaloShape *shape, const HaloLocal *local, TestPicture picture)
{
    char what[256], text[96];
    HaloShape to = windowed_shape(shape, &local->window, draw_dtype(rng));
    const HaloStep step = {.u.local = *local, .store = draw_store(rng, shape->dtype, to.dtype)};
    const TestRect rect = draw_rect(rng, &to), need = needed_rect(shape, rect, &local->window);
    TestBuf src = testbuf_make(shape, rng_once_in(rng, 2) ? need : test_whole(shape), rng);
    TestBuf dst = testbuf_make(&to, rect, rng);
    test_fill_picture(&src, picture, rng);
    const uint64_t clipped = oracle_local(&src.view, &dst.view, local, step.store);
    snprintf(what, sizeof what,
             "kind %d of %" PRId64 "x%" PRId64 ", %" PRId64 " members%s%s, border %s=%g of %s", local->kind,
             local->window.width, local->window.height, local->members, local->flat ? ", flat" : "",
             local->window.nan_ignore ? ", nan=ignore" : "", border_name(local->window.border),
             local->window.value, testbuf_text(&src, text));
    expect_everywhere(what, call_local, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static TestPicture draw_content(Rng *rng) { return (TestPicture)rng_between(rng, 0, PICTURES - 1); }

static void extremes_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    HaloMember member[MOST_MEMBERS];
    HaloLocal local = {.kind = (HaloLocalKind)rng_between(rng, HALO_LOCAL_LEAST, HALO_LOCAL_GREATEST),
                       .flat = rng_once_in(rng, 2),
                       .window = draw_window_over(rng, shape, width, height),
                       .member = member};
    const double density = rng_unit(rng);
    for (int64_t i = 0; i < width * height; i++)
        if (rng_unit(rng) < density || (i == width * height - 1 && local.members == 0))
            member[local.members++] = (HaloMember){(int32_t)(i % width), (int32_t)(i / width),
                                                   local.flat            ? 0.0f
                                                   : rng_once_in(rng, 9) ? -0.0f
                                                                         : rng_float(rng, -50.0f, 50.0f)};
    check(rng, shape, &local, draw_content(rng));
}

static void random_extremes(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 40);
    extremes_case(rng, &shape, rng_between(rng, 1, 20), rng_between(rng, 1, 20));
}

/* Several tiles of columns and rows, and several threads. */
static void wide_extremes(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 2100, 4500), rng_between(rng, 30, 60),
                                       (int)rng_between(rng, 1, 4));
    extremes_case(rng, &shape, rng_between(rng, 1, 5), rng_between(rng, 1, 5));
}

static void ordered_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    HaloLocal local = {.kind = (HaloLocalKind)rng_between(rng, HALO_LOCAL_MODE, HALO_LOCAL_ENTROPY),
                       .window = draw_window_over(rng, shape, width, height)};
    if (local.kind == HALO_LOCAL_ENTROPY) {
        local.bins = shape->dtype == HALO_U16 ? 65536 : 256;
        local.hi = shape->dtype == HALO_F32 ? 1.0 : (double)local.bins;
    }
    check(rng, shape, &local, draw_content(rng));
}

static void random_ordered(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 20);
    ordered_case(rng, &shape, rng_between(rng, 1, 9), rng_between(rng, 1, 9));
}

/* More samples than the shared memory of a GPU holds. */
static void ordered_in_large_windows(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), 5, 3, 1);
    const HaloLocal local = {.kind = HALO_LOCAL_MAD, .window = draw_window_over(rng, &shape, 85, 105)};
    check(rng, &shape, &local, draw_content(rng));
}

static void wide_ordered(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), 4200, 3, 1);
    ordered_case(rng, &shape, rng_between(rng, 1, 4), rng_between(rng, 1, 3));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_extremes, 200),        random_test(wide_extremes, 3),
        random_test(random_ordered, 200),         random_test(wide_ordered, 3),
        random_test(ordered_in_large_windows, 6),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
