/* Equalization of 16-bit samples in tiles, where a limit keeps neighbouring levels near each other: the four tables around a cell
 * then fit into a block's shared memory, three and a half bytes a level in place of eight. A sample that asks the second-level
 * cache brings 32 bytes from there. */
#include "equalize_columns.cuh"

static const int near_threads = 1024, near_shared = (int)sizeof(NearFours);

/* The level that lies `beyond`, the lowest bits of it, the half of `two` that is chosen. The bits of 2^23 and a whole number, as a
 * float, are those of 2^23 and the number. */
__device__ __forceinline__ static float level_at(unsigned two, unsigned half, unsigned beyond)
{
    return __uint_as_float(__byte_perm(two, 0x4b000000u, half) + (beyond & near_most)) - 8388608.0f;
}

struct LookNear {
    const NearFours *fours; /* in shared memory */

    __device__ __forceinline__ void operator()(const uint16_t sample[4], const Column &column, const Shares &along,
                                               float made[4]) const
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const unsigned bin = sample[i], beyond = fours->low[bin] | (unsigned)fours->high[bin] << 16;
            const uint2 base = fours->base[bin / near_group];
            made[i] = mix_four(make_float4(level_at(base.x, 0x7410, beyond), level_at(base.x, 0x7432, beyond >> 6),
                                           level_at(base.y, 0x7410, beyond >> 12), level_at(base.y, 0x7432, beyond >> 18)),
                               column.share[i], along);
        }
    }
};

__global__ static void __launch_bounds__(near_threads, 1) near_kernel(const __grid_constant__ EqualizeArgs a)
{
    CUDA_SHARED(uint4, words);
    const LookCell cell(a, true);
    const uint4 *const from = (const uint4 *)((const NearFours *)a.fours + cell.number);
#pragma unroll 7
    for (int i = (int)threadIdx.x; i < near_shared / (int)sizeof(uint4); i += near_threads) words[i] = __ldcg(from + i);
    __syncthreads();
    look_columns<uint16_t, near_threads, 2>(a, cell, LookNear{(const NearFours *)words});
}

/* Do 6 bits hold what 15 levels add up to? A bin counts `most` and its share of what is spread. */
static bool are_near(const EqualizeArgs *args)
{
    const uint64_t total = args->expected, most = halo_equalize_most(args->how.limit, total, args->how.bins);
    if (total == 0 || most > total) return false;
    const double bin = (double)(most + total / (uint64_t)args->how.bins + 1), levels = (double)(args->how.bins - 1);
    return (near_group - 1) * bin * levels / (double)total + 2.0 <= near_most;
}

/* ---- launch --------------------------------------------------------------------------------------------- */

static const int64_t near_blocks_each = 3, near_least = 65536;

bool equalize_near_takes(const HaloDevice *device, const EqualizeArgs *args)
{
    const int64_t samples = args->width * args->height * args->channels, room = (int64_t)device->properties.sharedMemPerBlockOptin;
    return args->sets == 1 && samples / cells_in(args) >= near_least && room >= near_shared + 1024 && are_near(args);
}

HaloStatus equalize_near(HaloDevice *device, EqualizeArgs *args)
{
    look_share_out(device, args, near_blocks_each, near_least);
    CUDA_LAUNCH(device, near_kernel, cells_in(args) * args->parts, near_threads, near_shared, *args);
    return HALO_OK;
}
