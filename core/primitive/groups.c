/* Statistics and histograms of samples that another picture selects. */
#include "halo/groups.h"

#include "primitive.h"

static double flops(const HaloStep *step, double samples)
{
    (void)step;
    return samples * 8.0;
}

static double core_ns(const HaloStep *step, const HaloShape *src)
{
    return (src->dtype <= HALO_U16 ? 6.0 : 8.0) + (step->detail != NULL ? 40.0 : 0.0);
}

static void describe(const HaloStep *step, bool sound, bool exact, char *text, size_t size)
{
    const HaloGroups *groups = &step->u.groups;
    (void)sound, (void)exact;
    snprintf(text, size, "%s of %s", groups->counts ? "histogram" : "statistics",
             groups->each ? "each label" : "the samples in a mask");
}

static bool offered(const HaloBackend *backend) { return backend->sort_groups != NULL; }

/* A sort. The details of small groups, and their histograms, are made by the host from sorted samples. */
static double gpu_ns(const HaloStep *step, const HaloShape *src)
{
    const HaloGroups *groups = &step->u.groups;
    (void)src;
    return groups->each && (groups->counts || step->detail != NULL) ? 10.0 : 0.2;
}

/* Of one group, which may have all samples, or of as many as are measured together. */
static void query(const HaloBackend *backend, HaloDevice *device, const HaloStep *step, const HaloBuf *block)
{
    const HaloGroups *groups = &step->u.groups;
    HaloBuf sorted = *block, order = *block;
    HaloGroupList list = {0};
    HaloMoments moments;
    if (backend->sort_groups != NULL) {
        backend->sort_groups(device, block, NULL, groups, &sorted, &order, &list);
        backend->reduce_groups(device, block, NULL, 65536, groups->want, &moments);
    }
    backend->reduce(device, block, groups->want | HALO_WANT_EXTREMES, &moments);
    if (groups->counts || step->detail != NULL)
        measure_query_counts(backend, device, block, groups->counts ? groups->hist.bins : 65536);
}

/* The samples and the numbers of their pixels, sorted, and the counts of a histogram. */
static double bytes(const HaloStep *step, const HaloShape *src)
{
    const HaloGroups *groups = &step->u.groups;
    const double pixels = (double)src->width * (double)src->height,
                 values = src->dtype == HALO_U8 ? 256 : 65536;
    const double counts = groups->counts ? 2.0 * (double)groups->hist.bins + values : 2.0 * values;
    return pixels * (sizeof(uint32_t) + src->channels * (double)halo_dtype_size(src->dtype)) +
           src->channels * 8.0 * counts;
}

static HaloStatus conclude(Device *device, const HaloStep *step, const HaloBuf *const src[], Measured *all,
                           HaloResult *result)
{
    (void)all;
    return measure_groups(device, step, src, result);
}

static const Measure measure = {
    .incremental = measure_never,
    .add = measure_at_once,
    .conclude = conclude,
    .query = query,
    .bytes = bytes,
};

const Primitive primitive_groups = {
    .name = "groups",
    .flops = flops,
    .core_ns = core_ns,
    .gpu_ns = gpu_ns,
    .describe = describe,
    .offered = offered,
    .measure = &measure,
};
