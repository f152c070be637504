/* How far a plan reads (halo_plan_reach): blocks that overlap by the reach give what the whole gives, of every
 * operation; where they cannot, the reach is -1. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "random.h"

enum { SIDE = 96, FRAMES = 24000, RATE = 8000, CHANNELS = 3, MOST = SIDE * SIDE * CHANNELS * 4 };

/* ---- blocks and the whole -------------------------------------------------------------------------------- */

typedef struct Case {
    char text[200];
    HaloArray whole; /* packed, of the axes hw, hwc, t or tc */
} Case;

static bool is_sound(const HaloArray *array) { return array->rate > 0; }

/* Values of a type, with runs of equal ones. Sums of such floats are exact in f64, in any order. */
static void fill(Rng *rng, HaloArray *array)
{
    static _Alignas(64) char memory[MOST];
    const size_t size = halo_type_size(array->type), count = array_bytes(array) / size;
    assert_true(array_bytes(array) <= sizeof memory);
    float v = 0;
    for (size_t i = 0; i < count; i++) {
        if (!rng_once_in(rng, 3)) v = (float)rng_between(rng, is_sound(array) ? -1024 : 0, 1024) / 1024;
        const uint8_t u8 = (uint8_t)(v * 255);
        const uint16_t u16 = (uint16_t)(v * 65535);
        memcpy(memory + i * size, size == 1 ? (void *)&u8 : size == 2 ? (void *)&u16 : (void *)&v, size);
    }
    array->data = memory;
}

static HaloArray draw_picture(Rng *rng)
{
    static const HaloType types[] = {HALO_TYPE_U8, HALO_TYPE_U16, HALO_TYPE_F32};
    const int64_t size[] = {SIDE - rng_between(rng, 0, 20), SIDE - rng_between(rng, 0, 20), CHANNELS};
    HaloArray array =
        array_packed(types[rng_between(rng, 0, 2)], rng_once_in(rng, 2) ? "hw" : "hwc", size, NULL);
    if (array.type == HALO_TYPE_F32 && rng_once_in(rng, 2)) array.white = 1;
    return array;
}

static HaloArray draw_sound(Rng *rng)
{
    const int64_t size[] = {FRAMES - rng_between(rng, 0, 3000)};
    HaloArray array = array_packed(HALO_TYPE_F32, "t", size, NULL);
    array.rate = RATE;
    return array;
}

/* Opens a plan; NULL: it takes no such array. */
static HaloPlan *plan_of(HaloSession *session, const Case *one, int64_t reach[4])
{
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloArray like = one->whole;
    like.data = NULL; /* the reach may not depend on the samples */
    if (halo_pipeline_parse(session, one->text, &pipeline) != HALO_OK) return NULL;
    if (!halo_pipeline_only_measures(pipeline) && halo_plan_open(session, pipeline, &like, 1, &plan) == HALO_OK)
        array_ok(halo_plan_reach(plan, reach), one->text);
    halo_pipeline_free(pipeline);
    return plan;
}

/* Along one axis: a part that counts, and the reach around it, as far as there is any. */
typedef struct Range {
    int64_t from, to, first, last;
} Range;

static Range draw_range(Rng *rng, int64_t size, int64_t before, int64_t behind)
{
    Range range = {.from = rng_between(rng, 0, size - 1)};
    range.to = rng_between(rng, range.from + 1, size);
    range.first = range.from > before ? range.from - before : 0;
    range.last = size - range.to > behind ? range.to + behind : size;
    return range;
}

/* A block in the middle of the whole, cut out of it by strides. */
static void compare_block(Rng *rng, HaloSession *session, const Case *one, const int64_t reach[4],
                          const HaloArray *all)
{
    const bool sound = is_sound(&one->whole);
    const int columns = sound ? 0 : 1;
    const int64_t width = one->whole.size[columns], height = sound ? 1 : one->whole.size[0];
    const Range x = draw_range(rng, width, reach[0], reach[1]), y = draw_range(rng, height, reach[2], reach[3]);
    const int64_t pixel = (int64_t)array_bytes(&one->whole) / (width * height);
    HaloArray block = one->whole;
    block.data = (char *)block.data + (y.first * width + x.first) * pixel;
    block.size[columns] = x.last - x.first;
    block.stride[columns] = pixel;
    if (!sound) block.size[0] = y.last - y.first;
    if (!sound) block.stride[0] = width * pixel;
    if (block.dims > columns + 1) block.stride[columns + 1] = (int64_t)halo_type_size(block.type);
    HaloArray part = array_run(session, one->text, &block, 1);
    const int64_t made = (int64_t)array_bytes(all) / (width * height);
    for (int64_t row = y.from; row < y.to; row++) {
        const char *got = (char *)part.data + ((row - y.first) * (x.last - x.first) + x.from - x.first) * made;
        const char *wanted = (char *)all->data + (row * width + x.from) * made;
        if (memcmp(got, wanted, (size_t)((x.to - x.from) * made)) != 0)
            fail_case(NULL,
                      "%s: row %" PRId64 " of a block of %s from %" PRId64 ",%" PRId64
                      " on is not that of the whole: the reach is %" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64,
                      one->text, row, halo_type_name(block.type), x.from, y.from, reach[0], reach[1], reach[2],
                      reach[3]);
    }
    free(part.data);
}

/* True where it has a reach, so that blocks could be compared. */
static bool compare_blocks(Rng *rng, HaloSession *session, Case *one)
{
    int64_t reach[4] = {-1, -1, -1, -1};
    halo_plan_close(plan_of(session, one, reach));
    for (int i = 1; i < 4; i++) assert_true((reach[i] >= 0) == (reach[0] >= 0) && reach[i] >= -1);
    if (reach[0] < 0) return false;
    fill(rng, &one->whole);
    HaloArray all = array_run(session, one->text, &one->whole, 1);
    for (int i = 0; i < 3; i++) compare_block(rng, session, one, reach, &all);
    free(all.data);
    return true;
}

/* ---- which pipelines ------------------------------------------------------------------------------------- */

/* The example as it is, in a branch, as a mask, or behind another. */
static void wrap(Rng *rng, const char *example, const HaloArray *array, char text[200])
{
    static const char *const ways[] = {
        "%s", "blend:[%s],amount=0.5", "subtract:[%s]", "gauss:1,mask=[%s]", "over:[%s]", "expr:v+a,a=[%s]"};
    const int64_t way = rng_between(rng, 0, is_sound(array) ? 2 : 5);
    int used = 0;
    if (rng_once_in(rng, 4)) used = snprintf(text, 200, "%s | ", is_sound(array) ? "abs" : "median:3");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text + used, 200 - (size_t)used, ways[way], example);
#pragma GCC diagnostic pop
}

/* Every operation, by its example. */
static void every_operation(Rng *rng)
{
    HaloSession *session = array_session(NULL);
    HaloOperation operation = {.struct_size = sizeof operation};
    int compared = 0;
    for (size_t i = 0; halo_operation(i, &operation) == HALO_OK; i++) {
        Case one = {.whole = operation.images && (!operation.sound || rng_once_in(rng, 2)) ? draw_picture(rng)
                                                                                           : draw_sound(rng)};
        wrap(rng, operation.example, &one.whole, one.text);
        compared += compare_blocks(rng, session, &one);
    }
    assert_true(compared > 20);
    halo_session_close(session);
}

/* ---- what the reach is ----------------------------------------------------------------------------------- */

static void expect_reach(HaloSession *session, const HaloArray *in, const char *text, const int64_t wanted[4])
{
    HaloPipeline *pipeline = array_pipeline(session, text);
    HaloPlan *plan = NULL;
    int64_t reach[4];
    array_ok(halo_plan_open(session, pipeline, in, 1, &plan), text);
    array_ok(halo_plan_reach(plan, reach), text);
    for (int k = 0; k < 4; k++)
        if (reach[k] != wanted[k])
            fail_case(NULL, "%s on %s reaches %" PRId64 " in direction %d, not %" PRId64, text, in->axes,
                      reach[k], k, wanted[k]);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
}

/* Also of an array that is smaller than the window. */
static void reach_of_small_arrays(void **state)
{
    (void)state;
    static const struct {
        const char *text, *axes;
        int64_t reach[4];
    } cases[] = {{"gauss:2", "hw", {8, 8, 8, 8}},
                 {"median:5 | box:31", "hw", {17, 17, 17, 17}},
                 {"gauss:2", "w", {8, 8, 0, 0}},
                 {"invert", "hw", {0, 0, 0, 0}},
                 {"subtract:[gauss:20]", "hw", {80, 80, 80, 80}},
                 {"gauss:2,border=wrap", "hw", {-1, -1, -1, -1}}};
    const int64_t size[] = {5, 4};
    HaloSession *session = array_session(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const HaloArray in = array_packed(HALO_TYPE_U8, cases[i].axes, size, NULL);
        expect_reach(session, &in, cases[i].text, cases[i].reach);
    }
    halo_session_close(session);
}

/* What works in the same way everywhere can be cut. */
static void reach_of_local_work(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t reach;
    } cases[] = {{"sobel | gauss:1", 5},
                 {"local:sd,5", 2},
                 {"gain:2x", 0},
                 {"expr:v*2+c", 0},
                 {"expr:v-a,a=[gauss:2]", 8},
                 {"gauss:2,border=keep", 8},
                 {"gauss:2,mask=[threshold:9]", 8},
                 {"blend:[median:5],amount=0.5", 2},
                 {"over:[gauss:1]", 4},
                 {"open:5", 4},
                 {"unsharp:1", 4}};
    const int64_t size[] = {50, 50};
    HaloSession *session = array_session(NULL);
    const HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t r = cases[i].reach;
        expect_reach(session, &in, cases[i].text, (int64_t[]){r, r, r, r});
    }
    halo_session_close(session);
}

/* All of the input, or the place: also in branches and masks. */
static void reach_of_the_rest(void **state)
{
    (void)state;
    static const char *const pictures[] = {"flip:x",
                                           "rotate:180",
                                           "equalize",
                                           "normalize",
                                           "resize:20x20",
                                           "gauss:2,border=wrap",
                                           "expr:x",
                                           "expr:v+y",
                                           "expr:v*w",
                                           "expr:v*h",
                                           "dither:tpdf,bits=4",
                                           "dither:ordered",
                                           "dither:error",
                                           "gauss:3,mask=[expr:x]",
                                           "blend:[dither:tpdf,bits=3],amount=0.5",
                                           "subtract:[flip:x]",
                                           "subtract:[resize:50% | resize:50x50]",
                                           "over:[crop:10x10]",
                                           "over:[invert],at=-8-8",
                                           "expr:v+a,a=[gauss:1 | expr:x+y]"};
    static const char *const sounds[] = {"fade:2ms,5ms", "dither:tpdf",    "expr:v*t",
                                         "expr:v*x",     "add:[fade:5ms]", "lowpass:1kHz | fade:1ms",
                                         "declick",      "echo:10ms"};
    static const int64_t none[] = {-1, -1, -1, -1};
    const int64_t size[] = {50, 50}, frames[] = {5000};
    HaloSession *session = array_session(NULL);
    HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, NULL);
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        expect_reach(session, &in, pictures[i], none);
    in = array_packed(HALO_TYPE_F32, "t", frames, NULL);
    in.rate = RATE;
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++) expect_reach(session, &in, sounds[i], none);
    halo_session_close(session);
}

/* Another array can be cut as the first is, unless it is of another size. */
static void reach_into_other_arrays(void **state)
{
    (void)state;
    const int64_t size[] = {50, 50}, small[] = {10, 10}, pixel[] = {1, 1};
    const struct {
        const char *text;
        const int64_t *size;
        int64_t reach;
    } cases[] = {{"subtract:@2", size, 0},    {"subtract:[@2 | gauss:2]", size, 8},
                 {"subtract:@2", pixel, 0},   {"over:@2", small, -1},
                 {"over:@2", size, 0},        {"over:@2,at=1+0", size, -1},
                 {"gauss:1,mask=@2", size, 4}};
    HaloSession *session = array_session(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const HaloArray in[] = {array_packed(HALO_TYPE_U8, "hw", size, NULL),
                                array_packed(HALO_TYPE_U8, "hw", cases[i].size, NULL)};
        HaloPipeline *pipeline = array_pipeline(session, cases[i].text);
        HaloPlan *plan = NULL;
        int64_t reach[4];
        array_ok(halo_plan_open(session, pipeline, in, 2, &plan), cases[i].text);
        array_ok(halo_plan_reach(plan, reach), cases[i].text);
        if (reach[0] != cases[i].reach || reach[3] != cases[i].reach)
            fail_case(NULL, "%s reaches %" PRId64 ", not %" PRId64, cases[i].text, reach[0], cases[i].reach);
        halo_plan_close(plan);
        halo_pipeline_free(pipeline);
    }
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(every_operation, 20),          cmocka_unit_test(reach_of_small_arrays),
        cmocka_unit_test(reach_of_local_work),     cmocka_unit_test(reach_of_the_rest),
        cmocka_unit_test(reach_into_other_arrays),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
