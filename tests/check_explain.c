/* `--explain` describes what the backend does: where it has no Fourier transforms, a mask that `fast` allows
 * them for is convolved exactly, with the usual arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle_backend.h"
#include "plan/cost.h"
#include "random.h"

static char mask[45 * 45 * 12 + 40]; /* of full rank */

static void make_mask(void)
{
    Rng rng = {5};
    size_t used = (size_t)snprintf(mask, sizeof mask, "conv:mask=\"45x45:");
    for (int i = 0; i < 45 * 45; i++)
        used += (size_t)snprintf(mask + used, sizeof mask - used, " %d", (int)rng_between(&rng, -999, 999));
    snprintf(mask + used, sizeof mask - used, "\"");
}

/* The explanation of a plan by a session with this backend alone. */
static char *explain(const HaloBackend *backend, HaloPrecision precision, const char *text, double *flops)
{
    const HaloBackend *const only[] = {backend};
    HaloTables tables = *halo_tables();
    const HaloShape shape = {.kind = HALO_IMAGE,
                             .dtype = HALO_U8,
                             .width = 90,
                             .height = 80,
                             .channels = 1,
                             .alpha = -1,
                             .white = 255};
    HaloSession *session;
    HaloPipeline *pipeline;
    HaloPlan *plan;
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    tables.backend = only;
    tables.backends = 1;
    assert_int_equal(halo_session_open_with(
                         &tables, &(HaloOptions){.device = HALO_DEVICE_CPU, .precision = precision}, &session),
                     HALO_OK);
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    halo_plan_print(session, plan, to);
    fclose(to);
    *flops = cost_step_flops(plan, &plan->step[0], backend);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    return said;
}

static void fast_is_what_the_backend_does(void **unused)
{
    (void)unused;
    const HaloBackend *cpu = halo_tables()->backend[0];
    double direct, other;
    make_mask();
    char *exact = explain(cpu, HALO_PRECISION_EXACT, mask, &direct);
    assert_null(strstr(exact, "Fourier"));
    assert_null(strstr(exact, "\nfast "));

    char *fast = explain(cpu, HALO_PRECISION_FAST, mask, &other);
#ifdef HALO_HAVE_KISSFFT
    assert_non_null(strstr(fast, ", by Fourier transforms "));
    assert_non_null(strstr(fast, "\nfast    step 1 may differ a little from exact"));
    assert_true(other < direct);
#else
    assert_null(strstr(fast, "Fourier"));
#endif

    char *oracle = explain(&oracle_backend, HALO_PRECISION_FAST, mask, &other);
    assert_null(strstr(oracle, "Fourier"));
    assert_non_null(strstr(oracle, "\nfast    changes nothing here: every step is exact\n"));
    assert_true(other == direct);
    free(exact);
    free(fast);
    free(oracle);
}

static bool with_rows_as_they_are(const HaloSep *sep, HaloSepFast *way)
{
    *way = *sep->fast;
    way->horizontal = (HaloSepSpline){.step = 0};
    return true;
}

/* Decimated filters: allowed for all steps where a backend does not object, for some, or for none. */
static void decimation_is_what_the_backend_does(void **unused)
{
    (void)unused;
    const char *text = "gauss:20";
    HaloBackend some = *halo_tables()->backend[0];
    double all, fewer, none, exact;
    assert_null(some.sep_fast);
    char *said = explain(&some, HALO_PRECISION_FAST, text, &all);
    assert_non_null(strstr(said, ", from splines "));
    assert_non_null(strstr(said, "\nfast    step 1 may differ a little from exact"));
    free(said);
    some.sep_fast = with_rows_as_they_are;
    said = explain(&some, HALO_PRECISION_FAST, text, &fewer);
    assert_non_null(strstr(said, ", from splines "));
    assert_non_null(strstr(said, "\nfast    step 1 may differ a little from exact"));
    free(said);
    said = explain(&oracle_backend, HALO_PRECISION_FAST, text, &none);
    assert_null(strstr(said, "splines"));
    assert_non_null(strstr(said, "\nfast    changes nothing here: every step is exact\n"));
    free(said);
    free(explain(&oracle_backend, HALO_PRECISION_EXACT, text, &exact));
    assert_true(all < fewer && fewer < none && none == exact);
}

static void low_rank_is_not_exact(void **unused)
{
    (void)unused;
    char text[31 * 31 * 4 + 60];
    double flops;
    size_t used = (size_t)snprintf(text, sizeof text, "gauss:1 | conv:mask=\"31x31:");
    for (int i = 0; i < 31 * 31; i++) used += (size_t)snprintf(text + used, sizeof text - used, " %d", i);
    snprintf(text + used, sizeof text - used, "\"");
    char *fast = explain(halo_tables()->backend[0], HALO_PRECISION_FAST, text, &flops);
    assert_non_null(strstr(fast, "\nfast    steps 2, 3 and 4 may differ a little from exact"));
    free(fast);
    fast = explain(halo_tables()->backend[0], HALO_PRECISION_FAST, "gauss:1", &flops);
    assert_non_null(strstr(fast, "\nfast    changes nothing here"));
    free(fast);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fast_is_what_the_backend_does),
                                       cmocka_unit_test(decimation_is_what_the_backend_does),
                                       cmocka_unit_test(low_rank_is_not_exact)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
