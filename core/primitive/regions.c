/* Connected regions. */
#include "halo/regions.h"

#include "primitive.h"

/* Numbers of regions have no full scale, and stay with their channel. */
static HaloStatus shape(const HaloStep *step, const HaloShape *const src[], HaloShape *dst)
{
    *dst = *src[0];
    dst->dtype = HALO_F32;
    if (src[0]->channels - (src[0]->alpha >= 0) != 1)
        return halo_fail(HALO_ERR_BUG, "internal: regions of several channels");
    if (step->u.regions.make == HALO_REGIONS_NUMBERS) {
        dst->numbers = true;
        dst->white = 1.0f;
    }
    return HALO_OK;
}

/* But for numbers the result is 0, white, or samples of the source. */
static HaloDtype holds(const HaloStep *step, const HaloShape *source)
{
    if (step->u.regions.make == HALO_REGIONS_NUMBERS) return HALO_F32;
    const bool mask = step->u.regions.make == HALO_REGIONS_MASK && source->alpha < 0;
    return mask ? holds_scale((double)step->u.regions.white) : source->dtype;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    (void)step;
    return src->dtype == HALO_U8 ? 1.0 : 2.0;
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    static const char *const make[] = {"number", "select", "fill", "select"};
    const HaloRegions *regions = &step->u.regions;
    (void)sound, (void)exact;
    snprintf(text, size, "%s regions of %d neighbours", make[regions->make], regions->connect);
}

static bool offered(const HaloBackend *backend) { return backend->regions != NULL; }

/* ---- rows in order, where a first pass has found the regions --------------------------------------------- */

static Part full_rows(const HaloShape *shape, Part part)
{
    part.x0 = 0;
    part.x1 = shape->width;
    return part;
}

static Part reads(const HaloStep *step, int k, const HaloShape *src, Part part)
{
    if (step->u.regions.found == NULL || part_is_empty(part)) return whole_reads(step, k, src, part);
    return full_rows(src, part);
}

static Part makes(const HaloStep *step, const HaloShape *dst, Part part)
{
    return step->u.regions.found == NULL ? whole_makes(step, dst, part) : full_rows(dst, part);
}

static int64_t keeps(const HaloStep *step, const HaloShape *src)
{
    return step->u.regions.found == NULL ? 0 : halo_regions_state(src);
}

static bool in_bands(const HaloBackend *backend, const HaloShape *src)
{
    (void)src;
    return backend->regions_in_parts;
}

/* The rows of the source that are made. */
static HaloStatus go_on(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                        const HaloBuf *const src[], HaloBuf *dst, void *state)
{
    HaloRegions regions = step->u.regions;
    HaloBuf from = *src[0];
    part_set(&from, (Part){dst->x0, dst->x0 + dst->cols, dst->y0, dst->y0 + dst->rows});
    if (from.data != NULL) from.data = halo_at(src[0], from.x0, from.y0);
    regions.state = state;
    return backend->regions(device, &from, dst, &regions, step->store);
}

static HaloStatus run(const HaloBackend *backend, HaloDevice *device, const HaloStep *step,
                      const HaloBuf *const src[], HaloBuf *dst)
{
    if (step->u.regions.found != NULL) return go_on(backend, device, step, src, dst, NULL);
    return backend->regions(device, src[0], dst, &step->u.regions, step->store);
}

const Primitive primitive_regions = {
    .name = "regions",
    .stores = true,
    .blind = true,
    .holds = holds,
    .shape = shape,
    .reads = reads,
    .makes = makes,
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe,
    .offered = offered,
    .keeps = keeps,
    .in_bands = in_bands,
    .run = run,
    .go_on = go_on,
};

/* ---- the first pass -------------------------------------------------------------------------------------- */

static void describe_pass(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    (void)sound, (void)exact;
    snprintf(text, size, "find regions of %d neighbours", step->u.regions.connect);
}

static bool pass_offered(const HaloBackend *backend) { return backend->find_regions != NULL; }

static bool incremental(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return true;
}

static HaloStatus add_rows(Device *device, const HaloStep *step, const HaloBuf *const rows[], Measured *all)
{
    (void)all;
    return device->backend->find_regions(device->handle, rows[0], &step->u.regions);
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    (void)device, (void)step, (void)all;
    return measure_open_tables(&src[0]->shape, result); /* the step holds what was found */
}

static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    if (backend->find_regions != NULL) backend->find_regions(device, block, &step->u.regions);
}

/* Memory for regions is counted as they are found. */
static double no_bytes(const HaloStep *step, const HaloShape *src)
{
    (void)step, (void)src;
    return 0.0;
}

static const Measure measure = {
    .incremental = incremental,
    .add_rows = add_rows,
    .grows = true,
    .conclude = conclude,
    .query = query,
    .bytes = no_bytes,
};

const Primitive primitive_find_regions = {
    .name = "find regions",
    .flops = no_flops,
    .core_ns = core_ns,
    .describe = describe_pass,
    .offered = pass_offered,
    .measure = &measure,
};
