/* Tables about labels. Groups of many pixels are measured one by one, by what measures pictures; the others,
 * which may be millions, many in one call: so the calls, of which each costs a GPU some time, do not grow with
 * the number of labels. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "groups.h"
#include "groups_few.h"
#include "halo/table.h"
#include "halo/text.h"

/* Of one call: groups of one channel, and bytes of their samples, beside a first group. */
#define BATCH_GROUPS 65536
#define BATCH_BYTES ((int64_t)16 << 20)

/* What a table is made from. */
typedef struct Each {
    const Groups *g;
    HaloResult *result;
    HaloHist hist;    /* of histograms: all have the same bins, */
    HaloBins bins;    /* these, */
    uint64_t *counts; /* and their counts of a group */
    HaloResult one;   /* of a group of many pixels */
    Few few;
    /* Groups that are measured together. */
    int64_t groups, most;
    uint32_t *label;      /* [most] */
    int64_t *begin;       /* [most + 1] */
    HaloMoments *moments; /* [most][channels] */
} Each;

/* ---- tables ---------------------------------------------------------------------------------------------- */

/* Space for as many rows of each label in the table of each channel, if so much memory is left. */
static HaloStatus take_rows(const Groups *g, int64_t rows, const char *advice, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    char need[32], left[32];
    int64_t labels = 0;
    for (int64_t k = 1; k <= g->list.greatest; k++) labels += g->list.begin[k] < g->list.begin[k + 1];
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

/* ---- statistics ------------------------------------------------------------------------------------------ */

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

/* A group of many pixels. */
static HaloStatus stats_of_many(Each *e, uint32_t label, const HaloBuf *group)
{
    HaloStatus status = HALO_OK;
    HALO_TRY(groups_stats(e->g, group, &e->one));
    for (int c = 0; c < group->shape.channels; c++)
        HALO_TRY(add_row(e->g, label, &e->one.channel[c], &e->result->table[c]));
out:
    return status;
}

/* Group k of those in `samples`, which has the moments. */
static HaloStatus stats_of_few(Each *e, int64_t k, const void *samples)
{
    HaloStatus status = HALO_OK;
    const Groups *g = e->g;
    const HaloShape *shape = &g->src->shape;
    const int64_t n = e->begin[k + 1] - e->begin[k];
    for (int c = 0; c < shape->channels; c++) {
        HaloMoments *const m = &e->moments[k * shape->channels + c];
        HaloStats s;
        if ((g->how->want & HALO_WANT_PRODUCT) != 0 && shape->dtype <= HALO_U16)
            few_product(&e->few, samples, n, c, m);
        halo_stats_from_moments(m, shape->dtype, &s);
        if (g->step->detail != NULL) few_detail(&e->few, samples, n, c, g->step->detail, &s);
        HALO_TRY(add_row(g, e->label[k], &s, &e->result->table[c]));
    }
out:
    return status;
}

/* ---- histograms ------------------------------------------------------------------------------------------ */

static HaloStatus add_bins(const Each *e, uint32_t label, const uint64_t *count, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    for (int64_t b = 0; b < e->hist.bins; b++) {
        const double row[] = {label, halo_bin_edge(&e->bins, (double)b),
                              halo_bin_edge(&e->bins, (double)(b + 1)), (double)count[b]};
        HALO_TRY(halo_table_add(table, row));
    }
out:
    return status;
}

static HaloStatus hist_of_many(Each *e, uint32_t label, const HaloBuf *group)
{
    HaloStatus status = HALO_OK;
    Measured all = {0};
    HALO_TRY(groups_counts(e->g, group, &e->hist, &all));
    for (int c = 0; c < group->shape.channels; c++)
        HALO_TRY(add_bins(e, label, all.hist.count + c * e->hist.bins, &e->result->table[c]));
out:
    measure_free(&all);
    return status;
}

static HaloStatus hist_of_few(Each *e, int64_t k, const void *samples)
{
    HaloStatus status = HALO_OK;
    for (int c = 0; c < e->g->src->shape.channels; c++) {
        memset(e->counts, 0, (size_t)e->hist.bins * sizeof *e->counts);
        few_counts(&e->few, samples, e->begin[k + 1] - e->begin[k], c, &e->bins, e->counts);
        HALO_TRY(add_bins(e, e->label[k], e->counts, &e->result->table[c]));
    }
out:
    return status;
}

/* ---- all ------------------------------------------------------------------------------------------------- */

/* Are the samples themselves needed, beside their moments? */
static bool needs_samples(const Groups *g)
{
    return g->how->counts || g->step->detail != NULL ||
           ((g->how->want & HALO_WANT_PRODUCT) != 0 && g->src->shape.dtype <= HALO_U16);
}

static HaloStatus measure_together(Each *e)
{
    HaloStatus status = HALO_OK;
    const Groups *g = e->g;
    Device *device = g->device;
    const int64_t size = g->src->shape.channels * (int64_t)halo_dtype_size(g->src->shape.dtype);
    HaloBuf own = {0}, part;
    const HaloBuf *host = NULL;
    if (e->groups == 0) goto out;
    if (!g->how->counts)
        HALO_TRY(device->backend->reduce_groups(device->handle, &g->sorted, e->begin, e->groups, g->how->want,
                                                e->moments));
    if (needs_samples(g)) {
        part = groups_part(g, e->begin[0], e->begin[e->groups]);
        HALO_TRY(measure_on_host(device, &part, &own, &host));
    }
    for (int64_t k = 0; k < e->groups; k++) {
        const void *samples = host != NULL ? (char *)host->data + (e->begin[k] - e->begin[0]) * size : NULL;
        HALO_TRY(g->how->counts ? hist_of_few(e, k, samples) : stats_of_few(e, k, samples));
    }
    e->groups = 0;
out:
    halo_buf_free(&own);
    return status;
}

/* The next label in order. */
static HaloStatus measure_label(Each *e, uint32_t label, int64_t from, int64_t upto)
{
    HaloStatus status = HALO_OK;
    const Groups *g = e->g;
    const int64_t size = g->src->shape.channels * (int64_t)halo_dtype_size(g->src->shape.dtype);
    const bool many = upto - from > HALO_GROUP_MOST;
    if (many || e->groups == e->most || (e->groups > 0 && (upto - e->begin[0]) * size > BATCH_BYTES))
        HALO_TRY(measure_together(e));
    if (many) {
        const HaloBuf group = groups_part(g, from, upto);
        HALO_TRY(g->how->counts ? hist_of_many(e, label, &group) : stats_of_many(e, label, &group));
    } else {
        e->label[e->groups] = label;
        e->begin[e->groups++] = from;
        e->begin[e->groups] = upto;
    }
out:
    return status;
}

static HaloStatus open_stats(Each *e)
{
    HaloStatus status = HALO_OK;
    const int channels = e->g->src->shape.channels;
    e->one.shape = e->g->sorted.shape;
    e->one.channel = calloc((size_t)channels, sizeof *e->one.channel);
    e->moments = malloc((size_t)(channels * e->most) * sizeof *e->moments);
    if (e->one.channel == NULL || e->moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    for (int c = 0; c < channels; c++) HALO_TRY(name_columns(e->g, &e->result->table[c]));
    HALO_TRY(take_rows(e->g, 1, "leave out small regions", e->result->table));
out:
    return status;
}

static HaloStatus open_hist(Each *e)
{
    static const char *const column[] = {"label", "from", "to", "count"};
    HaloStatus status = HALO_OK;
    const HaloBuf every = groups_all(e->g);
    for (int c = 0; c < e->g->src->shape.channels; c++)
        e->result->table[c] = (HaloTable){.name = "counts", .columns = 4, .column = column};
    HALO_TRY(take_rows(e->g, e->hist.bins, "use fewer bins", e->result->table));
    if (every.cols > 0) HALO_TRY(range_find(e->g->device, &every, &e->hist));
    e->bins = halo_bins(e->hist.lo, e->hist.hi, e->hist.bins);
    e->counts = malloc((size_t)e->hist.bins * sizeof *e->counts);
    if (e->counts == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
out:
    return status;
}

static void close_each(Each *e)
{
    few_close(&e->few);
    free(e->one.channel);
    free(e->counts);
    free(e->label);
    free(e->begin);
    free(e->moments);
}

HaloStatus groups_tables(const Groups *g, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const int64_t *const begin = g->list.begin;
    Each e = {.g = g, .result = result, .hist = g->how->hist};
    *result = (HaloResult){.type = HALO_RESULT_TABLE, .shape = g->src->shape};
    result->table = calloc((size_t)g->src->shape.channels, sizeof *result->table);
    e.most = g->src->shape.channels < BATCH_GROUPS ? BATCH_GROUPS / g->src->shape.channels : 1;
    e.label = malloc((size_t)e.most * sizeof *e.label);
    e.begin = malloc((size_t)(e.most + 1) * sizeof *e.begin);
    if (result->table == NULL || e.label == NULL || e.begin == NULL)
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(g->how->counts ? open_hist(&e) : open_stats(&e));
    HALO_TRY(few_open(&g->src->shape, &e.few));
    for (int64_t k = 1; k <= g->list.greatest; k++)
        if (begin[k] < begin[k + 1]) HALO_TRY(measure_label(&e, (uint32_t)k, begin[k], begin[k + 1]));
    HALO_TRY(measure_together(&e));
out:
    close_each(&e);
    return status;
}
