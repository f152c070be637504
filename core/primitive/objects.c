/* Measures the regions of a labelled picture. */
#include "halo/objects.h"

#include <stdlib.h>

#include "primitive.h"

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)src;
    return step->sources > 1 ? 6.0 : 3.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "measure regions%s", step->sources > 1 ? " and the samples in them" : "");
}

static bool offered(const HaloBackend *backend) { return backend->objects != NULL; }

/* ---- measuring ------------------------------------------------------------------------------------------ */

static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    HaloObjectList none = {0};
    if (backend->objects != NULL) backend->objects(device, block, NULL, &step->u.objects, &none);
}

/* Those of rows that are kept; lists of regions are counted as they grow. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    const double width = (double)src->width * (double)sizeof(float);
    return HALO_OBJECTS_LATE * width * (2 + (step->sources > 1 ? HALO_MAX_OBJECT_CHANNELS : 0));
}

static bool incremental(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return true;
}

static bool in_bands(const HaloBackend *backend, const HaloShape *src)
{
    (void)src;
    return backend->regions_in_parts;
}

static HaloStatus add_rows(Device *device, const HaloStep *step, const HaloBuf *const rows[], Measured *all)
{
    HaloStatus status = HALO_OK;
    const HaloBuf *labels = rows[0], *of = step->sources > 1 ? rows[1] : NULL;
    HaloObjects objects = step->u.objects;
    if (all->kept == NULL && labels->rows < labels->shape.height) {
        const int64_t size = halo_objects_kept(&labels->shape, of != NULL ? &of->shape : NULL);
        all->kept = calloc(1, (size_t)size);
        if (all->kept == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    }
    objects.kept = all->kept;
    all->objects.memory = device->memory;
    HALO_TRY(device->backend->objects(device->handle, labels, of, &objects, &all->objects));
out:
    return status;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    HaloStatus status = HALO_OK;
    (void)step;
    HALO_TRY(measure_open_tables(&src[0]->shape, result));
    HALO_TRY(
        measure_objects(&all->objects, &src[0]->shape, halo_memory_left(device->memory), &result->table[0]));
    halo_object_list_free(&all->objects);
out:
    return status;
}

static const Measure measure = {
    .incremental = incremental,
    .add_rows = add_rows,
    .grows = true,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_objects = {
    .name = "objects",
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .in_bands = in_bands,
    .measure = &measure,
};
