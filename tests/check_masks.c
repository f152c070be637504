/* Masks as text: every dialect, every mistake with its place, random bytes; and the named masks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "codec.h"
#include "halo/extend.h"
#include "masks.h"
#include "random.h"

static HaloStatus parse(const char *text, HaloMask *mask)
{
    /* A copy of just that size, so that a sanitizer sees a read past the end. */
    const size_t length = strlen(text);
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    const HaloStatus status = halo_mask_parse("k.mat", copy, length, mask);
    free(copy);
    return status;
}

/* ---- dialects ------------------------------------------------------------------------------------------- */

typedef struct Good {
    const char *text;
    int width, height, anchor_x, anchor_y;
    double scale, bias;
    double tap[9];
} Good;

static const Good good[] = {
    /* ImageMagick */
    {"3x3: 0,-1,0, -1,5,-1, 0,-1,0", 3, 3, 1, 1, 1, 0, {0, -1, 0, -1, 5, -1, 0, -1, 0}},
    {"3x2+2+0:1 2 3 4 5 6", 3, 2, 2, 0, 1, 0, {1, 2, 3, 4, 5, 6}},
    {"3:\n1,2,3,\n4,5,6,\n7,8,9\n", 3, 3, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"3x1: -, nan ,-1", 3, 1, 1, 0, 1, 0, {0, 0, -1}},
    {"2x2 : 1, 2 # a comment; with: everything\n, NaN 4", 2, 2, 1, 1, 1, 0, {1, 2, 0, 4}},
    {"9x1: 1 2 3 4 5 6 7 8 9", 9, 1, 4, 0, 1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    /* netpbm */
    {"1,2;3,4;5,6", 2, 3, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6}},
    {"=-1,3,-1", 3, 1, 1, 0, 1, 0, {-1, 3, -1}},
    {" = 1, 2, 3, 4", 4, 1, 2, 0, 1, 0, {1, 2, 3, 4}},
    {"1;2;1", 1, 3, 0, 1, 1, 0, {1, 2, 1}},
    {"1,2;\n3,4\n", 2, 2, 1, 1, 1, 0, {1, 2, 3, 4}},
    /* libvips */
    {"3 3\n1 2 3\n4 5 6\n7 8 9\n", 3, 3, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"2 2 8 128\n1 2\n3 4", 2, 2, 1, 1, 0.125, 128, {1, 2, 3, 4}},
    {"# head: a comment\r\n\r\n2\t1 -4 .5\r\n1 2\r\n", 2, 1, 1, 0, -0.25, 0.5, {1, 2}},
    {"1 2\n3\n4\n\n", 1, 2, 0, 1, 1, 0, {3, 4}},
    /* one coefficient per line, CSV, bare lists */
    {"# fir\n0.25\n\n.5 # the middle\n0.25\n", 3, 1, 1, 0, 1, 0, {0.25, 0.5, 0.25}},
    {"7", 1, 1, 0, 0, 1, 0, {7}},
    {"1,2,3\n4,5,6\n", 3, 2, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6}},
    {"1, 2\r\n3, 4\r\n", 2, 2, 1, 1, 1, 0, {1, 2, 3, 4}},
    {"1 2 1\n2 4 2", 3, 2, 1, 1, 1, 0, {1, 2, 1, 2, 4, 2}},
    {"1,2,1", 3, 1, 1, 0, 1, 0, {1, 2, 1}},
    {"1,2,3,4,5,6,7,8,9", 3, 3, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"1 2 3 4 5 6 7 8 9", 3, 3, 1, 1, 1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"1,2,3,4", 2, 2, 1, 1, 1, 0, {1, 2, 3, 4}},
    {"\xef\xbb\xbf"
     "1,2,3",
     3,
     1,
     1,
     0,
     1,
     0,
     {1, 2, 3}},
    /* numbers */
    {"+1,-.5e-3,1E+2,3.,1e-400", 5, 1, 2, 0, 1, 0, {1, -0.0005, 100, 3, 0}},
};

static void dialects(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const Good *want = &good[i];
        HaloMask mask;
        if (parse(want->text, &mask) != HALO_OK) fail_msg("%s: %s", want->text, halo_error());
        const bool same = mask.width == want->width && mask.height == want->height &&
                          mask.anchor_x == want->anchor_x && mask.anchor_y == want->anchor_y &&
                          mask.scale == want->scale && mask.bias == want->bias;
        if (!same) fail_msg("%s: %dx%d", want->text, (int)mask.width, (int)mask.height);
        for (int t = 0; t < want->width * want->height; t++)
            if (mask.tap[t] != want->tap[t]) fail_msg("%s: coefficient %d is %g", want->text, t, mask.tap[t]);
        halo_mask_free(&mask);
    }
}

/* ---- mistakes ------------------------------------------------------------------------------------------- */

static const char *const bad[][2] = {
    {"3 3\n1 2 3\n4 5 x", "k.mat:3:5: expected a number, found 'x'"},
    {"# two\n# lines\n1, 2, x, 4", "k.mat:3:7: expected a number, found 'x'"},
    {"", "k.mat:1:1: expected a number, found the end"},
    {"\n\n # nothing\n", "k.mat:4:1: expected a number, found the end"},
    {"1,2,", "k.mat:1:5: expected a number, found the end"},
    {"1,2,\n3,4", "k.mat:1:5: expected a number, found the end of the line"},
    {"1,,2", "k.mat:1:3: expected a number, found ','"},
    {"1,2\n3,4,5", "k.mat:2:4: expected the end of the row, found ','"},
    {"1,2,3\n4 5\n6,7,8", "k.mat:2:4: expected a number, found the end of the line"},
    {"1\n2 3\n", "k.mat:2:3: expected the end of the row, found '3'"},
    /* numbers */
    {"0x10", "k.mat:1:1: expected a number, found '0x10'"},
    {"1,inf,3", "k.mat:1:3: expected a number, found 'inf'"},
    {"1,nan,3", "k.mat:1:3: expected a number, found 'nan'"},
    {"1,-,3", "k.mat:1:3: expected a number, found '-'"},
    {"1,.,3", "k.mat:1:3: expected a number, found '.'"},
    {"1,2e,3", "k.mat:1:3: expected a number, found '2e'"},
    {"1,1.2.3", "k.mat:1:3: expected a number, found '1.2.3'"},
    {"1,1e39", "k.mat:1:3: expected a number within 32-bit floats, found '1e39'"},
    {"1,-1e999", "k.mat:1:3: expected a number within 32-bit floats, found '-1e999'"},
    {"1,\x01", "k.mat:1:3: expected a number, found byte 0x01"},
    {"1,abcdefghijklmnopqrstuvwxyz", "k.mat:1:3: expected a number, found 'abcdefghijklmnopqrst...'"},
    /* ImageMagick */
    {"Gaussian:0x2", "k.mat:1:1: expected a size such as 3x3 or 3x3+1+1, found 'Gaussian'"},
    {"0x3:1", "k.mat:1:1: expected a size such as 3x3 or 3x3+1+1, found '0x3'"},
    {"3xy:1", "k.mat:1:3: expected a height, found 'y'"},
    {"3x9999999:1", "k.mat:1:3: expected a height, found '9999999'"},
    {"3x3+1:1", "k.mat:1:6: expected '+', found ':'"},
    {"3x3+3+0:1", "k.mat:1:5: expected an anchor inside the mask, found '3+0'"},
    {"3x3+0+3:1", "k.mat:1:7: expected an anchor inside the mask, found '3'"},
    {"3x3> : 1", "k.mat:1:4: expected ':', found '>'"},
    {"1x1: nan", "k.mat: all coefficients are outside ('-' or 'nan'): give a number for at least one"},
    {"2: -,nan,NaN,-", "k.mat: all coefficients are outside ('-' or 'nan'): give a number for at least one"},
    {"1x1: inf", "k.mat:1:6: expected a number, found 'inf'"},
    {"3x3: 1,2", "k.mat:1:9: expected a number, found the end"},
    {"1048576x1048576: 1,2", "k.mat:1:21: expected a number, found the end"},
    {"1x2:1,2,3", "k.mat:1:8: expected the end, found ','"},
    {"1x1:1;2x1:1,2", "k.mat:1:6: expected the end, found ';'"},
    {"1:2:3", "k.mat:1:4: expected the end, found ':'"},
    /* netpbm */
    {"1,2;3", "k.mat:1:6: expected a number, found the end"},
    {"1,2;3,4;", "k.mat:1:9: expected a number, found the end"},
    {"1;;2", "k.mat:1:3: expected a number, found ';'"},
    {"1;2,3", "k.mat:1:4: expected the end of the row, found ','"},
    {"=", "k.mat:1:2: expected a number, found the end"},
    /* libvips */
    {"1.5 2\n1", "k.mat:1:1: expected a width from 1 to 1048576, found '1.5'"},
    {"2 0\n1", "k.mat:1:3: expected a height from 1 to 1048576, found '0'"},
    {"2 2000000\n1", "k.mat:1:3: expected a height from 1 to 1048576, found '2000000'"},
    {"1 1 0 0\n1", "k.mat:1:5: expected a scale that can be divided by, found '0'"},
    {"1 1 1 y\n1", "k.mat:1:7: expected a number, found 'y'"},
    {"3 3\n1 2 3\n4 5 6\n", "k.mat:4:1: expected a number, found the end"},
    {"3 2\n1 2 3\n4 5\n", "k.mat:3:4: expected a number, found the end of the line"},
    {"3 1\n1 2 3 4\n", "k.mat:2:7: expected the end of the row, found '4'"},
    {"3 1\n1 2 3\n4 5 6\n", "k.mat:3:1: expected the end, found '4'"},
};

static void mistakes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        HaloMask mask;
        if (parse(bad[i][0], &mask) != HALO_ERR_USAGE) fail_msg("accepted: %s", bad[i][0]);
        assert_string_equal(halo_error(), bad[i][1]);
        assert_null(mask.tap);
    }
}

static void zero_bytes(void **state)
{
    HaloMask mask;
    (void)state;
    assert_int_equal(halo_mask_parse("k.mat", "1,\0002", 4, &mask), HALO_ERR_USAGE);
    assert_string_equal(halo_error(), "k.mat:1:3: expected a number, found byte 0x00");
}

/* ---- sizes ---------------------------------------------------------------------------------------------- */

static void too_long(void **state)
{
    const size_t lines = (size_t)HALO_MASK_MAX_SIDE + 1;
    char *text = malloc(2 * lines);
    HaloMask mask;
    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i < lines; i++) memcpy(text + 2 * i, "1\n", 2);
    assert_int_equal(halo_mask_parse("long.txt", text, 2 * lines, &mask), HALO_ERR_USAGE);
    assert_string_equal(halo_error(),
                        "long.txt: a mask of 1048577x1 is too large: no side may be longer than 1048576");
    assert_int_equal(halo_mask_parse("long.txt", text, 2 * (lines - 1), &mask), HALO_OK);
    assert_int_equal(mask.width, HALO_MASK_MAX_SIDE);
    halo_mask_free(&mask);
    free(text);
}

static void allocation(void **state)
{
    HaloMask mask;
    (void)state;
    assert_int_equal(halo_mask_alloc(&mask, 0, 1), HALO_ERR_USAGE);
    assert_int_equal(halo_mask_alloc(&mask, 1, -1), HALO_ERR_USAGE);
    assert_int_equal(halo_mask_alloc(&mask, INT64_MAX, 1), HALO_ERR_USAGE);
    assert_int_equal(halo_mask_alloc(&mask, 4, 3), HALO_OK);
    assert_int_equal(mask.anchor_x, 2);
    assert_int_equal(mask.anchor_y, 1);
    assert_true(mask.scale == 1.0 && mask.bias == 0.0 && mask.tap[11] == 0.0);
    halo_mask_free(&mask);
    halo_mask_free(&mask);
}

/* ---- random bytes --------------------------------------------------------------------------------------- */

static void random_text(Rng *rng)
{
    static const char letters[] = "0123456789 \n,;:#=+-.exXnaN\t\r\xff";
    char text[48];
    const size_t length = (size_t)rng_between(rng, 0, (int64_t)sizeof text);
    HaloMask mask;
    for (size_t i = 0; i < length; i++) text[i] = letters[rng_between(rng, 0, (int64_t)sizeof letters - 2)];
    const HaloStatus status = halo_mask_parse("r", text, length, &mask);
    const bool made = status == HALO_OK && mask.tap != NULL && mask.anchor_x < mask.width &&
                      mask.anchor_y < mask.height && mask.scale != 0.0;
    const bool refused = status == HALO_ERR_USAGE && mask.tap == NULL && strncmp(halo_error(), "r:", 2) == 0;
    if (!made && !refused) fail_case(NULL, "status %d: %s", (int)status, halo_error());
    halo_mask_free(&mask);
}

/* ---- names ---------------------------------------------------------------------------------------------- */

static void named(void **state)
{
    const HaloTables *tables = halo_tables();
    (void)state;
    assert_int_equal(tables->masks, MASK_COUNT);
    for (int i = 0; i < tables->masks; i++) {
        const HaloMaskRow *row = &tables->mask[i];
        const HaloMask view = masks_view((MaskId)i);
        assert_ptr_equal(view.tap, row->tap);
        double sum = 0.0;
        for (int t = 0; t < row->width * row->height; t++) sum += row->tap[t];
        /* Each either keeps the brightness or takes differences. */
        assert_true(sum == 0.0 || (sum > 1.0 - 1e-12 && sum < 1.0 + 1e-12));
    }
    assert_string_equal(tables->mask[MASK_sobel_y].name, "sobel_y");
}

/* In a file of samples, where text could not have said it. */
static void samples_that_are_no_taps(void **state)
{
    (void)state;
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    const int64_t size[] = {3, 3};
    HaloSession *session = array_session(NULL);
    char path[200], text[300];
    snprintf(path, sizeof path, "%s/taps.npy", test_folder());
    snprintf(text, sizeof text, "conv:mask=%s", path);
    for (int i = 0; i < 4; i++) {
        float taps[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        const HaloArray array = array_packed(HALO_TYPE_F32, "hw", size, taps);
        HaloFile file = HALO_FILE(path);
        HaloPipeline *pipeline = NULL;
        file.replace = true;
        if (i < 3) taps[4] = wrong[i];
        array_ok(halo_save(session, &array, &file), path);
        const HaloStatus status = halo_pipeline_parse(session, text, &pipeline);
        assert_int_equal(status, i < 3 ? HALO_ERR_USAGE : HALO_OK);
        if (i < 3) assert_non_null(strstr(halo_error(), "taps.npy: coefficient 5 is "));
        halo_pipeline_free(pipeline);
    }
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects),   cmocka_unit_test(mistakes),
        cmocka_unit_test(zero_bytes), cmocka_unit_test(too_long),
        cmocka_unit_test(allocation), random_test(random_text, 100000),
        cmocka_unit_test(named),      cmocka_unit_test(samples_that_are_no_taps),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
