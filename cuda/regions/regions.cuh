/* Regions on a GPU: pictures as words of 32 pixels, a bit for each, and the runs of set bits in a word, up to
 * 16, which are the nodes of a union-find. Node 16 w + k is run k of word w, so that nodes are in raster order.
 */
#ifndef HALO_CUDA_REGIONS_CUH
#define HALO_CUDA_REGIONS_CUH

#include "common.cuh"
#include "halo/objects.h"
#include "halo/regions.h"

static const int region_runs = 16, region_word = 32, region_threads = 256;

/* A picture of one channel beside alpha, as bits. */
struct RegionBits {
    const char *src;
    int64_t src_stride;
    HaloDtype dtype;
    int channels, channel; /* 1 or 2, and the one that is not alpha */
    int64_t width, height;
    unsigned row_words, words; /* of a row, and of all rows */
    unsigned *bit;             /* [words] */
    unsigned *seed;            /* [words] pixels above `high`; NULL: unused */
};

/* The words of a picture: false where there are too many nodes for 32 bits. */
bool cuda_region_words(const HaloBuf *src, RegionBits *bits);
/* Finds the bits, and the seeds where they are used. */
HaloStatus cuda_region_bits(HaloDevice *device, const RegionBits *bits, HaloRegionsOf of, double low,
                            double high);
/* Is this a picture of one channel beside alpha, whole as the other one? */
bool cuda_region_planes(const HaloBuf *src, const HaloBuf *dst);

HaloStatus cuda_regions(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloRegions *how,
                        HaloStore store);
HaloStatus cuda_distance(HaloDevice *device, const HaloBuf *src, HaloBuf *dst, const HaloDistance *how,
                         HaloStore store);
HaloStatus cuda_objects(HaloDevice *device, const HaloBuf *labels, const HaloBuf *of, const HaloObjects *how,
                        HaloObjectList *list);

CUDA_INLINE unsigned cuda_warp_or(unsigned v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(CUDA_ALL, v);
#else
    for (int d = CUDA_WARP / 2; d > 0; d /= 2) v |= __shfl_xor_sync(CUDA_ALL, v, d);
    return v;
#endif
}

/* Sample `e` of a row, as f32. */
CUDA_INLINE float region_sample(const char *row, HaloDtype dtype, int64_t e)
{
    if (dtype == HALO_U8) return (float)((const uint8_t *)row)[e];
    if (dtype == HALO_U16) return (float)((const uint16_t *)row)[e];
    return ((const float *)row)[e];
}

/* Stores what v becomes. */
CUDA_INLINE void region_store(char *row, HaloDtype dtype, int64_t e, float v, HaloStore store,
                              unsigned *clipped)
{
    cuda_typed(dtype, [&](auto zero) {
        using D = decltype(zero);
        ((D *)row)[e] = cuda_sample<D>(v, store, clipped);
    });
}

/* The bits at which runs of a word begin. */
CUDA_INLINE unsigned region_starts(unsigned bits) { return bits & ~(bits << 1); }

/* The number of the run that has bit `at`. */
CUDA_INLINE unsigned region_run_at(unsigned bits, int at)
{
    return (unsigned)__popc(region_starts(bits) & ((2u << at) - 1)) - 1;
}

#endif
