/* local and adaptive against their definitions in plain loops. */
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

enum { TEXT = 160 };

/* Of images samples outside repeat those at the edge, of sound they are 0. */
static float sample_at(const HaloBuf *in, int64_t x, int64_t y, int c)
{
    const bool outside = x < 0 || x >= in->cols || y < 0 || y >= in->rows;
    if (outside && in->shape.kind == HALO_AUDIO) return 0.0f;
    x = x < 0 ? 0 : x >= in->cols ? in->cols - 1 : x;
    y = y < 0 ? 0 : y >= in->rows ? in->rows - 1 : y;
    return oracle_get(in, x, y, c);
}

/* ---- deviations ----------------------------------------------------------------------------------------- */

/* The variance of a window by its mean and then the distances from that; *squares: the mean of the squares. */
static double variance_at(const HaloBuf *in, int64_t width, int64_t height, int64_t x, int64_t y, int c,
                          double *squares)
{
    long double sum = 0.0L, square = 0.0L, apart = 0.0L;
    const long double n = (long double)(width * height);
    for (int turn = 0; turn < 2; turn++)
        for (int64_t j = 0; j < height; j++)
            for (int64_t i = 0; i < width; i++) {
                const long double v = (long double)sample_at(in, x + i - width / 2, y + j - height / 2, c);
                if (turn == 0) sum += v;
                if (turn == 0) square += v * v;
                if (turn == 1) apart += (v - sum / n) * (v - sum / n);
            }
    *squares = (double)(square / n);
    return (double)(apart / n);
}

/* The error is proportional to the squares of the samples, far below f32's precision; the rest is f32's
 * rounding. */
static void expect_deviations(const char *text, const HaloBuf *in, const HaloBuf *got, int64_t width,
                              int64_t height, bool root)
{
    for (int64_t y = 0; y < in->rows; y++)
        for (int64_t x = 0; x < in->cols; x++)
            for (int c = 0; c < in->shape.channels; c++) {
                double squares;
                const double exact = variance_at(in, width, height, x, y, c, &squares);
                const double v = (double)oracle_get(got, x, y, c), is = root ? v * v : v;
                if (fabs(is - exact) > 0x1p-22 * exact + 0x1p-47 * squares + 0x1p-140)
                    fail_case(NULL, "%s: %.9g at %" PRId64 ",%" PRId64 ", not the %s%.17g", text, v, x, y,
                              root ? "root of " : "", exact);
            }
}

static void deviations(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 40), rng_between(rng, 1, 30),
                                       (int)rng_between(rng, 1, 3));
    const int width = (int)rng_between(rng, 1, 40), height = (int)rng_between(rng, 1, 12);
    const bool root = rng_once_in(rng, 2);
    HaloBuf in = random_input(&shape, false, rng);
    char text[TEXT];
    snprintf(text, sizeof text, "local:%s,width=%d,height=%d", root ? "sd" : "var", width, height);
    Outcome outcome = run_ok(text, &in);
    expect_deviations(text, &in, &outcome.out, width, height, root);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* A thousand steps of f32 of noise on a million: sums in f32, or rounded on the way, would not see it. */
static void deviations_far_from_zero(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 70, 50, 1);
    Rng rng = {8};
    HaloBuf in = random_input(&shape, false, &rng);
    for (int i = 0; i < 70 * 50; i++) ((float *)in.data)[i] = 1e6f + rng_float(&rng, -30.0f, 30.0f);
    Outcome outcome = run_ok("local:sd,width=33,height=17", &in);
    for (int64_t y = 0; y < 50; y++)
        for (int64_t x = 0; x < 70; x++) {
            double squares;
            const double exact = sqrt(variance_at(&in, 33, 17, x, y, 0, &squares));
            assert_true(fabs((double)oracle_get(&outcome.out, x, y, 0) - exact) < 1e-4 * exact);
        }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Sums of integers are exact: equal samples have no deviation. */
static void flat_parts_have_no_deviation(void **state)
{
    (void)state;
    static const HaloDtype dtype[] = {HALO_U8, HALO_U16};
    for (int k = 0; k < 2; k++) {
        const HaloShape shape = test_shape(dtype[k], 60, 40, 1);
        Rng rng = {9};
        HaloBuf in = random_input(&shape, false, &rng);
        for (int y = 0; y < 40; y++) memset(halo_at(&in, 0, y), 0xeb, (size_t)(30 * (k + 1)));
        Outcome outcome = run_ok("local:var,width=11,height=9", &in);
        for (int y = 0; y < 40; y++)
            for (int x = 0; x < 60; x++)
                assert_true((oracle_get(&outcome.out, x, y, 0) == 0.0f) == (x + 5 < 30));
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

/* An infinity makes the deviation NaN, and so does a NaN unless it is ignored; both only in windows that hold
 * them. */
static void deviations_with_nan(void **state)
{
    (void)state;
    const float value[] = {1, 2, 3, 4, NAN, 9, 7, 5, INFINITY, 5, 5, 5};
    HaloBuf in = float_row(value, 12);
    Outcome outcome = run_ok("local:var,width=3", &in), fair = run_ok("local:var,width=3,nan=ignore", &in);
    for (int i = 0; i < 12; i++) {
        const bool holds = (i >= 3 && i <= 5) || (i >= 7 && i <= 9);
        assert_true(isnan(oracle_get(&outcome.out, i, 0, 0)) == holds);
        assert_true(isnan(oracle_get(&fair.out, i, 0, 0)) == (i >= 7 && i <= 9));
    }
    assert_true(oracle_get(&outcome.out, 11, 0, 0) == 0.0f);
    assert_true(oracle_get(&fair.out, 3, 0, 0) == 0.25f); /* 3, 4 */
    assert_true(oracle_get(&fair.out, 5, 0, 0) == 1.0f);  /* 9, 7 */
    outcome_free(&outcome);
    outcome_free(&fair);
    halo_buf_free(&in);
}

/* ---- adaptive ------------------------------------------------------------------------------------------- */

enum { MEAN, GAUSS, SAUVOLA };

typedef struct Question {
    int64_t width, height;
    int method;
    double offset, k;
} Question;

/* OpenCV's getGaussianKernel, but for the factor. */
static double gaussian(int64_t i, int64_t width)
{
    const double middle = (double)(width - 1) / 2, t = ((double)i - middle) / (0.3 * (middle - 1) + 0.8);
    return exp(-t * t / 2);
}

/* How far a sample is above the level of its window, which is its own where nothing is visible; *tolerance:
 * what may be lost on the way to that. */
static double above(const HaloBuf *in, const Question *q, int64_t x, int64_t y, int c, double *tolerance)
{
    const int alpha = q->method == SAUVOLA ? -1 : in->shape.alpha;
    double squares, weights = 0.0, sum = 0.0, most = 0.0;
    for (int64_t j = 0; j < q->height; j++)
        for (int64_t i = 0; i < q->width; i++) {
            const int64_t from_x = x + i - q->width / 2, from_y = y + j - q->height / 2;
            const double v = (double)sample_at(in, from_x, from_y, c);
            const double weight = (q->method == GAUSS ? gaussian(i, q->width) * gaussian(j, q->height) : 1.0) *
                                  (alpha >= 0 ? (double)sample_at(in, from_x, from_y, alpha) : 1.0);
            weights += weight;
            sum += weight * v;
            most = fabs(v) > most ? fabs(v) : most;
        }
    *tolerance = 1e-5 * (most + fabs(q->offset));
    if (q->method == SAUVOLA) {
        const double sd = sqrt(variance_at(in, q->width, q->height, x, y, c, &squares));
        const double share = 1.0 + q->k * (sd / (0.5 * (double)in->shape.white) - 1.0);
        *tolerance += 1e-5 * most * (1.0 + fabs(share));
        return (double)oracle_get(in, x, y, c) - sum / weights * share + q->offset;
    }
    return (weights > 0.0 ? (double)oracle_get(in, x, y, c) - sum / weights : 0.0) + q->offset;
}

static void expect_parted(const char *text, const HaloBuf *in, const HaloBuf *got, const Question *q)
{
    for (int64_t y = 0; y < in->rows; y++)
        for (int64_t x = 0; x < in->cols; x++)
            for (int c = 0; c < in->shape.channels; c++) {
                double tolerance = 0.0;
                const float was = oracle_get(in, x, y, c), is = oracle_get(got, x, y, c);
                const double d = c == in->shape.alpha ? 0.0 : above(in, q, x, y, c, &tolerance);
                const float want = c == in->shape.alpha ? was : d > 0.0 ? in->shape.white : 0.0f;
                if (is != want && fabs(d) > tolerance)
                    fail_case(NULL, "%s: %.9g at %" PRId64 ",%" PRId64 " became %.9g, though it is %.9g above",
                              text, (double)was, x, y, (double)is, d);
            }
}

static const char *const method_name[] = {"mean", "gauss", "sauvola"};

static void adaptive(Rng *rng)
{
    const HaloDtype dtype = draw_dtype(rng);
    const int channels = (int)rng_between(rng, 1, 4);
    HaloShape shape = test_shape(dtype, rng_between(rng, 1, 24), rng_between(rng, 1, 24), channels);
    char text[TEXT];
    shape.white = dtype == HALO_U8 ? 255.0f : dtype == HALO_U16 ? 65535.0f : 1.0f;
    if (dtype != HALO_F32 && channels % 2 == 0) shape.alpha = channels - 1;
    const Question q = {rng_between(rng, 1, 9), rng_between(rng, 1, 9), (int)rng_between(rng, MEAN, SAUVOLA),
                        (double)shape.white * (double)rng_between(rng, -16, 16) / 128,
                        (double)rng_between(rng, -8, 16) / 16};
    HaloBuf in = random_input(&shape, false, rng);
    const int length = snprintf(text, sizeof text, "adaptive:%d,height=%d,method=%s,offset=%.9g", (int)q.width,
                                (int)q.height, method_name[q.method], q.offset);
    if (q.method == SAUVOLA) snprintf(text + length, sizeof text - (size_t)length, ",k=%.9g", q.k);
    Outcome outcome = run_ok(text, &in);
    expect_parted(text, &in, &outcome.out, &q);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Integers are exact: v is above a mean S / n where v n is above S. Flat parts are not above themselves. */
static void adaptive_by_integers(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U8, 40, 30, 1);
    Rng rng = {3};
    HaloBuf in = random_input(&shape, false, &rng);
    for (int y = 0; y < 30; y++) memset(halo_at(&in, 0, y), 7 * (y / 8), 18);
    for (int offset = -3; offset <= 3; offset++) {
        char text[TEXT];
        snprintf(text, sizeof text, "adaptive:5,height=4,offset=%d", offset);
        Outcome outcome = run_ok(text, &in);
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 40; x++) {
                int sum = 0;
                for (int j = 0; j < 4; j++)
                    for (int i = 0; i < 5; i++) sum += (int)sample_at(&in, x + i - 2, y + j - 2, 0);
                const bool is_above = ((int)oracle_get(&in, x, y, 0) + offset) * 20 > sum;
                assert_true(oracle_get(&outcome.out, x, y, 0) == (is_above ? 255.0f : 0.0f));
            }
        outcome_free(&outcome);
    }
    halo_buf_free(&in);
}

static void adaptive_along_sound(void **state)
{
    (void)state;
    HaloShape shape = test_shape(HALO_F32, 400, 1, 2);
    const Question q = {7, 1, MEAN, -0.125, 0}, weighted = {8, 1, GAUSS, 0.25, 0};
    Rng rng = {4};
    shape.kind = HALO_AUDIO;
    shape.rate = 1000;
    HaloBuf in = random_input(&shape, false, &rng);
    Outcome outcome = run_ok("adaptive:7ms,offset=-0.125,border=zero", &in);
    expect_parted("adaptive:7ms", &in, &outcome.out, &q);
    outcome_free(&outcome);
    outcome = run_ok("adaptive:8,method=gauss,offset=25%,border=zero", &in);
    expect_parted("adaptive:8,method=gauss", &in, &outcome.out, &weighted);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* border=valid gives the samples with whole windows, border=keep leaves the others unchanged. */
static void adaptive_at_the_edges(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_U16, 25, 19, 3);
    Rng rng = {5};
    HaloBuf in = random_input(&shape, false, &rng);
    for (int m = MEAN; m <= SAUVOLA; m++) {
        char text[3][TEXT];
        for (int k = 0; k < 3; k++)
            snprintf(text[k], TEXT, "adaptive:6,height=5,method=%s%s", method_name[m],
                     k == 0   ? ""
                     : k == 1 ? ",border=valid"
                              : ",border=keep");
        Outcome all = run_ok(text[0], &in), valid = run_ok(text[1], &in), kept = run_ok(text[2], &in);
        assert_int_equal(valid.out.cols, 20);
        assert_int_equal(valid.out.rows, 15);
        for (int y = 0; y < 19; y++)
            for (int x = 0; x < 25; x++)
                for (int c = 0; c < 3; c++) {
                    const bool inside = x >= 3 && x < 23 && y >= 2 && y < 17;
                    const float made = oracle_get(&all.out, x, y, c);
                    if (inside) assert_true(oracle_get(&valid.out, x - 3, y - 2, c) == made);
                    assert_true(oracle_get(&kept.out, x, y, c) == (inside ? made : oracle_get(&in, x, y, c)));
                }
        outcome_free(&all);
        outcome_free(&valid);
        outcome_free(&kept);
    }
    halo_buf_free(&in);
}

/* A NaN is above nothing; those in a window are above nothing either unless they are left out. */
static void adaptive_with_nan(void **state)
{
    (void)state;
    const float value[] = {1, 2, NAN, 4, 9, 1, 1, 8};
    const float plain[] = {0, 0, 0, 0, 1, 0, 0, 1}, fair[] = {0, 1, 0, 0, 1, 0, 0, 1};
    HaloBuf in = float_row(value, 8);
    for (int k = 0; k < 2; k++) {
        const char *const text = k == 0 ? "adaptive:3" : "adaptive:3,nan=ignore";
        Outcome outcome = run_ok(text, &in);
        for (int i = 0; i < 8; i++) {
            const float want = k == 0 ? plain[i] : fair[i];
            if (oracle_get(&outcome.out, i, 0, 0) != want)
                fail_case(NULL, "%s: %g at %d", text, (double)oracle_get(&outcome.out, i, 0, 0), i);
        }
        outcome_free(&outcome);
    }
    halo_buf_free(&in);
}

/* ---- what is said twice --------------------------------------------------------------------------------- */

static void equivalent_spellings(void **state)
{
    (void)state;
    static const Equivalent said[] = {
        {OF_IMAGE, "local:mean,width=5,height=4", "box:5,height=4"},
        {OF_IMAGE, "local:mean,width=6,nan=ignore", "box:6,nan=ignore"},
        {OF_SOUND, "local:mean,width=9ms", "average:9"},
        {OF_IMAGE, "adaptive:5", "adaptive:width=5,height=5,method=mean,offset=0"},
        {OF_IMAGE, "adaptive:5,offset=20%", "adaptive:5,offset=51"},
        {OF_IMAGE, "adaptive:5,method=sauvola,alpha=ignore", "adaptive:5,method=sauvola,k=0.2"},
        {OF_IMAGE, "adaptive:5,method=sauvola,k=0", "adaptive:5,alpha=ignore"},
        {OF_SOUND, "local:sd,width=9ms", "local:sd,width=9"},
    };
    expect_all_equivalent(said, sizeof said / sizeof *said);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(deviations, 80),
        cmocka_unit_test(deviations_far_from_zero),
        cmocka_unit_test(flat_parts_have_no_deviation),
        cmocka_unit_test(deviations_with_nan),
        random_test(adaptive, 120),
        cmocka_unit_test(adaptive_by_integers),
        cmocka_unit_test(adaptive_along_sound),
        cmocka_unit_test(adaptive_at_the_edges),
        cmocka_unit_test(adaptive_with_nan),
        cmocka_unit_test(equivalent_spellings),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
