/* Folds by a program of the user's: leaves in parallel, then by pairs, as docs/numerics.md says. */
#include "device.h"
#include "halo/program.h"
#include "leaf.h"
#include "packed.h"
#include "primitives.h"

/* Leaves of a task: enough work for a task. */
#define TASK_LEAVES 16

typedef struct Folding {
    const HaloBuf *src;
    const HaloFold *fold;
    int64_t pixels, leaves;
    double *leaf;        /* [channels][leaves] */
    double *samples;     /* of each worker: space for CPU_LEAF_TOGETHER * HALO_LEAF, */
    char *parted;        /* and for samples as they are */
    bool simple;         /* which is what they are folded from; else */
    CpuFoldStack *stack; /* of each worker */
    HaloDevice *device;
} Folding;

/* Pixels [first, first + n), `wanted` channels from c on, in workspace[k * HALO_LEAF]: those of more than one
 * channel are parted from each other first. */
static void gather(const Folding *f, int64_t first, int64_t n, int c, int wanted, char *parted,
                   double *workspace)
{
    const HaloDtype dtype = f->src->shape.dtype;
    const char *const from = cpu_leaf_samples(f->device, f->src, first, n, c, wanted, parted);
    const int64_t apart = HALO_LEAF * (int64_t)halo_dtype_size(dtype);
    for (int k = 0; k < wanted; k++)
        f->device->kernels->scan->to_f64[dtype](from + k * apart, n, 1, workspace + k * HALO_LEAF);
}

/* The same leaf of all channels, where nothing needs the samples as f64 in memory. */
static void fold_simply(const Folding *f, int64_t l, int64_t n, char *parted)
{
    const HaloDtype dtype = f->src->shape.dtype;
    const int channels = f->src->shape.channels;
    const int64_t apart = HALO_LEAF * (int64_t)halo_dtype_size(dtype);
    const char *from = NULL;
    for (int c = 0; c < channels; c++) {
        const double k = f->fold->k != NULL ? f->fold->k[c] : 0.0;
        const int wanted = (int)least(CPU_LEAF_TOGETHER, channels - c);
        if (c % CPU_LEAF_TOGETHER == 0)
            from = cpu_leaf_samples(f->device, f->src, l * HALO_LEAF, n, c, wanted, parted);
        f->leaf[c * f->leaves + l] =
            f->device->kernels->fold->simply[dtype](f->fold, k, from + c % CPU_LEAF_TOGETHER * apart, n);
    }
}

static void fold_task(void *context, int64_t index, int worker)
{
    const Folding *f = context;
    const int channels = f->src->shape.channels;
    const int64_t begin = index * TASK_LEAVES, end = least(f->leaves, begin + TASK_LEAVES);
    double *const samples = f->samples + (int64_t)worker * CPU_LEAF_TOGETHER * HALO_LEAF;
    char *const parted = f->parted + worker * CPU_LEAF_BYTES;
    for (int64_t l = begin; l < end; l++) {
        const int64_t first = l * HALO_LEAF, n = least(HALO_LEAF, f->pixels - first);
        if (f->simple) fold_simply(f, l, n, parted);
        for (int c = 0; c < channels && !f->simple; c++) {
            const double k = f->fold->k != NULL ? f->fold->k[c] : 0.0;
            if (c % CPU_LEAF_TOGETHER == 0)
                gather(f, first, n, c, (int)least(CPU_LEAF_TOGETHER, channels - c), parted, samples);
            f->leaf[c * f->leaves + l] = f->device->kernels->fold->leaf(
                f->fold, k, samples + c % CPU_LEAF_TOGETHER * HALO_LEAF, n, f->stack[worker]);
        }
    }
}

HaloStatus cpu_fold(HaloDevice *device, const HaloBuf *src, const HaloFold *fold, double *out)
{
    HaloStatus status = HALO_OK;
    Folding f = {.src = src, .fold = fold, .device = device};
    const int channels = src->shape.channels;
    int64_t total = 0, nodes, at_leaf, at_samples, at_parted, at_stack;
    void *scratch;
    if (src->shape.dtype == HALO_I64 || !halo_buf_is_whole(src))
        HALO_FAIL(HALO_ERR_BUG, "internal: a fold needs a whole image of u8, u16, f32 or f64");
    if (!halo_mul(src->cols, src->rows, &f.pixels))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many", (long long)src->cols,
                  (long long)src->rows);
    const HaloBuf row = cpu_as_one_row(src);
    if (cpu_is_packed(src)) f.src = &row;
    f.simple = src->shape.dtype <= HALO_F32 && device->kernels->fold->is_simple(fold);
    f.leaves = f.pixels / HALO_LEAF + (f.pixels % HALO_LEAF != 0);
    const int64_t steps = fold->map->length + fold->join->length;
    const int workers = cpu_workers(device, (double)f.pixels * channels * (double)steps);
    if (!halo_mul(f.leaves, channels, &nodes) || !cpu_reserve(&total, nodes, sizeof(double), &at_leaf) ||
        !cpu_reserve(&total, workers * CPU_LEAF_TOGETHER, HALO_LEAF * sizeof(double), &at_samples) ||
        !cpu_reserve(&total, workers, CPU_LEAF_BYTES, &at_parted) ||
        !cpu_reserve(&total, workers, sizeof(CpuFoldStack), &at_stack))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory to reduce %d channels", channels);
    HALO_TRY(cpu_scratch(device, total, &scratch));
    f.leaf = (double *)(void *)((char *)scratch + at_leaf);
    f.samples = (double *)(void *)((char *)scratch + at_samples);
    f.parted = (char *)scratch + at_parted;
    f.stack = (CpuFoldStack *)(void *)((char *)scratch + at_stack);
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
