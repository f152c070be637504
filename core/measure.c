/* Reductions and histograms on a backend, turned into what people asked for. */
#include <math.h>
#include <stdlib.h>

#include "core.h"
#include "halo/numerics.h"

/* Statistics of every channel (`channel` may be NULL) and, merged in order, of all but alpha. */
HaloStatus measure_stats(Slot *slot, const HaloBuf *src, unsigned want, HaloStats *channel, HaloStats *all)
{
    HaloStatus status = HALO_OK;
    const HaloShape *shape = &src->shape;
    HaloMoments total = halo_moments_none();
    HaloMoments *moments = calloc((size_t)shape->channels, sizeof *moments);
    if (moments == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    HALO_TRY(slot->backend->reduce(slot->device, src, want, moments));
    for (int c = 0; c < shape->channels; c++) {
        if (channel != NULL) halo_stats_from_moments(&moments[c], shape->dtype, &channel[c]);
        if (c != shape->alpha) halo_moments_merge(&total, &moments[c]);
    }
    halo_stats_from_moments(&total, shape->dtype, all);
out:
    free(moments);
    return status;
}

/* Counts of single values gathered into the bins asked for. */
static void gather(const HaloHistogram *levels, HaloHistogram *out)
{
    for (int c = 0; c < out->channels; c++)
        for (int64_t v = 0; v < levels->bins; v++) {
            const uint64_t n = levels->count[c * levels->bins + v];
            const int64_t bin = halo_bin((double)v, out->lo, out->hi, out->bins);
            if (bin >= 0) out->count[c * out->bins + bin] += n;
            if (bin == -1) out->below[c] += n;
            if (bin == -2) out->above[c] += n;
        }
}

HaloStatus measure_hist(Slot *slot, const HaloBuf *src, const HaloHist *wanted, HaloHistogram *out)
{
    HaloStatus status = HALO_OK;
    HaloHistogram levels = {0};
    const HaloShape *shape = &src->shape;
    const bool counted = shape->dtype != HALO_F32;
    const int64_t values = shape->dtype == HALO_U8 ? 256 : 65536;
    HALO_TRY(halo_histogram_alloc(out, shape->channels, wanted->bins, wanted->lo, wanted->hi));
    if (!counted) {
        HALO_TRY(slot->backend->hist(slot->device, src, wanted, out));
    } else {
        const HaloHist native = {.bins = values, .lo = 0.0, .hi = (double)values};
        HALO_TRY(halo_histogram_alloc(&levels, shape->channels, values, native.lo, native.hi));
        HALO_TRY(slot->backend->hist(slot->device, src, &native, &levels));
        gather(&levels, out);
    }
out:
    halo_histogram_free(&levels);
    if (status != HALO_OK) halo_histogram_free(out);
    return status;
}
