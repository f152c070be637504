/* The generator, and the loop over cases, which names the one that failed. */
#include "random.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    const char *program;
    const char *test;
    uint64_t seed;
    int64_t number;
} now = {"check", NULL, 1, -1};

/* SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", 2014). */
uint64_t rng_next(Rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t rng_between(Rng *rng, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng_next(rng) % ((uint64_t)(hi - lo) + 1));
}

bool rng_once_in(Rng *rng, int64_t n) { return rng_between(rng, 1, n) == 1; }

double rng_unit(Rng *rng) { return (double)(rng_next(rng) >> 11) * 0x1p-53; }

float rng_float(Rng *rng, float lo, float hi) { return lo + (float)rng_unit(rng) * (hi - lo); }

float rng_special(Rng *rng)
{
    static const uint32_t pattern[] = {
        0x7fc00000u, 0xffc00000u, 0x7fc12345u, 0x7f800001u, 0xff812345u, /* NaN: quiet, signalling, payloads */
        0x7f800000u, 0xff800000u, 0x00000000u, 0x80000000u,              /* infinities and zeros */
        0x00000001u, 0x80000001u, 0x007fffffu, 0x80012345u,              /* denormals */
        0x00800000u, 0x80800000u, 0x7f7fffffu, 0xff7fffffu,              /* least and greatest */
        0x3f000000u, 0xbf000000u, 0x3fc00000u, 0x437f8000u, 0x477fff80u, /* ties: 0.5, 1.5, 255.5, 65535.5 */
    };
    const int64_t kinds = (int64_t)(sizeof pattern / sizeof *pattern);
    const int64_t chosen = rng_between(rng, 0, kinds + 1);
    const uint32_t bits = chosen < kinds ? pattern[chosen] : (uint32_t)rng_next(rng);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

void test_arguments(int argc, char **argv)
{
    const char *const slash = strrchr(argv[0], '/');
    now.program = slash != NULL ? slash + 1 : argv[0];
    if (argc > 1) cmocka_set_test_filter(argv[1]);
}

static double number_from(const char *variable, double preset)
{
    const char *const text = getenv(variable);
    return text != NULL && *text != '\0' ? strtod(text, NULL) : preset;
}

void for_each_case(const char *test, int64_t normal, void (*body)(Rng *rng))
{
    const int64_t only = (int64_t)number_from("HALO_CASE", -1);
    int64_t cases = (int64_t)((double)normal * number_from("HALO_CASES", 1) + 0.5);
    if (cases < 1) cases = 1;
    now.test = test;
    now.seed = (uint64_t)number_from("HALO_SEED", 1);
    for (now.number = only >= 0 ? only : 0; now.number < (only >= 0 ? only + 1 : cases); now.number++) {
        Rng rng = {now.seed};
        rng.state = rng_next(&rng) ^ (uint64_t)now.number * 0xd1342543de82ef95u;
        for (const char *c = test; *c != '\0'; c++) rng.state = (rng.state ^ (uint8_t)*c) * 0x100000001b3u;
        body(&rng);
    }
    now.test = NULL;
    now.number = -1;
}

void run_random_test(void **random_test_row)
{
    const RandomTest *const test = *random_test_row;
    for_each_case(test->name, test->cases, test->body);
}

void fail_case(const char *device, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("%s%s%s\n", device != NULL ? device : "", device != NULL ? ": " : "", text);
    if (now.test != NULL) {
        print_error("again: HALO_SEED=%" PRIu64 " HALO_CASE=%" PRId64 " ", now.seed, now.number);
        if (device != NULL) print_error("HALO_DEVICE='%s' ", device);
        print_error("%s %s\n", now.program, now.test);
    }
    now.test = NULL;
    fail();
}
