/* Histograms: every worker counts tasks in counters of its own, which are added up at the end. */
#include <string.h>

#include "primitives.h"
#include "tally.h"

/* Samples of a task: so few that no thread waits long for another's last. */
#define TASK_SAMPLES (1 << 16)
/* Floats whose bins are found before they are counted. */
#define PIECE 1024
/* Floats count below, above and NaN in counters behind the bins. */
#define OTHERS 3
/* With more counters than this a single worker counts: more copies of them would be slower, not faster. */
#define MOST_COUNTERS (1 << 22)

typedef struct Histogram {
    const HaloBuf *src;
    const HaloHist *hist;
    bool packed; /* rows follow each other without a gap: a task's are one */
    int64_t cols_per_task, tasks_in_row, rows_per_task;
    HaloDevice *device;
    CpuTally tally;       /* of integers; the rest is of floats */
    int64_t bins, copies; /* of a channel; of all counters */
    int64_t counters;     /* of a worker */
    uint64_t *counter;
    uint32_t *bin; /* of each worker, space for a piece */
    int64_t bin_pitch, piece;
} Histogram;

/* As CpuHistKernels::bin. */
static void bins_of_doubles(const double *samples, int64_t n, const HaloHist *hist, uint32_t *bin)
{
    const HaloBins bins = halo_bins(hist->lo, hist->hi, hist->bins);
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = halo_bin(&bins, samples[i]);
        bin[i] = (uint32_t)(at >= 0 ? at : hist->bins - 1 - at);
    }
}

static void count_floats(const Histogram *h, int64_t x, int64_t y, int64_t cols, int worker)
{
    const HaloBuf *src = h->src;
    const CpuHistKernels *kernels = h->device->kernels->hist;
    const int64_t channels = src->shape.channels;
    uint64_t *counter = h->counter + worker * h->counters;
    if (h->hist->parts > 0) {
        kernels->parts(halo_at(src, x, y), cols, channels, h->hist, h->bins, counter);
        return;
    }
    uint32_t *bin = h->bin + worker * h->bin_pitch;
    for (int64_t i = 0; i < cols; i += h->piece) {
        const int64_t pixels = cols - i < h->piece ? cols - i : h->piece;
        if (src->shape.dtype == HALO_F64)
            bins_of_doubles(halo_at(src, x + i, y), pixels * channels, h->hist, bin);
        else
            kernels->bin(halo_at(src, x + i, y), pixels * channels, h->hist, bin);
        kernels->count[2](bin, pixels, channels, h->bins, h->copies, counter);
    }
}

static void count_row(Histogram *h, int64_t x, int64_t y, int64_t cols, int worker)
{
    if (h->src->shape.dtype > HALO_U16)
        count_floats(h, x, y, cols, worker);
    else
        cpu_tally_add(&h->tally, halo_at(h->src, x, y), cols, worker);
}

static void count_task(void *context, int64_t index, int worker)
{
    Histogram *h = context;
    const int64_t x = index % h->tasks_in_row * h->cols_per_task,
                  y = index / h->tasks_in_row * h->rows_per_task;
    const int64_t cols = h->src->cols - x < h->cols_per_task ? h->src->cols - x : h->cols_per_task;
    const int64_t end = h->src->rows - y < h->rows_per_task ? h->src->rows : y + h->rows_per_task;
    if (h->packed)
        count_row(h, 0, y, cols * (end - y), worker);
    else
        for (int64_t row = y; row < end; row++) count_row(h, x, row, cols, worker);
}

static void clear(HaloHistogram *out)
{
    memset(out->count, 0, (size_t)(out->bins * out->channels) * sizeof *out->count);
}

/* Adds the counters of all workers and copies to the result. */
static void add_floats(const Histogram *h, int workers, HaloHistogram *out)
{
    const int64_t channels = h->src->shape.channels, bins = h->hist->bins;
    for (int64_t copy = 0; copy < workers * h->copies; copy++) {
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
}

static void join_task(void *context, int64_t index, int worker)
{
    const Histogram *h = context;
    (void)worker;
    cpu_tally_join(&h->tally, index / CPU_TALLY_PARTS, index % CPU_TALLY_PARTS);
}

static HaloStatus too_many(const Histogram *h)
{
    return halo_fail(HALO_ERR_LIMIT, "not enough memory for %lld bins of %d channels", (long long)h->hist->bins,
                     h->src->shape.channels);
}

/* Sizes of everything but tasks, and the memory for it. */
static HaloStatus prepare_floats(Histogram *h, int *workers)
{
    HaloStatus status = HALO_OK;
    const int64_t channels = h->src->shape.channels;
    int64_t total = 0, all, at_counter, at_bin;
    void *scratch;
    h->bins = h->hist->bins + (h->hist->parts == 0 ? OTHERS : 0);
    h->copies = h->bins <= 4096 && h->hist->parts == 0 ? 4 : 1;
    h->piece = PIECE / channels < 1 ? 1 : PIECE / channels;
    h->bin_pitch = h->piece * channels;
    if (!halo_mul(h->bins * h->copies, channels, &h->counters)) h->counters = INT64_MAX;
    if (h->counters > MOST_COUNTERS) *workers = 1;
    if (!halo_mul(h->counters, *workers, &all) || !cpu_reserve(&total, all, sizeof(uint64_t), &at_counter) ||
        !cpu_reserve(&total, *workers * h->bin_pitch, sizeof(uint32_t), &at_bin))
        return too_many(h);
    HALO_TRY(cpu_scratch(h->device, total, &scratch));
    h->counter = (uint64_t *)(void *)((char *)scratch + at_counter);
    h->bin = (uint32_t *)(void *)((char *)scratch + at_bin);
    memset(h->counter, 0, (size_t)all * sizeof *h->counter);
out:
    return status;
}

static HaloStatus prepare_integers(Histogram *h, int *workers, HaloHistogram *out)
{
    HaloStatus status = HALO_OK;
    int64_t total = 0;
    void *scratch;
    *workers = cpu_tally_workers(&h->src->shape, *workers);
    if (!cpu_tally_reserve(&h->tally, h->device, &h->src->shape, *workers, &total)) return too_many(h);
    HALO_TRY(cpu_scratch(h->device, total, &scratch));
    cpu_tally_begin(&h->tally, scratch, out->count);
out:
    return status;
}

HaloStatus cpu_hist(HaloDevice *device, const HaloBuf *src, const HaloHist *hist, HaloHistogram *out)
{
    HaloStatus status = HALO_OK;
    Histogram h = {.src = src, .hist = hist, .device = device};
    const HaloDtype dtype = src->shape.dtype;
    const int64_t channels = src->shape.channels;
    if (dtype == HALO_I64 || !halo_buf_is_whole(src) || hist->bins < 1 || hist->bins > HALO_MAX_BINS ||
        out->bins != hist->bins || out->channels != channels || (dtype == HALO_U8 && hist->bins != 256) ||
        (dtype == HALO_U16 && hist->bins != 65536) || (hist->parts > 0 && dtype != HALO_F32) ||
        hist->parts > HALO_MAX_PARTS)
        HALO_FAIL(HALO_ERR_BUG, "internal: the bins of a histogram do not suit its source");
    if (src->cols < 1 || src->rows < 1) {
        clear(out);
        goto out;
    }
    int workers = cpu_workers(device, (double)src->cols * (double)src->rows * (double)channels * 4);
    if (dtype > HALO_U16)
        HALO_TRY(prepare_floats(&h, &workers));
    else
        HALO_TRY(prepare_integers(&h, &workers, out));
    clear(out);
    const int64_t pixels = most(TASK_SAMPLES / channels, dtype == HALO_U16 ? CPU_U16_BLOCK : 1);
    h.cols_per_task = least(src->cols, pixels);
    h.tasks_in_row = divide_up(src->cols, h.cols_per_task);
    h.rows_per_task = pixels / h.cols_per_task;
    h.packed = h.tasks_in_row == 1 && src->stride == src->cols * channels * (int64_t)halo_dtype_size(dtype);
    const int64_t tasks = divide_up(src->rows, h.rows_per_task) * h.tasks_in_row;
    cpu_run(device, workers, tasks, count_task, &h);
    if (dtype > HALO_U16)
        add_floats(&h, workers, out);
    else /* those of bytes are few */
        cpu_run(device, dtype == HALO_U8 ? 1 : workers, channels * CPU_TALLY_PARTS, join_task, &h);
out:
    return status;
}
