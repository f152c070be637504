/* Distances on a GPU: what the passes share. */
#ifndef HALO_CUDA_REGIONS_DISTANCE_CUH
#define HALO_CUDA_REGIONS_DISTANCE_CUH

#include "regions.cuh"

static const int band_rows = 32;
/* Below this many rows and columns squares, and what is added to them, have 31 bits. */
static const int narrow_side = 30000;
static const int most_side = 1 << 26; /* squares are exact in f64 */

struct DistanceArgs {
    RegionBits bits;
    HaloMetric metric;
    int64_t bands;
    unsigned *zeros; /* [bands][columns] a bit for each row of the band that is 0 */
    int *above;      /* [bands][columns] the last row above the band that is 0, or -far */
    int *below;      /* [bands][columns] the first below, or far */
    void *column;    /* [height][columns] distances along columns */
    unsigned *least; /* [height][row_words] the least of a word */
    int64_t columns; /* a multiple of 32 */
    char *dst;
    int64_t dst_stride;
    HaloDtype dtype;
    HaloStore store;
    unsigned long long *clipped;
};

/* Rows that are further than any other. */
static const int far_row = 1 << 29;
template <typename G> CUDA_INLINE G far_column() { return (G) ~(G)0; }

/* Distances along columns are known: the pass along rows, of a picture below `narrow_side` (u16), or of any. */
template <typename G> HaloStatus distance_rows(HaloDevice *device, const DistanceArgs &a, HaloMetric metric);

#endif
