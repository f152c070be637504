/* Non-maximum suppression, reconstruction, thinning and watersheds, on every device, against plain definitions.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/morphology.h"
#include "oracle.h"
#include "patterns.h"

typedef bool Offered(const HaloBackend *backend);

/* The call on every device that has it: samples, guard bytes and the number of clipped samples. */
static void expect_where_offered(const char *what, Offered *offered, TestCall *call, const void *parameters,
                                 const TestBuf *a, const TestBuf *b, const TestBuf *expected, uint64_t clipped)
{
    for (int d = 0; d < test_devices; d++) {
        uint64_t counted = 0;
        if (!offered(test_device[d].backend)) continue;
        TestBuf out = testbuf_like(expected);
        test_run_on(&test_device[d], what, call, parameters, a, b, &out, &counted);
        expect_same(test_device[d].name, what, expected, &out);
        if (counted != clipped)
            fail_case(test_device[d].name, "%s: expected %" PRIu64 " clipped samples, counted %" PRIu64, what,
                      clipped, counted);
        testbuf_free(&out);
    }
}

/* ---- non-maximum suppression ---------------------------------------------------------------------------- */

static bool offers_suppress(const HaloBackend *backend) { return backend->suppress != NULL; }

static HaloStatus call_suppress(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    return backend->suppress(device, src[0], src[1], dst, *(const HaloStore *)parameters);
}

static void check_suppress(Rng *rng, HaloShape shape, TestRect rect)
{
    char what[160], text[96];
    const HaloWindow ring = {.width = 3, .height = 3, .ox = -1, .oy = -1, .border = HALO_BORDER_REPLICATE};
    const TestRect needed = needed_rect(&shape, rect, &ring);
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    const HaloStore store = draw_store(rng, shape.dtype, to.dtype);
    TestBuf gx = testbuf_make(&shape, needed, rng), gy = testbuf_make(&shape, needed, rng),
            dst = testbuf_make(&to, rect, rng);
    testbuf_fill(&gx, rng_once_in(rng, 3), rng);
    testbuf_fill(&gy, rng_once_in(rng, 3), rng);
    const uint64_t clipped = oracle_suppress(&gx.view, &gy.view, &dst.view, store);
    snprintf(what, sizeof what, "suppress %s", testbuf_text(&dst, text));
    expect_where_offered(what, offers_suppress, call_suppress, &store, &gx, &gy, &dst, clipped);
    testbuf_free(&gx);
    testbuf_free(&gy);
    testbuf_free(&dst);
}

static void random_gradients(Rng *rng)
{
    HaloShape shape = draw_shape(rng, 70);
    shape.channels = 1;
    shape.alpha = -1;
    check_suppress(rng, shape, draw_rect(rng, &shape));
}

static void gradients_across_strips(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, rng_between(rng, 400, 600), rng_between(rng, 300, 500), 1);
    check_suppress(rng, shape, test_whole(&shape));
}

/* ---- reconstruction ------------------------------------------------------------------------------------- */

static bool offers_reconstruct(const HaloBackend *backend) { return backend->reconstruct != NULL; }

static HaloStatus call_reconstruct(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                   HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->reconstruct(device, src[0], src[1], dst, &step->u.reconstruct, step->store);
}

/* Few values make plateaus; patterns make long ways. */
static TestBuf draw_picture(Rng *rng, HaloShape shape)
{
    if (rng_once_in(rng, 2)) return draw_pattern(rng, shape);
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), rng);
    testbuf_fill(&buf, rng_once_in(rng, 3), rng);
    return buf;
}

static void check_reconstruct(Rng *rng, HaloShape shape)
{
    char what[160], text[96];
    HaloShape to = shape, other = shape;
    to.dtype = draw_dtype(rng);
    other.dtype = draw_dtype(rng);
    if (rng_once_in(rng, 3)) {
        other.channels = 1;
        other.alpha = -1;
    }
    const HaloStep step = {
        .u.reconstruct = {.erosion = rng_once_in(rng, 2), .connect = rng_once_in(rng, 2) ? 4 : 8},
        .store = draw_store(rng, shape.dtype, to.dtype)};
    TestBuf src = draw_picture(rng, shape), marker = draw_picture(rng, other),
            dst = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped =
        oracle_reconstruct(&src.view, &marker.view, &dst.view, &step.u.reconstruct, step.store);
    snprintf(what, sizeof what, "reconstruct %s%d of %s", step.u.reconstruct.erosion ? "by erosion " : "",
             step.u.reconstruct.connect, testbuf_text(&src, text));
    expect_where_offered(what, offers_reconstruct, call_reconstruct, &step, &src, &marker, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&marker);
    testbuf_free(&dst);
}

static void random_reconstructions(Rng *rng) { check_reconstruct(rng, draw_plane(rng, 40)); }

/* ---- thinning ------------------------------------------------------------------------------------------- */

static bool offers_thin(const HaloBackend *backend) { return backend->thin != NULL; }

static HaloStatus call_thin(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                            HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->thin(device, src[0], dst, &step->u.thin, step->store);
}

/* Rectangles: regions that take several passes. */
static void draw_blocks(Rng *rng, TestBuf *buf)
{
    const HaloShape *shape = &buf->view.shape;
    for (int k = (int)rng_between(rng, 1, 12); k > 0; k--) {
        const int64_t x0 = rng_between(rng, 0, shape->width - 1), y0 = rng_between(rng, 0, shape->height - 1);
        const int64_t x1 = rng_between(rng, x0, shape->width - 1), y1 = rng_between(rng, y0, shape->height - 1);
        const float v = (float)rng_between(rng, 0, 2);
        for (int64_t y = y0; y <= y1; y++)
            for (int64_t x = x0; x <= x1; x++)
                oracle_put(&buf->view, x, y, shape->alpha == 0, v, (HaloStore){1, 1});
    }
}

static void check_thin(Rng *rng, HaloShape shape)
{
    char what[160], text[96];
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    const HaloStep step = {.u.thin = {.kind = (HaloThinKind)rng_between(rng, 0, 1),
                                      .passes = rng_once_in(rng, 2) ? rng_between(rng, 1, 4) : 0},
                           .store = draw_store(rng, shape.dtype, to.dtype)};
    TestBuf src = draw_pattern(rng, shape), dst = testbuf_make(&to, test_whole(&to), rng);
    if (rng_once_in(rng, 2)) draw_blocks(rng, &src);
    const uint64_t clipped = oracle_thin(&src.view, &dst.view, &step.u.thin, step.store);
    snprintf(what, sizeof what, "thin by %d, %" PRId64 " passes, of %s", step.u.thin.kind, step.u.thin.passes,
             testbuf_text(&src, text));
    expect_where_offered(what, offers_thin, call_thin, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void random_thinnings(Rng *rng) { check_thin(rng, draw_plane(rng, 150)); }

static void thinnings_across_strips(Rng *rng)
{
    check_thin(rng, test_shape(draw_dtype(rng), rng_between(rng, 300, 600), rng_between(rng, 500, 600), 1));
}

/* ---- watersheds ----------------------------------------------------------------------------------------- */

typedef struct Flood {
    HaloStep step;
    const HaloBuf *mask; /* in host memory: watersheds are for the CPU alone */
} Flood;

static bool offers_watershed(const HaloBackend *backend) { return backend->watershed != NULL; }

static HaloStatus call_watershed(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                 HaloBuf *dst, const void *parameters)
{
    const Flood *flood = parameters;
    return backend->watershed(device, src[0], src[1], flood->mask, dst, &flood->step.u.watershed,
                              flood->step.store);
}

static TestBuf draw_markers(Rng *rng, HaloShape shape)
{
    TestBuf buf = testbuf_make(&shape, test_whole(&shape), rng);
    const int64_t rarity = rng_between(rng, 2, 60);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) {
            const float none = shape.dtype == HALO_F32 && rng_once_in(rng, 9) ? NAN : 0.0f;
            const float v = rng_once_in(rng, rarity) ? (float)rng_between(rng, 1, 200) : none;
            oracle_put(&buf.view, x, y, 0, v, (HaloStore){1, 1});
        }
    return buf;
}

static void random_watersheds(Rng *rng)
{
    char what[160], text[96];
    HaloShape shape = draw_shape(rng, 30), other, to;
    shape.channels = 1;
    shape.alpha = -1;
    to = other = shape;
    to.dtype = draw_dtype(rng);
    other.dtype = draw_dtype(rng);
    TestBuf src = draw_picture(rng, shape), markers = draw_markers(rng, other), mask = draw_pattern(rng, other),
            dst = testbuf_make(&to, test_whole(&to), rng);
    const Flood flood = {.step = {.u.watershed.connect = rng_once_in(rng, 2) ? 4 : 8, .store = {1, 1}},
                         .mask = rng_once_in(rng, 2) ? &mask.view : NULL};
    const uint64_t clipped = oracle_watershed(&src.view, &markers.view, flood.mask, &dst.view,
                                              &flood.step.u.watershed, flood.step.store);
    snprintf(what, sizeof what, "watershed %d%s of %s", flood.step.u.watershed.connect,
             flood.mask != NULL ? " in a mask" : "", testbuf_text(&src, text));
    expect_where_offered(what, offers_watershed, call_watershed, &flood, &src, &markers, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&markers);
    testbuf_free(&mask);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_gradients, 400),       random_test(gradients_across_strips, 3),
        random_test(random_reconstructions, 300), random_test(random_thinnings, 150),
        random_test(thinnings_across_strips, 3),  random_test(random_watersheds, 300),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
