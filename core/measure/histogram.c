/* Histograms: their memory, and counting, block by block. */
#include <stdlib.h>
#include <string.h>

#include "halo/measures.h"
#include "measure.h"

HaloStatus histogram_workspace(HaloHistogram *hist, int channels, int64_t bins, double lo, double hi)
{
    int64_t bytes = 0;
    *hist = (HaloHistogram){.bins = bins, .lo = lo, .hi = hi, .channels = channels};
    if (!halo_mul(bins, channels, &bytes) || !halo_mul(bytes, (int64_t)sizeof *hist->count, &bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld bins are more than memory can hold", (long long)bins);
    hist->count = malloc((size_t)bytes);
    hist->below = calloc((size_t)channels * 3, sizeof *hist->below);
    if (hist->count == NULL || hist->below == NULL) {
        halo_histogram_free(hist);
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld histogram bins",
                         (long long)bins * channels);
    }
    hist->above = hist->below + channels;
    hist->nan = hist->above + channels;
    return HALO_OK;
}

HaloStatus halo_histogram_alloc(HaloHistogram *hist, int channels, int64_t bins, double lo, double hi)
{
    const HaloStatus status = histogram_workspace(hist, channels, bins, lo, hi);
    if (status == HALO_OK) memset(hist->count, 0, (size_t)(bins * channels) * sizeof *hist->count);
    return status;
}

void halo_histogram_free(HaloHistogram *hist)
{
    free(hist->count);
    free(hist->below); /* above and nan are in the same allocation */
    *hist = (HaloHistogram){0};
}

HaloStatus measure_hist(Device *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *made)
{
    const HaloStatus status = histogram_workspace(made, src->shape.channels, hist->bins, hist->lo, hist->hi);
    return status == HALO_OK ? device->backend->hist(device->handle, src, hist, made) : status;
}

/* Gathers counts of single values into the requested bins. */
static void gather(const HaloHistogram *levels, HaloHistogram *out)
{
    const HaloBins bins = halo_bins(out->lo, out->hi, out->bins);
    for (int c = 0; c < out->channels; c++)
        for (int64_t v = 0; v < levels->bins; v++) {
            const uint64_t n = levels->count[c * levels->bins + v];
            const int64_t bin = halo_bin(&bins, (double)v);
            if (bin >= 0) out->count[c * out->bins + bin] += n;
            if (bin == -1) out->below[c] += n;
            if (bin == -2) out->above[c] += n;
        }
}

/* Integers are counted by value, whatever bins are requested. */
static HaloHist counted(const HaloShape *shape, const HaloHist *wanted)
{
    const int64_t values = shape->dtype == HALO_U8 ? 256 : 65536;
    return shape->dtype > HALO_U16 ? *wanted : (HaloHist){.bins = values, .hi = (double)values};
}

void measure_query_counts(const HaloBackend *backend, HaloDevice *device, const HaloBuf *block, int64_t bins)
{
    const HaloHist wanted = {.bins = bins, .hi = 1.0}, hist = counted(&block->shape, &wanted);
    HaloHistogram counts = {.bins = hist.bins, .channels = block->shape.channels};
    backend->hist(device, block, &hist, &counts);
}

static HaloStatus count_block(Device *device, const HaloBuf *src, const HaloHist *wanted, HaloHistogram *out)
{
    HaloStatus status = HALO_OK;
    HaloHistogram levels = {0};
    const HaloShape *shape = &src->shape;
    const HaloHist hist = counted(shape, wanted);
    const bool as_counted = wanted->bins == hist.bins && wanted->lo == hist.lo && wanted->hi == hist.hi;
    if (as_counted) {
        HALO_TRY(measure_hist(device, src, &hist, out));
    } else {
        HALO_TRY(measure_hist(device, src, &hist, &levels));
        HALO_TRY(halo_histogram_alloc(out, shape->channels, wanted->bins, wanted->lo, wanted->hi));
        gather(&levels, out);
    }
out:
    halo_histogram_free(&levels);
    if (status != HALO_OK) halo_histogram_free(out);
    return status;
}

HaloStatus measure_more(Device *device, const HaloBuf *block, const HaloHist *hist, HaloHistogram *sum)
{
    HaloStatus status = HALO_OK;
    HaloHistogram more = {0};
    if (sum->count == NULL) return count_block(device, block, hist, sum);
    HALO_TRY(count_block(device, block, hist, &more));
    for (int64_t i = 0; i < sum->bins * sum->channels; i++) sum->count[i] += more.count[i];
    for (int c = 0; c < sum->channels; c++) {
        sum->below[c] += more.below[c];
        sum->above[c] += more.above[c];
        sum->nan[c] += more.nan[c];
    }
out:
    halo_histogram_free(&more);
    return status;
}

HaloStatus measure_on_host(Device *device, const HaloBuf *block, HaloBuf *own, const HaloBuf **host)
{
    HaloStatus status = HALO_OK;
    HaloShape shape = block->shape;
    *host = block;
    if (device->backend->upload == NULL) return HALO_OK;
    shape.width = block->cols;
    shape.height = block->rows;
    HALO_TRY(halo_buf_alloc(own, &shape));
    own->shape = block->shape;
    own->x0 = block->x0;
    own->y0 = block->y0;
    HALO_TRY(device->backend->download(device->handle, block, own));
    *host = own;
out:
    return status;
}
