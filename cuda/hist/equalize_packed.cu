/* Equalization of 16-bit samples in tiles, where a limit keeps neighbouring levels close together: packed, the
 * four tables around a cell fit into a block's shared memory, in three and a half bytes per level instead of
 * eight. From the second-level cache, a lookup would load 32 bytes. */
#include "equalize_columns.cuh"

static const int packed_threads = 1024, packed_shared = (int)sizeof(PackedQuads);

/* The level: the selected half of `two`, plus the lowest bits of `beyond`. The bits of 2^23 plus an integer, as
 * a float, are those of 2^23 and of the integer. */
CUDA_INLINE float level_at(unsigned two, unsigned half, unsigned beyond)
{
    return __uint_as_float(__byte_perm(two, 0x4b000000u, half) + (beyond & packed_most)) - 8388608.0f;
}

struct LookPacked {
    const PackedQuads *quads; /* in shared memory */

    __device__ __forceinline__ void operator()(const uint16_t sample[4], const Column &column,
                                               const Shares &vertical, float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned bin = sample[i], beyond = quads->low[bin] | (unsigned)quads->high[bin] << 16;
            const uint2 base = quads->base[bin / packed_group];
            made[i] = mix_quad(
                make_float4(level_at(base.x, 0x7410, beyond), level_at(base.x, 0x7432, beyond >> 6),
                            level_at(base.y, 0x7410, beyond >> 12), level_at(base.y, 0x7432, beyond >> 18)),
                column.share[i], vertical);
        }
    }
};

__global__ static void __launch_bounds__(packed_threads, 1)
    packed_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(uint4, words);
    const LookCell cell(a, true);
    const uint4 *const from = (const uint4 *)((const PackedQuads *)a.quads + cell.number);
#pragma unroll 7
    for (int i = (int)threadIdx.x; i < packed_shared / (int)sizeof(uint4); i += packed_threads)
        words[i] = __ldcg(from + i);
    __syncthreads();
    look_columns<uint16_t, packed_threads, 2>(a, cell, LookPacked{(const PackedQuads *)words});
}

/* Do 6 bits hold the sum of 15 levels? A bin counts at most `most` plus its share of the excess. */
static bool fits_packed(const EqualizeArgs *args)
{
    const uint64_t total = args->expected, most = halo_equalize_most(args->how.limit, total, args->how.bins);
    if (total == 0 || most > total) return false;
    const double bin = (double)(most + total / (uint64_t)args->how.bins + 1),
                 levels = (double)(args->how.bins - 1);
    return (packed_group - 1) * bin * levels / (double)total + 2.0 <= packed_most;
}

/* ---- launches -------------------------------------------------------------------------------------------- */

static const int64_t packed_blocks_each = 3, packed_least = 65536;

bool equalize_packed_takes(const HaloDevice *device, const EqualizeArgs *args)
{
    const int64_t samples = args->width * args->height * args->channels,
                  workspace = (int64_t)device->properties.sharedMemPerBlockOptin;
    return args->sets == 1 && samples / cells_in(args) >= packed_least && workspace >= packed_shared + 1024 &&
           fits_packed(args);
}

HaloStatus equalize_packed(HaloDevice *device, EqualizeArgs *args)
{
    look_share_out(device, args, packed_blocks_each, packed_least);
    CUDA_LAUNCH(device, packed_kernel, cells_in(args) * args->parts, packed_threads, packed_shared, *args);
    return HALO_OK;
}
