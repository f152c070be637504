/* Tables that an operation makes of sound, channel by channel, on the host. */
#include "halo/table.h"

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

/* What the kind takes, and a copy of what a device holds. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    return (double)src->width *
           (step->u.table.kind->bytes + src->channels * (double)halo_dtype_size(src->dtype));
}

/* Samples in host memory. */
static HaloStatus make_tables(const HaloStep *step, const HaloBuf *src, HaloTable *table)
{
    HaloStatus status = HALO_OK;
    const HaloTableKind *kind = step->u.table.kind;
    const int channels = src->shape.channels;
    const int64_t size = (int64_t)halo_dtype_size(src->shape.dtype);
    for (int c = 0; c < channels; c++) {
        const HaloTableLine line = {.sample = (const char *)src->data + c * size,
                                    .wide = src->shape.dtype == HALO_F64,
                                    .step = channels,
                                    .frames = src->shape.width,
                                    .rate = src->shape.rate};
        table[c] = (HaloTable){.name = kind->name, .columns = kind->columns, .column = kind->column};
        HALO_TRY(kind->run(step->u.table.how, &line, &table[c]));
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
    HALO_TRY(measure_open_tables(&src[0]->shape, result));
    if (device->backend->upload != NULL) {
        HALO_TRY(halo_buf_alloc(&host, &src[0]->shape));
        HALO_TRY(device->backend->download(device->handle, src[0], &host));
    }
    HALO_TRY(make_tables(step, host.data != NULL ? &host : src[0], result->table));
out:
    halo_buf_free(&host);
    return status;
}

static const Measure measure = {
    .incremental = measure_never,
    .add = measure_at_once,
    .conclude = conclude,
    .query = measure_on_host,
    .bytes = bytes,
};

const Primitive primitive_table = {
    .name = "table",
    .flops = flops,
    .core_ns = core_ns,
    .describe = describe,
    .measure = &measure,
};
