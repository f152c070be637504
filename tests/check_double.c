/* Sound of f64: every operation gives, everywhere, what the oracle gives. And percentiles of it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "halo/words.h"
#include "pipelines.h"

static HaloShape draw_shape(Rng *rng)
{
    const int64_t width = rng_once_in(rng, 8) ? rng_between(rng, 2000, 9000) : rng_between(rng, 1, 90);
    return (HaloShape){.kind = HALO_AUDIO,
                       .dtype = HALO_F64,
                       .width = width,
                       .height = 1,
                       .channels = (int)rng_between(rng, 1, 3),
                       .alpha = -1,
                       .white = 1.0f,
                       .rate = 8000};
}

static double draw_sample(Rng *rng, int content)
{
    static const double special[] = {0.0, -0.0, 1e300, -1e-300, 5e-324};
    if (content == 1) return (double)rng_between(rng, -2, 2);
    if (content == 2 && rng_once_in(rng, 12)) return special[rng_between(rng, 0, 4)];
    if (content == 2 && rng_once_in(rng, 30)) return rng_once_in(rng, 2) ? (double)NAN : (double)INFINITY;
    return (content == 3 ? 1e9 : 0.0) + 2.0 * rng_unit(rng) - 1.0;
}

static HaloBuf draw_input(Rng *rng)
{
    const HaloShape shape = draw_shape(rng);
    const int content = (int)rng_between(rng, 0, 3);
    HaloBuf in;
    if (halo_buf_alloc(&in, &shape) != HALO_OK) fail_case(NULL, "%s", halo_error());
    for (int64_t i = 0; i < shape.width * shape.channels; i++)
        ((double *)in.data)[i] = draw_sample(rng, content);
    return in;
}

/* Operations of sound, one to three after one another. */
static void operations_are_as_defined(Rng *rng)
{
    const HaloTables *tables = halo_tables();
    char text[400] = "";
    HaloBuf in = draw_input(rng);
    for (int64_t left = rng_between(rng, 1, 3); left > 0;) {
        const HaloOp *op = tables->op[rng_between(rng, 0, tables->ops - 1)];
        char one[240];
        if ((op->kinds & HALO_AUDIO) == 0 || op->selects) continue;
        draw_pipeline(rng, op, HALO_AUDIO, one, sizeof one);
        if (strlen(text) + strlen(one) + 2 > sizeof text) break;
        if (text[0] != 0) strcat(text, "|");
        strcat(text, one);
        left--;
    }
    Outcome outcome = expect_everywhere_alike(text, &in, NULL);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* Each of them at least with its example. */
static void examples_are_as_defined(void **state)
{
    const HaloTables *tables = halo_tables();
    Rng rng = {5};
    (void)state;
    HaloBuf in = draw_input(&rng);
    for (int i = 0; i < tables->ops; i++) {
        char text[240];
        if ((tables->op[i]->kinds & HALO_AUDIO) == 0) continue;
        example_pipeline(tables->op[i], HALO_AUDIO, text, sizeof text);
        Outcome outcome = expect_everywhere_alike(text, &in, NULL);
        if (outcome.status == HALO_OK && outcome.out.data != NULL && outcome.out.shape.kind == HALO_AUDIO &&
            halo_find_word("level mel mfcc depth", ' ', tables->op[i]->name) < 0)
            assert_int_equal(outcome.out.shape.dtype, HALO_F64);
        outcome_free(&outcome);
    }
    halo_buf_free(&in);
}

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static void percentiles_are_of_the_samples(Rng *rng)
{
    HaloBuf in = draw_input(rng);
    in.shape.channels = 1;
    double *const sample = in.data;
    for (int64_t i = 0; i < in.cols; i++) sample[i] = 1e9 + rng_unit(rng);
    HaloResults results = pipeline_results("stats:full", &in);
    const HaloStats *stats = &results.item[0].channel[0];
    qsort(sample, (size_t)in.cols, sizeof *sample, by_value);
    for (int i = 0; i < results.item[0].detail.percents; i++) {
        const double at = results.item[0].detail.percent[i] / 100.0 * (double)(in.cols - 1);
        const double low = sample[(int64_t)at], high = sample[(int64_t)ceil(at)];
        assert_true(stats->percentile[i] >= low && stats->percentile[i] <= high);
    }
    assert_true(stats->min == sample[0] && stats->max == sample[in.cols - 1]);
    halo_results_free(&results);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(operations_are_as_defined, 600),
        cmocka_unit_test(examples_are_as_defined),
        random_test(percentiles_are_of_the_samples, 30),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
