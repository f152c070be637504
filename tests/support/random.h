/* Random cases that can be had again: every case has a number, and the seed and that number make it.
 *
 *     HALO_SEED=7       another set of cases (default 1)
 *     HALO_CASES=10     ten times as many cases; 0.1: a tenth
 *     HALO_CASE=17      only case 17
 *     HALO_DEVICE=v3    only devices whose name holds "v3" (backends.h) */
#ifndef HALO_TEST_RANDOM_H
#define HALO_TEST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "halo/fail.h"

typedef struct Rng {
    uint64_t state;
} Rng;

uint64_t rng_next(Rng *rng);
/* lo <= result <= hi. */
int64_t rng_between(Rng *rng, int64_t lo, int64_t hi);
/* True once in `n` times. */
bool rng_once_in(Rng *rng, int64_t n);
/* 0 <= result < 1. */
double rng_unit(Rng *rng);
float rng_float(Rng *rng, float lo, float hi);
/* A pattern a test should not miss: NaN of any payload, infinity, signed zero, denormal, extreme. */
float rng_special(Rng *rng);

/* Reads argv: the first argument is a cmocka filter, "random_mask*". */
void test_arguments(int argc, char **argv);

/* Runs `body` for each of `normal` cases (as scaled by HALO_CASES); `test` is the name of the test, from which
 * the cases are drawn. */
void for_each_case(const char *test, int64_t normal, void (*body)(Rng *rng));

/* A row of cmocka's table of tests: `body`, a function of an Rng, runs for each of `cases` cases. */
typedef struct RandomTest {
    const char *name;
    int64_t cases;
    void (*body)(Rng *rng);
} RandomTest;

#define random_test(body, cases)                                                 \
    {                                                                            \
#body, run_random_test, NULL, NULL, &(RandomTest) { #body, cases, body } \
    }
void run_random_test(void **random_test_row);

/* Fails the running test with a message, and the command that shows the same failure again. `device` may be
 * NULL. */
void fail_case(const char *device, const char *format, ...) HALO_PRINTF(2, 3);

#endif
