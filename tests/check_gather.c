/* Moving samples (crop, flip, rotate, stride) on every device. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_gather(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                              HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->gather(device, src[0], dst, &step->u.gather, step->store);
}

/* The rectangle of the source that outputs of this rectangle read. */
static TestRect needed(const HaloShape *shape, const HaloGather *gather, TestRect rect)
{
    const bool turned = gather->transposed;
    const int64_t from[2] = {turned ? rect.y0 : rect.x0, turned ? rect.x0 : rect.y0};
    const int64_t count[2] = {turned ? rect.rows : rect.cols, turned ? rect.cols : rect.rows};
    const int64_t origin[2] = {gather->x0, gather->y0}, step[2] = {gather->step_x, gather->step_y};
    const int64_t length[2] = {shape->width, shape->height};
    int64_t first[2], size[2];
    for (int k = 0; k < 2; k++) {
        int64_t low = length[k], high = -1, index;
        for (int64_t i = from[k]; i < from[k] + count[k]; i++) {
            oracle_border(origin[k] + step[k] * i, 1, length[k], gather->border, &index);
            if (index >= 0 && index < low) low = index;
            if (index > high) high = index;
        }
        first[k] = high < 0 ? 0 : low;
        size[k] = high < 0 ? 1 : high - low + 1;
    }
    return (TestRect){first[0], first[1], size[0], size[1]};
}

static void check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloGather *how)
{
    HaloShape out = *shape;
    out.dtype = to;
    out.width = how->width;
    out.height = how->height;
    const bool same = rng_once_in(rng, 3) && to == shape->dtype;
    const HaloStep gather = {.u.gather = *how,
                             .store = same ? (HaloStore){1.0f, 1.0f} : draw_store(rng, shape->dtype, to)};
    const TestRect rect = draw_rect(rng, &out);
    TestBuf src = testbuf_make(shape, rng_once_in(rng, 2) ? needed(shape, how, rect) : test_whole(shape), rng);
    TestBuf dst = testbuf_make(&out, rect, rng);
    testbuf_fill(&src, rng_once_in(rng, 2), rng);
    const uint64_t clipped = oracle_gather(&src.view, &dst.view, how, gather.store);
    char what[400], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "gather from %" PRId64 ",%" PRId64 " by %" PRId64 ",%" PRId64
             "%s, border %s, %s -> %s, store %g/%g",
             how->x0, how->y0, how->step_x, how->step_y, how->transposed ? " transposed" : "",
             border_name(how->border), testbuf_text(&src, src_text), testbuf_text(&dst, dst_text),
             (double)gather.store.num, (double)gather.store.den);
    expect_everywhere(what, call_gather, &gather, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static HaloDtype draw_to(Rng *rng, const HaloShape *shape)
{
    return rng_once_in(rng, 2) ? shape->dtype : draw_dtype(rng);
}

static void strides(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 70);
    HaloGather gather = {.step_x = rng_between(rng, 1, rng_once_in(rng, 4) ? 80 : 4),
                         .step_y = rng_between(rng, 1, rng_once_in(rng, 4) ? 80 : 4)};
    gather.width = (shape.width + gather.step_x - 1) / gather.step_x;
    gather.height = (shape.height + gather.step_y - 1) / gather.step_y;
    check(rng, &shape, draw_to(rng, &shape), &gather);
}

/* Mirrored and transposed, whole. */
static void flips_and_rotations(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, rng_once_in(rng, 8) ? 300 : 70);
    const bool left = rng_once_in(rng, 2), up = rng_once_in(rng, 2), transposed = rng_once_in(rng, 2);
    const HaloGather gather = {.width = transposed ? shape.height : shape.width,
                               .height = transposed ? shape.width : shape.height,
                               .x0 = left ? shape.width - 1 : 0,
                               .y0 = up ? shape.height - 1 : 0,
                               .step_x = left ? -1 : 1,
                               .step_y = up ? -1 : 1,
                               .transposed = transposed};
    check(rng, &shape, draw_to(rng, &shape), &gather);
}

/* Lines and narrow images, flipped and padded: rows that become one line, pixels of all sizes, whole tiles. */
static void lines_and_narrow_images(Rng *rng)
{
    HaloShape shape = draw_shape(rng, 40);
    const int64_t few = rng_once_in(rng, 2) ? 1 : rng_between(rng, 2, rng_once_in(rng, 3) ? 70 : 20);
    const int64_t many = rng_between(rng, 64, rng_once_in(rng, 8) ? 9000 : 700);
    const bool upright = rng_once_in(rng, 2);
    shape.width = upright ? few : many;
    shape.height = upright ? many : few;
    const bool left = rng_once_in(rng, 2), up = rng_once_in(rng, 2), transposed = rng_once_in(rng, 2);
    const int64_t beside = rng_once_in(rng, 3) ? rng_between(rng, 1, 20) : 0;
    const HaloGather gather = {.width = (transposed ? shape.height : shape.width) + beside,
                               .height = (transposed ? shape.width : shape.height) + beside,
                               .x0 = left ? shape.width - 1 + beside / 2 : -beside / 2,
                               .y0 = up ? shape.height - 1 + beside / 2 : -beside / 2,
                               .step_x = left ? -1 : 1,
                               .step_y = up ? -1 : 1,
                               .transposed = transposed,
                               .border = draw_border(rng),
                               .value = rng_once_in(rng, 3) ? 300.0f : rng_float(rng, -1, 1)};
    check(rng, &shape, draw_to(rng, &shape), &gather);
}

/* Rows of many words, cut on both sides and flipped. */
static void wide_rows(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 80, 700), rng_between(rng, 1, 6),
                                       (int)rng_between(rng, 1, 5));
    const bool left = rng_once_in(rng, 2), up = rng_once_in(rng, 2);
    const int64_t cut = rng_between(rng, 0, 40), before = rng_between(rng, 0, cut);
    const HaloGather gather = {.width = shape.width - cut,
                               .height = shape.height,
                               .x0 = left ? shape.width - 1 - before : before,
                               .y0 = up ? shape.height - 1 : 0,
                               .step_x = left ? -1 : 1,
                               .step_y = up ? -1 : 1};
    check(rng, &shape, shape.dtype, &gather);
}

/* Anything: inside, across an edge, or far outside. */
static void beyond_every_border(Rng *rng)
{
    const HaloShape shape = draw_shape(rng, 40);
    const int64_t far = rng_once_in(rng, 5) ? 300 : 12;
    const HaloGather gather = {.width = rng_between(rng, 1, 60),
                               .height = rng_between(rng, 1, 60),
                               .x0 = rng_between(rng, -far, shape.width + far),
                               .y0 = rng_between(rng, -far, shape.height + far),
                               .step_x = rng_between(rng, 1, 3) * (rng_once_in(rng, 3) ? -1 : 1),
                               .step_y = rng_between(rng, 1, 3) * (rng_once_in(rng, 3) ? -1 : 1),
                               .transposed = rng_once_in(rng, 3),
                               .border = draw_border(rng),
                               .value = rng_once_in(rng, 3) ? 300.0f : rng_float(rng, -1, 1)};
    check(rng, &shape, draw_to(rng, &shape), &gather);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(strides, 400), random_test(flips_and_rotations, 600),
                                       random_test(lines_and_narrow_images, 600), random_test(wide_rows, 300),
                                       random_test(beyond_every_border, 800)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
