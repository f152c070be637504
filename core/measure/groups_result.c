/* What is reported of groups: of the one in a mask what is reported of a picture, of labels tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "groups.h"
#include "halo/measures.h"
#include "halo/table.h"
#include "halo/text.h"

/* ---- masks ----------------------------------------------------------------------------------------------- */

/* The pixel of the picture that became sample `at` of the mask's. */
static HaloStatus place_one(const Groups *g, int64_t *at)
{
    return *at < 0 ? HALO_OK : groups_pixel(g, g->begin[1] + *at, at);
}

static HaloStatus place(const Groups *g, HaloStats *s)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(place_one(g, &s->min_at));
    HALO_TRY(place_one(g, &s->max_at));
    s->moments.min_at = s->min_at;
    s->moments.max_at = s->max_at;
out:
    return status;
}

/* The samples of all labels. */
static HaloBuf all_of(const Groups *g) { return groups_part(g, g->begin[1], g->begin[g->greatest + 1]); }

static HaloStatus stats_in_mask(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = g->src->shape.channels;
    const HaloBuf group = all_of(g);
    *result = (HaloResult){.type = HALO_RESULT_STATS, .shape = g->src->shape};
    result->channel = calloc((size_t)channels, sizeof *result->channel);
    if (result->channel == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(groups_stats(g, &group, result));
    for (int c = 0; c < channels; c++) HALO_TRY(place(g, &result->channel[c]));
    HALO_TRY(place(g, &result->all));
out:
    return status;
}

static HaloStatus hist_in_mask(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloHist hist = g->how->hist;
    Measured all = {0};
    const HaloBuf group = all_of(g);
    *result = (HaloResult){.type = HALO_RESULT_HIST, .shape = g->src->shape};
    if (group.cols > 0) {
        HALO_TRY(groups_counts(g, &group, &hist, &all));
    } else {
        if (range_is_open(&hist)) hist = (HaloHist){.bins = hist.bins, .hi = 1.0};
        HALO_TRY(halo_histogram_alloc(&all.hist, group.shape.channels, hist.bins, hist.lo, hist.hi));
    }
    result->hist = all.hist;
    all.hist = (HaloHistogram){0}; /* the result's now */
out:
    measure_free(&all);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

/* Space for as many rows of each label in the table of each channel, if so much memory is left. */
static HaloStatus take_rows(const Groups *g, int64_t rows, const char *advice, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    char need[32], left[32];
    int64_t labels = 0;
    for (uint32_t k = 1; k <= g->greatest; k++) labels += g->begin[k] < g->begin[k + 1];
    const int64_t cells = labels * rows * table->columns, allowed = halo_memory_left(g->device->memory);
    const int64_t bytes = cells * g->src->shape.channels * (int64_t)sizeof(double);
    if (bytes > allowed)
        HALO_FAIL(HALO_ERR_LIMIT,
                  "the results of %lld labels, %lld row%s each, need %s of memory and %s are allowed: %s, or "
                  "--max-memory allows more",
                  (long long)labels, (long long)rows, halo_s(rows), memory_text(bytes, need),
                  memory_text(allowed, left), advice);
    for (int c = 0; c < g->src->shape.channels && labels > 0; c++) {
        table[c].cell = malloc((size_t)cells * sizeof(double));
        if (table[c].cell == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
        table[c].capacity = labels * rows;
    }
out:
    return status;
}

/* ---- tables of statistics -------------------------------------------------------------------------------- */

enum { PLAIN = 11, FULL = 3, MOST_COLUMNS = PLAIN + 1 + FULL + HALO_MAX_PERCENTS };

/* The names of columns, in one block with the texts of those that are made. */
typedef struct Names {
    const char *column[MOST_COLUMNS];
    char text[HALO_MAX_PERCENTS][24];
} Names;

static HaloStatus name_columns(const Groups *g, HaloTable *table)
{
    static const char *const plain[PLAIN] = {"label", "count", "nan",  "inf", "zero", "min",
                                             "max",   "sum",   "mean", "sd",  "rms"};
    static const char *const full[FULL] = {"skewness", "kurtosis", "entropy"};
    const HaloDetail *detail = g->step->detail;
    Names *names = calloc(1, sizeof *names);
    if (names == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    *table = (HaloTable){.name = "groups", .column = names->column, .kept = names};
    for (int k = 0; k < PLAIN; k++) names->column[table->columns++] = plain[k];
    if (g->how->want & HALO_WANT_PRODUCT) names->column[table->columns++] = "product";
    for (int k = 0; detail != NULL && detail->full && k < FULL; k++) names->column[table->columns++] = full[k];
    for (int k = 0; detail != NULL && k < detail->percents; k++) {
        halo_snprintf(names->text[k], sizeof names->text[k], "p%.9g", detail->percent[k]);
        names->column[table->columns++] = names->text[k];
    }
    return HALO_OK;
}

static HaloStatus add_row(const Groups *g, uint32_t label, const HaloStats *s, HaloTable *table)
{
    const HaloDetail *detail = g->step->detail;
    const double plain[PLAIN] = {label,  (double)s->count, (double)s->nan, (double)s->inf, (double)s->zero,
                                 s->min, s->max,           s->sum,         s->mean,        s->sd,
                                 s->rms};
    const double full[FULL] = {s->skewness, s->kurtosis, s->entropy};
    double row[MOST_COLUMNS];
    int at = PLAIN;
    memcpy(row, plain, sizeof plain);
    if (g->how->want & HALO_WANT_PRODUCT) row[at++] = s->product;
    for (int k = 0; detail != NULL && detail->full && k < FULL; k++) row[at++] = full[k];
    for (int k = 0; detail != NULL && k < detail->percents; k++) row[at++] = s->percentile[k];
    return halo_table_add(table, row);
}

static HaloStatus stats_of_each(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int channels = g->src->shape.channels;
    HaloResult one = {.shape = g->sorted.shape};
    one.channel = calloc((size_t)channels, sizeof *one.channel);
    if (one.channel == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++) HALO_TRY(name_columns(g, &result->table[c]));
    HALO_TRY(take_rows(g, 1, "leave out small regions", result->table));
    for (uint32_t label = 1; label <= g->greatest; label++) {
        if (g->begin[label] == g->begin[label + 1]) continue;
        const HaloBuf group = groups_part(g, g->begin[label], g->begin[label + 1]);
        HALO_TRY(groups_stats(g, &group, &one));
        for (int c = 0; c < channels; c++) HALO_TRY(add_row(g, label, &one.channel[c], &result->table[c]));
    }
out:
    free(one.channel);
    return status;
}

/* ---- histograms ------------------------------------------------------------------------------------------ */

static HaloStatus add_bins(uint32_t label, const HaloHistogram *hist, int channel, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    for (int64_t b = 0; b < hist->bins; b++) {
        const double row[] = {label, halo_bin_edge(&bins, (double)b), halo_bin_edge(&bins, (double)(b + 1)),
                              (double)hist->count[channel * hist->bins + b]};
        HALO_TRY(halo_table_add(table, row));
    }
out:
    return status;
}

/* All have the same bins. */
static HaloStatus hist_of_each(const Groups *g, HaloResult *result)
{
    static const char *const column[] = {"label", "from", "to", "count"};
    HaloStatus status = HALO_OK;
    const int channels = g->src->shape.channels;
    HaloHist hist = g->how->hist;
    Measured all = {0};
    const HaloBuf every = all_of(g);
    for (int c = 0; c < channels; c++)
        result->table[c] = (HaloTable){.name = "counts", .columns = 4, .column = column};
    HALO_TRY(take_rows(g, hist.bins, "use fewer bins", result->table));
    if (every.cols > 0) HALO_TRY(range_find(g->device, &every, &hist));
    for (uint32_t label = 1; label <= g->greatest; label++) {
        if (g->begin[label] == g->begin[label + 1]) continue;
        const HaloBuf group = groups_part(g, g->begin[label], g->begin[label + 1]);
        HALO_TRY(groups_counts(g, &group, &hist, &all));
        for (int c = 0; c < channels; c++) HALO_TRY(add_bins(label, &all.hist, c, &result->table[c]));
        halo_histogram_free(&all.hist);
    }
out:
    measure_free(&all);
    return status;
}

static HaloStatus measure_each(const Groups *g, HaloResult *result)
{
    *result = (HaloResult){.type = HALO_RESULT_TABLE, .shape = g->src->shape};
    result->table = calloc((size_t)g->src->shape.channels, sizeof *result->table);
    if (result->table == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    return g->how->counts ? hist_of_each(g, result) : stats_of_each(g, result);
}

HaloStatus measure_groups(Device *device, const HaloStep *step, const HaloBuf *const src[], HaloResult *result)
{
    HaloStatus status = HALO_OK;
    Groups g = {.device = device, .step = step, .how = &step->u.groups, .src = src[0]};
    HALO_TRY(groups_open(&g, src[1]));
    status = g.how->each     ? measure_each(&g, result)
             : g.how->counts ? hist_in_mask(&g, result)
                             : stats_in_mask(&g, result);
out:
    groups_close(&g);
    return status;
}
