/* Tables that an operation makes of sound, channel by channel, whose rows are found as frames come. */
#include <stdlib.h>

#include "measure.h"

/* A channel. */
typedef struct Found {
    void *state; /* the kind's */
    HaloTable table;
} Found;

struct Tables {
    const HaloTableKind *kind;
    int channels;
    Found *found; /* [channels] */
};

HaloTableLine tables_line(const HaloBuf *buf, int channel)
{
    return (HaloTableLine){.sample =
                               (const char *)buf->data + channel * (int64_t)halo_dtype_size(buf->shape.dtype),
                           .dtype = buf->shape.dtype,
                           .step = buf->shape.channels,
                           .frames = buf->shape.width,
                           .rows = buf->shape.height,
                           .stride = buf->stride,
                           .rate = buf->shape.rate};
}

HaloStatus tables_failure(const HaloTableKind *kind, const HaloTable *table, HaloStatus status)
{
    if (status == HALO_ERR_LIMIT && table->rows == table->most)
        return halo_fail(status, "%s; %s, or --max-memory allows more", halo_error(), kind->fewer);
    return status;
}

/* Half of the memory that is left is for rows, the other for what is not decided yet. */
static HaloStatus open_tables(const Device *device, const HaloStep *step, const HaloShape *shape,
                              Tables **tables)
{
    HaloStatus status = HALO_OK;
    const HaloTableKind *kind = step->u.table.kind;
    const int64_t each = halo_memory_left(device->memory) / (2 * shape->channels);
    Tables *made = *tables = calloc(1, sizeof *made);
    if (made == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    made->kind = kind;
    made->found = calloc((size_t)shape->channels, sizeof *made->found);
    if (made->found == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    while (made->channels < shape->channels) {
        Found *found = &made->found[made->channels++]; /* closed even where it cannot be opened */
        found->table = (HaloTable){.name = kind->name, .columns = kind->columns, .column = kind->column};
        found->table.most = larger(each / (kind->columns * (int64_t)sizeof(double)), 1);
        HALO_TRY(kind->open(step->u.table.how, each, &found->state));
    }
out:
    return status;
}

HaloStatus tables_add(Device *device, const HaloStep *step, const HaloBuf *frames, Tables **tables)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *host;
    HaloBuf own = {0};
    if (*tables == NULL) HALO_TRY(open_tables(device, step, &frames->shape, tables));
    HALO_TRY(measure_on_host(device, frames, &own, &host));
    for (int c = 0; c < (*tables)->channels; c++) {
        Found *found = &(*tables)->found[c];
        const HaloTableLine line = tables_line(host, c);
        status = (*tables)->kind->add(found->state, &line, &found->table);
        HALO_TRY(tables_failure((*tables)->kind, &found->table, status));
    }
out:
    halo_buf_free(&own);
    return status;
}

HaloStatus tables_end(const HaloStep *step, Tables *tables, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    const HaloTableKind *kind = step->u.table.kind;
    for (int c = 0; c < result->shape.channels; c++) {
        HaloTable *table = &tables->found[c].table;
        HALO_TRY(tables_failure(kind, table, kind->end(tables->found[c].state, table)));
        result->table[c] = *table;
        *table = (HaloTable){0}; /* the result's now */
    }
out:
    return status;
}

void tables_close(Tables *tables)
{
    if (tables == NULL) return;
    for (int c = 0; c < tables->channels; c++) {
        tables->kind->close(tables->found[c].state);
        free(tables->found[c].table.cell);
    }
    free(tables->found);
    free(tables);
}
