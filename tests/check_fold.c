/* Folds on every device: any program on any samples gives the oracle's bits. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "draw.h"
#include "halo/program.h"
#include "oracle.h"

enum { MOST_CHANNELS = 16 };

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

/* ---- programs ------------------------------------------------------------------------------------------- */

static void append(HaloProgram *program, HaloCode code, double number)
{
    program->at[program->length++] = (HaloInstruction){code, number};
}

/* Appends an expression of at most `capacity` instructions that needs no more than `depth` values at a time. */
static void draw_expression(Rng *rng, HaloProgram *program, int capacity, int depth, bool two_arguments)
{
    static const double number[] = {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 255.0, 1e300, 0.1, (double)INFINITY};
    const int64_t takes = capacity < 4 || depth < 3 ? 0 : rng_between(rng, rng_once_in(rng, 6) ? 0 : 1, 3);
    if (takes == 0) {
        const HaloCode leaf[] = {HALO_CODE_A, two_arguments ? HALO_CODE_B : HALO_CODE_A, HALO_CODE_K,
                                 HALO_CODE_NUMBER};
        append(program, leaf[rng_between(rng, 0, 3)], number[rng_between(rng, 0, 9)]);
        return;
    }
    for (int i = 0; i < takes; i++)
        draw_expression(rng, program, (capacity - 1) / (int)takes, depth - i, two_arguments);
    append(program,
           (HaloCode)(takes == 1   ? rng_between(rng, HALO_CODE_NEG, HALO_CODE_NOT)
                      : takes == 2 ? rng_between(rng, HALO_CODE_ADD, HALO_CODE_OR)
                                   : rng_between(rng, HALO_CODE_FMA, HALO_CODE_SELECT)),
           0.0);
}

/* Appends d, A's distance from a constant, or a product of such products: one and the same twice, or with d. */
static void draw_power(Rng *rng, HaloProgram *program, const HaloProgram *d, int depth)
{
    const int first = program->length, kind = depth > 0 ? (int)rng_between(rng, 0, 2) : 3;
    if (kind == 0 || kind == 3)
        for (int i = 0; i < d->length; i++) append(program, d->at[i].code, d->at[i].number);
    if (kind < 3) draw_power(rng, program, d, depth - 1);
    const int end = program->length;
    if (kind == 1)
        for (int i = first; i < end; i++) append(program, program->at[i].code, program->at[i].number);
    if (kind == 2)
        for (int i = 0; i < d->length; i++) append(program, d->at[i].code, d->at[i].number);
    if (kind < 3) append(program, HALO_CODE_MUL, 0.0);
}

static HaloProgram draw_distance_power(Rng *rng)
{
    HaloProgram program = {0}, d = {0};
    append(&d, HALO_CODE_A, 0.0);
    if (!rng_once_in(rng, 3)) {
        const bool whole = rng_once_in(rng, 2); /* of bytes, a way of its own */
        append(&d, rng_once_in(rng, 2) ? HALO_CODE_K : HALO_CODE_NUMBER,
               whole ? (double)rng_between(rng, -2, 257) : (double)rng_float(rng, -1, 1));
        append(&d, HALO_CODE_SUB, 0.0);
    }
    draw_power(rng, &program, &d, (int)rng_between(rng, 0, 3));
    return program;
}

static HaloProgram draw_program(Rng *rng, bool two_arguments)
{
    HaloProgram program = {0};
    const int capacity = rng_once_in(rng, 5) ? HALO_MAX_PROGRAM : (int)rng_between(rng, 1, 12);
    draw_expression(rng, &program, capacity, HALO_MAX_STACK, two_arguments);
    return program;
}

static HaloProgram two_of(HaloCode code)
{
    return (HaloProgram){3, {{HALO_CODE_A, 0.0}, {HALO_CODE_B, 0.0}, {code, 0.0}}};
}

static const HaloProgram sample_itself = {1, {{HALO_CODE_A, 0.0}}};

/* ---- against the oracle --------------------------------------------------------------------------------- */

static void programs_run_as_the_oracle(Rng *rng)
{
    const HaloProgram program = draw_program(rng, true);
    for (int i = 0; i < 50; i++) {
        const double a = (double)rng_special(rng), b = (double)rng_float(rng, -2, 2), k = 7.25;
        const double expected = oracle_program(&program, a, b, k), got = halo_program_run(&program, a, b, k);
        if (!same(expected, got))
            fail_case(NULL, "a program of %d on %a and %a should give %a, gives %a", program.length, a, b,
                      expected, got);
    }
}

/* Powers are recognised and give the same result; a random expression that is recognised is a power. */
static void powers_are_known(Rng *rng)
{
    HaloProgram program = draw_distance_power(rng);
    HaloPower power;
    if (!halo_program_power(&program, &power))
        fail_case(NULL, "a power of %d instructions is not known", program.length);
    if (rng_once_in(rng, 2)) { /* one instruction is changed */
        HaloInstruction *const at = &program.at[rng_between(rng, 0, program.length - 1)];
        if (at->code == HALO_CODE_MUL || at->code == HALO_CODE_SUB)
            at->code = (HaloCode)rng_between(rng, HALO_CODE_ADD, HALO_CODE_MAX);
        else if (at->code != HALO_CODE_A)
            at->code = HALO_CODE_NUMBER, at->number += 1.0;
        if (!halo_program_power(&program, &power)) return;
    }
    for (int i = 0; i < 20; i++) {
        const double a = (double)rng_special(rng), k = 0.75;
        const double expected = oracle_program(&program, a, 0.0, k), got = halo_raise(&power, a, k);
        if (!same(halo_canonical_f64(expected), halo_canonical_f64(got)))
            fail_case(NULL, "a power of %d steps of %a should be %a, is %a", power.steps, a, expected, got);
    }
}

static void check(const TestBuf *src, const HaloFold *fold)
{
    double expected[MOST_CHANNELS];
    char what[200], text[96];
    snprintf(what, sizeof what, "fold %s, map of %d, join of %d from %g", testbuf_text(src, text),
             fold->map->length, fold->join->length, fold->identity);
    oracle_fold(&src->view, fold, expected);
    for (int d = 0; d < test_devices; d++) {
        const TestDevice *const device = &test_device[d];
        double got[MOST_CHANNELS];
        HaloBuf block;
        const HaloBuf view = test_lend(device, src, &block);
        memset(got, 0xa5, sizeof got);
        expect_ok(device->name, what, device->backend->fold(device->device, &view, fold, got));
        expect_ok(device->name, what, device->backend->finish(device->device, NULL));
        test_return(device, &block);
        for (int c = 0; c < src->view.shape.channels; c++)
            if (!same(expected[c], got[c]))
                fail_case(device->name, "%s, channel %d: should be %a, is %a", what, c, expected[c], got[c]);
    }
}

static void run_case(Rng *rng, const HaloShape *shape)
{
    double k[MOST_CHANNELS];
    const HaloProgram map = rng_once_in(rng, 3)   ? sample_itself
                            : rng_once_in(rng, 3) ? draw_distance_power(rng)
                                                  : draw_program(rng, false);
    const HaloProgram join = rng_once_in(rng, 2)
                                 ? draw_program(rng, true)
                                 : two_of((HaloCode)rng_between(rng, HALO_CODE_ADD, HALO_CODE_MAX));
    const HaloFold fold = {.map = &map,
                           .join = &join,
                           .identity = rng_once_in(rng, 2) ? 0.0 : (double)rng_float(rng, -3, 3),
                           .k = rng_once_in(rng, 3) ? k : NULL};
    TestBuf src = testbuf_make(shape, test_whole(shape), rng);
    const bool whole = rng_once_in(rng, 3);
    for (int c = 0; c < MOST_CHANNELS; c++)
        k[c] = whole ? (double)rng_between(rng, -2, 257) : (double)rng_float(rng, -1, 1);
    if (rng_once_in(rng, 3))
        testbuf_fill(&src, true, rng);
    else
        testbuf_fill_with(&src, TEST_MIXED, rng);
    check(&src, &fold);
    testbuf_free(&src);
}

static void small_images(Rng *rng)
{
    const HaloShape shape = draw_long_shape(rng, 40);
    run_case(rng, &shape);
}

/* The lengths at which a row of lanes, a leaf, a task or a block ends. */
static void lengths_round_leaves_and_tasks(Rng *rng)
{
    static const int64_t edge[] = {1, 127, 128, 129, 4095, 4096, 4097, 8 * 4096, 16 * 4096 + 1};
    const int64_t length = rng_once_in(rng, 3) ? 4096 * rng_between(rng, 1, 40) + rng_between(rng, -1, 1)
                                               : edge[rng_between(rng, 0, 8)];
    const HaloShape shape = test_shape(draw_dtype(rng), length, 1, (int)rng_between(rng, 1, 3));
    run_case(rng, &shape);
}

static void leaves_across_rows(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), rng_between(rng, 1, 700), rng_between(rng, 100, 300),
                                       (int)rng_between(rng, 1, rng_once_in(rng, 4) ? 9 : 4));
    run_case(rng, &shape);
}

/* ---- by hand -------------------------------------------------------------------------------------------- */

static void known_sums(void **state)
{
    (void)state;
    const HaloProgram sum = two_of(HALO_CODE_ADD), great = two_of(HALO_CODE_MAX);
    const HaloProgram distance = {
        4, {{HALO_CODE_A, 0.0}, {HALO_CODE_K, 0.0}, {HALO_CODE_SUB, 0.0}, {HALO_CODE_ABS, 0.0}}};
    const HaloShape shape = test_shape(HALO_F32, 10000, 1, 1);
    const double k = 10.0;
    TestBuf src = testbuf_make(&shape, test_whole(&shape), NULL);
    for (int i = 0; i < 10000; i++) ((float *)src.view.data)[i] = i == 77 ? NAN : (float)i;
    for (int d = 0; d < test_devices; d++) {
        HaloBuf block;
        double got;
        const TestDevice *const device = &test_device[d];
        const HaloBuf view = test_lend(device, &src, &block);
        const HaloFold add = {.map = &sample_itself, .join = &sum},
                       far = {.map = &distance, .join = &great, .k = &k};
        expect_ok(device->name, "sum", device->backend->fold(device->device, &view, &add, &got));
        if (got != 49995000.0 - 77.0) fail_case(device->name, "the sum is %.17g", got);
        expect_ok(device->name, "farthest", device->backend->fold(device->device, &view, &far, &got));
        if (got != 9989.0) fail_case(device->name, "the farthest is %.17g", got);
        test_return(device, &block);
    }
    testbuf_free(&src);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sums),        random_test(programs_run_as_the_oracle, 500),
        random_test(small_images, 150),      random_test(lengths_round_leaves_and_tasks, 40),
        random_test(leaves_across_rows, 10), random_test(powers_are_known, 300),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, test_devices_open, test_devices_close);
}
