/* What halo_compare refuses to measure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "halo/compare.h"
#include "random.h"
#include "shared_session.h"

static void pixels_of_a_degree(void **state)
{
    static const double wrong[] = {0.5, -1.0, 1001.0, INFINITY, NAN};
    char path[] = "/tmp/check_compare-XXXXXX";
    double flip[2];
    HaloComparison *found;
    int items;
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(write(file, "P5 3 2 255 \1\2\3\4\5\6", 17), 17);
    close(file);
    for (int i = 0; i < 2; i++) {
        const HaloCompareMore more = {.measures = HALO_COMPARE_FLIP, .ppd = i == 0 ? 0.0 : 67.0};
        assert_int_equal(halo_compare(test_session, path, path, NULL, &more, &found, &items), HALO_OK);
        flip[i] = found->flip;
        free(found);
    }
    assert_true(flip[0] == flip[1]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const HaloCompareMore more = {.measures = HALO_COMPARE_FLIP, .ppd = wrong[i]};
        const HaloStatus status = halo_compare(test_session, path, path, NULL, &more, &found, &items);
        assert_int_equal(status, HALO_ERR_USAGE);
        assert_non_null(strstr(halo_error(), "1 to 1000"));
    }
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pixels_of_a_degree)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_session_open, test_session_close);
}
