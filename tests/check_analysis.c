/* Series and spectra by their definitions, as plain sums in long double; on every device. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipelines.h"

enum { MOST = 400, TEXT = 160 };

static const long double tau = 6.283185307179586476925286766559L;

typedef struct Line {
    float x[MOST];
    int64_t n;
    double rate;
} Line;

static Line draw_line(Rng *rng, int64_t least, bool nan)
{
    Line line = {.n = rng_between(rng, least, MOST), .rate = (double)rng_between(rng, 1, 200)};
    for (int64_t i = 0; i < line.n; i++) {
        line.x[i] = (float)(rng_unit(rng) - 0.5) * (rng_once_in(rng, 20) ? 30.0f : 1.0f);
        if (nan && rng_once_in(rng, 15)) line.x[i] = NAN;
        if (i > 0 && rng_once_in(rng, 6)) line.x[i] = line.x[i - 1];
    }
    return line;
}

static Outcome run_line(const char *pipeline, const Line *line)
{
    HaloBuf in = float_row(line->x, line->n);
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = line->rate;
    Outcome outcome = run_ok(pipeline, &in);
    halo_buf_free(&in);
    return outcome;
}

/* want: [n] of a channel of the result. */
static void expect_line(const char *pipeline, const Outcome *outcome, int channel, const long double *want,
                        int64_t n, double within)
{
    long double most = 1e-30L;
    if (outcome->out.shape.width != n)
        fail_case(NULL, "%s: %" PRId64 " frames, not %" PRId64, pipeline, outcome->out.shape.width, n);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(want[i])) most = fmaxl(most, fabsl(want[i]));
    for (int64_t i = 0; i < n; i++) {
        const double got = ((const float *)outcome->out.data)[i * outcome->out.shape.channels + channel];
        if (!(fabsl(got - want[i]) <= within * most) && !(isnan(got) && isnan(want[i])))
            fail_case(NULL, "%s: frame %" PRId64 " is %.9g, not %.9Lg", pipeline, i, got, want[i]);
    }
}

static void expect_made(const char *pipeline, const Line *line, const long double *want, int64_t n,
                        double within)
{
    Outcome outcome = run_line(pipeline, line);
    expect_line(pipeline, &outcome, 0, want, n, within);
    outcome_free(&outcome);
}

/* ---- series --------------------------------------------------------------------------------------------- */

static void differences(Rng *rng)
{
    const Line line = draw_line(rng, 20, true);
    long double d[MOST];
    char text[TEXT];
    const int64_t order = rng_between(rng, 1, 5);
    for (int64_t i = 0; i < line.n; i++) d[i] = line.x[i];
    for (int64_t k = 1; k <= order; k++)
        for (int64_t i = 0; i < line.n - k; i++) d[i] = d[i + 1] - d[i];
    snprintf(text, sizeof text, "diff:%" PRId64, order);
    expect_made(text, &line, d, line.n - order, 1e-7);
}

static void integrals(Rng *rng)
{
    const Line line = draw_line(rng, 1, false);
    long double sum[MOST] = {0};
    for (int64_t i = 1; i < line.n; i++)
        sum[i] = sum[i - 1] + ((long double)line.x[i - 1] + line.x[i]) / 2 / line.rate;
    expect_made("integrate", &line, sum, line.n, 1e-6);
}

static void trends(Rng *rng)
{
    const Line line = draw_line(rng, 1, true);
    long double n = 0, t = 0, x = 0, tt = 0, tx = 0, y[MOST];
    const bool linear = rng_once_in(rng, 2);
    for (int64_t i = 0; i < line.n; i++)
        if (!isnan(line.x[i])) {
            n += 1;
            t += (long double)i;
            x += line.x[i];
        }
    for (int64_t i = 0; i < line.n; i++)
        if (!isnan(line.x[i])) {
            tt += ((long double)i - t / n) * ((long double)i - t / n);
            tx += ((long double)i - t / n) * (line.x[i] - x / n);
        }
    for (int64_t i = 0; i < line.n; i++)
        y[i] = line.x[i] - x / n - (linear && tt > 0 ? tx / tt * ((long double)i - t / n) : 0);
    expect_made(linear ? "detrend" : "detrend:constant", &line, y, line.n, 1e-6);
}

static int by_size(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

static long double median(long double *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n % 2 == 1 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static void outliers(Rng *rng)
{
    const Line line = draw_line(rng, 1, true);
    const int64_t radius = rng_between(rng, 1, 12);
    long double y[MOST], window[MOST];
    char text[TEXT];
    for (int64_t i = 0; i < line.n; i++) {
        int64_t n = 0;
        y[i] = line.x[i];
        for (int64_t j = i - radius; j <= i + radius; j++)
            if (j >= 0 && j < line.n && !isnan(line.x[j])) window[n++] = line.x[j];
        if (isnan(line.x[i])) continue;
        const long double middle = median(window, n);
        for (int64_t k = 0; k < n; k++) window[k] = fabsl(window[k] - middle);
        if (fabsl(line.x[i] - middle) > 3 * 1.4826L * median(window, n)) y[i] = middle;
    }
    snprintf(text, sizeof text, "despike:%" PRId64, 2 * radius + 1);
    expect_made(text, &line, y, line.n, 1e-7);
}

static void decimations(Rng *rng)
{
    const Line line = draw_line(rng, 1, false);
    const int64_t q = rng_between(rng, 2, 7), half = 10 * q;
    long double y[MOST], total = 0;
    char text[TEXT];
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < (line.n + q - 1) / q; i++) {
            long double sum = 0, all = 0;
            for (int64_t j = -half; j <= half; j++) {
                const long double angle = tau / 2 * (long double)j / (long double)q;
                const long double tap = (j == 0 ? 1 : sinl(angle) / angle) *
                                        (0.54L + 0.46L * cosl(tau / 2 * (long double)j / (long double)half));
                all += tap;
                if (i * q + j >= 0 && i * q + j < line.n) sum += tap * line.x[i * q + j];
            }
            total = all;
            y[i] = sum / total;
        }
    snprintf(text, sizeof text, "decimate:%" PRId64 ",method=fir", q);
    expect_made(text, &line, y, (line.n + q - 1) / q, 2e-6);
    /* Of a constant the recursive filter leaves the lowest ripple, once each way. */
    Line flat = line;
    for (int64_t i = 0; i < flat.n; i++) flat.x[i] = 3;
    for (int64_t i = 0; i < (line.n + q - 1) / q; i++) y[i] = 3 * powl(10, -0.005L);
    snprintf(text, sizeof text, "decimate:%" PRId64, q);
    expect_made(text, &flat, y, (line.n + q - 1) / q, 1e-6);
}

/* Derivatives of polynomials up to the order are exact, at the ends as elsewhere. */
static void derivatives(Rng *rng)
{
    Line line = draw_line(rng, 60, false);
    const int64_t order = rng_between(rng, 1, 4), deriv = rng_between(rng, 0, order),
                  window = 2 * rng_between(rng, 4, 15) + 1;
    const double delta = 0.25;
    long double y[MOST], factor[5];
    char text[TEXT];
    for (int64_t k = 0; k <= order; k++) factor[k] = rng_unit(rng) - 0.5;
    for (int64_t i = 0; i < line.n; i++) {
        const long double t = (long double)(i - line.n / 2) * delta / 50;
        long double x = 0;
        y[i] = 0;
        for (int64_t k = 0; k <= order; k++) {
            long double falling = 1;
            for (int64_t d = 0; d < deriv; d++) falling *= (long double)(k - d) / 50;
            x += factor[k] * powl(t, (long double)k);
            if (k >= deriv) y[i] += factor[k] * falling * powl(t, (long double)(k - deriv));
        }
        line.x[i] = (float)x;
    }
    snprintf(text, sizeof text,
             "savgol:window=%" PRId64 ",order=%" PRId64 ",deriv=%" PRId64 ",delta=0.25,edge=interp", window,
             order, deriv);
    Outcome outcome = run_line(text, &line);
    for (int64_t i = 0; i < line.n; i++) {
        const double got = ((const float *)outcome.out.data)[i];
        if (fabsl(got - y[i]) > 2e-5L) /* samples are rounded to f32 */
            fail_case(NULL, "%s: frame %" PRId64 " of %" PRId64 " is %g, not %Lg", text, i, line.n, got, y[i]);
    }
    outcome_free(&outcome);
}

/* A constant stays one up to its ends. */
static void rates_with_borders(Rng *rng)
{
    Line line = draw_line(rng, 1, false);
    char text[TEXT];
    line.rate = 100;
    for (int64_t i = 0; i < line.n; i++) line.x[i] = 5;
    snprintf(text, sizeof text, "rate:%" PRId64 ",border=%s", rng_between(rng, 30, 300),
             rng_once_in(rng, 2) ? "replicate" : "mirror");
    Outcome outcome = run_line(text, &line);
    for (int64_t i = 0; i < outcome.out.cols; i++)
        if (fabsf(((const float *)outcome.out.data)[i] - 5) > 2e-5f)
            fail_case(NULL, "%s: frame %" PRId64, text, i);
    outcome_free(&outcome);
}

/* ---- spectra -------------------------------------------------------------------------------------------- */

/* |X(k)|^2 of n samples, each times weight[i]. */
static long double power_at(const long double *x, const long double *weight, int64_t n, int64_t k)
{
    long double re = 0, im = 0;
    for (int64_t i = 0; i < n; i++) {
        re += x[i] * weight[i] * cosl(tau * (long double)(i * k % n) / (long double)n);
        im += x[i] * weight[i] * sinl(tau * (long double)(i * k % n) / (long double)n);
    }
    return re * re + im * im;
}

static void hann(long double *weight, int64_t n)
{
    for (int64_t i = 0; i < n; i++) weight[i] = 0.5L - 0.5L * cosl(tau * (long double)i / (long double)n);
}

static void densities(Rng *rng)
{
    const Line line = draw_line(rng, 64, false);
    const int64_t n = rng_once_in(rng, 2) ? 32 : rng_between(rng, 2, 60), hop = n - n / 2;
    long double weight[64], x[64], sum[64] = {0}, squares = 0, segments = 0;
    char text[TEXT];
    hann(weight, n);
    for (int64_t i = 0; i < n; i++) squares += weight[i] * weight[i];
    for (int64_t at = 0; at + n <= line.n; at += hop, segments += 1) {
        long double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += (long double)line.x[at + i] / (long double)n;
        for (int64_t i = 0; i < n; i++) x[i] = line.x[at + i] - mean;
        for (int64_t k = 0; k <= n / 2; k++) sum[k] += power_at(x, weight, n, k);
    }
    for (int64_t k = 0; k <= n / 2; k++)
        sum[k] *= (k == 0 || 2 * k == n ? 1 : 2) / (segments * line.rate * squares);
    snprintf(text, sizeof text, "psd:%" PRId64, n);
    expect_made(text, &line, sum, n / 2 + 1, 1e-6);
}

static void correlations(Rng *rng)
{
    const Line line = draw_line(rng, 4, false);
    const int64_t cut = rng_between(rng, 1, line.n - 1), m = line.n - cut;
    long double sum[2 * MOST] = {0};
    char text[TEXT];
    for (int64_t lag = -(m - 1); lag < line.n; lag++)
        for (int64_t i = 0; i < m; i++)
            if (i + lag >= 0 && i + lag < line.n)
                sum[lag + m - 1] += (long double)line.x[i + lag] * line.x[cut + i];
    snprintf(text, sizeof text, "xcorr:[trim:%" PRId64 "f,%" PRId64 "f]", cut, line.n);
    expect_made(text, &line, sum, line.n + m - 1, 1e-6);
}

/* Triangles between points that lie evenly on the mel scale of HTK. */
static void mel_bands(Rng *rng)
{
    enum { BANDS = 6, WINDOW = 64 };
    Line line = draw_line(rng, 1, false);
    long double edge[BANDS + 2], weight[WINDOW], x[WINDOW], power[WINDOW / 2 + 1];
    const int64_t hop = rng_between(rng, 5, 90), frames = 1 + line.n / hop;
    const bool decibels = rng_once_in(rng, 2);
    static long double want[BANDS][MOST];
    char text[TEXT];
    line.rate = 8000;
    for (int b = 0; b < BANDS + 2; b++)
        edge[b] = 700 * (powl(10, log10l(1 + 4000.0L / 700) * b / (BANDS + 1)) - 1);
    hann(weight, WINDOW);
    for (int64_t f = 0; f < frames; f++) {
        for (int64_t i = 0; i < WINDOW; i++) {
            const int64_t at = f * hop - WINDOW / 2 + i;
            x[i] = at >= 0 && at < line.n ? line.x[at] : 0;
        }
        for (int64_t k = 0; k <= WINDOW / 2; k++) power[k] = power_at(x, weight, WINDOW, k);
        for (int b = 0; b < BANDS; b++) {
            want[b][f] = 0;
            for (int64_t k = 0; k <= WINDOW / 2; k++) {
                const long double hz = 125.0L * (long double)k,
                                  height = fminl((hz - edge[b]) / (edge[b + 1] - edge[b]),
                                                 (edge[b + 2] - hz) / (edge[b + 2] - edge[b + 1]));
                if (height > 0) want[b][f] += height * power[k] * 2 / (edge[b + 2] - edge[b]);
            }
            if (decibels) want[b][f] = 10 * log10l(fmaxl(1e-10L, want[b][f]));
        }
    }
    snprintf(text, sizeof text, "mel:%d,window=%d,hop=%" PRId64 ",formula=htk%s", BANDS, WINDOW, hop,
             decibels ? ",scale=db,range=0" : "");
    Outcome outcome = run_line(text, &line);
    for (int b = 0; b < BANDS; b++) expect_line(text, &outcome, b, want[b], frames, 2e-5);
    outcome_free(&outcome);
}

/* ---- peaks ---------------------------------------------------------------------------------------------- */

static long double prominence_at(const Line *line, int64_t peak)
{
    float least[2];
    for (int side = 0; side < 2; side++) {
        const int step = side == 0 ? -1 : 1;
        least[side] = line->x[peak];
        for (int64_t i = peak; i >= 0 && i < line->n && line->x[i] <= line->x[peak]; i += step)
            least[side] = fminf(least[side], line->x[i]);
    }
    return (long double)line->x[peak] - fmaxf(least[0], least[1]);
}

static void peaks(Rng *rng)
{
    const Line line = draw_line(rng, 1, true);
    const double least = rng_unit(rng);
    char text[TEXT];
    int64_t row = 0;
    HaloBuf in = float_row(line.x, line.n);
    in.shape.kind = HALO_AUDIO;
    in.shape.rate = line.rate;
    snprintf(text, sizeof text, "peaks:prominence=%.3f", least);
    HaloResults results = pipeline_results(text, &in);
    const HaloTable *table = results.item[0].table;
    for (int64_t i = 1, last; i < line.n - 1; i = last + 1) {
        last = i;
        while (last < line.n - 1 && line.x[last + 1] == line.x[i]) last++;
        if (!(line.x[i - 1] < line.x[i]) || last == line.n - 1 || !(line.x[last + 1] < line.x[i])) continue;
        const int64_t peak = (i + last) / 2;
        const long double prominence = prominence_at(&line, peak);
        if (fabsl(prominence - least) < 1e-3L) continue; /* rounding of the text may decide */
        if (prominence < least) continue;
        while (row < table->rows && table->cell[5 * row] < (double)peak) row++;
        if (row == table->rows || table->cell[5 * row] != (double)peak ||
            fabsl(table->cell[5 * row + 3] - prominence) > 1e-12L ||
            table->cell[5 * row + 2] != (double)line.x[peak])
            fail_case(NULL, "%s: no peak at %" PRId64, text, peak);
    }
    halo_results_free(&results);
    halo_buf_free(&in);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        random_test(differences, 30),        random_test(integrals, 30),   random_test(trends, 30),
        random_test(outliers, 30),           random_test(decimations, 20), random_test(derivatives, 30),
        random_test(rates_with_borders, 20), random_test(densities, 15),   random_test(correlations, 20),
        random_test(mel_bands, 8),           random_test(peaks, 40),
    };
    test_arguments(argc, argv);
    return cmocka_run_group_tests(tests, runners_open, runners_close);
}
