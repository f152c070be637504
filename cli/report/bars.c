/* Histograms in text, within 80 columns: vertical bars for many bins, horizontal ones for few. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/escape.h"
#include "halo/measures.h"
#include "report.h"

#define ACROSS 64 /* columns of standing bars */
#define TALL 6    /* rows of them */
#define FEW 16    /* up to this many bins are listed one per line */
#define ALONG 40  /* columns of lying bars */

static bool logarithmic;

void cli_bars_setup(bool wanted) { logarithmic = wanted; }

double cli_share(double count, double peak, bool log_axis)
{
    if (!log_axis || count == 0) return count / peak;
    return log(2 * count) / log(2 * peak);
}

/* The length of a bar, 0 to `steps`; at least 1 where the count is not 0. */
static int height_of(uint64_t count, uint64_t peak, int steps)
{
    if (count == 0) return 0;
    const int height = (int)(cli_share((double)count, (double)peak, logarithmic) * steps + 0.5);
    return height > 0 ? height : 1;
}

static uint64_t peak_of(const uint64_t *count, int64_t bins)
{
    uint64_t peak = 1;
    for (int64_t b = 0; b < bins; b++)
        if (count[b] > peak) peak = count[b];
    return peak;
}

/* The line below the bars: the range, and in its middle the count of the highest bar. */
static void print_axis(FILE *to, const HaloHistogram *h, int width, uint64_t peak)
{
    char low[32], high[32], middle[64], text[32];
    snprintf(low, sizeof low, "%g", h->lo);
    snprintf(high, sizeof high, "%g", h->hi);
    snprintf(middle, sizeof middle, "highest bar%s: %s", logarithmic ? " (logarithmic)" : "",
             cli_thousands(peak, text));
    const int before = (width - (int)strlen(middle)) / 2 - (int)strlen(low);
    const int after = width - before - (int)(strlen(low) + strlen(middle));
    fprintf(to, "  %s%*s%s%s%s%*s\n", low, before, "", cli_ink(CLI_FAINT), middle, cli_ink(CLI_PLAIN), after,
            high);
}

static void print_standing(FILE *to, const HaloHistogram *h, const uint64_t *count, CliInk ink)
{
    static const char *const eighth[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const bool unicode = cli_unicode();
    const int64_t per = (h->bins + ACROSS - 1) / ACROSS;
    const int columns = (int)((h->bins + per - 1) / per), wide = ACROSS / columns;
    uint64_t sum[ACROSS] = {0};
    for (int64_t b = 0; b < h->bins; b++) sum[b / per] += count[b];
    const uint64_t peak = peak_of(sum, columns);
    for (int row = TALL - 1; row >= 0; row--) {
        fprintf(to, "  %s", cli_ink(ink));
        for (int c = 0; c < columns; c++) {
            const int filled = unicode ? height_of(sum[c], peak, TALL * 8) - row * 8
                                       : (height_of(sum[c], peak, TALL) - row) * 8;
            const char *part = eighth[filled < 0 ? 0 : filled > 8 ? 8 : filled];
            for (int i = 0; i < wide; i++) fputs(unicode ? part : filled > 0 ? "#" : " ", to);
        }
        fprintf(to, "%s\n", cli_ink(CLI_PLAIN));
    }
    print_axis(to, h, columns * wide, peak);
}

static void print_lying(FILE *to, const HaloHistogram *h, const uint64_t *count, CliInk ink)
{
    char range[FEW][64], text[32];
    int widest = 0, digits = 0;
    const HaloBins bins = halo_bins(h->lo, h->hi, h->bins);
    const uint64_t peak = peak_of(count, h->bins);
    for (int b = 0; b < h->bins; b++) {
        snprintf(range[b], sizeof range[b], "%g to %g", halo_bin_edge(&bins, b), halo_bin_edge(&bins, b + 1));
        if ((int)strlen(range[b]) > widest) widest = (int)strlen(range[b]);
        cli_thousands(count[b], text);
        if ((int)strlen(text) > digits) digits = (int)strlen(text);
    }
    for (int b = 0; b < h->bins; b++) {
        fprintf(to, "  %*s  %*s  %s", widest, range[b], digits, cli_thousands(count[b], text), cli_ink(ink));
        const int length = height_of(count[b], peak, ALONG);
        for (int i = 0; i < length; i++) fputs(cli_unicode() ? "█" : "#", to);
        fprintf(to, "%s\n", cli_ink(CLI_PLAIN));
    }
}

void cli_print_histogram(FILE *to, const HaloResult *result)
{
    const HaloHistogram *h = &result->hist;
    char name[16], text[32];
    if (result->shape.numbers && h->own && h->channels > 1)
        fputs(
            "all columns have the same bins, so that their counts compare; --columns NAME gives one its own\n",
            to);
    for (int c = 0; c < cli_shown_channels(h->channels); c++) {
        const uint64_t *count = h->count + c * h->bins;
        const char *channel = halo_result_channel(result, c, name);
        const CliInk ink = strcmp(channel, "r") == 0   ? CLI_RED
                           : strcmp(channel, "g") == 0 ? CLI_GREEN
                           : strcmp(channel, "b") == 0 ? CLI_BLUE
                                                       : CLI_PLAIN;
        uint64_t within = 0;
        for (int64_t b = 0; b < h->bins; b++) within += count[b];
        fputs(cli_ink(CLI_BOLD), to);
        halo_put_escaped(to, channel);
        fprintf(to, "%s: %s sample%s in %" PRId64 " bin%s", cli_ink(CLI_PLAIN), cli_thousands(within, text),
                halo_s((int64_t)within), h->bins, halo_s(h->bins));
        if (h->below[c] != 0) fprintf(to, ", %s below", cli_thousands(h->below[c], text));
        if (h->above[c] != 0) fprintf(to, ", %s above", cli_thousands(h->above[c], text));
        if (h->nan[c] != 0) fprintf(to, ", %s NaN", cli_thousands(h->nan[c], text));
        if (h->own && within == 0) fputs("; no sample is finite, which leaves full scale for a range", to);
        fputc('\n', to);
        if (h->bins <= FEW)
            print_lying(to, h, count, ink);
        else
            print_standing(to, h, count, ink);
    }
    cli_print_left_out(to, h->channels);
}
