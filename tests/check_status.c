/* Messages: their subject is named once, by the code closest to the fault. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/fail.h"

static void test_the_closest_name_is_used(void **unused)
{
    (void)unused;
    assert_int_equal(halo_fail(HALO_ERR_INPUT, "truncated: %d of %d rows", 3, 4), HALO_ERR_INPUT);
    assert_int_equal(halo_fail_about(HALO_ERR_INPUT, "a.png"), HALO_ERR_INPUT);
    assert_string_equal(halo_error(), "a.png: truncated: 3 of 4 rows");
    halo_fail_about(HALO_ERR_INPUT, "list.txt");
    assert_string_equal(halo_error(), "a.png: truncated: 3 of 4 rows");
    assert_int_equal(halo_fail_on(HALO_ERR_USAGE, "out", " is a folder"), HALO_ERR_USAGE);
    halo_fail_about(HALO_ERR_USAGE, "a.png");
    assert_string_equal(halo_error(), "out is a folder");
}

/* A message may begin with the letters of the name without being about it. */
static void test_prefixes_are_not_names(void **unused)
{
    (void)unused;
    halo_fail(HALO_ERR_INPUT, "no known format");
    halo_fail_about(HALO_ERR_INPUT, "no");
    assert_string_equal(halo_error(), "no: no known format");
    halo_fail(HALO_ERR_INPUT, "no known format"); /* a new failure has no subject yet */
    halo_fail_about(HALO_ERR_INPUT, "b");
    assert_string_equal(halo_error(), "b: no known format");
}

static void test_places_stand_within(void **unused)
{
    (void)unused;
    halo_fail(HALO_ERR_INPUT, "truncated");
    halo_fail_at(HALO_ERR_INPUT, "image %d", 2);
    halo_fail_about(HALO_ERR_INPUT, "a.tif");
    assert_string_equal(halo_error(), "a.tif: image 2: truncated");
    halo_fail_at(HALO_ERR_INPUT, "merge");
    halo_fail_about(HALO_ERR_INPUT, "b.tif");
    assert_string_equal(halo_error(), "merge: a.tif: image 2: truncated");
}

static void test_long_names(void **unused)
{
    (void)unused;
    char name[4096];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    halo_fail_on(HALO_ERR_INPUT, name, ": %s", "No such file or directory");
    assert_non_null(strstr(halo_error(), "nnn: No such file or directory"));
    halo_fail(HALO_ERR_INPUT, "%s", name);
    halo_fail_about(HALO_ERR_INPUT, name);
    assert_true(strlen(halo_error()) < 1024);
    halo_fail_on(HALO_ERR_INPUT, halo_error(), "!"); /* which points into the message itself */
    assert_true(halo_error()[0] == 'n' && halo_error()[strlen(halo_error()) - 1] == '!');
}

static void *fail_there(void *context)
{
    halo_failure_keep(context, halo_fail_on(HALO_ERR_OUTPUT, "b.png", ": no space"));
    return NULL;
}

static void test_other_threads(void **unused)
{
    (void)unused;
    HaloFailure failure = {0};
    pthread_t thread;
    halo_fail(HALO_ERR_INPUT, "here");
    assert_int_equal(halo_failure_again(&failure), HALO_OK);
    assert_string_equal(halo_error(), "here");
    assert_int_equal(pthread_create(&thread, NULL, fail_there, &failure), 0);
    pthread_join(thread, NULL);
    assert_string_equal(halo_error(), "here");
    assert_int_equal(halo_failure_again(&failure), HALO_ERR_OUTPUT);
    halo_fail_about(HALO_ERR_OUTPUT, "a.png");
    assert_string_equal(halo_error(), "b.png: no space");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_closest_name_is_used),
        cmocka_unit_test(test_prefixes_are_not_names),
        cmocka_unit_test(test_places_stand_within),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
