/* Minima, maxima and morphology, against their definition in plain loops: which samples belong to a shape, what
 * counts at the edges, and that nothing is shifted. */
#include <inttypes.h>
#include <math.h>
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

enum { TEXT = 160 };

/* ---- shapes --------------------------------------------------------------------------------------------- */

/* One bright sample grows into the reflected window; all shapes are symmetric. */
static void expect_grown(const char *size, int width, int height, const char *drawn)
{
    const HaloShape shape = test_shape(HALO_U8, 19, 17, 1);
    const int x0 = 9 - (width - 1 - width / 2), y0 = 8 - (height - 1 - height / 2);
    char text[TEXT];
    HaloBuf in;
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    memset(in.data, 0, (size_t)(in.stride * in.rows));
    *(uint8_t *)halo_at(&in, 9, 8) = 200;
    snprintf(text, sizeof text, "dilate:%s", size);
    Outcome outcome = run_ok(text, &in);
    for (int y = 0; y < 17; y++)
        for (int x = 0; x < 19; x++) {
            const int i = x - x0, j = y - y0;
            const bool inside =
                i >= 0 && i < width && j >= 0 && j < height && drawn[j * (width + 1) + i] == '#';
            if (oracle_get(&outcome.out, x, y, 0) != (inside ? 200.0f : 0.0f))
                fail_case(NULL, "%s: %g at %d,%d", text, (double)oracle_get(&outcome.out, x, y, 0), x, y);
        }
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static void shapes_as_drawn(void **state)
{
    (void)state;
    expect_grown("3,shape=disk", 3, 3, ".#.|###|.#.");
    expect_grown("5,shape=disk", 5, 5, "..#..|.###.|#####|.###.|..#..");
    expect_grown("7,shape=disk", 7, 7, "...#...|.#####.|.#####.|#######|.#####.|.#####.|...#...");
    expect_grown(
        "11,shape=disk", 11, 11,
        ".....#.....|..#######..|.#########.|.#########.|.#########.|###########|.#########.|.#########.|"
        ".#########.|..#######..|.....#.....");
    expect_grown("2,shape=disk", 2, 2, "##|##");
    expect_grown("4,shape=disk", 4, 4, ".##.|####|####|.##.");
    expect_grown("width=9,height=5,shape=disk", 9, 5, "....#....|.#######.|#########|.#######.|....#....");
    expect_grown("width=6,height=3,shape=disk", 6, 3, "..##..|######|..##..");
    expect_grown("width=5,height=1,shape=disk", 5, 1, "#####");
    expect_grown("width=5,height=3,shape=cross", 5, 3, "..#..|#####|..#..");
    expect_grown("width=4,height=5,shape=cross", 4, 5, ".##.|.##.|####|.##.|.##.");
    expect_grown("width=4,height=2", 4, 2, "####|####");
}

/* ---- the operations ------------------------------------------------------------------------------------- */

typedef struct Shape {
    int64_t width, height;
    int kind; /* 0: box, 1: disk, 2: cross */
} Shape;

static double from_middle(int64_t i, int64_t side)
{
    const double d = fabs((double)i - (double)(side - 1) / 2);
    return side % 2 == 0 ? d - 0.5 : d;
}

static bool belongs(const Shape *shape, int64_t i, int64_t j)
{
    const double x = from_middle(i, shape->width), y = from_middle(j, shape->height);
    const double rx = from_middle(0, shape->width), ry = from_middle(0, shape->height);
    if (shape->kind == 0) return true;
    if (shape->kind == 2) return x == 0 || y == 0;
    return x * x * ry * ry + y * y * rx * rx <= rx * rx * ry * ry;
}

/* The least or the greatest sample under the window, of those inside. `turned`: the window with its anchor on
 * the other side of the middle. */
static HaloBuf extreme(const HaloBuf *in, const Shape *shape, bool greatest, bool turned)
{
    const int64_t w = shape->width, h = shape->height;
    const int64_t left = turned ? w - 1 - w / 2 : w / 2, above = turned ? h - 1 - h / 2 : h / 2;
    HaloShape floats = in->shape;
    HaloBuf out;
    floats.dtype = HALO_F32;
    if (halo_buf_alloc(&out, &floats) != HALO_OK) fail_case(NULL, "%s", halo_error());
    for (int64_t y = 0; y < in->rows; y++)
        for (int64_t x = 0; x < in->cols; x++)
            for (int c = 0; c < in->shape.channels; c++) {
                float found = greatest ? -INFINITY : INFINITY;
                for (int64_t j = 0; j < h; j++)
                    for (int64_t i = 0; i < w; i++) {
                        const int64_t from_x = x - left + i, from_y = y - above + j;
                        if (from_x < 0 || from_x >= in->cols || from_y < 0 || from_y >= in->rows) continue;
                        if (!belongs(shape, i, j)) continue;
                        const float v = oracle_get(in, from_x, from_y, c);
                        if (greatest ? v > found : v < found) found = v;
                    }
                ((float *)halo_at(&out, x, y))[c] = found;
            }
    return out;
}

/* a becomes a - b. */
static void subtract(HaloBuf *a, const HaloBuf *b)
{
    for (int64_t y = 0; y < a->rows; y++)
        for (int64_t x = 0; x < a->cols; x++)
            for (int c = 0; c < a->shape.channels; c++)
                ((float *)halo_at(a, x, y))[c] -= oracle_get(b, x, y, c);
}

typedef enum Morph { ERODE, DILATE, OPEN, CLOSE, TOPHAT, BLACKHAT, OUTLINE, MORPHS } Morph;
static const char *const morph_name[] = {"erode", "dilate", "open", "close", "tophat", "blackhat", "outline"};

static HaloBuf defined(const HaloBuf *in, Morph morph, const Shape *shape)
{
    const bool first = morph != ERODE && morph != OPEN && morph != TOPHAT;
    HaloBuf once = extreme(in, shape, first, false), other;
    if (morph == ERODE || morph == DILATE) return once;
    other = morph == OUTLINE ? extreme(in, shape, false, false) : extreme(&once, shape, !first, true);
    if (morph == OUTLINE) {
        subtract(&once, &other);
        halo_buf_free(&other);
        return once;
    }
    halo_buf_free(&once);
    if (morph == BLACKHAT) subtract(&other, in);
    if (morph == TOPHAT) {
        once = extreme(in, &(Shape){1, 1, 0}, false, false); /* a copy */
        subtract(&once, &other);
        halo_buf_free(&other);
        return once;
    }
    return other;
}

static void expect_samples(const char *text, const HaloBuf *got, const HaloBuf *want, int64_t dx, int64_t dy)
{
    for (int64_t y = 0; y < got->rows; y++)
        for (int64_t x = 0; x < got->cols; x++)
            for (int c = 0; c < got->shape.channels; c++)
                if (oracle_get(got, x, y, c) != oracle_get(want, x + dx, y + dy, c))
                    fail_case(NULL, "%s: %.9g at %" PRId64 ",%" PRId64 ", not %.9g", text,
                              (double)oracle_get(got, x, y, c), x, y,
                              (double)oracle_get(want, x + dx, y + dy, c));
}

/* Samples outside do not count, and where no window reaches outside the border makes no difference. */
static void operations(Rng *rng)
{
    static const char *const shape_name[] = {"box", "disk", "cross"};
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 24), rng_between(rng, 1, 24),
                                       (int)rng_between(rng, 1, 3));
    const Shape window = {rng_between(rng, 1, 9), rng_between(rng, 1, 9), (int)rng_between(rng, 0, 2)};
    const Morph morph = (Morph)rng_between(rng, 0, MORPHS - 1);
    HaloBuf in = random_input(&shape, false, rng), want = defined(&in, morph, &window);
    const bool twice = morph == OPEN || morph == CLOSE || morph == TOPHAT || morph == BLACKHAT;
    const int64_t reach_x = (window.width - 1) * (twice ? 2 : 1),
                  reach_y = (window.height - 1) * (twice ? 2 : 1);
    char text[TEXT];
    const int length = snprintf(text, sizeof text, "%s:width=%d,height=%d,shape=%s", morph_name[morph],
                                (int)window.width, (int)window.height, shape_name[window.kind]);
    Outcome outcome = run_ok(text, &in);
    expect_samples(text, &outcome.out, &want, 0, 0);
    outcome_free(&outcome);
    if (reach_x < shape.width && reach_y < shape.height) {
        snprintf(text + length, sizeof text - (size_t)length, ",border=valid");
        outcome = run_ok(text, &in);
        assert_int_equal(outcome.out.cols, shape.width - reach_x);
        assert_int_equal(outcome.out.rows, shape.height - reach_y);
        expect_samples(text, &outcome.out, &want, twice ? window.width - 1 : window.width / 2,
                       twice ? window.height - 1 : window.height / 2);
        outcome_free(&outcome);
    }
    halo_buf_free(&in);
    halo_buf_free(&want);
}

/* Of windows that are no rectangles, each row is trimmed by itself. */
static void oversized_windows(Rng *rng)
{
    static const char *const shape_name[] = {"box", "disk", "cross"};
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 4), rng_between(rng, 1, 4),
                                       (int)rng_between(rng, 1, 3));
    const Shape window = {rng_between(rng, 9, 60), rng_between(rng, 9, 60), (int)rng_between(rng, 0, 2)};
    const Morph morph = (Morph)rng_between(rng, 0, MORPHS - 1);
    HaloBuf in = random_input(&shape, false, rng), want = defined(&in, morph, &window);
    char text[TEXT];
    snprintf(text, sizeof text, "%s:width=%d,height=%d,shape=%s", morph_name[morph], (int)window.width,
             (int)window.height, shape_name[window.kind]);
    Outcome outcome = run_ok(text, &in);
    expect_samples(text, &outcome.out, &want, 0, 0);
    outcome_free(&outcome);
    halo_buf_free(&in);
    halo_buf_free(&want);
}

/* border=keep leaves as much as both windows reach over. */
static void kept_margins(void **state)
{
    (void)state;
    const HaloShape shape = test_shape(HALO_F32, 15, 12, 1);
    Rng rng = {7};
    HaloBuf in = random_input(&shape, false, &rng);
    Outcome all = run_ok("close:width=4,height=3", &in),
            kept = run_ok("close:width=4,height=3,border=keep", &in);
    for (int64_t y = 0; y < 12; y++)
        for (int64_t x = 0; x < 15; x++) {
            const bool margin = x < 3 || x >= 12 || y < 2 || y >= 10;
            const HaloBuf *const from = margin ? &in : &all.out;
            assert_true(oracle_get(&kept.out, x, y, 0) == oracle_get(from, x, y, 0));
        }
    outcome_free(&all);
    outcome_free(&kept);
    halo_buf_free(&in);
}

/* ---- what is said twice --------------------------------------------------------------------------------- */

static void equivalent_spellings(void **state)
{
    (void)state;
    static const Equivalent said[] = {
        {OF_IMAGE, "median:radius=2", "median:width=5"},
        {OF_IMAGE, "median:radius=1", "median"},
        {OF_IMAGE, "median:height=3", "median"},
        {OF_IMAGE, "rank:0.5,width=5,height=3", "median:width=5,height=3"},
        {OF_IMAGE, "rank:0,width=4,height=3", "erode:4,height=3"},
        {OF_IMAGE, "rank:1,width=4,alpha=straight", "dilate:4,alpha=straight"},
        {OF_IMAGE, "local:min,width=5", "erode:5"},
        {OF_IMAGE, "local:max,width=4,height=2", "dilate:width=4,height=2"},
        {OF_IMAGE, "local:range", "outline"},
        {OF_IMAGE, "open:5,shape=disk,border=wrap",
         "erode:5,shape=disk,border=wrap | dilate:5,shape=disk,border=wrap"},
        {OF_SOUND, "median:window=7", "median:width=7"},
        {OF_SOUND, "median:window=6ms", "median:width=6ms"},
        {OF_SOUND, "close:9,shape=disk", "close:9ms"},
    };
    expect_all_equivalent(said, sizeof said / sizeof *said);
}

/* ---- infinities and NaN --------------------------------------------------------------------------------- */

/* They affect the windows that hold them, and no others. */
static void special_samples_stay_in_their_windows(void **state)
{
    (void)state;
    static const char disk[] = "..#..|.###.|#####|.###.|..#..";
    static const float special[] = {NAN, -INFINITY, INFINITY};
    const HaloShape shape = test_shape(HALO_F32, 23, 19, 1);
    for (int s = 0; s < 3; s++)
        for (int greatest = 0; greatest < 2; greatest++) {
            HaloBuf in;
            assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
            for (int i = 0; i < 23 * 19; i++) ((float *)in.data)[i] = 0.25f;
            *(float *)halo_at(&in, 11, 9) = special[s];
            Outcome outcome = run_ok(greatest ? "dilate:5,shape=disk" : "erode:5,shape=disk", &in);
            Outcome without =
                run_ok(greatest ? "dilate:5,shape=disk,nan=ignore" : "erode:5,shape=disk,nan=ignore", &in);
            for (int y = 0; y < 19; y++)
                for (int x = 0; x < 23; x++) {
                    const bool holds = abs(x - 11) < 3 && abs(y - 9) < 3 && disk[(y - 7) * 6 + x - 9] == '#';
                    const bool wins = isnan(special[s]) || (special[s] > 0) == greatest;
                    const float got = oracle_get(&outcome.out, x, y, 0),
                                want = holds && wins ? special[s] : 0.25f;
                    const float left = oracle_get(&without.out, x, y, 0), fair = isnan(want) ? 0.25f : want;
                    if (isnan(want) ? !isnan(got) : got != want)
                        fail_case(NULL, "%g at %d,%d, not %g", (double)got, x, y, (double)want);
                    if (left != fair) fail_case(NULL, "nan=ignore: %g at %d,%d", (double)left, x, y);
                }
            outcome_free(&outcome);
            outcome_free(&without);
            halo_buf_free(&in);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_as_drawn),      random_test(operations, 120),
        random_test(oversized_windows, 40),     cmocka_unit_test(kept_margins),
        cmocka_unit_test(equivalent_spellings), cmocka_unit_test(special_samples_stay_in_their_windows),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
