/* Rank filters that tests draw, and the comparison of one everywhere. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "draw.h"
#include "oracle.h"
#include "rank_cases.h"

HaloStatus rank_call(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2], HaloBuf *dst,
                     const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->rank(device, src[0], dst, &step->u.rank, step->store);
}

/* One rectangle of the result; `gaps` draws what lies between rows, NULL: nothing. */
static void check_rect(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step,
                       TestPicture picture, TestRect rect, Rng *gaps)
{
    const HaloRank *rank = &step->u.rank;
    const HaloShape out_shape = windowed_shape(shape, &rank->window, to);
    TestRect need = test_whole(shape);
    if (rng_once_in(rng, 2)) need = needed_rect(shape, rect, &rank->window);
    TestBuf src = testbuf_make(shape, need, gaps), dst = testbuf_make(&out_shape, rect, gaps);
    test_fill_picture(&src, picture, rng);
    const uint64_t clipped = oracle_rank(&src.view, &dst.view, rank, step->store);
    char what[320], src_text[96], dst_text[96];
    snprintf(what, sizeof what,
             "rank %g %s -> %s, %s %" PRId64 "x%" PRId64 " at %" PRId64 ",%" PRId64
             ", border %s=%g%s, store %g/%g",
             rank->fraction, testbuf_text(&src, src_text), testbuf_text(&dst, dst_text),
             rank->span != NULL ? "shape" : "window", rank->window.width, rank->window.height, rank->window.ox,
             rank->window.oy, border_name(rank->window.border), (double)rank->window.value,
             rank->halves              ? ", nan=ignore, halves"
             : rank->window.nan_ignore ? ", nan=ignore"
                                       : "",
             (double)step->store.num, (double)step->store.den);
    expect_everywhere(what, rank_call, step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

void rank_check(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step, TestPicture picture)
{
    const HaloShape out_shape = windowed_shape(shape, &step->u.rank.window, to);
    check_rect(rng, shape, to, step, picture, draw_rect(rng, &out_shape), rng);
}

void rank_check_rows(Rng *rng, const HaloShape *shape, HaloDtype to, const HaloStep *step, TestPicture picture)
{
    const HaloShape out_shape = windowed_shape(shape, &step->u.rank.window, to);
    TestRect rect = test_whole(&out_shape);
    if (rng_once_in(rng, 2)) {
        rect.y0 = rng_between(rng, 0, out_shape.height - 1);
        rect.rows = rng_between(rng, 1, out_shape.height - rect.y0);
    }
    check_rect(rng, shape, to, step, picture, rect, NULL);
}

void rank_case_of(Rng *rng, const HaloShape *shape, int64_t width, int64_t height, TestPicture picture)
{
    const HaloDtype to = draw_dtype(rng);
    HaloStep rank = {.u.rank.window = draw_window_over(rng, shape, width, height),
                     .u.rank.fraction = rng_once_in(rng, 2) ? 0.5 : (double)rng_between(rng, 0, 8) / 8,
                     .store = draw_store(rng, shape->dtype, to)};
    rank.u.rank.halves =
        rank.u.rank.window.nan_ignore && rank.u.rank.fraction == 0.5 && width * height % 2 == 1;
    rank_check(rng, shape, to, &rank, picture);
}

void rank_case(Rng *rng, const HaloShape *shape, int64_t width, int64_t height)
{
    const bool any = rng_once_in(rng, 2);
    rank_case_of(rng, shape, width, height, any ? PICTURE_ANY : (TestPicture)rng_between(rng, 0, PICTURES - 1));
}
