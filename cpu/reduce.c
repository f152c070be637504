/* Reductions: leaves in parallel, joined in the fixed order of docs/numerics.md.
 *
 * A task is a run of 2^k leaves, which is one node of the tree. min and max depend on no order but "the first
 * wins", so they go beside the tree, and their place is looked for only in leaves that improve on them. */
#include <string.h>

#include "device.h"
#include "halo/counter.h"
#include "leaf.h"
#include "packed.h"
#include "primitives.h"
#include "product.h"

/* Leaves of a task, of all channels: fewer where more would not fit the second-level cache, or leave a thread
 * without work. */
#define TASK_LEAVES 64

typedef struct Tree {
    uint64_t count;
    HaloMoments node[HALO_COUNTER_NODES];
} Tree;

typedef struct Reduction {
    const HaloBuf *src;
    unsigned want;
    int64_t pixels, each; /* of all; of a task, a power of two of leaves */
    HaloMoments *chunk;   /* [tasks][channels] */
    char *leaf;           /* of each worker: CPU_LEAF_BYTES */
    Tree *tree;           /* of each worker: [CPU_LEAF_TOGETHER] */
    HaloDevice *device;
} Reduction;

/* ---- the tree ------------------------------------------------------------------------------------------- */

static void tree_add(Tree *tree, HaloMoments leaf)
{
    halo_counter_add(tree->node, sizeof leaf, sizeof leaf, tree->count++, &leaf, halo_join_moments, NULL);
}

static HaloMoments tree_total(const Tree *tree)
{
    HaloMoments total = halo_moments_none();
    halo_counter_total(tree->node, sizeof total, sizeof total, tree->count, &total, halo_join_moments, NULL);
    return total;
}

/* ---- one task ------------------------------------------------------------------------------------------- */

/* Where the leaf after this one begins, in memory without gaps. */
static const char *next_leaf(const Reduction *r, int64_t first)
{
    const int64_t width = r->src->shape.width, next = (first + HALO_LEAF) % r->pixels;
    return halo_at(r->src, next % width, next / width);
}

/* -0 or +0: the sample itself knows. */
static double value_at(const Reduction *r, const void *samples, int64_t at, double value)
{
    switch (r->src->shape.dtype) {
    case HALO_F32: return (double)((const float *)samples)[at];
    case HALO_F64: return ((const double *)samples)[at];
    default: return value;
    }
}

/* Takes a leaf's extremes into `best`; the place is looked for only where they are better. */
static void take_extremes(const Reduction *r, const void *samples, int64_t first, int64_t n,
                          const CpuExtremes *extremes, HaloMoments *best)
{
    int64_t (*find)(const void *, int64_t, double) = r->device->kernels->reduce->find[r->src->shape.dtype];
    if (best->min_at < 0 || extremes->min < best->min) {
        const int64_t at = find(samples, n, extremes->min);
        best->min = value_at(r, samples, at, extremes->min);
        best->min_at = first + at;
    }
    if (best->max_at < 0 || extremes->max > best->max) {
        const int64_t at = find(samples, n, extremes->max);
        best->max = value_at(r, samples, at, extremes->max);
        best->max_at = first + at;
    }
}

/* One leaf of one channel; `next` will be read after it. */
static void reduce_leaf(const Reduction *r, const void *samples, int64_t first, int64_t n, const void *next,
                        Tree *tree, HaloMoments *best)
{
    HaloMoments leaf = halo_moments_none();
    CpuExtremes extremes = {0.0, 0.0};
    r->device->kernels->reduce->leaf[r->src->shape.dtype](samples, n, next, r->want, &leaf, &extremes);
    if ((r->want & (HALO_WANT_EXTREMES | HALO_WANT_POSITIONS)) != 0 && leaf.nan < leaf.count)
        take_extremes(r, samples, first, n, &extremes, best);
    tree_add(tree, leaf);
}

/* Channels from c on, some of them: to out[]. */
static void reduce_channels(const Reduction *r, int64_t start, int64_t end, int c, int wanted, char *workspace,
                            Tree *tree, HaloMoments *out)
{
    const int64_t apart = HALO_LEAF * (int64_t)halo_dtype_size(r->src->shape.dtype);
    HaloMoments best[CPU_LEAF_TOGETHER];
    for (int k = 0; k < wanted; k++) {
        tree[k].count = 0;
        best[k] = halo_moments_none();
    }
    for (int64_t first = start; first < end; first += HALO_LEAF) {
        const int64_t n = end - first < HALO_LEAF ? end - first : HALO_LEAF;
        const char *samples = cpu_leaf_samples(r->device, r->src, first, n, c, wanted, workspace);
        const char *const next = next_leaf(r, first);
        for (int k = 0; k < wanted; k++)
            reduce_leaf(r, samples + k * apart, first, n, next + k * apart, &tree[k], &best[k]);
    }
    for (int k = 0; k < wanted; k++) {
        out[k] = tree_total(&tree[k]);
        out[k].min = best[k].min;
        out[k].max = best[k].max;
        out[k].min_at = best[k].min_at;
        out[k].max_at = best[k].max_at;
    }
}

static void reduce_chunk(void *context, int64_t index, int worker)
{
    const Reduction *r = context;
    const int channels = r->src->shape.channels;
    const int64_t start = index * r->each, end = least(r->pixels, start + r->each);
    char *workspace = r->leaf + worker * CPU_LEAF_BYTES;
    Tree *tree = r->tree + worker * CPU_LEAF_TOGETHER;
    HaloMoments *const out = &r->chunk[index * channels];
    for (int c = 0; c < channels; c += CPU_LEAF_TOGETHER)
        reduce_channels(r, start, end, c, channels - c < CPU_LEAF_TOGETHER ? channels - c : CPU_LEAF_TOGETHER,
                        workspace, tree, &out[c]);
}

/* ---- all of it ------------------------------------------------------------------------------------------ */

/* Clears what is not wanted, and gives NaNs their canonical pattern. */
static void tidy(HaloMoments *m, unsigned want)
{
    if ((want & HALO_WANT_POSITIONS) == 0) m->min_at = m->max_at = -1;
    m->sum = halo_canonical_f64(m->sum);
    m->mean = halo_canonical_f64(m->mean);
    m->m2 = halo_canonical_f64(m->m2);
    m->product = halo_canonical_f64(m->product);
}

HaloStatus cpu_reduce(HaloDevice *device, const HaloBuf *src, unsigned want, HaloMoments *out)
{
    HaloStatus status = HALO_OK;
    Reduction r = {.src = src, .want = want, .device = device};
    const int channels = src->shape.channels;
    CpuProducts products;
    int64_t total = 0, moments, at_chunk, at_leaf, at_tree;
    void *scratch;
    if (src->shape.dtype == HALO_I64 || !halo_buf_is_whole(src))
        HALO_FAIL(HALO_ERR_BUG, "internal: a reduction needs a whole image of u8, u16, f32 or f64");
    if (!halo_mul(src->cols, src->rows, &r.pixels))
        HALO_FAIL(HALO_ERR_LIMIT, "%lld x %lld pixels are too many", (long long)src->cols,
                  (long long)src->rows);
    const HaloBuf row = cpu_as_one_row(src);
    if (cpu_is_packed(src)) r.src = &row;
    r.each = HALO_LEAF;
    while (r.each * 2 * channels <= TASK_LEAVES * HALO_LEAF) r.each *= 2;
    const int64_t chunks = r.pixels / r.each + (r.pixels % r.each != 0);
    const bool counted = (want & HALO_WANT_PRODUCT) != 0 && src->shape.dtype <= HALO_U16 && r.pixels > 0;
    int workers = cpu_workers(device, (double)r.pixels * channels * 4);
    if (counted) workers = cpu_tally_workers(&src->shape, workers);
    if (!halo_mul(chunks, channels, &moments) ||
        !cpu_reserve(&total, moments, sizeof(HaloMoments), &at_chunk) ||
        !cpu_reserve(&total, workers, CPU_LEAF_BYTES, &at_leaf) ||
        !cpu_reserve(&total, workers, CPU_LEAF_TOGETHER * (int64_t)sizeof(Tree), &at_tree) ||
        (counted && !cpu_product_reserve(&products, device, r.src, workers, &total)))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for statistics of %d channels", channels);
    HALO_TRY(cpu_scratch(device, total, &scratch));
    r.chunk = (HaloMoments *)(void *)((char *)scratch + at_chunk);
    r.leaf = (char *)scratch + at_leaf;
    r.tree = (Tree *)(void *)((char *)scratch + at_tree);
    cpu_run(device, workers, chunks, reduce_chunk, &r);

    for (int c = 0; c < channels; c++) {
        Tree tree = {.count = 0};
        for (int64_t i = 0; i < chunks; i++) tree_add(&tree, r.chunk[i * channels + c]);
        out[c] = tree_total(&tree);
    }
    if (counted) cpu_product_take(&products, scratch, out);
    for (int c = 0; c < channels; c++) tidy(&out[c], want);
out:
    return status;
}

/* ---- groups --------------------------------------------------------------------------------------------- */

/* Groups of a task: most groups are small. */
#define TASK_GROUPS 64

typedef struct GroupReduction {
    Reduction r;
    const int64_t *begin;
    int64_t groups;
    HaloMoments *out;
} GroupReduction;

static void reduce_some_groups(void *context, int64_t index, int worker)
{
    const GroupReduction *g = context;
    const int channels = g->r.src->shape.channels;
    const int64_t end = least(g->groups, (index + 1) * TASK_GROUPS);
    char *workspace = g->r.leaf + worker * CPU_LEAF_BYTES;
    Tree *tree = g->r.tree + worker * CPU_LEAF_TOGETHER;
    for (int64_t k = index * TASK_GROUPS; k < end; k++) {
        HaloMoments *const out = &g->out[k * channels];
        for (int c = 0; c < channels; c += CPU_LEAF_TOGETHER)
            reduce_channels(&g->r, g->begin[k], g->begin[k + 1], c,
                            channels - c < CPU_LEAF_TOGETHER ? channels - c : CPU_LEAF_TOGETHER, workspace,
                            tree, &out[c]);
        for (int c = 0; c < channels; c++) tidy(&out[c], g->r.want);
    }
}

HaloStatus cpu_reduce_groups(HaloDevice *device, const HaloBuf *src, const int64_t *begin, int64_t groups,
                             unsigned want, HaloMoments *out)
{
    HaloStatus status = HALO_OK;
    GroupReduction g = {.begin = begin, .groups = groups, .out = out};
    const int64_t tasks = (groups + TASK_GROUPS - 1) / TASK_GROUPS;
    const int workers = cpu_workers(device, (double)src->cols * src->shape.channels * 4);
    int64_t total = 0, at_leaf, at_tree;
    void *scratch;
    g.r = (Reduction){
        .src = src, .want = want & ~(unsigned)HALO_WANT_POSITIONS, .device = device, .pixels = src->cols};
    if (!cpu_reserve(&total, workers, CPU_LEAF_BYTES, &at_leaf) ||
        !cpu_reserve(&total, workers, CPU_LEAF_TOGETHER * (int64_t)sizeof(Tree), &at_tree))
        HALO_FAIL(HALO_ERR_LIMIT, "not enough memory for statistics of groups");
    HALO_TRY(cpu_scratch(device, total, &scratch));
    g.r.leaf = scratch;
    g.r.tree = (Tree *)(void *)((char *)scratch + at_tree);
    cpu_run(device, workers, tasks, reduce_some_groups, &g);
out:
    return status;
}
