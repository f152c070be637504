/* Statistics as a table with a column for each channel, in several parts where 80 columns do not hold them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "halo/escape.h"
#include "report.h"

#define LINE 80
#define LABEL 9

typedef struct Cell {
    char text[48];
} Cell;

static void put_number(Cell *cell, double value)
{
    if (isnan(value))
        snprintf(cell->text, sizeof cell->text, "-");
    else if (fabs(value) < 1e15 && value == floor(value)) {
        char text[32];
        snprintf(cell->text, sizeof cell->text, "%s%s", value < 0 ? "-" : "",
                 cli_thousands((uint64_t)fabs(value), text));
    } else
        snprintf(cell->text, sizeof cell->text, "%.7g", value);
}

static void put_count(Cell *cell, uint64_t count) { cli_thousands(count, cell->text); }

static void put_decibels(Cell *cell, double level)
{
    snprintf(cell->text, sizeof cell->text, isnan(level) ? "-" : "%.2f", level);
}

static void put_place(Cell *cell, const HaloResult *result, int64_t at)
{
    char text[HALO_TIME_SIZE];
    const HaloShape *shape = &result->shape;
    const char *time = halo_result_time(result, at, text);
    if (time != NULL)
        halo_snprintf(cell->text, sizeof cell->text, "%.47s", time);
    else if (at < 0)
        snprintf(cell->text, sizeof cell->text, "-");
    else if (shape->kind == HALO_AUDIO)
        snprintf(cell->text, sizeof cell->text, "%.4f s", (double)at / shape->rate);
    else
        snprintf(cell->text, sizeof cell->text, "%lld,%lld", (long long)(at % shape->width),
                 (long long)(at / shape->width));
}

static bool has_product(const HaloStats *s) { return !isnan(s->product) || !isnan(s->product_log2); }

static void put_product(Cell *cell, const HaloStats *s)
{
    if (!isnan(s->product))
        snprintf(cell->text, sizeof cell->text, "%.5g", s->product);
    else if (isnan(s->product_log2))
        snprintf(cell->text, sizeof cell->text, "-");
    else
        snprintf(cell->text, sizeof cell->text, "%s2^%.1f", s->product_sign < 0 ? "-" : "", s->product_log2);
}

/* One column of the table; columns of a result have the same rows. */
#define MOST_ROWS (24 + HALO_MAX_PERCENTS)
typedef struct Column {
    Cell head, label[MOST_ROWS], cell[MOST_ROWS];
    int rows, width;
} Column;

/* Space for what the next row says. */
static Cell *row(Column *column, const char *label)
{
    snprintf(column->label[column->rows].text, sizeof column->label->text, "%s", label);
    return &column->cell[column->rows++];
}

static void put_detail(Column *column, const HaloDetail *detail, const HaloStats *s)
{
    char label[16];
    if (detail->full) {
        put_number(row(column, "skewness"), s->skewness);
        put_number(row(column, "kurtosis"), s->kurtosis);
        put_number(row(column, "entropy"), s->entropy);
    }
    for (int i = 0; i < detail->percents; i++) {
        snprintf(label, sizeof label, "%.5g%%", detail->percent[i]);
        put_number(row(column, detail->percent[i] == 50 ? "median" : label), s->percentile[i]);
    }
}

static void put_level(Column *column, const HaloShape *shape, const HaloStats *s)
{
    const CliLevel level = cli_level(shape, s);
    put_decibels(row(column, "peak dBFS"), level.peak_dbfs);
    put_decibels(row(column, "rms dBFS"), level.rms_dbfs);
    put_number(row(column, "crest"), level.crest);
}

/* Names of columns come out of files; what is too long is cut. */
static void put_name(Cell *cell, const char *name)
{
    size_t length = strlen(name), size = halo_escape(name, length, "", NULL);
    char *escaped = cli_alloc(size + 1, 1);
    halo_escape(name, length, "", escaped);
    if (size >= sizeof cell->text) size = sizeof cell->text - 1;
    while (size > 0 && size == sizeof cell->text - 1 && (escaped[size] & 0xc0) == 0x80) size--;
    memcpy(cell->text, escaped, size);
    cell->text[size] = 0;
    free(escaped);
}

/* `total` says whether there are rows for NaN and infinities. */
static void fill_column(Column *column, const char *name, const HaloResult *result, const HaloStats *s,
                        const HaloStats *total)
{
    const HaloShape *shape = &result->shape;
    put_name(&column->head, name);
    put_count(row(column, "count"), s->count);
    if (total->nan > 0) put_count(row(column, "  nan"), s->nan); /* counted here, and left out below */
    if (total->inf > 0) put_count(row(column, "  inf"), s->inf);
    put_number(row(column, "min"), s->min);
    put_place(row(column, "  at"), result, s->min_at);
    put_number(row(column, "max"), s->max);
    put_place(row(column, "  at"), result, s->max_at);
    if (s->exact)
        put_count(row(column, "sum"), s->isum);
    else
        put_number(row(column, "sum"), s->sum);
    put_number(row(column, halo_is_sound(shape) ? "dc offset" : "mean"), s->mean);
    put_number(row(column, "sd"), s->sd);
    put_number(row(column, "rms"), s->rms);
    put_detail(column, &result->detail, s);
    if (halo_is_sound(shape)) put_level(column, shape, s);
    if (has_product(&result->channel[0])) put_product(row(column, "product"), s);
    put_count(row(column, "zero"), s->zero);
    column->width = (int)strlen(column->head.text);
    for (int r = 0; r < column->rows; r++)
        if ((int)strlen(column->cell[r].text) > column->width)
            column->width = (int)strlen(column->cell[r].text);
}

static void print_columns(FILE *to, const Column *column, int columns)
{
    fprintf(to, "%*s%s", LABEL, "", cli_ink(CLI_BOLD));
    for (int c = 0; c < columns; c++) fprintf(to, "  %*s", column[c].width, column[c].head.text);
    fprintf(to, "%s\n", cli_ink(CLI_PLAIN));
    for (int r = 0; r < column->rows; r++) {
        fprintf(to, "%-*s", LABEL, column->label[r].text);
        for (int c = 0; c < columns; c++) fprintf(to, "  %*s", column[c].width, column[c].cell[r].text);
        fputc('\n', to);
    }
}

/* "loudness -23.0 LUFS, range 5.2 LU, true peak -1.0 dB"; where it is not known, why. */
static void print_loudness(FILE *to, const HaloLoudness *loudness)
{
    if (loudness->unknown != NULL)
        fprintf(to, "%-*s  not known: %s", LABEL, "loudness", loudness->unknown);
    else if (isnan(loudness->integrated))
        return;
    else
        fprintf(to, "%-*s  %.1f LUFS, range %.1f LU", LABEL, "loudness", loudness->integrated, loudness->range);
    if (!isnan(loudness->true_peak)) fprintf(to, ", true peak %.1f dB", loudness->true_peak);
    fputc('\n', to);
}

static void print_stats(FILE *to, const HaloResult *result)
{
    char text[16];
    const int channels = result->shape.channels, shown = cli_shown_channels(channels);
    const int columns = shown + (channels > 1);
    Column *column = cli_alloc((size_t)columns, sizeof *column);
    HaloStats total = {0};
    for (int c = 0; c < channels; c++) {
        total.nan += result->channel[c].nan;
        total.inf += result->channel[c].inf;
    }
    for (int c = 0; c < shown; c++)
        fill_column(&column[c], halo_result_channel(result, c, text), result, &result->channel[c], &total);
    if (columns > shown) fill_column(&column[shown], "all", result, &result->all, &total);
    for (int from = 0, upto; from < columns; from = upto) {
        int width = LABEL + 2 + column[from].width;
        for (upto = from + 1; upto < columns && width + 2 + column[upto].width <= LINE; upto++)
            width += 2 + column[upto].width;
        print_columns(to, column + from, upto - from);
    }
    cli_print_left_out(to, channels);
    if (halo_is_sound(&result->shape)) print_loudness(to, &result->loudness);
    free(column);
}

static void print_fold(FILE *to, const HaloResult *result)
{
    char text[16];
    const int channels = result->shape.channels, shown = cli_shown_channels(channels);
    fprintf(to, "%s%s%s, of %s, from %.10g\n", cli_ink(CLI_BOLD), result->fold.expr, cli_ink(CLI_PLAIN),
            result->fold.map, result->fold.identity);
    for (int c = 0; c < shown; c++) {
        Cell name;
        put_name(&name, halo_result_channel(result, c, text));
        fprintf(to, "%-*s  %.10g\n", LABEL, name.text, result->fold.value[c] + 0.0); /* no -0 for eyes */
    }
    if (channels > 1) fprintf(to, "%-*s  %.10g\n", LABEL, "all", result->fold.value[channels] + 0.0);
    cli_print_left_out(to, channels);
}

/* For a data set a position needs the name of its file. */
static void print_places(FILE *to, const CliSubject *subject, const HaloResult *result)
{
    const int all = result->shape.channels;
    if (subject->place == NULL || subject->place[all][0] == NULL) return;
    fprintf(to, "%-*s  min in ", LABEL, "");
    halo_put_escaped(to, subject->place[all][0]);
    fputs(", max in ", to);
    halo_put_escaped(to, subject->place[all][1]);
    fputc('\n', to);
}

void cli_print_result(FILE *to, const CliSubject *subject, const HaloResult *result)
{
    fputs(cli_ink(CLI_BOLD), to);
    if (subject->file != NULL)
        halo_put_escaped(to, subject->file);
    else
        fprintf(to, "%zu file%s together", subject->files, subject->files == 1 ? "" : "s");
    if (subject->file != NULL && result->image > 0) fprintf(to, ", page %lld", (long long)result->image);
    fprintf(to, "%s: ", cli_ink(CLI_PLAIN));
    cli_describe_shape(to, &result->shape);
    fputc('\n', to);
    switch (result->type) {
    case HALO_RESULT_STATS: print_stats(to, result); break;
    case HALO_RESULT_FOLD: print_fold(to, result); break;
    case HALO_RESULT_HIST: cli_print_histogram(to, result); break;
    case HALO_RESULT_TABLE: cli_print_table(to, result); break;
    }
    print_places(to, subject, result);
}

void cli_print_results(FILE *to, const CliItem *item, const HaloResults *results, bool drawn)
{
    const CliSubject subject = {.file = item->input};
    for (int i = 0; i < results->count; i++)
        if (!drawn || results->item[i].type != HALO_RESULT_HIST)
            cli_print_result(to, &subject, &results->item[i]);
}
