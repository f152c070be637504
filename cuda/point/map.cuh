/* What the files of point operations share: parameters, and mapping one sample. */
#ifndef HALO_CUDA_MAP_CUH
#define HALO_CUDA_MAP_CUH

#include "quantise.cuh"

struct MapArgs {
    const char *src;
    char *dst;
    int64_t src_stride, dst_stride;
    int64_t cols;       /* samples of a destination's row; of all rows if they have no gaps */
    int64_t row_blocks; /* blocks of a row */
    int src_channels, channels;
    int src_alpha, alpha; /* -1: none */
    HaloMap map;
    HaloStore store;
    unsigned long long *clipped;
};

/* Curves are two hundred instructions each: out of line, or they would be most of a kernel for every sample of
 * a thread. */
__device__ __noinline__ static float map_curve(float v, const HaloPoint &point) { return halo_point(v, point); }

/* Applies the points and the scale to `Count` samples at once: one branch for all of them. */
template <int Count> CUDA_INLINE void apply(const HaloMap &map, float v[Count])
{
    for (int p = 0; p < map.points; p++) {
        const HaloPoint &point = map.point[p];
        if (point.op >= HALO_POINT_POWER) {
#pragma unroll
            for (int k = 0; k < Count; k++) v[k] = map_curve(v[k], point);
            continue;
        }
        const HaloPoint plain = point;
        __builtin_assume(plain.op < HALO_POINT_POWER);
#pragma unroll
        for (int k = 0; k < Count; k++) v[k] = halo_point(v[k], plain);
    }
}

/* Maps one sample of the destination, for any channels. */
template <typename S, typename D>
CUDA_INLINE D map_one(const MapArgs &a, const S *row, int64_t e, unsigned *clipped)
{
    const int64_t pixel = e / a.channels;
    const int c = (int)(e % a.channels);
    const S *const from = row + pixel * a.src_channels;
    float v[1];
    if (a.map.kind == HALO_MAP_GRAY && c != a.alpha)
        v[0] = halo_gray((float)from[0], (float)from[1], (float)from[2], a.map.w);
    else if (a.map.kind == HALO_MAP_GRAY)
        v[0] = (float)from[a.src_alpha];
    else if (a.map.kind == HALO_MAP_PREMUL && c != a.alpha)
        v[0] = halo_premul((float)from[c], (float)from[a.src_alpha], a.map.white);
    else
        v[0] = (float)from[c];
    if (c != a.alpha) apply<1>(a.map, v);
    return cuda_sample<D>(v[0], a.store, clipped);
}

/* Samples of a thread in one access, where rows are aligned. */
template <typename S, typename D>
static constexpr int map_pack_of = 16 / (int)(sizeof(S) > sizeof(D) ? sizeof(S) : sizeof(D));

/* Is a table faster than computing? Then cuda_map_look does the complete map, in packs (table.cu). */
template <typename S, typename D> bool cuda_map_table_pays(const MapArgs *args, int64_t rows);
template <typename S, typename D>
HaloStatus cuda_map_look(HaloDevice *device, const MapArgs *args, int64_t rows);

#endif
