/* Regions as the union of runs: what the passes share. */
#ifndef HALO_CUDA_REGIONS_UNION_CUH
#define HALO_CUDA_REGIONS_UNION_CUH

#include "regions.cuh"

/* Words, and rows, of a tile, which is joined in shared memory. */
static const int tile_words = 4, tile_rows = 32, tile_threads = tile_words * tile_rows;

struct RegionUnion {
    RegionBits bits;
    int connect;
    unsigned *local;  /* [words] runs that are the root of a region of their tile */
    unsigned *kept;   /* [words] runs that are the root of a region, later of one that stays */
    unsigned *mark;   /* [words] in the low half the regions at the border, in the high half those with a seed;
                         NULL: unused */
    unsigned *before; /* [words] roots that stay, before the word */
    unsigned *parent; /* [16 words] the root of the tile's region; of such a root, that of the region */
    unsigned *value;  /* [16 words] at roots of tiles: pixels, later what is written */
    bool areas;
};

/* Leads every run to the root of its tile, and those to the roots of their regions; adds up pixels and marks.
 */
HaloStatus cuda_region_join(HaloDevice *device, const RegionUnion *regions);

#endif
