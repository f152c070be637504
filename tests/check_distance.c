/* Distances, on every device, against the nearest of all pixels. */
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
#include "patterns.h"

static HaloStatus call_distance(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                                HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->distance(device, src[0], dst, &step->u.distance, step->store);
}

static void check_distance(Rng *rng, const TestBuf *src, HaloMetric metric)
{
    char what[160], text[96];
    HaloShape to = src->view.shape;
    to.dtype = HALO_F32;
    const HaloStep step = {.u.distance.metric = metric, .store = {1, 1}};
    TestBuf dst = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped = oracle_distance(&src->view, &dst.view, &step.u.distance, step.store);
    snprintf(what, sizeof what, "distance %d of %s", metric, testbuf_text(src, text));
    expect_everywhere(what, call_distance, &step, src, NULL, &dst, clipped);
    testbuf_free(&dst);
}

static void random_distances(Rng *rng)
{
    TestBuf src = draw_pattern(rng, draw_plane(rng, 50));
    check_distance(rng, &src, (HaloMetric)rng_between(rng, 0, 2));
    testbuf_free(&src);
}

/* A few zeros far apart, and enough pixels for several threads. */
static void far_distances(Rng *rng)
{
    const HaloShape shape =
        test_shape(draw_dtype(rng), rng_between(rng, 200, 1100), rng_between(rng, 200, 400), 1);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++) oracle_put(&src.view, x, y, 0, 7.0f, (HaloStore){1, 1});
    for (int64_t k = rng_between(rng, 0, 12); k > 0; k--)
        oracle_put(&src.view, rng_between(rng, 0, shape.width - 1), rng_between(rng, 0, shape.height - 1), 0,
                   0.0f, (HaloStore){1, 1});
    for (int metric = 0; metric < 3; metric++) check_distance(rng, &src, (HaloMetric)metric);
    testbuf_free(&src);
}

/* Columns too tall for 16 bits, and far from their one 0. */
static void tall_distances(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 2, 33000, 1);
    HaloShape to = shape;
    to.dtype = HALO_F32;
    const HaloStep step = {.u.distance.metric = HALO_METRIC_EUCLID, .store = {1, 1}};
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&to, test_whole(&to), NULL);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < 2; x++) {
            oracle_put(&src.view, x, y, 0, x + y > 0 ? 1.0f : 0.0f, (HaloStore){1, 1});
            oracle_put(&dst.view, x, y, 0, (float)sqrt((double)(x * x + y * y)), (HaloStore){1, 1});
        }
    expect_everywhere("distances in a tall picture", call_distance, &step, &src, NULL, &dst, 0);
    testbuf_free(&src);
    testbuf_free(&dst);
}

/* Rows of several chunks, whose pixels are all near to a 0, and some that are not. */
static void near_distances(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 60, 300), rng_between(rng, 1, 40), 1);
    const int64_t apart = rng_between(rng, 2, 60);
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            oracle_put(&src.view, x, y, 0, rng_between(rng, 0, apart) > 0 ? 7.0f : 0.0f, (HaloStore){1, 1});
    check_distance(rng, &src, HALO_METRIC_EUCLID);
    testbuf_free(&src);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_distances, 200),
        random_test(near_distances, 30),
        random_test(far_distances, 3),
        cmocka_unit_test(tall_distances),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
