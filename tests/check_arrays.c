/* Arrays in and out (halo.h): any layout and element type gives what a packed buffer gives, blocks that overlap
 * by the reach give what the whole gives, threads may share a plan, and what is not an array is refused. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "halo/halo.h"
#include "random.h"

enum { MOST_SIDE = 16, MOST_BYTES = 8 * 8 * MOST_SIDE * 2 * MOST_SIDE * 2, BLOCKS_SIDE = 80 };

static void ok(HaloStatus status, const char *what)
{
    if (status != HALO_OK) fail_case(NULL, "%s: %s", what, halo_error());
}

static HaloSession *session_of(HaloOptions *options)
{
    HaloSession *session = NULL;
    ok(halo_session_open(options, &session), "session");
    return session;
}

static HaloPipeline *pipeline_of(HaloSession *session, const char *text)
{
    HaloPipeline *pipeline = NULL;
    ok(halo_pipeline_parse(session, text, &pipeline), text);
    return pipeline;
}

/* A packed array of these axes; all sizes are at most MOST_SIDE, and channels 4. */
static HaloArray packed(HaloType type, const char *axes, const int64_t *size, void *data)
{
    HaloArray array;
    halo_array_defaults(&array);
    array.type = type;
    array.data = data;
    array.dims = (int)strlen(axes);
    strcpy(array.axes, axes);
    memcpy(array.size, size, sizeof *size * strlen(axes));
    return array;
}

static size_t bytes_of(const HaloArray *array)
{
    size_t bytes = halo_type_size(array->type);
    for (int i = 0; i < array->dims; i++) bytes *= (size_t)array->size[i];
    return bytes;
}

/* Runs on arrays whose output is allocated here, in C order. */
static HaloArray run(HaloSession *session, const char *text, const HaloArray *inputs, size_t count)
{
    HaloPipeline *pipeline = pipeline_of(session, text);
    HaloPlan *plan = NULL;
    HaloArray output;
    halo_array_defaults(&output);
    ok(halo_plan_open(session, pipeline, inputs, count, &plan), text);
    halo_pipeline_free(pipeline); /* plans do not point into it */
    ok(halo_plan_output(plan, 0, &output), text);
    output.data = malloc(bytes_of(&output));
    ok(halo_plan_run(plan, inputs, &output, NULL, NULL), text);
    halo_plan_close(plan);
    return output;
}

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
    HaloArray made = packed(type, "hwc", size, NULL);
    made.white = array->white;
    made.data = malloc(bytes_of(&made));
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
    if (got->type != wanted->type || bytes_of(got) != bytes_of(wanted))
        fail_case(NULL, "%s: %zu bytes of %s, not %zu of %s", text, bytes_of(got), halo_type_name(got->type),
                  bytes_of(wanted), halo_type_name(wanted->type));
    HaloArray same = straight(&strided, got->type);
    if (memcmp(same.data, wanted->data, bytes_of(wanted)) != 0)
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
    HaloArray array = packed(type, how, size, memory);
    fill(rng, type, memory, sizeof memory);
    scatter(rng, &array);
    const HaloType computed = type == HALO_TYPE_U8 || type == HALO_TYPE_U16 ? type : HALO_TYPE_F32;
    HaloArray plain = straight(&array, computed);
    HaloSession *session = session_of(NULL);
    HaloArray wanted = run(session, text, &plain, 1), got = run(session, text, &array, 1);
    expect_same(text, &got, &wanted);
    free(plain.data);
    free(wanted.data);
    free(got.data);
    halo_session_close(session);
}

/* ---- secondary inputs, pages, sound -----------------------------------------------------------------------
 */

static void second_inputs(void **state)
{
    (void)state;
    static uint8_t image[3][4][5], dark[3][4][5];
    for (int i = 0; i < 60; i++) {
        ((uint8_t *)image)[i] = (uint8_t)(100 + i);
        ((uint8_t *)dark)[i] = (uint8_t)i;
    }
    const int64_t pages[] = {3, 4, 5};
    HaloSession *session = session_of(NULL);
    HaloArray in[2] = {packed(HALO_TYPE_U8, "nhw", pages, image), packed(HALO_TYPE_U8, "nhw", pages, dark)};
    HaloArray out = run(session, "subtract:@2", in, 2);
    for (int i = 0; i < 60; i++) assert_int_equal(((uint8_t *)out.data)[i], 100);
    free(out.data);
    in[1].dims = 2; /* one page for all */
    strcpy(in[1].axes, "hw");
    in[1].size[0] = 4;
    in[1].size[1] = 5;
    out = run(session, "subtract:[@2 | gain:1x]", in, 2);
    for (int i = 0; i < 60; i++) assert_int_equal(((uint8_t *)out.data)[i], 100 + i / 20 * 20);
    free(out.data);
    /* An array with another size, one that is not there, and one in a file's place. */
    in[1].size[0] = 3;
    HaloPipeline *pipeline = pipeline_of(session, "subtract:@2");
    HaloPlan *plan = NULL;
    assert_int_equal(halo_plan_open(session, pipeline, in, 2, &plan), HALO_ERR_INPUT);
    assert_non_null(strstr(halo_error(), "@2"));
    assert_null(plan);
    assert_int_equal(halo_plan_open(session, pipeline, in, 1, &plan), HALO_ERR_USAGE);
    assert_non_null(strstr(halo_error(), "there is no array @2"));
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

static void sound_is_fractions(void **state)
{
    (void)state;
    int16_t frames[4] = {-32768, 0, 16384, 32767};
    const int64_t size[] = {4};
    HaloSession *session = session_of(NULL);
    HaloArray in = packed(HALO_TYPE_I16, "t", size, frames);
    in.rate = 8000;
    HaloArray out = run(session, "gain:0.5x", &in, 1);
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
    HaloSession *session = session_of(NULL);
    HaloArray in = packed(HALO_TYPE_F32, "t", size, frames), out;
    in.rate = 1000;
    HaloArray made = run(session, "silence", &in, 1);
    assert_true(made.size[0] >= 200 && made.size[0] < 1000);
    HaloPipeline *pipeline = pipeline_of(session, "silence");
    HaloPlan *plan = NULL;
    in.data = NULL;
    halo_array_defaults(&out);
    ok(halo_plan_open(session, pipeline, &in, 1, &plan), "without data");
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

/* ---- reach ----------------------------------------------------------------------------------------------- */

static void blocks_by_reach(Rng *rng)
{
    static const char *const texts[] = {"gauss:2",          "median:5 | box:3", "sobel | gauss:1",
                                        "subtract:[box:9]", "local:sd,5",       "gain:2x"};
    static float memory[BLOCKS_SIDE * BLOCKS_SIDE];
    const char *text = texts[rng_between(rng, 0, 5)];
    const int64_t size[] = {BLOCKS_SIDE, BLOCKS_SIDE};
    int64_t reach[4];
    HaloSession *session = session_of(NULL);
    HaloArray whole = packed(HALO_TYPE_F32, "hw", size, memory);
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) memory[i] = rng_float(rng, -1, 1);
    HaloPipeline *pipeline = pipeline_of(session, text);
    HaloPlan *plan = NULL;
    ok(halo_plan_open(session, pipeline, &whole, 1, &plan), text);
    ok(halo_plan_reach(plan, reach), text);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    assert_true(reach[0] >= 0 && reach[0] < 30 && reach[0] == reach[1] && reach[2] == reach[3]);
    HaloArray all = run(session, text, &whole, 1), block = whole;
    /* From a corner or the middle, with the reach around the part that counts. */
    const int64_t y0 = rng_between(rng, 0, 40), x0 = rng_between(rng, 0, 40), y1 = y0 + 20, x1 = x0 + 20;
    const int64_t top = y0 > reach[2] ? y0 - reach[2] : 0, left = x0 > reach[0] ? x0 - reach[0] : 0;
    const int64_t bottom = y1 + reach[3] < size[0] ? y1 + reach[3] : size[0],
                  right = x1 + reach[1] < size[1] ? x1 + reach[1] : size[1];
    block.data = memory + top * size[1] + left;
    block.size[0] = bottom - top;
    block.size[1] = right - left;
    block.stride[0] = size[1] * 4;
    block.stride[1] = 4;
    HaloArray part = run(session, text, &block, 1);
    for (int64_t y = y0; y < y1; y++)
        for (int64_t x = x0; x < x1; x++) {
            const float got = ((float *)part.data)[(y - top) * block.size[1] + x - left];
            const float wanted = ((float *)all.data)[y * size[1] + x];
            if (got != wanted)
                fail_case(NULL, "%s: sample %" PRId64 ",%" PRId64 " of a block is %g, not %g", text, x, y,
                          (double)got, (double)wanted);
        }
    free(all.data);
    free(part.data);
    halo_session_close(session);
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
    HaloSession *session = session_of(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        HaloArray in = packed(HALO_TYPE_U8, cases[i].axes, size, NULL);
        HaloPipeline *pipeline = pipeline_of(session, cases[i].text);
        HaloPlan *plan = NULL;
        int64_t reach[4];
        ok(halo_plan_open(session, pipeline, &in, 1, &plan), cases[i].text);
        ok(halo_plan_reach(plan, reach), cases[i].text);
        for (int k = 0; k < 4; k++)
            if (reach[k] != cases[i].reach[k])
                fail_case(NULL, "%s on %s reaches %" PRId64 " in direction %d, not %" PRId64, cases[i].text,
                          cases[i].axes, reach[k], k, cases[i].reach[k]);
        halo_plan_close(plan);
        halo_pipeline_free(pipeline);
    }
    halo_session_close(session);
}

static void reach_of_the_rest(void **state)
{
    (void)state;
    static const char *const texts[] = {"flip:x",    "rotate:180",   "equalize",
                                        "normalize", "resize:20x20", "gauss:2,border=wrap"};
    const int64_t size[] = {50, 50};
    HaloSession *session = session_of(NULL);
    HaloArray in = packed(HALO_TYPE_U8, "hw", size, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        HaloPipeline *pipeline = pipeline_of(session, texts[i]);
        HaloPlan *plan = NULL;
        int64_t reach[4];
        ok(halo_plan_open(session, pipeline, &in, 1, &plan), texts[i]);
        ok(halo_plan_reach(plan, reach), texts[i]);
        if (reach[0] != -1 || reach[3] != -1)
            fail_case(NULL, "%s has a reach of %" PRId64 " to the left", texts[i], reach[0]);
        halo_plan_close(plan);
        halo_pipeline_free(pipeline);
    }
    halo_session_close(session);
}

/* ---- threads, fork, cancelling -----------------------------------------------------------------------------
 */

enum { SHARERS = 4, SHARED_SIDE = 64 };

typedef struct Sharer {
    HaloPlan *plan;
    const HaloArray *in;
    const void *wanted;
    bool same;
} Sharer;

static void *share(void *context)
{
    Sharer *self = context;
    static _Thread_local uint8_t memory[SHARED_SIDE * SHARED_SIDE];
    const int64_t size[] = {SHARED_SIDE, SHARED_SIDE};
    HaloArray out = packed(HALO_TYPE_U8, "hw", size, memory);
    self->same = true;
    for (int i = 0; i < 20; i++) {
        HaloReport *report = NULL;
        memset(memory, 0, sizeof memory);
        self->same = self->same && halo_plan_run(self->plan, self->in, &out, NULL, &report) == HALO_OK &&
                     memcmp(memory, self->wanted, sizeof memory) == 0;
        halo_report_close(report);
    }
    return NULL;
}

static void threads_share_a_plan(void **state)
{
    (void)state;
    static uint8_t image[SHARED_SIDE * SHARED_SIDE];
    const int64_t size[] = {SHARED_SIDE, SHARED_SIDE};
    for (size_t i = 0; i < sizeof image; i++) image[i] = (uint8_t)(i * 7 + i / 64);
    HaloSession *session = session_of(NULL);
    HaloArray in = packed(HALO_TYPE_U8, "hw", size, image);
    HaloArray wanted = run(session, "normalize | median:5 | stats", &in, 1);
    HaloPipeline *pipeline = pipeline_of(session, "normalize | median:5 | stats");
    HaloPlan *plan = NULL;
    ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
    Sharer sharer[SHARERS];
    pthread_t thread[SHARERS];
    for (int i = 0; i < SHARERS; i++) {
        sharer[i] = (Sharer){plan, &in, wanted.data, false};
        assert_int_equal(pthread_create(&thread[i], NULL, share, &sharer[i]), 0);
    }
    for (int i = 0; i < SHARERS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < SHARERS; i++) assert_true(sharer[i].same);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    free(wanted.data);
}

/* A child gets a message, and may open a session of its own. */
static void forked(void **state)
{
    (void)state;
    static uint8_t image[256 * 256];
    const int64_t size[] = {256, 256};
    HaloSession *session = session_of(NULL);
    HaloArray in = packed(HALO_TYPE_U8, "hw", size, image);
    HaloArray out = run(session, "gauss:2", &in, 1);
    const pid_t child = fork();
    if (child == 0) {
        HaloPipeline *pipeline = NULL;
        HaloSession *own = NULL;
        alarm(20);
        const bool refused = halo_pipeline_parse(session, "gauss:2", &pipeline) == HALO_ERR_USAGE &&
                             strstr(halo_error(), "fork") != NULL;
        const bool works = halo_session_open(NULL, &own) == HALO_OK;
        HaloArray again = run(own, "gauss:2", &in, 1);
        _exit(refused && works && memcmp(again.data, out.data, 256 * 256) == 0 ? 0 : 1);
    }
    int how = -1;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    free(out.data);
    halo_session_close(session);
}

static bool stop_at_once(void *context, double done)
{
    (void)done;
    ++*(int *)context;
    return false;
}

static void cancelled(void **state)
{
    (void)state;
    static uint8_t image[256 * 256], made[256 * 256];
    int calls = 0;
    const int64_t size[] = {256, 256};
    HaloOptions options;
    halo_options_defaults(&options);
    options.progress = stop_at_once;
    options.context = &calls;
    HaloSession *session = session_of(&options);
    HaloPipeline *pipeline = pipeline_of(session, "gauss:2");
    HaloPlan *plan = NULL;
    HaloArray in = packed(HALO_TYPE_U8, "hw", size, image), out = packed(HALO_TYPE_U8, "hw", size, made);
    ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
    assert_int_equal(halo_plan_run(plan, &in, &out, NULL, NULL), HALO_ERR_CANCELLED);
    assert_int_equal(calls, 1);
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

typedef struct Progress {
    int calls;
    double done[8];
} Progress;

/* Takes longer than the least time between two calls; ends the run at the fifth. */
static bool nap(void *context, double done)
{
    Progress *progress = context;
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    progress->done[progress->calls++] = done;
    return progress->calls < 5;
}

/* Also a plan that runs in one band is asked, before each step. */
static void cancelled_between_steps(void **state)
{
    (void)state;
    static uint8_t image[64 * 64];
    uint8_t made[64 * 64];
    Progress progress = {0};
    const int64_t size[] = {64, 64};
    HaloOptions options;
    halo_options_defaults(&options);
    options.progress = nap;
    options.context = &progress;
    HaloSession *session = session_of(&options);
    HaloPipeline *pipeline = pipeline_of(
        session, "median:3 | gauss:1 | offset:3 | median:3 | gauss:1 | offset:3 | median:3 | gauss:1");
    HaloPlan *plan = NULL;
    HaloArray in = packed(HALO_TYPE_U8, "hw", size, image), out = packed(HALO_TYPE_U8, "hw", size, made);
    ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
    assert_int_equal(halo_plan_run(plan, &in, &out, NULL, NULL), HALO_ERR_CANCELLED);
    assert_int_equal(progress.calls, 5);
    for (int i = 0; i < 5; i++)
        assert_true(progress.done[i] < 1 && progress.done[i] >= (i > 0 ? progress.done[i - 1] : 0));
    halo_plan_close(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

/* ---- files in memory ---------------------------------------------------------------------------------------
 */

static void files_in_memory(void **state)
{
    (void)state;
    uint8_t image[2][3][3] = {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {{10, 20, 30}, {40, 50, 60}, {70, 80, 90}}};
    const int64_t size[] = {2, 3, 3};
    HaloSession *session = session_of(NULL);
    const HaloArray in = packed(HALO_TYPE_U8, "hwc", size, image);
    static const char *const formats[] = {"png", "ppm", "npy", "tiff"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        HaloBytes bytes = {0}, again = {0};
        const HaloFile out = {
            .struct_size = sizeof out, .write = halo_bytes_write, .context = &bytes, .format = formats[i]};
        if (halo_save(session, &in, &out) != HALO_OK) { /* this build has no TIFF */
            assert_non_null(strstr(halo_error(), formats[i]));
            continue;
        }
        const HaloFile from = {.struct_size = sizeof from, .bytes = bytes.data, .size = bytes.size};
        const HaloFile to = {.struct_size = sizeof to, .write = halo_bytes_write, .context = &again};
        HaloArray array;
        halo_array_defaults(&array);
        ok(halo_load(session, &from, false, &array), formats[i]);
        assert_int_equal(array.type, HALO_TYPE_U8);
        assert_memory_equal(array.data, image, sizeof image);
        HaloPipeline *nothing = pipeline_of(session, "");
        ok(halo_run(session, nothing, &from, &to, NULL), formats[i]);
        HaloArray info;
        halo_array_defaults(&info);
        const HaloFile second = {.struct_size = sizeof second, .bytes = again.data, .size = again.size};
        ok(halo_info(session, &second, &info), formats[i]);
        assert_true(info.dims == 3 && info.size[0] == 2 && info.size[1] == 3 && info.data == NULL);
        halo_pipeline_free(nothing);
        halo_free(array.data);
        halo_free(bytes.data);
        halo_free(again.data);
    }
    const HaloFile rubbish = {.struct_size = sizeof rubbish, .bytes = "not a picture", .size = 13};
    HaloArray array;
    halo_array_defaults(&array);
    assert_int_equal(halo_load(session, &rubbish, false, &array), HALO_ERR_INPUT);
    assert_null(array.data);
    halo_session_close(session);
}

/* ---- what is refused ----------------------------------------------------------------------------------------
 */

static void refuse(HaloSession *session, const HaloArray *array, const char *says)
{
    HaloPipeline *pipeline = pipeline_of(session, "gauss:1");
    HaloPlan *plan = NULL;
    const HaloStatus status = halo_plan_open(session, pipeline, array, 1, &plan);
    if (status != HALO_ERR_USAGE && status != HALO_ERR_LIMIT)
        fail_case(NULL, "status %d, not '%s'", status, says);
    if (strstr(halo_error(), says) == NULL) fail_case(NULL, "'%s' does not say '%s'", halo_error(), says);
    assert_null(plan);
    halo_pipeline_free(pipeline);
}

static void no_arrays(void **state)
{
    (void)state;
    uint8_t image[12] = {0};
    const int64_t size[] = {3, 4};
    HaloSession *session = session_of(NULL);
    const HaloArray good = packed(HALO_TYPE_U8, "hw", size, image);
    HaloArray bad = good;
    bad.struct_size = 0;
    refuse(session, &bad, "halo_array_defaults");
    bad = good, bad.size[1] = 0;
    refuse(session, &bad, "is empty");
    bad = good, bad.size[0] = INT64_MAX;
    refuse(session, &bad, "too large");
    bad = good, bad.type = (HaloType)99;
    refuse(session, &bad, "element type");
    bad = good, bad.dims = 9;
    refuse(session, &bad, "9 dimensions");
    bad = good, strcpy(bad.axes, "hh");
    refuse(session, &bad, "axes 'hh'");
    bad = good, strcpy(bad.axes, "hc");
    refuse(session, &bad, "axes 'hc'");
    bad = good, bad.rate = (double)NAN;
    refuse(session, &bad, "rate of");
    bad = good, bad.white = -3;
    refuse(session, &bad, "full scale");
    bad = good, bad.alpha = 4;
    refuse(session, &bad, "alpha");
    bad = good, bad.stride[0] = INT64_MIN;
    refuse(session, &bad, "too large");
    HaloPipeline *pipeline = pipeline_of(session, "gauss:1");
    HaloPlan *plan = NULL;
    HaloArray out = good;
    ok(halo_plan_open(session, pipeline, &good, 1, &plan), "plan");
    out.data = NULL;
    assert_int_equal(halo_plan_run(plan, &good, &out, NULL, NULL), HALO_ERR_USAGE);
    out = good, out.type = HALO_TYPE_F32;
    assert_int_equal(halo_plan_run(plan, &good, &out, NULL, NULL), HALO_ERR_USAGE);
    out = good, out.size[0] = 2;
    assert_int_equal(halo_plan_run(plan, &good, &out, NULL, NULL), HALO_ERR_USAGE);
    bad = good, bad.size[0] = 4;
    assert_int_equal(halo_plan_run(plan, &bad, &out, NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_run(plan, NULL, NULL, NULL, NULL), HALO_ERR_USAGE);
    halo_plan_close(plan);
    /* NULL wherever a pointer is needed. */
    assert_int_equal(halo_session_open(NULL, NULL), HALO_ERR_USAGE);
    HaloPipeline *none = NULL;
    assert_int_equal(halo_pipeline_parse(NULL, "gauss", &none), HALO_ERR_USAGE);
    assert_int_equal(halo_pipeline_parse(session, NULL, &none), HALO_ERR_USAGE);
    assert_int_equal(halo_pipeline_parse(session, "gauss", NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_open(session, NULL, &good, 1, &plan), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_open(session, pipeline, NULL, 1, &plan), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_open(session, pipeline, &good, 0, &plan), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_open(session, pipeline, &good, 1, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_run(NULL, &good, &out, NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_output(NULL, 0, &out), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_reach(NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_plan_explain(NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_run(session, pipeline, NULL, NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_run(NULL, pipeline, NULL, NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_load(session, NULL, false, &out), HALO_ERR_USAGE);
    assert_int_equal(halo_save(session, NULL, NULL), HALO_ERR_USAGE);
    assert_int_equal(halo_operation(0, NULL), HALO_ERR_USAGE);
    assert_null(halo_report_table(NULL, 0, NULL, NULL));
    assert_null(halo_report_note(NULL, 0));
    halo_plan_close(NULL);
    halo_report_close(NULL);
    halo_session_trim(NULL);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

static void options_of_other_versions(void **state)
{
    (void)state;
    struct {
        HaloOptions options;
        long newer;
    } larger;
    HaloSession *session = NULL;
    memset(&larger, 0, sizeof larger);
    assert_int_equal(halo_session_open(&larger.options, &session), HALO_ERR_USAGE); /* no size */
    larger.options.struct_size = sizeof larger;
    ok(halo_session_open(&larger.options, &session), "members of a later version that are 0");
    halo_session_close(session);
    larger.newer = 1;
    assert_int_equal(halo_session_open(&larger.options, &session), HALO_ERR_USAGE);
    assert_null(session);
    larger.options.struct_size = 16; /* a version with two members */
    ok(halo_session_open(&larger.options, &session), "a smaller struct");
    halo_session_close(session);
}

static void operations(void **state)
{
    (void)state;
    HaloOperation operation = {.struct_size = sizeof operation};
    HaloParameter parameter = {.struct_size = sizeof parameter};
    size_t i = 0;
    bool gauss = false;
    for (; halo_operation(i, &operation) == HALO_OK; i++) {
        assert_true(operation.name != NULL && operation.help != NULL && (operation.images || operation.sound));
        for (int k = 0; k < operation.parameters; k++) {
            assert_int_equal(halo_operation_parameter(i, k, &parameter), HALO_OK);
            assert_true(parameter.name != NULL && parameter.type != NULL && parameter.help != NULL);
        }
        assert_int_equal(halo_operation_parameter(i, operation.parameters, &parameter), HALO_ERR_USAGE);
        gauss = gauss || strcmp(operation.name, "gauss") == 0;
    }
    assert_true(gauss && i > 50);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(layouts, 400),
        random_test(blocks_by_reach, 40),
        cmocka_unit_test(second_inputs),
        cmocka_unit_test(sound_is_fractions),
        cmocka_unit_test(length_depends_on_samples),
        cmocka_unit_test(reach_of_small_arrays),
        cmocka_unit_test(reach_of_the_rest),
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(forked),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(cancelled_between_steps),
        cmocka_unit_test(files_in_memory),
        cmocka_unit_test(no_arrays),
        cmocka_unit_test(options_of_other_versions),
        cmocka_unit_test(operations),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
