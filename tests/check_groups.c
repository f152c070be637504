/* Statistics and histograms of samples in masks and of labels, against the samples gathered one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "oracle.h"
#include "pipelines.h"

enum { SAMPLES, LABELS }; /* the channels of the picture */
enum { LABEL, COUNT, NANS, INFS, ZEROS, MIN, MAX, SUM, MEAN, SD, RMS, P0, P50, P100 };

/* ---- what is expected ------------------------------------------------------------------------------------ */

/* The samples of a label, -1: of all that are no 0, in raster order, as a row. */
static HaloBuf gather(const HaloBuf *in, double label, int64_t *pixel)
{
    const int64_t pixels = in->shape.width * in->shape.height;
    HaloBuf row = *in;
    int64_t n = 0;
    row.shape.channels = 1;
    row.data = oracle_memory(pixels, sizeof(float));
    for (int64_t p = 0; p < pixels; p++) {
        const int64_t x = p % in->shape.width, y = p / in->shape.width;
        const double of = (double)oracle_get(in, x, y, LABELS);
        if (isnan(of) || of == 0 || (label >= 0 && of != label)) continue;
        pixel[n] = p;
        row.shape.width = row.cols = n + 1;
        row.stride = 4 * (n + 1);
        row.shape.height = row.rows = 1;
        oracle_put(&row, n++, 0, 0, oracle_get(in, x, y, SAMPLES), (HaloStore){1, 1});
    }
    row.shape.width = row.cols = n;
    return row;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of an odd number of samples, or the mean of the two in the middle, NaN left out; the ends. */
static void middle_and_ends(const HaloBuf *row, double out[3])
{
    double *const x = oracle_memory(row->cols, sizeof *x);
    int64_t n = 0;
    for (int64_t i = 0; i < row->cols; i++) {
        x[n] = (double)oracle_get(row, i, 0, 0);
        n += !isnan(x[n]);
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    out[0] = n > 0 ? x[0] : NAN;
    out[1] = n > 0 ? x[n / 2] : NAN;
    if (n > 0 && n % 2 == 0 && x[n / 2 - 1] != x[n / 2]) out[1] = x[n / 2] - (x[n / 2] - x[n / 2 - 1]) * 0.5;
    out[2] = n > 0 ? x[n - 1] : NAN;
    free(x);
}

static void same(const char *who, const char *what, double expected, double got)
{
    if (expected != got && !(isnan(expected) && isnan(got)))
        fail_case(who, "%s should be %.17g, is %.17g", what, expected, got);
}

static void near(const char *who, const char *what, double expected, double got)
{
    if (isfinite(expected) && !(fabs(expected - got) <= 1e-9 * (1 + fabs(expected))))
        fail_case(who, "%s should be %.17g, is %.17g", what, expected, got);
}

/* ---- the picture ----------------------------------------------------------------------------------------- */

static HaloBuf draw_picture(Rng *rng)
{
    HaloShape shape = draw_shape(rng, 40);
    shape.channels = 2;
    shape.alpha = -1;
    shape.white = halo_dtype_white(shape.dtype);
    HaloBuf in = random_input(&shape, rng_once_in(rng, 2), rng);
    const int64_t labels = rng_between(rng, 0, 12);
    for (int64_t y = 0; y < shape.height; y++)
        for (int64_t x = 0; x < shape.width; x++)
            oracle_put(&in, x, y, LABELS,
                       shape.dtype == HALO_F32 && rng_once_in(rng, 9) ? NAN
                                                                      : (float)rng_between(rng, 0, labels),
                       (HaloStore){1, 1});
    return in;
}

/* ---- masks ----------------------------------------------------------------------------------------------- */

static void check_stats(const HaloBuf *row, const int64_t *pixel, const HaloStats *s)
{
    HaloMoments m;
    double rank[3];
    if (row->cols == 0) {
        assert_int_equal(s->count, 0);
        assert_true(isnan(s->mean) && isnan(s->percentile[1]) && s->min_at == -1);
        return;
    }
    oracle_reduce(row, &m);
    same("mask", "count", (double)m.count, (double)s->count);
    same("mask", "nan", (double)m.nan, (double)s->nan);
    same("mask", "zero", (double)m.zero, (double)s->zero);
    same("mask", "sum", m.sum, s->moments.sum);
    same("mask", "sum of integers", (double)m.isum, (double)s->isum);
    same("mask", "m2", m.m2, s->moments.m2);
    if (m.count > m.nan) same("mask", "minimum", m.min, s->min);
    same("mask", "place", m.min_at < 0 ? -1 : (double)pixel[m.min_at], (double)s->min_at);
    same("mask", "place of the maximum", m.max_at < 0 ? -1 : (double)pixel[m.max_at], (double)s->max_at);
    middle_and_ends(row, rank);
    for (int k = 0; k < 3; k++) same("mask", "percentile", rank[k], s->percentile[k]);
}

static void statistics_in_masks(Rng *rng)
{
    HaloBuf in = draw_picture(rng);
    int64_t *const pixel = oracle_memory(in.shape.width * in.shape.height, sizeof *pixel);
    HaloBuf row = gather(&in, -1, pixel);
    HaloResults results = pipeline_results(
        "stats:percentiles=\"0,50,100\",mask=[channels:2] | hist:mask=[channels:2],bins=7", &in);
    check_stats(&row, pixel, &results.item[0].channel[SAMPLES]);
    const HaloHistogram *got = &results.item[1].hist;
    uint64_t wanted[8] = {0}; /* the last: NaN */
    for (int64_t i = 0; i < row.cols; i++) {
        const int64_t bin = oracle_bin((double)oracle_get(&row, i, 0, 0), got->lo, got->hi, 7);
        if (bin >= 0 || bin == -3) wanted[bin < 0 ? 7 : bin]++;
    }
    assert_memory_equal(got->count, wanted, 7 * sizeof *wanted);
    assert_int_equal(got->nan[0], wanted[7]);
    halo_results_free(&results);
    free(row.data);
    free(pixel);
    halo_buf_free(&in);
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

static void check_row(const HaloBuf *group, const double *row)
{
    HaloMoments m;
    double rank[3];
    oracle_reduce(group, &m);
    const bool whole = group->shape.dtype != HALO_F32;
    const double n = (double)(m.count - m.nan), sum = whole ? (double)m.isum : m.sum;
    const double squares = (double)m.isq_hi * 0x1p64 + (double)m.isq_lo, mean = sum / n;
    same("label", "count", (double)m.count, row[COUNT]);
    same("label", "nan", (double)m.nan, row[NANS]);
    same("label", "inf", (double)m.inf, row[INFS]);
    same("label", "zero", (double)m.zero, row[ZEROS]);
    middle_and_ends(group, rank);
    same("label", "minimum", rank[0], row[MIN]);
    same("label", "maximum", rank[2], row[MAX]);
    same("label", "sum", n > 0 || !whole ? sum : 0, row[SUM]);
    if (n > 0) same("label", "mean", mean, row[MEAN]);
    if (n > 0 && whole) near("label", "sd", sqrt(fmax(squares / n - mean * mean, 0)), row[SD]);
    if (n > 0 && !whole) near("label", "sd", sqrt(m.m2 / n), row[SD]);
    for (int k = 0; k < 3; k++) same("label", "percentile", rank[k], row[P0 + k]);
}

static void check_bins(const HaloBuf *group, const double *row, double label)
{
    for (int b = 0; b < 5; b++) {
        int64_t count = 0;
        for (int64_t i = 0; i < group->cols; i++)
            count += oracle_bin((double)oracle_get(group, i, 0, 0), 10, 90, 5) == b;
        same("label", "label of bin", label, row[4 * b]);
        same("label", "end of bin", oracle_edge(10, 90, 5, b + 1), row[4 * b + 2]);
        same("label", "bin", (double)count, row[4 * b + 3]);
    }
}

static void rows_of_labels(Rng *rng)
{
    HaloBuf in = draw_picture(rng);
    int64_t *const pixel = oracle_memory(in.shape.width * in.shape.height, sizeof *pixel);
    HaloResults results = pipeline_results("stats:percentiles=\"0,50,100\",labels=[channels:2] | "
                                           "hist:labels=[channels:2],bins=5,min=10,max=90",
                                           &in);
    const HaloTable *stats = &results.item[0].table[SAMPLES], *bins = &results.item[1].table[SAMPLES];
    int64_t r = 0;
    for (int label = 1; label <= 12; label++) {
        HaloBuf group = gather(&in, label, pixel);
        if (group.cols > 0) {
            assert_true(r < stats->rows && 5 * r < bins->rows);
            same("label", "label", label, stats->cell[r * stats->columns]);
            check_row(&group, stats->cell + r * stats->columns);
            check_bins(&group, bins->cell + 5 * r * bins->columns, label);
            r++;
        }
        free(group.data);
    }
    assert_int_equal(r, stats->rows);
    halo_results_free(&results);
    free(pixel);
    halo_buf_free(&in);
}

/* Groups large enough that percentiles come from counts. */
static void large_groups(Rng *rng)
{
    const HaloShape shape = test_shape(draw_dtype(rng), 260, 250, 2);
    HaloBuf in = random_input(&shape, false, rng);
    int64_t *const pixel = oracle_memory(shape.width * shape.height, sizeof *pixel);
    for (int64_t i = 0; i < 260 * 250; i++)
        oracle_put(&in, i % 260, i / 260, LABELS, (float)(rng_between(rng, 1, 9) / 8), (HaloStore){1, 1});
    HaloResults results = pipeline_results("stats:percentiles=\"0,50,100\",labels=[channels:2]", &in);
    HaloBuf group = gather(&in, 1, pixel);
    check_row(&group, results.item[0].table[SAMPLES].cell);
    halo_results_free(&results);
    free(group.data);
    free(pixel);
    halo_buf_free(&in);
}

/* ---- labels as masks ------------------------------------------------------------------------------------- */

enum { SKEWNESS = RMS + 2, KURTOSIS, ENTROPY, P10, P75, COLUMNS };

/* What is measured of a label, in one call with others, is what is measured of a mask with its pixels. */
static void labels_are_masks(Rng *rng)
{
    HaloBuf in = draw_picture(rng);
    HaloResults results =
        pipeline_results("stats:full,product,percentiles=\"10,75\",labels=[channels:2] | "
                         "hist:labels=[channels:2],bins=9,min=3,max=80"
                         " | stats:full,product,percentiles=\"10,75\",mask=[channels:2 | expr:\"v==2\"]"
                         " | hist:mask=[channels:2 | expr:\"v==2\"],bins=9,min=3,max=80",
                         &in);
    const HaloTable *rows = &results.item[0].table[SAMPLES], *bins = &results.item[1].table[SAMPLES];
    const HaloStats *s = &results.item[2].channel[SAMPLES];
    assert_int_equal(rows->columns, COLUMNS);
    for (int64_t r = 0; r < rows->rows; r++) {
        const double *row = rows->cell + r * COLUMNS;
        if (row[LABEL] != 2) continue;
        const double wanted[COLUMNS] = {2,
                                        (double)s->count,
                                        (double)s->nan,
                                        (double)s->inf,
                                        (double)s->zero,
                                        s->min,
                                        s->max,
                                        s->sum,
                                        s->mean,
                                        s->sd,
                                        s->rms,
                                        s->product,
                                        s->skewness,
                                        s->kurtosis,
                                        s->entropy,
                                        s->percentile[0],
                                        s->percentile[1]};
        for (int k = 0; k < COLUMNS; k++) same("label and mask", rows->column[k], wanted[k], row[k]);
        for (int b = 0; b < 9; b++)
            same("label and mask", "bin", (double)results.item[3].hist.count[SAMPLES * 9 + b],
                 bins->cell[(9 * r + b) * bins->columns + 3]);
    }
    halo_results_free(&results);
    halo_buf_free(&in);
}

/* ---- many labels ----------------------------------------------------------------------------------------- */

enum { MANY_WIDTH = 550, MANY_HEIGHT = 280, MANY_PIXELS = MANY_WIDTH * MANY_HEIGHT, MANY_LARGE = 70000 };

/* More labels than are measured in one call, in any order, some of one pixel and some of two, and in the midst
 * a large one; labels between them that do not occur. Sums are of integers, and exact. */
static void many_labels(Rng *rng)
{
    const HaloShape shape = test_shape(HALO_F32, MANY_WIDTH, MANY_HEIGHT, 2);
    HaloBuf in = random_input(&shape, false, rng);
    double *const sum = oracle_memory(3 * MANY_PIXELS, sizeof *sum), *const count = sum + MANY_PIXELS,
                  *const most = count + MANY_PIXELS;
    for (int64_t k = 0; k < 3 * MANY_PIXELS; k++) sum[k] = 0;
    for (int64_t i = 0, at = 0; i < MANY_PIXELS; i++, at = (at + 99991) % MANY_PIXELS) {
        const int64_t label = i < MANY_LARGE ? 50001 : 1 + (i - MANY_LARGE) * 4 / 5 * 2;
        const double v = (double)rng_between(rng, -999, 999);
        oracle_put(&in, at % MANY_WIDTH, at / MANY_WIDTH, LABELS, (float)label, (HaloStore){1, 1});
        oracle_put(&in, at % MANY_WIDTH, at / MANY_WIDTH, SAMPLES, (float)v, (HaloStore){1, 1});
        sum[label] += v;
        most[label] = count[label] == 0 || v > most[label] ? v : most[label];
        count[label]++;
    }
    HaloResults results = pipeline_results("stats:percentiles=100,labels=[channels:2]", &in);
    const HaloTable *table = &results.item[0].table[SAMPLES];
    int64_t r = 0;
    for (int64_t label = 1; label < MANY_PIXELS; label++) {
        if (count[label] == 0) continue;
        assert_true(r < table->rows);
        const double *row = table->cell + r++ * table->columns;
        same("many", "label", (double)label, row[LABEL]);
        same("many", "count", count[label], row[COUNT]);
        same("many", "sum", sum[label], row[SUM]);
        same("many", "maximum", most[label], row[MAX]);
        same("many", "percentile", most[label], row[P0]);
    }
    assert_int_equal(r, table->rows);
    assert_true(r > 65536);
    halo_results_free(&results);
    free(sum);
    halo_buf_free(&in);
}

static void labels_are_integers(void **state)
{
    (void)state;
    static const float bad[] = {-1.0f, 0.5f, 16777218.0f, INFINITY};
    const HaloShape shape = test_shape(HALO_F32, 3, 2, 2);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        HaloBuf in;
        assert_int_equal(halo_buf_alloc(&in, &shape), HALO_OK);
        for (int i = 0; i < 6; i++)
            oracle_put(&in, i % 3, i / 3, LABELS, i == 4 ? bad[k] : 1.0f, (HaloStore){1, 1});
        Outcome outcome = expect_everywhere_alike("stats:labels=[channels:2]", &in, NULL);
        assert_int_equal(outcome.status, HALO_ERR_INPUT);
        assert_non_null(strstr(outcome.message, "x=1, y=1"));
        outcome_free(&outcome);
        halo_buf_free(&in);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(statistics_in_masks, 40), random_test(rows_of_labels, 40),
        random_test(large_groups, 2),         random_test(labels_are_masks, 60),
        random_test(many_labels, 1),          cmocka_unit_test(labels_are_integers),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
