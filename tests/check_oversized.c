/* Windows that reach far beyond the image, against their plain definition: a plan replaces them by other steps,
 * and the CPU counts samples in another way. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "pipelines.h"
#include "rank_cases.h"
#include "taps.h"

enum { TEXT = 160, BORDERS = 7 };

static const struct {
    const char *name;
    HaloBorder border;
    float value;
} outside[BORDERS] = {
    {"zero", HALO_BORDER_ZERO, 0.0f},
    {"constant=7", HALO_BORDER_CONSTANT, 7.0f},
    {"constant=-0.5", HALO_BORDER_CONSTANT, -0.5f},
    {"replicate", HALO_BORDER_REPLICATE, 0.0f},
    {"reflect", HALO_BORDER_REFLECT, 0.0f},
    {"mirror", HALO_BORDER_MIRROR, 0.0f},
    {"wrap", HALO_BORDER_WRAP, 0.0f},
};

/* A whole image that an oracle fills with floats. */
static HaloBuf floats_like(const HaloBuf *in)
{
    HaloShape shape = in->shape;
    HaloBuf out;
    shape.dtype = HALO_F32;
    if (halo_buf_alloc(&out, &shape) != HALO_OK) fail_case(NULL, "%s", halo_error());
    return out;
}

static void expect_floats(const char *text, const HaloBuf *in, HaloBuf *want)
{
    Outcome outcome = run_ok(text, in);
    for (int64_t y = 0; y < want->rows; y++)
        if (memcmp(halo_at(&outcome.out, 0, y), halo_at(want, 0, y), (size_t)halo_row_bytes(want)) != 0)
            fail_case(NULL, "%s: row %" PRId64 " of %" PRId64 " x %" PRId64 " is not as defined", text, y,
                      in->shape.width, in->shape.height);
    outcome_free(&outcome);
    halo_buf_free(want);
}

static HaloShape tiny_shape(Rng *rng, HaloDtype dtype)
{
    return test_shape(dtype, rng_between(rng, 1, 4), rng_between(rng, 1, 4), rng_once_in(rng, 2) ? 3 : 1);
}

/* ---- separable masks ------------------------------------------------------------------------------------ */

static void expect_gauss(Rng *rng, HaloDtype dtype, int b, bool nan_ignore)
{
    const HaloShape shape = tiny_shape(rng, dtype);
    const int sigma = (int)rng_between(rng, 3, 12);
    HaloBuf in = random_input(&shape, true, rng), want = floats_like(&in);
    HaloMask row;
    char text[TEXT];
    assert_int_equal(taps_gauss(sigma, 4.0, &row), HALO_OK);
    float *const tap = oracle_memory(row.width, sizeof *tap);
    for (int64_t i = 0; i < row.width; i++) tap[i] = (float)row.tap[i];
    const HaloSep sep = {.window = {.width = row.width,
                                    .height = row.width,
                                    .ox = -row.anchor_x,
                                    .oy = -row.anchor_x,
                                    .border = outside[b].border,
                                    .value = outside[b].value,
                                    .nan_ignore = nan_ignore},
                         .tap_x = tap,
                         .tap_y = tap};
    oracle_sep(&in, &want, &sep, (HaloStore){1.0f, 1.0f});
    snprintf(text, sizeof text, "gauss:%d,border=%s,nan=%s", sigma, outside[b].name,
             nan_ignore ? "ignore" : "propagate");
    expect_floats(text, &in, &want);
    free(tap);
    halo_mask_free(&row);
    halo_buf_free(&in);
}

static void gaussians(void **state)
{
    (void)state;
    Rng rng = {11};
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++)
        for (int b = 0; b < BORDERS; b++) {
            expect_gauss(&rng, dtype, b, false);
            expect_gauss(&rng, dtype, b, true);
        }
}

/* ---- ranks ---------------------------------------------------------------------------------------------- */

static void expect_rank(Rng *rng, HaloDtype dtype, int b, const char *fraction)
{
    const HaloShape shape = tiny_shape(rng, dtype);
    const int64_t width = rng_between(rng, 1, 40), height = rng_between(rng, 20, 40);
    const HaloRank rank = {.window = {.width = width,
                                      .height = height,
                                      .ox = -(width / 2),
                                      .oy = -(height / 2),
                                      .border = outside[b].border,
                                      .value = outside[b].value,
                                      .nan_ignore = rng_once_in(rng, 2)},
                           .fraction = strtod(fraction, NULL)};
    HaloBuf in = random_input(&shape, true, rng), want = floats_like(&in);
    char text[TEXT];
    oracle_rank(&in, &want, &rank, (HaloStore){1.0f, 1.0f});
    snprintf(text, sizeof text, "rank:%s,width=%d,height=%d,border=%s,nan=%s", fraction, (int)width,
             (int)height, outside[b].name, rank.window.nan_ignore ? "ignore" : "propagate");
    expect_floats(text, &in, &want);
    halo_buf_free(&in);
}

static void ranks(void **state)
{
    (void)state;
    static const char *const fraction[] = {"0", "0.25", "0.5", "1"};
    Rng rng = {12};
    for (HaloDtype dtype = HALO_U8; dtype <= HALO_F32; dtype++)
        for (int b = 0; b < BORDERS; b++)
            for (int f = 0; f < 4; f++) expect_rank(&rng, dtype, b, fraction[f]);
}

/* Parts of the result, from a source that holds no more than they need. */
static void parts_of_ranks(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 6), rng_between(rng, 1, 6),
                                       (int)rng_between(rng, 1, 3));
    rank_case(rng, &shape, rng_between(rng, 10, 50), rng_between(rng, 10, 50));
}

static int open_all(void **state) { return runners_open(state) == 0 ? test_devices_open(state) : -1; }

static int close_all(void **state) { return runners_close(state) == 0 ? test_devices_close(state) : -1; }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussians),
        cmocka_unit_test(ranks),
        random_test(parts_of_ranks, 60),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, open_all, close_all);
}
