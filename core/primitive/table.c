/* Tables that an operation makes of sound or pictures, channel by channel, on the host. */
#include "halo/table.h"

#include "primitive.h"

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return step->u.table.kind->ns;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    step->u.table.kind->describe(step->u.table.how, text, size);
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

static bool incremental(const HaloStep *step, const HaloShape *src)
{
    return step->u.table.kind->add != NULL && src->kind == HALO_AUDIO;
}

static HaloStatus add(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first, Measured *all)
{
    (void)first;
    return incremental(step, &block->shape) ? tables_add(device, step, block, &all->tables) : HALO_OK;
}

/* What the kind takes, and copies of what a device holds; where frames come part by part, neither grows with
 * them.
 */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    if (incremental(step, src)) return 0.0;
    const double copies = (double)step->sources * src->channels * (double)halo_dtype_size(src->dtype);
    return (double)src->width * (double)src->height * (step->u.table.kind->bytes + copies);
}

/* Samples in host memory. */
static HaloStatus make_tables(Device *device, const HaloStep *step, const HaloBuf *const src[],
                              HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const HaloTableKind *kind = step->u.table.kind;
    int64_t left = halo_memory_left(device->memory) / (kind->columns * (int64_t)sizeof(double));
    for (int c = 0; c < src[0]->shape.channels; c++) {
        const HaloTableLine line = tables_line(src[0], c);
        const HaloTableLine other = step->sources > 1 ? tables_line(src[1], c) : line;
        table[c] = (HaloTable){.name = kind->name, .columns = kind->columns, .column = kind->column};
        table[c].most = larger(left, 1);
        status = kind->run(step->u.table.how, &line, step->sources > 1 ? &other : NULL, &table[c]);
        HALO_TRY(tables_failure(kind, &table[c], status));
        left -= table[c].capacity;
    }
out:
    return status;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloBuf host[HALO_MAX_SOURCES] = {0};
    const HaloBuf *from[HALO_MAX_SOURCES] = {src[0]};
    HALO_TRY(measure_open_tables(&src[0]->shape, result));
    if (incremental(step, &src[0]->shape)) return tables_end(step, all->tables, result);
    for (int k = 0; k < step->sources; k++) {
        from[k] = src[k];
        if (device->backend->upload == NULL) continue;
        HALO_TRY(halo_buf_alloc(&host[k], &src[k]->shape));
        HALO_TRY(device->backend->download(device->handle, src[k], &host[k]));
        from[k] = &host[k];
    }
    HALO_TRY(make_tables(device, step, from, result->table));
out:
    for (int k = 0; k < step->sources; k++) halo_buf_free(&host[k]);
    return status;
}

static const Measure measure = {
    .incremental = incremental,
    .add = add,
    .conclude = conclude,
    .query = measure_queries_none,
    .bytes = bytes,
};

const Primitive primitive_table = {
    .name = "table",
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .measure = &measure,
};
