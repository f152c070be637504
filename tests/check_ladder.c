/* The teaching kernels: every one of every family against the CPU at awkward sizes, on every GPU. Those that
 * show a mistake on purpose must still be wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/extend.h"
#include "halo/ladder.h"

static const char *const families[] = {"reduce/ha", "reduce/warp", "reduce/tree", "reduce/steps",
                                       "conv1d",    "conv2d",      "scan",        "histogram"};
enum { FAMILIES = sizeof families / sizeof families[0] };

typedef struct Seen {
    int rungs[FAMILIES];
    int products; /* rows of the product itself */
    int mistakes; /* shown on purpose */
    int predictions;
    int bad;
} Seen;

static void complain(Seen *seen, const HaloRung *rung, const char *what)
{
    print_error("%s, %s: %s (%d of %d sizes wrong)\n", rung->family, rung->name, what, rung->wrong,
                rung->checked);
    seen->bad++;
}

static void see(const HaloRung *rung, void *context)
{
    Seen *seen = context;
    int family = 0;
    while (family < FAMILIES && strcmp(families[family], rung->family) != 0) family++;
    if (family == FAMILIES) {
        complain(seen, rung, "an unknown family");
        return;
    }
    seen->rungs[family]++;
    seen->products += strncmp(rung->name, "halo ", 5) == 0;
    if (rung->checked == 0) {
        seen->predictions++;
        if (rung->predicted < 1) complain(seen, rung, "neither checked nor a prediction");
    } else if (strstr(rung->name, "as published") != NULL) {
        seen->mistakes++;
        if (rung->wrong == 0) complain(seen, rung, "the published mistake does no harm");
    } else if (rung->wrong != 0) {
        complain(seen, rung, "wrong");
    }
}

static void check_all(HaloDevice *device)
{
    Seen seen = {0};
    if (halo_ladder(device, NULL, see, &seen) != HALO_OK) fail_msg("%s", halo_error());
    assert_int_equal(seen.bad, 0);
    for (int i = 0; i < FAMILIES; i++) assert_true(seen.rungs[i] >= 5);
    assert_int_equal(seen.products, FAMILIES);
    assert_int_equal(seen.mistakes, 1);
    assert_int_equal(seen.predictions, 18);
}

/* One family, the families of a group, and none. */
static void check_names(HaloDevice *device)
{
    Seen one = {0}, group = {0}, none = {0};
    assert_int_equal(halo_ladder(device, "conv1d", see, &one), HALO_OK);
    assert_true(one.rungs[4] > 0 && one.rungs[5] == 0);
    assert_int_equal(halo_ladder(device, "reduce", see, &group), HALO_OK);
    for (int i = 0; i < FAMILIES; i++) assert_int_equal(group.rungs[i] > 0, i < 4);
    assert_int_equal(halo_ladder(device, "red", see, &none), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "'red'"));
}

static void every_kernel_is_right(void **state)
{
    (void)state;
    const HaloTables *tables = halo_tables();
    int devices = 0;
    assert_int_equal(setenv("HALO_LADDER", "check", 1), 0); /* the sizes that matter, and no clock */
    for (int b = 0; b < tables->backends; b++) {
        const HaloBackend *backend = tables->backend[b];
        if (strcmp(backend->name, "cuda") != 0) continue;
        const int count = backend->count();
        for (int i = 0; i < count; i++) {
            HaloDevice *device = NULL;
            if (backend->open(i, 0, &device) != HALO_OK) continue;
            devices++;
            check_all(device);
            check_names(device);
            backend->close(device);
        }
    }
    if (devices == 0) {
        print_message("no GPU: the ladder is not checked\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
