/* Equalization on every device against counts made tile by tile. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "oracle.h"

static HaloStatus call_equalize(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->equalize(device, src[0], dst, &step->u.equalize, step->store);
}

static void check(const TestBuf *src, const HaloShape *to, const HaloStep *step, Rng *rng)
{
    const HaloEqualize *how = &step->u.equalize;
    char what[320], src_text[96], dst_text[96];
    TestBuf dst = testbuf_make(to, test_whole(to), rng);
    const uint64_t clipped = oracle_equalize(&src->view, &dst.view, how, step->store);
    snprintf(what, sizeof what,
             "equalize %s -> %s, alpha %d, %" PRId64 "x%" PRId64 " tiles of %" PRId64 "x%" PRId64
             ", limit %g%s%s%s, store %g/%g",
             testbuf_text(src, src_text), testbuf_text(&dst, dst_text), to->alpha, how->tiles_x, how->tiles_y,
             how->tile_width, how->tile_height, how->limit, how->from_least ? ", from the least" : "",
             how->joint ? ", joint" : "", how->mixed ? ", mixed" : "", (double)step->store.num,
             (double)step->store.den);
    expect_everywhere(what, call_equalize, step, src, NULL, &dst, clipped);
    testbuf_free(&dst);
}

static void run_case(Rng *rng, HaloShape shape, int64_t tiles_most)
{
    if (rng_once_in(rng, 3)) shape.alpha = (int)rng_between(rng, 0, shape.channels - 1);
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    HaloStep how = {.u.equalize.tiles_x = rng_between(rng, 1, tiles_most),
                    .u.equalize.tiles_y = rng_between(rng, 1, tiles_most),
                    .u.equalize.bins = shape.dtype == HALO_U8 ? 256 : 65536,
                    .u.equalize.white = shape.white,
                    .u.equalize.limit = rng_once_in(rng, 3) ? 0.0 : 4 * rng_unit(rng),
                    .u.equalize.from_least = rng_once_in(rng, 2),
                    .u.equalize.joint = rng_once_in(rng, 2),
                    .u.equalize.mixed = !rng_once_in(rng, 3),
                    .store = draw_store(rng, shape.dtype, to.dtype)};
    if (how.u.equalize.limit > 0 && rng_once_in(rng, 3))
        how.u.equalize.limit *= 1000; /* 16-bit tiles have few samples a level */
    if (how.u.equalize.limit > 0) how.u.equalize.from_least = false;
    how.u.equalize.tile_width =
        (shape.width + how.u.equalize.tiles_x - 1) / how.u.equalize.tiles_x + rng_between(rng, 0, 1);
    how.u.equalize.tile_height =
        (shape.height + how.u.equalize.tiles_y - 1) / how.u.equalize.tiles_y + rng_between(rng, 0, 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&src, rng_once_in(rng, 3), rng);
    check(&src, &to, &how, rng);
    testbuf_free(&src);
}

static void one_tile(Rng *rng) { run_case(rng, draw_long_shape(rng, 60), 1); }

static void several_tiles(Rng *rng) { run_case(rng, draw_shape(rng, 70), 5); }

static void larger_images(Rng *rng)
{
    run_case(rng, test_shape(draw_dtype(rng), rng_between(rng, 200, 500), rng_between(rng, 100, 300), 3), 3);
}

/* u16 and floats in tiles so large, and with a limit so low, that neighbouring levels are close to each
 * other. */
static void near_levels(Rng *rng)
{
    const int64_t tiles = rng_between(rng, 1, 2);
    const HaloDtype dtype = rng_once_in(rng, 2) ? HALO_U16 : HALO_F32;
    HaloShape shape =
        test_shape(dtype, rng_between(rng, 800, 1100), rng_between(rng, 700, 900), (int)rng_between(rng, 1, 2));
    if (rng_once_in(rng, 3)) shape.alpha = shape.channels - 1;
    HaloShape to = shape;
    if (rng_once_in(rng, 2)) to.dtype = HALO_F32;
    const HaloStep how = {.u.equalize.tiles_x = tiles,
                          .u.equalize.tiles_y = tiles,
                          .u.equalize.tile_width = (shape.width + tiles - 1) / tiles,
                          .u.equalize.tile_height = (shape.height + tiles - 1) / tiles,
                          .u.equalize.bins = 65536,
                          .u.equalize.white = shape.white,
                          .u.equalize.limit = 0.5 + 2 * rng_unit(rng),
                          .u.equalize.joint = true,
                          .u.equalize.mixed = true,
                          .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&src, false, rng);
    check(&src, &to, &how, rng);
    testbuf_free(&src);
}

/* One tile that is the image, whose levels are mixed with themselves: by the place in the tile. */
static void narrow_images(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 70), rng_between(rng, 2, 50), 1);
    const HaloStep how = {.u.equalize.tiles_x = 1,
                          .u.equalize.tiles_y = 1,
                          .u.equalize.tile_width = shape.width,
                          .u.equalize.tile_height = shape.height,
                          .u.equalize.bins = 65536,
                          .u.equalize.white = shape.white,
                          .u.equalize.joint = true,
                          .u.equalize.mixed = true,
                          .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&src, false, rng);
    check(&src, &shape, &how, rng);
    testbuf_free(&src);
}

/* A flat image is not changed. */
static void flat_images_do_not_change(void **state)
{
    (void)state;
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++) {
        const HaloShape shape = test_shape(dtype, 40, 30, 2);
        const HaloStep how = {.u.equalize.tiles_x = 1,
                              .u.equalize.tiles_y = 1,
                              .u.equalize.tile_width = 40,
                              .u.equalize.tile_height = 30,
                              .u.equalize.bins = dtype == HALO_U8 ? 256 : 65536,
                              .u.equalize.white = shape.white,
                              .u.equalize.from_least = true,
                              .u.equalize.joint = true,
                              .store = {1, 1}};
        TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL), dst = testbuf_like(&src);
        memset(src.view.data, 0x3d, (size_t)(src.view.rows * src.view.stride));
        oracle_equalize(&src.view, &dst.view, &how.u.equalize, how.store);
        assert_memory_equal(src.view.data, dst.view.data, (size_t)(src.view.rows * src.view.stride));
        check(&src, &shape, &how, NULL);
        testbuf_free(&src);
        testbuf_free(&dst);
    }
}

/* 2, 2, 2, 5, 9, 9: of the four beyond the least, one is at or below 5. */
static void by_hand(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 6, 1, 1);
    HaloStep how = {.u.equalize.tiles_x = 1,
                    .u.equalize.tiles_y = 1,
                    .u.equalize.tile_width = 6,
                    .u.equalize.tile_height = 1,
                    .u.equalize.bins = 256,
                    .u.equalize.white = 255,
                    .u.equalize.from_least = true,
                    .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL), dst = testbuf_like(&src);
    memcpy(src.view.data, (const uint8_t[6]){2, 9, 2, 5, 9, 2}, 6);
    oracle_equalize(&src.view, &dst.view, &how.u.equalize, how.store);
    assert_memory_equal(dst.view.data, ((const uint8_t[6]){0, 255, 0, 85, 255, 0}), 6);
    check(&src, &shape, &how, NULL);
    how.u.equalize.from_least = false;
    oracle_equalize(&src.view, &dst.view, &how.u.equalize, how.store);
    assert_memory_equal(dst.view.data, ((const uint8_t[6]){128, 255, 128, 170, 255, 128}), 6);
    check(&src, &shape, &how, NULL);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* What OpenCV's createCLAHE(0, (2, 2)) makes of it. In column 1, left of the first centre, a level is mixed
 * with itself, and what that leaves of it decides the rounding: without it row 2 has 59 there. Neither side is
 * a multiple of the tiles as one is not. */
static void levels_are_mixed_beside_single_tiles(void **state)
{
    (void)state;
    static const uint8_t from[40] = {102, 13,  232, 79,  9,  147, 75,  17,  218, 211, 201, 237, 10,  119,
                                     82,  101, 10,  119, 82, 232, 221, 119, 77,  101, 122, 62,  251, 240,
                                     58,  91,  20,  130, 68, 180, 130, 185, 170, 49,  76,  65};
    static const uint8_t to[40] = {136, 51,  241, 76,  14,  187, 85,  60,  221, 204, 204, 255, 31,  170,
                                   102, 119, 31,  165, 104, 251, 211, 155, 97,  130, 173, 76,  255, 241,
                                   51,  125, 44,  158, 97,  205, 182, 187, 172, 44,  112, 79};
    const HaloShape shape = test_shape(HALO_U8, 5, 8, 1);
    const HaloStep how = {.u.equalize.tiles_x = 2,
                          .u.equalize.tiles_y = 2,
                          .u.equalize.tile_width = 3,
                          .u.equalize.tile_height = 5,
                          .u.equalize.bins = 256,
                          .u.equalize.white = 255,
                          .u.equalize.mixed = true,
                          .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL), dst = testbuf_like(&src);
    for (int64_t y = 0; y < 8; y++) memcpy(halo_at(&src.view, 0, y), from + y * 5, 5);
    oracle_equalize(&src.view, &dst.view, &how.u.equalize, how.store);
    for (int64_t y = 0; y < 8; y++) assert_memory_equal(halo_at(&dst.view, 0, y), to + y * 5, 5);
    check(&src, &shape, &how, NULL);
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        random_test(one_tile, 120),
        random_test(several_tiles, 120),
        random_test(larger_images, 8),
        random_test(near_levels, 8),
        random_test(narrow_images, 20),
        cmocka_unit_test(flat_images_do_not_change),
        cmocka_unit_test(levels_are_mixed_beside_single_tiles),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
