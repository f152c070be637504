/* Where paths lead: the same file by other names, and files that are not there yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "halo/place.h"

static bool same(const char *a, const char *b)
{
    HaloPlace x, y;
    bool is_x, is_y;
    assert_int_equal(halo_place_of(a, &x, &is_x), HALO_OK);
    assert_int_equal(halo_place_of(b, &y, &is_y), HALO_OK);
    assert_true(is_x && is_y);
    const bool answer = halo_place_compare(&x, &y) == 0;
    assert_int_equal(halo_place_compare(&y, &x) == 0, answer);
    free(x.rest);
    free(y.rest);
    return answer;
}

static bool has_place(const char *path)
{
    HaloPlace place;
    bool is;
    assert_int_equal(halo_place_of(path, &place, &is), HALO_OK);
    free(place.rest);
    return is;
}

static void files_that_are_there(void **unused)
{
    (void)unused;
    const char *one = test_path("one"), *two = test_path("two"), *soft = test_path("soft"),
               *hard = test_path("hard");
    bytes_to_file(one, "x", 1);
    bytes_to_file(two, "x", 1);
    assert_int_equal(symlink("one", soft), 0);
    assert_int_equal(link(one, hard), 0);
    assert_true(same(one, one) && same(one, soft) && same(soft, hard) && same(one, test_path("./one")));
    assert_false(same(one, two));
    assert_false(same(one, test_path("three")));
    unlink(hard);
    unlink(soft);
    unlink(two);
    unlink(one);
}

static void files_that_are_not(void **unused)
{
    (void)unused;
    static const char *const alike[][2] = {{"x", "./x"},        {"x", ".//x"},        {"d/x", "l/x"},
                                           {"x", "d/../x"},     {"n/x", "n/./x"},     {"n/x", "n//m/../x"},
                                           {"d/n/x", "l/n//x"}, {"x", "n/m/../../x"}, {"d/new", "dangling"}};
    static const char *const unlike[][2] = {
        {"x", "y"}, {"x", "d/x"}, {"n/x", "m/x"}, {"x", "x/x"}, {"n/x", "nx"}};
    assert_int_equal(mkdir(test_path("d"), 0700), 0);
    assert_int_equal(symlink("d", test_path("l")), 0);
    assert_int_equal(symlink("l/new", test_path("dangling")), 0);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        if (!same(test_path(alike[i][0]), test_path(alike[i][1]))) fail_msg("%s, %s", alike[i][0], alike[i][1]);
    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++)
        if (same(test_path(unlike[i][0]), test_path(unlike[i][1])))
            fail_msg("%s, %s", unlike[i][0], unlike[i][1]);
    assert_true(same("new-here", "./new-here") && same("/new-there", "//new-there"));
    unlink(test_path("dangling"));
    unlink(test_path("l"));
    rmdir(test_path("d"));
}

static void what_is_no_file(void **unused)
{
    (void)unused;
    const char *pipe = test_path("pipe"), *round = test_path("round");
    HaloPlace place;
    bool is;
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink("round", round), 0);
    assert_false(has_place(pipe) || has_place("/dev/null") || has_place(test_folder()) || has_place(round));
    assert_false(has_place("/dev/null/x"));
    assert_false(halo_place_of_open(-1, &place));
    assert_int_equal(halo_place_of("", &place, &is), HALO_OK);
    free(place.rest);
    unlink(round);
    unlink(pipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_there),
        cmocka_unit_test(files_that_are_not),
        cmocka_unit_test(what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
