/* Parsing of text: numbers, UTF-8, lists of words and the parts of paths. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/escape.h"
#include "halo/op.h"
#include "halo/tables.h"
#include "halo/text.h"
#include "halo/utf8.h"
#include "halo/words.h"
#include "random.h"

/* ---- numbers -------------------------------------------------------------------------------------------- */

static void test_integers(void **unused)
{
    (void)unused;
    const char *end;
    uint64_t big = 7;
    int64_t number = 7;
    assert_true(halo_read_uint("18446744073709551615", UINT64_MAX, &big, NULL));
    assert_true(big == UINT64_MAX);
    static const char *const none[] = {
        "", "+1", "-1", " 1", "18446744073709551616", "x", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (halo_read_uint(none[i], UINT64_MAX, &big, &end)) fail_msg("'%s' is read", none[i]);
    assert_true(big == UINT64_MAX); /* as it was */
    assert_true(halo_read_count("00012x3", 12, &number, &end) && number == 12 && strcmp(end, "x3") == 0);
    assert_false(halo_read_count("12x3", 12, &number, NULL));
    assert_false(halo_read_count("13", 12, &number, &end));
    assert_true(halo_read_int("-9223372036854775808", INT64_MIN, INT64_MAX, &number, NULL) &&
                number == INT64_MIN);
    assert_true(halo_read_int("9223372036854775807", INT64_MIN, INT64_MAX, &number, NULL) &&
                number == INT64_MAX);
    assert_true(halo_read_int("+1+2", -3, 3, &number, &end) && number == 1 && strcmp(end, "+2") == 0);
    static const char *const out[] = {"9223372036854775808", "-9223372036854775809", "-", "+", "--1", "+-1"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        if (halo_read_int(out[i], INT64_MIN, INT64_MAX, &number, &end)) fail_msg("'%s' is read", out[i]);
    assert_false(halo_read_int("4", -3, 3, &number, NULL));
    assert_false(halo_read_int("-4", -3, 3, &number, NULL));
    assert_true(halo_read_hex("00fFE9", 6, &big) && big == 0xffe9);
    assert_false(halo_read_hex("00g0", 4, &big));
    assert_false(halo_read_hex("00", 4, &big));
}

static void test_plain_numbers(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *rest;
        double value;
    } good[] = {{"0", "", 0},         {"-1.5e3k", "k", -1500}, {"+.5", "", 0.5},      {"5.", "", 5},
                {"1e", "e", 1},       {"1e+", "e+", 1},        {"1E-2", "", 0.01},    {"1,5", ",5", 1},
                {"1.2.3", ".3", 1.2}, {"1e999", "", INFINITY}, {"4e-324", "", 4e-324}};
    static const char *const bad[] = {"",    ".",    "-",  "+.",   ".e5",   "nan",
                                      "inf", "-inf", " 1", "0x10", "0X1p3", "e5"};
    const char *end;
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!halo_read_number(good[i].text, &value, &end)) fail_msg("'%s' is not read", good[i].text);
        if (value != good[i].value || strcmp(end, good[i].rest) != 0)
            fail_msg("'%s' is %g", good[i].text, value);
        assert_true(halo_read_number(good[i].text, &value, NULL) == (*good[i].rest == 0));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (halo_read_number(bad[i], &value, &end)) fail_msg("'%s' is read as %g", bad[i], value);
}

/* What is printed with 17 digits is read as the same double, whichever it is. */
static void test_numbers_come_back(Rng *rng)
{
    const uint64_t bits = rng_next(rng);
    char text[64];
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) return;
    halo_snprintf(text, sizeof text, "%.17g", value);
    if (!halo_read_number(text, &back, NULL) || memcmp(&back, &value, sizeof value) != 0)
        fail_case(NULL, "%s", text);
}

/* ---- UTF-8 ---------------------------------------------------------------------------------------------- */

static void test_every_character(void **unused)
{
    (void)unused;
    for (uint32_t code = 1; code < 0x110000; code++) {
        char text[5] = {0};
        uint32_t back = 0;
        const int bytes = (int)(halo_utf8_put(text, code) - text);
        const bool surrogate = code >= 0xd800 && code < 0xe000;
        if (bytes != (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4))
            fail_msg("U+%04X", (unsigned)code);
        const int got = halo_utf8_get(text, (size_t)bytes, &back);
        if (surrogate ? got != 0 : got != bytes || back != code) fail_msg("U+%04X", (unsigned)code);
        if (bytes > 1 && halo_utf8_get(text, (size_t)bytes - 1, &back) != 0)
            fail_msg("half of U+%04X", (unsigned)code);
        if (!surrogate && halo_utf8_count(text) != 1) fail_msg("U+%04X is one character", (unsigned)code);
    }
}

/* All there are of two bytes, and the corners of RFC 3629. */
static void test_invalid_utf8(void **unused)
{
    (void)unused;
    uint32_t code;
    for (int first = 0x80; first < 0x100; first++)
        for (int second = 0; second < 0x100; second++) {
            const char text[2] = {(char)first, (char)second};
            const bool good = first >= 0xc2 && first < 0xe0 && second >= 0x80 && second < 0xc0;
            if ((halo_utf8_get(text, 2, &code) == 2) != good) fail_msg("%02x %02x", first, second);
        }
    static const char *const bad[] = {
        "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xed\xa0\x80", "\xff",
        "\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (halo_utf8_get(bad[i], strlen(bad[i]), &code) != 0) fail_msg("the %zuth is taken", i);
    assert_int_equal(halo_utf8_get("", 0, &code), 0);
    assert_true(halo_utf8_valid("na\xc3\xafve", 6));
    assert_false(halo_utf8_valid("na\xc3", 3));
    assert_int_equal(halo_utf8_count("\xe2\x80\xa6 na\xc3\xafve"), 7);
}

static void test_cuts_between_characters(void **unused)
{
    (void)unused;
    static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1, 2, 3, 4 and 1 bytes */
    static const size_t fits[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11, 11};
    for (size_t most = 0; most < sizeof fits / sizeof *fits; most++)
        assert_int_equal(halo_utf8_fit(text, most), fits[most]);
    assert_int_equal(halo_utf8_fit("\x80\x80\x80\x80\x80", 4), 4); /* is no text: it still goes on */
    assert_int_equal(halo_utf8_fit("\x80\x80", 1), 1);
}

static void expect_escaped(const char *text, size_t size, const char *keep, const char *expected)
{
    char buffer[200];
    const size_t length = halo_escape(text, size, keep, buffer);
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(buffer, expected, length);
    assert_int_equal(halo_escape(text, size, keep, NULL), length);
}

static void test_escapes(void **unused)
{
    (void)unused;
    expect_escaped("", 0, "", "");
    expect_escaped("caf\xc3\xa9 $'x' \\ \"", 14, "", "caf\xc3\xa9 $'x' \\ \"");
    expect_escaped("a\0b\033[1m\x7f\a\b\t\n\v\f\r", 15, "",
                   "a$'\\000'b$'\\033'[1m$'\\177\\a\\b\\t\\n\\v\\f\\r'");
    expect_escaped("1\n2\t3\r", 6, "\n\t", "1\n2\t3$'\\r'");
    expect_escaped("\xc2\x9b"
                   "1\xff\xc3",
                   5, "", "$'\\302\\233'1$'\\377\\303'");
    expect_escaped("\xe2\x80\xaex\xe2\x81\xa6\xef\xbf\xbf", 10, "",
                   "$'\\342\\200\\256'x$'\\342\\201\\246\\357\\277\\277'");
    expect_escaped("\xe2\x80\xa6\xef\xbf\xbd", 6, "", "\xe2\x80\xa6\xef\xbf\xbd");
}

/* ---- words and paths ------------------------------------------------------------------------------------ */

static void test_lists(void **unused)
{
    (void)unused;
    char text[HALO_WORD_SIZE];
    assert_string_equal(halo_word("auto|cpu|gpu", '|', 0, text), "auto");
    assert_string_equal(halo_word("auto|cpu|gpu", '|', 2, text), "gpu");
    assert_null(halo_word("auto|cpu|gpu", '|', 3, text));
    assert_string_equal(halo_word("a,", ',', 1, text), "");
    assert_null(halo_word("", ',', 0, text));
    assert_null(halo_word(NULL, ',', 0, text));
    assert_int_equal(halo_find_word("jpg,jpeg,jpe", ',', "jpe"), 2);
    assert_int_equal(halo_find_word("jpg,jpeg,jpe", ',', "jp"), -1);
    assert_int_equal(halo_find_word(NULL, ' ', "x"), -1);
}

static void test_choices(void **unused)
{
    (void)unused;
    int choice = -1;
    assert_int_equal(halo_read_choice("gpu", "auto|cpu|gpu", &choice), HALO_OK);
    assert_int_equal(choice, 2);
    assert_int_equal(halo_read_choice("gpx", "auto|cpu|gpu", &choice), HALO_ERR_USAGE);
    assert_string_equal(halo_error(), "'gpx' is not one of auto, cpu, gpu; did you mean 'gpu'?");
    assert_int_equal(halo_read_choice("abacus", "auto|cpu|gpu", &choice), HALO_ERR_USAGE);
    assert_string_equal(halo_error(), "'abacus' is not one of auto, cpu, gpu");
    assert_int_equal(choice, 2);
}

static void test_paths(void **unused)
{
    (void)unused;
    static const char *const path[][3] = {{"a/b.c/d.PNG", "d.PNG", "PNG"},
                                          {"d", "d", ""},
                                          {"a.b/d", "d", ""},
                                          {".png", ".png", ""},
                                          {"a/.x.y", ".x.y", "y"},
                                          {"a/", "", ""},
                                          {"x.tar.gz", "x.tar.gz", "gz"},
                                          {"x.", "x.", ""}};
    char text[HALO_WORD_SIZE];
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        assert_string_equal(halo_base_name(path[i][0]), path[i][1]);
        assert_string_equal(halo_extension(path[i][0]), path[i][2]);
    }
    assert_string_equal(halo_lower_extension("A.JpEg", text), "jpeg");
}

/* A synonym that is also the name of another operation would never be found. */
static void test_names_and_synonyms(void **unused)
{
    (void)unused;
    const HaloTables *const tables = halo_tables();
    char word[HALO_WORD_SIZE];
    int synonyms = 0;
    for (int i = 0; i < tables->ops; i++) {
        const HaloOp *const op = tables->op[i];
        assert_ptr_equal(halo_find_op(op->name), op);
        for (int k = 0; halo_word(op->synonyms, ' ', k, word) != NULL; k++, synonyms++)
            assert_ptr_equal(halo_find_op(word), op);
    }
    assert_true(synonyms > 20);
    assert_null(halo_find_op(""));
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_plain_numbers),
        random_test(test_numbers_come_back, 10000),
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_invalid_utf8),
        cmocka_unit_test(test_cuts_between_characters),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_names_and_synonyms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
