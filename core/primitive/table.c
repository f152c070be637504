/* Tables that an operation makes of sound, channel by channel, on the host. */
#include "halo/table.h"

#include <stdlib.h>

#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    (void)step, (void)samples;
    return 0.0;
}

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

static bool never(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return false;
}

static HaloStatus add(Device *device, const HaloStep *step, const HaloBuf *block, int64_t first, Measured *all)
{
    (void)device, (void)step, (void)block, (void)first, (void)all;
    return HALO_OK;
}

static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    (void)backend, (void)device, (void)step, (void)block;
}

/* What the kind takes, and a copy of what a device holds. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    return (double)src->width *
           (step->u.table.kind->bytes + src->channels * (double)halo_dtype_size(src->dtype));
}

/* Samples in host memory. */
static HaloStatus make_tables(Device *device, const HaloStep *step, const HaloBuf *src, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const HaloTableKind *kind = step->u.table.kind;
    const int channels = src->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(src->shape.dtype);
    int64_t left = halo_memory_left(device->memory) / (kind->columns * (int64_t)sizeof(double));
    for (int c = 0; c < channels; c++) {
        const HaloTableLine line = {.sample = (const char *)src->data + c * size,
                                    .wide = src->shape.dtype == HALO_F64,
                                    .step = channels,
                                    .frames = src->shape.width,
                                    .rate = src->shape.rate};
        table[c] = (HaloTable){.name = kind->name, .columns = kind->columns, .column = kind->column};
        table[c].most = larger(left, 1);
        status = kind->run(step->u.table.how, &line, &table[c]);
        if (status == HALO_ERR_LIMIT && table[c].rows == table[c].most)
            HALO_FAIL(status, "%s; %s, or --max-memory allows more", halo_error(), kind->fewer);
        HALO_TRY(status);
        left -= table[c].capacity;
    }
out:
    return status;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloBuf host = {0};
    (void)all;
    *result = (HaloResult){.type = HALO_RESULT_TABLE, .shape = src[0]->shape};
    result->table = calloc((size_t)src[0]->shape.channels, sizeof *result->table);
    if (result->table == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    if (device->backend->upload != NULL) {
        HALO_TRY(halo_buf_alloc(&host, &src[0]->shape));
        HALO_TRY(device->backend->download(device->handle, src[0], &host));
    }
    HALO_TRY(make_tables(device, step, host.data != NULL ? &host : src[0], result->table));
out:
    halo_buf_free(&host);
    return status;
}

static const Measure measure = {
    .incremental = never,
    .add = add,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_table = {
    .name = "table",
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .measure = &measure,
};
