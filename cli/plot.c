/* A histogram drawn as SVG: one outlined area a channel over a common axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"

#define WIDTH 800
#define HEIGHT 400
#define MARGIN 50
#define MOST_POINTS 1024 /* columns of the drawing; more bins than that share one */

static const char *colour_of(const char *channel, int c)
{
    static const char *const others[] = {"#1f77b4", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f"};
    if (strcmp(channel, "r") == 0) return "#d62728";
    if (strcmp(channel, "g") == 0) return "#2ca02c";
    if (strcmp(channel, "b") == 0) return "#1f77b4";
    if (strcmp(channel, "gray") == 0) return "#404040";
    if (strcmp(channel, "alpha") == 0) return "#bbbbbb";
    return others[c % 6];
}

static void draw_text(FILE *to, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '&')
            fputs("&amp;", to);
        else if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '>')
            fputs("&gt;", to);
        else if ((unsigned char)*text >= 0x20)
            fputc(*text, to);
    }
}

static void draw_channel(FILE *to, const HaloHistogram *h, int channel, int64_t per, double peak,
                         const char *colour)
{
    const uint64_t *count = h->count + channel * h->bins;
    const int64_t columns = (h->bins + per - 1) / per;
    const double bottom = HEIGHT - MARGIN, tall = HEIGHT - 2 * MARGIN, wide = WIDTH - 2 * MARGIN;
    fprintf(to, "<path fill=\"%s\" fill-opacity=\"0.35\" stroke=\"%s\" d=\"M%d %g", colour, colour, MARGIN,
            bottom);
    for (int64_t k = 0; k < columns; k++) {
        uint64_t sum = 0;
        for (int64_t b = k * per; b < h->bins && b < (k + 1) * per; b++) sum += count[b];
        const int64_t end = (k + 1) * per < h->bins ? (k + 1) * per : h->bins;
        fprintf(to, "V%.2fH%.2f", bottom - tall * (double)sum / peak,
                MARGIN + wide * (double)end / (double)h->bins);
    }
    fprintf(to, "V%gZ\"/>\n", bottom);
}

static double peak_of(const HaloHistogram *h, int64_t per)
{
    uint64_t peak = 1;
    for (int c = 0; c < h->channels; c++)
        for (int64_t from = 0; from < h->bins; from += per) {
            uint64_t sum = 0;
            for (int64_t b = from; b < h->bins && b < from + per; b++) sum += h->count[c * h->bins + b];
            if (sum > peak) peak = sum;
        }
    return (double)peak;
}

static void draw(FILE *to, const char *title, const HaloResult *result)
{
    const HaloHistogram *h = &result->hist;
    const int64_t per = (h->bins + MOST_POINTS - 1) / MOST_POINTS;
    const double peak = peak_of(h, per);
    char name[16], room[32];
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(to, "<text x=\"%d\" y=\"25\" font-size=\"16\">", MARGIN);
    draw_text(to, title);
    fputs("</text>\n", to);
    for (int c = 0; c < h->channels; c++) {
        const char *channel = halo_channel_name(&result->shape, c, name);
        draw_channel(to, h, c, per, peak, colour_of(channel, c));
        if (c < 8)
            fprintf(to, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", WIDTH - MARGIN + 6,
                    MARGIN + 16 * (c + 1), colour_of(channel, c), channel);
    }
    fprintf(to, "<path fill=\"none\" stroke=\"black\" d=\"M%d %dV%dH%d\"/>\n", MARGIN, MARGIN, HEIGHT - MARGIN,
            WIDTH - MARGIN);
    fprintf(to, "<text x=\"%d\" y=\"%d\">%g</text>\n", MARGIN, HEIGHT - MARGIN + 20, h->lo);
    fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%g</text>\n", WIDTH - MARGIN, HEIGHT - MARGIN + 20,
            h->hi);
    fprintf(to, "<text x=\"%d\" y=\"%d\">%s samples</text>\n</svg>\n", MARGIN, MARGIN - 6,
            cli_thousands((uint64_t)peak, room));
}

HaloStatus cli_plot(const char *path, bool force, const char *input, const HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloSink *sink = NULL;
    HaloSinkOptions options = {.force = force};
    struct stat st;
    char *text = NULL;
    size_t size = 0;
    if (stat(input, &st) == 0) {
        options.is_input = true;
        options.input[0] = (uint64_t)st.st_dev;
        options.input[1] = (uint64_t)st.st_ino;
    }
    FILE *to = open_memstream(&text, &size);
    if (to == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory for the plot");
    draw(to, input, result);
    const bool whole = !ferror(to);
    if (fclose(to) != 0 || !whole) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for the plot");
    HALO_TRY(halo_sink_open(path, &options, &sink));
    HALO_TRY(halo_sink_write(sink, text, size));
    status = halo_sink_commit(sink);
    sink = NULL;
out:
    halo_sink_abandon(sink);
    free(text);
    return status;
}
