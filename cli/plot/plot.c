/* A histogram drawn: a staircase a channel over common axes, with ticks, a grid and a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "canvas.h"
#include "plot.h"

/* The frame of the drawing. */
#define LEFT 70
#define RIGHT (CANVAS_WIDTH - 20)
#define TOP 60
#define BOTTOM (CANVAS_HEIGHT - 35)
#define MOST_STEPS (RIGHT - LEFT) /* a pixel each; more bins than that share one */
#define MOST_TICKS 10
#define MOST_NAMES 8 /* in the legend */

#define GRID 0xe4e4e4
#define AXIS 0x333333

typedef struct Plot {
    Canvas *canvas;
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
    return BOTTOM - (BOTTOM - TOP) * cli_share(count, (double)plot->peak, plot->logarithmic);
}

/* 1, 2 or 5 times a power of ten, so that a span has at most MOST_TICKS of them. */
static double tick_step(double span)
{
    const double least = span / MOST_TICKS, power = pow(10.0, floor(log10(least)));
    const double times = least / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

/* The fewest decimals that tell neighbouring ticks apart. */
static void value_label(double value, double step, char room[32])
{
    const double digits = ceil(-log10(step) - 1e-9);
    if (fabs(value) < 1e7 && digits <= 6)
        snprintf(room, 32, "%.*f", digits > 0 ? (int)digits : 0, value);
    else
        snprintf(room, 32, "%g", value);
}

static void draw_values(const Plot *plot)
{
    const HaloHistogram *h = &plot->result->hist;
    const double span = h->hi - h->lo, step = tick_step(span), first = ceil(h->lo / step);
    char room[32];
    if (!isfinite(step) || step <= 0) return; /* a range that f64 can hardly hold has no ticks */
    for (int i = 0; i <= MOST_TICKS && (first + i) * step <= h->hi; i++) {
        const double value = (first + i) * step, x = LEFT + (RIGHT - LEFT) * (value - h->lo) / span;
        plot->canvas->box(plot->canvas, x - 0.5, TOP, 1, BOTTOM - TOP, GRID);
        plot->canvas->box(plot->canvas, x - 0.5, BOTTOM, 1, 5, AXIS);
        value_label(value, step, room);
        plot->canvas->text(plot->canvas, x, BOTTOM + 20, CANVAS_MIDDLE, 12, room);
    }
}

static void draw_count(const Plot *plot, double count)
{
    static const char *const unit[] = {"", "k", "M", "G", "T", "P", "E"};
    const double y = y_of(plot, count);
    double shown = count;
    int thousands = 0;
    char room[32];
    for (; shown >= 1e4 && thousands < 6; thousands++) shown /= 1000;
    snprintf(room, sizeof room, "%g%s", shown, unit[thousands]);
    plot->canvas->box(plot->canvas, LEFT, y - 0.5, RIGHT - LEFT, 1, GRID);
    plot->canvas->box(plot->canvas, LEFT - 5, y - 0.5, 5, 1, AXIS);
    plot->canvas->text(plot->canvas, LEFT - 9, y + 4, CANVAS_RIGHT, 12, room);
}

static void draw_counts(const Plot *plot)
{
    const double peak = (double)plot->peak, step = fmax(tick_step(peak), 1);
    if (plot->logarithmic)
        for (double count = 1; count <= peak; count *= peak > 1e9 ? 100 : 10) draw_count(plot, count);
    else
        for (int i = 0; i <= MOST_TICKS && i * step <= peak; i++) draw_count(plot, i * step);
}

/* ---- what is in them ------------------------------------------------------------------------------------ */

static void draw_channel(const Plot *plot, int channel)
{
    const HaloHistogram *h = &plot->result->hist;
    double right[MOST_STEPS], top[MOST_STEPS];
    char room[16];
    const CanvasSteps steps = {LEFT, BOTTOM, right, top, steps_of(plot)};
    for (int k = 0; k < steps.count; k++) {
        const double end = (double)(k + 1) * (double)plot->per, bins = (double)h->bins;
        right[k] = LEFT + (RIGHT - LEFT) * (end < bins ? end / bins : 1.0);
        top[k] = y_of(plot, (double)count_of(plot, channel, k));
    }
    plot->canvas->steps(plot->canvas, &steps,
                        colour_of(halo_channel_name(&plot->result->shape, channel, room), channel));
}

/* From the right, the last channel first. */
static void draw_legend(const Plot *plot)
{
    const int channels = plot->result->hist.channels;
    double x = RIGHT;
    char room[16];
    if (channels == 1) return;
    for (int c = (channels < MOST_NAMES ? channels : MOST_NAMES) - 1; c >= 0; c--) {
        const char *name = halo_channel_name(&plot->result->shape, c, room);
        plot->canvas->text(plot->canvas, x, TOP - 12, CANVAS_RIGHT, 12, name);
        x -= 9 * (double)strlen(name) + 16;
        plot->canvas->box(plot->canvas, x, TOP - 21, 10, 10, colour_of(name, c));
        x -= 14;
    }
}

static void draw(const Plot *plot, const char *input)
{
    const HaloHistogram *h = &plot->result->hist;
    char title[128];
    snprintf(title, sizeof title, "%.60s", halo_base_name(input));
    plot->canvas->text(plot->canvas, LEFT, 24, CANVAS_LEFT, 16, title);
    if (plot->per > 1)
        snprintf(title, sizeof title, "samples in %lld bins, of which %lld share a step", (long long)h->bins,
                 (long long)plot->per);
    else
        snprintf(title, sizeof title, "samples in %lld bins", (long long)h->bins);
    plot->canvas->text(plot->canvas, LEFT, TOP - 12, CANVAS_LEFT, 12, title);
    draw_values(plot);
    draw_counts(plot);
    for (int c = 0; c < h->channels; c++) draw_channel(plot, c);
    plot->canvas->box(plot->canvas, LEFT - 0.5, TOP, 1, BOTTOM - TOP, AXIS);
    plot->canvas->box(plot->canvas, LEFT - 0.5, BOTTOM - 0.5, RIGHT - LEFT, 1, AXIS);
    draw_legend(plot);
}

HaloStatus cli_plot(const CliSettings *settings, const CliBatch *batch, const char *input,
                    const HaloResult *result)
{
    const char *path = settings->plot;
    char extension[HALO_WORD_ROOM];
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    Plot plot = {.result = result, .logarithmic = settings->log};
    HaloRead *read = cli_alloc(batch->reads + 1, sizeof *read);
    HaloSinkOptions options = {
        .force = settings->force, .read = read, .reads = batch->reads, .sync = settings->write.sync};
    struct stat st;
    if (batch->reads > 0) memcpy(read, batch->read, batch->reads * sizeof *read);
    if (stat(input, &st) == 0)
        read[options.reads++] = (HaloRead){{(uint64_t)st.st_dev, (uint64_t)st.st_ino}, "the input"};
    plot.per = (result->hist.bins + MOST_STEPS - 1) / MOST_STEPS;
    plot.peak = peak_of(&plot);
    plot.canvas = strcmp(halo_lower_extension(path, extension), "png") == 0 ? canvas_png() : canvas_svg();
    draw(&plot, input);
    HALO_TRY(halo_sink_open(path, &options, &sink));
    HALO_TRY(plot.canvas->write(plot.canvas, sink));
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    halo_sink_abandon(sink);
    free(read);
    if (plot.canvas != NULL) plot.canvas->free(plot.canvas);
    return status;
}
