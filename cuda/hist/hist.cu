/* Histograms: workspace for counters, the choice of a kernel, and copying counts to the host. */
#include <stdlib.h>

#include "hist.cuh"

/* ---- workspace ------------------------------------------------------------------------------------------- */

/* Samples in parts are kept for the next histogram, whose parts may lie inside these: so many per channel, of
 * so many channels. */
static const int64_t kept_most = 65536, kept_channels = 4;

static int64_t kept_bytes(const HaloHist *hist, int64_t channels)
{
    const bool keeps = hist->parts > 0 && channels <= kept_channels;
    return keeps ? (kept_channels + channels * kept_most) * (int64_t)sizeof(float) : 0;
}

/* More counters than these are copied to the host afterwards: the last block would take longer. */
static const int64_t handed_most = 16384;

/* Memory that is 0 between launches: a counter of arrivals, and, so many counters after it, those of a
 * histogram. */
static const int64_t arrivals = 4;

/* The packed counters that blocks of 16-bit histograms leave. */
static int64_t left_bytes(const HistArgs *args)
{
    return args->channels * args->blocks * (int64_t)u16_bins * (int64_t)sizeof(uint16_t);
}

/* Device memory: kept samples of parts; counters, unless the last block copies them; the caller's memory after
 * them. */
static HaloStatus find_workspace(HaloDevice *device, HistArgs *args, int64_t kept, int64_t counters,
                                 int64_t after, CudaCounts *counts)
{
    const int64_t left = counts->bits32 ? left_bytes(args) : 0, own = counts->staged ? 0 : left + counts->bytes;
    const int64_t zeros = counts->bits32 ? counters : counts->staged ? 2 * handed_most : 0;
    void *workspace;
    unsigned *zero;
    CUDA_PASS(reduce_workspace(device, cuda_max(1, kept + own + after), arrivals + zeros, &workspace, &zero));
    counts->arrival = args->arrival = zero;
    counts->after = (char *)workspace + kept + own;
    if (counts->bits32) {
        args->u16.left = (unsigned *)workspace;
        args->u16.count = (unsigned *)((char *)workspace + left);
        args->u16.wrapped = zero + arrivals;
        counts->count = args->u16.count;
    } else if (counts->staged) {
        args->count = (unsigned long long *)(zero + arrivals);
        args->counters = (int)counters;
    } else {
        counts->count = args->count = (unsigned long long *)((char *)workspace + kept);
        CUDA_TRY(cudaMemsetAsync(args->count, 0, (size_t)own, device->stream));
    }
    return HALO_OK;
}

/* Host memory: counters that the device copies there, and the caller's memory after them. */
static HaloStatus find_host_memory(HaloDevice *device, HistArgs *args, int64_t counters, int64_t after,
                                   CudaCounts *counts)
{
    const int64_t slots = counts->bits32 ? counts->bytes : 0,
                  slot_bytes = counts->bits32 ? counters / HIST_SLOT : 0,
                  own = counts->staged ? counts->bytes : slots + slot_bytes;
    void *workspace;
    CUDA_PASS(cuda_pinned(device, own + after, &workspace));
    if (workspace == NULL) return HALO_OK;
    counts->host = (char *)workspace + own;
    if (counts->staged) counts->count = args->host = (unsigned long long *)workspace;
    if (!counts->bits32) return HALO_OK;
    counts->slots = args->u16.slots = (char *)workspace;
    counts->slot_bytes = args->u16.slot_bytes = (uint8_t *)workspace + slots;
    return HALO_OK;
}

/* ---- launches -------------------------------------------------------------------------------------------- */

static HaloStatus launch_parts(HaloDevice *device, HistArgs *args, char *workspace, bool had)
{
    const bool keeps = kept_bytes(&args->how, args->channels) > 0;
    PartKept kept = {};
    args->how.again = args->how.again && had;
    if (keeps) {
        kept.most = kept_most;
        kept.count = (unsigned *)workspace;
        kept.sample = (float *)(kept.count + kept_channels);
        if (!args->how.again)
            CUDA_TRY(cudaMemsetAsync(kept.count, 0, kept_channels * sizeof *kept.count, device->stream));
    }
    CUDA_PASS(hist_parts(device, args, &kept));
    device->kept = keeps ? args->data : NULL;
    return HALO_OK;
}

static HaloStatus launch(HaloDevice *device, HaloDtype dtype, HistArgs *args)
{
    if (args->u16.left != NULL) return hist_u16(device, args);
    if (hist_u8_takes(dtype, args->channels)) return hist_u8(device, args);
    return dtype == HALO_F32 ? hist_f32(device, args) : hist_windows(device, dtype, args);
}

HaloStatus cuda_hist_queue(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, int64_t after,
                           CudaCounts *counts)
{
    const int channels = src->shape.channels;
    const HaloDtype dtype = src->shape.dtype;
    const int64_t counters = channels * hist->bins + (dtype == HALO_F32 ? 3 * (int64_t)channels : 0);
    HistArgs args = {};
    *counts = {};
    if (dtype != HALO_F32 && hist->bins != (dtype == HALO_U8 ? 256 : 65536))
        return halo_fail(HALO_ERR_BUG, "internal: a histogram of integers counts every value, not %lld bins",
                         (long long)hist->bins);
    if (hist->parts > 0 &&
        (dtype != HALO_F32 || hist->parts > HALO_MAX_PARTS || hist->bins > HALO_MAX_PART_BINS))
        return halo_fail(HALO_ERR_BUG, "internal: a histogram in %d parts of %lld bins", hist->parts,
                         (long long)hist->bins);
    CUDA_PASS(cuda_flat(device, src, &args.data));
    args.pixels = src->shape.width * src->shape.height;
    args.channels = channels;
    args.how = *hist;
    args.scale = bin_scale(hist->lo, hist->hi, hist->bins);
    counts->bits32 = hist_u16_takes(device, dtype, args.pixels);
    counts->staged = !counts->bits32 && counters <= handed_most;
    if (counts->bits32) args.blocks = hist_u16_blocks(device, args.pixels, channels);
    if (!halo_mul(counters, counts->bits32 ? sizeof(unsigned) : sizeof(unsigned long long), &counts->bytes))
        return halo_fail(HALO_ERR_LIMIT, "%lld bins of %d channels are too many: use --device cpu",
                         (long long)hist->bins, channels);
    const int64_t kept = kept_bytes(hist, channels);
    CUDA_PASS(find_workspace(device, &args, kept, counters, after, counts));
    CUDA_PASS(find_host_memory(device, &args, counters, after, counts));
    if (hist->parts == 0) return launch(device, dtype, &args);
    return launch_parts(device, &args, (char *)device->scratch[CUDA_SCRATCH_PARTIAL],
                        device->kept == args.data);
}

/* ---- results on the host --------------------------------------------------------------------------------- */

HaloStatus cuda_hist_fetch(HaloDevice *device, const CudaCounts *counts, int64_t counters, uint64_t *to)
{
    const int64_t known = counters * (int64_t)sizeof *to;
    if (counts->staged || counts->slots != NULL) {
        CUDA_PASS(cuda_wait(device));
        if (counts->staged)
            memcpy(to, counts->count, (size_t)known);
        else
            hist_u16_unpack(counts->slots, counts->slot_bytes, counters, to);
        return HALO_OK;
    }
    if (!counts->bits32) return cuda_fetch(device, to, counts->count, known);
    /* The counters are copied to the end of their destination, and read before they are overwritten. */
    const uint32_t *const from = (const uint32_t *)(to + counters) - counters;
    CUDA_PASS(cuda_fetch(device, (void *)from, counts->count, counts->bytes));
    for (int64_t i = 0; i < counters; i++) to[i] = from[i];
    return HALO_OK;
}

/* Counts of floats in no bin lie after the others. */
static HaloStatus fetch_floats(HaloDevice *device, const CudaCounts *counts, HaloHistogram *out)
{
    const int64_t counters = out->channels * out->bins;
    const size_t each = (size_t)out->channels * sizeof *out->below;
    uint64_t *const own =
        counts->staged ? NULL : (uint64_t *)malloc((size_t)counts->bytes); /* one copy: each is waited for */
    if (own == NULL && !counts->staged)
        return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bins", (long long)counters);
    const uint64_t *const all = counts->staged ? (const uint64_t *)counts->count : own;
    const HaloStatus status =
        counts->staged ? cuda_wait(device) : cuda_fetch(device, own, counts->count, counts->bytes);
    if (status == HALO_OK) {
        memcpy(out->count, all, (size_t)counters * sizeof *all);
        memcpy(out->below, all + counters, each);
        memcpy(out->above, all + counters + out->channels, each);
        memcpy(out->nan, all + counters + 2 * out->channels, each);
    }
    free(own);
    return status;
}

HaloStatus cuda_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    CudaCounts counts;
    CUDA_PASS(cuda_use(device));
    CUDA_PASS(cuda_hist_queue(device, src, hist, 0, &counts));
    if (src->shape.dtype == HALO_F32 && hist->parts == 0) return fetch_floats(device, &counts, out);
    return cuda_hist_fetch(device, &counts, src->shape.channels * hist->bins, out->count);
}
