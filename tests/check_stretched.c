/* Maps that are set by the extremes of a convolution give the bytes of the separate steps, also where a backend
 * finds the extremes without storing samples and then computes them again: by a backend that does so for every
 * chain, and by every GPU. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "pipelines.h"

enum { TEXT = 400 };

/* All samples equal except a few, anywhere, so that one thread finds the extremes; or all of them NaN,
 * infinite, zeros of either sign. */
static void draw_peaks(HaloBuf *in, Rng *rng)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 0.0f, 1e-40f, 3e38f, -3e38f};
    const float same = odd[rng_between(rng, 0, 7)];
    const bool zeros = rng_once_in(rng, 2);
    for (int64_t y = 0; y < in->rows; y++) {
        void *row = halo_at(in, 0, y);
        if (in->shape.dtype != HALO_F32) memset(row, 17, (size_t)halo_row_bytes(in));
        for (int64_t i = 0; i < in->cols * in->shape.channels && in->shape.dtype == HALO_F32; i++)
            ((float *)row)[i] = zeros ? odd[rng_between(rng, 3, 4)] : same;
    }
    for (int64_t left = rng_between(rng, 0, 3); left > 0; left--) {
        void *at = halo_at(in, rng_between(rng, 0, in->cols - 1), rng_between(rng, 0, in->rows - 1));
        if (in->shape.dtype == HALO_F32)
            *(float *)at = rng_once_in(rng, 4) ? odd[rng_between(rng, 0, 7)] : rng_float(rng, -300.0f, 300.0f);
        else
            *(uint8_t *)at = (uint8_t)rng_between(rng, 0, 255);
    }
}

/* Stretched by the extremes of a convolution: every width and type that a rolling column kernel has, full warps
 * and others, every border. */
static void stretched(Rng *rng)
{
    static const char *const op[] = {
        "sobel",   "scharr", "roberts",
        "sharpen", "emboss", "conv:mask=\"5x5: 1 2 3 4 5 -6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7\""};
    static const char *const border[] = {"zero",   "constant=7", "replicate", "reflect",
                                         "mirror", "wrap",       "keep"};
    static const char *const end[] = {"", " | depth:u8", " | depth:f32", " | gain:2"};
    static const int channels[] = {1, 1, 1, 3, 2};
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 900), rng_between(rng, 1, 90),
                                 channels[rng_between(rng, 0, 4)]);
    char text[TEXT], blur[40];
    shape.alpha = shape.channels == 2 && rng_once_in(rng, 2) ? 1 : -1;
    if (rng_once_in(rng, 2)) shape.width = (shape.width + 31) / 32 * 32;
    if (rng_once_in(rng, 6)) shape.height = rng_between(rng, 300, 900);
    sprintf(blur, "gauss:%g", (double)rng_float(rng, 0.2f, 2.3f));
    const char *one = rng_once_in(rng, 2) ? blur : op[rng_between(rng, 0, 5)];
    sprintf(text, "%s%cborder=%s | normalize%s", one, strchr(one, ':') != NULL ? ',' : ':',
            border[rng_between(rng, 0, 6)], end[rng_between(rng, 0, 3)]);
    HaloBuf in = random_input(&shape, rng_once_in(rng, 4), rng);
    if (rng_once_in(rng, 3)) draw_peaks(&in, rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    /* What has next to no range, as 1e-40, cannot be stretched. */
    const bool is_flat = outcome.status != HALO_OK && strstr(outcome.message, "is out of the range") != NULL;
    if (outcome.status != HALO_OK && !is_flat) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(stretched, 80)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
