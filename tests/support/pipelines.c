/* Sessions of every kind, and what a pipeline gives in each. */
#include "pipelines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"
#include "halo/text.h"
#include "oracle_backend.h"

Runner runner[RUNNERS_MAX];
int runners;

/* ---- runners -------------------------------------------------------------------------------------------- */

/* Sessions open their device with the first plan: this makes them do it now, while HALO_CPU stands. */
static HaloStatus warm_up(HaloSession *session)
{
    uint8_t sample = 1;
    const HaloBuf in = {
        .shape = test_shape(HALO_U8, 1, 1, 1), .cols = 1, .rows = 1, .stride = 1, .data = &sample};
    Outcome outcome = pipeline_run(session, "invert", &in, NULL);
    const HaloStatus status = outcome.status;
    outcome_free(&outcome);
    return status;
}

static HaloStatus add_runner(const HaloTables *tables, const HaloOptions *options, const char *name)
{
    const char *const word = getenv("HALO_DEVICE");
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    if (runners == RUNNERS_MAX || (runners > 0 && word != NULL && strstr(name, word) == NULL)) return HALO_OK;
    HALO_TRY(halo_session_open_with(tables, options, &session));
    HALO_TRY(warm_up(session));
    snprintf(runner[runners].name, sizeof runner->name, "%s", name);
    runner[runners++].session = session;
    return HALO_OK;
out:
    fprintf(stderr, "%s is left out: %s\n", name, halo_error());
    halo_session_close(session);
    return status;
}

static HaloStatus add_oracle(void)
{
    /* The session keeps a pointer to its tables. */
    static const HaloBackend *const only[] = {&oracle_backend};
    static HaloTables tables;
    const HaloOptions options = {.device = HALO_DEVICE_CPU, .jobs = 1};
    tables = *halo_tables();
    tables.backend = only;
    tables.backends = 1;
    return add_runner(&tables, &options, "oracle");
}

/* With a CPU that is not used; it has one thread. */
static HaloStatus add_chains(void)
{
    static const HaloBackend *both[2];
    static HaloTables tables;
    if (TEST_LEAST_JOBS > 1) return HALO_OK;
    oracle_chains_open();
    tables = *halo_tables();
    both[0] = tables.backend[0];
    both[1] = &oracle_chains;
    tables.backend = both;
    tables.backends = 2;
    const HaloOptions options = {.device = HALO_DEVICE_GPU, .jobs = 1, .band_rows = 5};
    return add_runner(&tables, &options, "oracle in chains, bands of 5");
}

/* Bands and threads are the same code for all variants: of all but the last, two ways suffice. */
static HaloStatus add_cpus(void)
{
    static const char *const variant[] = TEST_VARIANTS;
    static const struct {
        int jobs, band;
    } way[] = {{1, 0}, {2, 7}, {8, 1}, {8, 0}, {2, 0}};
    const size_t variants = sizeof variant / sizeof variant[0];
    for (size_t v = 0; v < variants; v++) {
        setenv("HALO_CPU", variant[v], 1);
        for (int w = 0; w < (v + 1 < variants ? 2 : 5); w++) {
            if (way[w].jobs < TEST_LEAST_JOBS) continue;
            const HaloOptions options = {
                .device = HALO_DEVICE_CPU, .jobs = way[w].jobs, .band_rows = way[w].band};
            char name[48];
            snprintf(name, sizeof name, "cpu %s -j%d, bands of %d", variant[v], way[w].jobs, way[w].band);
            const HaloStatus status = add_runner(halo_tables(), &options, name);
            if (status == HALO_ERR_DEVICE && v > 0) break; /* this machine lacks it */
            if (status != HALO_OK) return status;
        }
    }
    unsetenv("HALO_CPU");
    return HALO_OK;
}

static HaloStatus add_gpus(void)
{
    const HaloTables *const tables = halo_tables();
    for (int b = 1; b < tables->backends; b++) {
        if (tables->backend[b]->count() <= 0) continue;
        for (int band = 0; band <= 7; band += 7) {
            const HaloOptions options = {.device = HALO_DEVICE_GPU, .band_rows = band};
            char name[48];
            snprintf(name, sizeof name, "%s, bands of %d", tables->backend[b]->name, band);
            const HaloStatus status = add_runner(tables, &options, name);
            if (status != HALO_OK) return status;
        }
    }
    return HALO_OK;
}

int runners_open(void **state)
{
    (void)state;
    const bool well =
        add_oracle() == HALO_OK && add_chains() == HALO_OK && add_cpus() == HALO_OK && add_gpus() == HALO_OK;
    return well ? 0 : -1;
}

int runners_close(void **state)
{
    (void)state;
    while (runners > 0) halo_session_close(runner[--runners].session);
    return 0;
}

/* ---- results as text ------------------------------------------------------------------------------------ */

static void print_real(FILE *to, const char *name, double v)
{
    if (isnan(v))
        halo_fprintf(to, " %s=nan", name);
    else
        halo_fprintf(to, " %s=%a", name, v);
}

/* Only what was requested, so that the hashes of plain statistics do not change. */
static void print_detail(FILE *to, const HaloDetail *detail, const HaloStats *s)
{
    if (detail->full) {
        print_real(to, "skewness", s->skewness);
        print_real(to, "kurtosis", s->kurtosis);
        halo_fprintf(to, " entropy=%.9g", isnan(s->entropy) ? 0.0 : s->entropy); /* libm's log2, too */
    }
    for (int i = 0; i < detail->percents; i++) {
        halo_fprintf(to, " %g%%", detail->percent[i]);
        print_real(to, "", s->percentile[i]);
    }
    halo_fprintf(to, "\n");
}

static void print_stats(FILE *to, const char *name, const HaloStats *s)
{
    halo_fprintf(to, "%s: count=%" PRIu64 " nan=%" PRIu64 " inf=%" PRIu64 " zero=%" PRIu64, name, s->count,
                 s->nan, s->inf, s->zero);
    halo_fprintf(to, " min_at=%" PRId64 " max_at=%" PRId64 " exact=%d isum=%" PRIu64 " sign=%d", s->min_at,
                 s->max_at, (int)s->exact, s->exact ? s->isum : 0, s->product_sign);
    print_real(to, "min", s->min);
    print_real(to, "max", s->max);
    print_real(to, "sum", s->sum);
    print_real(to, "mean", s->mean);
    print_real(to, "sd", s->sd);
    print_real(to, "rms", s->rms);
    print_real(to, "product", s->product);
    /* log2 is libm's: the mantissa and exponent behind it are compared by check_reduce. */
    halo_fprintf(to, " log2=%.9g\n", isnan(s->product_log2) ? 0.0 : s->product_log2);
}

static void print_hist(FILE *to, const HaloHistogram *h)
{
    halo_fprintf(to, "hist: bins=%" PRId64 " %a..%a\n", h->bins, h->lo, h->hi);
    for (int c = 0; c < h->channels; c++) {
        halo_fprintf(to, "below=%" PRIu64 " above=%" PRIu64 " nan=%" PRIu64 ":", h->below[c], h->above[c],
                     h->nan[c]);
        for (int64_t b = 0; b < h->bins; b++)
            if (h->count[c * h->bins + b] != 0)
                halo_fprintf(to, " %" PRId64 "=%" PRIu64, b, h->count[c * h->bins + b]);
        halo_fprintf(to, "\n");
    }
}

char *results_text(const HaloResults *results)
{
    char *text = NULL;
    size_t size;
    FILE *const to = open_memstream(&text, &size);
    if (to == NULL) abort();
    for (int i = 0; i < results->count; i++) {
        const HaloResult *const r = &results->item[i];
        if (r->type == HALO_RESULT_HIST) {
            print_hist(to, &r->hist);
            continue;
        }
        if (r->type == HALO_RESULT_FOLD) {
            for (int c = 0; c <= r->shape.channels; c++) print_real(to, "fold", r->fold.value[c]);
            halo_fprintf(to, "\n");
            continue;
        }
        if (r->type == HALO_RESULT_TABLE) {
            for (int c = 0; c < r->shape.channels; c++) {
                const HaloTable *table = &r->table[c];
                for (int64_t k = 0; k < table->rows * table->columns; k++)
                    print_real(to, table->column[k % table->columns], table->cell[k]);
                halo_fprintf(to, "\n");
            }
            continue;
        }
        for (int c = 0; c < r->shape.channels; c++) {
            char buffer[16];
            print_stats(to, halo_channel_name(&r->shape, c, buffer), &r->channel[c]);
            if (r->detail.percents > 0) print_detail(to, &r->detail, &r->channel[c]);
        }
        print_stats(to, "all", &r->all);
        if (r->detail.percents > 0) print_detail(to, &r->detail, &r->all);
    }
    fclose(to);
    return text;
}

/* ---- running -------------------------------------------------------------------------------------------- */

Outcome pipeline_run(HaloSession *session, const char *text, const HaloBuf *in, const HaloFormat *to)
{
    Outcome outcome = {.out = {.data = NULL}};
    HaloStatus status = HALO_OK;
    HaloPipeline *pipeline = NULL;
    HaloPlan *plan = NULL;
    HaloResults results = {0};
    HALO_TRY(halo_pipeline_parse(session, text, &pipeline));
    HALO_TRY(halo_plan_make_of(session, pipeline, in, to, &plan));
    HALO_TRY(halo_plan_execute(session, plan, in, &outcome.out, &results, &outcome.clipped));
    outcome.results = results_text(&results);
out:
    outcome.status = status;
    if (status != HALO_OK) snprintf(outcome.message, sizeof outcome.message, "%s", halo_error());
    halo_results_free(&results);
    halo_plan_free(plan);
    halo_pipeline_free(pipeline);
    return outcome;
}

void outcome_free(Outcome *outcome)
{
    if (outcome->out.data != NULL) halo_buf_free(&outcome->out);
    free(outcome->results);
    outcome->results = NULL;
}

static uint64_t fnv(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

uint64_t outcome_hash(const Outcome *outcome)
{
    const HaloBuf *const out = &outcome->out;
    uint64_t hash = 0xcbf29ce484222325u;
    if (outcome->results != NULL) hash = fnv(hash, outcome->results, strlen(outcome->results));
    if (out->data == NULL) return hash;
    char shape[96];
    snprintf(shape, sizeof shape, "%s %" PRId64 "x%" PRId64 "x%d", halo_dtype_name(out->shape.dtype),
             out->shape.width, out->shape.height, out->shape.channels);
    hash = fnv(hash, shape, strlen(shape));
    for (int64_t y = 0; y < out->rows; y++) hash = fnv(hash, halo_at(out, 0, y), (size_t)halo_row_bytes(out));
    return hash;
}

static bool same_shape(const HaloShape *a, const HaloShape *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->width == b->width && a->height == b->height &&
           a->channels == b->channels && a->alpha == b->alpha && a->white == b->white && a->rate == b->rate;
}

/* Where the first line that differs begins. */
static size_t first_difference(const char *a, const char *b)
{
    size_t line = 0;
    for (size_t i = 0; a[i] == b[i] && a[i] != 0; i++)
        if (a[i] == '\n') line = i + 1;
    return line;
}

static void expect_same_outcome(const char *name, const char *what, const Outcome *expected, const Outcome *got)
{
    if (expected->status != got->status)
        fail_case(name, "%s: status %d (%s), should be %d (%s)", what, (int)got->status, got->message,
                  (int)expected->status, expected->message);
    if (expected->status != HALO_OK) return;
    if ((expected->out.data == NULL) != (got->out.data == NULL) ||
        (expected->out.data != NULL && !same_shape(&expected->out.shape, &got->out.shape)))
        fail_case(name, "%s: the output has another shape", what);
    const size_t line = first_difference(expected->results, got->results);
    if (strcmp(expected->results, got->results) != 0)
        fail_case(name, "%s: expected\n%.400s\ngot\n%.400s", what, expected->results + line,
                  got->results + line);
    if (expected->out.data != NULL) {
        const TestBuf e = {.view = expected->out, .block = expected->out};
        const TestBuf g = {.view = got->out, .block = got->out};
        expect_same(name, what, &e, &g);
    }
    if (expected->clipped != got->clipped)
        fail_case(name, "%s: expected %" PRIu64 " clipped samples, counted %" PRIu64, what, expected->clipped,
                  got->clipped);
}

Outcome expect_everywhere_alike(const char *pipeline, const HaloBuf *in, const HaloFormat *to)
{
    char what[480], text[96];
    const TestBuf whole = {.view = *in};
    snprintf(what, sizeof what, "%s on %s to %s", pipeline, testbuf_text(&whole, text),
             to != NULL ? to->name : "f32");
    const Outcome expected = pipeline_run(runner[0].session, pipeline, in, to);
    for (int r = 1; r < runners; r++) {
        Outcome got = pipeline_run(runner[r].session, pipeline, in, to);
        expect_same_outcome(runner[r].name, what, &expected, &got);
        outcome_free(&got);
    }
    return expected;
}

HaloBuf float_row(const float *value, int64_t count)
{
    const HaloShape shape = test_shape(HALO_F32, count, 1, 1);
    HaloBuf in;
    if (halo_buf_alloc(&in, &shape) != HALO_OK) fail_case(NULL, "%s", halo_error());
    memcpy(in.data, value, (size_t)count * sizeof *value);
    return in;
}

HaloResults pipeline_results(const char *pipeline, const HaloBuf *in)
{
    HaloSession *const session = runner[0].session;
    HaloPipeline *parsed = NULL;
    HaloPlan *plan = NULL;
    HaloResults results = {0};
    Outcome outcome = expect_everywhere_alike(pipeline, in, NULL);
    outcome_free(&outcome);
    if (halo_pipeline_parse(session, pipeline, &parsed) != HALO_OK ||
        halo_plan_make(session, parsed, &in->shape, NULL, &plan) != HALO_OK ||
        halo_plan_execute(session, plan, in, NULL, &results, NULL) != HALO_OK)
        fail_case(NULL, "%s: %s", pipeline, halo_error());
    halo_plan_free(plan);
    halo_pipeline_free(parsed);
    return results;
}

Outcome run_ok(const char *pipeline, const HaloBuf *in)
{
    const Outcome outcome = expect_everywhere_alike(pipeline, in, NULL);
    if (outcome.status != HALO_OK) fail_case(NULL, "%s: %s", pipeline, outcome.message);
    return outcome;
}

void expect_equivalent(const char *a, const char *b, const HaloBuf *in)
{
    Outcome one = run_ok(a, in), other = run_ok(b, in);
    if (outcome_hash(&one) != outcome_hash(&other)) fail_case(NULL, "%s and %s differ", a, b);
    outcome_free(&one);
    outcome_free(&other);
}

void expect_all_equivalent(const Equivalent *said, int count)
{
    HaloShape shape = test_shape(HALO_U8, 33, 21, 4), sound = test_shape(HALO_F32, 300, 1, 2);
    Rng rng = {11};
    shape.alpha = 3;
    sound.kind = HALO_AUDIO;
    sound.rate = 1000;
    HaloBuf in = random_input(&shape, false, &rng), audio = random_input(&sound, false, &rng);
    for (int i = 0; i < count; i++)
        expect_equivalent(said[i].a, said[i].b, said[i].how == OF_SOUND ? &audio : &in);
    halo_buf_free(&in);
    halo_buf_free(&audio);
}
