/* `--plot-response`: what a pipeline of linear filters does to every frequency, drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "halo/utf8.h"
#include "plot.h"

static const double pi = 3.14159265358979323846;

static HaloStatus run(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in, HaloBuf *out)
{
    HaloPlan *plan = NULL;
    HaloStatus status = halo_plan_make_of(session, pipeline, in, NULL, &plan);
    *out = (HaloBuf){0};
    if (status == HALO_OK) status = halo_plan_execute(session, plan, in, out, NULL, NULL);
    halo_plan_free(plan);
    return status;
}

/* ---- the impulse response ------------------------------------------------------------------------------- */

/* The impulse is in the middle, so that forward-backward filters have space before it. */
enum { LEAST_FRAMES = 1 << 16, MOST_FRAMES = 1 << 20 };

static HaloStatus sound_of(double rate, int64_t frames, HaloBuf *buf)
{
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = frames,
                             .height = 1,
                             .channels = 1,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = rate};
    const HaloStatus status = halo_buf_alloc(buf, &shape);
    if (status == HALO_OK) memset(buf->data, 0, sizeof(float) * (size_t)frames);
    return status;
}

static double sample(const HaloBuf *buf, int64_t i) { return (double)((const float *)buf->data)[i]; }

/* Does it make of a sum the sum of what it makes of the parts? `impulse` is one of them, noise the other. */
static HaloStatus check_linear(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *impulse,
                               const HaloBuf *response)
{
    HaloStatus status = HALO_OK;
    HaloBuf noise = {0}, of_noise = {0}, of_both = {0};
    uint32_t draw = 1;
    double most = 0.0, off = 0.0;
    HALO_TRY(sound_of(impulse->shape.rate, impulse->cols, &noise));
    float *const at = noise.data;
    for (int64_t i = 0; i < noise.cols; i++)
        at[i] = (float)((draw = draw * 1664525u + 1013904223u) >> 8) * 0x1p-24f - 0.5f;
    HALO_TRY(run(session, pipeline, &noise, &of_noise));
    for (int64_t i = 0; i < noise.cols; i++) at[i] += ((const float *)impulse->data)[i];
    HALO_TRY(run(session, pipeline, &noise, &of_both));
    for (int64_t i = 0; i < response->cols; i++) {
        const double sum = sample(&of_noise, i) + sample(response, i);
        most = fmax(most, fabs(sum));
        off = fmax(off, fabs(sum - sample(&of_both, i)));
    }
    if (!(off <= 1e-4 * most))
        HALO_FAIL(HALO_ERR_USAGE, "--plot-response is for linear filters, but the pipeline is not linear");
out:
    halo_buf_free(&noise);
    halo_buf_free(&of_noise);
    halo_buf_free(&of_both);
    return status;
}

static HaloStatus measure(HaloSession *session, const HaloPipeline *pipeline, double rate, int64_t frames,
                          HaloBuf *response)
{
    HaloStatus status = HALO_OK;
    HaloBuf impulse = {0};
    HALO_TRY(sound_of(rate, frames, &impulse));
    ((float *)impulse.data)[frames / 2] = 1.0f;
    HALO_TRY(run(session, pipeline, &impulse, response));
    if (response->shape.kind != HALO_AUDIO || response->cols != frames || response->shape.rate != rate ||
        response->shape.channels != 1 || response->shape.dtype != HALO_F32)
        HALO_FAIL(HALO_ERR_USAGE, "--plot-response is for filters that keep length, rate and channels");
    HALO_TRY(check_linear(session, pipeline, &impulse, response));
out:
    halo_buf_free(&impulse);
    return status;
}

/* Has it faded away at both ends? A narrow notch rings for long, and is shallow where that is cut off. */
static bool is_complete(const HaloBuf *response)
{
    double all = 0, ends = 0;
    for (int64_t i = 0; i < response->cols; i++) {
        const double power = sample(response, i) * sample(response, i);
        all += power;
        if (i < response->cols / 32 || i >= response->cols - response->cols / 32) ends += power;
    }
    return !(ends > 1e-14 * all);
}

/* ---- the spectrum --------------------------------------------------------------------------------------- */

typedef struct Complex {
    double re, im;
} Complex;

/* By definition, at a frequency in cycles per sample; time 0 is the impulse. */
static Complex spectrum_at(const HaloBuf *response, double frequency)
{
    const double turn_re = cos(2.0 * pi * frequency), turn_im = -sin(2.0 * pi * frequency);
    const double first = 2.0 * pi * frequency * (double)(response->cols / 2);
    double re = cos(first), im = sin(first);
    Complex sum = {0, 0};
    for (int64_t i = 0; i < response->cols; i++) {
        const double v = sample(response, i), next = re * turn_re - im * turn_im;
        sum.re += v * re;
        sum.im += v * im;
        im = re * turn_im + im * turn_re;
        re = next;
    }
    return sum;
}

/* At the frequencies k / frames, by the fast Fourier transform of a power of two. */
static void transform(Complex *at, int64_t frames)
{
    for (int64_t i = 1, j = 0; i < frames; i++) {
        int64_t bit = frames / 2;
        for (; j & bit; bit /= 2) j ^= bit;
        j ^= bit;
        const Complex kept = at[i];
        if (i < j) at[i] = at[j], at[j] = kept;
    }
    for (int64_t size = 2; size <= frames; size *= 2)
        for (int64_t k = 0; k < size / 2; k++) {
            const double angle = -2.0 * pi * (double)k / (double)size, c = cos(angle), s = sin(angle);
            for (int64_t i = k; i < frames; i += size) {
                Complex *a = &at[i], *b = &at[i + size / 2];
                const Complex turned = {b->re * c - b->im * s, b->re * s + b->im * c};
                *b = (Complex){a->re - turned.re, a->im - turned.im};
                *a = (Complex){a->re + turned.re, a->im + turned.im};
            }
        }
}

static double decibels(Complex v) { return fmax(20.0 * log10(hypot(v.re, v.im)), -300.0); }

/* Moves a frequency from the least of its neighbours to the null beside it: there the spectrum is almost a
 * straight line through 0. */
static double refine(const HaloBuf *response, double frequency)
{
    const double bin = 1.0 / (double)response->cols, from = frequency;
    for (int i = 0; i < 4; i++) {
        const Complex a = spectrum_at(response, frequency), b = spectrum_at(response, frequency + bin / 16);
        const Complex slope = {(b.re - a.re) * 16 / bin, (b.im - a.im) * 16 / bin};
        const double square = slope.re * slope.re + slope.im * slope.im;
        if (!(square > 0)) break;
        frequency -= (a.re * slope.re + a.im * slope.im) / square;
        frequency = fmin(fmax(frequency, from - bin), from + bin);
    }
    return decibels(spectrum_at(response, frequency)) < decibels(spectrum_at(response, from)) ? frequency
                                                                                              : from;
}

/* ---- the curve ------------------------------------------------------------------------------------------ */

enum { POINTS = 400 };
#define RANGE 120.0    /* dB below the highest point that are shown */
#define STANDS_OUT 0.1 /* dB */

/* The frequencies between two points where the spectrum is least and greatest, if it is lower or higher there
 * than at both. */
static void add_between(const HaloBuf *response, const Complex *spectrum, const double from[2],
                        const double to[2], CliTable *table)
{
    const double frames = (double)response->cols, low = fmin(from[1], to[1]), high = fmax(from[1], to[1]);
    int64_t least = -1, most = -1;
    for (int64_t k = (int64_t)ceil(from[0] * frames); (double)k < to[0] * frames; k++) {
        const double v = decibels(spectrum[k]);
        if (v < low - STANDS_OUT && (least < 0 || v < decibels(spectrum[least]))) least = k;
        if (v > high + STANDS_OUT && (most < 0 || v > decibels(spectrum[most]))) most = k;
    }
    for (int i = 0; i < 2; i++) {
        const int64_t k = (i == 0) == (least < most) ? least : most;
        if (k < 0) continue;
        const double frequency = k == least ? refine(response, (double)k / frames) : (double)k / frames;
        if (frequency <= from[0] || frequency >= to[0]) continue;
        double *row = table->value + 2 * table->rows++;
        row[0] = frequency;
        row[1] = decibels(spectrum_at(response, frequency));
    }
}

/* Points that are evenly spaced on the logarithmic axis miss nulls and resonances, which lie between. */
static void fill_curve(const HaloBuf *response, const Complex *spectrum, double rate, CliTable *table)
{
    const double low = 1.0 / 4800.0;
    double before[2] = {0, 0}, highest = -INFINITY;
    for (int i = 0; i < POINTS; i++) {
        const double frequency = low * pow(0.5 / low, (double)i / (POINTS - 1));
        const double point[2] = {frequency, decibels(spectrum_at(response, frequency))};
        if (i > 0) add_between(response, spectrum, before, point, table);
        memcpy(table->value + 2 * table->rows++, point, sizeof point);
        memcpy(before, point, sizeof point);
    }
    for (size_t r = 0; r < table->rows; r++) highest = fmax(highest, table->value[2 * r + 1]);
    for (size_t r = 0; r < table->rows; r++) {
        table->value[2 * r] *= rate;
        table->value[2 * r + 1] = fmax(table->value[2 * r + 1], highest - RANGE);
    }
}

static HaloStatus draw(const CliSettings *settings, const CliTable *table, const char *title)
{
    Chart chart = {.table = table, .path = settings->response, .title = title};
    const HaloSinkOptions options = {.force = settings->force, .sync = settings->write.sync};
    const HaloStatus status = chart_line_axes(&chart, settings->response, true, false);
    if (status != HALO_OK) {
        chart.canvas->free(chart.canvas);
        return status;
    }
    chart_lines(&chart);
    return canvas_save(chart.canvas, settings->response, &options);
}

HaloStatus cli_plot_response(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                             const char *text)
{
    HaloStatus status = HALO_OK;
    const double rate = settings->engine.rate > 0 ? settings->engine.rate : 48000.0;
    HaloBuf response = {0};
    CliTable table = {.columns = 2, .name = {"Hz", "dB"}};
    Complex *spectrum = NULL;
    char title[128];
    table.value = cli_alloc((size_t)2 * 3 * POINTS, sizeof *table.value);
    for (int64_t frames = LEAST_FRAMES; frames <= MOST_FRAMES; frames *= 2) {
        halo_buf_free(&response);
        HALO_TRY(measure(session, pipeline, rate, frames, &response));
        if (is_complete(&response)) break;
    }
    spectrum = cli_alloc((size_t)response.cols, sizeof *spectrum);
    for (int64_t i = 0; i < response.cols; i++) spectrum[i].re = sample(&response, i);
    transform(spectrum, response.cols);
    fill_curve(&response, spectrum, rate, &table);
    halo_snprintf(title, sizeof title, "%.*s at %g Hz", (int)halo_utf8_fit(text, 80), text, rate);
    HALO_TRY(draw(settings, &table, title));
out:
    free(spectrum);
    cli_table_free(&table);
    halo_buf_free(&response);
    return status;
}
