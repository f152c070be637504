/* Regions, on every device, against floods. */
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

static HaloStatus call_regions(const HaloBackend *backend, HaloDevice *device, const HaloBuf *const src[2],
                               HaloBuf *dst, const void *parameters)
{
    const HaloStep *step = parameters;
    return backend->regions(device, src[0], dst, &step->u.regions, step->store);
}

static HaloRegions draw_regions(Rng *rng)
{
    HaloRegions how = {.of = (HaloRegionsOf)rng_between(rng, 0, 2),
                       .make = (HaloRegionsMake)rng_between(rng, 0, 3),
                       .connect = rng_once_in(rng, 2) ? 4 : 8,
                       .inside = rng_once_in(rng, 3),
                       .seeded = rng_once_in(rng, 3),
                       .low = (double)rng_between(rng, 0, 100),
                       .high = (double)rng_between(rng, 100, 200),
                       .white = 255};
    if (rng_once_in(rng, 2)) how.least = rng_between(rng, 0, 6);
    if (rng_once_in(rng, 3)) how.most = rng_between(rng, 1, 30);
    if (rng_once_in(rng, 3) && how.make != HALO_REGIONS_FILLED) how.largest = rng_between(rng, 1, 5);
    return how;
}

static void check_regions(Rng *rng, HaloShape shape, HaloRegions how)
{
    char what[320], text[96];
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    const HaloStep step = {.u.regions = how, .store = draw_store(rng, shape.dtype, to.dtype)};
    TestBuf src = draw_pattern(rng, shape), dst = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped = oracle_regions(&src.view, &dst.view, &how, step.store);
    snprintf(what, sizeof what,
             "regions of %d made %d, %d neighbours, %" PRId64 " to %" PRId64 ", largest %" PRId64 "%s%s of %s",
             how.of, how.make, how.connect, how.least, how.most, how.largest, how.inside ? ", inside" : "",
             how.seeded ? ", seeded" : "", testbuf_text(&src, text));
    expect_everywhere(what, call_regions, &step, &src, NULL, &dst, clipped);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void random_regions(Rng *rng) { check_regions(rng, draw_plane(rng, 80), draw_regions(rng)); }

/* Enough pixels for several threads, whose strips are joined. */
static void regions_across_strips(Rng *rng)
{
    HaloRegions how = draw_regions(rng);
    how.largest = 0;
    check_regions(rng, test_shape(draw_dtype(rng), rng_between(rng, 600, 700), rng_between(rng, 700, 760), 1),
                  how);
}

/* Rows [y, y + rows) of a buffer in host memory. */
static HaloBuf band_of(const HaloBuf *buf, int64_t y, int64_t rows)
{
    HaloBuf band = *buf;
    band.data = halo_at(buf, 0, y);
    band.y0 = y;
    band.rows = rows;
    return band;
}

static int64_t draw_rows(Rng *rng, int64_t left)
{
    const int64_t rows = rng_between(rng, 1, rng_once_in(rng, 2) ? 3 : 40);
    return rows < left ? rows : left;
}

/* As if the picture were read twice, in bands of different heights. */
static void make_in_bands(Rng *rng, const TestDevice *device, const HaloBuf *src, HaloBuf *dst,
                          const HaloStep *step)
{
    const int64_t height = src->shape.height;
    HaloRegionsFound found = {.state = calloc(1, (size_t)halo_regions_state(&src->shape))};
    HaloRegions how = step->u.regions;
    how.found = &found;
    how.state = calloc(1, (size_t)halo_regions_state(&src->shape));
    for (int64_t y = 0, rows; y < height; y += rows) {
        rows = draw_rows(rng, height - y);
        const HaloBuf from = band_of(src, y, rows);
        expect_ok(device->name, "find_regions", device->backend->find_regions(device->device, &from, &how));
    }
    for (int64_t y = 0, rows; y < height; y += rows) {
        rows = draw_rows(rng, height - y);
        const HaloBuf from = band_of(src, y, rows);
        HaloBuf to = band_of(dst, y, rows);
        expect_ok(device->name, "regions",
                  device->backend->regions(device->device, &from, &to, &how, step->store));
    }
    free(how.state);
    halo_regions_clear(&found);
}

static void regions_in_bands(Rng *rng)
{
    const HaloShape shape = draw_plane(rng, 80);
    HaloShape to = shape;
    to.dtype = draw_dtype(rng);
    const HaloStep step = {.u.regions = draw_regions(rng), .store = draw_store(rng, shape.dtype, to.dtype)};
    TestBuf src = draw_pattern(rng, shape), wanted = testbuf_make(&to, test_whole(&to), rng);
    const uint64_t clipped = oracle_regions(&src.view, &wanted.view, &step.u.regions, step.store);
    for (int d = 0; d < test_devices; d++) {
        const TestDevice *device = &test_device[d];
        if (!device->backend->regions_in_parts) continue;
        TestBuf dst = testbuf_like(&wanted);
        uint64_t lost = 0;
        make_in_bands(rng, device, &src.view, &dst.view, &step);
        expect_ok(device->name, "finish", device->backend->finish(device->device, &lost));
        assert_int_equal(lost, clipped);
        expect_same(device->name, "regions in bands", &wanted, &dst);
        testbuf_free(&dst);
    }
    testbuf_free(&src);
    testbuf_free(&wanted);
}

/* Pixels in a checkerboard are regions each, where diagonal neighbours are not connected: 2^24 + 4097 of them.
 */
static void more_regions_than_numbers_are_refused(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 4097, 8192, 1);
    const HaloRegions how = {.make = HALO_REGIONS_NUMBERS, .connect = 4};
    const TestDevice *device = &test_device[test_devices - 1];
    if (device->backend->regions == NULL) device = &test_device[0];
    HaloShape to = shape;
    to.dtype = HALO_F32;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL),
            dst = testbuf_make(&to, test_whole(&to), NULL);
    for (int64_t i = 0; i < shape.width * shape.height; i++) ((uint8_t *)src.view.data)[i] = i % 2 == 0;
    HaloBuf block, made;
    const HaloBuf from = test_lend(device, &src, &block);
    HaloBuf result = test_lend(device, &dst, &made);
    assert_int_equal(device->backend->regions(device->device, &from, &result, &how, (HaloStore){1, 1}),
                     HALO_ERR_LIMIT);
    assert_non_null(strstr(halo_error(), "can be numbered"));
    test_return(device, &block);
    test_return(device, &made);
    testbuf_free(&src);
    testbuf_free(&dst);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(random_regions, 400),
        random_test(regions_across_strips, 3),
        random_test(regions_in_bands, 300),
        cmocka_unit_test(more_regions_than_numbers_are_refused),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
