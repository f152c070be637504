/* Results as tables for other programs: --csv, a line for each channel, or for each bin or row of each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "halo/measures.h"
#include "halo/text.h"
#include "report.h"

/* The text itself, as RFC 4180 has it: in quotation marks where it would be more than one cell. On a terminal
 * control characters are escaped. */
void cli_sheet_text(FILE *to, const char *text)
{
    CliText escaped = {0};
    if (isatty(STDOUT_FILENO)) cli_add_escaped(&escaped, text, strlen(text), "");
    const char *cell = escaped.data != NULL ? escaped.data : text;
    const size_t length = strlen(cell);
    const bool blank = length > 0 && (cell[0] == ' ' || cell[length - 1] == ' ');
    const bool quoted = blank || strpbrk(cell, ",\"\r\n") != NULL;
    if (quoted) fputc('"', to);
    for (const char *at = cell; *at != 0; at++) {
        if (*at == '"') fputc('"', to);
        fputc(*at, to);
    }
    if (quoted) fputc('"', to);
    free(escaped.data);
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

/* The percentile that a column is for, if this result has it. */
static double percentile_of(const HaloDetail *detail, const HaloStats *s, double percent)
{
    for (int i = 0; i < detail->percents; i++)
        if (detail->percent[i] == percent) return s->percentile[i];
    return NAN;
}

/* `loudness`: of all channels together; NULL: this line is of one. */
static void put_stats(FILE *to, const CliSheet *sheet, const HaloResult *result, const HaloStats *s,
                      const HaloLoudness *loudness)
{
    const bool sound = halo_is_sound(&result->shape);
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
    if (sheet->detail.full) {
        put_number(to, s->skewness);
        put_number(to, s->kurtosis);
        put_number(to, s->entropy);
    }
    for (int i = 0; i < sheet->detail.percents; i++)
        put_number(to, percentile_of(&result->detail, s, sheet->detail.percent[i]));
    fputc('\n', to);
}

static void put_all_stats(FILE *to, const CliSheet *sheet, const CliItem *item, const HaloResult *result)
{
    const HaloLoudness *loudness = halo_is_sound(&result->shape) ? &result->loudness : NULL;
    const int channels = result->shape.channels;
    char text[16];
    for (int c = 0; c < channels; c++) {
        put_names(to, item, result, halo_result_channel(result, c, text));
        put_stats(to, sheet, result, &result->channel[c], channels == 1 ? loudness : NULL);
    }
    if (channels == 1) return;
    put_names(to, item, result, "all");
    put_stats(to, sheet, result, &result->all, loudness);
}

static void put_bin(FILE *to, const CliItem *item, const HaloResult *result, int channel, double from,
                    double upto, uint64_t count)
{
    char text[16];
    put_names(to, item, result, halo_result_channel(result, channel, text));
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

static void put_table_head(FILE *to, const HaloTable *table)
{
    fputs("file,image,channel", to);
    for (int c = 0; c < table->columns; c++) fprintf(to, ",%s", table->column[c]);
    fputc('\n', to);
}

static void put_table(FILE *to, const CliItem *item, const HaloResult *result)
{
    char text[16];
    for (int c = 0; c < result->shape.channels; c++)
        for (int64_t r = 0; r < result->table[c].rows; r++) {
            const int columns = result->table[c].columns;
            put_names(to, item, result, halo_result_channel(result, c, text));
            for (int k = 0; k < columns; k++) put_number(to, result->table[c].cell[r * columns + k]);
            fputc('\n', to);
        }
}

void cli_sheet_results(FILE *to, const CliItem *item, const HaloResults *results, CliSheet *sheet)
{
    for (int i = 0; i < results->count; i++) {
        const HaloResult *result = &results->item[i];
        if (!sheet->begun) sheet->detail = result->detail;
        if (result->type == HALO_RESULT_STATS) {
            if (!sheet->begun) put_stats_head(to, &sheet->detail);
            put_all_stats(to, sheet, item, result);
        } else if (result->type == HALO_RESULT_HIST) {
            if (!sheet->begun) fputs("file,image,channel,from,to,count\n", to);
            put_hist(to, item, result);
        } else if (result->type == HALO_RESULT_TABLE) {
            if (!sheet->begun) put_table_head(to, result->table);
            put_table(to, item, result);
        }
        sheet->begun = true;
    }
}
