/* Tables of numbers in text: floats are written with the fewest digits that read back the same, and every form
 * of table is read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "csv/csv.h"
#include "meta/names.h"
#include "random.h"

static float drawn_float(Rng *rng)
{
    float value;
    const uint32_t bits = (uint32_t)rng_next(rng);
    memcpy(&value, &bits, sizeof value);
    switch (rng_between(rng, 0, 3)) {
    case 0: return value; /* any bits at all */
    case 1: return (float)rng_between(rng, -100000, 100000);
    case 2: return (float)((double)rng_between(rng, -1000000, 1000000) / 1000);
    default: return (float)((double)bits * ldexp(1, (int)rng_between(rng, -60, 60)));
    }
}

/* How strtof reads it, rounding once: the definition. */
static float read_plainly(const char *text) { return strtof(text, NULL); }

/* From 2^23 on, or to zero, and not to the float whose fewest digits these are. */
static bool is_rounded(const char *text)
{
    const double number = strtod(text, NULL);
    const float read = strtof(text, NULL);
    char fewest[40] = "";
    if ((double)read == number || (fabs(number) < 8388608 && read != 0) || isinf(read)) return false;
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(fewest, sizeof fewest, "%.*e", digits - 1, (double)read);
        if (strtof(fewest, NULL) == read) break;
    }
    return strtod(fewest, NULL) != number;
}

static void test_floats_come_back(Rng *rng)
{
    const float value = drawn_float(rng);
    char text[CSV_NUMBER_SIZE + 1], fewer[40];
    float read;
    const size_t length = csv_write_number(value, text);
    assert_in_range(length, 1, CSV_NUMBER_SIZE - 1);
    text[length] = 0;
    assert_int_equal(csv_read_number(text, length, &read), CSV_NUMBER);
    if (isnan(value)) {
        assert_true(isnan(read));
        return;
    }
    if (memcmp(&read, &value, sizeof read) != 0)
        fail_case(NULL, "%a became '%s', which is read as %a", value, text, read);
    if (read_plainly(text) != value) fail_case(NULL, "'%s' is not %a for strtod", text, value);
    int digits = 0;
    for (const char *c = text; *c != 0 && *c != 'e'; c++) digits += *c >= '1' && *c <= '9';
    const double size = fabs((double)value);
    if (!isfinite(value) || size == 0) return;
    int least = 1;
    for (; least < 9; least++) {
        snprintf(fewer, sizeof fewer, "%.*e", least - 1, value);
        if (read_plainly(fewer) == value) break;
    }
    if (digits > least) fail_case(NULL, "%a became '%s', but '%s' would do", value, text, fewer);
}

/* Decimals next to the midpoint of two floats, which f64 may round to the midpoint itself. */
static void near_the_middle_is_rounded_once(Rng *rng)
{
    const float below = fabsf(drawn_float(rng)), above = nextafterf(below, INFINITY);
    char text[64];
    float read;
    if (!isfinite(above)) return;
    const double middle = below + ((double)above - below) / 2;
    const int digits = (int)rng_between(rng, 8, 25);
    const int length = snprintf(text, sizeof text, "%.*e", digits, middle);
    char *last = strchr(text, 'e') - 1;
    if (rng_once_in(rng, 2) && *last < '9') ++*last;
    assert_int_equal(csv_read_number(text, (size_t)length, &read), is_rounded(text) ? CSV_ROUNDED : CSV_NUMBER);
    if (read != read_plainly(text))
        fail_case(NULL, "'%s' is read as %a, not %a", text, read, read_plainly(text));
}

static void number_is_read_as_by_strtof(Rng *rng)
{
    static const char letters[] = "0123456789012345678901234567890.+-eE nif";
    char text[48];
    int length = (int)rng_between(rng, 1, 40);
    for (int i = 0; i < length; i++) text[i] = letters[rng_between(rng, 0, rng_once_in(rng, 8) ? 39 : 30)];
    text[length] = 0;
    char *end;
    while (length > 0 && text[length - 1] == ' ') text[--length] = 0; /* trailing blanks do not count */
    const float expected = strtof(text, &end);
    float read = 0;
    const CsvNumber what = csv_read_number(text, (size_t)length, &read);
    if (what == CSV_ROUNDED && (*end != 0 || read != expected || !is_rounded(text)))
        fail_case(NULL, "'%s' is said to lose more than a fraction as %.9g", text, read);
    if (what == CSV_NUMBER && is_rounded(text)) fail_case(NULL, "'%s' loses more than a fraction", text);
    if (what != CSV_NUMBER && what != CSV_ROUNDED) {
        const bool number = *end == 0 && end != text;
        if (number && (isfinite(expected) || what != CSV_TOO_LARGE)) fail_case(NULL, "'%s' is a number", text);
    } else if (*end != 0 || (isfinite(expected) && read != expected)) {
        fail_case(NULL, "'%s' is read as %.9g, not %.9g", text, read, expected);
    }
}

static void test_what_is_rounded(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        CsvNumber what;
    } cases[] = {{"16777216", CSV_NUMBER},
                 {"16777217", CSV_ROUNDED},
                 {"-16777217", CSV_ROUNDED},
                 {"16777218", CSV_NUMBER},
                 {"1700000000", CSV_NUMBER},
                 {"1700000000.5", CSV_ROUNDED},
                 {"1700000000.25", CSV_ROUNDED},
                 {"0.1", CSV_NUMBER},
                 {"8388607.3", CSV_NUMBER},
                 {"8388608.3", CSV_ROUNDED},
                 {"3.999999999", CSV_NUMBER},
                 {"1e20", CSV_NUMBER},
                 {"1e-30", CSV_NUMBER},
                 {"1e-60", CSV_ROUNDED},
                 {"0e-60", CSV_NUMBER},
                 {"1e39", CSV_TOO_LARGE},
                 {"1234567890123", CSV_ROUNDED},
                 {"nan", CSV_NUMBER},
                 {"-inf", CSV_NUMBER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float read;
        if (csv_read_number(cases[i].text, strlen(cases[i].text), &read) != cases[i].what)
            fail_msg("%s", cases[i].text);
    }
}

static void test_numbers(void **unused)
{
    (void)unused;
    for_each_case(__func__, 200000, number_is_read_as_by_strtof);
    for_each_case(__func__, 100000, near_the_middle_is_rounded_once);
}

/* Opens a table and reads up to `most` samples; *frames is the number of lines read. Returns NULL or the
 * error. */
static const char *read_table(const char *text, const HaloReadOptions *options, float *sample, int most,
                              int64_t *frames, int *channels)
{
    extern const HaloFormat halo_format_csv;
    HaloSource *source = NULL;
    static char error[256];
    if (halo_source_from_memory(text, strlen(text), &source) != HALO_OK) abort();
    HaloReader reader = {.format = &halo_format_csv, .source = source, .options = *options};
    HaloStatus status = csv_open(&reader);
    *frames = 0;
    if (status == HALO_OK) {
        *channels = reader.info.shape.channels;
        HaloBuf rows = {.shape = reader.info.shape, .cols = most / *channels, .rows = 1, .data = sample};
        status = csv_read(&reader, &rows, frames);
    }
    snprintf(error, sizeof error, "%s", halo_error());
    csv_close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
    return status == HALO_OK ? NULL : error;
}

static void expect_table(const char *text, const char *columns, int expected_channels, const float *expected,
                         int64_t count)
{
    float sample[64];
    int64_t frames;
    int channels = 0;
    const char *error =
        read_table(text, &(HaloReadOptions){.columns = columns}, sample, 64, &frames, &channels);
    if (error != NULL) fail_case(NULL, "%s: %s", text, error);
    assert_int_equal(channels, expected_channels);
    assert_int_equal(frames * channels, count);
    for (int64_t i = 0; i < count; i++)
        if (sample[i] != expected[i] && !(isnan(sample[i]) && isnan(expected[i])))
            fail_case(NULL, "%s: sample %d is %g", text, (int)i, sample[i]);
}

static void expect_error(const char *text, const HaloReadOptions *options, const char *expected)
{
    float sample[64];
    int64_t frames;
    int channels;
    const char *error = read_table(text, options, sample, 64, &frames, &channels);
    if (error == NULL || strstr(error, expected) == NULL)
        fail_case(NULL, "%s: '%s' is not '%s'", text, error != NULL ? error : "read", expected);
}

static void test_tables(void **unused)
{
    (void)unused;
    const float two[] = {1, 2, 3, 4}, gap[] = {1, NAN, 3, NAN};
    expect_table("1,2\n3,4\n", NULL, 2, two, 4);
    expect_table("1,2\n3,4", NULL, 2, two, 4);
    expect_table("a,b\r\n1,2\r\n3,4\r\n", NULL, 2, two, 4);
    expect_table("\xef\xbb\xbf"
                 "a,b\n1,2\n3,4\n",
                 NULL, 2, two, 4);
    expect_table("\xef\xbb\xbf"
                 "1,2\n3,4\n",
                 NULL, 2, two, 4);
    expect_table("a;b\n 1 ; 2\n3;4\n", NULL, 2, two, 4);
    expect_table("a, b\tc\n1\t2\n3\t4\n", NULL, 2, two, 4);
    expect_table("  1   2  \n\n3\t 4\n", NULL, 2, two, 2 + 2);
    expect_table("# 9 9\n\"1\",\"2\"\n# more\n3,4\n", NULL, 2, two, 4);
    expect_table("a,b\n1,\n3\n", NULL, 2, gap, 4);
    expect_table("x,y,z\n9,1,2\n9,3,4\n", "2,3", 2, two, 4);
    expect_table("1\n2\n3\n4\n", NULL, 1, two, 4);
    const HaloReadOptions plain = {0};
    expect_table("\xef\xbb\xbf\n1,2\n3,4\n", NULL, 2, two, 4);
    expect_table("\xef\xbb\xbf# 9\r\n1,2\r\n3,4", NULL, 2, two, 4);
    expect_table("1,2\r3,4\r", NULL, 2, two, 4);
    expect_table("a,b\r\r\n1,2\n\r3,4\r\n", NULL, 2, two, 4);
    expect_table("x\ty\n1\t\n3\t\n", NULL, 2, gap, 4);
    expect_table("x\ty\n1\t2\n\t\n", NULL, 2, (const float[]){1, 2, NAN, NAN}, 4);
    expect_table("1\n\"\"\n3\n\" \"\n", NULL, 1, gap, 4);
    expect_table("\"1\" , \"2\"\n\" 3\",4 \n", NULL, 2, two, 4);
    expect_error("1e39,2\n3,4\n", &plain, "line 1, column 1: '1e39' is too large for a 32-bit float");
    expect_error("\"a\nb\",c\n\"d\n\",4\n", &plain, "line 3, column 1: 'd\n' is not a number");
    expect_error("a,b\n1,\"2\n3,4\n", &plain, "line 2, column 2: a quotation mark is not closed");
    expect_error("", &plain, "the table has no rows");
    expect_error("1,2\n3,x\n", &plain, "line 2, column 2: 'x' is not a number");
    expect_error("a,b\n\n1,1e99\n", &plain, "line 3, column 2: '1e99' is too large");
    expect_error("1,2\n3,4,5\n", &plain, "line 2 has more cells than the 2 before");
    expect_error("1,2\n", &(HaloReadOptions){.columns = "3"}, "there is no column 3: the table has 2");
    expect_error("1,2\n", &(HaloReadOptions){.columns = "2-1"}, "'2-1' is no range");
    expect_error("1,2\n", &(HaloReadOptions){.columns = "x"},
                 "there is no column 'x': the columns have no names");
    expect_error("a,b\n1,2\n", &(HaloReadOptions){.columns = "x"},
                 "there is no column 'x': the table has a, b");
}

/* The names of the columns, as the first row of a table that is made of this one, and what follows it is 1, 2.
 */
static void expect_names(const char *text, const char *expected)
{
    extern const HaloFormat halo_format_csv;
    HaloSource *source = NULL;
    if (halo_source_from_memory(text, strlen(text), &source) != HALO_OK) abort();
    HaloReader reader = {.format = &halo_format_csv, .source = source};
    if (csv_open(&reader) != HALO_OK) fail_case(NULL, "%s: %s", text, halo_error());
    const char *names = NULL;
    for (size_t i = 0; i < reader.info.meta.texts; i++)
        if (strcmp(reader.info.meta.text[i].key, HALO_NAMES_KEY) == 0) names = reader.info.meta.text[i].value;
    if (names == NULL || strcmp(names, expected) != 0)
        fail_case(NULL, "%s: the names are %s, not %s", text, names != NULL ? names : "none", expected);
    csv_close(&reader);
    halo_meta_free(&reader.info.meta);
    halo_source_close(source);
    expect_table(text, NULL, 2, (const float[]){1, 2}, 2);
}

/* As Python's csv module reads them. */
static void test_quotes(void **unused)
{
    (void)unused;
    expect_names("x\"y,z\n1,2\n", "\"x\"\"y\",z");
    expect_names("size 5\",z\n1,2\n", "\"size 5\"\"\",z");
    expect_names("=LINK(\"http://x\"),b\n1,2\n", "\"=LINK(\"\"http://x\"\")\",b");
    expect_names("\"two\nlines\",b\n1,2\n", "\"two\nlines\",b");
    expect_names("\"a, b\",\"c\"d\"e\"\n1,2\n", "\"a, b\",\"cd\"\"e\"\"\"");
    expect_names("\"\"\"a\"\"\";b\"\n1;2\n", "\"\"\"a\"\"\",\"b\"\"\"");
    expect_names("\"a;b\",c\n1,2\n", "a;b,c");
    expect_names("a,\"  \"\n1,2\n", "a,\"  \"");
    expect_names("\"x y\" z\n1 2\n", "x y,z");
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {
        random_test(test_floats_come_back, 200000),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_what_is_rounded),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
