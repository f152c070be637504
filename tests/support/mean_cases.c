/* Means that tests draw, and the comparison of one everywhere. */
#include <inttypes.h>
#include <stdio.h>

#include "draw.h"
#include "mean_cases.h"
#include "oracle.h"

HaloStatus mean_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->mean(device, src[0], dst, &step->u.mean, step->store);
}

void mean_check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step)
{
    static const char *const kind[] = {"mean", "variance", "deviation"};
    const HaloWindow *window = &step->u.mean.window;
    const HaloShape out_shape = windowed_shape(shape, window, to);
    const TestRect rect = draw_rect(rng, &out_shape);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, window);
    TestBuf src = testbuf_make(shape, need, rng), dst = testbuf_make(&out_shape, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_mean(&src.view, &dst.view, &step->u.mean, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "%s %s -> %s, window %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", border %s=%g%s, store %g/%g",
             kind[step->u.mean.kind], testbuf_text(&src, src_text), testbuf_text(&dst, dst_text), window->width,
             window->height, window->ox, window->oy, border_name(window->border), (double)window->value,
             window->nan_ignore ? ", nan=ignore" : "", (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, mean_call, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

void mean_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const HaloDtype to = draw_dtype(rng);
    const HaloStep mean = {.u.mean.window = draw_window_over(rng, shape, width, height),
                           .u.mean.kind = (HaloMeanKind)rng_between(rng, 0, HALO_MEAN_SD),
                           .store = draw_store(rng, shape->dtype, to)};
    mean_check(rng, shape, to, &mean);
}

int64_t draw_mean_width(Rng *rng, int64_t most)
{
    static const int64_t turns[] = {2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 34, 64, 65, 66, 96, 97, 1056, 1088};
    const int64_t turn = turns[rng_between(rng, 0, sizeof turns / sizeof *turns - 1)];
    return rng_once_in(rng, 3) && turn <= most ? turn : rng_between(rng, 1, most);
}
