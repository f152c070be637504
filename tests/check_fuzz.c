/* Every fuzzer of tests/fuzz, without libFuzzer: its seeds, and thousands of mutations of them that are the
 * same every time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "random.h"
#include "seeds.h"

enum { MOST_BYTES = 4096 };

typedef int Fuzzer(const uint8_t *bytes, size_t size);

#define HALO_FUZZER(name) Fuzzer fuzz_##name;
#include "fuzzers.def"
#undef HALO_FUZZER

typedef struct Row {
    const char *name;
    Fuzzer *fuzzer;
} Row;

static Row rows[] = {
#define HALO_FUZZER(name) {#name, fuzz_##name},
#include "fuzzers.def"
#undef HALO_FUZZER
};
enum { ROWS = sizeof rows / sizeof *rows };

static const Row *row; /* the one that runs */
static long long done; /* its cases so far */

/* A sanitizer ends the program without a word about the case. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void say_case(void)
{
    if (row != NULL) fprintf(stderr, "again: HALO_CASE=%lld check_fuzz %s\n", done, row->name);
}

static void one_case(Rng *rng)
{
    size_t count, size;
    const Seed *seed = seeds_for(row->name, &count);
    const bool only = getenv("HALO_CASE") != NULL; /* then the environment gives the number */
    uint8_t *bytes = mutate(rng, &seed[rng_between(rng, 0, (int64_t)count - 1)], MOST_BYTES, &size);
    row->fuzzer(bytes, size);
    free(bytes);
    done += !only;
}

static void test_fuzzer(void **state)
{
    size_t count;
    row = *state;
    done = -1; /* the seeds themselves */
    const Seed *seed = seeds_for(row->name, &count);
    for (size_t i = 0; i < count; i++) row->fuzzer(seed[i].at, seed[i].size);
    done = 0;
    for_each_case(row->name, count < 16 ? 8000 : 2000, one_case);
    row = NULL;
}

static int after(void **state)
{
    (void)state;
    say_case();
    row = NULL;
    return 0;
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ROWS];
    test_arguments(argc, argv);
    if (__sanitizer_set_death_callback != NULL) __sanitizer_set_death_callback(say_case);
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = test_fuzzer, .teardown_func = after, .initial_state = &rows[i]};
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
