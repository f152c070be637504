/* What a pipeline makes of a sound, drawn: a spectrogram over time and frequency, or series over time; and what
 * it does to every frequency. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "halo/utf8.h"
#include "plot.h"

static const double pi = 3.14159265358979323846;

/* Inputs are not written over. */
static HaloStatus save(Canvas *canvas, const char *path, const CliSettings *settings)
{
    const HaloSinkOptions options = {.force = settings->force, .sync = settings->write.sync};
    return canvas_save(canvas, path, &options);
}

static HaloStatus run(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *in, HaloBuf *out)
{
    HaloPlan *plan = NULL;
    HaloStatus status = halo_plan_make_of(session, pipeline, in, NULL, &plan);
    *out = (HaloBuf){0};
    if (status == HALO_OK) status = halo_plan_run(session, plan, in, out, NULL, NULL);
    halo_plan_free(plan);
    return status;
}

/* ---- spectrograms --------------------------------------------------------------------------------------- */

/* From black by purple and orange to white, lighter all the way. */
static uint32_t heat(double share)
{
    static const double anchor[][3] = {
        {0, 0, 0}, {70, 15, 105}, {185, 55, 85}, {250, 150, 40}, {255, 255, 235}};
    const double at = 4.0 * fmin(fmax(share, 0.0), 1.0);
    const int i = at < 3.0 ? (int)at : 3;
    uint32_t rgb = 0;
    for (int c = 0; c < 3; c++)
        rgb = rgb << 8 | (uint32_t)(anchor[i][c] + (at - i) * (anchor[i + 1][c] - anchor[i][c]) + 0.5);
    return rgb;
}

/* The greatest sample of those that share a cell: columns [x0, x1), rows [y0, y1). */
static double greatest(const HaloBuf *out, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    double most = 0.0;
    for (int64_t y = y0; y < y1 || y == y0; y++)
        for (int64_t x = x0; x < x1 || x == x0; x++) {
            const double v = (double)*(const float *)halo_at(out, x, y);
            if (v > most) most = v;
        }
    return most / (double)out->shape.white;
}

static void draw_picture(const Frame *frame, const HaloBuf *out, int cell)
{
    const int across = (int)(frame->right - frame->left) / cell,
              down = (int)(frame->bottom - frame->top) / cell;
    for (int j = 0; j < down; j++)
        for (int i = 0; i < across; i++) {
            const double most = greatest(out, i * out->cols / across, (i + 1) * out->cols / across,
                                         j * out->rows / down, (j + 1) * out->rows / down);
            frame->canvas->box(frame->canvas, frame->left + i * cell, frame->top + j * cell, cell, cell,
                               heat(most));
        }
}

static void draw_spectrogram(const CliSettings *settings, const HaloBuf *out, const HaloShape *in,
                             const char *input, Frame *frame)
{
    const char *dot = strrchr(settings->plot, '.');
    const int cell = dot != NULL && strcmp(dot, ".svg") == 0 ? 4 : 1;
    char title[128], below[128];
    *frame = frame_on(canvas_for(settings->plot), 0);
    frame->x = (Axis){0, (double)in->width / in->rate, false};
    frame->y = (Axis){0, in->rate / 2.0, false};
    const char *name = halo_base_name(input);
    snprintf(title, sizeof title, "%.*s", (int)halo_utf8_fit(name, 60), name);
    if (out->shape.white > 1.0f)
        halo_snprintf(below, sizeof below, "Hz by seconds; black is %g dB of full scale, white 0",
                      -(double)out->shape.white);
    else
        snprintf(below, sizeof below, "Hz by seconds; white is full scale");
    frame_title(frame, title, below);
    frame_ticks_x(frame);
    frame_ticks_y(frame);
    draw_picture(frame, out, cell);
    frame_lines(frame);
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* Takes the table's values: what `value` points at is freed with it. */
static HaloStatus draw_lines(const CliSettings *settings, const char *path, CliTable *table, const char *title,
                             Frame *frame)
{
    Chart chart = {.table = table, .path = path, .title = title};
    const HaloStatus status = chart_line_axes(&chart, settings->log_x, false);
    if (status != HALO_OK) return status;
    chart.frame.canvas = canvas_for(path);
    chart_lines(&chart);
    *frame = chart.frame;
    return HALO_OK;
}

static HaloStatus draw_series(const CliSettings *settings, const HaloBuf *out, const char *input, Frame *frame)
{
    static const char *const names[] = {"seconds",   "channel 1", "channel 2", "channel 3", "channel 4",
                                        "channel 5", "channel 6", "channel 7", "channel 8"};
    enum { MOST = 8 };
    const int channels = out->shape.channels;
    CliTable table = {.columns = channels + 1, .rows = (size_t)out->cols};
    if (channels > MOST || out->cols > 200000)
        return halo_fail(
            HALO_ERR_INPUT,
            "--plot draws up to %d channels of 200000 frames, not %d of %lld: use level to get fewer frames",
            MOST, channels, (long long)out->cols);
    table.value = cli_alloc(table.rows * (size_t)table.columns, sizeof *table.value);
    for (int c = 0; c <= channels; c++) table.name[c] = names[c];
    for (int64_t i = 0; i < out->cols; i++) {
        double *row = table.value + (size_t)i * (size_t)table.columns;
        row[0] = (double)i / out->shape.rate;
        for (int c = 0; c < channels; c++) row[c + 1] = (double)((const float *)out->data)[i * channels + c];
    }
    const HaloStatus status = draw_lines(settings, settings->plot, &table, halo_base_name(input), frame);
    free(table.value);
    return status;
}

HaloStatus cli_plot_sound(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                          const char *input)
{
    HaloStatus status = HALO_OK;
    HaloInfo info = {0};
    HaloBuf in = {0}, out = {0};
    Frame frame = {0};
    HALO_TRY(halo_load(session, input, &info, &in));
    if (in.shape.kind != HALO_AUDIO)
        HALO_FAIL(HALO_ERR_USAGE, "--plot needs hist in the pipeline, or for sound spectrogram or level");
    HALO_TRY(run(session, pipeline, &in, &out));
    if (out.shape.dtype != HALO_F32 || (out.shape.kind == HALO_IMAGE && out.shape.channels != 1))
        HALO_FAIL(HALO_ERR_INPUT,
                  "--plot draws the spectrogram of one channel, not of %d: select one with channels:1",
                  out.shape.channels);
    if (out.shape.kind == HALO_IMAGE)
        draw_spectrogram(settings, &out, &in.shape, input, &frame);
    else
        HALO_TRY(draw_series(settings, &out, input, &frame));
    HALO_TRY(save(frame.canvas, settings->plot, settings));
out:
    halo_meta_free(&info.meta);
    halo_buf_free(&in);
    halo_buf_free(&out);
    return status;
}

/* ---- responses ------------------------------------------------------------------------------------------ */

enum { RESPONSE_FRAMES = 1 << 16, RESPONSE_POINTS = 400 };

static HaloStatus sound_of(double rate, HaloBuf *buf)
{
    const HaloShape shape = {.kind = HALO_AUDIO,
                             .dtype = HALO_F32,
                             .width = RESPONSE_FRAMES,
                             .height = 1,
                             .channels = 1,
                             .alpha = -1,
                             .white = 1.0f,
                             .rate = rate};
    const HaloStatus status = halo_buf_alloc(buf, &shape);
    if (status == HALO_OK) memset(buf->data, 0, sizeof(float) * RESPONSE_FRAMES);
    return status;
}

/* Does it make of a sum the sum of what it makes of the parts? `impulse` is one of them, noise the other. */
static HaloStatus check_linear(HaloSession *session, const HaloPipeline *pipeline, const HaloBuf *impulse,
                               const HaloBuf *response)
{
    HaloStatus status = HALO_OK;
    HaloBuf noise = {0}, of_noise = {0}, of_both = {0};
    uint32_t draw = 1;
    double most = 0.0, off = 0.0;
    HALO_TRY(sound_of(impulse->shape.rate, &noise));
    float *const at = noise.data;
    for (int i = 0; i < RESPONSE_FRAMES; i++)
        at[i] = (float)((draw = draw * 1664525u + 1013904223u) >> 8) * 0x1p-24f - 0.5f;
    HALO_TRY(run(session, pipeline, &noise, &of_noise));
    for (int i = 0; i < RESPONSE_FRAMES; i++) at[i] += ((const float *)impulse->data)[i];
    HALO_TRY(run(session, pipeline, &noise, &of_both));
    for (int64_t i = 0; i < response->cols; i++) {
        const double sum =
            (double)((const float *)of_noise.data)[i] + (double)((const float *)response->data)[i];
        most = fmax(most, fabs(sum));
        off = fmax(off, fabs(sum - (double)((const float *)of_both.data)[i]));
    }
    if (!(off <= 1e-4 * most))
        HALO_FAIL(HALO_ERR_USAGE, "--plot-response is for linear filters, but the pipeline is not linear");
out:
    halo_buf_free(&noise);
    halo_buf_free(&of_noise);
    halo_buf_free(&of_both);
    return status;
}

static double decibels_at(const HaloBuf *response, double frequency)
{
    const double turn_re = cos(2.0 * pi * frequency), turn_im = sin(2.0 * pi * frequency);
    double re = 1.0, im = 0.0, sum_re = 0.0, sum_im = 0.0;
    for (int64_t i = 0; i < response->cols; i++) {
        const double v = (double)((const float *)response->data)[i], next = re * turn_re - im * turn_im;
        sum_re += v * re;
        sum_im += v * im;
        im = re * turn_im + im * turn_re;
        re = next;
    }
    return fmax(20.0 * log10(hypot(sum_re, sum_im)), -160.0);
}

HaloStatus cli_plot_response(const CliSettings *settings, HaloSession *session, const HaloPipeline *pipeline,
                             const char *text)
{
    HaloStatus status = HALO_OK;
    static const char *const name[] = {"Hz", "dB"};
    const double rate = settings->engine.rate > 0 ? settings->engine.rate : 48000.0;
    HaloBuf impulse = {0}, response = {0};
    Frame frame = {0};
    CliTable table = {.columns = 2, .rows = RESPONSE_POINTS, .name = {name[0], name[1]}};
    CliSettings log_x = *settings;
    char title[128];
    table.value = cli_alloc(2 * table.rows, sizeof *table.value);
    log_x.log_x = true;
    HALO_TRY(sound_of(rate, &impulse));
    ((float *)impulse.data)[RESPONSE_FRAMES / 2] = 1.0f;
    HALO_TRY(run(session, pipeline, &impulse, &response));
    if (response.shape.kind != HALO_AUDIO || response.cols != RESPONSE_FRAMES || response.shape.rate != rate ||
        response.shape.channels != 1 || response.shape.dtype != HALO_F32)
        HALO_FAIL(HALO_ERR_USAGE, "--plot-response is for filters that keep length, rate and channels");
    HALO_TRY(check_linear(session, pipeline, &impulse, &response));
    for (int i = 0; i < RESPONSE_POINTS; i++) {
        const double low = rate / 4800.0, share = (double)i / (RESPONSE_POINTS - 1);
        table.value[2 * i] = low * pow(rate / 2.0 / low, share);
        table.value[2 * i + 1] = decibels_at(&response, table.value[2 * i] / rate);
    }
    halo_snprintf(title, sizeof title, "%.*s at %g Hz", (int)halo_utf8_fit(text, 80), text, rate);
    HALO_TRY(draw_lines(&log_x, settings->response, &table, title, &frame));
    HALO_TRY(save(frame.canvas, settings->response, settings));
out:
    free(table.value);
    halo_buf_free(&impulse);
    halo_buf_free(&response);
    return status;
}
