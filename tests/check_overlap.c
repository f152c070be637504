/* Arrays that share memory (halo.h): an output over its input gives what an output elsewhere gives, and an
 * output whose elements lie on each other is refused. */
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

enum { MEMORY = 2 * 65536, MOST_SIDE = 24, LARGE = 500 }; /* half of it holds every array */

/* ---- over the input -------------------------------------------------------------------------------------- */

/* Pages, rows and columns in `memory`, with gaps and perhaps backwards, from a random place on. */
static HaloArray place(Rng *rng, HaloType type, const int64_t size[3], char *memory)
{
    HaloArray array = array_packed(type, "nhw", size, NULL);
    int64_t stride = (int64_t)halo_type_size(type), first = 0, last = 0;
    for (int i = 2; i >= 0; i--) {
        array.stride[i] = stride * (rng_once_in(rng, 3) ? 2 : 1);
        stride = array.stride[i] * size[i];
        if (rng_once_in(rng, 4)) array.stride[i] = -array.stride[i];
        *(array.stride[i] < 0 ? &first : &last) += array.stride[i] * (size[i] - 1);
    }
    const int64_t unit = (int64_t)halo_type_size(type);
    array.data = memory - first + rng_between(rng, 0, (MEMORY / 2 - (last - first)) / unit - 1) * unit;
    return array;
}

/* Element by element. */
static bool is_same(const HaloArray *got, const HaloArray *packed)
{
    const char *wanted = packed->data;
    const size_t unit = halo_type_size(got->type);
    for (int64_t n = 0; n < got->size[0]; n++)
        for (int64_t y = 0; y < got->size[1]; y++)
            for (int64_t x = 0; x < got->size[2]; x++, wanted += unit) {
                const char *at =
                    (const char *)got->data + n * got->stride[0] + y * got->stride[1] + x * got->stride[2];
                if (memcmp(at, wanted, unit) != 0) return false;
            }
    return true;
}

static void fill(Rng *rng, HaloType type, char *memory)
{
    for (size_t i = 0; i < MEMORY / 4; i++) {
        const float f = rng_float(rng, 0, 1);
        const uint32_t bits = (uint32_t)rng_next(rng);
        memcpy(memory + 4 * i, type == HALO_TYPE_F32 ? (const void *)&f : (const void *)&bits, 4);
    }
}

static void over_the_input(Rng *rng)
{
    static const char *const texts[] = {"median:3",    "gauss:1",
                                        "flip:y",      "sobel",
                                        "gain:0.5x",   "rotate:180",
                                        "subtract:@2", "min:[@2 | median:3]",
                                        "box:5",       ""};
    static const HaloType types[] = {HALO_TYPE_U8, HALO_TYPE_U16, HALO_TYPE_F32};
    static _Alignas(64) char memory[MEMORY], before[MEMORY];
    const char *text = texts[rng_between(rng, 0, 9)];
    const HaloType type = types[rng_between(rng, 0, 2)];
    const int64_t size[] = {rng_between(rng, 1, 3), rng_between(rng, 1, MOST_SIDE),
                            rng_between(rng, 1, MOST_SIDE)};
    const bool two = strchr(text, '@') != NULL;
    HaloArray in[2], elsewhere[2], out;
    fill(rng, type, memory);
    memcpy(before, memory, sizeof memory);
    for (int i = 0; i < 2; i++) {
        elsewhere[i] = in[i] = place(rng, type, size, memory);
        elsewhere[i].data = before + ((char *)in[i].data - memory);
    }
    out = rng_once_in(rng, 2) ? in[rng_between(rng, 0, two)] : place(rng, type, size, memory);
    HaloSession *session = array_session(NULL);
    HaloArray wanted = array_run(session, text, elsewhere, two ? 2 : 1);
    HaloPipeline *pipeline = array_pipeline(session, text);
    HaloPlan *plan = NULL;
    array_ok(halo_plan_open(session, pipeline, in, two ? 2 : 1, &plan), text);
    array_ok(halo_plan_run(plan, in, &out, NULL, NULL), text);
    if (!is_same(&out, &wanted))
        fail_case(NULL,
                  "%s of %s, %" PRId64 " pages of %" PRId64 " x %" PRId64 ": other samples where they overlap",
                  text, halo_type_name(type), size[0], size[2], size[1]);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    free(wanted.data);
}

/* Large enough for several bands and threads. */
static void large_in_place(void **state)
{
    (void)state;
    static const char *const texts[] = {"median:5", "gauss:3", "flip:x", "sobel", "gauss:1 | median:3"};
    static uint8_t image[LARGE * LARGE], copy[LARGE * LARGE];
    const int64_t size[] = {LARGE, LARGE};
    HaloOptions options;
    halo_options_defaults(&options);
    options.band_rows = 16;
    for (int i = 0; i < 10; i++) {
        HaloSession *session = array_session(i < 5 ? NULL : &options);
        for (size_t k = 0; k < sizeof image; k++) image[k] = copy[k] = (uint8_t)(k * 2654435761u >> 13);
        const HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, image),
                        from = array_packed(HALO_TYPE_U8, "hw", size, copy);
        HaloArray out = in, wanted = array_run(session, texts[i % 5], &from, 1);
        HaloPipeline *pipeline = array_pipeline(session, texts[i % 5]);
        HaloPlan *plan = NULL;
        array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), texts[i % 5]);
        array_ok(halo_plan_run(plan, &in, &out, NULL, NULL), texts[i % 5]);
        if (memcmp(image, wanted.data, sizeof image) != 0)
            fail_case(NULL, "%s in place is wrong", texts[i % 5]);
        halo_plan_close(plan);
        halo_pipeline_free(pipeline);
        halo_session_close(session);
        free(wanted.data);
    }
}

/* A stack into one of its pages. */
static void stack_over_a_page(void **state)
{
    (void)state;
    uint16_t pages[3][5][7], first[5][7], second[5][7];
    const int64_t size[] = {3, 5, 7}, one[] = {5, 7};
    for (int i = 0; i < 105; i++) ((uint16_t *)pages)[i] = (uint16_t)(i * i);
    HaloSession *session = array_session(NULL);
    const HaloArray in = array_packed(HALO_TYPE_U16, "nhw", size, pages),
                    out = array_packed(HALO_TYPE_U16, "hw", one, first),
                    over = array_packed(HALO_TYPE_U16, "hw", one, pages[1]);
    array_ok(halo_stack_arrays(session, "median", &in, 1, &out), "elsewhere");
    array_ok(halo_stack_arrays(session, "median", &in, 1, &over), "over page 2");
    memcpy(second, pages[1], sizeof second);
    assert_memory_equal(first, second, sizeof first);
    halo_session_close(session);
}

/* ---- over itself ----------------------------------------------------------------------------------------- */

static void elements_in_one_place(void **state)
{
    (void)state;
    static const struct {
        int64_t stride[3];
        bool fine;
    } cases[] = {{{1, 3, 1}, false},  {{0, 3, 1}, false},    {{12, 1, 1}, false}, {{12, 0, 1}, false},
                 {{12, 2, 1}, false}, {{8, 3, 1}, false},    {{12, 3, 1}, true},  {{-12, 3, -1}, true},
                 {{1, 2, 8}, true},   {{100, -20, 5}, true}, {{12, 1, -4}, true}, {{3, 6, 1}, true}};
    static uint8_t image[2][4][3], memory[1000];
    const int64_t size[] = {2, 4, 3}, one[] = {4, 3};
    HaloSession *session = array_session(NULL);
    const HaloArray in = array_packed(HALO_TYPE_U8, "nhw", size, image);
    HaloPipeline *pipeline = array_pipeline(session, "invert");
    HaloPlan *plan = NULL;
    array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HaloArray out = array_packed(HALO_TYPE_U8, "nhw", size, memory + 500);
        memcpy(out.stride, cases[i].stride, sizeof cases[i].stride);
        const HaloStatus status = halo_plan_run(plan, &in, &out, NULL, NULL);
        if (status != (cases[i].fine ? HALO_OK : HALO_ERR_USAGE))
            fail_case(NULL, "strides %" PRId64 ",%" PRId64 ",%" PRId64 " give status %d", out.stride[0],
                      out.stride[1], out.stride[2], status);
        if (!cases[i].fine) assert_non_null(strstr(halo_error(), "elements in the same memory"));
    }
    HaloArray out = array_packed(HALO_TYPE_U8, "hw", one, memory);
    out.stride[0] = out.stride[1] = 1;
    assert_int_equal(halo_stack_arrays(session, "mean", &in, 1, &out), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "elements in the same memory"));
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(over_the_input, 400),
        cmocka_unit_test(large_in_place),
        cmocka_unit_test(stack_over_a_page),
        cmocka_unit_test(elements_in_one_place),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
