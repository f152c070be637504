/* Every so many pixels, on every device. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_pick(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->pick(device, src[0], dst, &step->u.pick, step->store);
}

static void pick_body(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 70);
    HaloShape out = shape;
    out.dtype = draw_dtype(rng);
    const HaloStep pick = {.u.pick.step_x = rng_between(rng, 1, rng_once_in(rng, 4) ? 80 : 4),
                           .u.pick.step_y = rng_between(rng, 1, rng_once_in(rng, 4) ? 80 : 4),
                           .store = draw_store(rng, shape.dtype, out.dtype)};
    out.width = (shape.width + pick.u.pick.step_x - 1) / pick.u.pick.step_x;
    out.height = (shape.height + pick.u.pick.step_y - 1) / pick.u.pick.step_y;
    const TestRect rect = draw_rect(rng, &out);
    const TestRect need = {rect.x0 * pick.u.pick.step_x, rect.y0 * pick.u.pick.step_y,
                           (rect.cols - 1) * pick.u.pick.step_x + 1, (rect.rows - 1) * pick.u.pick.step_y + 1};
    TestBuf src = testbuf_make(&shape, rng_once_in(rng, 2) ? need : test_whole(&shape), rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_pick(&src.view, &dst.view, &pick.u.pick, pick.store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what, "pick one of %" PRId64 "x%" PRId64 ", %s -> %s, store %g/%g",
             pick.u.pick.step_x, pick.u.pick.step_y, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text),
             (double)pick.store.num, (double)pick.store.den);
    expect_everywhere(what, call_pick, &pick, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void one_of_so_many(void **state)
{
    (void)state;
    for_each_case(__func__, 600, pick_body);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_so_many)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
