/* Scans of sound in bands along it: the state that one band leaves to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "scan_cases.h"

static HaloBuf frames_of(const HaloBuf *all, int64_t x, int64_t frames)
{
    HaloBuf some = *all;
    some.x0 = x;
    some.cols = frames;
    some.data = halo_at(all, x, 0);
    return some;
}

/* Band after band, each from where the last one ended, of any length. */
static void sound_band_by_band(const char *what, const TestBuf *src, const HaloScan *scan,
                               const TestBuf *expected, Rng *rng)
{
    const int64_t width = src->view.shape.width;
    for (int d = 0; d < test_devices && width > 1; d++) {
        const TestDevice *device = &test_device[d];
        if (!device->backend->scans_sound) continue;
        TestBuf out = testbuf_like(expected);
        char *const state = malloc((size_t)halo_scan_state(&src->view.shape));
        const HaloScanBand band = {.scan = *scan, .state = state};
        for (int64_t x = 0, n; x < width; x += n) {
            n = rng_between(rng, 1, rng_once_in(rng, 3) ? width : rng_once_in(rng, 2) ? 9000 : 40);
            if (n > width - x) n = width - x;
            if (n == width) n--;
            const HaloBuf from = frames_of(&src->view, x, n);
            HaloBuf to = frames_of(&out.view, x, n);
            expect_ok(device->name, what, device->backend->scan(device->device, &from, &to, &band.scan));
        }
        expect_same(device->name, what, expected, &out);
        free(state);
        testbuf_free(&out);
    }
}

static void check_sound(Rng *rng, int64_t frames, int channels, const HaloScan *scan)
{
    HaloShape shape = test_shape(HALO_F32, frames, 1, channels);
    shape.kind = HALO_AUDIO;
    shape.rate = 48000.0;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    TestBuf dst = scan_draw_result(rng, &shape, scan);
    testbuf_fill_with(&src, TEST_MIXED, rng);
    oracle_scan(&src.view, &dst.view, scan);
    sound_band_by_band("scan of sound", &src, scan, &dst, rng);
    testbuf_free(&src);
    testbuf_free(&dst);
}

static void sound_in_bands(Rng *rng)
{
    HaloScan scan = scan_draw(rng);
    if (scan.axis == HALO_AXIS_Y) scan.axis = HALO_AXIS_X;
    check_sound(rng, rng_between(rng, 1, rng_once_in(rng, 2) ? 14000 : 100),
                (int)rng_between(rng, 1, rng_once_in(rng, 3) ? 20 : 3), &scan);
}

/* More than 256 tiles. */
static void sound_of_several_groups(Rng *rng)
{
    HaloScan scan = scan_draw(rng);
    scan.axis = HALO_AXIS_X;
    check_sound(rng, 4096 * 257 + rng_between(rng, 1, 5000), (int)rng_between(rng, 1, 2), &scan);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(sound_in_bands, 100),
        random_test(sound_of_several_groups, 2),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
