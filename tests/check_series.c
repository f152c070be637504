/* Series: fill and resample beside their definitions, written plainly, and names that operations give. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec.h"
#include "draw.h"
#include "halo/extend.h"
#include "pipelines.h"

enum { MOST = 60 };

static void expect_sample(const char *pipeline, int64_t i, double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-5 * fmax(1, fabs(wanted))) && !(isnan(got) && isnan(wanted)))
        fail_case(NULL, "%s: sample %" PRId64 " is %g, not %g", pipeline, i, got, wanted);
}

/* ---- fill ----------------------------------------------------------------------------------------------- */

static double filled(const float *x, int64_t n, int64_t i, int how)
{
    int64_t a = i, b = i;
    while (a >= 0 && isnan(x[a])) a--;
    while (b < n && isnan(x[b])) b++;
    if (how == 2) return isnan(x[i]) ? -3 : x[i];
    if (how == 1 || b == n) return a >= 0 ? x[a] : how == 1 || b == n ? NAN : x[b];
    if (a < 0) return x[b];
    return a == b ? x[a] : x[a] + (double)(i - a) * ((double)x[b] - x[a]) / (double)(b - a);
}

static void fills(Rng *rng)
{
    static const char *const pipelines[] = {"fill:linear", "fill:previous", "fill:-3"};
    float x[MOST];
    const int how = (int)rng_between(rng, 0, 2);
    const int64_t n = rng_between(rng, 1, MOST);
    for (int64_t i = 0; i < n; i++) x[i] = rng_once_in(rng, 2) ? NAN : (float)rng_between(rng, -50, 50);
    HaloBuf in = float_row(x, n);
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = 1.0;
    Outcome outcome = run_ok(pipelines[how], &in);
    for (int64_t i = 0; i < n; i++)
        expect_sample(pipelines[how], i, ((const float *)outcome.out.data)[i], filled(x, n, i, how));
    outcome_free(&outcome);
    halo_buf_free(&in);
}

/* ---- resample ------------------------------------------------------------------------------------------- */

static double mean_of(const int64_t *ms, const float *x, int64_t n, int64_t from, int64_t upto)
{
    double sum = 0, count = 0;
    for (int64_t k = 0; k < n; k++)
        if (ms[k] >= from && ms[k] < upto && !isnan(x[k])) sum += x[k], count++;
    return sum / count;
}

/* The last of rows at one time counts. */
static double between(const int64_t *ms, const float *x, int64_t n, int64_t at)
{
    int64_t a = -1, b = -1;
    for (int64_t k = 0; k < n; k++) {
        if (isnan(x[k])) continue;
        if (ms[k] <= at) a = k;
        if (ms[k] > at && b < 0) b = k;
    }
    if (a >= 0 && ms[a] == at) return x[a];
    if (a < 0 || b < 0) return NAN;
    return x[a] + ((double)x[b] - x[a]) * (double)(at - ms[a]) / (double)(ms[b] - ms[a]);
}

static void write_rows(const char *path, const int64_t *ms, const float *x, int64_t n)
{
    FILE *to = fopen(path, "w");
    if (to == NULL) abort();
    fprintf(to, "time_ms,x\n");
    for (int64_t k = 0; k < n; k++) fprintf(to, "%" PRId64 ",%.9g\n", ms[k], (double)x[k]);
    fclose(to);
}

static HaloStatus run_file(const char *pipeline, const char *from, const char *to, HaloInfo *info,
                           HaloBuf *data)
{
    HaloStatus status = HALO_OK;
    HaloSession *session = NULL;
    HaloPipeline *parsed = NULL;
    HaloReport report = {0};
    const HaloJob job = {.input = from, .output = to, .force = HALO_FORCE_YES};
    HALO_TRY(halo_session_open_with(halo_tables(), &(HaloOptions){.device = HALO_DEVICE_CPU}, &session));
    HALO_TRY(halo_pipeline_parse(session, pipeline, &parsed));
    HALO_TRY(halo_run_job(session, parsed, &job, &report));
    halo_report_clear(&report);
    HALO_TRY(halo_load_buf(session, to, info, data));
out:
    halo_pipeline_free(parsed);
    halo_session_close(session);
    return status;
}

static void resamples(Rng *rng)
{
    int64_t ms[MOST] = {0}, every = rng_between(rng, 1, 4000);
    float x[MOST];
    char pipeline[64], from[256];
    const bool mean = rng_once_in(rng, 2);
    const int64_t n = rng_between(rng, 2, MOST);
    for (int64_t k = 0; k < n; k++) {
        ms[k] = k == 0 ? rng_between(rng, -5000, 5000) : ms[k - 1] + rng_between(rng, 0, 3000);
        x[k] = rng_once_in(rng, 5) ? NAN : (float)rng_between(rng, -50, 50);
    }
    ms[n - 1] = ms[n - 2] + 4000; /* so that the grid has a time */
    snprintf(from, sizeof from, "%s", test_path("rows.csv"));
    const char *to = test_path("even.csv");
    write_rows(from, ms, x, n);
    snprintf(pipeline, sizeof pipeline, "resample:%" PRId64 "ms,how=%s", every, mean ? "mean" : "linear");
    HaloInfo info = {0};
    HaloBuf data = {0};
    if (run_file(pipeline, from, to, &info, &data) != HALO_OK)
        fail_case(NULL, "%s: %s", pipeline, halo_error());
    int64_t first = 0;
    while (first > ms[0]) first -= every;
    while (mean ? first + every <= ms[0] : first < ms[0]) first += every;
    for (int64_t j = 0; j < data.cols; j++) {
        const int64_t at = first + j * every;
        if (halo_time_at(&info.meta.time, NULL, j) != at * 1000000)
            fail_case(NULL, "%s: frame %" PRId64 " is not at %" PRId64 " ms", pipeline, j, at);
        expect_sample(pipeline, j, ((const float *)data.data)[j],
                      mean ? mean_of(ms, x, n, at, at + every) : between(ms, x, n, at));
    }
    const int64_t last = first + (data.cols - 1) * every;
    if (last > ms[n - 1] || last + every <= ms[n - 1])
        fail_case(NULL, "%s: %" PRId64 " frames", pipeline, data.cols);
    halo_meta_free(&info.meta);
    halo_buf_free(&data);
}

int main(int argc, char **argv)
{
    test_arguments(argc, argv);
    const struct CMUnitTest tests[] = {random_test(fills, 300), random_test(resamples, 200)};
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
