/* Arrays in and out (halo.h): any layout and element type gives what a packed buffer gives. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arrays.h"
#include "random.h"

enum { MOST_SIDE = 16, MOST_BYTES = 8 * 8 * MOST_SIDE * 2 * MOST_SIDE * 2 };

/* ---- layouts --------------------------------------------------------------------------------------------- */

static double element(const HaloArray *array, const int64_t *at)
{
    const char *from = array->data;
    for (int i = 0; i < array->dims; i++) from += at[i] * array->stride[i];
    switch (array->type) {
    case HALO_TYPE_U8: return *(const uint8_t *)from;
    case HALO_TYPE_U16: return *(const uint16_t *)from;
    case HALO_TYPE_U32: return *(const uint32_t *)from;
    case HALO_TYPE_I8: return *(const int8_t *)from;
    case HALO_TYPE_I16: return *(const int16_t *)from;
    case HALO_TYPE_I32: return *(const int32_t *)from;
    case HALO_TYPE_I64: return (double)*(const int64_t *)from;
    case HALO_TYPE_F32: return (double)*(const float *)from;
    default: return *(const double *)from;
    }
}

/* Strides of an array whose dimensions lie in memory in a random order, some backwards, with gaps; *data moves
 * to the first element. */
static void scatter(Rng *rng, HaloArray *array)
{
    int order[HALO_MAX_DIMS];
    int64_t stride = (int64_t)halo_type_size(array->type);
    for (int i = 0; i < array->dims; i++) order[i] = i;
    for (int i = array->dims - 1; i > 0; i--) {
        const int k = (int)rng_between(rng, 0, i), other = order[k];
        order[k] = order[i];
        order[i] = other;
    }
    for (int i = 0; i < array->dims; i++) {
        const int d = order[i];
        array->stride[d] = stride * rng_between(rng, 1, 2);
        stride = array->stride[d] * array->size[d];
        if (!rng_once_in(rng, 3)) continue;
        array->data = (char *)array->data + array->stride[d] * (array->size[d] - 1);
        array->stride[d] = -array->stride[d];
    }
}

/* The same values in C order, rows, columns, channels, in the type that they are computed in. */
static HaloArray straight(const HaloArray *array, HaloType type)
{
    static const char letters[] = "hwc";
    int dim[3] = {-1, -1, -1};
    int64_t size[3] = {1, 1, 1}, at[HALO_MAX_DIMS] = {0};
    for (int i = 0; i < array->dims; i++) {
        const int k = (int)(strchr(letters, array->axes[i]) - letters);
        dim[k] = i;
        size[k] = array->size[i];
    }
    HaloArray made = array_packed(type, "hwc", size, NULL);
    made.white = array->white;
    made.data = malloc(array_bytes(&made));
    int64_t n = 0;
    for (int64_t y = 0; y < size[0]; y++)
        for (int64_t x = 0; x < size[1]; x++)
            for (int64_t c = 0; c < size[2]; c++, n++) {
                const int64_t place[3] = {y, x, c};
                for (int k = 0; k < 3; k++)
                    if (dim[k] >= 0) at[dim[k]] = place[k];
                const double v = element(array, at);
                if (type == HALO_TYPE_U8) ((uint8_t *)made.data)[n] = (uint8_t)v;
                if (type == HALO_TYPE_U16) ((uint16_t *)made.data)[n] = (uint16_t)v;
                if (type == HALO_TYPE_F32) ((float *)made.data)[n] = (float)v;
            }
    return made;
}

/* The output's elements in C order of its axes, as those of hwc. */
static void expect_same(const char *text, const HaloArray *got, const HaloArray *wanted)
{
    HaloArray strided = *got;
    int64_t stride = (int64_t)halo_type_size(got->type);
    for (int i = got->dims - 1; i >= 0; i--) {
        strided.stride[i] = stride;
        stride *= got->size[i];
    }
    if (got->type != wanted->type || array_bytes(got) != array_bytes(wanted))
        fail_case(NULL, "%s: %zu bytes of %s, not %zu of %s", text, array_bytes(got), halo_type_name(got->type),
                  array_bytes(wanted), halo_type_name(wanted->type));
    HaloArray same = straight(&strided, got->type);
    if (memcmp(same.data, wanted->data, array_bytes(wanted)) != 0)
        fail_case(NULL, "%s of %s with the axes %s has other samples", text, halo_type_name(got->type),
                  got->axes);
    free(same.data);
}

/* Values that every type holds. */
static void fill(Rng *rng, HaloType type, void *data, size_t bytes)
{
    const size_t size = halo_type_size(type);
    for (size_t i = 0; i < bytes / size; i++) {
        const int64_t v = rng_between(rng, 0, 100);
        const float f = (float)v;
        const double d = (double)v;
        memcpy((char *)data + i * size,
               type == HALO_TYPE_F32   ? (const void *)&f
               : type == HALO_TYPE_F64 ? (const void *)&d
                                       : (const void *)&v,
               size); /* little-endian */
    }
}

static void layouts(Rng *rng)
{
    static const char *const axes[] = {"hw", "hwc", "chw", "wh", "cwh", "w", "xy"};
    static const char *const texts[] = {"gauss:1", "median:3", "box:3", "crop:5x5", "", "gain:2x", "sobel"};
    static const HaloType types[] = {HALO_TYPE_U8,  HALO_TYPE_U16, HALO_TYPE_U32, HALO_TYPE_I8, HALO_TYPE_I16,
                                     HALO_TYPE_I32, HALO_TYPE_I64, HALO_TYPE_F32, HALO_TYPE_F64};
    static _Alignas(64) char memory[MOST_BYTES];
    const char *text = texts[rng_between(rng, 0, 6)], *how = axes[rng_between(rng, 0, 5)];
    const HaloType type = types[rng_between(rng, 0, 8)];
    int64_t size[3];
    for (int i = 0; how[i] != 0; i++)
        size[i] = how[i] == 'c' ? rng_between(rng, 1, 4)
                                : rng_between(rng, strcmp(text, "crop:5x5") == 0 ? 5 : 1, MOST_SIDE);
    if (strcmp(how, "w") == 0 && strcmp(text, "crop:5x5") == 0) text = "gauss:1";
    HaloArray array = array_packed(type, how, size, memory);
    fill(rng, type, memory, sizeof memory);
    scatter(rng, &array);
    const HaloType computed = type == HALO_TYPE_U8 || type == HALO_TYPE_U16 ? type : HALO_TYPE_F32;
    HaloArray plain = straight(&array, computed);
    HaloSession *session = array_session(NULL);
    HaloArray wanted = array_run(session, text, &plain, 1), got = array_run(session, text, &array, 1);
    expect_same(text, &got, &wanted);
    free(plain.data);
    free(wanted.data);
    free(got.data);
    halo_session_close(session);
}

/* ---- secondary inputs, pages, sound -----------------------------------------------------------------------
 */

/* Three arrays for a pipeline that does not name one of them. */
static void refuse_surplus(HaloSession *session, const HaloArray in[2], const char *text, const char *name)
{
    const HaloArray three[] = {in[0], in[1], in[1]};
    HaloPipeline *pipeline = array_pipeline(session, text);
    HaloPlan *plan = NULL;
    if (halo_plan_open(session, pipeline, three, 3, &plan) != HALO_ERR_USAGE || plan != NULL)
        fail_case(NULL, "%s takes three arrays", text);
    if (strstr(halo_error(), name) == NULL) fail_case(NULL, "'%s' does not name %s", halo_error(), name);
    halo_pipeline_free(pipeline);
}

static void second_inputs(void **state)
{
    (void)state;
    static uint8_t image[3][4][5], dark[3][4][5];
    for (int i = 0; i < 60; i++) {
        ((uint8_t *)image)[i] = (uint8_t)(100 + i);
        ((uint8_t *)dark)[i] = (uint8_t)i;
    }
    const int64_t pages[] = {3, 4, 5};
    HaloSession *session = array_session(NULL);
    HaloArray in[2] = {array_packed(HALO_TYPE_U8, "nhw", pages, image),
                       array_packed(HALO_TYPE_U8, "nhw", pages, dark)};
    HaloArray out = array_run(session, "subtract:@2", in, 2);
    for (int i = 0; i < 60; i++) assert_int_equal(((uint8_t *)out.data)[i], 100);
    free(out.data);
    in[1].dims = 2; /* one page for all */
    strcpy(in[1].axes, "hw");
    in[1].size[0] = 4;
    in[1].size[1] = 5;
    out = array_run(session, "subtract:[@2 | gain:1x]", in, 2);
    for (int i = 0; i < 60; i++) assert_int_equal(((uint8_t *)out.data)[i], 100 + i / 20 * 20);
    free(out.data);
    /* An array with another size, one that is not there, and one in a file's place. */
    in[1].size[0] = 3;
    HaloPipeline *pipeline = array_pipeline(session, "subtract:@2");
    HaloPlan *plan = NULL;
    assert_int_equal(halo_plan_open(session, pipeline, in, 2, &plan), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "@2"));
    assert_null(plan);
    assert_int_equal(halo_plan_open(session, pipeline, in, 1, &plan), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "there is no array @2"));
    halo_pipeline_free(pipeline);
    in[1].size[0] = 4;
    refuse_surplus(session, in, "invert", "@2");
    refuse_surplus(session, in, "subtract:@3", "@2");
    refuse_surplus(session, in, "subtract:[invert] | stats", "@2");
    refuse_surplus(session, in, "subtract:[@2 | gauss:1]", "@3");
    halo_session_close(session);
}

static void sound_is_fractions(void **state)
{
    (void)state;
    int16_t frames[4] = {-32768, 0, 16384, 32767};
    const int64_t size[] = {4};
    HaloSession *session = array_session(NULL);
    HaloArray in = array_packed(HALO_TYPE_I16, "t", size, frames);
    in.rate = 8000;
    HaloArray out = array_run(session, "gain:0.5x", &in, 1);
    assert_int_equal(out.type, HALO_TYPE_F32);
    assert_true(out.rate == 8000 && out.white == 1);
    const float *got = out.data;
    assert_true(got[0] == -0.5f && got[1] == 0 && got[2] == 0.25f && got[3] == 32767.0f / 65536.0f);
    free(out.data);
    halo_session_close(session);
}

/* The length depends on the samples: with data the output is known, and each run may have another. */
static void length_depends_on_samples(void **state)
{
    (void)state;
    float frames[1000] = {0};
    const int64_t size[] = {1000};
    for (int i = 300; i < 500; i++) frames[i] = 0.5f;
    HaloSession *session = array_session(NULL);
    HaloArray in = array_packed(HALO_TYPE_F32, "t", size, frames), out;
    in.rate = 1000;
    HaloArray made = array_run(session, "silence", &in, 1);
    assert_true(made.size[0] >= 200 && made.size[0] < 1000);
    HaloPipeline *pipeline = array_pipeline(session, "silence");
    HaloPlan *plan = NULL;
    in.data = NULL;
    halo_array_defaults(&out);
    array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), "without data");
    assert_int_equal(halo_plan_output(plan, 0, &out), HALO_ERR_USAGE);
    in.data = frames;
    HaloArray small = made;
    small.size[0] = 10;
    assert_int_equal(halo_plan_run(plan, &in, &small, NULL, NULL), HALO_ERR_USAGE);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    free(made.data);
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(layouts, 400),
        cmocka_unit_test(second_inputs),
        cmocka_unit_test(sound_is_fractions),
        cmocka_unit_test(length_depends_on_samples),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
