/* A GPU that fails: every call of a made-up one in turn, in every pipeline here. `auto` does the file again on
 * the CPU, with the same bytes, and says so; a GPU asked for by name is an error with the cause; and the next
 * file goes on as if nothing had been. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "core.h"
#include "pipelines.h"

static const char *const pipeline_text[] = {
    "gauss:1.5", "conv:mask=\"3x3: 1,2,1,2,4,2,1,2,1\" | invert", "sobel | stats", "median:1 | hist",
    "normalize", "reduce:expr=\"a+b\",identity=0 | equalize",
};
enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

/* ---- the made-up GPU: the CPU behind a table of calls that can fail ------------------------------------- */

static struct Fake {
    const HaloBackend *cpu;
    int call, fails_at; /* calls are counted from 1; this one and all after it fail; 0: none */
    bool fails_once;    /* just that one */
    int uploads, downloads;
    int pins, unpins; /* of memory for copies */
    bool pins_none;
    char *pinned; /* the latest, */
    int64_t pinned_bytes;
    int of_pinned;   /* and how many copies were from and to it */
    int64_t memory;  /* bytes that it says it has */
    int64_t scratch; /* bytes a row of the output that each step takes besides; */
    int64_t rows;    /* these were asked for, */
    bool asking;     /* while nothing is computed */
    bool is_there, opens;
} fake;

static HaloStatus fails(void)
{
    fake.call++;
    if (fake.fails_at == 0 || fake.call < fake.fails_at) return HALO_OK;
    if (fake.fails_once && fake.call > fake.fails_at) return HALO_OK;
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: an unspecified launch failure");
}

static int fake_count(void)
{
    if (!fake.is_there) halo_fail(HALO_ERR_DEVICE, "no driver for it");
    return fake.is_there;
}

static HaloStatus fake_open(int index, int jobs, HaloDevice **device)
{
    if (fake.opens) return fake.cpu->open(index, jobs, device);
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: out of memory");
}

static int64_t fake_memory(HaloDevice *device) { return (void)device, fake.memory; }
static void fake_ask(HaloDevice *device)
{
    (void)device;
    fake.asking = true;
    fake.rows = 0;
}

static int64_t fake_asked(HaloDevice *device)
{
    (void)device;
    fake.asking = false;
    return fake.scratch * fake.rows;
}

static const char *fake_describe(HaloDevice *device) { return (void)device, "a made-up GPU"; }

static void copy_rows(const HaloBuf *from, HaloBuf *to, const HaloBuf *rect)
{
    for (int64_t y = rect->y0; y < rect->y0 + rect->rows; y++)
        memcpy((void *)halo_at(to, rect->x0, y), halo_at(from, rect->x0, y), (size_t)halo_row_bytes(rect));
}

static HaloStatus fake_pin(HaloDevice *device, int64_t bytes, void **memory)
{
    (void)device;
    *memory = NULL;
    if (fake.pins_none) return halo_fail(HALO_ERR_LIMIT, "no more of it");
    fake.pins++;
    *memory = fake.pinned = malloc((size_t)bytes);
    fake.pinned_bytes = bytes;
    return HALO_OK;
}

static void fake_unpin(HaloDevice *device, void *memory)
{
    (void)device;
    fake.unpins++;
    free(memory);
}

static void count_pinned(const HaloBuf *host)
{
    const char *const at = host->data;
    if (fake.pinned == NULL || at < fake.pinned || at >= fake.pinned + fake.pinned_bytes) return;
    if (at + (host->rows - 1) * host->stride + halo_row_bytes(host) > fake.pinned + fake.pinned_bytes)
        fail_case(NULL, "rows go beyond what was pinned");
    fake.of_pinned++;
}

static HaloStatus fake_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    const HaloStatus status = fails();
    fake.uploads++;
    count_pinned(host);
    (void)device;
    if (status == HALO_OK) copy_rows(host, to, to);
    return status;
}

static HaloStatus fake_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    const HaloStatus status = fails();
    fake.downloads++;
    count_pinned(host);
    (void)device;
    if (status == HALO_OK) copy_rows(from, host, host);
    return status;
}

/* The calls that only pass on what they are given. */
#define PASS_ON(X)                                                                                             \
    X(alloc, (HaloDevice * d, HaloBuf * buf), (d, buf), 0)                                                     \
    X(finish, (HaloDevice * d, uint64_t * clipped), (d, clipped), 0)                                           \
    X(conv, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloConv *how, HaloStore store),          \
      (d, src, dst, how, store), dst->rows)                                                                    \
    X(sep, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloSep *how, HaloStore store),            \
      (d, src, dst, how, store), dst->rows)                                                                    \
    X(map, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMap *how, HaloStore store),            \
      (d, src, dst, how, store), dst->rows)                                                                    \
    X(combine,                                                                                                 \
      (HaloDevice * d, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *how,               \
       HaloStore store),                                                                                       \
      (d, a, b, dst, how, store), dst->rows)                                                                   \
    X(reduce, (HaloDevice * d, const HaloBuf *src, unsigned want, HaloMoments *out), (d, src, want, out),      \
      src->rows)                                                                                               \
    X(fold, (HaloDevice * d, const HaloBuf *src, const HaloFold *how, double *out), (d, src, how, out),        \
      src->rows)                                                                                               \
    X(hist, (HaloDevice * d, const HaloBuf *src, const HaloHist *how, HaloHistogram *out), (d, src, how, out), \
      src->rows)                                                                                               \
    X(rank, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloRank *how, HaloStore store),          \
      (d, src, dst, how, store), dst->rows)                                                                    \
    X(equalize, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *how, HaloStore store),  \
      (d, src, dst, how, store), dst->rows)

#define DEFINE(name, parameters, arguments, step_rows)                \
    static HaloStatus fake_##name parameters                          \
    {                                                                 \
        if (fake.asking) {                                            \
            fake.rows += step_rows;                                   \
            return HALO_ERR_LIMIT;                                    \
        }                                                             \
        const HaloStatus status = fails();                            \
        return status == HALO_OK ? fake.cpu->name arguments : status; \
    }
PASS_ON(DEFINE)
#undef DEFINE

static int64_t band_rows; /* of the sessions that are opened; 0: as they like */

static HaloBackend fake_gpu;

static HaloSession *open_session(HaloDeviceChoice device)
{
    static const HaloBackend *both[2];
    static HaloTables tables; /* the session keeps a pointer to them */
    /* So many files that the start of a GPU costs none of them anything: `auto` takes it. */
    const HaloOptions options = {
        .device = device, .jobs = 1, .files = (int64_t)1 << 40, .band_rows = band_rows};
    HaloSession *session = NULL;
    tables = *halo_tables();
    fake = (struct Fake){.cpu = tables.backend[0], .memory = 1 << 30, .is_there = true, .opens = true};
    fake_gpu = *fake.cpu;
    fake_gpu.name = "made-up";
    fake_gpu.count = fake_count;
    fake_gpu.open = fake_open;
    fake_gpu.memory = fake_memory;
    fake_gpu.ask = fake_ask;
    fake_gpu.asked = fake_asked;
    fake_gpu.describe = fake_describe;
    fake_gpu.upload = fake_upload;
    fake_gpu.download = fake_download;
    fake_gpu.pin = fake_pin;
    fake_gpu.unpin = fake_unpin;
    fake_gpu.mark = NULL;
    fake_gpu.elapsed = NULL;
#define SET(name, parameters, arguments, step_rows) fake_gpu.name = fake_##name;
    PASS_ON(SET)
#undef SET
    both[0] = fake.cpu;
    both[1] = &fake_gpu;
    tables.backend = both;
    tables.backends = 2;
    if (halo_session_open_with(&tables, &options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

/* ---- a file through it ---------------------------------------------------------------------------------- */

static char source[64], target[64];

static int write_source(void **state)
{
    (void)state;
    Rng rng = {7};
    const HaloInfo info = {.shape = shape_of(HALO_U8, 301, 203, 3, false), .bits = 8};
    HaloBuf in = random_input(&info.shape, false, &rng);
    Bytes file;
    snprintf(source, sizeof source, "%s", test_path("device-in.ppm"));
    snprintf(target, sizeof target, "%s", test_path("device-out.ppm"));
    if (encode(&halo_format_pnm, &info, &in, 0, &file) != HALO_OK) return -1;
    bytes_to_file(source, file.at, file.size);
    free(file.at);
    halo_buf_free(&in);
    return 0;
}

/* What came of it: the output's bytes, none where it failed, and the results. */
typedef struct Made {
    HaloStatus status;
    Bytes file;
    char *results;
    char backend[16], why[200];
    bool fell_back;
} Made;

static Made make(HaloSession *session, const char *text)
{
    Made made = {.file = {NULL, 0}};
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = source, .output = target};
    HaloStatus status = HALO_OK;
    fake.call = 0;
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_run(session, pipeline, &job, &report));
    made.file = bytes_of_file(target);
    made.results = results_text(&report.results);
    made.fell_back = report.fell_back;
    snprintf(made.backend, sizeof made.backend, "%s", report.backend);
    snprintf(made.why, sizeof made.why, "%s", report.why);
    halo_report_free(&report);
out:
    made.status = status;
    if ((access(target, F_OK) == 0) != (status == HALO_OK))
        fail_case(NULL, "%s: status %d and the file", text, status);
    unlink(target);
    halo_pipeline_free(pipeline);
    return made;
}

static void made_free(Made *made)
{
    free(made->file.at);
    free(made->results);
}

static void expect_made(const char *text, const Made *made, const Made *expected, const char *backend)
{
    if (made->status != HALO_OK) fail_case(NULL, "%s: call %d: %s", text, fake.fails_at, halo_error());
    if (strcmp(made->backend, backend) != 0)
        fail_case(NULL, "%s: call %d: done by %s", text, fake.fails_at, made->backend);
    if (made->file.size != expected->file.size ||
        memcmp(made->file.at, expected->file.at, made->file.size) != 0 ||
        strcmp(made->results, expected->results) != 0)
        fail_case(NULL, "%s: call %d: other bytes", text, fake.fails_at);
}

/* On the CPU alone, and how many calls of the GPU the same takes. */
static Made undisturbed(const char *text, int *calls)
{
    HaloSession *const cpu = open_session(HALO_DEVICE_CPU);
    Made expected = make(cpu, text);
    halo_session_close(cpu);
    if (expected.status != HALO_OK) fail_case(NULL, "%s: %s", text, halo_error());
    HaloSession *const gpu = open_session(HALO_DEVICE_AUTO);
    Made made = make(gpu, text);
    *calls = fake.call;
    expect_made(text, &made, &expected, "made-up");
    if (made.fell_back) fail_case(NULL, "%s: nothing failed", text);
    made_free(&made);
    halo_session_close(gpu);
    return expected;
}

/* ---- tests ---------------------------------------------------------------------------------------------- */

/* Every pipeline, with each of its calls failing in turn; the file after that goes well. */
static void each_call_fails(HaloDeviceChoice device, void (*expect)(const char *, const Made *, const Made *))
{
    for (int p = 0; p < PIPELINES; p++) {
        const char *const text = pipeline_text[p];
        int calls;
        Made expected = undisturbed(text, &calls);
        for (int at = 1; at <= calls; at++) {
            HaloSession *const session = open_session(device);
            fake.fails_at = at;
            Made made = make(session, text);
            expect(text, &made, &expected);
            made_free(&made);
            fake.fails_at = 0;
            made = make(session, text);
            expect_made(text, &made, &expected, "made-up");
            made_free(&made);
            halo_session_close(session);
        }
        made_free(&expected);
    }
}

static void expect_the_cpu(const char *text, const Made *made, const Made *expected)
{
    expect_made(text, made, expected, "cpu");
    if (!made->fell_back || strstr(made->why, "unspecified launch failure") == NULL)
        fail_case(NULL, "%s: call %d: nothing is said of it", text, fake.fails_at);
}

static void auto_does_it_again_on_the_cpu(void **state)
{
    (void)state;
    each_call_fails(HALO_DEVICE_AUTO, expect_the_cpu);
}

static void expect_the_cause(const char *text, const Made *made, const Made *expected)
{
    (void)expected;
    if (made->status != HALO_ERR_DEVICE || strstr(halo_error(), "unspecified launch failure") == NULL)
        fail_case(NULL, "%s: call %d: status %d", text, fake.fails_at, made->status);
}

static void one_that_is_asked_for_is_an_error(void **state)
{
    (void)state;
    each_call_fails(HALO_DEVICE_GPU, expect_the_cause);
}

/* In bands, read and written meanwhile; where it fails half way the file is read again from its beginning. */
static void files_flow_through_it(void **state)
{
    (void)state;
    band_rows = 64;
    each_call_fails(HALO_DEVICE_AUTO, expect_the_cpu);
    each_call_fails(HALO_DEVICE_GPU, expect_the_cause);
    HaloSession *const session = open_session(HALO_DEVICE_AUTO);
    Made made = make(session, "gauss:1.5");
    assert_int_equal(fake.uploads, 4); /* of 203 rows */
    made_free(&made);
    halo_session_close(session);
    band_rows = 0;
}

/* Files are read into and written from memory that the link likes, which is taken once; without any they go all
 * the same. */
static void copies_like_their_memory(void **state)
{
    (void)state;
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    for (int rows = 0; rows <= 64; rows += 64)
        for (int none = 0; none < 2; none++) {
            band_rows = rows;
            HaloSession *const session = open_session(HALO_DEVICE_GPU);
            fake.pins_none = none != 0;
            for (int file = 0; file < 3; file++) {
                Made made = make(session, "gauss:1.5");
                if (made.status != HALO_OK || made.file.size != expected.file.size ||
                    memcmp(made.file.at, expected.file.at, made.file.size) != 0)
                    fail_case(NULL, "%d rows, file %d: status %d or other bytes", rows, file, made.status);
                made_free(&made);
            }
            assert_int_equal(fake.pins, none ? 0 : 1);
            assert_int_equal(fake.of_pinned, none ? 0 : fake.uploads + fake.downloads);
            halo_session_close(session);
            assert_int_equal(fake.unpins, fake.pins);
        }
    band_rows = 0;
    made_free(&expected);
}

/* A file that goes along is uploaded once, for all files; where it is large, each time, with its bands. */
static void sides_stay_there(void **state)
{
    (void)state;
    char text[300];
    int calls;
    snprintf(text, sizeof text, "subtract:\"%s\"", source);
    Made expected = undisturbed(text, &calls);
    HaloSession *const session = open_session(HALO_DEVICE_GPU);
    HaloPipeline *pipeline;
    const HaloJob job = {.input = source, .output = target, .force = HALO_FORCE_YES};
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    for (int file = 0; file < 6; file++) {
        HaloReport report;
        if (file == 3) halo_session_trim(session);
        if (file == 3) fake.memory = 300000; /* an eighth of which it outgrows */
        fake.uploads = 0;
        assert_int_equal(halo_run(session, pipeline, &job, &report), HALO_OK);
        if (file < 3)
            assert_int_equal(fake.uploads, file == 0 ? 2 : 1);
        else
            assert_true(fake.uploads >= 4); /* both of each band */
        Bytes made = bytes_of_file(target);
        assert_int_equal(made.size, expected.file.size);
        assert_memory_equal(made.at, expected.file.at, made.size);
        free(made.at);
        halo_report_free(&report);
    }
    unlink(target);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
    made_free(&expected);
}

/* What a run uses stays until it ends: where a buffer cannot be had at first, and where there are more files
 * than stay. */
static void sides_in_use_stay(void **state)
{
    (void)state;
    enum { SIDES = 6 };
    char text[SIDES * 120] = "", one[120], path[SIDES][80];
    int calls;
    const Bytes picture = bytes_of_file(source);
    for (int i = 0; i < SIDES; i++) {
        snprintf(path[i], sizeof path[i], "%s-%d.ppm", source, i);
        bytes_to_file(path[i], picture.at, picture.size);
        snprintf(one, sizeof one, "%ssubtract:\"%.79s\" | abs", i > 0 ? " | " : "", path[i]);
        strcat(text, one);
    }
    Made expected = undisturbed(text, &calls);
    for (int at = 1; at <= calls; at++) {
        HaloSession *const session = open_session(HALO_DEVICE_AUTO);
        for (int file = 0; file < 2; file++) {
            fake.fails_at = file * at;
            fake.fails_once = true;
            Made made = make(session, text);
            expect_made(text, &made, &expected, made.backend);
            made_free(&made);
        }
        halo_session_close(session);
    }
    for (int i = 0; i < SIDES; i++) unlink(path[i]);
    free(picture.at);
    made_free(&expected);
}

static void one_that_does_not_open_is_left_alone(void **state)
{
    (void)state;
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    for (int is_there = 0; is_there < 2; is_there++) {
        HaloSession *session = open_session(HALO_DEVICE_AUTO);
        fake.is_there = is_there;
        fake.opens = false;
        Made made = make(session, "gauss:1.5");
        expect_made("gauss:1.5", &made, &expected, "cpu");
        if (made.fell_back != is_there || strstr(made.why, is_there ? "out of memory" : "no driver") == NULL)
            fail_case(NULL, "it says '%s'", made.why);
        made_free(&made);
        halo_session_close(session);
        session = open_session(HALO_DEVICE_GPU);
        fake.is_there = is_there;
        fake.opens = false;
        made = make(session, "gauss:1.5");
        if (made.status != HALO_ERR_DEVICE) fail_case(NULL, "status %d", made.status);
        made_free(&made);
        halo_session_close(session);
    }
    made_free(&expected);
}

/* The GPU's memory and the scratch of a row are so that a filter has to go in bands, and it does. */
static void expect_bands(int64_t memory, int64_t scratch)
{
    int calls;
    Made expected = undisturbed("gauss:1.5", &calls);
    HaloSession *const session = open_session(HALO_DEVICE_GPU);
    fake.memory = memory;
    fake.scratch = scratch;
    Made made = make(session, "gauss:1.5");
    expect_made("gauss:1.5", &made, &expected, "made-up");
    if (fake.call < calls + 3) fail_case(NULL, "%d calls: no bands", fake.call);
    made_free(&made);
    halo_session_close(session);
    made_free(&expected);
}

static void little_memory_makes_bands(void **state)
{
    (void)state;
    expect_bands(200000, 0); /* 184 kB come in and 184 kB go out */
}

/* What steps take besides makes the bands smaller: 203 rows of 2400 bytes do not fit, a few do. */
static void scratch_makes_bands(void **state)
{
    (void)state;
    expect_bands(500000, 2400); /* 184 kB come in and 184 kB go out: alone they fit */
}

/* What cannot go in bands goes to the CPU, unless the GPU was asked for; no call of the GPU is made in vain. */
static void too_large_for_the_gpu(void **state)
{
    (void)state;
    static const char *const text[] = {"normalize", "equalize", "gauss:1.5"};
    for (int p = 0; p < 3; p++) {
        const bool in_bands = p == 2;
        int calls;
        Made expected = undisturbed(text[p], &calls);
        for (int asked = 0; asked < 2; asked++) {
            HaloSession *const session = open_session(asked ? HALO_DEVICE_GPU : HALO_DEVICE_AUTO);
            fake.memory = in_bands ? 3000000 : 500000; /* bands help against scratch, if there can be any */
            fake.scratch = in_bands ? 1 << 24 : 2400;
            Made made = make(session, text[p]);
            if (asked && (made.status != HALO_ERR_LIMIT || strstr(halo_error(), "of the GPU's memory") == NULL))
                fail_case(NULL, "%s: status %d: %s", text[p], made.status, halo_error());
            if (!asked) expect_made(text[p], &made, &expected, "cpu");
            if (!asked && (made.fell_back || strstr(made.why, "of the GPU's memory") == NULL))
                fail_case(NULL, "%s: it says '%s'", text[p], made.why);
            if (fake.call != 0) fail_case(NULL, "%s: %d calls in vain", text[p], fake.call);
            made_free(&made);
            halo_session_close(session);
        }
        made_free(&expected);
    }
}

/* What a backend has no function for is done on the CPU, which is said where the GPU was asked for by name. */
static void what_it_does_not_offer(void **state)
{
    (void)state;
    static const char text[] = "notch:500Hz | gain:2";
    Rng rng = {8};
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = 3000,
                             .height = 1,
                             .channels = 2,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = 8000};
    const HaloInfo info = {.shape = shape, .bits = 32};
    HaloBuf in = random_input(&shape, false, &rng);
    Bytes file;
    snprintf(source, sizeof source, "%s", test_path("device-in.wav"));
    snprintf(target, sizeof target, "%s", test_path("device-out.wav"));
    assert_int_equal(encode(&halo_format_wav, &info, &in, 0, &file), HALO_OK);
    bytes_to_file(source, file.at, file.size);
    HaloSession *session = open_session(HALO_DEVICE_CPU);
    Made expected = make(session, text);
    halo_session_close(session);
    for (int asked = 0; asked < 2; asked++) {
        session = open_session(asked ? HALO_DEVICE_GPU : HALO_DEVICE_AUTO);
        fake_gpu.sections = NULL;
        Made made = make(session, text);
        expect_made(text, &made, &expected, "cpu");
        if (made.fell_back != asked || strstr(made.why, "notch has no GPU code") == NULL)
            fail_case(NULL, "it says '%s'", made.why);
        made_free(&made);
        halo_session_close(session);
    }
    made_free(&expected);
    free(file.at);
    halo_buf_free(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_does_it_again_on_the_cpu),
        cmocka_unit_test(one_that_is_asked_for_is_an_error),
        cmocka_unit_test(files_flow_through_it),
        cmocka_unit_test(copies_like_their_memory),
        cmocka_unit_test(sides_stay_there),
        cmocka_unit_test(sides_in_use_stay),
        cmocka_unit_test(one_that_does_not_open_is_left_alone),
        cmocka_unit_test(little_memory_makes_bands),
        cmocka_unit_test(scratch_makes_bands),
        cmocka_unit_test(too_large_for_the_gpu),
        cmocka_unit_test(what_it_does_not_offer),
    };
    return cmocka_run_group_tests(tests, write_source, test_folder_remove);
}
