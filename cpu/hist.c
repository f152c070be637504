/* Histograms: every worker counts slices in counters of its own, which are added up at the end. */
#include <string.h>

#include "pairs.h"

/* Samples of a slice, and pixels whose bins are found before they are counted. */
#define SLICE_SAMPLES (1 << 18)
#define PIECE 1024
/* Floats count below, above and NaN in counters behind the bins. */
#define OTHERS 3
/* With more counters than this a single worker counts: more copies of them would be slower, not faster. */
#define MOST_COUNTERS (1 << 22)

typedef struct Histogram {
    const HaloBuf *src;
    const HaloHist *hist;
    bool packed;          /* rows follow each other without a gap: a task's are one */
    int64_t bins, copies; /* of a channel; of all counters */
    int64_t counters;     /* of a worker, */
    int64_t sets;         /* and how many workers have some */
    int64_t cols_per_task, tasks_in_row, rows_per_task;
    uint64_t *counter;
    uint32_t *small; /* of each worker, `smalls` (pairs.h); or NULL */
    int64_t smalls;
    uint32_t *bin; /* f32: of each worker, room for a piece */
    int64_t bin_pitch, piece;
    HaloDevice *device;
} Histogram;

static void count_row(const Histogram *h, int64_t x, int64_t y, int64_t cols, int worker)
{
    const HaloBuf *src = h->src;
    const CpuHistKernels *kernels = h->device->kernels->hist;
    const int64_t channels = src->shape.channels;
    uint64_t *counter = worker < h->sets ? h->counter + worker * h->counters : NULL;
    if (src->shape.dtype != HALO_F32) {
        uint32_t *const small = h->small == NULL ? NULL : h->small + worker * h->smalls;
        cpu_count(kernels, &src->shape, halo_at(src, x, y), cols, h->bins, h->copies, NULL, small, counter);
        return;
    }
    if (h->hist->parts > 0) {
        kernels->parts(halo_at(src, x, y), cols, channels, h->hist, h->bins, counter);
        return;
    }
    uint32_t *bin = h->bin + worker * h->bin_pitch;
    for (int64_t i = 0; i < cols; i += h->piece) {
        const int64_t pixels = cols - i < h->piece ? cols - i : h->piece;
        kernels->bin(halo_at(src, x + i, y), pixels * channels, h->hist, bin);
        kernels->count[2](bin, pixels, channels, h->bins, h->copies, counter);
    }
}

static void count_task(void *context, int64_t index, int worker)
{
    const Histogram *h = context;
    const int64_t x = index % h->tasks_in_row * h->cols_per_task,
                  y = index / h->tasks_in_row * h->rows_per_task;
    const int64_t cols = h->src->cols - x < h->cols_per_task ? h->src->cols - x : h->cols_per_task;
    const int64_t end = h->src->rows - y < h->rows_per_task ? h->src->rows : y + h->rows_per_task;
    if (h->packed)
        count_row(h, 0, y, cols * (end - y), worker);
    else
        for (int64_t row = y; row < end; row++) count_row(h, x, row, cols, worker);
}

/* Adds the counters of all workers and copies to the result. */
static void add_up(const Histogram *h, int workers, HaloHistogram *out)
{
    const int64_t channels = h->src->shape.channels, bins = h->hist->bins;
    for (int64_t copy = 0; copy < h->sets * h->copies; copy++) {
        for (int64_t c = 0; c < channels; c++) {
            const uint64_t *from = h->counter + (copy * channels + c) * h->bins;
            uint64_t *to = out->count + c * bins;
            for (int64_t bin = 0; bin < bins; bin++) to[bin] += from[bin];
            if (h->bins == bins) continue;
            out->below[c] += from[bins];
            out->above[c] += from[bins + 1];
            out->nan[c] += from[bins + 2];
        }
    }
    for (int w = 0; w < workers && h->small != NULL; w++)
        for (int64_t c = 0; c < channels; c++)
            cpu_add_small(h->device->kernels->hist, &h->src->shape, c, h->small + w * h->smalls,
                          out->count + c * bins);
}

/* Sizes of everything but tasks, and the memory for it. */
static HaloStatus prepare(Histogram *h, int *workers)
{
    HaloStatus status = HALO_OK;
    const int64_t channels = h->src->shape.channels;
    const bool real = h->src->shape.dtype == HALO_F32;
    int64_t total = 0, all, at_counter, at_bin, at_small;
    void *scratch;
    h->bins = h->hist->bins + (real && h->hist->parts == 0 ? OTHERS : 0);
    h->copies = h->bins <= 4096 && h->hist->parts == 0 ? 4 : 1;
    h->piece = PIECE / channels < 1 ? 1 : PIECE / channels;
    h->bin_pitch = real ? h->piece * channels : 0;
    if (!halo_mul(h->bins * h->copies, channels, &h->counters)) h->counters = INT64_MAX;
    if (h->counters > MOST_COUNTERS) *workers = 1;
    h->smalls = cpu_small_counters(h->src, *workers);
    h->sets = h->smalls > 0 && h->src->shape.dtype == HALO_U16 ? 0 : *workers;
    if (!halo_mul(h->counters, h->sets, &all) || !cpu_reserve(&total, all, sizeof(uint64_t), &at_counter) ||
        !cpu_reserve(&total, *workers * h->smalls, sizeof(uint32_t), &at_small) ||
        !cpu_reserve(&total, *workers * h->bin_pitch, sizeof(uint32_t), &at_bin))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for %lld bins of %lld channels", (long long)h->bins,
                  (long long)channels);
    HALO_TRY(cpu_scratch(h->device, total, &scratch));
    h->counter = (uint64_t *)(void *)((char *)scratch + at_counter);
    h->bin = (uint32_t *)(void *)((char *)scratch + at_bin);
    memset(h->counter, 0, (size_t)all * sizeof *h->counter);
    if (h->smalls == 0) goto out;
    h->small = (uint32_t *)(void *)((char *)scratch + at_small);
    memset(h->small, 0, (size_t)(*workers * h->smalls) * sizeof *h->small);
out:
    return status;
}

HaloStatus cpu_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    HaloStatus status = HALO_OK;
    Histogram h = {.src = src, .hist = hist, .device = device};
    const HaloDtype dtype = src->shape.dtype;
    const int64_t channels = src->shape.channels;
    if (dtype > HALO_F32 || !halo_buf_is_whole(src) || hist->bins < 1 || hist->bins > HALO_MAX_BINS ||
        out->bins != hist->bins || out->channels != channels || (dtype == HALO_U8 && hist->bins != 256) ||
        (dtype == HALO_U16 && hist->bins != 65536) || (hist->parts > 0 && dtype != HALO_F32) ||
        hist->parts > HALO_MAX_PARTS)
        HALO_FAIL(HALO_ERR_BUG, "a histogram was asked for with bins that do not suit its source");
    if (src->cols < 1 || src->rows < 1) goto out;
    int workers = cpu_workers(device, (double)src->cols * (double)src->rows * (double)channels * 4);
    HALO_TRY(prepare(&h, &workers));
    const int64_t slice = SLICE_SAMPLES / channels < 1 ? 1 : SLICE_SAMPLES / channels;
    h.cols_per_task = src->cols < slice ? src->cols : slice;
    h.tasks_in_row = (src->cols + h.cols_per_task - 1) / h.cols_per_task;
    h.rows_per_task = slice / h.cols_per_task;
    h.packed = h.tasks_in_row == 1 && src->stride == src->cols * channels * (int64_t)halo_dtype_size(dtype);
    const int64_t tasks = (src->rows + h.rows_per_task - 1) / h.rows_per_task * h.tasks_in_row;
    cpu_run(device, workers, tasks, count_task, &h);
    add_up(&h, workers, out);
out:
    return status;
}
