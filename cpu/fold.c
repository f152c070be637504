/* Folds by a program of the user's: leaves in parallel, then by pairs, as docs/numerics.md says. */
#include "device.h"
#include "halo/program.h"
#include "packed.h"

/* Leaves of a task: enough work to be worth taking. */
#define TASK_LEAVES 16
/* Channels that are parted from each other at a time, and room for these. */
#define TOGETHER 4
#define PARTED_BYTES ((int64_t)TOGETHER * HALO_LEAF * (int64_t)sizeof(float))

typedef struct Folding {
    const HaloBuf *src;
    const HaloFold *fold;
    int64_t pixels, leaves;
    double *leaf;    /* [channels][leaves] */
    double *samples; /* of each worker: room for TOGETHER * HALO_LEAF, */
    char *parted;    /* and for samples as they are */
    HaloDevice *device;
} Folding;

/* Pixels [first, first + n), `wanted` channels from c on, in room[k * HALO_LEAF]: those of more than one
 * channel are parted from each other first. */
static void gather(const Folding *f, int64_t first, int64_t n, int c, int wanted, char *parted, double *room)
{
    const HaloBuf *src = f->src;
    const CpuKernels *kernels = f->device->kernels;
    const HaloDtype dtype = src->shape.dtype;
    const int64_t width = src->shape.width, channels = src->shape.channels,
                  size = (int64_t)halo_dtype_size(dtype);
    for (int64_t done = 0; done < n;) {
        const int64_t x = (first + done) % width, y = (first + done) / width,
                      count = least(width - x, n - done);
        const char *from = (const char *)halo_at(src, x, y) + size * c;
        if (channels > 1) {
            kernels->reduce->gather[dtype](from, count, channels, wanted, parted, HALO_LEAF);
            from = parted;
        }
        for (int k = 0; k < wanted; k++)
            kernels->scan->to_f64[dtype](from + k * HALO_LEAF * size, count, 1, room + k * HALO_LEAF + done);
        done += count;
    }
}

static void fold_task(void *context, int64_t index, int worker)
{
    const Folding *f = context;
    const int channels = f->src->shape.channels;
    const int64_t begin = index * TASK_LEAVES, end = least(f->leaves, begin + TASK_LEAVES);
    double *const samples = f->samples + (int64_t)worker * TOGETHER * HALO_LEAF;
    char *const parted = f->parted + worker * PARTED_BYTES;
    for (int64_t l = begin; l < end; l++) {
        const int64_t first = l * HALO_LEAF, n = least(HALO_LEAF, f->pixels - first);
        for (int c = 0; c < channels; c++) {
            const double k = f->fold->k != NULL ? f->fold->k[c] : 0.0;
            if (c % TOGETHER == 0) gather(f, first, n, c, (int)least(TOGETHER, channels - c), parted, samples);
            f->leaf[c * f->leaves + l] =
                f->device->kernels->fold->leaf(f->fold, k, samples + c % TOGETHER * HALO_LEAF, n);
        }
    }
}

HaloStatus cpu_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out)
{
    HaloStatus status = HALO_OK;
    Folding f = {.src = src, .fold = fold, .device = device};
    const int channels = src->shape.channels;
    int64_t total = 0, nodes, at_leaf, at_samples, at_parted;
    void *scratch;
    if (src->shape.dtype > HALO_F32 || !halo_buf_is_whole(src))
        HALO_FAIL(HALO_ERR_BUG, "a fold was asked of a buffer that is not a whole of u8, u16 or f32");
    if (!halo_mul(src->cols, src->rows, &f.pixels))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many", (long long)src->cols,
                  (long long)src->rows);
    const HaloBuf row = cpu_as_one_row(src);
    if (cpu_is_packed(src)) f.src = &row;
    f.leaves = f.pixels / HALO_LEAF + (f.pixels % HALO_LEAF != 0);
    const int64_t steps = fold->map->length + fold->join->length;
    const int workers = cpu_workers(device, (double)f.pixels * channels * (double)steps);
    if (!halo_mul(f.leaves, channels, &nodes) || !cpu_reserve(&total, nodes, sizeof(double), &at_leaf) ||
        !cpu_reserve(&total, workers * TOGETHER, HALO_LEAF * sizeof(double), &at_samples) ||
        !cpu_reserve(&total, workers, PARTED_BYTES, &at_parted))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to reduce %d channels", channels);
    HALO_TRY(cpu_scratch(device, total, &scratch));
    f.leaf = (double *)(void *)((char *)scratch + at_leaf);
    f.samples = (double *)(void *)((char *)scratch + at_samples);
    f.parted = (char *)scratch + at_parted;
    cpu_run(device, workers, (f.leaves + TASK_LEAVES - 1) / TASK_LEAVES, fold_task, &f);
    for (int c = 0; c < channels; c++) {
        const double k = fold->k != NULL ? fold->k[c] : 0.0;
        const double value =
            f.leaves > 0 ? halo_fold_pairs(fold->join, k, f.leaf + c * f.leaves, f.leaves) : fold->identity;
        out[c] = halo_canonical_f64(value);
    }
out:
    return status;
}
