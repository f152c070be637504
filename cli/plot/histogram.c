/* A histogram drawn: a staircase a channel over common axes, with ticks, a grid and a legend. */
#include <math.h>
#include <string.h>

#include "frame.h"
#include "halo/utf8.h"
#include "plot.h"

#define MOST_STEPS 710 /* the most that a frame shows: a pixel each */
#define MOST_NAMES 8   /* in the legend */

typedef struct Plot {
    Frame frame;
    const HaloResult *result;
    int64_t per; /* bins of a step */
    uint64_t peak;
    bool logarithmic;
} Plot;

static uint32_t colour_of(const char *channel, int c)
{
    static const uint32_t others[] = {0x1f77b4, 0xff7f0e, 0x9467bd, 0x8c564b, 0x17becf, 0x7f7f7f};
    if (strcmp(channel, "r") == 0) return 0xd62728;
    if (strcmp(channel, "g") == 0) return 0x2ca02c;
    if (strcmp(channel, "b") == 0) return 0x1f77b4;
    if (strcmp(channel, "gray") == 0) return 0x404040;
    if (strcmp(channel, "alpha") == 0) return 0xbbbbbb;
    return others[c % 6];
}

static uint64_t count_of(const Plot *plot, int channel, int64_t step)
{
    const HaloHistogram *h = &plot->result->hist;
    uint64_t sum = 0;
    for (int64_t b = step * plot->per; b < h->bins && b < (step + 1) * plot->per; b++)
        sum += h->count[channel * h->bins + b];
    return sum;
}

static int steps_of(const Plot *plot) { return (int)((plot->result->hist.bins + plot->per - 1) / plot->per); }

static uint64_t peak_of(const Plot *plot)
{
    uint64_t peak = 1;
    for (int c = 0; c < plot->result->hist.channels; c++)
        for (int k = 0; k < steps_of(plot); k++)
            if (count_of(plot, c, k) > peak) peak = count_of(plot, c, k);
    return peak;
}

/* ---- axes ----------------------------------------------------------------------------------------------- */

static double y_of(const Plot *plot, double count)
{
    return plot->frame.bottom -
           (plot->frame.bottom - plot->frame.top) * cli_share(count, (double)plot->peak, plot->logarithmic);
}

static void draw_count(const Plot *plot, double count)
{
    static const char *const unit[] = {"", "k", "M", "G", "T", "P", "E"};
    double shown = count;
    int thousands = 0;
    char text[32];
    for (; shown >= 1e4 && thousands < 6; thousands++) shown /= 1000;
    snprintf(text, sizeof text, "%g%s", shown, unit[thousands]);
    frame_tick_y(&plot->frame, y_of(plot, count), text);
}

static void draw_counts(const Plot *plot)
{
    const int ticks = frame_count_y(&plot->frame);
    const double peak = (double)plot->peak, step = fmax(tick_step(peak, ticks), 1);
    if (plot->logarithmic)
        for (double count = 1; count <= peak; count *= peak > 1e9 ? 100 : 10) draw_count(plot, count);
    else
        for (int i = 0; i <= ticks && i * step <= peak; i++) draw_count(plot, i * step);
}

/* ---- what is in them ------------------------------------------------------------------------------------ */

static void draw_channel(const Plot *plot, int channel)
{
    const HaloHistogram *h = &plot->result->hist;
    const Frame *frame = &plot->frame;
    double right[MOST_STEPS], top[MOST_STEPS];
    char text[16];
    const CanvasSteps steps = {frame->left, frame->bottom, right, top, steps_of(plot)};
    for (int k = 0; k < steps.count; k++) {
        const double end = (double)(k + 1) * (double)plot->per, bins = (double)h->bins;
        right[k] = frame->left + (frame->right - frame->left) * (end < bins ? end / bins : 1.0);
        top[k] = y_of(plot, (double)count_of(plot, channel, k));
    }
    frame->canvas->steps(frame->canvas, &steps,
                         colour_of(halo_result_channel(plot->result, channel, text), channel));
}

/* From the right, the last channel first. */
static void draw_legend(const Plot *plot)
{
    const int channels = plot->result->hist.channels;
    const Frame *frame = &plot->frame;
    Canvas *canvas = frame->canvas;
    double x = frame->right;
    char text[16];
    if (channels == 1) return;
    if (canvas->coarse) x += canvas->letter;
    for (int c = (channels < MOST_NAMES ? channels : MOST_NAMES) - 1; c >= 0; c--) {
        const char *name = halo_result_channel(plot->result, c, text);
        if (canvas->coarse) {
            canvas->text(canvas, x, frame_above(frame), CANVAS_RIGHT, 12, colour_of(name, c), name);
            x -= canvas->letter * ((double)strlen(name) + 2);
            continue;
        }
        canvas->text(canvas, x, frame->top - 12, CANVAS_RIGHT, 12, CANVAS_INK, name);
        x -= 9 * (double)strlen(name) + 16;
        canvas->box(canvas, x, frame->top - 21, 10, 10, colour_of(name, c));
        x -= 14;
    }
}

static void draw(const Plot *plot, const char *input)
{
    const HaloHistogram *h = &plot->result->hist;
    char title[128];
    char below[128];
    const char *name = halo_base_name(input);
    snprintf(title, sizeof title, "%.*s", (int)halo_utf8_fit(name, 60), name);
    if (plot->per > 1)
        snprintf(below, sizeof below, "samples in %lld bins, of which %lld share a step", (long long)h->bins,
                 (long long)plot->per);
    else
        snprintf(below, sizeof below, "samples in %lld bins", (long long)h->bins);
    frame_title(&plot->frame, title);
    frame_caption(&plot->frame, below);
    frame_ticks_x(&plot->frame, true);
    draw_counts(plot);
    for (int c = 0; c < h->channels; c++) draw_channel(plot, c);
    frame_lines(&plot->frame);
    draw_legend(plot);
}

HaloStatus cli_plot_histogram(const CliSettings *settings, const char *input, const HaloResult *result)
{
    Canvas *canvas = canvas_for(settings->plot, 1, 0);
    Plot plot = {.frame = frame_on(canvas, 0, 0), .result = result, .logarithmic = settings->log};
    HaloRead read;
    const HaloSinkOptions options = {.force = settings->force,
                                     .read = &read,
                                     .reads = cli_read_of(input, &read),
                                     .sync = settings->write.sync};
    const int width = (int)(plot.frame.right - plot.frame.left), most = width < MOST_STEPS ? width : MOST_STEPS;
    plot.frame.x = (Axis){.lo = result->hist.lo, .hi = result->hist.hi};
    plot.per = (result->hist.bins + most - 1) / most;
    plot.peak = peak_of(&plot);
    draw(&plot, input);
    return canvas_save(canvas, settings->plot, &options);
}
