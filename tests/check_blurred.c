/* Gradients of a blur, followed by other steps or not, give the bytes of the separate steps, also where a
 * backend fuses both: at every edge, for parts of an image, and with non-finite samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "pipelines.h"

enum { TEXT = 400 };

/* Part of an image: the source holds only the samples that are needed. */
static void add_crop(char *text, const HaloShape *shape, Rng *rng)
{
    const int64_t width = rng_between(rng, 1, shape->width), height = rng_between(rng, 1, shape->height);
    sprintf(text + strlen(text), " | crop:%lldx%lld,at=%lld+%lld", (long long)width, (long long)height,
            (long long)rng_between(rng, 0, shape->width - width),
            (long long)rng_between(rng, 0, shape->height - height));
}

static const char *const border[] = {"replicate", "replicate", "reflect", "mirror", "wrap", "zero", "keep"};

static const char *draw_edge(Rng *rng) { return border[rng_between(rng, 0, 6)]; }

static void add_blur(char *text, const char *edge, Rng *rng)
{
    sprintf(text + strlen(text), "gauss:%g,border=%s", (double)rng_float(rng, 0.4f, 1.7f), edge);
}

static void add_gradient(char *text, const char *edge, Rng *rng)
{
    static const char *const op[] = {"sobel", "sobel", "prewitt", "scharr", "roberts"};
    sprintf(text + strlen(text), "%s:border=%s", op[rng_between(rng, 0, 4)], edge);
}

/* The steps that may follow; and images with and without a kernel for their type and width. */
static void expect_alike(char *text, Rng *rng)
{
    static const char *const end[] = {"",           "", " | gain:2", " | threshold:50 | invert", " | normalize",
                                      " | depth:u8"};
    HaloShape shape = test_shape(rng_once_in(rng, 4) ? draw_dtype(rng) : HALO_F32, rng_between(rng, 1, 900),
                                 rng_between(rng, 1, 120), rng_once_in(rng, 5) ? 3 : 1);
    if (rng_once_in(rng, 2)) shape.width = (shape.width + 3) / 4 * 4;
    if (rng_once_in(rng, 8)) shape.width = rng_between(rng, 1, 6);
    if (rng_once_in(rng, 6)) shape.height = rng_between(rng, 300, 900);
    strcat(text, end[rng_between(rng, 0, 5)]);
    if (rng_once_in(rng, 3)) add_crop(text, &shape, rng);
    HaloBuf in = random_input(&shape, rng_once_in(rng, 4), rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static void blurred(Rng *rng)
{
    char text[TEXT] = "";
    const char *edge = draw_edge(rng);
    add_blur(text, rng_once_in(rng, 2) ? edge : draw_edge(rng), rng);
    strcat(text, " | ");
    add_gradient(text, edge, rng);
    expect_alike(text, rng);
}

static void prepared(Rng *rng)
{
    static const char *const points[] = {
        "gain:2", "invert | gain:0.5", "threshold:0.3 | offset:-1 | abs", "clamp:min=-2,max=0.8 | invert",
        "gain:3 | offset:1 | invert | abs | gain:0.1 | clamp:min=0,max=0.2 | offset:1"};
    char text[TEXT];
    sprintf(text, "%s | ", points[rng_between(rng, 0, 4)]);
    switch (rng_between(rng, 0, 2)) {
    case 0: add_blur(text, draw_edge(rng), rng); break;
    case 1: add_gradient(text, draw_edge(rng), rng); break;
    default: sprintf(text + strlen(text), "sharpen:border=%s", draw_edge(rng));
    }
    expect_alike(text, rng);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(blurred, 100), random_test(prepared, 80)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
