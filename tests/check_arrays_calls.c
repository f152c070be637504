/* Calls with arrays (halo.h): threads may share a plan, a run can be cancelled, files may lie in memory, and
 * what is not an array is refused. */
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

#include "arrays.h"
#include "random.h"

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
    HaloArray out = array_packed(HALO_TYPE_U8, "hw", size, memory);
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
    HaloSession *session = array_session(NULL);
    HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, image);
    HaloArray wanted = array_run(session, "normalize | median:5 | stats", &in, 1);
    HaloPipeline *pipeline = array_pipeline(session, "normalize | median:5 | stats");
    HaloPlan *plan = NULL;
    array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
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
    HaloSession *session = array_session(NULL);
    HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, image);
    HaloArray out = array_run(session, "gauss:2", &in, 1);
    const pid_t child = fork();
    if (child == 0) {
        HaloPipeline *pipeline = NULL;
        HaloSession *own = NULL;
        alarm(20);
        const bool refused = halo_pipeline_parse(session, "gauss:2", &pipeline) == HALO_ERR_USAGE &&
                             strstr(halo_error(), "fork") != NULL;
        const bool works = halo_session_open(NULL, &own) == HALO_OK;
        HaloArray again = array_run(own, "gauss:2", &in, 1);
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
    HaloSession *session = array_session(&options);
    HaloPipeline *pipeline = array_pipeline(session, "gauss:2");
    HaloPlan *plan = NULL;
    HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, image),
              out = array_packed(HALO_TYPE_U8, "hw", size, made);
    array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
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
    HaloSession *session = array_session(&options);
    HaloPipeline *pipeline = array_pipeline(
        session, "median:3 | gauss:1 | offset:3 | median:3 | gauss:1 | offset:3 | median:3 | gauss:1");
    HaloPlan *plan = NULL;
    HaloArray in = array_packed(HALO_TYPE_U8, "hw", size, image),
              out = array_packed(HALO_TYPE_U8, "hw", size, made);
    array_ok(halo_plan_open(session, pipeline, &in, 1, &plan), "plan");
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
    HaloSession *session = array_session(NULL);
    const HaloArray in = array_packed(HALO_TYPE_U8, "hwc", size, image);
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
        array_ok(halo_load(session, &from, false, &array), formats[i]);
        assert_int_equal(array.type, HALO_TYPE_U8);
        assert_memory_equal(array.data, image, sizeof image);
        HaloPipeline *nothing = array_pipeline(session, "");
        array_ok(halo_run(session, nothing, &from, &to, NULL), formats[i]);
        HaloArray info;
        halo_array_defaults(&info);
        const HaloFile second = {.struct_size = sizeof second, .bytes = again.data, .size = again.size};
        array_ok(halo_info(session, &second, &info), formats[i]);
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
    HaloPipeline *pipeline = array_pipeline(session, "gauss:1");
    HaloPlan *plan = NULL;
    const HaloStatus status = halo_plan_open(session, pipeline, array, 1, &plan);
    if (status != HALO_ERR_USAGE && status != HALO_ERR_LIMIT)
        fail_case(NULL, "status %d, not '%s'", status, says);
    if (strstr(halo_error(), says) == NULL) fail_case(NULL, "'%s' does not say '%s'", halo_error(), says);
    assert_null(plan);
    halo_pipeline_free(pipeline);
}

/* The format of an input is the caller's, if it names one, in memory and by path. */
static void formats_by_name(void **state)
{
    (void)state;
    static const char text[] = "5 6\n7 9\n";
    HaloSession *session = array_session(NULL);
    HaloPipeline *nothing = array_pipeline(session, "");
    FILE *to = fopen("numbers.dat", "w");
    assert_true(to != NULL && fputs(text, to) >= 0 && fclose(to) == 0);
    const HaloFile each[] = {{.struct_size = sizeof(HaloFile), .bytes = text, .size = sizeof text - 1},
                             {.struct_size = sizeof(HaloFile), .path = "numbers.dat"}};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) { /* without a name again at the end */
            HaloArray array;
            halo_array_defaults(&array);
            HaloBytes made = {0};
            HaloFile in = each[i];
            const HaloFile out = {
                .struct_size = sizeof out, .write = halo_bytes_write, .context = &made, .format = "npy"};
            in.format = k == 1 ? "csv" : NULL;
            const HaloStatus wanted = k == 1 ? HALO_OK : HALO_ERR_INPUT;
            assert_int_equal(halo_load(session, &in, false, &array), wanted);
            if (k == 1) assert_true(array.rate > 0 && array.data != NULL);
            free(array.data);
            assert_int_equal(halo_run(session, nothing, &in, &out, NULL), wanted);
            assert_int_equal(made.size > 0, k == 1);
            free(made.data);
        }
    HaloFile png = each[0];
    HaloArray array;
    halo_array_defaults(&array);
    png.format = "png";
    assert_int_equal(halo_load(session, &png, false, &array), HALO_ERR_INPUT);
    remove("numbers.dat");
    halo_pipeline_free(nothing);
    halo_session_close(session);
}

static void no_arrays(void **state)
{
    (void)state;
    uint8_t image[12] = {0};
    const int64_t size[] = {3, 4};
    HaloSession *session = array_session(NULL);
    const HaloArray good = array_packed(HALO_TYPE_U8, "hw", size, image);
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
    HaloPipeline *pipeline = array_pipeline(session, "gauss:1");
    HaloPlan *plan = NULL;
    HaloArray out = good;
    array_ok(halo_plan_open(session, pipeline, &good, 1, &plan), "plan");
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
    assert_false(halo_pipeline_only_measures(NULL));
    HaloBytes bytes = {0};
    assert_int_equal(halo_bytes_write(NULL, "a", 1), -1);
    assert_int_equal(halo_bytes_write(&bytes, NULL, 1), -1);
    assert_int_equal(halo_bytes_write(&bytes, "a", SIZE_MAX), -1);
    assert_int_equal(halo_bytes_write(&bytes, NULL, 0), 0);
    halo_plan_close(NULL);
    halo_report_close(NULL);
    halo_session_trim(NULL);
    halo_pipeline_free(pipeline);
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

/* Stacks are f32, f64 or, as their arrays, u8 and u16; the message names what fits. */
static void types_of_stacks(void **state)
{
    (void)state;
    static const struct {
        HaloType in, out;
        const char *says; /* NULL: it is made */
    } each[] = {
        {HALO_TYPE_I16, HALO_TYPE_I16, "of type i16: expected f32 or f64"},
        {HALO_TYPE_U8, HALO_TYPE_I16, "of type i16: expected u8, f32 or f64"},
        {HALO_TYPE_I16, HALO_TYPE_F32, NULL},
        {HALO_TYPE_U8, HALO_TYPE_U8, NULL},
        {HALO_TYPE_U16, HALO_TYPE_U16, NULL},
        {HALO_TYPE_F64, HALO_TYPE_F64, NULL},
    };
    HaloSession *session = array_session(NULL);
    double samples[2][4] = {{0}}, made[4];
    const int64_t size[] = {2, 2};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        HaloArray in[2];
        for (int k = 0; k < 2; k++) in[k] = array_packed(each[i].in, "hw", size, samples[k]);
        const HaloArray out = array_packed(each[i].out, "hw", size, made);
        const HaloStatus status = halo_stack_arrays(session, "mean", in, 2, &out);
        assert_int_equal(status, each[i].says == NULL ? HALO_OK : HALO_ERR_USAGE);
        if (each[i].says != NULL) assert_non_null(strstr(halo_error(), each[i].says));
    }
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(forked),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(cancelled_between_steps),
        cmocka_unit_test(files_in_memory),
        cmocka_unit_test(formats_by_name),
        cmocka_unit_test(no_arrays),
        cmocka_unit_test(types_of_stacks),
        cmocka_unit_test(operations),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
