/* Thinning: words of 32 pixels, whose neighbours are the same words shifted. Every half pass reads one plane
 * and writes another. Passes are queued in groups, after each of which the host asks whether anything has
 * changed. */
#include "halo/thin.h"
#include "morphology.cuh"

static const int thin_group = 16; /* whole passes */

struct ThinArgs {
    RegionBits bits;    /* of the picture: the first plane */
    unsigned *plane[2]; /* [words] */
    unsigned *changed;  /* of the last passes of a group: not 0 if a pixel was deleted */
    HaloThinKind kind;
};

/* ---- half passes ---------------------------------------------------------------------------------------- */

/* A word with those beside it. */
struct ThinWords {
    unsigned here, left, right; /* pixels, and those at the left and at the right of each */
};

CUDA_INLINE ThinWords words_at(const ThinArgs &a, const unsigned *plane, int64_t x, int64_t y)
{
    const RegionBits &b = a.bits;
    ThinWords w = {};
    if (y < 0 || y >= b.height) return w;
    const unsigned *const at = plane + y * b.row_words + x;
    const unsigned before = x > 0 ? at[-1] : 0, behind = x + 1 < b.row_words ? at[1] : 0;
    w.here = at[0];
    w.left = w.here << 1 | before >> 31;
    w.right = w.here >> 1 | behind << 31;
    return w;
}

__global__ static void __launch_bounds__(region_threads)
    half_kernel(const __grid_constant__ ThinArgs a, int half, unsigned *changed)
{
    const RegionBits &b = a.bits;
    const unsigned w = blockIdx.x * region_threads + threadIdx.x;
    unsigned gone = 0;
    if (w < b.words) {
        const int64_t y = w / b.row_words, x = w - y * b.row_words;
        const unsigned *const plane = a.plane[half];
        const ThinWords here = words_at(a, plane, x, y);
        if (here.here != 0) {
            const ThinWords up = words_at(a, plane, x, y - 1), down = words_at(a, plane, x, y + 1);
            const HaloThinRing ring = {
                {up.here, up.right, here.right, down.right, down.here, down.left, here.left, up.left}};
            const bool zhang = a.kind == HALO_THIN_ZHANG;
            gone = here.here & (zhang ? halo_thin_zhang(&ring, half) : halo_thin_guo_hall(&ring, half));
        }
        a.plane[1 - half][w] = here.here & ~gone;
    }
    if (__any_sync(CUDA_ALL, gone != 0) && threadIdx.x % CUDA_WARP == 0) *changed = 1;
}

/* ---- all ------------------------------------------------------------------------------------------------ */

struct ThinWrite {
    char *dst;
    int64_t dst_stride;
    HaloDtype dtype;
    HaloStore store;
    unsigned long long *clipped;
};

/* Pixels that are left, and alpha, are copied. */
__global__ static void __launch_bounds__(region_threads)
    thin_write_kernel(const __grid_constant__ ThinArgs a, const __grid_constant__ ThinWrite to)
{
    const RegionBits &b = a.bits;
    const int64_t number = (int64_t)blockIdx.x * region_threads + threadIdx.x, w = number / region_word;
    unsigned clipped = 0;
    if (w < b.words) {
        const int64_t y = w / b.row_words, x = (w - y * b.row_words) * region_word + number % region_word;
        const char *const from = b.src + y * b.src_stride;
        char *const row = to.dst + y * to.dst_stride;
        for (int c = 0; c < b.channels && x < b.width; c++) {
            const bool stays = c != b.channel || (a.plane[0][w] >> number % region_word & 1);
            region_store(row, to.dtype, x * b.channels + c,
                         stays ? region_sample(from, b.dtype, x * b.channels + c) : 0.0f, to.store, &clipped);
        }
    }
    cuda_count_clipped(to.clipped, clipped);
}

/* Until a whole pass changes nothing. The result is in the first plane. */
static HaloStatus thin_all(HaloDevice *device, const ThinArgs &a, int64_t passes)
{
    const int64_t blocks = cuda_ceil_div(a.bits.words, region_threads);
    for (int64_t done = 0; passes == 0 || done < passes;) {
        const int64_t group = passes == 0 ? thin_group : cuda_min(thin_group, passes - done);
        unsigned changed = 0;
        for (int64_t k = 0; k < group; k++) {
            if (k + 1 == group) CUDA_TRY(cudaMemsetAsync(a.changed, 0, sizeof *a.changed, device->stream));
            CUDA_LAUNCH(device, half_kernel, blocks, region_threads, 0, a, 0, a.changed);
            CUDA_LAUNCH(device, half_kernel, blocks, region_threads, 0, a, 1, a.changed);
        }
        done += group;
        if (done == passes) return HALO_OK;
        CUDA_PASS(cuda_fetch(device, &changed, a.changed, sizeof changed));
        if (changed == 0) return HALO_OK;
    }
    return HALO_OK;
}

HaloStatus cuda_thin(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloThin *thin,
                     HaloStore store)
{
    CUDA_PASS(cuda_use(device));
    ThinArgs a = {};
    if (!cuda_region_planes(src, dst))
        return halo_fail(HALO_ERR_BUG, "internal: thinning of buffers that differ, or of colours");
    if (dst->cols < 1 || dst->rows < 1) return HALO_OK;
    if (!cuda_region_words(src, &a.bits))
        return halo_fail(HALO_ERR_LIMIT,
                         "%lld x %lld pixels are too many to be thinned on a GPU: use --device cpu",
                         (long long)src->cols, (long long)src->rows);
    const int64_t pitch = cuda_ceil_div((int64_t)a.bits.words * 4, 256) * 256;
    char *at;
    CUDA_PASS(cuda_scratch(device, CUDA_SCRATCH_WIDE, 2 * pitch + 256, (void **)&at));
    a.bits.bit = a.plane[0] = (unsigned *)at;
    a.plane[1] = (unsigned *)(at + pitch);
    a.changed = (unsigned *)(at + 2 * pitch);
    a.kind = thin->kind;
    CUDA_PASS(cuda_region_bits(device, &a.bits, HALO_REGIONS_FOREGROUND, 0.0, 0.0));
    CUDA_PASS(thin_all(device, a, thin->passes));
    const ThinWrite to = {(char *)dst->data, dst->stride, dst->shape.dtype, store, device->clipped};
    CUDA_LAUNCH(device, thin_write_kernel, a.bits.words * (int64_t)region_word / region_threads + 1,
                region_threads, 0, a, to);
    return HALO_OK;
}
