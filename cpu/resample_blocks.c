/* `area` by whole factors, of integers: each output is the mean of a block, whose sum is exact. The general way
 * sums floats, first along rows: where both factors are powers of two these sums are exact as well, and where
 * the block has an odd number of samples, no mean lies so near to half between two integers that their
 * roundings could matter. In both cases the results are the same; others are left to the general way. */
#include "halo/resample.h"

#include "device.h"
#include "primitives.h"

/* Outputs of a task. */
#define TASK_OUTPUTS 65536
/* Samples of a row that are summed up at a time, in the nearest cache. */
#define PIECE 4096

typedef struct Blocks {
    const HaloBuf *src;
    HaloBuf *dst;
    int64_t across, down; /* the sides of a block */
    float scale;
    HaloStore store;
    int64_t task_rows, piece; /* outputs of a piece */
    int64_t scratch_bytes, at_row, at_sums, at_means;
    char *scratch;
    HaloDevice *device;
} Blocks;

static bool is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

/* The factor of an axis of equal taps that lie side by side; 0: it is none. */
static int64_t factor_of(const HaloResampleAxis *axis)
{
    if (axis->left != 0 || axis->right != 0 || axis->up != 1 || axis->cut || axis->length % axis->size != 0)
        return 0;
    const int64_t factor = axis->length / axis->size;
    if (factor != axis->down || factor != axis->count[0] || axis->first[0] != 0) return 0;
    for (int64_t j = 0; j < factor; j++)
        if (axis->tap[j] != 1.0f / (float)factor) return 0;
    return factor;
}

bool cpu_resample_is_blocks(const HaloBuf *src, const HaloBuf *dst, const HaloResample *how, HaloStore store)
{
    const HaloDtype dtype = src->shape.dtype;
    const int64_t across = factor_of(&how->x), down = factor_of(&how->y);
    if ((dtype != HALO_U8 && dtype != HALO_U16) || across < 1 || down < 1 || across > 256 || down > 256)
        return false;
    const double greatest = dtype == HALO_U8 ? 255.0 : 65535.0, samples = (double)across * (double)down;
    if (is_power_of_two(across) && is_power_of_two(down)) return greatest * samples < 0x1p24;
    /* The error of the sums of floats, to first order, against the distance of a mean from half. */
    const double error = greatest * (double)(across + down + 2) * 0x1p-24, distance = 0.5 / samples;
    return across * down % 2 != 0 && dst->shape.dtype == dtype && store.num == store.den &&
           greatest * samples < 0x1p24 && 2.0 * error < distance;
}

/* The outputs from the first of row y on that need no floats. */
static int64_t make_bytes(const Blocks *b, int64_t y)
{
    if (b->src->shape.dtype != HALO_U8 || b->dst->shape.dtype != HALO_U8 || b->across != 2 || b->down != 2 ||
        b->store.num != b->store.den)
        return 0;
    const int64_t x = b->dst->x0 * 2;
    return b->device->kernels->blocks->halves(halo_at(b->src, x, y * 2), halo_at(b->src, x, y * 2 + 1),
                                              b->dst->shape.channels, b->dst->cols,
                                              halo_at(b->dst, b->dst->x0, y));
}

static void run_task(void *context, int64_t index, int worker)
{
    const Blocks *b = context;
    const CpuKernels *kernels = b->device->kernels;
    char *const scratch = b->scratch + worker * b->scratch_bytes;
    const void **row = (const void **)(void *)(scratch + b->at_row);
    float *const means = (float *)(void *)(scratch + b->at_means);
    const HaloDtype from = b->src->shape.dtype, to = b->dst->shape.dtype;
    const int channels = b->dst->shape.channels;
    const int64_t first = b->dst->y0 + index * b->task_rows,
                  end = least(first + b->task_rows, b->dst->y0 + b->dst->rows);
    uint64_t clipped = 0;
    for (int64_t y = first; y < end; y++)
        for (int64_t x = make_bytes(b, y); x < b->dst->cols; x += b->piece) {
            const int64_t outputs = least(b->piece, b->dst->cols - x);
            for (int64_t j = 0; j < b->down; j++)
                row[j] = halo_at(b->src, (b->dst->x0 + x) * b->across, y * b->down + j);
            kernels->blocks->means[from](row, b->down, b->across, channels, outputs, b->scale,
                                         scratch + b->at_sums, means);
            kernels->rows->store[to](means, outputs * channels, b->store, halo_at(b->dst, b->dst->x0 + x, y),
                                     &clipped);
        }
    cpu_count_clipped(b->device, clipped);
}

HaloStatus cpu_resample_blocks(HaloDevice *device, const HaloBuf *src, HaloBuf *dst,
                               const HaloResample *resample, HaloStore store)
{
    HaloStatus status = HALO_OK;
    Blocks b = {.src = src, .dst = dst, .store = store, .device = device};
    const int64_t channels = dst->shape.channels, outputs = dst->cols * channels;
    int64_t total = 0;
    void *scratch;
    b.across = factor_of(&resample->x);
    b.down = factor_of(&resample->y);
    b.scale = 1.0f / (float)(b.across * b.down);
    b.piece = most(PIECE / b.across / channels / 64 * 64, 8); /* so that stores are whole vectors */
    const int64_t samples = b.piece * channels;
    const int workers =
        cpu_workers(device, (double)outputs * (double)dst->rows * (double)(b.across * b.down) / 8.0);
    b.task_rows = most(least(TASK_OUTPUTS / outputs, divide_up(dst->rows, 4 * (int64_t)workers)), 1);
    if (!cpu_reserve(&total, b.down, sizeof(void *), &b.at_row) ||
        !cpu_reserve(&total, samples * b.across + CPU_CONV_SLACK, sizeof(uint32_t), &b.at_sums) ||
        !cpu_reserve(&total, samples + CPU_CONV_SLACK, sizeof(float), &b.at_means))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld channels need more memory than can be addressed", (long long)channels);
    b.scratch_bytes = total;
    HALO_TRY(cpu_scratch_each(device, &b.scratch_bytes, &scratch));
    b.scratch = scratch;
    cpu_run(device, workers, divide_up(dst->rows, b.task_rows), run_task, &b);
out:
    return status;
}
