/* The third and fourth powers of distances, summed in one reading where a device has that: the bits of two
 * folds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "halo/program.h"
#include "oracle.h"

enum { MOST_CHANNELS = 5 };

#define DISTANCE \
    {HALO_CODE_A, 0.0}, {HALO_CODE_K, 0.0}, { HALO_CODE_SUB, 0.0 }
#define TIMES              \
    {                      \
        HALO_CODE_MUL, 0.0 \
    }

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

/* Both sums in one reading, if a device can, are those of two folds. */
static void check_powers(const TestBuf *src, const double *k)
{
    static const HaloProgram cube = {11, {DISTANCE, DISTANCE, TIMES, DISTANCE, TIMES}};
    static const HaloProgram square = {15, {DISTANCE, DISTANCE, TIMES, DISTANCE, DISTANCE, TIMES, TIMES}};
    static const HaloProgram sum = {3, {{HALO_CODE_A, 0.0}, {HALO_CODE_B, 0.0}, {HALO_CODE_ADD, 0.0}}};
    double expected[2][MOST_CHANNELS], got[2][MOST_CHANNELS];
    char text[96];
    oracle_fold(&src->view, &(HaloFold){.map = &cube, .join = &sum, .k = k}, expected[0]);
    oracle_fold(&src->view, &(HaloFold){.map = &square, .join = &sum, .k = k}, expected[1]);
    for (int d = 0; d < test_devices; d++) {
        const TestDevice *const device = &test_device[d];
        HaloBuf block;
        if (device->backend->powers == NULL) continue;
        const HaloBuf view = test_lend(device, src, &block);
        memset(got, 0xa5, sizeof got);
        expect_ok(device->name, "powers", device->backend->powers(device->device, &view, k, got[0], got[1]));
        test_return(device, &block);
        for (int c = 0; c < src->view.shape.channels; c++)
            for (int i = 0; i < 2; i++)
                if (!same(expected[i][c], got[i][c]))
                    fail_case(device->name, "powers of %s, channel %d: should be %a, is %a",
                              testbuf_text(src, text), c, expected[i][c], got[i][c]);
    }
}

static void both_powers_body(Rng *rng)
{
    static const TestContent content[] = {TEST_PLAIN, TEST_MIXED, TEST_SPECIAL};
    const int64_t length = rng_once_in(rng, 2) ? rng_between(rng, 1, 9000)
                                               : 4096 * rng_between(rng, 1, 40) + rng_between(rng, -1, 1);
    const HaloShape shape =
        test_shape(HALO_F32, length, 1, (int)rng_between(rng, 1, rng_once_in(rng, 2) ? 1 : 5));
    double k[MOST_CHANNELS];
    TestBuf src = testbuf_make(&shape, test_whole(&shape), rng);
    for (int c = 0; c < MOST_CHANNELS; c++) k[c] = (double)rng_float(rng, -1, 1);
    if (rng_once_in(rng, 8)) k[0] = (double)NAN;
    testbuf_fill_with(&src, content[rng_between(rng, 0, 2)], rng);
    check_powers(&src, k);
    testbuf_free(&src);
}

static void both_powers_at_once(void **state)
{
    (void)state;
    for_each_case(__func__, 40, both_powers_body);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_powers_at_once)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
