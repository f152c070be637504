/* threshold:otsu with several classes, against every partition of the levels; and threshold:yen where its sums
 * are of very different size. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "draw.h"
#include "level_methods.h"
#include "oracle.h"
#include "pipelines.h"

enum { LEVELS = 9, MOST_CLASSES = 5 };

/* The samples of a picture by the level that they have: value, and how many. */
typedef struct Levels {
    int n;
    double value[LEVELS], count[LEVELS];
} Levels;

/* The sum of the squared distances of levels [from, upto) from their mean: what partitions make least. */
static long double spread(const Levels *levels, int from, int upto)
{
    long double n = 0, sum = 0, far = 0;
    for (int i = from; i < upto; i++) {
        n += (long double)levels->count[i];
        sum += (long double)(levels->count[i] * levels->value[i]);
    }
    for (int i = from; i < upto; i++) {
        const long double d = (long double)levels->value[i] - sum / n;
        far += (long double)levels->count[i] * d * d;
    }
    return far;
}

static long double least_spread(const Levels *levels, int from, int classes)
{
    long double least = INFINITY;
    if (classes == 1) return spread(levels, from, levels->n);
    for (int end = from + 1; end <= levels->n - classes + 1; end++) {
        const long double all = spread(levels, from, end) + least_spread(levels, end, classes - 1);
        if (all < least) least = all;
    }
    return least;
}

static void classes_are_the_best(Rng *rng)
{
    const HaloDtype dtype = rng_once_in(rng, 2) ? HALO_U8 : HALO_U16;
    const HaloShape shape = test_shape(dtype, rng_between(rng, 20, 60), rng_between(rng, 2, 20), 1);
    const int classes = (int)rng_between(rng, 3, MOST_CLASSES);
    HaloBuf in;
    Levels levels = {0};
    char text[64];
    assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
    double value = (double)rng_between(rng, 0, 20), shade[LEVELS] = {0};
    for (int i = 0; i < LEVELS; i++, value += (double)rng_between(rng, 1, 25)) levels.value[i] = value;
    levels.n = LEVELS;
    for (int64_t i = 0; i < shape.width * shape.height; i++) {
        const int level = i < LEVELS ? (int)i : (int)rng_between(rng, 0, LEVELS - 1);
        levels.count[level]++;
        oracle_put(&in, i % shape.width, i / shape.width, 0, (float)levels.value[level], (HaloStore){1, 1});
    }
    snprintf(text, sizeof text, "threshold:otsu,classes=%d | depth:f32", classes);
    Outcome outcome = run_ok(text, &in);
    for (int i = 0; i < LEVELS; i++)
        shade[i] = (double)oracle_get(&outcome.out, i % shape.width, i / shape.width, 0);
    long double found = 0;
    int begin = 0, class = 0;
    for (int i = 1; i <= LEVELS; i++) {
        if (i < LEVELS && shade[i] == shade[begin]) continue;
        found += spread(&levels, begin, i);
        if (fabs(shade[begin] - (double)shape.white * class / (classes - 1)) > 1e-3 * (double)shape.white)
            fail_case(NULL, "class %d of %d is %g", class, classes, shade[begin]);
        begin = i;
        class ++;
    }
    assert_int_equal(class, classes);
    const long double least = least_spread(&levels, 0, classes);
    if (found > least * (1 + 1e-12L) + 1e-9L)
        fail_case(NULL, "%d classes have a spread of %Lg, and %Lg is possible", classes, found, least);
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* The criterion at the end of bin k, each sum from its own end. */
static long double yen_criterion(const uint64_t *count, int bins, int k)
{
    long double below = 0, low = 0, above = 0, high = 0;
    for (int b = 0; b <= k; b++) {
        below += count[b];
        low += (long double)count[b] * count[b];
    }
    for (int b = bins - 1; b > k; b--) {
        above += count[b];
        high += (long double)count[b] * count[b];
    }
    return below * above / low * (below * above / high);
}

/* Two bins have nearly all of the samples. */
static void yen_sees_small_tails(Rng *rng)
{
    enum { BINS = 24 };
    uint64_t count[BINS];
    Counts counts = {.bins = BINS, .count = count};
    int64_t last = -1;
    for (int b = 0; b < BINS; b++) {
        count[b] = b < 2 ? (uint64_t)rng_between(rng, 1, 9) << rng_between(rng, 20, 40)
                         : (uint64_t)rng_between(rng, 0, 5);
        if (b + 1 == BINS) count[b]++; /* the last bin has samples */
        counts.n += count[b];
        counts.sum += count[b] * (uint64_t)b;
    }
    assert_int_equal(level_yen(&counts, &last), HALO_OK);
    long double best = 0;
    for (int k = 0; k + 1 < BINS; k++) {
        const long double value = yen_criterion(count, BINS, k);
        if (value > best) best = value;
    }
    if (yen_criterion(count, BINS, (int)last) < best * (1 - 1e-12L))
        fail_case(NULL, "bin %d has %Lg, and %Lg is possible", (int)last, yen_criterion(count, BINS, (int)last),
                  best);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {random_test(classes_are_the_best, 40),
                                       random_test(yen_sees_small_tails, 200)};
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
