/* The prefix before a tile of a line of many tiles: from the totals of the tiles before it in its group, and
 * the prefixes of groups, which earlier blocks publish. */
#ifndef HALO_CUDA_SCAN_BEFORE_CUH
#define HALO_CUDA_SCAN_BEFORE_CUH

#include "scan.cuh"

__device__ __forceinline__ int slot_at(int i) { return i + i / (HALO_SCAN_GROUP / CUDA_WARP); }

/* Joins a group's 256 slots by one warp: 8 per lane, then the lanes in pairs. Lane 0 has the result. */
template <typename Kind>
__device__ __forceinline__ typename Kind::Value fold_group(const typename Kind::Value *slot)
{
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int first = (int)threadIdx.x % CUDA_WARP * each;
    typename Kind::Value sum = slot[slot_at(first)];
#pragma unroll
    for (int k = 1; k < each; k++) sum = Kind::join(sum, slot[slot_at(first + k)]);
#pragma unroll
    for (int d = 1; d < CUDA_WARP; d *= 2) sum = Kind::join(sum, __shfl_down_sync(CUDA_ALL, sum, d));
    return sum;
}

/* One warp: waits for the totals of the tiles before `tile` in its group, and stores them in `slot`, followed
 * by identities. */
template <typename Kind>
__device__ __forceinline__ void await_totals(const ScanArgs &a, const typename Kind::Stored *totals,
                                             int64_t tile, typename Kind::Value *slot)
{
    constexpr int each = HALO_SCAN_GROUP / CUDA_WARP;
    const int lane = (int)threadIdx.x % CUDA_WARP, in = (int)(tile % HALO_SCAN_GROUP);
    const typename Kind::Stored *const from = totals + (tile - in);
    long long bits[each];
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int i = lane + k * CUDA_WARP;
        bits[k] = i < in ? scan_peek(from + i) : 0;
    }
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int i = lane + k * CUDA_WARP;
        slot[slot_at(i)] = i < in ? scan_await<Kind>(from + i, a, bits[k]) : Kind::identity();
    }
    __syncwarp();
}

/* One warp: G joined with E, the prefix before tile `tile` of a line, to lane 0. */
template <typename Kind>
__device__ __forceinline__ typename Kind::Value
before_tile(const ScanArgs &a, const typename Kind::Stored *totals, const typename Kind::Stored *groups,
            int64_t tile, typename Kind::Value *slot)
{
    const int64_t group = tile / HALO_SCAN_GROUP;
    const long long bits = group == 0 ? 0 : scan_peek(groups + group);
    await_totals<Kind>(a, totals, tile, slot);
    const typename Kind::Value prefix = fold_group<Kind>(slot);
    const typename Kind::Value before =
        group == 0 ? Kind::identity() : scan_await<Kind>(groups + group, a, bits);
    __syncwarp();
    return Kind::join(before, prefix);
}

/* One warp: publishes the total of tile `tile` of a line, and after a group's last tile the prefix of the next
 * group. */
template <typename Kind>
__device__ __forceinline__ void publish_tile(const ScanArgs &a, typename Kind::Stored *totals,
                                             typename Kind::Stored *groups, int64_t tile,
                                             typename Kind::Value total, typename Kind::Value *slot)
{
    using T = typename Kind::Value;
    const int64_t group = tile / HALO_SCAN_GROUP;
    const int lane = (int)threadIdx.x % CUDA_WARP, in = (int)(tile % HALO_SCAN_GROUP);
    if (lane == 0) scan_publish<Kind>(totals + tile, total, a);
    if (in != HALO_SCAN_GROUP - 1) return;
    await_totals<Kind>(a, totals, tile, slot);
    if (lane == 0) slot[slot_at(in)] = total;
    __syncwarp();
    const T all = fold_group<Kind>(slot);
    if (lane == 0) {
        const T before = group == 0 ? Kind::identity() : scan_await<Kind>(groups + group, a);
        scan_publish<Kind>(groups + group + 1, Kind::join(before, all), a);
    }
    __syncwarp();
}

#endif
