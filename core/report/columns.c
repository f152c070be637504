/* Results as tables of columns, for programs. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

#define MOST_COLUMNS 48 /* stats with every detail, or the widest table of an operation */

typedef struct Column {
    const char *name;
    HaloColumnType type;
    void *data; /* [rows] */
} Column;

typedef struct Table {
    const char *kind;
    int64_t rows;
    int columns;
    Column column[MOST_COLUMNS];
    char (*name)[80];  /* [channels + 1] of channels */
    char (*title)[16]; /* [MOST_COLUMNS] names of columns that are made */
} Table;

struct HaloReportTables {
    size_t count;
    Table *table;
};

/* ---- columns --------------------------------------------------------------------------------------------- */

/* A column of 8 bytes a row; NULL without memory, which `failed` keeps. */
static void *add_column(Table *table, const char *name, HaloColumnType type, bool *failed)
{
    void *data = calloc((size_t)table->rows + 1, 8);
    *failed = *failed || data == NULL || table->columns == MOST_COLUMNS;
    if (*failed) {
        free(data);
        return NULL;
    }
    table->column[table->columns++] = (Column){name, type, data};
    return data;
}

static bool name_channels(const HaloResult *result, Table *table)
{
    const int channels = result->shape.channels;
    char text[16];
    table->name = calloc((size_t)channels + 1, sizeof *table->name);
    if (table->name == NULL) return false;
    for (int c = 0; c < channels; c++)
        snprintf(table->name[c], sizeof *table->name, "%s", halo_result_channel(result, c, text));
    snprintf(table->name[channels], sizeof *table->name, "all");
    return true;
}

/* The columns that every table begins with: the page of several, and the channel; `channel_of` row i. */
static void begin(const HaloResult *result, Table *table, bool *failed)
{
    if (result->image > 0) {
        int64_t *page = add_column(table, "page", HALO_COLUMN_I64, failed);
        for (int64_t i = 0; i < table->rows && page != NULL; i++) page[i] = result->image;
    }
    *failed = *failed || !name_channels(result, table);
}

/* ---- statistics ------------------------------------------------------------------------------------------ */

typedef struct StatsColumn {
    const char *name;
    bool whole; /* an integer */
    size_t at;
} StatsColumn;

static const StatsColumn stats_columns[] = {
    {"count", true, offsetof(HaloStats, count)},   {"nan", true, offsetof(HaloStats, nan)},
    {"inf", true, offsetof(HaloStats, inf)},       {"zero", true, offsetof(HaloStats, zero)},
    {"min", false, offsetof(HaloStats, min)},      {"max", false, offsetof(HaloStats, max)},
    {"min_at", true, offsetof(HaloStats, min_at)}, {"max_at", true, offsetof(HaloStats, max_at)},
    {"sum", false, offsetof(HaloStats, sum)},      {"mean", false, offsetof(HaloStats, mean)},
    {"sd", false, offsetof(HaloStats, sd)},        {"rms", false, offsetof(HaloStats, rms)},
};
static const StatsColumn product_columns[] = {
    {"product", false, offsetof(HaloStats, product)},
    {"product_log2", false, offsetof(HaloStats, product_log2)},
};
static const StatsColumn detail_columns[] = {
    {"skewness", false, offsetof(HaloStats, skewness)},
    {"kurtosis", false, offsetof(HaloStats, kurtosis)},
    {"entropy", false, offsetof(HaloStats, entropy)},
};

/* Row i is of channel i; the last, where there are several channels, is of all. */
static const HaloStats *stats_of(const HaloResult *result, int64_t i)
{
    return i < result->shape.channels ? &result->channel[i] : &result->all;
}

static void add_stats_column(const HaloResult *result, const StatsColumn *column, Table *table, bool *failed)
{
    char *data = add_column(table, column->name, column->whole ? HALO_COLUMN_I64 : HALO_COLUMN_F64, failed);
    for (int64_t i = 0; i < table->rows && data != NULL; i++)
        memcpy(data + 8 * i, (const char *)stats_of(result, i) + column->at, 8);
}

/* The product, where it was asked for. It is often beyond f64: then its sign and logarithm say what it is. */
static void add_product(const HaloResult *result, Table *table, bool *failed)
{
    bool there = false;
    for (int64_t i = 0; i < table->rows; i++)
        there = there || !isnan(stats_of(result, i)->product) || !isnan(stats_of(result, i)->product_log2);
    if (!there) return;
    for (size_t k = 0; k < sizeof product_columns / sizeof *product_columns; k++)
        add_stats_column(result, &product_columns[k], table, failed);
    int64_t *sign = add_column(table, "product_sign", HALO_COLUMN_I64, failed);
    for (int64_t i = 0; i < table->rows && sign != NULL; i++) sign[i] = stats_of(result, i)->product_sign;
}

static void add_loudness(const HaloLoudness *loudness, Table *table, bool *failed)
{
    const double value[] = {loudness->integrated, loudness->range, loudness->true_peak};
    static const char *const name[] = {"loudness", "loudness_range", "true_peak"};
    for (int k = 0; k < 3; k++) {
        double *data = add_column(table, name[k], HALO_COLUMN_F64, failed);
        for (int64_t i = 0; i < table->rows && data != NULL; i++)
            data[i] = i == table->rows - 1 ? value[k] : (double)NAN;
    }
}

static void add_percentiles(const HaloResult *result, Table *table, bool *failed)
{
    if (result->detail.percents > 0) table->title = calloc(HALO_MAX_PERCENTS, sizeof *table->title);
    *failed = *failed || (result->detail.percents > 0 && table->title == NULL);
    for (int k = 0; k < result->detail.percents && !*failed; k++) {
        halo_snprintf(table->title[k], sizeof *table->title, "p%.9g", result->detail.percent[k]);
        double *data = add_column(table, table->title[k], HALO_COLUMN_F64, failed);
        for (int64_t i = 0; i < table->rows && data != NULL; i++) data[i] = stats_of(result, i)->percentile[k];
    }
}

static void make_stats(const HaloResult *result, Table *table, bool *failed)
{
    table->kind = "stats";
    table->rows = result->shape.channels + (result->shape.channels > 1);
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    for (int64_t i = 0; i < table->rows && channel != NULL; i++) channel[i] = table->name[i];
    for (size_t k = 0; k < sizeof stats_columns / sizeof *stats_columns; k++)
        add_stats_column(result, &stats_columns[k], table, failed);
    add_product(result, table, failed);
    for (size_t k = 0; k < sizeof detail_columns / sizeof *detail_columns && result->detail.full; k++)
        add_stats_column(result, &detail_columns[k], table, failed);
    add_percentiles(result, table, failed);
    if (halo_is_sound(&result->shape)) add_loudness(&result->loudness, table, failed);
}

static const StatsColumn moments_columns[] = {
    {"count", true, offsetof(HaloMoments, count)},         {"nan", true, offsetof(HaloMoments, nan)},
    {"sum_integer", true, offsetof(HaloMoments, isum)},    {"squares_low", true, offsetof(HaloMoments, isq_lo)},
    {"squares_high", true, offsetof(HaloMoments, isq_hi)}, {"sum", false, offsetof(HaloMoments, sum)},
    {"mean", false, offsetof(HaloMoments, mean)},          {"m2", false, offsetof(HaloMoments, m2)},
};

/* What the statistics of the parts of an array are merged from. */
static void make_moments(const HaloResult *result, Table *table, bool *failed)
{
    table->kind = "stats moments";
    table->rows = result->shape.channels + (result->shape.channels > 1);
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    int64_t *exact = add_column(table, "exact", HALO_COLUMN_I64, failed);
    for (int64_t i = 0; i < table->rows && !*failed; i++) {
        channel[i] = table->name[i];
        exact[i] = stats_of(result, i)->exact;
    }
    for (size_t k = 0; k < sizeof moments_columns / sizeof *moments_columns; k++) {
        const StatsColumn *column = &moments_columns[k];
        char *data = add_column(table, column->name, column->whole ? HALO_COLUMN_I64 : HALO_COLUMN_F64, failed);
        for (int64_t i = 0; i < table->rows && data != NULL; i++)
            memcpy(data + 8 * i, (const char *)&stats_of(result, i)->moments + column->at, 8);
    }
}

/* ---- histograms ------------------------------------------------------------------------------------------ */

static void make_hist(const HaloResult *result, Table *table, bool *failed)
{
    const HaloHistogram *hist = &result->hist;
    const double width = (hist->hi - hist->lo) / (double)hist->bins;
    table->kind = "hist";
    table->rows = hist->channels * hist->bins;
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    double *low = add_column(table, "low", HALO_COLUMN_F64, failed);
    double *high = add_column(table, "high", HALO_COLUMN_F64, failed);
    int64_t *count = add_column(table, "count", HALO_COLUMN_I64, failed);
    for (int64_t i = 0; i < table->rows && !*failed; i++) {
        const int64_t bin = i % hist->bins;
        channel[i] = table->name[i / hist->bins];
        low[i] = hist->lo + width * (double)bin;
        high[i] = bin + 1 == hist->bins ? hist->hi : hist->lo + width * (double)(bin + 1);
        count[i] = (int64_t)hist->count[i];
    }
}

/* Samples in no bin. */
static void make_outside(const HaloResult *result, Table *table, bool *failed)
{
    const HaloHistogram *hist = &result->hist;
    table->kind = "hist outside";
    table->rows = hist->channels;
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    int64_t *below = add_column(table, "below", HALO_COLUMN_I64, failed);
    int64_t *above = add_column(table, "above", HALO_COLUMN_I64, failed);
    int64_t *nan = add_column(table, "nan", HALO_COLUMN_I64, failed);
    for (int c = 0; c < hist->channels && !*failed; c++) {
        channel[c] = table->name[c];
        below[c] = (int64_t)hist->below[c];
        above[c] = (int64_t)hist->above[c];
        nan[c] = (int64_t)hist->nan[c];
    }
}

/* ---- others ---------------------------------------------------------------------------------------------- */

static void make_fold(const HaloResult *result, Table *table, bool *failed)
{
    const int channels = result->shape.channels;
    table->kind = "fold";
    table->rows = channels + (channels > 1);
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    double *value = add_column(table, "value", HALO_COLUMN_F64, failed);
    for (int64_t i = 0; i < table->rows && !*failed; i++) {
        channel[i] = table->name[i];
        value[i] = result->fold.value[i];
    }
}

static void make_rows(const HaloResult *result, Table *table, bool *failed)
{
    const HaloTable *first = &result->table[0];
    table->kind = first->name;
    for (int c = 0; c < result->shape.channels; c++) table->rows += result->table[c].rows;
    begin(result, table, failed);
    const char **channel = add_column(table, "channel", HALO_COLUMN_TEXT, failed);
    int64_t at = 0;
    for (int c = 0; c < result->shape.channels; c++)
        for (int64_t i = 0; i < result->table[c].rows && channel != NULL; i++) channel[at++] = table->name[c];
    for (int k = 0; k < first->columns; k++) {
        double *data = add_column(table, first->column[k], HALO_COLUMN_F64, failed);
        at = 0;
        for (int c = 0; c < result->shape.channels; c++)
            for (int64_t i = 0; i < result->table[c].rows && data != NULL; i++)
                data[at++] = result->table[c].cell[i * first->columns + k];
    }
}

/* ---- all of a report ------------------------------------------------------------------------------------- */

HaloStatus report_make_tables(HaloReport *report)
{
    const HaloResults *results = &report->results;
    bool failed = false;
    struct HaloReportTables *made = calloc(1, sizeof *made);
    if (made == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    report->tables = made;
    made->table = calloc(2 * (size_t)results->count + 1, sizeof *made->table);
    if (made->table == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    for (int i = 0; i < results->count; i++) {
        const HaloResult *result = &results->item[i];
        Table *table = &made->table[made->count++];
        switch (result->type) {
        case HALO_RESULT_STATS:
            make_stats(result, table, &failed);
            make_moments(result, &made->table[made->count++], &failed);
            break;
        case HALO_RESULT_HIST:
            make_hist(result, table, &failed);
            make_outside(result, &made->table[made->count++], &failed);
            break;
        case HALO_RESULT_FOLD: make_fold(result, table, &failed); break;
        case HALO_RESULT_TABLE: make_rows(result, table, &failed); break;
        }
    }
    return failed ? halo_fail(HALO_ERR_LIMIT, "not enough memory for the results") : HALO_OK;
}

void report_free_tables(HaloReport *report)
{
    struct HaloReportTables *tables = report->tables;
    if (tables == NULL) return;
    for (size_t i = 0; i < tables->count; i++) {
        for (int k = 0; k < tables->table[i].columns; k++) free(tables->table[i].column[k].data);
        free(tables->table[i].name);
        free(tables->table[i].title);
    }
    free(tables->table);
    free(tables);
    report->tables = NULL;
}

const char *halo_report_table(const HaloReport *report, size_t i, int64_t *rows, int *columns)
{
    if (report == NULL || report->tables == NULL || i >= report->tables->count) return NULL;
    const Table *table = &report->tables->table[i];
    if (rows != NULL) *rows = table->rows;
    if (columns != NULL) *columns = table->columns;
    return table->kind;
}

const char *halo_report_column(const HaloReport *report, size_t i, int at, HaloColumnType *type,
                               const void **data)
{
    int columns;
    if (halo_report_table(report, i, NULL, &columns) == NULL || at < 0 || at >= columns) return NULL;
    const Column *column = &report->tables->table[i].column[at];
    if (type != NULL) *type = column->type;
    if (data != NULL) *data = column->data;
    return column->name;
}
