/* Several GPUs, one picture: made-up ones, of which each has memory of its own and a thread at a time, take its
 * bands in turn, and give the bytes, the results and the count of clipped samples of the CPU; where one fails
 * all of them stop, nothing is left behind, and the next picture goes well. Where the machine has several real
 * ones they do the same. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "codec.h"
#include "pipelines.h"

/* ---- made-up GPUs --------------------------------------------------------------------------------------- */

enum { GPUS_MOST = 3, BLOCKS = 64 };

/* The CPU behind a wall: it works on its own blocks alone. */
struct HaloDevice {
    int index;
    HaloDevice *cpu;
    atomic_int callers; /* at work on it: one at a time */
    struct {
        char *from, *to;
    } block[BLOCKS];
    int calls, bands;
};

static const HaloBackend *cpu;

/* What is asked of them, and what they were seen to do. */
static struct Fake {
    int gpus;
    bool meet;              /* the first bands begin only when each GPU has one */
    int fails_on, fails_at; /* this GPU fails from this call of its on, counted from 1; 0: none */
    bool refuses_to_open;   /* or it does not open at all */
    _Atomic(const char *) wrong;
    atomic_int failed, opened;
    int bands[GPUS_MOST]; /* that came up to each, of the latest picture */
    pthread_mutex_t lock; /* of what is below */
    pthread_cond_t moved;
    int met;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void complain(const char *what) { atomic_store(&fake.wrong, what); }

static void open_gate(int more)
{
    pthread_mutex_lock(&fake.lock);
    fake.met += more;
    pthread_cond_broadcast(&fake.moved);
    pthread_mutex_unlock(&fake.lock);
}

/* Each waits for the others, as it can only where all are at work at the same time. */
static void meet_others(void)
{
    struct timespec until;
    open_gate(1);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    pthread_mutex_lock(&fake.lock);
    while (fake.met < fake.gpus)
        if (pthread_cond_timedwait(&fake.moved, &fake.lock, &until) != 0) break;
    if (fake.met < fake.gpus) complain("they do not work at the same time");
    pthread_mutex_unlock(&fake.lock);
}

static HaloStatus fails(HaloDevice *device)
{
    if (fake.fails_at == 0 || fake.fails_on != device->index || ++device->calls < fake.fails_at) return HALO_OK;
    atomic_fetch_add(&fake.failed, 1);
    open_gate(GPUS_MOST);
    return halo_fail(HALO_ERR_DEVICE, "the GPU failed: an unspecified launch failure");
}

static int fake_count(void) { return fake.gpus; }

static HaloStatus fake_open(int index, int jobs, HaloDevice **device)
{
    HaloDevice *made = calloc(1, sizeof *made);
    (void)jobs;
    *device = NULL;
    if (fake.refuses_to_open && index == fake.fails_on) {
        free(made);
        return halo_fail(HALO_ERR_DEVICE, "the GPU failed: out of memory");
    }
    made->index = index;
    const HaloStatus status = cpu->open(0, 1, &made->cpu);
    if (status == HALO_OK) *device = made;
    atomic_fetch_add(&fake.opened, 1);
    return status;
}

static void fake_close(HaloDevice *device)
{
    for (int i = 0; i < BLOCKS; i++)
        if (device->block[i].from != NULL) complain("a block is left when its GPU is closed");
    cpu->close(device->cpu);
    free(device);
}

static const char *fake_describe(HaloDevice *device) { return (void)device, "a made-up GPU"; }
static int64_t fake_memory(HaloDevice *device) { return (void)device, 1 << 30; }

static char *end_of(const HaloBuf *buf)
{
    return (char *)buf->data + (buf->rows - 1) * buf->stride + halo_row_bytes(buf);
}

static bool owns(const HaloDevice *device, const HaloBuf *buf)
{
    for (int i = 0; i < BLOCKS; i++)
        if (device->block[i].from != NULL && (char *)buf->data >= device->block[i].from &&
            end_of(buf) <= device->block[i].to)
            return true;
    return false;
}

static void begin(HaloDevice *device)
{
    if (atomic_fetch_add(&device->callers, 1) != 0) complain("two threads are at work on a GPU");
}

static void end(HaloDevice *device) { atomic_fetch_sub(&device->callers, 1); }

static HaloStatus fake_alloc(HaloDevice *device, HaloBuf *buf)
{
    begin(device);
    HaloStatus status = fails(device);
    if (status == HALO_OK) status = cpu->alloc(device->cpu, buf);
    int i = 0;
    while (i < BLOCKS - 1 && device->block[i].from != NULL) i++;
    if (status == HALO_OK) {
        device->block[i].from = buf->data;
        device->block[i].to = end_of(buf);
        memset(buf->data, 0xd0 + device->index, (size_t)(device->block[i].to - device->block[i].from));
    }
    end(device);
    return status;
}

static void fake_release(HaloDevice *device, HaloBuf *buf)
{
    begin(device);
    int i = 0;
    while (i < BLOCKS && device->block[i].from != buf->data) i++;
    if (i == BLOCKS)
        complain("a GPU is to release what it does not have");
    else
        device->block[i].from = NULL;
    if (i < BLOCKS) cpu->release(device->cpu, buf);
    end(device);
}

static void copy(const HaloBuf *from, const HaloBuf *to, const HaloBuf *rect)
{
    for (int64_t y = rect->y0; y < rect->y0 + rect->rows; y++)
        memcpy((void *)halo_at(to, rect->x0, y), halo_at(from, rect->x0, y), (size_t)halo_row_bytes(rect));
}

static HaloStatus fake_upload(HaloDevice *device, const HaloBuf *host, HaloBuf *to)
{
    begin(device);
    if (!owns(device, to) || owns(device, host)) complain("a band goes up into a buffer that is not the GPU's");
    if (fake.meet && device->bands++ == 0) meet_others();
    const HaloStatus status = fails(device);
    if (status == HALO_OK) copy(host, to, to);
    fake.bands[device->index]++;
    end(device);
    return status;
}

static HaloStatus fake_download(HaloDevice *device, const HaloBuf *from, HaloBuf *host)
{
    begin(device);
    if (!owns(device, from) || owns(device, host))
        complain("a band comes down from a buffer that is not the GPU's");
    const HaloStatus status = fails(device);
    if (status == HALO_OK) copy(from, host, host);
    end(device);
    return status;
}

static HaloStatus fake_pin(HaloDevice *device, int64_t bytes, void **memory)
{
    *memory = malloc((size_t)bytes);
    return (void)device, *memory != NULL ? HALO_OK : halo_fail(HALO_ERR_LIMIT, "no memory");
}

static void fake_unpin(HaloDevice *device, void *memory) { (void)device, free(memory); }

static HaloStatus fake_finish(HaloDevice *device, uint64_t *clipped)
{
    begin(device);
    const HaloStatus done = cpu->finish(device->cpu, clipped), status = fails(device);
    end(device);
    return status != HALO_OK ? status : done;
}

/* Primitives: name, parameters behind the device, arguments, the buffers. */
#define PRIMITIVES(X)                                                                                          \
    X(conv, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloConv *how, HaloStore store),          \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(sep, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloSep *how, HaloStore store),            \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(map, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMap *how, HaloStore store),            \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(combine,                                                                                                 \
      (HaloDevice * d, const HaloBuf *a, const HaloBuf *b, HaloBuf *dst, const HaloCombine *how,               \
       HaloStore store),                                                                                       \
      (d->cpu, a, b, dst, how, store), a, b)                                                                   \
    X(reduce, (HaloDevice * d, const HaloBuf *src, unsigned want, HaloMoments *out), (d->cpu, src, want, out), \
      src, src)                                                                                                \
    X(fold, (HaloDevice * d, const HaloBuf *src, const HaloFold *how, double *out), (d->cpu, src, how, out),   \
      src, src)                                                                                                \
    X(hist, (HaloDevice * d, const HaloBuf *src, const HaloHist *how, HaloHistogram *out),                     \
      (d->cpu, src, how, out), src, src)                                                                       \
    X(scan, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloScan *how), (d->cpu, src, dst, how),  \
      src, dst)                                                                                                \
    X(rank, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloRank *how, HaloStore store),          \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(mean, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMean *how, HaloStore store),          \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(equalize, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloEqualize *how, HaloStore store),  \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(pick, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloPick *how, HaloStore store),          \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(resample, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloResample *how, HaloStore store),  \
      (d->cpu, src, dst, how, store), src, dst)                                                                \
    X(mix, (HaloDevice * d, const HaloBuf *src, HaloBuf *dst, const HaloMix *how, HaloStore store),            \
      (d->cpu, src, dst, how, store), src, dst)

#define DEFINE(name, parameters, arguments, one, other)                                       \
    static HaloStatus fake_##name parameters                                                  \
    {                                                                                         \
        begin(d);                                                                             \
        if (!owns(d, one) || !owns(d, other)) complain(#name " of buffers that are not its"); \
        HaloStatus status = fails(d);                                                         \
        if (status == HALO_OK) status = cpu->name arguments;                                  \
        end(d);                                                                               \
        return status;                                                                        \
    }
PRIMITIVES(DEFINE)
#undef DEFINE

static const HaloBackend *made_up(void)
{
    static HaloBackend table;
    cpu = halo_tables()->backend[0];
    table = (HaloBackend){.name = "made-up",
                          .count = fake_count,
                          .open = fake_open,
                          .close = fake_close,
                          .describe = fake_describe,
                          .memory = fake_memory,
                          .alloc = fake_alloc,
                          .release = fake_release,
                          .upload = fake_upload,
                          .download = fake_download,
                          .pin = fake_pin,
                          .unpin = fake_unpin,
                          .finish = fake_finish,
                          .transforms = cpu->transforms,
                          .coarse = cpu->coarse,
                          .chains = cpu->chains};
#define SET(name, parameters, arguments, one, other) table.name = fake_##name;
    PRIMITIVES(SET)
#undef SET
    return &table;
}

/* ---- sessions ------------------------------------------------------------------------------------------- */

/* So many files are expected that no GPU's start counts. */
#define MANY_FILES ((int64_t)1 << 50)

static HaloSession *open_session(const HaloBackend *gpus, const HaloOptions *options)
{
    static const HaloBackend *both[2];
    static HaloTables tables; /* the session keeps a pointer to them */
    HaloSession *session = NULL;
    tables = *halo_tables();
    both[0] = tables.backend[0];
    both[1] = gpus;
    tables.backend = both;
    tables.backends = 2;
    if (halo_session_open_with(&tables, options, &session) != HALO_OK)
        fail_case(NULL, "no session: %s", halo_error());
    return session;
}

static HaloSession *open_team(const HaloBackend *gpus, int64_t band_rows)
{
    return open_session(
        gpus,
        &(HaloOptions){.device = HALO_DEVICE_ALL, .jobs = 2, .files = MANY_FILES, .band_rows = band_rows});
}

static HaloSession *open_cpu(void)
{
    return open_session(cpu, &(HaloOptions){.device = HALO_DEVICE_CPU, .jobs = 1});
}

static void expect_nothing_wrong(const char *text)
{
    const char *wrong = atomic_load(&fake.wrong);
    if (wrong != NULL) fail_case(NULL, "%s: %s", text, wrong);
}

/* ---- a file through them -------------------------------------------------------------------------------- */

static char source[64], target[64];

/* What came of it: the output's bytes, none where it failed or was not wanted, and the results. */
typedef struct Made {
    HaloStatus status;
    Bytes file;
    char *results;
    uint64_t clipped;
} Made;

static Made make(HaloSession *session, const char *text, bool wants_output)
{
    Made made = {.file = {NULL, 0}};
    HaloPipeline *pipeline = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = source, .output = wants_output ? target : NULL};
    HaloStatus status = HALO_OK;
    memset(fake.bands, 0, sizeof fake.bands);
    atomic_store(&fake.failed, 0);
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_run(session, pipeline, &job, &report));
    if (wants_output) made.file = bytes_of_file(target);
    made.results = results_text(&report.results);
    made.clipped = report.clipped;
    halo_report_free(&report);
out:
    made.status = status;
    if ((access(target, F_OK) == 0) != (wants_output && status == HALO_OK))
        fail_case(NULL, "%s: status %d and the file", text, status);
    unlink(target);
    halo_pipeline_free(pipeline);
    expect_nothing_wrong(text);
    return made;
}

static void made_free(Made *made)
{
    free(made->file.at);
    free(made->results);
}

static void expect_made(const char *text, const Made *made, const Made *expected)
{
    if (made->status != expected->status)
        fail_case(NULL, "%s: status %d, not %d: %s", text, made->status, expected->status, halo_error());
    if (made->status != HALO_OK) return;
    if (made->file.size != expected->file.size ||
        (made->file.size > 0 && memcmp(made->file.at, expected->file.at, made->file.size) != 0))
        fail_case(NULL, "%s: other bytes", text);
    if (strcmp(made->results, expected->results) != 0)
        fail_case(NULL, "%s: %s\nwhere the CPU has\n%s", text, made->results, expected->results);
    if (made->clipped != expected->clipped) fail_case(NULL, "%s: clipped samples", text);
}

/* A file of random samples. */
static void write_source(const HaloShape *shape, Rng *rng)
{
    const HaloInfo info = {.shape = *shape, .bits = shape->dtype == HALO_U16 ? 16 : 8};
    HaloBuf in = random_input(shape, false, rng);
    Bytes file;
    snprintf(source, sizeof source, "%s", test_path("team-in.npy"));
    snprintf(target, sizeof target, "%s", test_path("team-out.npy"));
    if (encode(&halo_format_npy, &info, &in, 0, &file) != HALO_OK) fail_case(NULL, "encode: %s", halo_error());
    bytes_to_file(source, file.at, file.size);
    free(file.at);
    halo_buf_free(&in);
}

/* ---- the same bytes ------------------------------------------------------------------------------------- */

static const char *const pipeline_text[] = {
    "gauss:2",
    "gauss:1.3,border=mirror",
    "conv:mask=\"1x7: 1,2,3,4,5,6,7\",anchor=0+0,border=mirror",
    "conv:mask=\"2x6: 1,2,3,4,5,6,7,8,9,-1,-2,-3\",anchor=1+5,border=reflect",
    "median:3",
    "sobel | gauss:1",
    "invert",
    "unsharp:2",
    "gain:3 | depth:u8",
    "gauss:1,border=wrap",
    "gauss:1,border=valid",
    "pad:top=90,bottom=70,left=3,border=mirror | gauss:1",
    "flip:y | resize:60%",
    "resize:9x200,fit=exact",
    "resize:3,kernel=area",
    "rotate:90",
    "gauss:1 | stats",
    "stats:percentiles=\"10 50\" | hist:16 | sobel | stats",
    "reduce:a+b | median:2 | hist",
    "gauss:3 | reduce:expr=\"max(a,b)\",identity=0 | stats",
    "normalize",
    "equalize",
    "scan:axis=y",
    "gauss:1 | scan:min",
    "crop:5x4+1+9,fit=1 | gauss:1",
    "dilate:9",
    "",
};
enum { PIPELINES = sizeof pipeline_text / sizeof *pipeline_text };

static const HaloBackend *at_work; /* made up or real */

static void same_bytes_body(Rng *rng)
{
    const char *const text = pipeline_text[rng_between(rng, 0, PIPELINES - 1)];
    const bool wants_output = !rng_once_in(rng, 5);
    const HaloShape shape = shape_of((HaloDtype)rng_between(rng, HALO_U8, HALO_F32), rng_between(rng, 1, 60),
                                     rng_between(rng, 1, 160), (int)rng_between(rng, 1, 3), false);
    fake.gpus = (int)rng_between(rng, 2, GPUS_MOST);
    write_source(&shape, rng);
    HaloSession *const alone = open_cpu();
    HaloSession *const team = open_team(at_work, rng_once_in(rng, 4) ? 0 : rng_between(rng, 1, 40));
    Made expected = make(alone, text, wants_output);
    for (int file = 0; file < 2; file++) { /* with what the first has left */
        Made made = make(team, text, wants_output);
        expect_made(text, &made, &expected);
        made_free(&made);
    }
    /* In memory: halo_plan_run. */
    HaloBuf in = random_input(&shape, rng_once_in(rng, 3), rng);
    Outcome one = pipeline_run(alone, text, &in, NULL), all = pipeline_run(team, text, &in, NULL);
    if (one.status != all.status || (one.status == HALO_OK && outcome_hash(&one) != outcome_hash(&all)) ||
        one.clipped != all.clipped)
        fail_case(NULL, "%s: in memory: status %d, and %d, or other samples", text, one.status, all.status);
    outcome_free(&one);
    outcome_free(&all);
    halo_buf_free(&in);
    made_free(&expected);
    halo_session_close(team);
    halo_session_close(alone);
    expect_nothing_wrong(text);
}

static void they_give_the_same_bytes(void **state)
{
    (void)state;
    at_work = made_up();
    for_each_case(__func__, 250, same_bytes_body);
}

static void real_ones_give_the_same_bytes(void **state)
{
    (void)state;
    const HaloTables *tables = halo_tables();
    const char *const word = getenv("HALO_DEVICE");
    cpu = tables->backend[0];
    if (tables->backends < 2 || tables->backend[1]->count() < 2 ||
        (word != NULL && strstr("cuda", word) == NULL))
        return skip();
    at_work = tables->backend[1];
    for_each_case(__func__, 250, same_bytes_body);
}

/* ---- side by side --------------------------------------------------------------------------------------- */

/* So small that steps take longer than reading and writing, by what is predicted. */
static HaloShape picture(void) { return shape_of(HALO_U8, 40, 203, 1, false); }

/* The first band of each waits for those of the others, so that this ends at all where they work at the same
 * time; and every band is made once. */
static void they_work_at_the_same_time(void **state)
{
    (void)state;
    static const char *const text[] = {"gauss:2", "median:2", "sobel | depth:f32"};
    Rng rng = {3};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    write_source(&shape, &rng);
    HaloSession *const alone = open_cpu();
    for (int p = 0; p < 3; p++)
        for (int n = 2; n <= GPUS_MOST; n++) {
            fake.gpus = n;
            HaloSession *const team = open_team(gpus, 10);
            Made expected = make(alone, text[p], true);
            fake.meet = true;
            fake.met = 0;
            Made made = make(team, text[p], true);
            fake.meet = false;
            expect_made(text[p], &made, &expected);
            int bands = 0;
            for (int i = 0; i < GPUS_MOST; i++) {
                if ((fake.bands[i] > 0) != (i < n)) fail_case(NULL, "gpu:%d made %d bands", i, fake.bands[i]);
                bands += fake.bands[i];
            }
            assert_int_equal(bands, 21); /* of 203 rows */
            made_free(&made);
            made_free(&expected);
            halo_session_close(team);
        }
    halo_session_close(alone);
}

/* In memory each has one band, of as many rows. */
static void halves_in_memory(void **state)
{
    (void)state;
    Rng rng = {4};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    fake.gpus = 2;
    HaloBuf in = random_input(&shape, false, &rng);
    HaloSession *const alone = open_cpu(), *const team = open_team(gpus, 0);
    memset(fake.bands, 0, sizeof fake.bands);
    fake.meet = true;
    fake.met = 0;
    Outcome one = pipeline_run(alone, "gauss:2", &in, NULL), all = pipeline_run(team, "gauss:2", &in, NULL);
    fake.meet = false;
    assert_true(outcome_hash(&one) == outcome_hash(&all));
    assert_int_equal(fake.bands[0], 1);
    assert_int_equal(fake.bands[1], 1);
    outcome_free(&one);
    outcome_free(&all);
    halo_buf_free(&in);
    halo_session_close(team);
    halo_session_close(alone);
    expect_nothing_wrong("gauss:2");
}

/* ---- failures ------------------------------------------------------------------------------------------- */

/* Each of its calls fails in turn: the failure is that GPU's, nothing is left, and the next picture goes well.
 * All others are at work when it fails, as each has a band. */
static void one_that_fails_ends_all(void **state)
{
    (void)state;
    static const char *const text[] = {"gauss:2", "median:1 | stats"};
    Rng rng = {5};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    write_source(&shape, &rng);
    fake.gpus = GPUS_MOST;
    HaloSession *const alone = open_cpu();
    for (int p = 0; p < 2; p++) {
        Made expected = make(alone, text[p], true);
        for (int at = 1, failed = 1; failed; at++) {
            HaloSession *const team = open_team(gpus, 10);
            fake.meet = true;
            fake.met = 0;
            fake.fails_on = at % GPUS_MOST;
            fake.fails_at = at;
            Made made = make(team, text[p], true);
            failed = atomic_load(&fake.failed) > 0;
            char named[24];
            snprintf(named, sizeof named, "gpu:%d: ", fake.fails_on);
            if (failed && (made.status != HALO_ERR_DEVICE || strstr(halo_error(), named) == NULL ||
                           strstr(halo_error(), "unspecified launch failure") == NULL))
                fail_case(NULL, "%s: call %d: status %d: %s", text[p], at, made.status, halo_error());
            if (!failed) expect_made(text[p], &made, &expected);
            made_free(&made);
            fake.meet = false;
            fake.fails_at = 0;
            made = make(team, text[p], true);
            expect_made(text[p], &made, &expected);
            made_free(&made);
            halo_session_close(team);
            if (!failed && at < 6) fail_case(NULL, "%s: call %d was not made", text[p], at);
        }
        made_free(&expected);
    }
    halo_session_close(alone);
}

/* The same of a picture in memory, of which each has a half; the other one is done with its own. */
static void one_that_fails_in_memory(void **state)
{
    (void)state;
    Rng rng = {9};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    fake.gpus = 2;
    HaloBuf in = random_input(&shape, false, &rng);
    for (int on = 0; on < 2; on++)
        for (int at = 1, failed = 1; failed; at++) {
            HaloSession *const team = open_team(gpus, 0);
            atomic_store(&fake.failed, 0);
            fake.meet = true;
            fake.met = 0;
            fake.fails_on = on;
            fake.fails_at = at;
            Outcome outcome = pipeline_run(team, "median:1 | stats", &in, NULL);
            failed = atomic_load(&fake.failed) > 0;
            fake.meet = false;
            fake.fails_at = 0;
            if (outcome.status != (failed ? HALO_ERR_DEVICE : HALO_OK) || (outcome.out.data != NULL) == failed)
                fail_case(NULL, "gpu:%d, call %d: status %d: %s", on, at, outcome.status, outcome.message);
            if (!failed && at < 6) fail_case(NULL, "gpu:%d: call %d was not made", on, at);
            outcome_free(&outcome);
            halo_session_close(team);
        }
    halo_buf_free(&in);
    expect_nothing_wrong("in memory");
}

static void one_that_does_not_open_is_an_error(void **state)
{
    (void)state;
    Rng rng = {6};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    write_source(&shape, &rng);
    fake.gpus = GPUS_MOST;
    for (int i = 0; i < GPUS_MOST; i++) {
        HaloSession *const team = open_team(gpus, 10);
        fake.refuses_to_open = true;
        fake.fails_on = i;
        Made made = make(team, "gauss:2", true);
        char named[40];
        snprintf(named, sizeof named, "gpu:%d: the GPU failed", i);
        if (made.status != HALO_ERR_DEVICE || strstr(halo_error(), named) == NULL)
            fail_case(NULL, "status %d: %s", made.status, halo_error());
        made_free(&made);
        fake.refuses_to_open = false;
        made = make(team, "gauss:2", true);
        assert_int_equal(made.status, HALO_OK);
        made_free(&made);
        halo_session_close(team);
    }
}

/* A file that ends too soon fails while they are at work on its first bands. */
static void an_input_that_ends_stops_them(void **state)
{
    (void)state;
    Rng rng = {7};
    const HaloShape shape = picture();
    const HaloBackend *gpus = made_up();
    write_source(&shape, &rng);
    Bytes file = bytes_of_file(source);
    bytes_to_file(source, file.at, file.size * 2 / 3);
    for (int n = 1; n <= GPUS_MOST; n++) {
        fake.gpus = n;
        HaloSession *const team = open_team(gpus, 7);
        Made made = make(team, "gauss:2 | stats", true);
        if (made.status != HALO_ERR_INPUT) fail_case(NULL, "status %d: %s", made.status, halo_error());
        made_free(&made);
        halo_session_close(team);
    }
    free(file.at);
}

/* ---- how many, and what is said ------------------------------------------------------------------------- */

static void expect_said(const HaloOptions *options, const char *text, int64_t side, const char *words)
{
    const HaloShape shape = test_shape(HALO_U8, side, side, 1);
    HaloSession *session = open_session(made_up(), options);
    HaloPipeline *pipeline;
    HaloPlan *plan;
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    assert_int_equal(halo_pipeline_parse(session, text, &pipeline), HALO_OK);
    assert_int_equal(halo_plan_make(session, pipeline, &shape, NULL, &plan), HALO_OK);
    halo_plan_explain(session, plan, to);
    fclose(to);
    if (strstr(said, words) == NULL) fail_case(NULL, "%s: '%s' is not said:\n%s", text, words, said);
    free(said);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    halo_session_close(session);
}

static void what_is_said(void **state)
{
    (void)state;
    HaloOptions options = {.device = HALO_DEVICE_ALL, .jobs = 2, .files = MANY_FILES};
    fake.gpus = 2;
    expect_said(&options, "gauss:2", 200, " ms in bands on 2)");
    expect_said(&options, "gauss:2", 200, "bands   2 of 100 rows; in turn on 2 devices, at most ");
    expect_said(&options, "normalize", 200, "(asked for; one of 2 GPUs: this cannot go in bands)");
    expect_said(&options, "scan:axis=y", 200, "(asked for; one of 2 GPUs: its rows hang on those before them)");
    options.jobs = 1;
    expect_said(&options, "gauss:2", 200, "(asked for; one of 2 GPUs: each takes a thread)");
    options.jobs = 2;
    options.share = 2; /* the files of a batch have one each */
    expect_said(&options, "gauss:2", 200, "(asked for)");
    options.share = 0;
    options.files = 0; /* a small picture is done before a second GPU has started; a large one is not */
    expect_said(&options, "gauss:2", 200, "(asked for; one of 2 GPUs: predicted ");
    expect_said(&options, "median:50", 30000, " ms in bands on 2)");
    options.device = HALO_DEVICE_GPU;
    expect_said(&options, "median:50", 30000, "(asked for)");
}

/* What is not used is not started. */
static void small_pictures_start_one(void **state)
{
    (void)state;
    Rng rng = {8};
    const HaloShape shape = picture();
    write_source(&shape, &rng);
    fake.gpus = GPUS_MOST;
    HaloSession *const session =
        open_session(made_up(), &(HaloOptions){.device = HALO_DEVICE_ALL, .jobs = 2, .gpu = 4});
    atomic_store(&fake.opened, 0);
    Made made = make(session, "gauss:2", true);
    assert_int_equal(made.status, HALO_OK);
    assert_int_equal(atomic_load(&fake.opened), 1);
    assert_int_equal(fake.bands[1], 1); /* number 4 of three */
    made_free(&made);
    halo_session_close(session);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_give_the_same_bytes),
        cmocka_unit_test(they_work_at_the_same_time),
        cmocka_unit_test(halves_in_memory),
        cmocka_unit_test(one_that_fails_ends_all),
        cmocka_unit_test(one_that_fails_in_memory),
        cmocka_unit_test(one_that_does_not_open_is_an_error),
        cmocka_unit_test(an_input_that_ends_stops_them),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(small_pictures_start_one),
        cmocka_unit_test(real_ones_give_the_same_bytes),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, test_folder_remove);
}
