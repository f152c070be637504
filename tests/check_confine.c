/* Operations on some channels, and where a mask says so, against their definition from the operation alone. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "pipelines.h"

static const char *const operation[] = {"gauss:1.3", "median:3",   "invert",    "gain:1.7",
                                        "flip:x",    "expr:v*2-x", "unsharp:2", "box:3,border=zero",
                                        "normalize"};
enum { OPERATIONS = sizeof operation / sizeof *operation };

static HaloShape draw_picture(Rng *rng)
{
    HaloShape shape = draw_shape(rng, 24);
    if (shape.dtype == HALO_I64) shape.dtype = HALO_F32;
    shape.white = shape.dtype <= HALO_U16 ? halo_dtype_white(shape.dtype) : 1.0f;
    shape.alpha = shape.channels > 1 && rng_once_in(rng, 2) ? shape.channels - 1 : -1;
    return shape;
}

static double sample(const Outcome *outcome, int64_t x, int64_t y, int channel)
{
    return oracle_wide(&outcome->out, x, y, channel);
}

typedef struct Pixel {
    const HaloBuf *in;
    const Outcome *made, *mask;
    int64_t x, y;
    float t; /* the mask's share */
} Pixel;

static float mixed(const Pixel *p, int c)
{
    const float a = (float)oracle_wide(p->in, p->x, p->y, c), b = (float)sample(p->made, p->x, p->y, c);
    return fmaf(b - a, p->t, a);
}

/* docs/numerics.md, "Channels and masks of operations". */
static float expected(const Pixel *p, int c)
{
    const int k = p->in->shape.alpha;
    const float a = (float)oracle_wide(p->in, p->x, p->y, c), b = (float)sample(p->made, p->x, p->y, c);
    if (!(p->t > 0.0f)) return a;
    if (!(p->t < 1.0f)) return b;
    if (k < 0 || c == k) return mixed(p, c);
    const float alpha = mixed(p, k);
    if (!(alpha > 0.0f)) return a;
    const float share = (float)sample(p->made, p->x, p->y, k) * p->t / alpha;
    return fmaf(b - a, share, a);
}

static void masks_mix(Rng *rng)
{
    const HaloShape shape = draw_picture(rng);
    HaloBuf in = random_input(&shape, false, rng);
    const char *const op = operation[rng_between(rng, 0, OPERATIONS - 1)];
    const char *const mask =
        rng_once_in(rng, 2) ? "channels:1 | flip:y" : "channels:1 | flip:y | expr:v*3-white";
    char text[256];
    snprintf(text, sizeof text, "%s%cmask=[%s]", op, strchr(op, ':') != NULL ? ',' : ':', mask);
    Outcome all = run_ok(text, &in), made = run_ok(op, &in), shares = run_ok(mask, &in);
    Pixel p = {.in = &in, .made = &made, .mask = &shares};
    assert_int_equal(all.out.shape.channels, shape.channels);
    for (p.y = 0; p.y < shape.height; p.y++)
        for (p.x = 0; p.x < shape.width; p.x++)
            for (int c = 0; c < shape.channels; c++) {
                p.t = (float)sample(&shares, p.x, p.y, 0) / shape.white;
                const float want = expected(&p, c), is = (float)sample(&all, p.x, p.y, c);
                if (memcmp(&want, &is, sizeof want) != 0 && !(isnan(want) && isnan(is)))
                    fail_case(NULL, "%s: %g, not %g, at %" PRId64 ",%" PRId64 " of channel %d of %d", text,
                              (double)is, (double)want, p.x, p.y, c, shape.channels);
            }
    outcome_free(&all);
    outcome_free(&made);
    outcome_free(&shares);
    halo_buf_free(&in);
}

/* Those of the list are what the operation makes of them alone, the others stay. */
static void channels_are_apart(Rng *rng)
{
    HaloShape shape = draw_picture(rng);
    if (shape.channels < 2) shape.channels = 5, shape.alpha = -1;
    HaloBuf in = random_input(&shape, false, rng);
    const char *const op = operation[rng_between(rng, 0, OPERATIONS - 1)];
    int list[16], count = 0;
    char text[256], alone[256], numbers[64] = "";
    for (int c = 0; c < shape.channels && count < 8; c++) {
        if (rng_once_in(rng, 2) && !(count == 0 && c == shape.channels - 1)) continue;
        const size_t used = strlen(numbers);
        snprintf(numbers + used, sizeof numbers - used, "%s%d", count > 0 ? "," : "", c + 1);
        list[count++] = c;
    }
    if (rng_once_in(rng, 2))
        snprintf(text, sizeof text, "%s%con=%s", op, strchr(op, ':') != NULL ? ',' : ':', numbers);
    else
        snprintf(text, sizeof text, "on:%s,[%s]", numbers, op);
    snprintf(alone, sizeof alone, "channels:%s | %s", numbers, op);
    Outcome all = run_ok(text, &in), made = run_ok(alone, &in);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            for (int c = 0, next = 0; c < shape.channels; c++) {
                const bool listed = next < count && list[next] == c;
                const double want = listed ? sample(&made, x, y, next++) : oracle_wide(&in, x, y, c);
                if ((float)want != (float)sample(&all, x, y, c))
                    fail_case(NULL, "%s: %g, not %g, in channel %d", text, sample(&all, x, y, c), want, c);
            }
    outcome_free(&all);
    outcome_free(&made);
    halo_buf_free(&in);
}

/* Alpha stays alpha wherever it lies. */
static void all_channels_are_the_picture(Rng *rng)
{
    HaloShape shape = draw_picture(rng);
    if (shape.channels < 2) shape.channels = 4;
    shape.alpha = rng_once_in(rng, 2) ? 0 : (int)rng_between(rng, 0, shape.channels - 1);
    HaloBuf in = random_input(&shape, false, rng);
    char text[64];
    snprintf(text, sizeof text, "on:1-%d,[gauss:1.3,alpha=premul]", shape.channels);
    Outcome all = run_ok(text, &in), made = run_ok("gauss:1.3,alpha=premul", &in);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            for (int c = 0; c < shape.channels; c++)
                if (memcmp(&(float){(float)sample(&made, x, y, c)}, &(float){(float)sample(&all, x, y, c)},
                           sizeof(float)) != 0)
                    fail_case(NULL, "%s: %g, not %g, in channel %d, alpha %d", text, sample(&all, x, y, c),
                              sample(&made, x, y, c), c, shape.alpha);
    outcome_free(&all);
    outcome_free(&made);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(masks_mix, 150),
        random_test(channels_are_apart, 150),
        random_test(all_channels_are_the_picture, 60),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
