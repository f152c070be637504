/* Which regions stay, and their numbers. */
#ifndef HALO_CUDA_REGIONS_NUMBER_CUH
#define HALO_CUDA_REGIONS_NUMBER_CUH

#include "union.cuh"

/* Words whose roots a block counts. */
static const int sum_stretch = 4 * region_threads;

/* Where the largest regions are selected: counts of a digit of their pixels, and what is known so far. */
struct RegionSelect {
    unsigned count[256];
    unsigned pixels;         /* of the last of the largest, as far as its digits are known; */
    unsigned long long left; /* how many of these stay */
};

struct RegionNumbers {
    unsigned *sum; /* [blocks + 1] roots of the blocks before; the last: of all */
    int64_t blocks;
    RegionSelect *select; /* NULL: unused */
};

/* Bytes of scratch memory that start the arrays of RegionNumbers. */
int64_t cuda_region_number_bytes(const RegionBits *bits);
/* Leaves the roots of the regions that stay in `kept`, and counts those before each word. */
HaloStatus cuda_region_number(HaloDevice *device, const RegionUnion *regions, const HaloRegions *how,
                              const RegionNumbers *numbers);

#endif
