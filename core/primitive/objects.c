/* Measures the regions of a labelled picture. */
#include "halo/objects.h"

#include "primitive.h"

/* How many pixels a region is taken to have where memory is planned. */
#define PIXELS_OF_REGION 64.0

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
    HaloObjectList none;
    if (backend->objects != NULL) backend->objects(device, block, NULL, &step->u.objects, &none);
}

static double bytes(const HaloStep *step, const HaloShape *src)
{
    const double regions = (double)src->width * (double)src->height / PIXELS_OF_REGION;
    return regions * (sizeof(HaloObject) + (step->sources > 1 ? sizeof(HaloObjectFloats) : 0));
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    HaloStatus status = HALO_OK;
    HaloObjectList list = {0};
    (void)all;
    HALO_TRY(measure_open_tables(&src[0]->shape, result));
    HALO_TRY(device->backend->objects(device->handle, src[0], step->sources > 1 ? src[1] : NULL,
                                      &step->u.objects, &list));
    HALO_TRY(measure_objects(&list, &src[0]->shape, &result->table[0]));
out:
    halo_object_list_free(&list);
    return status;
}

static const Measure measure = {
    .incremental = measure_never,
    .add = measure_at_once,
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
    .measure = &measure,
};
