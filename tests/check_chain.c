/* Fusion: which neighbouring steps form a chain, and that chains give the bytes of the separate steps, by a
 * backend that runs every chain and by every GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "draw.h"
#include "oracle_backend.h"
#include "pipelines.h"

enum { TEXT = 400 };

/* ---- which steps ---------------------------------------------------------------------------------------- */

/* A session whose other backend has chains. */
static HaloSession *open_chains(void)
{
    static HaloTables tables;
    static const HaloBackend *both[2];
    HaloSession *session;
    tables = *halo_tables();
    oracle_chains_open();
    both[0] = tables.backend[0];
    both[1] = &oracle_chains;
    tables.backend = both;
    tables.backends = 2;
    assert_int_equal(halo_session_open_with(&tables, &(HaloOptions){.device = HALO_DEVICE_GPU}, &session),
                     HALO_OK);
    return session;
}

/* The explanation of a pipeline. */
static char *explain(const char *text, int channels)
{
    const HaloShape shape = test_shape(HALO_U8, 90, 80, channels);
    HaloSession *const session = open_chains();
    HaloPipeline *pipeline;
    HaloPlan *plan;
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    halo_plan_print(session, plan, to);
    fclose(to);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    return said;
}

static int steps_of(const char *said)
{
    int steps = 0;
    for (const char *line = said; (line = strchr(line, '\n')) != NULL; line++)
        steps += strncmp(line, "\n   ", 4) == 0 && line[4] >= '1' && line[4] <= '9';
    return steps;
}

static void expect_steps(const char *pipeline, int channels, int steps, const char *name)
{
    char *said = explain(pipeline, channels);
    if (steps_of(said) != steps || (name != NULL && strstr(said, name) == NULL))
        fail_case(NULL, "%s: %d steps were expected:\n%s", pipeline, steps, said);
    free(said);
}

static void neighbouring_steps_are_fused(void **state)
{
    (void)state;
    expect_steps("sobel", 1, 1, "in one pass: convolve 3 x 3, border replicate; convolve 3 x 3");
    expect_steps("unsharp | depth:u8", 3, 1, "in one pass");
    expect_steps("gray | gauss:1.5 | sobel", 3, 1, "gray|gauss|sobel");
    expect_steps("adaptive:31", 1, 1, "in one pass: mean of 31 x 31, border replicate; add; threshold");
    expect_steps("box:3 | gain:2", 3, 1, "box|gain");
    expect_steps("adaptive:31,method=sauvola", 1, 6, NULL);
    /* A value that is read only for its extremes and by the map that they set is computed twice and never
     * stored. */
    expect_steps("gauss:1.5 | sobel | normalize", 1, 2, "minimum and maximum, in one pass: convolve rows");
    expect_steps("gauss:1.5 | normalize | depth:u8", 3, 2, "gauss|normalize");
    /* Where another step reads it, or more than its extremes, it is stored, and the map is not part of the
     * chain. */
    expect_steps("gauss:1.5 | stats | normalize", 1, 4, NULL);
    expect_steps("gauss:1.5 | sobel | normalize:percentiles=\"1,99\"", 1, 3, "gauss|sobel");
    expect_steps("median:3 | normalize", 1, 3, "reduce");
    /* A single step is no chain; a step that rounds its result ends a chain. */
    expect_steps("gauss:1.5", 1, 1, "convolve rows");
    expect_steps("gauss:1.5 | depth:u8 | sharpen", 1, 2, NULL);
    /* A value that another step reads is stored. */
    expect_steps("gauss:1.5 | stats | sharpen", 1, 3, NULL);
    expect_steps("median:3 | sharpen | laplace", 1, 2, "sharpen|laplace");
    expect_steps("gauss:1 | gauss:1.5,nan=ignore | sharpen", 1, 3, NULL);
    /* Integers have no NaN. */
    expect_steps("gauss:1.5,nan=ignore | sharpen", 1, 1, "gauss|sharpen");
}

/* The report of a file is read after its plan has been freed. */
static void names_outlive_the_plan(void **state)
{
    (void)state;
    Rng rng = {6};
    const HaloInfo info = {.shape = test_shape(HALO_U8, 90, 80, 3), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, &rng);
    HaloPipeline *pipeline;
    HaloExplanation said = {0};
    HaloReport report = {0};
    Bytes file;
    char path[64];
    snprintf(path, sizeof path, "%s", test_path("chain-in.ppm"));
    assert_int_equal(encode(&halo_format_pnm, &info, &in, 0, &file), HALO_OK);
    bytes_to_file(path, file.at, file.size);
    HaloSession *const session = open_chains();
    assert_int_equal(halo_pipeline_parse(session, "gray | gauss:1.5 | sobel | normalize", &pipeline), HALO_OK);
    const HaloJob job = {.input = path, .output = "none.pgm", .explain = &said};
    assert_int_equal(halo_run_job(session, pipeline, &job, &report), HALO_OK);
    assert_int_equal(said.steps, 2);
    assert_string_equal(said.step[0].op, "gray|gauss|sobel");
    assert_string_equal(said.step[1].op, "gray|gauss|sobel|normalize");
    halo_explanation_free(&said);
    halo_report_clear(&report);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    halo_buf_free(&in);
    free(file.at);
    test_folder_remove(NULL);
}

/* ---- the same bytes ------------------------------------------------------------------------------------- */

/* Images larger than any tile, smaller than any window, and narrow ones. */
static HaloShape draw_picture(Rng *rng)
{
    const bool large = rng_once_in(rng, 3), tall = rng_once_in(rng, 4);
    HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, large && !tall ? 300 : 70),
                                 rng_between(rng, 1, large ? 200 : 50), (int)rng_between(rng, 1, 4));
    if (tall) {
        shape.height = rng_between(rng, 256, 900);
        if (rng_once_in(rng, 2)) shape.channels = 1;
    }
    shape.alpha = shape.channels % 2 == 0 && rng_once_in(rng, 2) ? shape.channels - 1 : -1;
    return shape;
}

/* The pipeline succeeds, and gives the same bytes on every device for random samples. */
static void expect_alike(const char *text, const HaloShape *shape, bool special, Rng *rng)
{
    HaloBuf in = random_input(shape, special, rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

static void random_chains(Rng *rng)
{
    static const char *const op[] = {"gauss:0.7",
                                     "gauss:1.5",
                                     "gauss:2.6",
                                     "sobel",
                                     "scharr",
                                     "roberts",
                                     "prewitt",
                                     "sharpen",
                                     "laplace",
                                     "emboss",
                                     "unsharp:1",
                                     "unsharp:2.2",
                                     "subtract:[gauss:2]",
                                     "gain:1.7",
                                     "invert",
                                     "offset:-0.2",
                                     "conv:mask=\"5x5: 1 2 3 4 5 -6 7 8 9 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7\"",
                                     "clamp:min=0.1,max=0.8",
                                     "difference:[gauss:1]",
                                     "box:3",
                                     "adaptive:7",
                                     "adaptive:9,offset=0.1",
                                     "threshold:0.4",
                                     "abs"};
    static const char *const border[] = {"zero",   "constant=7", "replicate", "reflect",
                                         "mirror", "wrap",       "keep"};
    static const char *const end[] = {"",
                                      "",
                                      " | depth:u8",
                                      " | depth:u16",
                                      " | depth:f32",
                                      " | normalize",
                                      " | normalize:min=10,max=-3 | gain:2"};
    const int ops = (int)(sizeof op / sizeof *op);
    char text[TEXT] = "";
    const HaloShape shape = draw_picture(rng);
    const char *edge = rng_once_in(rng, 2) ? border[rng_between(rng, 0, 6)] : NULL;
    if (shape.channels - (shape.alpha >= 0) == 3 && rng_once_in(rng, 3)) strcat(text, "gray | ");
    for (int64_t left = rng_between(rng, 1, 3); left > 0; left--) {
        const char *one = op[rng_between(rng, 0, ops - 1)];
        strcat(text, one);
        if (edge != NULL && strpbrk(one, "[=") == NULL &&
            strstr("gain:1.7 invert abs offset:-0.2 threshold:0.4", one) == NULL)
            sprintf(text + strlen(text), "%cborder=%s", strchr(one, ':') != NULL ? ',' : ':', edge);
        if (left > 1) strcat(text, " | ");
    }
    strcat(text, end[rng_between(rng, 0, 6)]);
    expect_alike(text, &shape, rng_once_in(rng, 4), rng);
}

/* Gray of u8 images, then a blur: rows that are aligned for wide copies, and others. */
static void gray_blurs(Rng *rng)
{
    static const char *const border[] = {"zero",   "constant=7", "replicate", "reflect",
                                         "mirror", "wrap",       "keep"};
    static const char *const end[] = {"", " | depth:u8", " | depth:u16", " | sobel"};
    HaloShape shape = test_shape(HALO_U8, rng_between(rng, 1, 500), rng_between(rng, 1, 150), 3);
    char text[TEXT];
    shape.alpha = -1;
    if (!rng_once_in(rng, 4)) shape.width = (shape.width + 3) / 4 * 4;
    sprintf(text, "gray | gauss:%g,border=%s%s", (double)rng_float(rng, 0.3f, 2.4f),
            border[rng_between(rng, 0, 6)], end[rng_between(rng, 0, 3)]);
    expect_alike(text, &shape, false, rng);
}

/* Means of any window, and points behind them, of images wide enough for a row to be made at once. */
static void means_and_points(Rng *rng)
{
    static const char *const border[] = {"zero",    "constant=7", "constant=-1", "replicate",
                                         "reflect", "mirror",     "wrap",        "keep"};
    static const char *const end[] = {"", " | depth:u8", " | depth:u16", " | gain:3 | depth:u8", " | invert"};
    HaloShape shape = test_shape(rng_once_in(rng, 2) ? HALO_U8 : draw_dtype(rng), rng_between(rng, 60, 400),
                                 rng_between(rng, 1, 90), (int)rng_between(rng, 1, 4));
    char text[TEXT];
    shape.alpha = shape.channels % 2 == 0 && rng_once_in(rng, 2) ? shape.channels - 1 : -1;
    if (rng_once_in(rng, 8)) shape.width = rng_between(rng, 2000, 5000);
    const int64_t width = rng_between(rng, 1, rng_once_in(rng, 4) ? 200 : 40), height = rng_between(rng, 1, 70);
    const char *const edge = border[rng_between(rng, 0, 7)];
    if (rng_once_in(rng, 3))
        sprintf(text, "box:%d,%d,border=%s | offset:%g%%%s", (int)width, (int)height, edge,
                (double)rng_float(rng, -20, 20), end[rng_between(rng, 0, 4)]);
    else
        sprintf(text, "adaptive:%d,%d,offset=%g%%,border=%s%s", (int)width, (int)height,
                rng_once_in(rng, 2) ? 0.0 : (double)rng_float(rng, -10, 10), edge, end[rng_between(rng, 0, 4)]);
    expect_alike(text, &shape, rng_once_in(rng, 4), rng);
}

/* Half of the samples are the lowest or the highest, so that gradients reach their greatest values and clip; or
 * a ramp with little noise, for which nothing clips. */
static void draw_steep(HaloBuf *in, bool steep, Rng *rng)
{
    for (int64_t y = 0; y < in->rows; y++) {
        uint8_t *const row = halo_at(in, 0, y);
        for (int64_t i = 0; i < halo_row_bytes(in); i++)
            if (!steep)
                row[i] = (uint8_t)((i / 5 + 3 * y) / 8 % 200 + rng_between(rng, 0, 12));
            else if (rng_once_in(rng, 2))
                row[i] = rng_once_in(rng, 2) ? 255 : 0;
    }
}

/* The same result on every device, for u8 images of steps. */
static void steep_bytes_alike(const char *text, const HaloShape *shape, Rng *rng)
{
    HaloBuf in = random_input(shape, false, rng);
    if (!rng_once_in(rng, 3)) draw_steep(&in, rng_once_in(rng, 2), rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* u8 to u8: rows of whole warps and others, any alignment, borders beyond the image, few rows and many. */
static void gradients_of_u8(Rng *rng)
{
    static const char *const op[] = {"sobel", "sobel", "prewitt", "scharr", "roberts"};
    static const char *const border[] = {"zero",    "constant=7", "constant=255", "replicate",
                                         "reflect", "mirror",     "wrap",         "keep"};
    static const int channels[] = {1, 1, 3, 4, 2};
    HaloShape shape = test_shape(HALO_U8, rng_between(rng, 1, 1200), rng_between(rng, 1, 90),
                                 channels[rng_between(rng, 0, 4)]);
    char text[TEXT];
    shape.alpha = shape.channels % 2 == 0 && rng_once_in(rng, 2) ? shape.channels - 1 : -1;
    if (rng_once_in(rng, 2)) shape.width = (shape.width + 31) / 32 * 32;
    if (rng_once_in(rng, 8)) shape.width = rng_between(rng, 1, 6);
    if (rng_once_in(rng, 6)) shape.height = rng_between(rng, 300, 900);
    sprintf(text, "%s:border=%s | depth:u8", op[rng_between(rng, 0, 4)], border[rng_between(rng, 0, 7)]);
    steep_bytes_alike(text, &shape, rng);
}

/* Sharpened u8 images, of which all, many or no samples clip: rows of whole warps and others, more than are in
 * flight at a time. */
static void sharpened_u8(Rng *rng)
{
    static const char *const amount[] = {"", ",amount=9", ",amount=-2.5", ",amount=0.3", ",amount=1e9"};
    static const char *const threshold[] = {"", "", ",threshold=20"};
    HaloShape shape =
        test_shape(HALO_U8, rng_between(rng, 1, 600), rng_between(rng, 1, 90), rng_once_in(rng, 3) ? 3 : 1);
    char text[TEXT];
    shape.alpha = -1;
    if (!rng_once_in(rng, 4)) shape.width = (shape.width + 255) / 256 * 256;
    sprintf(text, "unsharp:%g%s%s | depth:u8", (double)rng_float(rng, 0.3f, 2.0f),
            amount[rng_between(rng, 0, 4)], threshold[rng_between(rng, 0, 2)]);
    steep_bytes_alike(text, &shape, rng);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbouring_steps_are_fused),
                                       cmocka_unit_test(names_outlive_the_plan),
                                       random_test(random_chains, 150),
                                       random_test(gray_blurs, 40),
                                       random_test(means_and_points, 40),
                                       random_test(gradients_of_u8, 60),
                                       random_test(sharpened_u8, 60)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
