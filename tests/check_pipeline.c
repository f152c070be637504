/* Whole pipelines: every operation, run in every way, gives the oracle's bytes. `check_pipeline --golden`
 * prints a new tests/golden.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "draw.h"
#include "golden.h"
#include "pipelines.h"

enum { TEXT = 1024 };

/* ---- the same bytes, however it is run ------------------------------------------------------------------ */

static HaloShape draw_image_shape(Rng *rng)
{
    HaloShape shape = test_shape((HaloDtype)rng_between(rng, HALO_U8, HALO_F32), rng_between(rng, 1, 40),
                                 rng_between(rng, 1, 30), (int)rng_between(rng, 1, 4));
    if (rng_once_in(rng, 8)) shape.width = 1;
    if (rng_once_in(rng, 8)) shape.height = 1;
    shape.alpha = shape.channels % 2 == 0 ? shape.channels - 1 : -1;
    return shape;
}

static HaloShape draw_sound_shape(Rng *rng)
{
    const int channels = (int)rng_between(rng, 1, 3);
    HaloShape shape = test_shape(HALO_F32, rng_between(rng, 1, 1500), 1, channels);
    shape.kind = HALO_AUDIO;
    shape.rate = rng_once_in(rng, 2) ? 8000 : 44100;
    return shape;
}

static const HaloFormat *draw_format(Rng *rng, HaloKind kind)
{
    static const char *const name[] = {"png", "npy", "pam"};
    if (kind == HALO_AUDIO || rng_once_in(rng, 3)) return NULL;
    return halo_find_format(name[rng_between(rng, 0, 2)]);
}

static int ran, worked; /* in this test */

static void run_case(Rng *rng, const char *pipeline, HaloKind kind)
{
    const HaloShape shape = kind == HALO_AUDIO ? draw_sound_shape(rng) : draw_image_shape(rng);
    HaloBuf in = random_input(&shape, rng_once_in(rng, 4), rng);
    Outcome outcome = expect_everywhere_alike(pipeline, &in, draw_format(rng, kind));
    if (outcome.status == HALO_ERR_BUG) fail_case(NULL, "%s: %s", pipeline, outcome.message);
    ran++;
    worked += outcome.status == HALO_OK;
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Random cases that are refused test little: many have to succeed. Chains of several operations with random
 * values are refused by any of them. */
static void run_cases(const char *test, int64_t normal, void (*body)(Rng *rng))
{
    ran = worked = 0;
    for_each_case(test, normal, body);
    if (ran > 40 && worked * 3 < ran) fail_case(NULL, "%s: only %d of %d cases work", test, worked, ran);
}

static HaloKind draw_kind(Rng *rng, const HaloOp *op)
{
    if (op->kinds == (HALO_IMAGE | HALO_AUDIO)) return rng_once_in(rng, 3) ? HALO_AUDIO : HALO_IMAGE;
    return (HaloKind)op->kinds;
}

static void random_parameters_body(Rng *rng)
{
    const HaloTables *const tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        char text[TEXT];
        const HaloKind kind = draw_kind(rng, tables->op[i]);
        draw_pipeline(rng, tables->op[i], kind, text, sizeof text);
        run_case(rng, text, kind);
    }
}

static void every_operation_with_random_parameters(void **state)
{
    (void)state;
    run_cases(__func__, 12, random_parameters_body);
}

/* Two or three operations in a row, measuring ones among them. */
static void chains_body(Rng *rng)
{
    const HaloTables *const tables = halo_tables();
    const HaloKind kind = rng_once_in(rng, 4) ? HALO_AUDIO : HALO_IMAGE;
    char text[3 * TEXT] = "";
    for (int64_t left = rng_between(rng, 2, 3); left > 0;) {
        const HaloOp *const op = tables->op[rng_between(rng, 0, tables->ops - 1)];
        char one[TEXT];
        if ((op->kinds & kind) == 0) continue;
        draw_pipeline(rng, op, kind, one, sizeof one);
        if (text[0] != '\0') strcat(text, " | ");
        strcat(text, one);
        left--;
    }
    run_case(rng, text, kind);
}

static void chains_of_random_operations(void **state)
{
    (void)state;
    run_cases(__func__, 200, chains_body);
}

/* ---- values without keys -------------------------------------------------------------------------------- */

static uint64_t parsed(HaloSession *session, const char *text, HaloStatus *status)
{
    HaloPipeline *pipeline = NULL;
    *status = halo_pipeline_parse(session, text, &pipeline);
    const uint64_t hash = *status == HALO_OK ? halo_pipeline_fingerprint(pipeline, "") : 0;
    halo_pipeline_free(pipeline);
    return hash;
}

/* They fill the parameters in order; one more, or one behind a key, is refused with a message that says so. */
static void values_without_keys(Rng *rng)
{
    const HaloTables *const tables = halo_tables();
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *const op = tables->op[i];
        if (op->params == 0) continue;
        HaloSession *const session = runner[1].session;
        const HaloKind kind = draw_kind(rng, op);
        const int values = (int)rng_between(rng, 1, op->params);
        Rng twin = *rng;
        HaloStatus status, expected;
        char keyed[TEXT], plain[TEXT], more[2 * TEXT];
        draw_values(rng, op, kind, values, true, keyed, sizeof keyed);
        draw_values(&twin, op, kind, values, false, plain, sizeof plain);
        const uint64_t hash = parsed(session, keyed, &expected);
        if (parsed(session, plain, &status) != hash || status != expected)
            fail_case(NULL, "%s is not %s: %s", plain, keyed, halo_error());
        snprintf(more, sizeof more, "%s,0.5", keyed);
        parsed(session, more, &status);
        if (expected == HALO_OK && (status != HALO_ERR_USAGE || strstr(halo_error(), "keys in order") == NULL))
            fail_case(NULL, "%s: %s", more, halo_error());
        draw_values(rng, op, kind, op->params, false, plain, sizeof plain);
        parsed(session, plain, &expected);
        snprintf(more, sizeof more, "%s,0.5", plain);
        parsed(session, more, &status);
        if (expected == HALO_OK && (status != HALO_ERR_USAGE || strstr(halo_error(), "keys in order") == NULL))
            fail_case(NULL, "%s: %s", more, halo_error());
    }
}

/* Every operation succeeds with its example, on an image or a sound that suits it. */
static void every_example_works(void **state)
{
    (void)state;
    const HaloTables *const tables = halo_tables();
    Rng rng = {11};
    for (int i = 0; i < tables->ops; i++) {
        char text[TEXT];
        const HaloOp *const op = tables->op[i];
        const bool sound = (op->kinds & HALO_IMAGE) == 0 || strstr(op->example, "ms") != NULL;
        HaloShape shape = sound ? draw_sound_shape(&rng) : test_shape(HALO_U8, 31, 17, 3);
        if (sound) shape.rate = 44100, shape.width = 1500; /* as long as examples need */
        HaloBuf in = random_input(&shape, false, &rng);
        example_pipeline(op, shape.kind, text, sizeof text);
        Outcome outcome = expect_everywhere_alike(text, &in, NULL);
        if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

/* Every border with masks larger than the image, in bands. */
static void borders_in_bands_body(Rng *rng)
{
    static const char *const border[] = {"zero",   "constant=7", "replicate", "reflect",
                                         "mirror", "wrap",       "keep"};
    static const char *const filter[] = {"gauss:1.3",
                                         "box:9",
                                         "box:width=2,height=12",
                                         "laplace:8",
                                         "conv:mask=\"2x7: 1,2,3,4,5,6,7,8,9,-1,-2,-3,-4,5\"",
                                         "conv:mask=\"1x7: 1,2,3,4,5,6,7\",anchor=0+0",
                                         "conv:mask=\"2x6: 1,2,3,4,5,6,7,8,9,-1,-2,-3\",anchor=1+5",
                                         "sobel",
                                         "unsharp:2"};
    char text[TEXT];
    const char *const one = filter[rng_between(rng, 0, 8)], *const edge = border[rng_between(rng, 0, 6)];
    if (rng_once_in(rng, 2))
        snprintf(text, sizeof text, "%s%cborder=%s", one, strchr(one, ':') != NULL ? ',' : ':', edge);
    else
        snprintf(text, sizeof text, "%s%cborder=%s | gauss:1,border=%s", one,
                 strchr(one, ':') != NULL ? ',' : ':', edge, border[rng_between(rng, 0, 6)]);
    run_case(rng, text, HALO_IMAGE);
}

static void borders_in_bands(void **state)
{
    (void)state;
    run_cases(__func__, 600, borders_in_bands_body);
}

/* A secondary input, in bands and on every device: of the image's size, one pixel, or one channel. With strides
 * in branches both inputs need different rows. */
static void secondary_inputs(Rng *rng)
{
    static const char *const form[] = {
        "subtract:%s", "gauss:1 | subtract:%s | box:3", "subtract:[subtract:%s | median:3]",
        "subtract:[%s | gain:0.5 | box:3]",
        "subtract:%s | conv:mask=\"3x3: 1,2,1,2,4,2,1,2,1\",stride=2+3 | subtract:[box:3]"};
    const HaloInfo info = {0};
    HaloShape shape = draw_shape(rng, 30), of_side;
    Bytes file;
    char text[TEXT];
    shape.alpha = -1;
    of_side = shape;
    of_side.dtype = draw_dtype(rng);
    of_side.white = halo_dtype_white(of_side.dtype);
    if (rng_once_in(rng, 3)) of_side.channels = 1;
    if (rng_once_in(rng, 3)) of_side.width = of_side.height = 1;
    const HaloFormat *format = &halo_format_npy; /* whose last dimension counts up to 4 channels */
#ifdef HALO_HAVE_TIFF
    if (of_side.channels > 4) format = &halo_format_tiff;
#else
    if (of_side.channels > 4) of_side.channels = 1;
#endif
    HaloBuf in = random_input(&shape, false, rng), side = random_input(&of_side, false, rng);
    const char *const path = test_path("side");
    assert_int_equal(encode(format, &info, &side, 0, &file), HALO_OK);
    bytes_to_file(path, file.at, file.size);
    snprintf(text, sizeof text, form[rng_between(rng, 0, 4)], path);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    free(file.at);
    halo_buf_free(&side);
    halo_buf_free(&in);
}

/* A | B is B of the result of A, without rounding in between. */
static void chain_equals_one_by_one(Rng *rng)
{
    static const char *const op[] = {"gauss:1.5", "sobel",       "invert",
                                     "gain:1.7",  "sharpen:2",   "box:3",
                                     "abs",       "offset:-0.3", "clamp:min=0.1,max=0.8",
                                     "normalize", "laplace",     "unsharp:1"};
    const char *const a = op[rng_between(rng, 0, 11)], *const b = op[rng_between(rng, 0, 11)];
    HaloShape shape = draw_image_shape(rng);
    char both[TEXT];
    shape.dtype = HALO_F32;
    shape.white = 1;
    snprintf(both, sizeof both, "%s | %s", a, b);
    HaloBuf in = random_input(&shape, rng_once_in(rng, 3), rng);
    HaloSession *const session = runner[1].session;
    Outcome chain = pipeline_run(session, both, &in, NULL), first = pipeline_run(session, a, &in, NULL);
    if (chain.status != HALO_OK || first.status != HALO_OK)
        fail_case(NULL, "%s: %s%s", both, chain.message, first.message);
    Outcome second = pipeline_run(session, b, &first.out, NULL);
    const TestBuf expected = {.view = second.out, .block = second.out},
                  got = {.view = chain.out, .block = chain.out};
    expect_same(runner[1].name, both, &expected, &got);
    outcome_free(&chain);
    outcome_free(&first);
    outcome_free(&second);
    halo_buf_free(&in);
}

/* ---- parts of what is computed in order ------------------------------------------------------------------ */

/* A part of a scan needs all before it, also of a backend that scans sound at once. */
static void parts_of_scans(Rng *rng)
{
    static const char *const scan[] = {"scan", "scan:op=max", "scan:exclusive=1", "offset:2 | scan",
                                       "lowpass:1000 | scan"};
    static const char *const part[] = {"trim:2ms", "trim:2ms,length=1ms", "trim:1ms,-1ms",
                                       "reverse",  "trim:2ms | scan",     "pad:5f | trim:2ms"};
    HaloShape shape = draw_sound_shape(rng);
    char text[TEXT];
    shape.width += 200;
    snprintf(text, sizeof text, "%s | %s", scan[rng_between(rng, 0, 4)], part[rng_between(rng, 0, 5)]);
    HaloBuf in = random_input(&shape, false, rng);
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", text, outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- outside of the image ------------------------------------------------------------------------------- */

/* A branch that lies outside of the image is not computed, and its scratch is not counted. */
static void branches_outside_of_the_image(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_U16, 2, 4, 1);
    HaloBuf in = random_input(&shape, false, rng);
    Outcome outcome = expect_everywhere_alike("over:[gauss:0.6],at=2+1", &in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s", outcome.message);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- golden hashes -------------------------------------------------------------------------------------- */

static void golden_hashes(void **state)
{
    (void)state;
    for (int r = 1; r < runners; r++) golden_check(&runner[r]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_works),
        cmocka_unit_test(every_operation_with_random_parameters),
        random_test(values_without_keys, 50),
        random_test(branches_outside_of_the_image, 1),
        cmocka_unit_test(chains_of_random_operations),
        random_test(parts_of_scans, 40),
        cmocka_unit_test(borders_in_bands),
        random_test(secondary_inputs, 100),
        random_test(chain_equals_one_by_one, 100),
        cmocka_unit_test(golden_hashes),
    };
    if (argc > 1 && strcmp(argv[1], "--golden") == 0) return golden_print(stdout);
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
