/* Results as tables for other programs: --csv, a line for each channel, or for each bin of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/measures.h"
#include "halo/text.h"
#include "report.h"

/* In quotation marks where it would be more than one cell. Line breaks in it are escaped, as all control
 * characters. */
void cli_sheet_text(FILE *to, const char *text)
{
    CliText cell = {0};
    cli_add_escaped(&cell, text, strlen(text), "");
    const bool quoted = strpbrk(cell.data, ",\"") != NULL;
    if (quoted) fputc('"', to);
    for (const char *at = cell.data; *at != 0; at++) {
        if (*at == '"') fputc('"', to);
        fputc(*at, to);
    }
    if (quoted) fputc('"', to);
    free(cell.data);
}

/* What is not known is an empty cell. */
static void put_number(FILE *to, double value)
{
    fputc(',', to);
    if (!isnan(value)) halo_fprintf(to, "%.17g", value);
}

static void put_count(FILE *to, uint64_t count) { fprintf(to, ",%llu", (unsigned long long)count); }

/* The file, its image, where it has several, and the channel. */
static void put_names(FILE *to, const CliItem *item, const HaloResult *result, const char *channel)
{
    cli_sheet_text(to, item->input);
    fputc(',', to);
    if (result->image > 0) fprintf(to, "%lld", (long long)result->image);
    fputc(',', to);
    cli_sheet_text(to, channel);
}

static void put_stats_head(FILE *to, const HaloDetail *detail)
{
    fputs("file,image,channel,count,nan,inf,zero,min,max,sum,mean,sd,rms,peak_dbfs,rms_dbfs,crest,lufs,lra,"
          "true_peak_db",
          to);
    if (detail->full) fputs(",skewness,kurtosis,entropy", to);
    for (int i = 0; i < detail->percents; i++) halo_fprintf(to, ",p%.10g", detail->percent[i]);
    fputc('\n', to);
}

/* `loudness`: of all channels together; NULL: this line is of one. */
static void put_stats(FILE *to, const HaloResult *result, const HaloStats *s, const HaloLoudness *loudness)
{
    const bool sound = result->shape.kind == HALO_AUDIO;
    const CliLevel level = sound ? cli_level(&result->shape, s) : (CliLevel){NAN, NAN, NAN, NAN};
    put_count(to, s->count);
    put_count(to, s->nan);
    put_count(to, s->inf);
    put_count(to, s->zero);
    put_number(to, s->min);
    put_number(to, s->max);
    if (s->exact)
        put_count(to, s->isum);
    else
        put_number(to, s->sum);
    put_number(to, s->mean);
    put_number(to, s->sd);
    put_number(to, s->rms);
    put_number(to, level.peak_dbfs);
    put_number(to, level.rms_dbfs);
    put_number(to, level.crest);
    put_number(to, loudness != NULL ? loudness->integrated : NAN);
    put_number(to, loudness != NULL ? loudness->range : NAN);
    put_number(to, loudness != NULL ? loudness->true_peak : NAN);
    if (result->detail.full) {
        put_number(to, s->skewness);
        put_number(to, s->kurtosis);
        put_number(to, s->entropy);
    }
    for (int i = 0; i < result->detail.percents; i++) put_number(to, s->percentile[i]);
    fputc('\n', to);
}

static void put_all_stats(FILE *to, const CliItem *item, const HaloResult *result)
{
    const HaloLoudness *loudness = result->shape.kind == HALO_AUDIO ? &result->loudness : NULL;
    const int channels = result->shape.channels;
    char text[16];
    for (int c = 0; c < channels; c++) {
        put_names(to, item, result, halo_channel_name(&result->shape, c, text));
        put_stats(to, result, &result->channel[c], channels == 1 ? loudness : NULL);
    }
    if (channels == 1) return;
    put_names(to, item, result, "all");
    put_stats(to, result, &result->all, loudness);
}

static void put_bin(FILE *to, const CliItem *item, const HaloResult *result, int channel, double from,
                    double upto, uint64_t count)
{
    char text[16];
    put_names(to, item, result, halo_channel_name(&result->shape, channel, text));
    put_number(to, from);
    put_number(to, upto);
    put_count(to, count);
    fputc('\n', to);
}

/* What lies beside the bins has lines where there is any. */
static void put_hist(FILE *to, const CliItem *item, const HaloResult *result)
{
    const HaloHistogram *h = &result->hist;
    const HaloBins bins = halo_bins(h->lo, h->hi, h->bins);
    for (int c = 0; c < result->shape.channels; c++) {
        if (h->below[c] > 0) put_bin(to, item, result, c, -INFINITY, h->lo, h->below[c]);
        for (int64_t b = 0; b < h->bins; b++)
            put_bin(to, item, result, c, halo_bin_edge(&bins, (double)b), halo_bin_edge(&bins, (double)(b + 1)),
                    h->count[c * h->bins + b]);
        if (h->above[c] > 0) put_bin(to, item, result, c, h->hi, INFINITY, h->above[c]);
        if (h->nan[c] > 0) put_bin(to, item, result, c, NAN, NAN, h->nan[c]);
    }
}

void cli_sheet_results(FILE *to, const CliItem *item, const HaloResults *results, bool *begun)
{
    for (int i = 0; i < results->count; i++) {
        const HaloResult *result = &results->item[i];
        if (result->type == HALO_RESULT_STATS) {
            if (!*begun) put_stats_head(to, &result->detail);
            put_all_stats(to, item, result);
        } else if (result->type == HALO_RESULT_HIST) {
            if (!*begun) fputs("file,image,channel,from,to,count\n", to);
            put_hist(to, item, result);
        }
        *begun = true;
    }
}
