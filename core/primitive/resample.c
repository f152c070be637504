/* Resampling. A large coefficient table is made for some outputs at a time, so that it does not grow with the
 * image: these outputs are resampled as a separate image. */
#include <stdlib.h>

#include "primitive.h"

static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    const HaloResample *resample = &step->u.resample;
    *dst = *src[0];
    dst->dtype = primitive_dtype(src, 1);
    dst->width = resample->x.size;
    dst->height = resample->y.size;
    if (dst->kind == HALO_AUDIO) dst->rate = resample->rate;
    if (resample->x.length == src[0]->width && resample->y.length == src[0]->height) return HALO_OK;
    return halo_fail(HALO_ERR_BUG, "internal: a resampling table is for other sizes");
}

/* The number of outputs that begin before the end. */
static HaloStatus end(HaloStep *step, int64_t was, int64_t length)
{
    HaloResampleAxis *x = &step->u.resample.x;
    (void)was;
    x->length = length;
    x->size = length / x->down * x->up + (length % x->down * x->up + x->down - 1) / x->down;
    return HALO_OK;
}

static HaloResampleTaps taps_at(const HaloResampleAxis *axis, const HaloResampleRule *rule, int64_t i)
{
    HaloResampleTaps taps = {NULL, 0, 0};
    if (axis->tap != NULL) return halo_resample_at(axis, i);
    rule->make(rule->rule, i, &taps.first, &taps.count, NULL);
    return taps;
}

/* The source samples under the taps of outputs [*from, *to); beyond the last output, those of the last. */
static void spread(const HaloResampleAxis *axis, const HaloResampleRule *rule, int64_t *from, int64_t *to)
{
    const HaloResampleTaps first = taps_at(axis, rule, smaller(*from, axis->size - 1)),
                           last = taps_at(axis, rule, smaller(*to, axis->size) - 1);
    *from = first.first;
    *to = last.first + last.count;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    const HaloResample *how = &step->u.resample;
    (void)k, (void)src;
    if (part_is_empty(part)) return part;
    spread(&how->x, &how->for_x, &part.x0, &part.x1);
    spread(&how->y, &how->for_y, &part.y0, &part.y1);
    return part;
}

/* Images keep their edges (pixel areas); sound keeps the time of its first sample. */
static void moves(const HaloStep *step, HaloMove *move)
{
    const HaloResampleAxis *const axis[2] = {&step->u.resample.x, &step->u.resample.y};
    const bool sound = step->u.resample.rate > 0;
    if (sound) {
        move->scale[0] = (double)axis[0]->up / (double)axis[0]->down;
        return;
    }
    for (int i = 0; i < 2; i++) {
        move->scale[i] = (double)axis[i]->size / (double)axis[i]->length;
        move->offset[i] = 0.5 * move->scale[i] - 0.5;
    }
}

/* Leaves at least twice as many samples as outputs, so that every output still averages some. */
static int64_t shrinks_axis(const HaloResampleAxis *axis)
{
    return larger(1, smaller(axis->taps, axis->length / (2 * axis->size)));
}

static int64_t shrinks(const HaloStep *step)
{
    return smaller(shrinks_axis(&step->u.resample.x), shrinks_axis(&step->u.resample.y));
}

/* The row pass makes as many rows as the source has. */
static double flops(const HaloStep *step, double samples)
{
    const HaloResampleAxis *x = &step->u.resample.x, *y = &step->u.resample.y;
    return 2.0 * samples * ((double)x->taps * (double)y->length / (double)y->size + (double)y->taps);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloResampleAxis *x = &step->u.resample.x, *y = &step->u.resample.y;
    (void)exact;
    if (sound)
        halo_snprintf(text, size, "resample by %lld/%lld to %g Hz, %lld taps", (long long)x->up,
                      (long long)x->down, step->u.resample.rate, (long long)x->taps);
    else
        snprintf(text, size, "resample %lld x %lld to %lld x %lld, rows by %lld taps, then columns by %lld",
                 (long long)x->length, (long long)y->length, (long long)x->size, (long long)y->size,
                 (long long)x->taps, (long long)y->taps);
}

/* ---- tables --------------------------------------------------------------------------------------------- */

/* How many outputs have their table in memory at the same time. */
static int64_t piece_of(const HaloResampleAxis *axis, int64_t outputs)
{
    if (axis->tap != NULL) return outputs;
    return smaller(outputs, larger(1, HALO_RESAMPLE_TABLE / halo_resample_row_bytes(axis)));
}

static double table_bytes(const HaloResampleAxis *axis)
{
    const int64_t rows = axis->tap != NULL ? halo_resample_rows(axis) : piece_of(axis, axis->size);
    return (double)rows * (double)halo_resample_row_bytes(axis);
}

static double bytes(const HaloStep *step)
{
    return table_bytes(&step->u.resample.x) + table_bytes(&step->u.resample.y);
}

/* A table for some outputs, with a row for each; empty if the complete table is in memory. */
typedef struct Table {
    int64_t *first, *count;
    float *tap;
} Table;

static HaloStatus open_table(const HaloResampleAxis *axis, int64_t outputs, Table *table)
{
    *table = (Table){NULL, NULL, NULL};
    if (axis->tap != NULL) return HALO_OK;
    table->first = calloc((size_t)outputs, sizeof *table->first);
    table->count = calloc((size_t)outputs, sizeof *table->count);
    table->tap = calloc((size_t)outputs, (size_t)axis->taps * sizeof *table->tap);
    if (table->first != NULL && table->count != NULL && table->tap != NULL) return HALO_OK;
    return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld rows of %lld taps", (long long)outputs,
                     (long long)axis->taps);
}

static void close_table(Table *table)
{
    free(table->first);
    free(table->count);
    free(table->tap);
}

/* Makes the axis that of outputs [*from, *from + count), which are all that it has then: the first is number 0.
 */
static void take_piece(HaloResampleAxis *axis, const HaloResampleRule *rule, const Table *table, int64_t *from,
                       int64_t count)
{
    if (table->tap == NULL) return;
    for (int64_t i = 0; i < count; i++)
        rule->make(rule->rule, *from + i, &table->first[i], &table->count[i], table->tap + i * axis->taps);
    *axis = (HaloResampleAxis){.length = axis->length,
                               .size = count,
                               .left = count,
                               .taps = axis->taps,
                               .first = table->first,
                               .count = table->count,
                               .tap = table->tap};
    *from = 0;
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    HaloStatus status = HALO_OK;
    const HaloResample *all = &step->u.resample;
    const int64_t cols = piece_of(&all->x, dst->cols), rows = piece_of(&all->y, dst->rows);
    const int64_t pieces = dst->data != NULL ? INT64_MAX : 1; /* the first takes most scratch */
    Table x = {NULL, NULL, NULL}, y = {NULL, NULL, NULL};
    HALO_TRY(open_table(&all->x, cols, &x));
    HALO_TRY(open_table(&all->y, rows, &y));
    for (int64_t j = 0, done = 0; j < dst->rows && done < pieces; j += rows)
        for (int64_t i = 0; i < dst->cols && done < pieces; i += cols, done++) {
            HaloResample how = *all;
            HaloBuf part = *dst;
            part_set(&part, (Part){dst->x0 + i, dst->x0 + smaller(i + cols, dst->cols), dst->y0 + j,
                                   dst->y0 + smaller(j + rows, dst->rows)});
            if (dst->data != NULL) part.data = halo_at(dst, part.x0, part.y0);
            take_piece(&how.x, &all->for_x, &x, &part.x0, part.cols);
            take_piece(&how.y, &all->for_y, &y, &part.y0, part.rows);
            part.shape.width = how.x.size;
            part.shape.height = how.y.size;
            HALO_TRY(backend->resample(device, src[0], &part, &how, step->store));
        }
out:
    close_table(&x);
    close_table(&y);
    return status;
}

const Primitive primitive_resample = {
    .name = "resample",
    .stores = true,
    .blind = true,
    .shape = shape,
    .reads = reads,
    .moves = moves,
    .shrinks = shrinks,
    .end = end,
    .bytes = bytes,
    .flops = flops,
    .describe = describe,
    .run = run,
};
