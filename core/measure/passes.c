/* What `stats --full` computes of floats that are not in memory as a whole, by passes over them: in the first
 * the statistics, the counts for the entropy, and the first bits of the percentiles; then the third and fourth
 * moments, round the mean of the first, and the other bits. */
#include <stdlib.h>

#include "halo/counter.h"
#include "measure.h"
#include "percentile.h"

struct DetailPasses {
    int pass;            /* the number of passes that have ended */
    Search *search;      /* NULL: no percentiles, or all are found */
    HaloHistogram scale; /* of the first pass, over full scale */
    int channels;
    double *mean, *third, *fourth; /* [channels]; and the nodes of the sums, [64][channels] each */
    uint64_t blocks;
};

void passes_close(DetailPasses *passes)
{
    if (passes == NULL) return;
    search_close(passes->search);
    halo_histogram_free(&passes->scale);
    free(passes->mean);
    free(passes);
}

static HaloStatus passes_open(const HaloShape *shape, const HaloDetail *detail, DetailPasses **passes)
{
    *passes = calloc(1, sizeof **passes);
    if (*passes == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    (*passes)->channels = shape->channels;
    return detail->percents > 0 ? search_open(shape, detail, &(*passes)->search) : HALO_OK;
}

static void join(const void *context, const void *left, void *right)
{
    (void)context;
    *(double *)right = *(const double *)left + *(double *)right;
}

/* Blocks are nodes of the tree of a fold. */
static HaloStatus add_powers(Device *device, const HaloBuf *block, DetailPasses *passes)
{
    HaloStatus status = HALO_OK;
    const size_t channels = (size_t)passes->channels;
    double *third = calloc(2 * channels, sizeof *third);
    if (third == NULL) HALO_FAIL(HALO_ERR_LIMIT, "not enough memory");
    double *const fourth = third + channels;
    HALO_TRY(detail_powers(device, block, passes->mean, third, fourth));
    for (size_t c = 0; c < channels; c++) {
        const size_t stride = channels * sizeof *third;
        halo_counter_add(passes->third + c, stride, sizeof *third, passes->blocks, &third[c], join, NULL);
        halo_counter_add(passes->fourth + c, stride, sizeof *third, passes->blocks, &fourth[c], join, NULL);
    }
    passes->blocks++;
out:
    free(third);
    return status;
}

HaloStatus passes_add(Device *device, const HaloStep *step, const HaloBuf *block, DetailPasses **in)
{
    HaloStatus status = HALO_OK;
    const HaloDetail *detail = step->detail;
    const HaloHist scale = hist_default(&block->shape);
    HaloBuf own = {0};
    if (*in == NULL) HALO_TRY(passes_open(&block->shape, detail, in));
    DetailPasses *passes = *in;
    if (detail->full && passes->pass == 0) HALO_TRY(measure_more(device, block, &scale, &passes->scale));
    if (detail->full && passes->pass == 1) HALO_TRY(add_powers(device, block, passes));
    if (passes->search != NULL) {
        const HaloBuf *host;
        HALO_TRY(measure_on_host(device, block, &own, &host));
        search_add(passes->search, host);
    }
out:
    halo_buf_free(&own);
    return status;
}

/* The sums of the second pass. */
static HaloStatus take_powers(DetailPasses *passes, HaloResult *result)
{
    const size_t channels = (size_t)passes->channels;
    double *third = calloc(2 * channels, sizeof *third);
    if (third == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    double *const fourth = third + channels;
    for (size_t c = 0; c < channels; c++) {
        const size_t stride = channels * sizeof *third;
        halo_counter_total(passes->third + c, stride, sizeof *third, passes->blocks, &third[c], join, NULL);
        halo_counter_total(passes->fourth + c, stride, sizeof *third, passes->blocks, &fourth[c], join, NULL);
    }
    detail_take_powers(third, fourth, result);
    free(third);
    return HALO_OK;
}

/* The means of the first pass, that the second one's sums are round. */
static HaloStatus take_means(DetailPasses *passes, const HaloResult *result)
{
    const size_t channels = (size_t)passes->channels, nodes = channels * HALO_COUNTER_NODES;
    passes->mean = calloc(channels + 2 * nodes, sizeof *passes->mean);
    if (passes->mean == NULL) return halo_fail(HALO_ERR_LIMIT, "not enough memory");
    passes->third = passes->mean + channels;
    passes->fourth = passes->third + nodes;
    for (size_t c = 0; c < channels; c++) passes->mean[c] = result->channel[c].moments.mean;
    return HALO_OK;
}

HaloStatus passes_end(const HaloDetail *detail, DetailPasses **in, HaloResult *result)
{
    HaloStatus status = HALO_OK;
    DetailPasses *passes = *in;
    bool found = passes->search == NULL;
    if (detail->full && passes->pass == 0) {
        HALO_TRY(detail_take_entropy(&passes->scale, passes->scale.bins, result));
        HALO_TRY(take_means(passes, result));
    }
    if (detail->full && passes->pass == 1) HALO_TRY(take_powers(passes, result));
    if (!found) HALO_TRY(search_next(passes->search, detail, &found));
    if (found && passes->search != NULL) {
        search_take(passes->search, detail, result);
        search_close(passes->search);
        passes->search = NULL;
    }
    passes->pass++;
    *in = NULL;
    if (!found || (detail->full && passes->pass == 1))
        result->passes = passes;
    else
        passes_close(passes);
out:
    return status;
}

bool passes_pending(const HaloResults *results)
{
    bool pending = false;
    for (int i = 0; i < results->count; i++) pending = pending || results->item[i].passes != NULL;
    return pending;
}

bool passes_begun(const DetailPasses *passes) { return passes != NULL && passes->pass > 0; }
